//! The fat tree of three levels from switches with k ports: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2
//! cores.
//!
//! (M. Al-Fares, A. Loukissas, A. Vahdat, A Scalable, Commodity Data Center Network Architecture, 2008.) Aggregation
//! switch y of each pod is connected to the cores `y*k/2` to `y*k/2 + k/2 - 1`. k^3/4 hosts. With
//! `ratio = down:up` the ports of an edge switch are divided in that proportion, so that `d = k*down/(down + up)`
//! hosts share u = k - d cables up: there are u aggregation switches in a pod and u*k/2 cores, and d*k^2/2 hosts.
//! With `t` parallel cables from an aggregation switch to each of its cores, there are k/t pods and u*k/(2t) cores.
//! Order: edge, aggregation, core switches; hosts are attached to the edge switches only.

use super::ratio::{split, trunk};
use crate::topology::family::Arguments;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let k = arguments.count("k", 2, 404)?;
    if k % 2 == 1 {
        return Err(arguments.invalid("k", "it must be even"));
    }
    let ports = split(arguments, k)?;
    let (half, up) = (k / 2, ports.up);
    let trunk = trunk(arguments, k, half)?;
    let (pods, cores) = (k / trunk, half / trunk);
    let (edge, aggregation, core) = (pods * half, pods * up, up * cores);
    arguments.limit_vertices("k", (edge * ports.down + edge + aggregation + core) as u128)?;
    let mut cables = Vec::with_capacity(2 * edge * up);
    for pod in 0..pods {
        for y in 0..up {
            let middle = (edge + pod * up + y) as u32;
            cables.extend((0..half).map(|x| ((pod * half + x) as u32, middle)));
            let above = (0..cores).map(|c| (middle, (edge + aggregation + y * cores + c) as u32));
            cables.extend(above.flat_map(|end| std::iter::repeat_n(end, trunk)));
        }
    }
    let n = edge + aggregation + core;
    let hosts = (0..n).map(|switch| if switch < edge { ports.down as u32 } else { 0 }).collect();
    Ok(Graph::with_parallel_cables(n, false, cables)?.with_hosts(Hosts::OnSwitches(hosts)))
}
