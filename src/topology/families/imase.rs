//! Common parts of the digraphs of the Imase family: arcs `i -> (a*i + b)*d + alpha mod n`, `alpha = 0..d-1`.
//!
//! The family is from the study of uni-directional networks for clusters; `a = b = 1` is the network it evaluates, `1,
//! 0` the generalised de Bruijn and `-1, -1` the generalised Kautz digraph of Imase and Itoh.

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

/// Checks `n` and `d`, and builds the digraph.
pub(super) fn build(arguments: &Arguments, a: i64, b: i64) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 2)?;
    let d = arguments.degree("d", n, "at most the number of switches")?;
    of(arguments, n, d, a, b)
}

/// Builds the digraph. Arcs from a switch to itself are left out; parallel arcs cannot arise, since `d <= n`.
pub(super) fn of(arguments: &Arguments, n: usize, d: usize, a: i64, b: i64) -> Result<Graph, TopologyError> {
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    let modulus = n as u64;
    // Reduced first, every product is below 2^48.
    let (a, b) = (a.rem_euclid(n as i64) as u64, b.rem_euclid(n as i64) as u64);
    let mut arcs = Vec::with_capacity(n * d);
    for i in 0..modulus {
        let first = (a * i + b) % modulus * (d as u64 % modulus) % modulus;
        arcs.extend((0..d as u64).map(|alpha| (i as u32, ((first + alpha) % modulus) as u32)));
    }
    let graph = Graph::directed(n, arcs)?;
    // The publications do not state which a and b produce a strongly connected digraph, so this is checked.
    let all = (0..n as u32).map(crate::ids::SwitchId);
    match graph.unreachable_pair(all) {
        None => Ok(graph),
        Some((from, to)) => Err(TopologyError::Unbuildable {
            topology: crate::topology::family::canonical(arguments),
            reason: format!("it is not strongly connected: there is no way from switch {from} to switch {to}"),
        }),
    }
}
