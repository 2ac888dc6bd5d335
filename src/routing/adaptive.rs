//! Minimal adaptive routing at flow level: the shortest path with the least load when the message starts.
//!
//! With global knowledge, the load of a path is that of its most loaded link; of the paths with the lowest such load it
//! is one with the smallest sum of loads. With local knowledge, every switch in turn takes the least loaded of its
//! shortest next hops, as routers do that see only their own output queues. Ties are broken by a hash of source,
//! destination, sequence number and seed: messages that start at one instant see the same loads, and would otherwise
//! all make the same choice.
//!
//! A route is kept until its message has arrived, since the rate of a flow belongs to one set of links; real adaptive
//! routers decide packet by packet.

use std::sync::{Mutex, PoisonError};

use super::hashed::tie;
use super::rule::HostNumbers;
use super::towards::Towards;
use super::{Chosen, Ends, Message, Options, Routing, RoutingError, RoutingSpec, RuleParameter, Values};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, nearer};
use crate::topology::{ArcId, Graph, Topology, chosen, derived_seed};

/// Option for the knowledge of a choice.
pub(super) const KNOWLEDGE: RuleParameter = RuleParameter {
    name: "knowledge",
    values: Values::Words(&["global", "local"]),
    default: 0,
    help: "loads that a choice sees: those of whole paths, or those of the links out of a switch",
};

/// Number of pairs of switches whose shortest paths are kept: all of 256 switches.
const PAIRS: usize = 1 << 16;

pub(super) struct Adaptive {
    seed: u64,
    pub local: bool,
    pub hosts: HostNumbers,
    pub towards: Towards,
    /// Shortest paths of pairs of switches, each pair at the index of its hash.
    pairs: Vec<Mutex<Option<Box<ShortestPaths>>>>,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(Adaptive::new(topology, options, spec)))
}

/// All shortest paths of a pair of switches, as a graph of its own.
struct ShortestPaths {
    from: SwitchId,
    to: SwitchId,
    /// Switches on a shortest path, by their distance from the source; the destination is the last.
    switches: Vec<SwitchId>,
    /// The next hops of switch `i` are `hops[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    /// An arc, and the place of its head among the switches.
    hops: Vec<(ArcId, u32)>,
    // Working memory: the load of each hop, and for each switch the least load and sum of loads from there on.
    loads: Vec<u32>,
    least: Vec<u32>,
    sums: Vec<u64>,
}

impl ShortestPaths {
    /// Returns the paths for distances that are valid on them; `None` if there is none.
    fn new(graph: &Graph, distance: &[u32], from: SwitchId, to: SwitchId) -> Option<Self> {
        if distance[from.index()] == FAR {
            return None;
        }
        let (mut switches, mut first, mut hops) = (vec![from], vec![0], Vec::new());
        // Switches of one level are adjacent, and their heads are those of the next one.
        let mut level = 0..1;
        while switches[level.start] != to {
            let next = level.end;
            for at in level {
                for arc in nearer(graph, distance, switches[at]) {
                    let head = graph.head(arc);
                    let known = switches[next..].iter().position(|&switch| switch == head);
                    hops.push((arc, known.map_or(switches.len(), |place| next + place) as u32));
                    if known.is_none() {
                        switches.push(head);
                    }
                }
                first.push(hops.len() as u32);
            }
            level = next..switches.len();
        }
        let (loads, least, sums) = (vec![0; hops.len()], vec![0; switches.len()], vec![0; switches.len()]);
        Some(Self { from, to, switches, first, hops, loads, least, sums })
    }

    fn hops_of(&self, switch: usize) -> std::ops::Range<usize> {
        self.first[switch] as usize..self.first[switch + 1] as usize
    }

    /// Appends the path with the least load.
    fn choose(&mut self, key: u64, load: &mut dyn FnMut(ArcId) -> u32, arcs: &mut Vec<ArcId>) {
        for (kept, (arc, _)) in self.loads.iter_mut().zip(&self.hops) {
            *kept = load(*arc);
        }
        let last = self.switches.len() - 1;
        // Lowest possible maximum load of a path, computed from the destination back.
        (self.least[last], self.sums[last]) = (0, 0);
        for switch in (0..last).rev() {
            let most = |hop: usize| self.loads[hop].max(self.least[self.hops[hop].1 as usize]);
            self.least[switch] = self.hops_of(switch).map(most).min().unwrap_or(0);
        }
        // Lowest sum, of the paths without a link above that.
        let limit = self.least[0];
        let sum = |paths: &Self, hop: usize| {
            let rest = paths.sums[paths.hops[hop].1 as usize];
            if paths.loads[hop] > limit { u64::MAX } else { rest.saturating_add(u64::from(paths.loads[hop])) }
        };
        for switch in (0..last).rev() {
            self.sums[switch] = self.hops_of(switch).map(|hop| sum(self, hop)).min().unwrap_or(u64::MAX);
        }
        let mut at = 0;
        while at != last {
            let best = || self.hops_of(at).filter(|&hop| sum(self, hop) == self.sums[at]);
            let place = tie(key, self.switches[at], best().count());
            let hop = best().nth(place).expect("the sum is that of a hop");
            arcs.push(self.hops[hop].0);
            at = self.hops[hop].1 as usize;
        }
    }
}

impl Adaptive {
    pub fn new(topology: &Topology, options: &Options<'_>, spec: &RoutingSpec) -> Self {
        let n = topology.graph.switches();
        Self {
            seed: options.seed,
            local: spec.value(KNOWLEDGE.name) != KNOWLEDGE.default,
            hosts: HostNumbers::new(topology, options),
            towards: Towards::new(topology.graph.clone()),
            pairs: (0..n.saturating_mul(n).clamp(1, PAIRS)).map(|_| Mutex::new(None)).collect(),
        }
    }

    /// Returns the key that breaks ties of a message.
    pub fn key(&self, ends: &Ends, message: Message) -> u64 {
        derived_seed(derived_seed(self.seed, ends.pair()), message.sequence)
    }

    /// Appends the least loaded of the shortest paths; returns `false` if there is none.
    pub fn minimal(
        &self,
        from: SwitchId,
        to: SwitchId,
        key: u64,
        load: &mut dyn FnMut(ArcId) -> u32,
        arcs: &mut Vec<ArcId>,
    ) -> bool {
        if from == to {
            return true;
        }
        if self.local {
            return self.hop_by_hop(from, to, key, load, arcs);
        }
        let graph = self.towards.graph();
        let place = match graph.switches() {
            n if n * n <= PAIRS => from.index() * n + to.index(),
            _ => chosen(derived_seed(u64::from(from.0), u64::from(to.0)), PAIRS),
        };
        // If another thread panicked there, its unfinished entry is dropped.
        let mut slot = self.pairs[place].lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(&*slot, Some(paths) if paths.from == from && paths.to == to) {
            *slot = self
                .towards
                .with_distances(from, to, |distance| ShortestPaths::new(graph, distance, from, to).map(Box::new));
        }
        match &mut *slot {
            Some(paths) => {
                paths.choose(key, load, arcs);
                true
            }
            None => false,
        }
    }

    fn hop_by_hop(
        &self,
        from: SwitchId,
        to: SwitchId,
        key: u64,
        load: &mut dyn FnMut(ArcId) -> u32,
        arcs: &mut Vec<ArcId>,
    ) -> bool {
        let graph = self.towards.graph();
        let mut hops: Vec<(ArcId, u32)> = Vec::new();
        self.towards.with_distances(from, to, |distance| {
            if distance[from.index()] == FAR {
                return false;
            }
            let mut at = from;
            while at != to {
                hops.clear();
                hops.extend(nearer(graph, distance, at).map(|arc| (arc, load(arc))));
                let least = hops.iter().map(|hop| hop.1).min().expect("a switch with a way has a next hop");
                hops.retain(|hop| hop.1 == least);
                let (arc, _) = hops[tie(key, at, hops.len())];
                arcs.push(arc);
                at = graph.head(arc);
            }
            true
        })
    }
}

impl Routing for Adaptive {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.choose(ends, Message::default(), &mut |_| 0, arcs)
    }

    fn chosen(&self) -> Chosen {
        Chosen::ByLoad
    }

    fn choose(&self, ends: &Ends, message: Message, load: &mut dyn FnMut(ArcId) -> u32, arcs: &mut Vec<ArcId>) -> bool {
        self.minimal(ends.from, ends.to, self.key(ends, message), load, arcs)
    }

    fn reasons(&self, _from: SwitchId, _to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        vec!["a shortest next hop, without load by hash".to_owned(); arcs.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::built;
    use super::*;
    use crate::topology;
    use proptest::prelude::*;

    /// Returns all shortest paths, one by one.
    fn all(graph: &Graph, from: SwitchId, to: SwitchId) -> Vec<Vec<ArcId>> {
        let (distance, _) = crate::topology::hops::distances(graph, to);
        let mut open = vec![Vec::new()];
        for _ in 0..distance[from.index()] {
            open = open
                .into_iter()
                .flat_map(|path: Vec<ArcId>| {
                    let at = path.last().map_or(from, |&arc| graph.head(arc));
                    nearer(graph, &distance, at)
                        .map(move |arc| path.iter().copied().chain([arc]).collect())
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        open
    }

    fn ends(from: u32, to: u32) -> Ends {
        Ends { from: SwitchId(from), to: SwitchId(to), source: from, destination: to }
    }

    proptest! {
        /// Compares with a search of every path.
        #[test]
        fn no_shortest_path_has_less_load(
            spec in prop::sample::select(vec!["torus:4x4", "mesh:3x3x3", "slimfly:q=5", "imase_itoh:n=30,d=3", "fat_tree3:4"]),
            loads in prop::collection::vec(0u32..5, 500), pair in (0u32..1000, 0u32..1000), sequence: u64
        ) {
            let topology = topology::build(spec).unwrap();
            let n = topology.graph.switches() as u32;
            let ends = ends(pair.0 % n, pair.1 % n);
            let load = |arc: ArcId| loads[arc.index() % loads.len()];
            let merit = |path: &[ArcId]| {
                let loads = || path.iter().map(|&arc| load(arc));
                (loads().max(), loads().sum::<u32>())
            };
            let routing = built("adaptive", &topology, &Options::default());
            let (message, mut load_of, mut path) = (Message { stream: 0, sequence }, load, Vec::new());
            prop_assert!(routing.choose(&ends, message, &mut load_of, &mut path));
            let paths = all(&topology.graph, ends.from, ends.to);
            prop_assert!(paths.contains(&path));
            prop_assert_eq!(Some(merit(&path)), paths.iter().map(|path| merit(path)).min());
            // Locally, each hop is the least loaded one of its switch.
            let local = built("adaptive:knowledge=local", &topology, &Options::default());
            path.clear();
            prop_assert!(local.choose(&ends, message, &mut load_of, &mut path));
            prop_assert!(paths.contains(&path));
            for (hop, &arc) in path.iter().enumerate() {
                let others = paths.iter().filter(|other| other[..hop] == path[..hop]).map(|other| load(other[hop]));
                prop_assert_eq!(Some(load(arc)), others.min());
            }
        }
    }

    #[test]
    fn equal_loads_are_told_apart_by_source_destination_sequence_and_seed() {
        let torus = topology::build("torus:6x6").unwrap();
        let choose = |seed, ends: Ends, sequence| {
            let (routing, mut arcs) = (built("adaptive", &torus, &Options { seed, ..Options::default() }), Vec::new());
            assert!(routing.choose(&ends, Message { stream: 0, sequence }, &mut |_| 7, &mut arcs));
            arcs
        };
        let pair = ends(0, 14);
        assert_eq!(choose(1, pair, 5), choose(1, pair, 5));
        assert!((0..20).any(|sequence| choose(1, pair, sequence) != choose(1, pair, 5)));
        assert!((0..20).any(|seed| choose(seed, pair, 5) != choose(1, pair, 5)));
        assert!((0..20).any(|source| choose(1, Ends { source, ..pair }, 5) != choose(1, pair, 5)));
        assert!((0..20).any(|destination| choose(1, Ends { destination, ..pair }, 5) != choose(1, pair, 5)));
    }
}
