//! CSV with a heading: one line a cell of a comparison, one line a replay.

use super::sheet::Datum;
use super::{CollectivesReport, ReplayReport, Reporter, Sheet, ThroughputReport, TopologyReport};
use crate::study::comparison::Comparison;
use std::io::{self, Write};

/// The CSV format.
pub struct Csv;

/// A value, or nothing.
pub(super) fn optional<T: ToString>(value: Option<T>) -> String {
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

    fn throughput(&self, report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
        super::throughput::csv::write(report, out)
    }

    fn collectives(&self, report: &CollectivesReport, out: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        // Three kinds of lines: an algorithm, the choice of a table, the beginning of a stretch of sizes.
        csv.write_record(["collective", "line", "table", "algorithm", "messages", "bytes", "from_bytes", "why"])?;
        for operation in &report.collectives {
            let collective = operation.collective;
            let amounts = |messages: u64, bytes: u64| [messages.to_string(), bytes.to_string()];
            for row in &operation.algorithms {
                let [messages, bytes] = amounts(row.messages, row.bytes);
                let picked = row.picked_by.join(" ");
                csv.write_record([collective, "algorithm", &picked, row.name, &messages, &bytes, "", row.summary])?;
            }
            for choice in &operation.choices {
                let [messages, bytes] = amounts(choice.messages, choice.bytes);
                let rule = choice.rule.as_deref().unwrap_or_default();
                csv.write_record([collective, "choice", choice.table, &choice.algorithm, &messages, &bytes, "", rule])?;
            }
            for crossover in &operation.crossovers {
                let from = crossover.from_bytes.to_string();
                csv.write_record([collective, "crossover", crossover.table, &crossover.algorithm, "", "", &from, ""])?;
            }
        }
        csv.flush()
    }

    fn compare(&self, c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        let mut heading = vec!["workload", "topology", "seed", "simulated_seconds", "mops", "relative", "baseline"];
        // Columns that only some studies need stand at the end, where they disturb nobody who counts columns.
        if c.has_settings() {
            heading.extend(["platform", "mapping", "collectives"]);
        }
        csv.write_record(heading)?;
        for run in &c.runs {
            let mut fields = vec![
                c.workloads[run.workload].name.clone(),
                c.plain_names[run.network].clone(),
                optional(run.record.seed),
                run.record.simulated_seconds.to_string(),
                optional(run.record.mops),
                run.relative.to_string(),
                c.plain_names[c.baselines[run.network]].clone(),
            ];
            if c.has_settings() {
                let setting = &c.settings[run.network];
                fields.extend([
                    optional(setting.platform.as_ref()),
                    setting.mapping.clone(),
                    setting.collectives.clone(),
                ]);
            }
            csv.write_record(fields)?;
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
            "switches",
            "hosts",
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
                r.switches.to_string(),
                r.hosts.to_string(),
                optional(r.aspl_error),
                optional(r.aspl_lower_bound),
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

    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        match sheet.tables.iter().chain(&sheet.detail).last() {
            Some(table) => {
                csv.write_record(table.columns.iter().map(|column| column.name))?;
                for row in &table.rows {
                    csv.write_record(row.iter().map(Datum::field))?;
                }
            }
            None => {
                csv.write_record(sheet.facts.iter().map(|(name, _, _)| *name))?;
                csv.write_record(sheet.facts.iter().map(|(_, _, value)| value.field()))?;
            }
        }
        csv.flush()
    }
}
