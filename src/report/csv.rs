//! CSV with a heading: one line a cell of a comparison, one line a replay.

use super::{ReplayReport, Reporter, TopologyReport};
use crate::study::comparison::Comparison;
use std::io::{self, Write};

/// The CSV format.
pub struct Csv;

fn optional<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

impl Reporter for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn replay(&self, r: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record([
            "trace",
            "topology",
            "seed",
            "simulated_seconds",
            "mops",
            "ranks",
            "actions",
            "messages",
            "bytes",
            "compute_mean_seconds",
            "communication_mean_seconds",
            "waiting_mean_seconds",
        ])?;
        csv.write_record([
            r.workload.name.clone(),
            r.network.topology.clone(),
            optional(r.network.seed),
            r.simulated_seconds.to_string(),
            optional(r.mops),
            r.workload.ranks.to_string(),
            r.workload.actions.to_string(),
            r.messages.to_string(),
            r.bytes.to_string(),
            r.times.compute.mean.to_string(),
            r.times.communication.mean.to_string(),
            r.times.waiting.mean.to_string(),
        ])?;
        csv.flush()
    }

    fn compare(&self, c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["workload", "topology", "seed", "simulated_seconds", "mops", "relative", "baseline"])?;
        for cell in &c.cells {
            let network = &c.networks[cell.network];
            csv.write_record([
                c.workloads[cell.workload].name.clone(),
                network.name.clone(),
                optional(network.seed),
                cell.simulated_seconds.to_string(),
                optional(cell.mops),
                cell.relative.to_string(),
                c.networks[c.baseline].name.clone(),
            ])?;
        }
        csv.flush()
    }

    fn topology(&self, reports: &[TopologyReport], out: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record([
            "topology",
            "seed",
            "n",
            "directed",
            "cables",
            "min_degree",
            "max_degree",
            "diameter",
            "aspl",
            "edge_sha256",
            "aspl_error",
            "aspl_lower_bound",
            "moore_share",
            "edge_connectivity",
            "path_diversity",
            "bisection",
            "bisection_method",
            "bisection_share_of_links",
            "bisection_share_of_all",
            "floor_plan",
            "cabinets",
            "cable_metres",
            "average_cable_metres",
            "longest_cable_metres",
            "max_latency_ns",
            "mean_latency_ns",
            "endpoints",
            "ports",
            "copper_cables",
            "fibre_cables",
            "cable_dollars",
            "router_dollars",
            "dollars",
            "dollars_per_endpoint",
            "watts",
            "route",
        ])?;
        for r in reports {
            csv.write_record([
                r.topology.clone(),
                optional(r.seed),
                r.n.to_string(),
                r.directed.to_string(),
                optional(r.edges.or(r.arcs)),
                r.min_degree.to_string(),
                r.max_degree.to_string(),
                optional(r.diameter),
                optional(r.aspl),
                r.edge_sha256.clone(),
                optional(r.aspl_error),
                r.aspl_lower_bound.to_string(),
                optional(r.moore_share),
                optional(r.edge_connectivity),
                optional(r.path_diversity),
                optional(r.bisection),
                optional(r.bisection_method.as_deref()),
                optional(r.bisection_share_of_links),
                optional(r.bisection_share_of_all),
                r.floor.plan.to_owned(),
                r.floor.cabinets.to_string(),
                r.floor.cable_metres.to_string(),
                r.floor.average_cable_metres.to_string(),
                r.floor.longest_cable_metres.to_string(),
                optional(r.floor.max_latency_ns),
                optional(r.floor.mean_latency_ns),
                optional(r.cost.as_ref().map(|cost| cost.endpoints)),
                optional(r.cost.as_ref().map(|cost| cost.ports)),
                optional(r.cost.as_ref().map(|cost| cost.copper_cables)),
                optional(r.cost.as_ref().map(|cost| cost.fibre_cables)),
                optional(r.cost.as_ref().map(|cost| cost.cable_dollars)),
                optional(r.cost.as_ref().map(|cost| cost.router_dollars)),
                optional(r.cost.as_ref().map(|cost| cost.dollars)),
                optional(r.cost.as_ref().and_then(|cost| cost.dollars_per_endpoint)),
                optional(r.cost.as_ref().map(|cost| cost.watts)),
                optional(
                    r.route.as_ref().map(|route| route.path.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")),
                ),
            ])?;
        }
        csv.flush()
    }
}
