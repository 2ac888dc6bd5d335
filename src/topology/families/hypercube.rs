//! The hypercube of `d` dimensions: switch `i` is connected to `i xor 2^b` for every `b < d`.
//!
//! 2^d switches of degree d, diameter d, average distance `d 2^(d-1) / (2^d - 1)`. (*Skywalk* compares with it; its
//! `Hypercube(N, d)` needs N = 2^d.)

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let d = arguments.degree("d", 24, "2^24 switches are the limit")?;
    let n = 1_usize << d;
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    let cables = (0..n as u32).flat_map(|i| (0..d).map(move |b| (i, i ^ (1 << b))).filter(|(u, v)| u < v));
    Graph::undirected(n, cables.collect())
}
