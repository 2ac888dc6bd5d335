//! A line `u v` for each cable, after a heading that says the number of switches and whether cables are one-way.

use super::{ExportError, without_parallel_cables};
use crate::topology::Topology;
use std::io::Write;

pub(super) fn write(topology: &Topology, out: &mut dyn Write) -> Result<(), ExportError> {
    without_parallel_cables("edges", topology)?;
    let graph = &topology.graph;
    let kind = if graph.is_directed() { "directed" } else { "undirected" };
    writeln!(out, "# {kind} n={}", graph.switches())?;
    for (from, to) in graph.cable_ends() {
        writeln!(out, "{from} {to}")?;
    }
    Ok(())
}
