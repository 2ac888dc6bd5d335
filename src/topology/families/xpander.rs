//! Xpander: a random lift of the complete graph of d + 1 vertices.
//!
//! (A. Valadarsky, G. Shahaf, M. Dinitz, M. Schapira, Xpander: Towards Optimal-Performance Datacenters, 2016.) Each
//! vertex of the complete graph becomes a meta-node of k switches without cables among them, and each of its edges a
//! random perfect matching between two meta-nodes. Switch i of meta-node m has the number `m*k + i`; all degrees are d.
//! Ten instances are drawn in turn until one is connected.

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, Randomness, TopologyError, derived_seed};

/// Number of instances to try.
const INSTANCES: u64 = 10;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    let d = arguments.count("d", 2, MAX_SWITCHES)?;
    let k = arguments.count("k", 1, MAX_SWITCHES)?;
    let switches = (d as u128 + 1) * k as u128;
    if switches > MAX_SWITCHES as u128 {
        let rule = format!("(d + 1)*k = {switches} switches are too many; the limit is {MAX_SWITCHES}");
        return Err(arguments.invalid("k", rule));
    }
    arguments.limit_arcs("d", switches * d as u128)?;
    let seed = arguments.seed().expect("the seed has a default");
    for instance in 0..INSTANCES {
        let mut random = Randomness::new(derived_seed(seed, instance));
        let mut cables = Vec::with_capacity(switches as usize * d / 2);
        let mut matching: Vec<u32> = (0..k as u32).collect();
        for node in 0..=d {
            for other in node + 1..=d {
                random.shuffle(&mut matching);
                let ends = (0..).zip(&matching);
                cables.extend(ends.map(|(i, &j): (u32, _)| ((node * k) as u32 + i, (other * k) as u32 + j)));
            }
        }
        let graph = Graph::undirected(switches as usize, cables)?;
        if graph.is_connected() {
            return Ok(graph.with_hosts(Hosts::Everywhere(hosts)));
        }
    }
    Err(TopologyError::Unbuildable {
        topology: crate::topology::family::canonical(arguments),
        reason: format!("none of {INSTANCES} random instances is connected"),
    })
}
