//! Up by the digits of the destination's number, then down: the usual routing of fat trees.
//!
//! At each switch with several shortest next hops the number of the destination host, modulo the number of hops, says
//! which one; the quotient goes on to the next switch. In a tree the choices are on the way up, and all messages to one
//! host come together at one root, while hosts next to each other are reached through different ones. Shifts then meet
//! no contention in a full tree (E. Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on
//! real life fat trees, CCIT Report 776, Technion, 2010). The rule needs distances only, so that it works on any
//! network.

use super::towards::Towards;
use super::{Options, Routing, RoutingError};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology};

struct DModK {
    /// The first host of each switch, as hosts are numbered where they hang by default.
    first_host: Vec<u32>,
    towards: Towards,
}

pub(super) fn build(topology: &Topology, _options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    let first_host = topology
        .graph
        .default_hosts()
        .into_iter()
        .scan(0_u32, |next, count| Some(std::mem::replace(next, next.saturating_add(count))))
        .collect();
    Ok(Box::new(DModK { first_host, towards: Towards::new(topology.graph.clone()) }))
}

impl DModK {
    /// Calls `visit` with each arc, the digit of the destination that chose it, and among how many.
    fn walk(&self, from: SwitchId, to: SwitchId, host: u32, visit: impl FnMut(ArcId, usize, usize)) -> bool {
        let mut left = host as usize;
        let choose = |_, count| {
            let digit = left % count;
            left /= count;
            digit
        };
        self.towards.walk(from, to, choose, visit)
    }
}

impl Routing for DModK {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_to_host(from, to, self.first_host[to.index()], arcs)
    }

    fn route_to_host(&self, from: SwitchId, to: SwitchId, host: u32, arcs: &mut Vec<ArcId>) -> bool {
        self.walk(from, to, host, |arc, _, _| arcs.push(arc))
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let host = self.first_host[to.index()];
        let mut reasons = Vec::new();
        self.walk(from, to, host, |_, digit, count| {
            reasons.push(match count {
                1 => "the only shortest next hop".to_owned(),
                _ => format!("digit {digit} of host {host}, base {count}"),
            });
        });
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build as topology;
    use std::collections::HashMap;

    /// Every shift of all hosts of a full tree meets no cable twice.
    #[test]
    fn shifts_do_not_contend_in_full_trees() {
        for spec in ["fat_tree2:8", "fat_tree3:4", "fat_tree3:8", "kary_ntree:k=3,n=3", "xgft:m=[4,4],w=[1,4]"] {
            let tree = topology(spec).unwrap();
            let routing = build(&tree, &Options::default()).unwrap();
            let counts = tree.graph.default_hosts();
            let switch: Vec<u32> =
                (0..).zip(&counts).flat_map(|(switch, &count)| std::iter::repeat_n(switch, count as usize)).collect();
            let hosts = switch.len();
            for shift in 1..hosts {
                let mut load: HashMap<ArcId, u32> = HashMap::new();
                for from in 0..hosts {
                    let to = (from + shift) % hosts;
                    let mut arcs = Vec::new();
                    let ends = [from, to].map(|host| SwitchId(switch[host]));
                    assert!(routing.route_to_host(ends[0], ends[1], to as u32, &mut arcs), "{spec}: {from} {to}");
                    arcs.into_iter().for_each(|arc| *load.entry(arc).or_default() += 1);
                }
                assert!(load.values().all(|&load| load == 1), "{spec}: shift {shift}");
            }
        }
    }
}
