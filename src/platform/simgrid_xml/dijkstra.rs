//! `Dijkstra` and `DijkstraCache` zones: paths with the fewest links, computed for a source on its first lookup.
//!
//! The choice between several shortest paths depends on the order of the work, so the order is SimGrid's: the point
//! with the smallest cost is next, among equals the one that the declared routes mention first, and only a shorter path
//! replaces another. From points that cannot be reached SimGrid continues with a cost that overflows, and then fails or
//! never ends; here they are skipped.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::edges::{EdgeId, Edges};
use crate::routing::source_cache::SourceCache;

const NO_WAY: u32 = u32::MAX;

/// Paths from each source that was looked up.
pub(super) struct Dijkstra {
    /// Place of each point in the order of mention.
    rank: Vec<u32>,
    /// For each source, the last declared route on the path to each point.
    trees: SourceCache<Vec<u32>>,
}

impl Dijkstra {
    /// Creates the rule for points with these places in the order of mention.
    pub(super) fn new(rank: Vec<u32>) -> Self {
        let trees = SourceCache::new(rank.len(), 4 * rank.len());
        Self { rank, trees }
    }

    fn tree(&self, edges: &Edges, from: u32) -> Vec<u32> {
        let points = self.rank.len();
        let mut cost = vec![u64::MAX; points];
        let mut last = vec![NO_WAY; points];
        let mut queue = BinaryHeap::new();
        cost[from as usize] = 0;
        queue.push(Reverse((0, self.rank[from as usize], from)));
        while let Some(Reverse((here_cost, _, here))) = queue.pop() {
            if here_cost > cost[here as usize] {
                continue;
            }
            for edge in edges.out_of(here) {
                let to = edges.ends(edge).1 as usize;
                let through = here_cost + edges.links(edge).len() as u64;
                if through < cost[to] {
                    cost[to] = through;
                    last[to] = edge.0;
                    queue.push(Reverse((through, self.rank[to], to as u32)));
                }
            }
        }
        last
    }

    /// Appends the declared routes of the path; `false` if there is none.
    pub(super) fn path(&self, edges: &Edges, from: u32, to: u32, path: &mut Vec<EdgeId>) -> bool {
        if from == to {
            // From a point to itself only the declared route counts.
            path.extend(edges.find(from, to));
            return edges.find(from, to).is_some();
        }
        let first = path.len();
        let found = self.trees.with(
            from,
            || self.tree(edges, from),
            |last| {
                let mut here = to;
                while here != from {
                    if last[here as usize] == NO_WAY {
                        return false;
                    }
                    let edge = EdgeId(last[here as usize]);
                    path.push(edge);
                    here = edges.ends(edge).0;
                }
                true
            },
        );
        if found {
            path[first..].reverse()
        } else {
            path.truncate(first)
        }
        found
    }
}
