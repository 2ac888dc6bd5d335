//! Up by the digits of the destination's number, then down: the common routing of fat trees.
//!
//! At each switch with several shortest next hops, the number of the destination host modulo the number of hops chooses
//! one; the quotient is passed on to the next switch. In a tree the choices are on the path up, and all messages to one
//! host meet at one root, while neighbouring hosts are reached through different ones. Shifts then meet no contention
//! in a full tree (E. Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
//! trees, CCIT Report 776, Technion, 2010). The rule needs distances only, so it works on any network.
//!
//! The quotient also chooses among parallel cables to the next switch, but is divided by the number of switches only. A
//! level uses the same quotient on the way down as on the way up, so hosts that are reached through the same root have
//! different cables, and shifts meet no contention in trees with parallel cables either.

use super::rule::HostNumbers;
use super::towards::Towards;
use super::{Ends, Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, nearer};
use crate::topology::{ArcId, Topology};

struct DModK {
    hosts: HostNumbers,
    towards: Towards,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let hosts = HostNumbers::new(topology, options);
    Ok(Box::new(DModK { hosts, towards: Towards::new(topology.graph.clone()) }))
}

impl DModK {
    /// Calls `visit` with each arc, the digit of the destination that chose it, and the number of choices. `false`, with
    /// nothing visited, if there is no path.
    fn walk(&self, ends: &Ends, mut visit: impl FnMut(ArcId, usize, usize)) -> bool {
        let graph = self.towards.graph();
        self.towards.with_distances(ends.from, ends.to, |distance| {
            let (mut at, mut left) = (ends.from, ends.destination as usize);
            let length = distance[at.index()];
            // Quotients that choose among parallel cables, one per level on the way up, the first half of a path between leaves.
            let mut upwards: Vec<usize> = Vec::new();
            let (mut ways, mut firsts) = (Vec::new(), Vec::new());
            while at != ends.to && distance[at.index()] != FAR {
                let hops_left = distance[at.index()];
                ways.clear();
                ways.extend(nearer(graph, distance, at));
                // Parallel cables are adjacent in the list.
                let is_first = |&way: &usize| way == 0 || graph.head(ways[way]) != graph.head(ways[way - 1]);
                firsts.clear();
                firsts.extend((0..ways.len()).filter(is_first));
                let (count, switches) = (ways.len(), firsts.len());
                let switch = left % switches;
                left /= switches;
                if 2 * hops_left > length {
                    upwards.push(left);
                }
                let parallel = firsts.get(switch + 1).copied().unwrap_or(count) - firsts[switch];
                let digit = firsts[switch] + upwards.get(hops_left as usize - 1).copied().unwrap_or(left) % parallel;
                let arc = ways[digit];
                visit(arc, digit, count);
                at = graph.head(arc);
            }
            at == ends.to
        })
    }
}

impl Routing for DModK {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.walk(ends, |arc, _, _| arcs.push(arc))
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let ends = self.hosts.first_of(from, to);
        let mut reasons = Vec::new();
        self.walk(&ends, |_, digit, count| {
            reasons.push(match count {
                1 => "the only shortest next hop".to_owned(),
                _ => format!("digit {digit} of host {}, base {count}", ends.destination),
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
    use std::collections::HashMap;

    /// In every shift of all hosts of a full tree, no two messages share a cable.
    #[test]
    fn shifts_do_not_contend_in_full_trees() {
        for spec in [
            "fat_tree2:8",
            "fat_tree3:4",
            "fat_tree3:8",
            "kary_ntree:k=3,n=3",
            "xgft:m=[4,4],w=[1,4]",
            "fat_tree2:k=8,t=2",
            "fat_tree2:k=8,t=4",
            "fat_tree3:k=8,t=2",
            "fat_tree3:k=8,t=4",
            "xgft:m=[4,4],w=[1,2],p=[1,2]",
            "xgft:m=[4,2,4],w=[1,2,4],p=[1,2,1]",
            "xgft:m=[4,4,2],w=[1,2,4],p=[1,2,2]",
        ] {
            let tree = topology(spec).unwrap();
            let routing = built("d_mod_k", &tree, &Options::default());
            let counts = tree.graph.default_hosts();
            let switch: Vec<u32> =
                (0..).zip(&counts).flat_map(|(switch, &count)| std::iter::repeat_n(switch, count as usize)).collect();
            let hosts = switch.len();
            for shift in 1..hosts {
                let mut load: HashMap<ArcId, u32> = HashMap::new();
                for from in 0..hosts {
                    let to = (from + shift) % hosts;
                    let mut arcs = Vec::new();
                    let [start, end] = [from, to].map(|host| SwitchId(switch[host]));
                    let ends = Ends { from: start, to: end, source: from as u32, destination: to as u32 };
                    assert!(routing.route_between(&ends, &mut arcs), "{spec}: {from} {to}");
                    arcs.into_iter().for_each(|arc| *load.entry(arc).or_default() += 1);
                }
                assert!(load.values().all(|&load| load == 1), "{spec}: shift {shift}");
            }
        }
    }
}
