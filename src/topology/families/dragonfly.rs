//! Dragonfly(a, h, g): g groups of a switches, fully connected within a group, h cables of each switch to other groups.
//!
//! (J. Kim, W. Dally, S. Scott, D. Abts, Technology-driven, Highly-scalable Dragonfly Topology, 2008.) Switch
//! `group*a + router`. Port `t = 0..g-2` of a group G leads to group `t` if t < G and to `t + 1` otherwise, and is on
//! router `t div h`: the consecutive arrangement, which BookSim uses. Diameter 3 for a > 1 and g > 2. Balanced with
//! `a = 2p = 2h`, p hosts on each switch.
//!
//! Trunks: `t` cables join each pair of groups, on the ports `t*port` and the following; those that meet the same two
//! switches are parallel cables. `l` parallel cables join each two switches of a group.

use crate::topology::family::{Arguments, CABINET};
use crate::topology::graph::{MAX_ARCS, MAX_SWITCHES};
use crate::topology::{Graph, Hosts, Spec, TopologyError};

/// Groups of switches, and the ends of the cables between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Groups {
    /// Switches in a group.
    pub size: u32,
    /// First switch of a group that has cables to other groups.
    pub first: u32,
    /// Cables of a switch to other groups.
    pub global_ports: u32,
    /// Cables between two groups.
    pub trunk: u32,
}

impl Groups {
    /// Returns the groups of a Dragonfly whose switches have cables of both kinds; `None` for other families.
    pub(crate) fn of(spec: &Spec) -> Option<Self> {
        let number = |name| spec.arguments().integer(name).and_then(|value| u32::try_from(value).ok());
        let (size, global_ports, trunk) = match spec.family().name {
            "dragonfly" => (number("a")?, number("h")?, number("t").unwrap_or(1)),
            "dragonfly_fc" => (number(CABINET.name)?, (number("c")? - 1).div_ceil(number(CABINET.name)?), 1),
            _ => return None,
        };
        Some(Self { size, first: 0, global_ports, trunk })
    }

    /// Returns the switch of a group with cable `nth` of those to another group.
    pub(crate) fn gate(&self, group: u32, other: u32, nth: u32) -> u32 {
        let port = if other < group { other } else { other - 1 };
        group * self.size + self.first + (port * self.trunk + nth) / self.global_ports
    }
}

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    let a = arguments.count("a", 1, MAX_SWITCHES)?;
    let h = arguments.count("h", 1, MAX_SWITCHES)?;
    let local = if arguments.get("l").is_some() { arguments.count("l", 1, 1024)? } else { 1 };
    let (trunk, g) = trunk_and_groups(arguments, "a*h", a as u128 * h as u128)?;
    if g * a as u128 > MAX_SWITCHES as u128 {
        return Err(arguments.invalid("a", format!("a*g must be at most {MAX_SWITCHES} switches")));
    }
    let groups = Groups { size: a as u32, first: 0, global_ports: h as u32, trunk };
    of(arguments, groups, g as u32, local, hosts)
}

/// Reads the number of cables between two groups and the number of groups; both are limited by the `ports` cables out
/// of a group, written as `rule`.
pub(super) fn trunk_and_groups(arguments: &Arguments, rule: &str, ports: u128) -> Result<(u32, u128), TopologyError> {
    let limit = ports.min(MAX_ARCS as u128);
    let trunk = match arguments.integer("t") {
        None => 1,
        Some(t) => match u128::try_from(t).ok().filter(|t| (1..=limit).contains(t)) {
            Some(t) => t,
            None if limit < ports => return Err(arguments.invalid("t", format!("it must be from 1 to {limit}"))),
            None => return Err(arguments.invalid("t", format!("it must be from 1 to {rule} = {ports}"))),
        },
    };
    let most = ports / trunk + 1;
    let divided = if trunk == 1 { String::new() } else { "/t".into() };
    match arguments.integer("g") {
        None => Ok((trunk as u32, most)),
        Some(g) => match u128::try_from(g).ok().filter(|g| (2..=most).contains(g)) {
            Some(g) => Ok((trunk as u32, g)),
            None => Err(arguments.invalid("g", format!("it must be from 2 to {rule}{divided} + 1 = {most}"))),
        },
    }
}

/// Appends the cables between groups.
pub(super) fn global_cables(groups: &Groups, g: u32, cables: &mut Vec<(u32, u32)>) {
    for group in 0..g {
        for later in group + 1..g {
            let pair = |nth| (groups.gate(group, later, nth), groups.gate(later, group, nth));
            cables.extend((0..groups.trunk).map(pair));
        }
    }
}

/// Builds the graph from checked sizes; `local` cables join two switches of a group.
pub(super) fn of(
    arguments: &Arguments,
    groups: Groups,
    g: u32,
    local: usize,
    hosts: u32,
) -> Result<Graph, TopologyError> {
    let (a, g128, local128) = (groups.size as u128, g as u128, local as u128);
    let arcs = g128 * (a * (a - 1) * local128 + (g128 - 1) * groups.trunk as u128);
    arguments.limit_arcs(arguments.first(), arcs)?;
    let mut cables = Vec::with_capacity(arcs as usize / 2);
    for switch in 0..g * groups.size {
        let end = (switch / groups.size + 1) * groups.size;
        cables.extend((switch + 1..end).flat_map(|other| std::iter::repeat_n((switch, other), local)));
    }
    global_cables(&groups, g, &mut cables);
    let graph = Graph::with_parallel_cables((g * groups.size) as usize, false, cables)?;
    Ok(graph.with_hosts(Hosts::Everywhere(hosts)))
}
