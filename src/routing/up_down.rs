//! Up*/down* routing: no deadlock on any undirected network, without virtual channels.
//!
//! A breadth-first search from the root (the switch of the largest degree, the lowest number among equals) assigns
//! levels. If only the leaves of a tree have hosts, all its topmost switches are roots, as the subnet managers of
//! InfiniBand choose them: with one of them alone all messages would cross it. The end of a cable that is nearer to the
//! root is "up", on one level the lower number is. A legal path goes up, then down, and never up again; the route is a
//! shortest legal one, ties by a hash of the pair of hosts. A message that waits for a cable upwards waits only for
//! cables further up or down, so no cycle of waiting can close (M. Schroeder et al., Autonet, 1991).

use std::sync::Arc;

use super::hashed::tie;
use super::rule::HostNumbers;
use super::source_cache::SourceCache;
use super::{Ends, Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, distances};
use crate::topology::{ArcId, Graph, Topology, derived_seed};

/// Hashed with the pair of hosts. The rule takes no seed: equal networks have equal routes.
const SALT: u64 = 0;

pub(super) struct UpDown {
    graph: Arc<Graph>,
    level: Vec<u32>,
    hosts: HostNumbers,
    /// For each destination, the hops of legal paths from each switch.
    hops: SourceCache<Hops>,
}

/// Hops to a destination.
struct Hops {
    /// While the message may still go up.
    free: Vec<u32>,
    /// After it went down.
    down: Vec<u32>,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    if topology.graph.is_directed() {
        return Err(RoutingError::unsuitable("up_down", topology, "its cables are one-way"));
    }
    if !topology.graph.is_connected_by_cables() {
        return Err(RoutingError::unsuitable("up_down", topology, "it is disconnected, and has no root"));
    }
    Ok(Box::new(UpDown::new(topology.graph.clone(), HostNumbers::new(topology, options))))
}

/// Largest work of the check that every root reaches every host: roots times arcs.
const MOST_STEPS: usize = 1 << 28;

/// Returns the levels of a tree whose leaves have the hosts: the switches farthest from any host are at level 0. `None`
/// if every switch has hosts, or if not every such switch reaches all hosts downwards, which would leave hosts without
/// a legal path.
fn levels_above_hosts(graph: &Graph, hosts: &HostNumbers) -> Option<Vec<u32>> {
    let n = graph.switches();
    let leaves: Vec<SwitchId> = (0..n as u32).map(SwitchId).filter(|&switch| hosts.count(switch) > 0).collect();
    if leaves.len() == n {
        return None;
    }
    let mut height = vec![FAR; n];
    leaves.iter().for_each(|leaf| height[leaf.index()] = 0);
    let mut queue = leaves.clone();
    let mut done = 0;
    while let Some(&switch) = queue.get(done) {
        done += 1;
        for next in graph.neighbours(switch) {
            if height[next.index()] == FAR {
                height[next.index()] = height[switch.index()] + 1;
                queue.push(next);
            }
        }
    }
    let top = queue.last().map(|switch| height[switch.index()])?;
    let roots: Vec<SwitchId> = queue.iter().copied().filter(|switch| height[switch.index()] == top).collect();
    if roots.len().saturating_mul(graph.arcs()) > MOST_STEPS {
        return None;
    }
    let mut seen_from = vec![u32::MAX; n];
    for &root in &roots {
        let mut reached = 0;
        let mut queue = vec![root];
        seen_from[root.index()] = root.0;
        while let Some(switch) = queue.pop() {
            reached += usize::from(height[switch.index()] == 0);
            for next in graph.neighbours(switch) {
                if height[next.index()] < height[switch.index()] && seen_from[next.index()] != root.0 {
                    seen_from[next.index()] = root.0;
                    queue.push(next);
                }
            }
        }
        if reached < leaves.len() {
            return None;
        }
    }
    Some(height.into_iter().map(|height| top.saturating_sub(height)).collect())
}

impl UpDown {
    pub(super) fn new(graph: Arc<Graph>, hosts: HostNumbers) -> Self {
        let n = graph.switches();
        let degree = |switch: &u32| graph.out_degree(SwitchId(*switch));
        let root = (0..n as u32).max_by_key(|switch| (degree(switch), std::cmp::Reverse(*switch))).unwrap_or(0);
        let level = levels_above_hosts(&graph, &hosts).unwrap_or_else(|| distances(&graph, SwitchId(root)).0);
        Self { graph, level, hosts, hops: SourceCache::new(n, 2 * n * size_of::<u32>()) }
    }

    pub(super) fn is_up(&self, arc: ArcId) -> bool {
        let rank = |switch: SwitchId| (self.level[switch.index()], switch.0);
        rank(self.graph.head(arc)) < rank(self.graph.tail(arc))
    }

    /// Searches backwards from the destination, over switches that may still go up and switches that may not.
    fn search(&self, to: SwitchId) -> Hops {
        let n = self.graph.switches();
        let mut hops = Hops { free: vec![FAR; n], down: vec![FAR; n] };
        (hops.free[to.index()], hops.down[to.index()]) = (0, 0);
        let mut queue = vec![(to, true), (to, false)];
        let mut done = 0;
        while let Some(&(switch, free)) = queue.get(done) {
            done += 1;
            let further = if free { hops.free[switch.index()] } else { hops.down[switch.index()] } + 1;
            for arc in self.graph.in_arcs(switch) {
                let tail = self.graph.tail(arc);
                // After an arc up a message is still free; an arc down may be taken by a free one as well.
                if free && self.is_up(arc) && hops.free[tail.index()] == FAR {
                    hops.free[tail.index()] = further;
                    queue.push((tail, true));
                }
                if !free && !self.is_up(arc) {
                    for (tails, kind) in [(&mut hops.free, true), (&mut hops.down, false)] {
                        if tails[tail.index()] == FAR {
                            tails[tail.index()] = further;
                            queue.push((tail, kind));
                        }
                    }
                }
            }
        }
        hops
    }
}

impl Routing for UpDown {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        let (from, to, key) = (ends.from, ends.to, derived_seed(SALT, ends.pair()));
        self.hops.with(
            to.0,
            || self.search(to),
            |hops| {
                if hops.free[from.index()] == FAR {
                    return false;
                }
                let (mut at, mut free) = (from, true);
                while at != to {
                    let here = if free { hops.free[at.index()] } else { hops.down[at.index()] };
                    let leads = |arc: &ArcId| {
                        let (up, head) = (self.is_up(*arc), self.graph.head(*arc).index());
                        let there = if up { hops.free[head] } else { hops.down[head] };
                        (free || !up) && there != FAR && there + 1 == here
                    };
                    let count = self.graph.out_arcs(at).filter(leads).count();
                    let chosen = tie(key, at, count);
                    let arc = self.graph.out_arcs(at).filter(leads).nth(chosen);
                    let arc = arc.expect("the search came by one of the arcs");
                    free &= self.is_up(arc);
                    arcs.push(arc);
                    at = self.graph.head(arc);
                }
                true
            },
        )
    }

    fn reasons(&self, _from: SwitchId, _to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let level = |arc: &ArcId| self.level[self.graph.head(*arc).index()];
        let word = |arc: &ArcId| if self.is_up(*arc) { "up" } else { "down" };
        arcs.iter().map(|arc| format!("{}, to level {}", word(arc), level(arc))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, one_host_each, path};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_ring_is_cut_open_opposite_its_root() {
        // All degrees are 2, so 0 is the root; levels 0 1 2 3 2 1. From 2 to 4 via 3 would be down, then up.
        let ring = Arc::new(Graph::undirected(6, (0..6).map(|i| (i, (i + 1) % 6)).collect()).unwrap());
        let routing = UpDown::new(ring.clone(), one_host_each(6));
        assert_eq!(path(&ring, &routing, 2, 4).unwrap(), [2, 1, 0, 5, 4]);
        assert_eq!(path(&ring, &routing, 1, 3).unwrap(), [1, 2, 3]);
        assert_eq!(path(&ring, &routing, 3, 3).unwrap(), [3]);
        let mut arcs = Vec::new();
        routing.route(SwitchId(2), SwitchId(5), &mut arcs);
        let reasons = routing.reasons(SwitchId(2), SwitchId(5), &arcs);
        assert_eq!(reasons, ["up, to level 1", "up, to level 0", "down, to level 1"]);
    }

    #[test]
    fn all_roots_of_a_tree_are_used() {
        let tree = crate::topology::build("kary_ntree:8,2").unwrap();
        let routing = built("up_down", &tree, &Options::default());
        let spine = |source, destination| {
            let (ends, mut arcs) = (Ends { from: SwitchId(8), to: SwitchId(9), source, destination }, Vec::new());
            assert!(routing.route_between(&ends, &mut arcs) && arcs.len() == 2);
            tree.graph.head(arcs[0]).0
        };
        let mut spines: Vec<u32> = (0..8).flat_map(|s| (8..16).map(move |d| spine(s, d))).collect();
        spines.sort_unstable();
        spines.dedup();
        assert_eq!(spines, (0..8).collect::<Vec<_>>());
        // Between two spines there is no path up.
        assert!(!routing.route(SwitchId(0), SwitchId(1), &mut Vec::new()));
    }

    proptest! {
        #[test]
        fn routes_are_shortest_legal_paths_and_cannot_deadlock(
            n in 2usize..16, extra in prop::collection::vec((0u32..16, 0u32..16), 0..30)
        ) {
            let tree = (1..n as u32).map(|i| (i, i * 7 % i));
            let pairs = tree.chain(extra.into_iter().map(|(u, v)| (u % n as u32, v % n as u32))).collect();
            let graph = Arc::new(Graph::undirected(n, pairs).unwrap());
            let routing = UpDown::new(graph.clone(), one_host_each(n));
            // Wait-for relation of arcs: those that follow each other on a route.
            let mut waits = petgraph::graph::DiGraph::<(), ()>::new();
            (0..graph.arcs()).for_each(|_| { waits.add_node(()); });
            for (from, to) in (0..n as u32).flat_map(|a| (0..n as u32).map(move |b| (SwitchId(a), SwitchId(b)))) {
                let mut arcs = Vec::new();
                prop_assert!(routing.route(from, to, &mut arcs));
                let turns: Vec<bool> = arcs.iter().map(|&arc| routing.is_up(arc)).collect();
                prop_assert!(turns.is_sorted_by(|a, b| a >= b), "up after down");
                for pair in arcs.windows(2) {
                    prop_assert_eq!(graph.head(pair[0]), graph.tail(pair[1]));
                    waits.update_edge(pair[0].0.into(), pair[1].0.into(), ());
                }
                // No legal path is shorter: try all paths of two phases, level by level.
                let mut reach = [vec![false; n], vec![false; n]];
                reach[0][from.index()] = true;
                let mut shortest = 0;
                while !reach[0][to.index()] && !reach[1][to.index()] {
                    let before = reach.clone();
                    for arc in (0..graph.arcs() as u32).map(ArcId) {
                        let (tail, head) = (graph.tail(arc).index(), graph.head(arc).index());
                        if routing.is_up(arc) {
                            reach[0][head] |= before[0][tail];
                        } else {
                            reach[1][head] |= before[0][tail] || before[1][tail];
                        }
                    }
                    shortest += 1;
                }
                prop_assert_eq!(arcs.len(), shortest);
            }
            prop_assert!(!petgraph::algo::is_cyclic_directed(&waits));
        }
    }
}
