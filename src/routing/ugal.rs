//! Universal globally adaptive load-balanced routing: minimal, or by a detour where the minimal path is loaded.
//!
//! When a message starts, the least loaded shortest path is compared with k Valiant paths through random switches, and
//! the one with the lowest load times hops is taken (A. Singh, Load-Balanced Routing in Interconnection Networks,
//! thesis, Stanford, 2005). With global knowledge the load of a path is that of its most loaded link, with local
//! knowledge that of its first. Equal paths: fewer hops first, then the minimal one, then in the order in which they
//! were drawn. The four candidates by default are those of M. Besta and T. Hoefler, Slim Fly: A Cost Effective
//! Low-Diameter Network Topology, 2014.
//!
//! Queues, which the sources compare, do not exist at flow level; they are replaced by the allocated rate of a link
//! over its capacity. Random switches and ties come from a hash of source, destination, sequence number and seed.

use super::adaptive::Adaptive;
use super::valiant::{between, through};
use super::{Chosen, Ends, Message, Options, Routing, RoutingError, RoutingSpec, RuleParameter, Values};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology, derived_seed};

/// Option for the number of Valiant paths.
pub(super) const CANDIDATES: RuleParameter = RuleParameter {
    name: "k",
    values: Values::Count(1, 64),
    default: 4,
    help: "number of Valiant paths that the shortest one is compared with",
};

struct Ugal {
    minimal: Adaptive,
    candidates: u64,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let minimal = Adaptive::new(topology, options, spec);
    Ok(Box::new(Ugal { minimal, candidates: spec.value(CANDIDATES.name) }))
}

impl Ugal {
    /// Returns the load times hops of a path, and its hops.
    fn merit(&self, path: &[ArcId], load: &mut dyn FnMut(ArcId) -> u32) -> (u64, usize) {
        let seen = if self.minimal.local { &path[..path.len().min(1)] } else { path };
        let most = seen.iter().map(|&arc| load(arc)).max().unwrap_or(0);
        (u64::from(most) * path.len() as u64, path.len())
    }
}

impl Routing for Ugal {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.minimal.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.choose(ends, Message::default(), &mut |_| 0, arcs)
    }

    fn chosen(&self) -> Chosen {
        Chosen::ByLoad
    }

    fn choose(&self, ends: &Ends, message: Message, load: &mut dyn FnMut(ArcId) -> u32, arcs: &mut Vec<ArcId>) -> bool {
        let (start, key) = (arcs.len(), self.minimal.key(ends, message));
        if !self.minimal.minimal(ends.from, ends.to, key, load, arcs) {
            return false;
        }
        let mut best = self.merit(&arcs[start..], load);
        // No detour has a load times hops below 0, and none has fewer hops.
        if best.0 == 0 {
            return true;
        }
        let towards = &self.minimal.towards;
        let mut detour = Vec::new();
        for candidate in 0..self.candidates {
            let hash = derived_seed(key, candidate);
            detour.clear();
            let found = between(towards.graph().switches(), ends, hash)
                .is_some_and(|switch| through(towards, ends, switch, hash, &mut detour));
            if found {
                let merit = self.merit(&detour, load);
                if merit < best {
                    best = merit;
                    arcs.truncate(start);
                    arcs.extend_from_slice(&detour);
                }
            }
        }
        true
    }

    fn reasons(&self, _from: SwitchId, _to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        vec!["minimal, since nothing is loaded; ties by hash".to_owned(); arcs.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::built;
    use super::*;
    use crate::routing::FULL_LOAD;
    use crate::topology;

    fn choose(text: &str, load: impl Fn(ArcId) -> u32, sequence: u64) -> Vec<u32> {
        let full = topology::build("full_mesh:8").unwrap();
        let routing = built(text, &full, &Options { seed: 1, ..Options::default() });
        let ends = Ends { from: SwitchId(0), to: SwitchId(1), source: 0, destination: 1 };
        let mut arcs = Vec::new();
        assert!(routing.choose(&ends, Message { stream: 0, sequence }, &mut { load }, &mut arcs));
        arcs.iter().map(|&arc| full.graph.head(arc).0).collect()
    }

    #[test]
    fn a_detour_of_two_hops_pays_where_the_cable_is_more_than_twice_as_loaded() {
        let full = topology::build("full_mesh:8").unwrap();
        let direct = full.graph.find_arc(SwitchId(0), SwitchId(1)).unwrap();
        let with = |on_direct: u32, elsewhere: u32| move |arc| if arc == direct { on_direct } else { elsewhere };
        for sequence in 0..50 {
            assert_eq!(choose("ugal", with(0, 0), sequence), [1]);
            assert_eq!(choose("ugal", with(FULL_LOAD, FULL_LOAD / 2), sequence), [1], "equal products: fewer hops");
            let detour = choose("ugal:k=1", with(FULL_LOAD, FULL_LOAD / 2 - 1), sequence);
            assert!(detour.len() == 2 && detour[1] == 1, "{detour:?}");
        }
        let seen: std::collections::BTreeSet<u32> =
            (0..200).map(|sequence| choose("ugal:k=1", with(9, 1), sequence)[0]).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn local_knowledge_sees_the_first_cable_only() {
        let full = topology::build("full_mesh:8").unwrap();
        let graph = full.graph.clone();
        let direct = graph.find_arc(SwitchId(0), SwitchId(1)).unwrap();
        // All second cables are full.
        let load = move |arc: ArcId| {
            if arc == direct {
                FULL_LOAD / 2
            } else if graph.tail(arc) == SwitchId(0) {
                0
            } else {
                FULL_LOAD
            }
        };
        for sequence in 0..50 {
            assert_eq!(choose("ugal", &load, sequence), [1]);
            assert_eq!(choose("ugal:knowledge=local", &load, sequence).len(), 2);
        }
    }

    #[test]
    fn the_best_of_k_candidates_is_taken() {
        // One intermediate switch, 5, is without load; with 64 draws of 6 switches it is always among them.
        let full = topology::build("full_mesh:8").unwrap();
        let graph = full.graph.clone();
        let load = move |arc: ArcId| u32::from(graph.tail(arc) != SwitchId(5) && graph.head(arc) != SwitchId(5));
        assert!((0..50).all(|sequence| choose("ugal:k=64", &load, sequence) == [5, 1]));
    }
}
