//! Shortest routes that are chosen hop by hop among the next hops that are nearer to the destination.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::pair_search::PairSearch;
use super::source_cache::SourceCache;
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, distances, nearer};
use crate::topology::{ArcId, Graph};

/// Number of arcs up to which all distances to a destination are found at its first route: that takes a few
/// microseconds, no longer than a search for some pairs.
const SMALL: usize = 2048;

/// Shortest routes that are chosen hop by hop.
pub(super) struct Towards {
    graph: Arc<Graph>,
    /// Distances to each destination.
    distances: SourceCache<Vec<u32>>,
    pairs: PairSearch,
    /// Arcs visited for single pairs of each destination since all distances to it were last found.
    spent: Vec<AtomicU32>,
}

impl Towards {
    pub fn new(graph: Arc<Graph>) -> Self {
        let n = graph.switches();
        Self {
            graph,
            distances: SourceCache::new(n, n * size_of::<u32>()),
            pairs: PairSearch::default(),
            spent: (0..n).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Calls `look` with distances to `to` that are valid on all shortest paths from `from`, and are valid or [`FAR`]
    /// elsewhere.
    ///
    /// Pairs of a large network are searched one by one until that has cost a destination as much as finding all
    /// distances to it; then these are found and kept. So the cost is at most twice that of the better of the two.
    pub fn with_distances<R>(&self, from: SwitchId, to: SwitchId, look: impl FnOnce(&[u32]) -> R) -> R {
        let spent = &self.spent[to.index()];
        let all = self.graph.arcs() <= SMALL || spent.load(Ordering::Relaxed) as usize >= self.graph.arcs();
        // `look` is called once, by one of the two.
        let mut look = Some(look);
        let mut call = |distance: &[u32]| look.take().map(|look| look(distance));
        if !all {
            let kept = self.distances.remembered(to.0, |distance| call(distance));
            let answer = kept.flatten().or_else(|| {
                let (answer, looks) = self.pairs.with(&self.graph, from, to, &mut call);
                spent.fetch_add(looks, Ordering::Relaxed);
                answer
            });
            return answer.expect("it was called with the distances of the pair");
        }
        let answer = self.distances.with(to.0, || distances(&self.graph, to).0, |distance| call(distance));
        answer.expect("it was called with all distances")
    }

    /// Walks from one switch to another. `choose` returns, for a switch and its number of shortest next hops, the index
    /// of the chosen one; `visit` receives its arc, that index and that number. `false`, with nothing visited, if there
    /// is no path.
    pub fn walk(
        &self,
        from: SwitchId,
        to: SwitchId,
        mut choose: impl FnMut(SwitchId, usize) -> usize,
        mut visit: impl FnMut(ArcId, usize, usize),
    ) -> bool {
        self.with_distances(from, to, |distance| {
            let mut at = from;
            while at != to && distance[at.index()] != FAR {
                let mut ways = nearer(&self.graph, distance, at);
                let count = ways.clone().count();
                let chosen = choose(at, count);
                let arc = ways.nth(chosen).expect("a switch with a way has a next hop");
                visit(arc, chosen, count);
                at = self.graph.head(arc);
            }
            at == to
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology;

    #[test]
    fn pairs_of_large_networks_go_as_with_all_distances() {
        for spec in ["imase_itoh:n=700,d=3", "random:n=600,d=4", "dragonfly:a=10,h=5,p=5", "torus:9x8x7"] {
            let graph = topology::build(spec).unwrap().graph;
            assert!(graph.arcs() > SMALL);
            let towards = Towards::new(graph.clone());
            let route = |from: SwitchId, to: SwitchId| {
                let mut arcs = Vec::new();
                let choose = |at: SwitchId, count| (at.0 as usize * 7 + 3) % count;
                assert!(towards.walk(from, to, choose, |arc, _, _| arcs.push(arc)));
                arcs
            };
            let n = graph.switches() as u32;
            let pair = |i: u32| (SwitchId(i * 31 % n), SwitchId(i * i % 5 * 97 % n));
            // At first every pair is searched on its own, finally all distances to the few destinations are known.
            let first: Vec<Vec<ArcId>> = (0..40).map(pair).map(|(from, to)| route(from, to)).collect();
            (0..n).map(pair).for_each(|(from, to)| assert_eq!(route(from, to).is_empty(), from == to));
            let (_, to) = pair(3);
            assert!(towards.distances.remembered(to.0, |_| ()).is_some(), "{spec}");
            assert!((0..40).map(pair).map(|(from, to)| route(from, to)).eq(first), "{spec}");
        }
    }
}
