//! Graphviz: `graph` with `--` for cables in both directions, `digraph` with `->` for one-way ones.

use super::ExportError;
use crate::topology::Topology;
use std::io::Write;

pub(super) fn write(topology: &Topology, out: &mut dyn Write) -> Result<(), ExportError> {
    super::format::with_one_port("dot", topology)?;
    let graph = &topology.graph;
    let (keyword, arrow) = if graph.is_directed() { ("digraph", "->") } else { ("graph", "--") };
    let name = topology.name().replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(out, "{keyword} \"{name}\" {{")?;
    for switch in 0..graph.switches() {
        writeln!(out, "  {switch};")?;
    }
    for (from, to) in graph.cable_ends() {
        writeln!(out, "  {from} {arrow} {to};")?;
    }
    writeln!(out, "}}")?;
    Ok(())
}
