//! Shortest paths with ties by a hash of the receiving host: destination-based spreading that is computed on demand.
//!
//! As with [`balanced`](super::balanced) the next hop depends on the destination alone, as in the forwarding tables of
//! InfiniBand, and hosts of one switch are reached over different links. There are no weights, so a route costs no more
//! than its own search, however large the network is; links are loaded as evenly as a random choice does.

use super::rule::HostNumbers;
use super::towards::Towards;
use super::{Ends, Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology, chosen, derived_seed};

/// Hashed with the host. The rule takes no seed: equal networks have equal routes.
const SALT: u64 = 0;

struct Hashed {
    hosts: HostNumbers,
    towards: Towards,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let hosts = HostNumbers::new(topology, options);
    Ok(Box::new(Hashed { hosts, towards: Towards::new(topology.graph.clone()) }))
}

/// Returns the index of the next hop at a switch, of `count`, by a hash of `key` and the switch.
pub(super) fn tie(key: u64, at: SwitchId, count: usize) -> usize {
    if count == 1 { 0 } else { chosen(derived_seed(key, u64::from(at.0)), count) }
}

impl Hashed {
    fn walk(&self, ends: &Ends, visit: impl FnMut(ArcId, usize, usize)) -> bool {
        let key = derived_seed(SALT, u64::from(ends.destination));
        self.towards.walk(ends.from, ends.to, |at, count| tie(key, at, count), visit)
    }
}

impl Routing for Hashed {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.walk(ends, |arc, _, _| arcs.push(arc))
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let mut reasons = Vec::new();
        self.walk(&self.hosts.first_of(from, to), |_, _, count| {
            reasons.push(format!("1 of {count} shortest next hops, by a hash of the receiving host"));
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
    fn the_next_hop_depends_on_the_destination_alone_and_hosts_spread() {
        let tree = topology("kary_ntree:8,2").unwrap();
        let routing = built("hashed", &tree, &Options::default());
        let spine = |leaf: u32, source, destination| {
            let (ends, mut arcs) =
                (Ends { from: SwitchId(8 + leaf), to: SwitchId(9), source, destination }, Vec::new());
            assert!(routing.route_between(&ends, &mut arcs));
            tree.graph.head(arcs[0])
        };
        let to: Vec<SwitchId> = (8..16).map(|destination| spine(0, 3, destination)).collect();
        assert!((8..16).zip(&to).all(|(destination, &by)| spine(0, 5, destination) == by));
        // Eight draws of eight: by chance all equal once in two million seeds.
        assert!(to.iter().any(|&by| by != to[0]));
    }
}
