//! All halves of a small graph, by branch and bound: switches choose their side one after another, and a branch is
//! abandoned as soon as its cut is no better than the best halves known.

use super::weighted::Weighted;

/// Largest number of switches whose bisection is found exactly.
pub const MAX_EXACT: usize = 24;

struct SearchTree<'a> {
    graph: &'a Weighted,
    /// Weight from each switch to the assigned switches of either side.
    pull: Vec<[u64; 2]>,
    left: [usize; 2],
    side: Vec<bool>,
    best: u64,
    best_side: Vec<bool>,
}

/// Returns the best halves; among equals the first in the order of trial.
pub(super) fn halves(graph: &Weighted) -> Vec<bool> {
    let n = graph.len();
    let side: Vec<bool> = (0..n).map(|switch| switch < n / 2).collect();
    let best = graph.cut(&side) + 1;
    let mut tree = SearchTree {
        graph,
        pull: vec![[0; 2]; n],
        left: [n.div_ceil(2), n / 2],
        side: vec![false; n],
        best,
        best_side: side,
    };
    tree.grow(0, 0);
    tree.best_side
}

impl SearchTree<'_> {
    fn grow(&mut self, switch: usize, cut: u64) {
        if switch == self.side.len() {
            self.best = cut;
            self.best_side.clone_from(&self.side);
            return;
        }
        for side in [0, 1] {
            // If the halves are equally large, the first switch needs no second side.
            let mirror = switch == 0 && side == 1 && self.side.len().is_multiple_of(2);
            let cut = cut + self.pull[switch][1 - side];
            if self.left[side] == 0 || cut + self.least(switch) >= self.best || mirror {
                continue;
            }
            self.left[side] -= 1;
            self.side[switch] = side == 1;
            for (end, weight) in self.graph.around(switch) {
                self.pull[end][side] += weight;
            }
            self.grow(switch + 1, cut);
            for (end, weight) in self.graph.around(switch) {
                self.pull[end][side] -= weight;
            }
            self.left[side] += 1;
        }
    }

    /// Returns the least weight that the switches after this one must add: each the smaller of its two weights.
    fn least(&self, switch: usize) -> u64 {
        self.pull[switch + 1..].iter().map(|pull| pull[0].min(pull[1])).sum()
    }
}
