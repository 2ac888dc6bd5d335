//! DLN-x: a ring with shortcuts of lengths `floor(n/2)`, `floor(n/4)`, ..., x - 2 of them.
//!
//! (M. Koibuchi et al., A Case for Random Shortcut Topologies for HPC Interconnects, 2012; cited by *Layout-aware
//! Expandable Low-degree Topology*.) Every switch has `2x - 3` cables where `2^(x-2)` divides n and x >= 3.

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let (n, cables) = cables(arguments)?;
    Graph::undirected(n, cables)
}

/// Checks `n` and `x`, and returns the ring and its regular shortcuts.
pub(super) fn cables(arguments: &Arguments) -> Result<(usize, Vec<(u32, u32)>), TopologyError> {
    let n = arguments.switches("n", 3)?;
    let x = arguments.count("x", 2, 64)?;
    if x > 2 && (n >> (x - 2).min(63)) < 2 {
        return Err(arguments.invalid("x", "the shortest shortcut, floor(n / 2^(x-2)), must have length 2 or more"));
    }
    arguments.limit_arcs("n", 2 * n as u128 * (x as u128 - 1))?;
    let lengths = std::iter::once(1).chain((1..=x - 2).map(|k| n >> k));
    let cables = lengths.flat_map(|length| (0..n).map(move |i| (i as u32, ((i + length) % n) as u32))).collect();
    Ok((n, cables))
}
