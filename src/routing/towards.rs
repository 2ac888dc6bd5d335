//! Distances to a destination, for routings that choose among the neighbours that are nearer to it.

use std::sync::Arc;

use super::source_cache::SourceCache;
use crate::ids::SwitchId;
use crate::topology::{ArcId, Graph};

/// Distance of a switch from which there is no way.
pub(crate) const FAR: u32 = u32::MAX;

/// The distance of every switch to `to`, in hops, and the switches in the order of their distances.
pub(crate) fn distances(graph: &Graph, to: SwitchId) -> (Vec<u32>, Vec<SwitchId>) {
    let mut distance = vec![FAR; graph.switches()];
    let mut queue = Vec::with_capacity(graph.switches());
    distance[to.index()] = 0;
    queue.push(to);
    let mut done = 0;
    while let Some(&switch) = queue.get(done) {
        done += 1;
        for arc in graph.in_arcs(switch) {
            let tail = graph.tail(arc);
            if distance[tail.index()] == FAR {
                distance[tail.index()] = distance[switch.index()] + 1;
                queue.push(tail);
            }
        }
    }
    (distance, queue)
}

/// The arcs that lead one hop nearer, in ascending order.
pub(crate) fn nearer<'a>(
    graph: &'a Graph,
    distance: &'a [u32],
    at: SwitchId,
) -> impl Iterator<Item = ArcId> + Clone + 'a {
    let here = distance[at.index()];
    graph.out_range(at).map(|arc| ArcId(arc as u32)).filter(move |&arc| {
        let there = distance[graph.head(arc).index()];
        here != FAR && there != FAR && there + 1 == here
    })
}

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

    /// Goes from one switch to another. `choose` says, at a switch with so many shortest next hops, which one is taken, from 0;
    /// `visit` sees its arc, which one it was, and of how many. `false`, with nothing visited, where there is no way.
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
