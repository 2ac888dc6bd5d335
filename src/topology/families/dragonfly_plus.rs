//! Dragonfly+, or Megafly: groups of leaves and spines, whose spines have the cables to other groups.
//!
//! (A. Shpiner et al., Dragonfly+: Low Cost Topology for Scaling Datacenters, 2017; M. Flajslik, E. Borch, M. Parker,
//! Megafly: A Topology for Exascale Systems, 2018.) Within a group each of l leaves is joined to each of s spines. The
//! h cables of a spine lead to other groups in the arrangement of Dragonfly; t of them join each pair of groups. Switch
//! `group*(l + s) + i`, leaves before spines; hosts are attached to leaves only. Leaves of different groups are 3
//! hops apart. Balanced with p = l = s = h, half the ports of a switch: `(p^2 + 1)*p^2` hosts.

use super::dragonfly::{Groups, global_cables, trunk_and_groups};
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    let leaves = arguments.count("l", 1, MAX_SWITCHES)?;
    let spines = arguments.count("s", 1, MAX_SWITCHES)?;
    let h = arguments.count("h", 1, MAX_SWITCHES)?;
    let (trunk, g) = trunk_and_groups(arguments, "s*h", spines as u128 * h as u128)?;
    let size = leaves as u128 + spines as u128;
    let switches = size * g;
    if switches > MAX_SWITCHES as u128 {
        return Err(arguments.invalid("l", format!("(l + s)*g must be at most {MAX_SWITCHES} switches")));
    }
    arguments.limit_arcs("l", g * (2 * leaves as u128 * spines as u128 + (g - 1) * trunk as u128))?;
    let (g, size) = (g as u32, size as u32);
    let mut cables = Vec::new();
    for group in 0..g {
        let first = group * size;
        let (leaves, spines) = (first..first + leaves as u32, first + leaves as u32..first + size);
        cables.extend(leaves.flat_map(|leaf| spines.clone().map(move |spine| (leaf, spine))));
    }
    let groups = Groups { size, first: leaves as u32, global_ports: h as u32, trunk };
    global_cables(&groups, g, &mut cables);
    let counts = (0..g * size).map(|switch| if switch % size < leaves as u32 { hosts } else { 0 }).collect();
    let graph = Graph::with_parallel_cables(switches as usize, false, cables)?;
    Ok(graph.with_hosts(Hosts::OnSwitches(counts)))
}
