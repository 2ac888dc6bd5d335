//! The fat tree of two levels from switches with k ports: k leaves, all connected to each of the spines.
//!
//! Half of the ports of a leaf lead to hosts and half to spines: k^2/2 hosts, k/2 spines. With `ratio = down:up` they
//! are divided in that proportion, so that `d = k*down/(down + up)` hosts share `k - d` spines: an oversubscribed
//! (tapered) tree. With `t` parallel cables from a leaf to each spine, k/t leaves share (k - d)/t spines: the tree for
//! fewer hosts from the same switches. Order: leaves, spines; hosts are attached to the leaves only.

use super::ratio::{split, trunk};
use crate::topology::family::Arguments;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    // k^2 arcs between switches are allowed, which also bounds hosts and switches.
    let k = arguments.count("k", 2, 5790)?;
    if k % 2 == 1 {
        return Err(arguments.invalid("k", "it must be even"));
    }
    let ports = split(arguments, k)?;
    let trunk = trunk(arguments, k, ports.up)?;
    let (leaves, spines) = (k / trunk, ports.up / trunk);
    arguments.limit_arcs("k", (2 * leaves * ports.up) as u128)?;
    let n = leaves + spines;
    arguments.limit_vertices("k", (leaves * ports.down + n) as u128)?;
    let ends = (0..leaves as u32).flat_map(|leaf| (leaves as u32..n as u32).map(move |spine| (leaf, spine)));
    let cables = ends.flat_map(|end| std::iter::repeat_n(end, trunk)).collect();
    let hosts = (0..n).map(|switch| if switch < leaves { ports.down as u32 } else { 0 }).collect();
    Ok(Graph::with_parallel_cables(n, false, cables)?.with_hosts(Hosts::OnSwitches(hosts)))
}
