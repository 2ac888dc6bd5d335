//! GraphML: nodes `n0`, `n1`, ... and an edge for each cable, parallel ones included. Nodes have `hosts`, or the graph
//! `host_vertices`, where there is not one host on each switch.

use super::ExportError;
use super::format::escaped;
use crate::topology::{Hosts, Topology};
use std::io::Write;

pub(super) fn write(topology: &Topology, out: &mut dyn Write) -> Result<(), ExportError> {
    super::format::with_one_port("graphml", topology)?;
    let graph = &topology.graph;
    let kind = if graph.is_directed() { "directed" } else { "undirected" };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    let hosts = graph.hosts();
    match hosts {
        Hosts::Everywhere(1) => {}
        Hosts::Vertices(_) => {
            writeln!(out, "  <key id=\"v\" for=\"graph\" attr.name=\"host_vertices\" attr.type=\"int\"/>")?;
        }
        _ => writeln!(out, "  <key id=\"h\" for=\"node\" attr.name=\"hosts\" attr.type=\"int\"/>")?,
    }
    writeln!(out, "  <graph id=\"{}\" edgedefault=\"{kind}\">", escaped(&topology.name()))?;
    if let Hosts::Vertices(count) = hosts {
        writeln!(out, "    <data key=\"v\">{count}</data>")?;
    }
    let said = !matches!(hosts, Hosts::Everywhere(1) | Hosts::Vertices(_));
    for (switch, count) in graph.default_hosts().into_iter().enumerate() {
        match said {
            true => writeln!(out, "    <node id=\"n{switch}\"><data key=\"h\">{count}</data></node>")?,
            false => writeln!(out, "    <node id=\"n{switch}\"/>")?,
        }
    }
    for (from, to) in graph.cable_ends() {
        writeln!(out, "    <edge source=\"n{from}\" target=\"n{to}\"/>")?;
    }
    writeln!(out, "  </graph>\n</graphml>")?;
    Ok(())
}
