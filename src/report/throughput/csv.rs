//! A line for each answer.

use super::ThroughputReport;
use crate::report::csv::{Column, lines, optional};
use crate::throughput::Cell;
use crate::throughput::bounds::Concurrent;
use crate::throughput::load::Distribution;
use std::io::{self, Write};

/// The first line of each file.
pub(in crate::report) fn headings() -> String {
    COLUMNS.iter().map(|(heading, _)| *heading).collect::<Vec<_>>().join(",")
}

const COLUMNS: &[Column<Cell>] = &[
    ("network", |cell| cell.network.clone()),
    ("topology", |cell| cell.topology.clone()),
    ("topology_seed", |cell| optional(cell.topology_seed)),
    ("pattern", |cell| cell.pattern.clone()),
    ("pattern_seed", |cell| optional(cell.pattern_seed)),
    ("routing", |cell| cell.routing.clone()),
    ("routing_seed", |cell| optional(cell.routing_seed)),
    ("switches", |cell| cell.switches.to_string()),
    ("endpoints", |cell| cell.endpoints.to_string()),
    ("senders", |cell| cell.senders.to_string()),
    ("flows", |cell| cell.flows.to_string()),
    ("flows_to_self", |cell| cell.flows_to_self.to_string()),
    ("saturation", |cell| optional(cell.saturation)),
    ("network_saturation", |cell| optional(cell.network_saturation)),
    ("saturation_bytes_per_second", |cell| optional(cell.saturation_bytes_per_second)),
    ("fair_min", |cell| fair(cell, |level| level.min)),
    ("fair_p5", |cell| fair(cell, |level| level.p5)),
    ("fair_median", |cell| fair(cell, |level| level.median)),
    ("fair_p95", |cell| fair(cell, |level| level.p95)),
    ("fair_max", |cell| fair(cell, |level| level.max)),
    ("fair_mean", |cell| fair(cell, |level| level.mean)),
    ("fair_accepted", |cell| optional(cell.fair.as_ref().map(|fair| fair.accepted))),
    ("max_link_load", |cell| cell.link_load.max.to_string()),
    ("mean_link_load", |cell| cell.link_load.mean.to_string()),
    ("fullest_links", |cell| cell.fullest_links.to_string()),
    ("mean_hops", |cell| cell.zero_load.mean_hops.to_string()),
    ("max_hops", |cell| cell.zero_load.max_hops.to_string()),
    ("latency_mean_seconds", |cell| cell.zero_load.mean.to_string()),
    ("latency_max_seconds", |cell| cell.zero_load.max.to_string()),
    ("latency_mean_seconds_without_cables", |cell| cell.zero_load.bare_mean.to_string()),
    ("latency_max_seconds_without_cables", |cell| cell.zero_load.bare_max.to_string()),
    ("bound_host_links", |cell| optional(cell.bounds.host_links)),
    ("bound_path_length", |cell| optional(cell.bounds.path_length)),
    ("bound_cut", |cell| optional(cell.bounds.cut)),
    ("bound_all_paths_lower", |cell| optional(concurrent(cell).map(|found| found.lower))),
    ("bound_all_paths_upper", |cell| optional(concurrent(cell).map(|found| found.upper))),
    ("bound_all_paths_method", |cell| optional(concurrent(cell).map(|found| found.method))),
    ("share_of_bound", |cell| optional(cell.share_of_bound)),
    ("routing_kind", |cell| cell.routing_kind.to_owned()),
];

/// A part of the distribution of fair rates, if there is one.
fn fair(cell: &Cell, part: fn(&Distribution) -> f64) -> String {
    optional(cell.fair.as_ref().map(|fair| part(&fair.level)))
}

/// The bound over all paths, if it was asked for.
fn concurrent(cell: &Cell) -> Option<&Concurrent> {
    cell.bounds.concurrent.as_ref()
}

/// Writes the answers.
pub(in crate::report) fn write(report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
    lines(COLUMNS, &report.cells, out)
}
