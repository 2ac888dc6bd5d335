//! Routes that are chosen hop by hop among the neighbours that are nearer to the destination.

use std::sync::Arc;

use super::source_cache::SourceCache;
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, distances, nearer};
use crate::topology::{ArcId, Graph};

/// Shortest routes that are chosen hop by hop.
pub(super) struct Towards {
    graph: Arc<Graph>,
    /// Distances to each destination.
    distances: SourceCache<Vec<u32>>,
}

impl Towards {
    pub fn new(graph: Arc<Graph>) -> Self {
        let n = graph.switches();
        Self { graph, distances: SourceCache::new(n, n * size_of::<u32>()) }
    }

    /// Goes from one switch to another. `choose` says, at a switch with so many shortest next hops, which one is taken,
    /// from 0; `visit` sees its arc, which one it was, and of how many. `false`, with nothing visited, where there is
    /// no way.
    pub fn walk(
        &self,
        from: SwitchId,
        to: SwitchId,
        mut choose: impl FnMut(SwitchId, usize) -> usize,
        mut visit: impl FnMut(ArcId, usize, usize),
    ) -> bool {
        self.distances.with(
            to.0,
            || distances(&self.graph, to).0,
            |distance| {
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
            },
        )
    }
}
