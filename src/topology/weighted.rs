//! Lightest paths from a switch, where every arc has a weight.
//!
//! Weights are whole picoseconds, so that equally long paths are equal: of those, the one whose last arc has the lowest
//! number is taken, and so on backwards. The search sorts switches into buckets as wide as the lightest arc: switches
//! in the first bucket can no longer get a shorter path (R. Dial 1969; E. Denardo and B. Fox 1979), so no heap is
//! needed, and a switch costs little more than in a breadth-first search.

use super::graph::{ArcId, Graph};
use crate::ids::SwitchId;

/// No arc: the source itself, or a switch that is not reached.
pub(crate) const NO_ARC: u32 = u32::MAX;
/// Weight of the path to a switch that is not reached.
pub(crate) const FAR: u64 = u64::MAX;

/// Largest number of buckets; larger ranges of weights use wider buckets, in which a switch may be visited again.
const MAX_BUCKETS: u64 = 1 << 12;

/// Weight of a hop if hops have priority: more than that of any arc.
pub(crate) const HOP: u64 = 1 << 40;

/// A weight for each arc of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    of_arc: Vec<u64>,
    /// The width of a bucket is 2 to this power.
    shift: u32,
    /// Number of buckets: more than the heaviest arc spans.
    buckets: usize,
}

/// Converts seconds to whole picoseconds; at least one, at most 2^40 - 1 (a second).
pub(crate) fn picoseconds(seconds: f64) -> u64 {
    ((seconds * 1e12).round() as u64).clamp(1, HOP - 1)
}

impl Weights {
    /// Creates weights for the arcs, in order; a weight of 0 counts as 1.
    pub(crate) fn new(mut of_arc: Vec<u64>) -> Self {
        of_arc.iter_mut().for_each(|weight| *weight = (*weight).max(1));
        let least = of_arc.iter().copied().min().unwrap_or(1);
        let most = of_arc.iter().copied().max().unwrap_or(1);
        let shift = least.ilog2().max((most / MAX_BUCKETS).checked_ilog2().map_or(0, |log| log + 1));
        let buckets = ((most >> shift) + 2) as usize;
        Self { of_arc, shift, buckets }
    }

    /// Returns the part of an arc's weight that is time, in seconds.
    pub(crate) fn seconds(&self, arc: ArcId) -> f64 {
        (self.of_arc[arc.index()] & (HOP - 1)) as f64 / 1e12
    }

    /// Creates weights that compare hops first, and seconds among equal hops.
    pub(crate) fn hops_first(seconds: impl Iterator<Item = f64>) -> Self {
        Self::new(seconds.map(|seconds| HOP + picoseconds(seconds)).collect())
    }
}

/// The arrays of a search, for many searches on one graph.
pub(crate) struct WeightedSearch {
    /// Weight of the path from the source to each switch, or [`FAR`].
    pub weight: Vec<u64>,
    /// The last arc of that path, or [`NO_ARC`].
    pub came_by: Vec<u32>,
    buckets: Vec<Vec<(u64, u32)>>,
}

impl WeightedSearch {
    pub(crate) fn new(n: usize) -> Self {
        Self { weight: vec![FAR; n], came_by: vec![NO_ARC; n], buckets: Vec::new() }
    }

    /// Finds the paths from `source`.
    pub(crate) fn run(&mut self, graph: &Graph, weights: &Weights, source: SwitchId) {
        self.weight.fill(FAR);
        self.came_by.fill(NO_ARC);
        self.buckets.resize_with(weights.buckets, Vec::new);
        self.weight[source.index()] = 0;
        self.buckets[0].push((0, source.0));
        let (mut waiting, mut bucket) = (1, 0);
        let mut here = Vec::new();
        while waiting > 0 {
            std::mem::swap(&mut here, &mut self.buckets[bucket]);
            if here.is_empty() {
                bucket = (bucket + 1) % weights.buckets;
                continue;
            }
            waiting -= here.len();
            for (weight, switch) in here.drain(..) {
                if self.weight[switch as usize] != weight {
                    continue;
                }
                for arc in graph.out_range(SwitchId(switch)) {
                    let head = graph.head(ArcId(arc as u32)).index();
                    let longer = weight + weights.of_arc[arc];
                    let known = self.weight[head];
                    if longer < known {
                        self.weight[head] = longer;
                        self.came_by[head] = arc as u32;
                        self.buckets[(longer >> weights.shift) as usize % weights.buckets].push((longer, head as u32));
                        waiting += 1;
                    } else if longer == known && (arc as u32) < self.came_by[head] && head != source.index() {
                        self.came_by[head] = arc as u32;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ways_are_the_lightest_and_ties_go_to_the_lowest_arc(
            n in 2usize..20, directed: bool, pairs in prop::collection::vec((0u32..20, 0u32..20), 0..60), wide: bool,
            drawn in prop::collection::vec(1u64..6, 120)
        ) {
            let pairs = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = Graph::with_parallel_cables(n, directed, pairs).unwrap();
            let of_arc: Vec<u64> = drawn[..graph.arcs()].iter().map(|&w| if wide { w.pow(9) } else { w }).collect();
            let mut search = WeightedSearch::new(n);
            for source in 0..n as u32 {
                search.run(&graph, &Weights::new(of_arc.clone()), SwitchId(source));
                let slow = petgraph::algo::dijkstra(&graph.to_petgraph(), source.into(), None, |edge| of_arc[petgraph::visit::EdgeRef::id(&edge).index()]);
                for to in 0..n as u32 {
                    let expected = slow.get(&petgraph::graph::NodeIndex::from(to)).copied();
                    prop_assert_eq!(search.weight[to as usize], expected.unwrap_or(FAR));
                    let lowest = graph.in_arcs(SwitchId(to)).find(|&arc| {
                        let before = search.weight[graph.tail(arc).index()];
                        before != FAR && Some(before + of_arc[arc.index()]) == expected
                    });
                    let came_by = search.came_by[to as usize];
                    prop_assert_eq!((came_by != NO_ARC).then_some(ArcId(came_by)), lowest.filter(|_| to != source));
                }
            }
        }
    }
}
