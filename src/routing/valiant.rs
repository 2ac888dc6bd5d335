//! Valiant's routing: minimally to a random intermediate switch, and minimally on to the destination.
//!
//! It makes any traffic look like uniform traffic, at up to twice the hops (L. Valiant, A Scheme for Fast Parallel
//! Communication, 1982). The intermediate switch of each pair of hosts is chosen by a hash of the pair and the seed, so
//! that routes are static. Dragonflies have a rule of their own, which goes through a random group.

use super::dragonfly;
use super::hashed::tie;
use super::rule::HostNumbers;
use super::towards::Towards;
use super::{Ends, Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology, chosen, derived_seed};

/// Number of intermediate switches that are tried if some cannot be reached, as on one-way networks that are not
/// strongly connected; then the message takes a minimal path.
const TRIES: u64 = 8;

struct Valiant {
    seed: u64,
    hosts: HostNumbers,
    towards: Towards,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let hosts = HostNumbers::new(topology, options);
    if dragonfly::has_groups(topology) {
        return dragonfly::valiant(topology, options.seed, hosts);
    }
    Ok(Box::new(Valiant { seed: options.seed, hosts, towards: Towards::new(topology.graph.clone()) }))
}

/// Appends the arcs from one switch to another along shortest paths, ties by a hash of `key`; `false`, with nothing
/// appended, if there is no path.
pub(super) fn minimal(towards: &Towards, (from, to): (SwitchId, SwitchId), key: u64, arcs: &mut Vec<ArcId>) -> bool {
    towards.walk(from, to, |at, count| tie(key, at, count), |arc, _, _| arcs.push(arc))
}

/// Returns an intermediate switch by a hash: neither of the ends, all others equally likely; `None` if there is no other.
pub(super) fn between(switches: usize, ends: &Ends, hash: u64) -> Option<SwitchId> {
    let mut taken = [ends.from.0.min(ends.to.0), ends.from.0.max(ends.to.0)];
    let ends = if taken[0] == taken[1] { &mut taken[..1] } else { &mut taken[..] };
    let others = switches.checked_sub(ends.len()).filter(|&others| others > 0)?;
    let choice = chosen(hash, others) as u32;
    Some(SwitchId(ends.iter().fold(choice, |switch, &end| switch + u32::from(switch >= end))))
}

/// Appends the arcs from one end to the other via a switch; `false`, with nothing appended, if there is no path.
pub(super) fn through(towards: &Towards, ends: &Ends, switch: SwitchId, key: u64, arcs: &mut Vec<ArcId>) -> bool {
    let start = arcs.len();
    let found = minimal(towards, (ends.from, switch), key, arcs) && minimal(towards, (switch, ends.to), key, arcs);
    if !found {
        arcs.truncate(start);
    }
    found
}

impl Valiant {
    /// Returns the intermediate switch of a pair of hosts, `None` if its messages take minimal paths.
    fn intermediate(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> Option<SwitchId> {
        if ends.from == ends.to {
            return None;
        }
        let key = derived_seed(self.seed, ends.pair());
        (0..TRIES).find_map(|attempt| {
            let switch = between(self.towards.graph().switches(), ends, derived_seed(key, attempt))?;
            through(&self.towards, ends, switch, key, arcs).then_some(switch)
        })
    }
}

impl Routing for Valiant {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.intermediate(ends, arcs).is_some()
            || minimal(&self.towards, (ends.from, ends.to), derived_seed(self.seed, ends.pair()), arcs)
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let intermediate = self.intermediate(&self.hosts.first_of(from, to), &mut Vec::new());
        let Some(switch) = intermediate else { return vec!["minimal".to_owned(); arcs.len()] };
        let graph = self.towards.graph();
        // Up to the first visit; a path may visit it again.
        let before = arcs.iter().position(|&arc| graph.head(arc) == switch).map_or(0, |at| at + 1);
        let reason = |hop: usize| {
            if hop < before {
                format!("towards switch {switch}, chosen by hash")
            } else {
                format!("on from switch {switch}")
            }
        };
        (0..arcs.len()).map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, path};
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn intermediate_switches_are_all_others_equally_often() {
        let mut seen = [0; 6];
        let ends = Ends { from: SwitchId(4), to: SwitchId(1), source: 0, destination: 0 };
        (0..4000).for_each(|k| seen[between(6, &ends, derived_seed(9, k)).unwrap().index()] += 1);
        // Binomial with mean 1000 and standard deviation 27.
        assert!([0, 2, 3, 5].iter().all(|&s| (880..1120).contains(&seen[s])) && seen[1] + seen[4] == 0, "{seen:?}");
        assert_eq!(between(2, &Ends { from: SwitchId(0), to: SwitchId(1), source: 0, destination: 0 }, 7), None);
    }

    #[test]
    fn adversarial_traffic_is_spread() {
        // Tornado on a ring: all go 7 hops upwards, 7 flows on each arc of one direction and none on the other.
        let ring = topology("ring:16").unwrap();
        let valiant = built("valiant", &ring, &Options { seed: 1, ..Options::default() });
        let mut load = vec![0; ring.graph.arcs()];
        for from in 0..16 {
            let mut arcs = Vec::new();
            assert!(valiant.route(SwitchId(from), SwitchId((from + 7) % 16), &mut arcs));
            assert_eq!(valiant.reasons(SwitchId(from), SwitchId((from + 7) % 16), &arcs).len(), arcs.len());
            arcs.iter().for_each(|arc| load[arc.index()] += 1);
        }
        let down = ring.graph.cables();
        assert!(load.iter().filter(|&&load| load > 0).count() > down, "{load:?}");
    }

    #[test]
    fn where_there_is_no_other_switch_messages_go_minimally() {
        let two = topology("ring:2").unwrap();
        let valiant = built("valiant", &two, &Options::default());
        assert_eq!(path(&two.graph, &*valiant, 0, 1).unwrap(), [0, 1]);
        assert_eq!(path(&two.graph, &*valiant, 0, 0).unwrap(), [0]);
    }
}
