//! `Floyd` zones: paths with the fewest links, for all pairs.
//!
//! The choice between several shortest paths depends on the order of the work, so the order is SimGrid's: intermediate
//! points in the order of their declaration, and only a shorter path replaces another. The work grows with the cube of
//! the number of points and the table with its square, so their number is limited.

use super::edges::{EdgeId, Edges};

/// Largest number of points of a `Floyd` zone: 2,048, which take some seconds and 32 MB.
pub(super) const MAX_POINTS: u32 = 2048;

const NO_WAY: u32 = u32::MAX;

/// For each pair, the last point before the destination.
pub(super) struct Floyd {
    points: usize,
    before: Vec<u32>,
}

impl Floyd {
    /// Finds all paths between `points` points.
    pub(super) fn new(edges: &Edges, points: u32) -> Self {
        let n = points as usize;
        let mut cost = vec![NO_WAY; n * n];
        let mut before = vec![NO_WAY; n * n];
        for (from, to, links) in edges.all() {
            let place = from as usize * n + to as usize;
            cost[place] = links;
            before[place] = from;
        }
        let mut from_via = vec![0; n];
        let mut before_via = vec![0; n];
        for via in 0..n {
            from_via.copy_from_slice(&cost[via * n..(via + 1) * n]);
            before_via.copy_from_slice(&before[via * n..(via + 1) * n]);
            for from in 0..n {
                let to_via = cost[from * n + via];
                if to_via == NO_WAY {
                    continue;
                }
                let row = from * n..(from + 1) * n;
                let ways = cost[row.clone()].iter_mut().zip(&mut before[row]);
                for ((cost, before), (&rest, &last)) in ways.zip(from_via.iter().zip(&before_via)) {
                    // A saturated sum means "no path", and is never less than an existing one.
                    let by_way_of = to_via.saturating_add(rest);
                    if by_way_of < *cost {
                        *cost = by_way_of;
                        *before = last;
                    }
                }
            }
        }
        Self { points: n, before }
    }

    /// Appends the declared routes of the path; `false` if there is none.
    pub(super) fn path(&self, edges: &Edges, from: u32, to: u32, path: &mut Vec<EdgeId>) -> bool {
        let first = path.len();
        let mut here = to;
        loop {
            let before = self.before[from as usize * self.points + here as usize];
            let edge = if before == NO_WAY { None } else { edges.find(before, here) };
            // A path visits no point twice, so one with more edges than points would be a bug in this file.
            let Some(edge) = edge.filter(|_| path.len() - first < self.points) else {
                path.truncate(first);
                return false;
            };
            path.push(edge);
            here = before;
            if here == from {
                break;
            }
        }
        path[first..].reverse();
        true
    }
}
