//! Shortest paths by breadth-first search from the source.
//!
//! Ties between equally short paths are decided by the search: it visits the neighbours of a switch in ascending order,
//! and a switch keeps the first parent that found it. This is the rule of the reference corpus, whose routes it
//! reproduces.
//!
//! The chosen path is the first in the order of arcs: at every switch it takes the first arc that leads along any
//! shortest path. (The search finds the switches of a level in the order of their own first paths, so a parent that is
//! found earlier has the earlier path.) Hence there are three methods for the same routes, from the cheapest to the
//! most expensive: by coordinates in a [grid](along_grid), by a search from [both ends](both_ends) for a source of a
//! large network with few requests, and by the tree of all paths from a source.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::grid::Grid;
use super::trees::Trees;
use super::{Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::weighted::NO_ARC;
use crate::topology::{ArcId, Graph, Topology};

mod along_grid;
mod both_ends;

pub(super) fn build(
    topology: &Topology,
    _options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let graph = topology.graph.clone();
    Ok(match Grid::of(topology) {
        Some(grid) => Box::new(along_grid::FirstOnGrid { graph, grid }),
        None => Box::new(Bfs::new(graph)),
    })
}

/// Number of arcs up to which a tree is grown immediately: that takes a few microseconds, no longer than some pairs.
const SMALL: usize = 2048;

struct Bfs {
    trees: Trees,
    pairs: both_ends::BothEnds,
    /// Arcs visited for single pairs of each source, since its tree was last grown.
    spent: Vec<AtomicU32>,
}

impl Bfs {
    fn new(graph: Arc<Graph>) -> Self {
        let spent = (0..graph.switches()).map(|_| AtomicU32::new(0)).collect();
        Self { trees: Trees::new(graph), pairs: both_ends::BothEnds::default(), spent }
    }

    /// A tree visits every arc, a pair some. So the pairs of a source are searched one by one until that has cost as
    /// much as a tree; then the tree is grown. However often a source is requested, this costs at most twice the better
    /// of the two, even if a tree was evicted.
    fn search(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        if let Some(found) = self.trees.route_if_grown(from, to, arcs) {
            return found;
        }
        let graph = self.trees.graph();
        let spent = &self.spent[from.index()];
        if graph.arcs() <= SMALL || spent.load(Ordering::Relaxed) as usize >= graph.arcs() {
            spent.store(0, Ordering::Relaxed);
            return self.trees.route(from, to, || tree(graph, from), arcs);
        }
        let (found, looks) = self.pairs.route(graph, from, to, arcs);
        spent.fetch_add(looks, Ordering::Relaxed);
        found
    }
}

/// Returns the arc by which a search from `source` reaches each switch, or [`NO_ARC`].
fn tree(graph: &Graph, source: SwitchId) -> Vec<u32> {
    let mut came_by = vec![NO_ARC; graph.switches()];
    let mut queue = Vec::with_capacity(graph.switches());
    queue.push(source);
    let mut done = 0;
    while let Some(&switch) = queue.get(done) {
        done += 1;
        // All are found: the last level, which is the largest in a good network, need not be visited.
        if queue.len() == came_by.len() {
            break;
        }
        for arc in graph.out_arcs(switch) {
            let head = graph.head(arc);
            if head != source && came_by[head.index()] == NO_ARC {
                came_by[head.index()] = arc.0;
                queue.push(head);
            }
        }
    }
    came_by
}

impl Routing for Bfs {
    /// A switch with one outgoing arc uses the tree of its neighbour: its own would be the same after the first arc. So
    /// a star needs one tree, and a tree only those of its inner switches.
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        let graph = self.trees.graph();
        let mut ways_out = graph.out_arcs(from);
        match (ways_out.next(), ways_out.next()) {
            (Some(only), None) if from != to => {
                let (start, next) = (arcs.len(), graph.head(only));
                arcs.push(only);
                let found = self.search(next, to, arcs);
                if !found {
                    arcs.truncate(start);
                }
                found
            }
            _ => self.search(from, to, arcs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, path};
    use super::*;
    use crate::topology;
    use proptest::prelude::*;

    #[test]
    fn the_first_parent_found_stays() {
        // A square 0-1-3-2-0: from 0 the search sees 1 before 2, so 3 is reached via 1; from 3 it takes the same path.
        let graph = Arc::new(Graph::undirected(4, vec![(0, 1), (0, 2), (1, 3), (2, 3)]).unwrap());
        let bfs = Bfs::new(graph.clone());
        assert_eq!(path(&graph, &bfs, 0, 3).unwrap(), [0, 1, 3]);
        assert_eq!(path(&graph, &bfs, 3, 0).unwrap(), [3, 1, 0]);
        assert_eq!(path(&graph, &bfs, 2, 2).unwrap(), [2]);
    }

    #[test]
    fn parents_are_ranked_by_when_they_were_found_not_by_number() {
        // From 0: level 1 is 5 (behind it 1) and 6 (behind it 2); 3 is adjacent to both 5 and 6: 5 is first. And 4 is
        // adjacent to 2 and 1, which were found in the order 2, 1 here, because 2 is adjacent to 5 and 1 to 6: so 4 is
        // reached via 2.
        let arcs = vec![(0, 5), (0, 6), (5, 2), (6, 1), (2, 4), (1, 4), (5, 3), (6, 3)];
        let graph = Arc::new(Graph::directed(7, arcs).unwrap());
        let bfs = Bfs::new(graph.clone());
        assert_eq!(path(&graph, &bfs, 0, 4).unwrap(), [0, 5, 2, 4]);
        assert_eq!(path(&graph, &bfs, 0, 3).unwrap(), [0, 5, 3]);
        assert_eq!(path(&graph, &bfs, 4, 0), None);
    }

    #[test]
    fn leaves_go_as_their_own_search_would() {
        // Two hubs, 0 and 1, joined by 2 and by 3, with two leaves each; and a leaf attached to a leaf.
        let cables = vec![(0, 2), (0, 3), (1, 2), (1, 3), (0, 4), (0, 5), (1, 6), (1, 7), (7, 8)];
        let graph = Arc::new(Graph::undirected(9, cables).unwrap());
        let bfs = Bfs::new(graph.clone());
        for from in 0..9 {
            let own = tree(&graph, SwitchId(from));
            for to in (0..9).filter(|to| *to != from) {
                let way = path(&graph, &bfs, from, to).unwrap();
                let parents = way.windows(2).map(|hop| graph.find_arc(SwitchId(hop[0]), SwitchId(hop[1])).unwrap());
                assert!(parents.zip(&way[1..]).all(|(arc, &head)| own[head as usize] == arc.0), "{from} {to}");
            }
        }
        // A leaf that leads nowhere else.
        let bfs = Bfs::new(Arc::new(Graph::directed(3, vec![(0, 1), (2, 0)]).unwrap()));
        let mut arcs = Vec::new();
        assert!(!bfs.route(SwitchId(0), SwitchId(2), &mut arcs) && arcs.is_empty());
    }

    #[test]
    fn a_refused_route_leaves_the_list_alone() {
        let bfs = Bfs::new(Arc::new(Graph::directed(2, vec![(0, 1)]).unwrap()));
        let mut arcs = vec![ArcId(7)];
        assert!(!bfs.route(SwitchId(1), SwitchId(0), &mut arcs));
        assert_eq!(arcs, [ArcId(7)]);
        assert!(bfs.route(SwitchId(0), SwitchId(1), &mut arcs));
        assert_eq!(arcs, [ArcId(7), ArcId(0)]);
    }

    #[test]
    fn a_large_network_needs_no_table_of_pairs() {
        let torus = topology::build("torus:256x256").unwrap();
        let bfs = built("bfs", &torus, &Options::default());
        // Switch (128, 128) is 128 hops away in each dimension.
        assert_eq!(path(&torus.graph, &*bfs, 0, 128 + 256 * 128).unwrap().len(), 257);
    }

    /// Returns the path from one switch to another in a tree.
    fn in_tree(graph: &Graph, tree: &[u32], from: SwitchId, to: SwitchId) -> Option<Vec<ArcId>> {
        let (mut at, mut way) = (to, Vec::new());
        while at != from {
            if tree[at.index()] == NO_ARC {
                return None;
            }
            way.push(ArcId(tree[at.index()]));
            at = graph.tail(*way.last().unwrap());
        }
        way.reverse();
        Some(way)
    }

    /// Checks that the routes from each switch to those in `to_of` are those of its tree.
    fn as_by_trees(graph: &Arc<Graph>, routing: &dyn Routing, to_of: impl Fn(u32) -> Vec<u32>) {
        for from in 0..graph.switches() as u32 {
            let own = tree(graph, SwitchId(from));
            for to in to_of(from) {
                let expected = in_tree(graph, &own, SwitchId(from), SwitchId(to));
                let mut arcs = Vec::new();
                let found = routing.route(SwitchId(from), SwitchId(to), &mut arcs);
                assert_eq!(found.then_some(arcs), expected, "{from} {to}");
            }
        }
    }

    #[test]
    fn grids_go_as_their_trees() {
        for spec in [
            "ring:2",
            "ring:3",
            "ring:6",
            "ring:7",
            "mesh:4x3",
            "mesh:2x1x3x2",
            "torus:4x5",
            "torus:2x3x4",
            "torus:6x4x2",
            "torus:5x1x3",
            "torus:8x8",
            "hypercube:d=1",
            "hypercube:d=5",
            "hyperx:dims=3x4",
            "hyperx:dims=2x5x3",
            "flattened_butterfly:k=3,n=3",
        ] {
            let grid = topology::build(spec).unwrap();
            let n = grid.graph.switches() as u32;
            as_by_trees(&grid.graph, &*built("bfs", &grid, &Options::default()), |_| (0..n).collect());
        }
    }

    #[test]
    fn pairs_of_large_networks_go_as_their_trees() {
        for spec in ["imase_itoh:n=700,d=3", "random:n=600,d=4", "dragonfly:a=10,h=5,p=5", "torus:9x8x7"] {
            let topology = topology::build(spec).unwrap();
            let graph = &topology.graph;
            assert!(graph.arcs() > SMALL);
            // A few of each source, so no tree is grown; and many, so that it is.
            let far = |from: u32| (1..6).map(|i| (from * 31 + i * 97) % graph.switches() as u32).collect();
            as_by_trees(graph, &Bfs::new(graph.clone()), far);
            let bfs = Bfs::new(graph.clone());
            let all = |from| if from % 50 == 0 { (0..graph.switches() as u32).collect() } else { Vec::new() };
            as_by_trees(graph, &bfs, all);
            assert!(bfs.trees.route_if_grown(SwitchId(50), SwitchId(3), &mut Vec::new()).is_some(), "{spec}");
        }
    }

    proptest! {
        #[test]
        fn searches_from_both_ends_go_as_trees(
            n in 1usize..40, directed: bool, pairs in prop::collection::vec((0u32..40, 0u32..40), 0..120)
        ) {
            let pairs = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = Arc::new(Graph::with_parallel_cables(n, directed, pairs).unwrap());
            let both_ends = both_ends::BothEnds::default();
            for from in (0..n as u32).map(SwitchId) {
                let own = tree(&graph, from);
                for to in (0..n as u32).map(SwitchId) {
                    let mut arcs = vec![ArcId(7)];
                    let (found, _) = both_ends.route(&graph, from, to, &mut arcs);
                    prop_assert_eq!(arcs.remove(0), ArcId(7));
                    prop_assert_eq!(found.then_some(arcs), in_tree(&graph, &own, from, to));
                }
            }
        }

        #[test]
        fn routes_are_paths_of_the_shortest_length(
            n in 2usize..20, directed: bool, pairs in prop::collection::vec((0u32..20, 0u32..20), 0..50), seed: u64
        ) {
            let pairs = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = Arc::new(Graph::with_parallel_cables(n, directed, pairs).unwrap());
            let other = super::super::random_shortest::RandomShortest::new(graph.clone(), seed, super::super::tests::one_host_each(n));
            for from in 0..n as u32 {
                let lengths = petgraph::algo::dijkstra(&graph.to_petgraph(), from.into(), None, |_| 1_usize);
                for to in 0..n as u32 {
                    for routing in [&Bfs::new(graph.clone()) as &dyn Routing, &other] {
                        let mut arcs = Vec::new();
                        let found = routing.route(SwitchId(from), SwitchId(to), &mut arcs);
                        prop_assert_eq!(found.then_some(arcs.len()), lengths.get(&petgraph::graph::NodeIndex::from(to)).copied());
                        let mut at = SwitchId(from);
                        for arc in arcs {
                            prop_assert_eq!(graph.tail(arc), at);
                            at = graph.head(arc);
                        }
                        prop_assert!(!found || at == SwitchId(to));
                    }
                }
            }
        }
    }
}
