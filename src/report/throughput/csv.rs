//! A line for each answer.

use super::ThroughputReport;
use crate::report::csv::optional;
use crate::throughput::load::{Distribution, FairShare};
use std::io::{self, Write};

/// Writes the answers.
pub(in crate::report) fn write(report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "network",
        "topology",
        "topology_seed",
        "pattern",
        "pattern_seed",
        "routing",
        "routing_seed",
        "switches",
        "endpoints",
        "senders",
        "flows",
        "flows_to_self",
        "saturation",
        "network_saturation",
        "saturation_bytes_per_second",
        "fair_min",
        "fair_p5",
        "fair_median",
        "fair_p95",
        "fair_max",
        "fair_mean",
        "fair_accepted",
        "max_link_load",
        "mean_link_load",
        "fullest_links",
        "mean_hops",
        "max_hops",
        "latency_mean_seconds",
        "latency_max_seconds",
        "latency_mean_seconds_without_cables",
        "latency_max_seconds_without_cables",
        "bound_host_links",
        "bound_path_length",
        "bound_cut",
        "bound_all_paths_lower",
        "bound_all_paths_upper",
        "bound_all_paths_method",
        "share_of_bound",
    ])?;
    for cell in &report.cells {
        let fair = |of: fn(&Distribution) -> f64| optional(cell.fair.as_ref().map(|fair: &FairShare| of(&fair.level)));
        let concurrent = cell.bounds.concurrent.as_ref();
        csv.write_record([
            cell.network.clone(),
            cell.topology.clone(),
            optional(cell.topology_seed),
            cell.pattern.clone(),
            optional(cell.pattern_seed),
            cell.routing.clone(),
            optional(cell.routing_seed),
            cell.switches.to_string(),
            cell.endpoints.to_string(),
            cell.senders.to_string(),
            cell.flows.to_string(),
            cell.flows_to_self.to_string(),
            optional(cell.saturation),
            optional(cell.network_saturation),
            optional(cell.saturation_bytes_per_second),
            fair(|level| level.min),
            fair(|level| level.p5),
            fair(|level| level.median),
            fair(|level| level.p95),
            fair(|level| level.max),
            fair(|level| level.mean),
            optional(cell.fair.as_ref().map(|fair| fair.accepted)),
            cell.link_load.max.to_string(),
            cell.link_load.mean.to_string(),
            cell.fullest_links.to_string(),
            cell.zero_load.mean_hops.to_string(),
            cell.zero_load.max_hops.to_string(),
            cell.zero_load.mean.to_string(),
            cell.zero_load.max.to_string(),
            cell.zero_load.bare_mean.to_string(),
            cell.zero_load.bare_max.to_string(),
            optional(cell.bounds.host_links),
            optional(cell.bounds.path_length),
            optional(cell.bounds.cut),
            optional(concurrent.map(|concurrent| concurrent.lower)),
            optional(concurrent.map(|concurrent| concurrent.upper)),
            optional(concurrent.map(|concurrent| concurrent.method)),
            optional(cell.share_of_bound),
        ])?;
    }
    csv.flush()
}
