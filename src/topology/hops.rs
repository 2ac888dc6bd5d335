//! Distances in hops to a switch, and the next hops of shortest paths.

use super::{ArcId, Graph};
use crate::ids::SwitchId;

/// Distance of a switch without a path.
pub(crate) const FAR: u32 = u32::MAX;

/// Returns the distance of every switch to `to`, in hops, and the switches in the order of their distances.
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

/// Returns the arcs that lead one hop nearer, in ascending order.
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
