//! Every message over all shortest paths: at each switch in equal parts to all next hops that are one hop nearer.
//!
//! This is packet spraying in the limit of many small packets (A. Dixit, P. Prakash, Y. Hu and R. Kompella, On the Impact
//! of Packet Spraying in Data Center Networks, 2013), and what `mopsim throughput` calls splitting.

use super::hashed::tie;
use super::rule::HostNumbers;
use super::towards::Towards;
use super::{Chosen, Ends, Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, nearer};
use crate::topology::{ArcId, Topology, derived_seed};
use std::collections::BTreeMap;

/// Hashed with the pair of hosts for the one path that represents all.
const SALT: u64 = 0;

struct SplitRouting {
    hosts: HostNumbers,
    towards: Towards,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let hosts = HostNumbers::new(topology, options);
    Ok(Box::new(SplitRouting { hosts, towards: Towards::new(topology.graph.clone()) }))
}

impl SplitRouting {
    /// Visits the arcs of one of the paths, by a hash of the pair of hosts, each with the number of shortest next hops.
    fn walk(&self, ends: &Ends, mut visit: impl FnMut(ArcId, usize)) -> bool {
        let key = derived_seed(SALT, ends.pair());
        self.towards.walk(ends.from, ends.to, |at, count| tie(key, at, count), |arc, _, count| visit(arc, count))
    }
}

impl Routing for SplitRouting {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.walk(ends, |arc, _| arcs.push(arc))
    }

    fn chosen(&self) -> Chosen {
        Chosen::Split
    }

    fn parts(&self, ends: &Ends, parts: &mut Vec<(ArcId, f64)>) -> bool {
        let (from, to) = (ends.from, ends.to);
        let graph = self.towards.graph();
        self.towards.with_distances(from, to, |distance| {
            if distance[from.index()] == FAR {
                return false;
            }
            // All shortest paths have the same length, so the switches of one step are done before those of the next.
            // In the order of their numbers, so that sums are formed in one order.
            let mut here = BTreeMap::from([(from, 1.0)]);
            for _ in 0..distance[from.index()] {
                let mut next = BTreeMap::new();
                for (switch, whole) in here {
                    let ways = nearer(graph, distance, switch);
                    let part = whole / ways.clone().count() as f64;
                    for arc in ways {
                        parts.push((arc, part));
                        *next.entry(graph.head(arc)).or_insert(0.0) += part;
                    }
                }
                here = next;
            }
            true
        })
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let mut reasons = Vec::new();
        self.walk(&self.hosts.first_of(from, to), |_, count| {
            reasons.push(match count {
                1 => "the only shortest next hop".to_owned(),
                _ => format!("one of {count} shortest next hops, each of which gets an equal part"),
            });
        });
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::built;
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn parts_divide_at_every_switch_and_come_together() {
        // From 0 to (1, 2) of a 4 x 4 mesh: first half and half; of the half at (1, 0), which has a single next hop,
        // everything; of the half at (0, 1), half and half again.
        let mesh = topology("mesh:4x4").unwrap();
        let routing = built("split", &mesh, &Options::default());
        let ends = Ends { from: SwitchId(0), to: SwitchId(9), source: 0, destination: 9 };
        let mut parts = Vec::new();
        assert!(routing.parts(&ends, &mut parts));
        let named: Vec<(u32, u32, f64)> =
            parts.iter().map(|&(arc, part)| (mesh.graph.tail(arc).0, mesh.graph.head(arc).0, part)).collect();
        assert_eq!(
            named,
            [(0, 1, 0.5), (0, 4, 0.5), (1, 5, 0.5), (4, 5, 0.25), (4, 8, 0.25), (5, 9, 0.75), (8, 9, 0.25)]
        );
    }

    #[test]
    fn as_much_leaves_a_switch_as_came() {
        for spec in ["torus:4x4x4", "random:n=40,d=4,seed=2", "imase_itoh:n=64,d=6", "fat_tree3:4", "slimfly:q=5"] {
            let topology = topology(spec).unwrap();
            let routing = built("split", &topology, &Options::default());
            let n = topology.graph.switches() as u32;
            for (from, to) in (0..n).map(|from| (SwitchId(from), SwitchId((from * 17 + 5) % n))) {
                let mut parts = Vec::new();
                assert!(routing.parts(&Ends { from, to, source: 0, destination: 0 }, &mut parts));
                let mut surplus = vec![0.0; n as usize];
                for (arc, part) in parts {
                    surplus[topology.graph.tail(arc).index()] += part;
                    surplus[topology.graph.head(arc).index()] -= part;
                }
                surplus[from.index()] -= 1.0;
                surplus[to.index()] += 1.0;
                assert!(surplus.iter().all(|rest: &f64| rest.abs() < 1e-12), "{spec}: {from} {to}");
            }
        }
    }
}
