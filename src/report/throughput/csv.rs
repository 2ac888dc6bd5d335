//! CSV form of throughput: a line per result.

use super::{ModelOfThroughput, ThroughputReport};
use crate::report::csv::{Column, lines, optional};
use crate::throughput::Cell;
use crate::throughput::bounds::Concurrent;
use crate::throughput::load::Distribution;
use std::io::{self, Write};

/// Beginning of the first line of each file, which is the same in all versions.
pub(in crate::report) const HEADINGS: &str = "network,topology,topology_seed,pattern,pattern_seed,routing,routing_seed,switches,\
                                              endpoints,senders,flows,flows_to_self";

/// A result, and its assumptions.
type Row<'r> = (&'r Cell, &'r ModelOfThroughput);

fn columns<'r>() -> Vec<Column<Row<'r>>> {
    vec![
        ("network", |(cell, _)| cell.network.clone()),
        ("topology", |(cell, _)| cell.topology.clone()),
        ("topology_seed", |(cell, _)| optional(cell.topology_seed)),
        ("pattern", |(cell, _)| cell.pattern.clone()),
        ("pattern_seed", |(cell, _)| optional(cell.pattern_seed)),
        ("routing", |(cell, _)| cell.routing.clone()),
        ("routing_seed", |(cell, _)| optional(cell.routing_seed)),
        ("switches", |(cell, _)| cell.switches.to_string()),
        ("endpoints", |(cell, _)| cell.endpoints.to_string()),
        ("senders", |(cell, _)| cell.senders.to_string()),
        ("flows", |(cell, _)| cell.flows.to_string()),
        ("flows_to_self", |(cell, _)| cell.flows_to_self.to_string()),
        ("saturation", |(cell, _)| optional(cell.saturation)),
        ("network_saturation", |(cell, _)| optional(cell.network_saturation)),
        ("saturation_bytes_per_second", |(cell, _)| optional(cell.saturation_bytes_per_second)),
        ("fair_min", |(cell, _)| fair(cell, |level| level.min)),
        ("fair_p5", |(cell, _)| fair(cell, |level| level.p5)),
        ("fair_median", |(cell, _)| fair(cell, |level| level.median)),
        ("fair_p95", |(cell, _)| fair(cell, |level| level.p95)),
        ("fair_max", |(cell, _)| fair(cell, |level| level.max)),
        ("fair_mean", |(cell, _)| fair(cell, |level| level.mean)),
        ("fair_accepted", |(cell, _)| optional(cell.fair.as_ref().map(|fair| fair.accepted))),
        ("max_link_load", |(cell, _)| cell.link_load.max.to_string()),
        ("mean_link_load", |(cell, _)| cell.link_load.mean.to_string()),
        ("fullest_links", |(cell, _)| cell.fullest_links.to_string()),
        ("mean_hops", |(cell, _)| cell.zero_load.mean_hops.to_string()),
        ("max_hops", |(cell, _)| cell.zero_load.max_hops.to_string()),
        ("latency_mean_seconds", |(cell, _)| cell.zero_load.mean.to_string()),
        ("latency_max_seconds", |(cell, _)| cell.zero_load.max.to_string()),
        ("latency_mean_seconds_without_cables", |(cell, _)| cell.zero_load.bare_mean.to_string()),
        ("latency_max_seconds_without_cables", |(cell, _)| cell.zero_load.bare_max.to_string()),
        ("bound_host_links", |(cell, _)| optional(cell.bounds.host_links)),
        ("bound_path_length", |(cell, _)| optional(cell.bounds.path_length)),
        ("bound_cut", |(cell, _)| optional(cell.bounds.cut)),
        ("bound_all_paths_lower", |(cell, _)| optional(concurrent(cell).map(|found| found.lower))),
        ("bound_all_paths_upper", |(cell, _)| optional(concurrent(cell).map(|found| found.upper))),
        ("bound_all_paths_method", |(cell, _)| optional(concurrent(cell).map(|found| found.method))),
        ("share_of_bound", |(cell, _)| optional(cell.share_of_bound)),
        ("routing_kind", |(cell, _)| cell.routing_kind.to_owned()),
        ("defaults", |(_, model)| model.defaults.to_owned()),
        ("spec", |(cell, _)| cell.spec.clone()),
        ("family", |(cell, _)| cell.family.to_owned()),
        ("hosts", |(cell, _)| cell.hosts.to_string()),
        ("duplex", |(_, model)| model.duplex.to_owned()),
    ]
}

/// Formats a part of the distribution of fair rates, if there is one.
fn fair(cell: &Cell, part: fn(&Distribution) -> f64) -> String {
    optional(cell.fair.as_ref().map(|fair| part(&fair.level)))
}

/// Returns the bound over all paths, if it was requested.
fn concurrent(cell: &Cell) -> Option<&Concurrent> {
    cell.bounds.concurrent.as_ref()
}

/// Writes the results.
pub(in crate::report) fn write(report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<Row<'_>> = report.cells.iter().map(|cell| (cell, &report.model)).collect();
    lines(&columns(), &rows, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_begin_with_their_mark() {
        let headings: Vec<&str> = columns().iter().map(|(heading, _)| *heading).collect();
        assert!(headings.join(",").starts_with(&format!("{HEADINGS},")), "{headings:?}");
    }
}
