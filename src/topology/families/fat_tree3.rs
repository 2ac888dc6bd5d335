//! The fat tree of three levels from switches with k ports: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2
//! cores.
//!
//! (M. Al-Fares, A. Loukissas, A. Vahdat, A Scalable, Commodity Data Center Network Architecture, 2008.) Aggregation
//! switch y of each pod is connected to the cores `y*k/2` to `y*k/2 + k/2 - 1`. k^3/4 hosts. Order: edge, aggregation,
//! core switches; hosts are attached to the edge switches only, k/2 to each.

use super::registry::Arguments;
use super::{Graph, TopologyError};
use crate::topology::Hosts;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let k = arguments.count("k", 2, 404)?;
    if k % 2 == 1 {
        return Err(arguments.invalid("k", "it must be even"));
    }
    let half = k / 2;
    let (edge, core) = (k * half, half * half);
    arguments.limit_vertices("k", (edge * half + 2 * edge + core) as u128)?;
    let mut cables = Vec::with_capacity(2 * edge * half);
    for pod in 0..k {
        for x in 0..half {
            for y in 0..half {
                cables.push(((pod * half + x) as u32, (edge + pod * half + y) as u32));
                cables.push(((edge + pod * half + x) as u32, (2 * edge + x * half + y) as u32));
            }
        }
    }
    let n = 2 * edge + core;
    let hosts = (0..n).map(|switch| if switch < edge { half as u32 } else { 0 }).collect();
    Ok(Graph::undirected(n, cables)?.with_hosts(Hosts::OnSwitches(hosts)))
}
