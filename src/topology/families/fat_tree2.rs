//! The fat tree of two levels from switches with k ports: k leaves, all connected to each of the spines.
//!
//! Half of the ports of a leaf lead to hosts and half to spines: k^2/2 hosts, k/2 spines. With `ratio = down:up` they
//! are divided in that proportion, so that `d = k*down/(down + up)` hosts share `k - d` spines: an oversubscribed
//! (tapered) tree. Order: leaves, spines; hosts are attached to the leaves only.

use super::ratio::split;
use crate::topology::family::Arguments;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    // k^2 arcs between switches are allowed, which also bounds hosts and switches.
    let k = arguments.count("k", 2, 5790)?;
    if k % 2 == 1 {
        return Err(arguments.invalid("k", "it must be even"));
    }
    let ports = split(arguments, k)?;
    arguments.limit_arcs("k", (2 * k * ports.up) as u128)?;
    arguments.limit_vertices("k", (k * ports.down + k + ports.up) as u128)?;
    let n = k + ports.up;
    let cables = (0..k as u32).flat_map(|leaf| (k as u32..n as u32).map(move |spine| (leaf, spine)));
    let hosts = (0..n).map(|switch| if switch < k { ports.down as u32 } else { 0 }).collect();
    Ok(Graph::undirected(n, cables.collect())?.with_hosts(Hosts::OnSwitches(hosts)))
}
