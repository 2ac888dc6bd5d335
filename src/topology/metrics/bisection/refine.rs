//! Refinement of halves under exact balance: B. Kernighan and S. Lin's exchange with the single moves of C. Fiduccia
//! and R. Mattheyses (A Linear-Time Heuristic for Improving Network Partitions, 1982).
//!
//! In a pass, each half in turn moves the switch with the largest gain, which then remains in its new half. The best
//! state after an even number of moves is kept, and passes repeat until one brings no improvement.

use std::collections::BinaryHeap;

use super::weighted::Weighted;

/// Moves without a new best cut after which a pass ends.
const PATIENCE: usize = 400;
/// Maximum number of passes; few are ever needed.
const PASSES: usize = 30;

/// Improves halves without changing their sizes.
pub(super) fn refine(graph: &Weighted, side: &mut [bool]) {
    for _ in 0..PASSES {
        if !pass(graph, side) {
            return;
        }
    }
}

/// Runs one pass; returns `true` if it improved the cut.
fn pass(graph: &Weighted, side: &mut [bool]) -> bool {
    let n = graph.len();
    let gain_of = |switch: usize, side: &[bool]| -> i64 {
        let signed =
            |(end, weight): (usize, u64)| if side[end] == side[switch] { -(weight as i64) } else { weight as i64 };
        graph.around(switch).map(signed).sum()
    };
    let mut gain: Vec<i64> = (0..n).map(|switch| gain_of(switch, side)).collect();
    let mut stays = vec![false; n];
    // Entries with an outdated gain are skipped. The smallest number wins among equals.
    let mut heaps = [BinaryHeap::new(), BinaryHeap::new()];
    for switch in 0..n {
        heaps[usize::from(side[switch])].push((gain[switch], std::cmp::Reverse(switch)));
    }
    let (mut total, mut best, mut best_moves) = (0_i64, 0_i64, 0);
    let mut moves = Vec::new();
    'pass: while moves.len() + 1 < n && moves.len() - best_moves < PATIENCE {
        for half in [false, true] {
            let switch = loop {
                let Some((entry, std::cmp::Reverse(switch))) = heaps[usize::from(half)].pop() else { break 'pass };
                if !stays[switch] && entry == gain[switch] {
                    break switch;
                }
            };
            stays[switch] = true;
            total += gain[switch];
            for (end, weight) in graph.around(switch) {
                if !stays[end] {
                    gain[end] += if side[end] == half { 2 } else { -2 } * weight as i64;
                    heaps[usize::from(side[end])].push((gain[end], std::cmp::Reverse(end)));
                }
            }
            side[switch] = !half;
            moves.push(switch);
        }
        if total > best {
            (best, best_moves) = (total, moves.len());
        }
    }
    for &switch in &moves[best_moves..] {
        side[switch] = !side[switch];
    }
    best > 0
}
