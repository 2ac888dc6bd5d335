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

/// Buffers of [`Pouring::pour`], for any number of calls on one graph.
pub(crate) struct Pouring {
    amount: Vec<f64>,
    here: Vec<SwitchId>,
    next: Vec<SwitchId>,
}

impl Pouring {
    /// Creates the buffers for a graph of `switches` switches.
    pub(crate) fn new(switches: usize) -> Self {
        Self { amount: vec![0.0; switches], here: Vec::new(), next: Vec::new() }
    }

    /// Sends 1 from a switch to the one that the distances are to, in equal parts to all next hops at each switch on the way.
    /// `visit` receives each arc with its part, in the order of distance from the source.
    pub(crate) fn pour(&mut self, graph: &Graph, distance: &[u32], from: SwitchId, mut visit: impl FnMut(ArcId, f64)) {
        let Self { amount, here, next } = self;
        here.clear();
        here.push(from);
        amount[from.index()] = 1.0;
        // All shortest paths have the same length, so the switches of one step are done before those of the next.
        for _ in 0..distance[from.index()] {
            next.clear();
            for &switch in here.iter() {
                let whole = std::mem::take(&mut amount[switch.index()]);
                let ways = nearer(graph, distance, switch);
                let part = whole / ways.clone().count() as f64;
                for arc in ways {
                    let head = graph.head(arc);
                    visit(arc, part);
                    if amount[head.index()] == 0.0 {
                        next.push(head);
                    }
                    amount[head.index()] += part;
                }
            }
            std::mem::swap(here, next);
        }
        here.iter().for_each(|switch| amount[switch.index()] = 0.0);
    }
}

/// Sends what is on each switch (`height`) to the first switch of `order`, in equal parts to all next hops at each switch.
/// `distance` and `order` are those of [`distances`] to it; `visit` receives each arc with all that it carries, from the
/// farthest switch on.
pub(crate) fn gather(
    graph: &Graph,
    (distance, order): (&[u32], &[SwitchId]),
    height: &mut [f64],
    mut visit: impl FnMut(ArcId, f64),
) {
    for &switch in order.iter().skip(1).rev() {
        let poured = height[switch.index()];
        if poured == 0.0 {
            continue;
        }
        let ways = nearer(graph, distance, switch);
        let part = poured / ways.clone().count() as f64;
        for arc in ways {
            visit(arc, part);
            height[graph.head(arc).index()] += part;
        }
    }
}
