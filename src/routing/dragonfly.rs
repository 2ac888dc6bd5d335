//! Routing of Dragonflies by their groups: minimal, and through another group (Valiant).
//!
//! (J. Kim, W. Dally, S. Scott, D. Abts, Technology-driven, Highly-scalable Dragonfly Topology, 2008, section 4.) Of
//! several cables between two groups, a hash of the two switches chooses one. Minimal: a cable within the group to the router that has it, that cable, a
//! cable within the other group; the way by two such cables through a third group, which is shorter for some pairs, is
//! not taken. Valiant: first to a third group, minimally, and on from where that is entered; here each pair of
//! hosts has its group by a hash of the pair and the seed, so that routes are static. Pairs within a group go
//! straight.

use super::rule::HostNumbers;
use super::{Ends, Options, Routing, RoutingError, RoutingSpec, spread};
use crate::ids::SwitchId;
use crate::topology::families::dragonfly::Groups;
use crate::topology::{ArcId, Graph, Topology, chosen, derived_seed};
use std::sync::Arc;

struct DragonflyRouting {
    graph: Arc<Graph>,
    groups: u32,
    shape: Groups,
    /// The seed of the groups on the way, if there are any, and the numbers of hosts that it is hashed with.
    through: Option<(u64, HostNumbers)>,
}

pub(super) fn minimal(
    topology: &Topology,
    _options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    build("dragonfly", topology, None)
}

pub(super) fn valiant(topology: &Topology, seed: u64, hosts: HostNumbers) -> Result<Box<dyn Routing>, RoutingError> {
    build("valiant", topology, Some((seed, hosts)))
}

/// Returns whether the switches of a topology form the groups of a Dragonfly.
pub(super) fn has_groups(topology: &Topology) -> bool {
    Groups::of(&topology.spec).is_some()
}

fn build(
    name: &str,
    topology: &Topology,
    through: Option<(u64, HostNumbers)>,
) -> Result<Box<dyn Routing>, RoutingError> {
    let shape = Groups::of(&topology.spec).ok_or_else(|| {
        RoutingError::unsuitable(name, topology, "it is for dragonfly and dragonfly_fc, by their groups")
    })?;
    let groups = topology.graph.switches() as u32 / shape.size;
    Ok(Box::new(DragonflyRouting { graph: topology.graph.clone(), groups, shape, through }))
}

impl DragonflyRouting {
    fn group(&self, switch: u32) -> u32 {
        switch / self.shape.size
    }

    /// Calls `visit` with the two ends of each cable from a switch into a group, and returns where it is entered. Of
    /// several cables between two groups, `key` chooses one.
    fn enter(&self, from: u32, group: u32, key: u32, visit: &mut impl FnMut(u32, u32)) -> u32 {
        let here = self.group(from);
        if here == group {
            return from;
        }
        let nth = key % self.shape.trunk;
        let (out, into) = (self.shape.gate(here, group, nth), self.shape.gate(group, here, nth));
        if out != from {
            visit(from, out);
        }
        visit(out, into);
        into
    }

    /// The key of a route that chooses among the cables between two groups, and among parallel cables.
    fn key(&self, ends: &Ends) -> u32 {
        if self.shape.trunk > 1 || self.graph.has_parallel_cables() { spread(ends.from.0, ends.to.0) } else { 0 }
    }

    /// The ends of messages between the first hosts of two switches.
    fn first_of(&self, from: SwitchId, to: SwitchId) -> Ends {
        match &self.through {
            Some((_, hosts)) => hosts.first_of(from, to),
            None => Ends { from, to, source: 0, destination: 0 },
        }
    }

    /// Returns the intermediate group of two hosts, if there is one.
    fn between(&self, ends: &Ends) -> Option<u32> {
        let (from, to) = (self.group(ends.from.0), self.group(ends.to.0));
        let (seed, _) = self.through.as_ref().filter(|_| from != to && self.groups > 2)?;
        let choice = chosen(derived_seed(*seed, ends.pair()), self.groups as usize - 2) as u32;
        Some([from.min(to), from.max(to)].iter().fold(choice, |group, &end| group + u32::from(group >= end)))
    }

    fn walk(&self, ends: &Ends, mut visit: impl FnMut(u32, u32)) {
        let (mut at, to, key) = (ends.from.0, ends.to, self.key(ends));
        if let Some(group) = self.between(ends) {
            at = self.enter(at, group, key, &mut visit);
        }
        at = self.enter(at, self.group(to.0), key, &mut visit);
        if at != to.0 {
            visit(at, to.0);
        }
    }
}

impl Routing for DragonflyRouting {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        let key = self.key(ends);
        let find = |u, v| self.graph.find_parallel_arc(SwitchId(u), SwitchId(v), key);
        let cable = |u, v| find(u, v).expect("groups are joined, and routers in them");
        self.walk(ends, |u, v| arcs.push(cable(u, v)));
        true
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let ends = self.first_of(from, to);
        let between = self.between(&ends);
        let mut reasons = Vec::new();
        self.walk(&ends, |u, v| {
            let (here, there) = (self.group(u), self.group(v));
            reasons.push(match between {
                _ if here == there => format!("within group {here}"),
                Some(group) if group == there => format!("group {here} to group {there}, chosen by hash"),
                _ => format!("group {here} to group {there}"),
            });
        });
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, path};
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn a_route_crosses_groups_as_seldom_as_it_may() {
        // 9 groups of 4 routers with 2 global cables each: 5 is in group 1, 1 in group 0.
        let network = topology("dragonfly:a=4,h=2").unwrap();
        let routing = built("dragonfly", &network, &Options::default());
        // Port 0 of group 1 leads to group 0 and is on router 4, that of group 0 to group 1 on router 0.
        assert_eq!(path(&network.graph, &*routing, 5, 1).unwrap(), [5, 4, 0, 1]);
        assert_eq!(path(&network.graph, &*routing, 4, 0).unwrap(), [4, 0]);
        assert_eq!(path(&network.graph, &*routing, 4, 7).unwrap(), [4, 7]);
        let groups = |path: &[u32]| {
            let mut groups: Vec<u32> = path.iter().map(|switch| switch / 4).collect();
            groups.dedup();
            groups
        };
        let detour = built("valiant", &network, &Options { seed: 1, ..Options::default() });
        let mut seen = vec![0; 9];
        for from in 0..36 {
            for to in 0..36 {
                let straight = groups(&path(&network.graph, &*routing, from, to).unwrap());
                assert_eq!(straight.len(), if from / 4 == to / 4 { 1 } else { 2 });
                let way = path(&network.graph, &*detour, from, to).unwrap();
                assert!(way.len() <= 6, "{way:?}");
                match groups(&way)[..] {
                    [group] => assert_eq!((group, group), (from / 4, to / 4)),
                    [first, between, last] => {
                        assert!(first != between && between != last && first != last);
                        seen[between as usize] += 1;
                    }
                    _ => panic!("{way:?}"),
                }
            }
        }
        // 36 * 32 pairs, a ninth of them through each group; the standard deviation is below 11.
        assert!(seen.iter().all(|&pairs| (128 - 36..128 + 36).contains(&pairs)), "{seen:?}");
    }

    #[test]
    fn small_and_other_networks() {
        // With two groups there is none between them.
        for spec in ["dragonfly:a=3,h=1,g=2", "dragonfly_fc:2,2", "dragonfly:a=1,h=1"] {
            let network = topology(spec).unwrap();
            let [one, two] = ["dragonfly", "valiant"].map(|name| built(name, &network, &Options::default()));
            let n = network.graph.switches() as u32;
            for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
                let way = path(&network.graph, &*one, from, to);
                assert!(way.is_some() && way == path(&network.graph, &*two, from, to), "{spec}");
            }
        }
        let torus = topology("torus:4x4").unwrap();
        let spec: RoutingSpec = "dragonfly".parse().unwrap();
        let error = spec.build(&torus, &Options::default()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`dragonfly` does not fit topology `torus:dims=4x4`"), "{error}");
    }
}
