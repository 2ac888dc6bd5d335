//! The Kautz digraph K(d, k): words of k letters out of d + 1, no two neighbours equal; a word shifts by one letter.
//!
//! (*A Case for Uni-Directional Network Topologies in Large-Scale Clusters*; W. Kautz, 1968.) `d^k + d^(k-1)` switches
//! in lexicographic order, d cables out and in, diameter k, no loops.

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let d = arguments.count("d", 1, MAX_SWITCHES)?;
    // With two letters the words alternate, so there are two of them, whatever their length.
    let k = arguments.count("k", 1, 24)?;
    let n = order(d, k).filter(|&n| n <= MAX_SWITCHES);
    let n =
        n.ok_or_else(|| arguments.invalid("k", format!("d^k + d^(k-1) must be at most {MAX_SWITCHES} switches")))?;
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    Graph::directed(n, arcs(d, k, n))
}

/// Returns the number of switches, if it fits.
pub(super) fn order(d: usize, k: usize) -> Option<usize> {
    let shorter = d.checked_pow(k as u32 - 1)?;
    shorter.checked_mul(d + 1)
}

/// Returns the arcs, sorted, d per switch.
pub(super) fn arcs(d: usize, k: usize, n: usize) -> Vec<(u32, u32)> {
    // Every letter but the first is written as its rank among the d that differ from its predecessor, so a word is a
    // number: the first letter, and then k - 1 digits to the base d.
    let mut arcs = Vec::with_capacity(n * d);
    let mut letters = vec![0; k];
    for word in 0..n {
        let mut rest = word;
        for place in (1..k).rev() {
            letters[place] = rest % d;
            rest /= d;
        }
        letters[0] = rest;
        for place in 1..k {
            letters[place] += usize::from(letters[place] >= letters[place - 1]);
        }
        if k == 1 {
            arcs.extend((0..=d).filter(|&c| c != word).map(|c| (word as u32, c as u32)));
            continue;
        }
        let mut prefix = letters[1];
        for place in 2..k {
            prefix = prefix * d + letters[place] - usize::from(letters[place] > letters[place - 1]);
        }
        arcs.extend((0..d).map(|rank| (word as u32, (prefix * d + rank) as u32)));
    }
    arcs
}
