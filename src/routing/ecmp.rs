//! Equal-cost multi-path: at every switch one of the shortest next hops, by a hash.
//!
//! Real switches hash the addresses of a flow, so the hosts of a switch spread over its equal links. The hash takes the
//! pair of hosts; with `by=flow` also the pair of ranks, as where each pair of processes has a connection (a queue
//! pair) of its own; with `by=switches` the pair of switches alone. It also takes the seed and the switch. Without the
//! switch, all switches with equal numbers of hops would make the same choice, and messages that met once would never
//! part (equal hashes polarise traffic).

use super::rule::HostNumbers;
use super::spec::BY_FLOW;
use super::towards::Towards;
use super::{Chosen, Ends, Message, Options, Routing, RoutingError, RoutingSpec, Scope};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology, chosen, derived_seed};

struct Ecmp {
    seed: u64,
    by_switches: bool,
    by_flow: bool,
    hosts: HostNumbers,
    towards: Towards,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(Ecmp {
        seed: options.seed,
        by_switches: spec.scope() == Scope::Switches,
        by_flow: spec.value("by") == BY_FLOW,
        hosts: HostNumbers::new(topology, options),
        towards: Towards::new(topology.graph.clone()),
    }))
}

impl Ecmp {
    fn walk(&self, ends: &Ends, stream: u64, visit: impl FnMut(ArcId, usize, usize)) -> bool {
        let pair = if self.by_switches { u64::from(ends.from.0) << 32 | u64::from(ends.to.0) } else { ends.pair() };
        let key = derived_seed(self.seed, pair);
        let key = if self.by_flow { derived_seed(key, stream) } else { key };
        let choose = |at: SwitchId, count: usize| chosen(derived_seed(key, u64::from(at.0)), count);
        self.towards.walk(ends.from, ends.to, choose, visit)
    }
}

impl Routing for Ecmp {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.walk(ends, 0, |arc, _, _| arcs.push(arc))
    }

    fn chosen(&self) -> Chosen {
        if self.by_flow { Chosen::PerMessage } else { Chosen::Once }
    }

    fn choose(
        &self,
        ends: &Ends,
        message: Message,
        _load: &mut dyn FnMut(ArcId) -> u32,
        arcs: &mut Vec<ArcId>,
    ) -> bool {
        self.walk(ends, message.stream, |arc, _, _| arcs.push(arc))
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let mut reasons = Vec::new();
        self.walk(&self.hosts.first_of(from, to), 0, |_, _, count| {
            reasons.push(format!("1 of {count} shortest next hops, by hash"));
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
    fn a_pair_keeps_its_way_and_pairs_spread() {
        let mesh = topology("hyperx:4x4").unwrap();
        let of = |seed| built("ecmp", &mesh, &Options { seed, ..Options::default() });
        let (one, same, other) = (of(1), of(1), of(2));
        let route = |routing: &dyn Routing, to| path(&mesh.graph, routing, 0, to).unwrap();
        assert!((0..16).all(|to| route(&*one, to) == route(&*same, to)));
        assert!((0..16).any(|to| route(&*one, to) != route(&*other, to)));
    }

    #[test]
    fn hosts_of_a_switch_spread_and_so_do_their_flows() {
        // 64 pairs of hosts between two leaves of eight hosts, over eight spines.
        let tree = topology("kary_ntree:8,2").unwrap();
        let (from, to) = (SwitchId(8), SwitchId(9));
        let first = |routing: &dyn Routing, source, destination, stream| {
            let (ends, mut arcs) = (Ends { from, to, source, destination }, Vec::new());
            let message = Message { stream, sequence: 0 };
            assert!(routing.choose(&ends, message, &mut |_| 0, &mut arcs));
            arcs[0]
        };
        let pairs = || (0..8).flat_map(|source| (8..16).map(move |destination| (source, destination)));
        let distinct = |mut arcs: Vec<ArcId>| {
            arcs.sort_unstable();
            arcs.dedup();
            arcs.len()
        };
        for (text, of_pairs, of_flows) in [("ecmp:by=switches", 1, 1), ("ecmp", 8, 1), ("ecmp:by=flow", 8, 8)] {
            let routing = built(text, &tree, &Options { seed: 1, ..Options::default() });
            assert_eq!(distinct(pairs().map(|(s, d)| first(&*routing, s, d, 0)).collect()), of_pairs, "{text}");
            assert_eq!(distinct((0..64).map(|stream| first(&*routing, 0, 8, stream)).collect()), of_flows, "{text}");
        }
    }
}
