//! Dragonfly(a, h, g): g groups of a switches, fully connected within a group, h cables of each switch to other groups.
//!
//! (J. Kim, W. Dally, S. Scott, D. Abts, Technology-driven, Highly-scalable Dragonfly Topology, 2008.) Switch
//! `group*a + router`. Port `t = 0..g-2` of a group G leads to group `t` if t < G and to `t + 1` otherwise, and is on
//! router `t div h`: the consecutive arrangement, which BookSim uses. Diameter 3 for a > 1 and g > 2. Balanced with
//! `a = 2p = 2h`, p hosts on each switch.

use super::graph::MAX_SWITCHES;
use super::registry::Arguments;
use super::{Graph, TopologyError};
use crate::topology::Hosts;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    let a = arguments.count("a", 1, MAX_SWITCHES)?;
    let h = arguments.count("h", 1, MAX_SWITCHES)?;
    let most = a as u128 * h as u128 + 1;
    let g = match arguments.integer("g") {
        None => most,
        Some(g) => match u128::try_from(g).ok().filter(|g| (2..=most).contains(g)) {
            Some(g) => g,
            None => return Err(arguments.invalid("g", format!("it must be from 2 to a*h + 1 = {most}"))),
        },
    };
    if g * a as u128 > MAX_SWITCHES as u128 {
        return Err(arguments.invalid("a", format!("a*g must be at most {MAX_SWITCHES} switches")));
    }
    of(arguments, a, h, g as usize, hosts)
}

/// Builds the graph from checked sizes.
pub(super) fn of(arguments: &Arguments, a: usize, h: usize, g: usize, hosts: u32) -> Result<Graph, TopologyError> {
    let (a128, g128) = (a as u128, g as u128);
    arguments.limit_arcs(arguments.first(), g128 * (a128 * (a128 - 1) + g128 - 1))?;
    let mut cables = Vec::with_capacity(g * (a * (a - 1) + g - 1) / 2);
    for group in 0..g {
        for router in 0..a {
            cables.extend((router + 1..a).map(|other| ((group * a + router) as u32, (group * a + other) as u32)));
        }
        // For a later group, port t = later - 1 here meets port t = group there.
        let router = |port: usize| port / h;
        cables.extend(
            (group + 1..g).map(|later| ((group * a + router(later - 1)) as u32, (later * a + router(group)) as u32)),
        );
    }
    Ok(Graph::undirected(a * g, cables)?.with_hosts(Hosts::Everywhere(hosts)))
}
