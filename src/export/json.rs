//! `{"directed": false, "n": 4, "edges": [[0,1],...]}`, with `arcs` for one-way cables, and
//! `"hosts": [2,0,...]` or `"host_vertices": 6` where there is not one host on each switch.

use super::ExportError;
use super::format::without_parallel_cables;
use crate::topology::{Hosts, Topology};
use std::io::Write;

pub(super) fn write(topology: &Topology, out: &mut dyn Write) -> Result<(), ExportError> {
    super::format::with_one_port("json", topology)?;
    without_parallel_cables("json", topology)?;
    let graph = &topology.graph;
    let key = if graph.is_directed() { "arcs" } else { "edges" };
    write!(out, "{{\"directed\":{},\"n\":{},\"{key}\":[", graph.is_directed(), graph.switches())?;
    for (index, (from, to)) in graph.cable_ends().enumerate() {
        write!(out, "{}[{from},{to}]", if index == 0 { "" } else { "," })?;
    }
    write!(out, "]")?;
    match graph.hosts() {
        Hosts::Everywhere(1) => {}
        Hosts::Vertices(count) => write!(out, ",\"host_vertices\":{count}")?,
        _ => {
            let counts: Vec<String> = graph.default_hosts().iter().map(u32::to_string).collect();
            write!(out, ",\"hosts\":[{}]", counts.join(","))?;
        }
    }
    writeln!(out, "}}")?;
    Ok(())
}
