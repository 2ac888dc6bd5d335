//! Shortest paths by breadth-first search from the source.
//!
//! Among equally short paths the search decides: it takes the neighbours of a switch in ascending order, and a switch keeps
//! the first parent that found it. This is the rule of the reference corpus, whose routes it reproduces.

use std::sync::Arc;

use super::trees::Trees;
use super::{Options, Routing, RoutingError};
use crate::ids::SwitchId;
use crate::topology::weighted::NO_ARC;
use crate::topology::{ArcId, Graph, Topology};

struct Bfs(Trees);

pub(super) fn build(topology: &Topology, _options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(Bfs::new(topology.graph.clone())))
}

impl Bfs {
    fn new(graph: Arc<Graph>) -> Self {
        Self(Trees::new(graph))
    }

    fn search(&self, source: SwitchId) -> Vec<u32> {
        let graph = self.0.graph();
        let mut came_by = vec![NO_ARC; graph.switches()];
        let mut queue = Vec::with_capacity(graph.switches());
        queue.push(source);
        let mut done = 0;
        while let Some(&switch) = queue.get(done) {
            done += 1;
            // All are found: the last level, which is the largest in a good network, need not be looked at.
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
}

impl Routing for Bfs {
    /// A switch with one way out shares the tree of the switch that it leads to: its own would be the same behind the first
    /// arc. So a star needs one search, and a tree only those of its inner switches.
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        let graph = self.0.graph();
        let mut ways_out = graph.out_arcs(from);
        match (ways_out.next(), ways_out.next()) {
            (Some(only), None) if from != to => {
                let (start, next) = (arcs.len(), graph.head(only));
                arcs.push(only);
                let found = self.0.route(next, to, || self.search(next), arcs);
                if !found {
                    arcs.truncate(start);
                }
                found
            }
            _ => self.0.route(from, to, || self.search(from), arcs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology;
    use proptest::prelude::*;

    /// The switches of a route, the first one included.
    fn path(graph: &Graph, routing: &dyn Routing, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut arcs = Vec::new();
        routing.route(SwitchId(from), SwitchId(to), &mut arcs).then(|| {
            let heads = arcs.iter().map(|&arc| graph.head(arc).0);
            [from].into_iter().chain(heads).collect()
        })
    }

    #[test]
    fn the_first_parent_found_stays() {
        // A square 0-1-3-2-0: from 0 the search sees 1 before 2, so 3 is reached by way of 1; from 3 it goes the same way.
        let graph = Arc::new(Graph::undirected(4, vec![(0, 1), (0, 2), (1, 3), (2, 3)]).unwrap());
        let bfs = Bfs::new(graph.clone());
        assert_eq!(path(&graph, &bfs, 0, 3).unwrap(), [0, 1, 3]);
        assert_eq!(path(&graph, &bfs, 3, 0).unwrap(), [3, 1, 0]);
        assert_eq!(path(&graph, &bfs, 2, 2).unwrap(), [2]);
    }

    #[test]
    fn parents_are_ranked_by_when_they_were_found_not_by_number() {
        // From 0: level 1 is 5 (behind it 1) and 6 (behind it 2); 3 hangs on 5 and 6 both: 5 is first. And 4 hangs on 2 and
        // 1, which were found in the order 2, 1 here, because 2 hangs on 5 and 1 on 6: so 4 comes by way of 2.
        let arcs = vec![(0, 5), (0, 6), (5, 2), (6, 1), (2, 4), (1, 4), (5, 3), (6, 3)];
        let graph = Arc::new(Graph::directed(7, arcs).unwrap());
        let bfs = Bfs::new(graph.clone());
        assert_eq!(path(&graph, &bfs, 0, 4).unwrap(), [0, 5, 2, 4]);
        assert_eq!(path(&graph, &bfs, 0, 3).unwrap(), [0, 5, 3]);
        assert_eq!(path(&graph, &bfs, 4, 0), None);
    }

    #[test]
    fn leaves_go_as_their_own_search_would() {
        // Two hubs, 0 and 1, joined by 2 and by 3, with two leaves each; and a leaf that hangs on a leaf.
        let cables = vec![(0, 2), (0, 3), (1, 2), (1, 3), (0, 4), (0, 5), (1, 6), (1, 7), (7, 8)];
        let graph = Arc::new(Graph::undirected(9, cables).unwrap());
        let bfs = Bfs::new(graph.clone());
        for from in 0..9 {
            let own = bfs.search(SwitchId(from));
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
        let bfs = build(&torus, &Options::default()).unwrap();
        // Switch (128, 128) is 128 hops away in each dimension.
        assert_eq!(path(&torus.graph, &*bfs, 0, 128 + 256 * 128).unwrap().len(), 257);
    }

    proptest! {
        #[test]
        fn routes_are_paths_of_the_shortest_length(
            n in 2usize..20, directed: bool, pairs in prop::collection::vec((0u32..20, 0u32..20), 0..50), seed: u64
        ) {
            let pairs = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = Arc::new(Graph::with_parallel_cables(n, directed, pairs).unwrap());
            let other = super::super::random_shortest::RandomShortest::new(graph.clone(), seed);
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
