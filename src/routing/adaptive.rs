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

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

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

/// Largest number of pairs of switches whose shortest paths are kept: all of 256 switches.
const PAIRS: usize = 1 << 16;

/// Memory of kept paths, in bytes: 256 MiB, as for the distances of [`Towards`]. Pairs far apart in a large hypercube
/// take megabytes each.
const MEMORY_BYTES: usize = 1 << 28;

pub(super) struct Adaptive {
    seed: u64,
    pub local: bool,
    pub hosts: HostNumbers,
    pub towards: Towards,
    pairs: PairCache,
}

/// Shortest paths of pairs of switches. Each pair has one slot, by its hash, where it evicts the previous one. When the
/// memory is full, the slots are emptied in turn. The cache affects the duration of a choice, never its result.
struct PairCache {
    slots: Vec<Mutex<Slot>>,
    memory: usize,
    kept: Mutex<KeptPaths>,
}

type Slot = Option<Box<ShortestPaths>>;

/// Account of the memory of a [`PairCache`].
#[derive(Default)]
struct KeptPaths {
    bytes: usize,
    /// Slot to be emptied next.
    next: usize,
}

/// Locks a mutex. If another thread panicked while it held the lock, the value is still a valid one.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PairCache {
    fn new(switches: usize, memory: usize) -> Self {
        let slots = switches.saturating_mul(switches).clamp(1, PAIRS);
        Self { slots: (0..slots).map(|_| Mutex::new(None)).collect(), memory, kept: Mutex::default() }
    }

    /// Calls `look` with the paths of a pair of `n` switches, which are computed if they are not cached; `None` if there
    /// is no path.
    fn with<R>(
        &self,
        (from, to, n): (SwitchId, SwitchId, usize),
        compute: impl FnOnce() -> Slot,
        look: impl FnOnce(&mut ShortestPaths) -> R,
    ) -> Option<R> {
        let place = match n {
            n if n * n <= PAIRS => from.index() * n + to.index(),
            _ => chosen(derived_seed(u64::from(from.0), u64::from(to.0)), PAIRS),
        };
        let mut slot = locked(&self.slots[place]);
        if !matches!(&*slot, Some(paths) if paths.from == from && paths.to == to) {
            let bytes = |slot: &Slot| slot.as_ref().map_or(0, |paths| paths.bytes());
            let before = std::mem::replace(&mut *slot, compute());
            self.account(bytes(&before), bytes(&slot), place);
        }
        slot.as_mut().map(|paths| look(paths))
    }

    /// Accounts for a slot whose paths took `before` bytes and take `now`; empties other slots until all paths fit.
    fn account(&self, before: usize, now: usize, place: usize) {
        let mut kept = locked(&self.kept);
        kept.bytes = kept.bytes - before + now;
        for _ in 0..self.slots.len() {
            if kept.bytes <= self.memory {
                break;
            }
            let next = kept.next;
            kept.next = (next + 1) % self.slots.len();
            // A slot in use by another thread stays, and so does that of the caller.
            if next == place {
                continue;
            }
            let slot = match self.slots[next].try_lock() {
                Ok(slot) => Some(slot),
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            if let Some(paths) = slot.and_then(|mut slot| slot.take()) {
                kept.bytes -= paths.bytes();
            }
        }
    }
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
        // By switch: its place among the switches, valid if it is the switch at that place.
        let mut places = vec![0; graph.switches()];
        // Switches of one level are adjacent, and their heads are those of the next one.
        let mut level = 0..1;
        while switches[level.start] != to {
            let next = level.end;
            for at in level {
                for arc in nearer(graph, distance, switches[at]) {
                    let head = graph.head(arc);
                    let place = &mut places[head.index()];
                    if switches.get(*place as usize) != Some(&head) {
                        *place = switches.len() as u32;
                        switches.push(head);
                    }
                    hops.push((arc, *place));
                }
                first.push(hops.len() as u32);
            }
            level = next..switches.len();
        }
        // They may be kept for long.
        switches.shrink_to_fit();
        first.shrink_to_fit();
        hops.shrink_to_fit();
        let (loads, least, sums) = (vec![0; hops.len()], vec![0; switches.len()], vec![0; switches.len()]);
        Some(Self { from, to, switches, first, hops, loads, least, sums })
    }

    /// Returns the memory that the paths take.
    fn bytes(&self) -> usize {
        let of_a_switch = size_of::<SwitchId>() + 2 * size_of::<u32>() + size_of::<u64>();
        let of_a_hop = size_of::<(ArcId, u32)>() + size_of::<u32>();
        size_of::<Self>() + of_a_switch * self.switches.len() + of_a_hop * self.hops.len()
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
            pairs: PairCache::new(n, MEMORY_BYTES),
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
        let compute = || {
            self.towards
                .with_distances(from, to, |distance| ShortestPaths::new(graph, distance, from, to).map(Box::new))
        };
        let choose = |paths: &mut ShortestPaths| paths.choose(key, load, arcs);
        self.pairs.with((from, to, graph.switches()), compute, choose).is_some()
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
    #[test]
    fn kept_paths_stay_within_the_memory() {
        // 500 pairs at the corners of a hypercube take 4.5 MB together; a tenth of a megabyte holds a few of them.
        let topology = topology::build("hypercube:8").unwrap();
        let graph = &topology.graph;
        let towards = Towards::new(graph.clone());
        let of_pair =
            |from, to| towards.with_distances(from, to, |d| ShortestPaths::new(graph, d, from, to).map(Box::new));
        let cache = PairCache::new(graph.switches(), 100_000);
        for round in 0..500 {
            let (from, to) = (SwitchId(round % 256), SwitchId(255 - round % 256));
            let hops = cache.with((from, to, 256), || of_pair(from, to), |paths| paths.hops.len());
            assert_eq!(hops, Some(8 * 128));
            let bytes = |slot: &Mutex<Slot>| locked(slot).as_ref().map_or(0, |paths| paths.bytes());
            let kept: usize = cache.slots.iter().map(bytes).sum();
            assert_eq!(kept, locked(&cache.kept).bytes);
            assert!(kept <= 100_000 && kept > 0, "{kept}");
        }
        // Paths larger than the memory are kept alone.
        let small = PairCache::new(graph.switches(), 1);
        for to in [255, 127] {
            let (from, to) = (SwitchId(0), SwitchId(to));
            assert!(small.with((from, to, 256), || of_pair(from, to), |_| ()).is_some());
            assert_eq!(small.slots.iter().filter(|slot| locked(slot).is_some()).count(), 1);
        }
    }

    #[test]
    fn switches_of_a_wide_level_are_found_by_their_place() {
        // The middle levels have 3,432 switches with 7 hops each: 24,024 hops, each once searched among 3,432 switches.
        let graph = topology::build("hypercube:14").unwrap().graph;
        let (from, to) = (SwitchId(0), SwitchId((1 << 14) - 1));
        let (distance, _) = crate::topology::hops::distances(&graph, to);
        let paths = ShortestPaths::new(&graph, &distance, from, to).unwrap();
        assert_eq!((paths.switches.len(), paths.hops.len()), (1 << 14, 14 << 13));
        let heads = paths.hops.iter().map(|&(arc, place)| (graph.head(arc), paths.switches[place as usize]));
        assert!(heads.into_iter().all(|(head, switch)| head == switch));
        assert!(paths.switches.windows(2).all(|pair| distance[pair[0].index()] >= distance[pair[1].index()]));
    }
}
