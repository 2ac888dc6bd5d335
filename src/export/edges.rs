//! A line `u v` for each cable, after a heading with the number of switches, the direction of cables, and the places of
//! hosts unless there is one on each switch.

use super::ExportError;
use super::format::without_parallel_cables;
use crate::topology::{Hosts, Topology};
use std::io::Write;

/// Longest list of hosts in the heading, in bytes: readers accept lines of 4,096 bytes.
const LONGEST_HEADER: usize = 4000;

pub(super) fn write(topology: &Topology, out: &mut dyn Write) -> Result<(), ExportError> {
    super::format::with_one_port("edges", topology)?;
    without_parallel_cables("edges", topology)?;
    let graph = &topology.graph;
    let kind = if graph.is_directed() { "directed" } else { "undirected" };
    let hosts = match graph.hosts() {
        Hosts::Everywhere(1) => String::new(),
        Hosts::Vertices(count) => format!(" host_vertices={count}"),
        _ => format!(" hosts={}", runs(&graph.default_hosts())),
    };
    if hosts.len() > LONGEST_HEADER {
        return Err(ExportError::Unfit {
            format: "edges",
            name: topology.name(),
            reason: "it takes too long a line to say which switches have how many hosts".into(),
            help: "use --to json or --to graphml",
        });
    }
    writeln!(out, "# {kind} n={}{hosts}", graph.switches())?;
    for (from, to) in graph.cable_ends() {
        writeln!(out, "{from} {to}")?;
    }
    Ok(())
}

/// `4*2,6*0`: 2 hosts on each of 4 switches, none on 6 more.
fn runs(hosts: &[u32]) -> String {
    let run = |run: &[u32]| format!("{}*{}", run.len(), run[0]);
    hosts.chunk_by(|a, b| a == b).map(run).collect::<Vec<_>>().join(",")
}
