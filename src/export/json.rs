//! `{"directed": false, "n": 4, "edges": [[0,1],...]}`, with `arcs` for one-way cables.

use super::{ExportError, without_parallel_cables};
use crate::topology::Topology;
use std::io::Write;

pub(super) fn write(topology: &Topology, out: &mut dyn Write) -> Result<(), ExportError> {
    without_parallel_cables("json", topology)?;
    let graph = &topology.graph;
    let key = if graph.is_directed() { "arcs" } else { "edges" };
    write!(out, "{{\"directed\":{},\"n\":{},\"{key}\":[", graph.is_directed(), graph.switches())?;
    for (index, (from, to)) in graph.cable_ends().enumerate() {
        write!(out, "{}[{from},{to}]", if index == 0 { "" } else { "," })?;
    }
    writeln!(out, "]}}")?;
    Ok(())
}
