//! GraphML: nodes `n0`, `n1`, ... and an edge for each cable, parallel ones included.

use super::{ExportError, escaped};
use crate::topology::Topology;
use std::io::Write;

pub(super) fn write(topology: &Topology, out: &mut dyn Write) -> Result<(), ExportError> {
    let graph = &topology.graph;
    let kind = if graph.is_directed() { "directed" } else { "undirected" };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    writeln!(out, "  <graph id=\"{}\" edgedefault=\"{kind}\">", escaped(&topology.name()))?;
    for switch in 0..graph.switches() {
        writeln!(out, "    <node id=\"n{switch}\"/>")?;
    }
    for (from, to) in graph.cable_ends() {
        writeln!(out, "    <edge source=\"n{from}\" target=\"n{to}\"/>")?;
    }
    writeln!(out, "  </graph>\n</graphml>")?;
    Ok(())
}
