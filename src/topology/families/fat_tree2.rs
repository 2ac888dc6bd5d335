//! The fat tree of two levels from switches with k ports: k leaves with k/2 hosts each, all connected to k/2 spines.
//!
//! k^2/2 hosts. Order: leaves, spines; hosts are attached to the leaves only.

use super::registry::Arguments;
use super::{Graph, TopologyError};
use crate::topology::Hosts;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    // k^2 arcs between switches are allowed, which also bounds hosts and switches.
    let k = arguments.count("k", 2, 5790)?;
    if k % 2 == 1 {
        return Err(arguments.invalid("k", "it must be even"));
    }
    arguments.limit_arcs("k", (k * k) as u128)?;
    arguments.limit_vertices("k", (k * k / 2 + k + k / 2) as u128)?;
    let cables = (0..k as u32).flat_map(|leaf| (0..k as u32 / 2).map(move |spine| (leaf, k as u32 + spine)));
    let hosts = (0..k + k / 2).map(|switch| if switch < k { k as u32 / 2 } else { 0 }).collect();
    Ok(Graph::undirected(k + k / 2, cables.collect())?.with_hosts(Hosts::OnSwitches(hosts)))
}
