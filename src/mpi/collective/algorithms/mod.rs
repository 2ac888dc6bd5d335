//! The collective algorithms, and the registry that finds them by name.
//!
//! A new algorithm is a static [`Algorithm`] in a file of its operation, and one line in [`ALGORITHMS`].

mod support;
mod tree;

pub mod allgather;
pub mod allgather_rounds;
pub mod allgatherv;
pub mod allreduce;
pub mod allreduce_ring;
pub mod alltoall;
pub mod alltoallv;
pub mod barrier;
pub mod bcast;
pub mod bcast_pipeline;
pub mod bcast_scatter;
pub mod bcast_segments;
pub mod bcast_tree;
pub mod doubling;
mod fold;
pub mod gather;
pub mod reduce;
pub mod reduce_scatter;
pub mod reduce_scatter_gather;
pub mod reduce_tree;
pub mod scan;
pub mod scatter;
pub mod transfer;

#[cfg(test)]
mod tests;

use super::Algorithm;
use crate::trace::CollectiveKind;

/// All algorithms that can be chosen by name, grouped by operation.
pub static ALGORITHMS: &[&Algorithm] = &[
    &barrier::LINEAR,
    &barrier::PAIR,
    &barrier::BRUCK,
    &barrier::TREE,
    &barrier::DOUBLE_RING,
    &bcast::BINOMIAL,
    &bcast::KNOMIAL,
    &bcast_scatter::RING,
    &bcast_scatter::DOUBLING,
    &bcast_pipeline::PIPELINE,
    &bcast_tree::LINEAR,
    &bcast_tree::CHAIN,
    &bcast_tree::BINARY,
    &bcast_tree::BINOMIAL,
    &reduce::NONBLOCKING,
    &reduce::LINEAR,
    &reduce::BINOMIAL,
    &reduce::KNOMIAL,
    &reduce_scatter_gather::SCATTER_GATHER,
    &reduce_tree::CHAIN,
    &reduce_tree::PIPELINE,
    &reduce_tree::BINARY,
    &reduce_tree::BINOMIAL,
    &reduce_tree::IN_ORDER,
    &allreduce::DOUBLING,
    &allreduce::SCATTER,
    &allreduce::RAB,
    &alltoall::LINEAR,
    &alltoall::PAIR,
    &alltoall::RING,
    &alltoall::BRUCK,
    &doubling::ALLTOALL,
    &alltoall::SCATTERED,
    &alltoall::LINEAR_SYNC,
    &alltoallv::LINEAR,
    &alltoallv::RING,
    &alltoallv::PAIR,
    &alltoallv::SCATTERED,
    &alltoallv::SCATTERED_NONEMPTY,
    &gather::NONBLOCKING,
    &gather::LINEAR,
    &gather::BINOMIAL,
    &gather::LINEAR_SYNC,
    &gather::GATHERV,
    &allgather::NONBLOCKING,
    &doubling::ALLGATHER,
    &allgather::RING,
    &allgather::BRUCK,
    &allgather_rounds::BRUCK_RADIX,
    &allgather_rounds::SPARBIT,
    &allgather::PAIR,
    &allgather::NEIGHBOUR,
    &allgather::NEIGHBOUR_RING,
    &allgather::NEIGHBOUR_RING_AHEAD,
    &allgatherv::NONBLOCKING,
    &doubling::ALLGATHERV,
    &allgatherv::RING,
    &allgatherv::RING_PIPELINED,
    &allgatherv::BRUCK,
    &allgather_rounds::SPARBIT_V,
    &allgatherv::PAIR,
    &allgatherv::NEIGHBOUR,
    &allgatherv::DIRECT,
    &scatter::NONBLOCKING,
    &scatter::LINEAR_NONBLOCKING,
    &scatter::LINEAR,
    &scatter::BINOMIAL,
    &scatter::BINOMIAL_FAR,
    &scatter::SCATTERV,
    &reduce_scatter::PAIRWISE,
    &reduce_scatter::HALVING,
    &reduce_scatter::RING,
    &reduce_scatter::BUTTERFLY,
    &doubling::REDUCE_SCATTER,
    &scan::SCAN,
    &scan::DOUBLING,
    &scan::EXSCAN,
    &scan::EXSCAN_DOUBLING,
];

/// Returns the algorithms of an operation.
pub fn of(kind: CollectiveKind) -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().copied().filter(move |algorithm| algorithm.kind == Some(kind))
}

/// Returns the algorithm of an operation with that name, or that name in SimGrid. `_` and `-` are the same, and so are
/// capital and small letters.
pub fn find(kind: CollectiveKind, name: &str) -> Option<&'static Algorithm> {
    let own = of(kind).find(|algorithm| same(algorithm.name, name));
    own.or_else(|| of(kind).find(|algorithm| algorithm.simgrid.iter().any(|known| same(known, name))))
}

/// `true` if two spellings mean the same name.
pub(super) fn same(a: &str, b: &str) -> bool {
    let plain = |c: u8| if c == b'_' { b'-' } else { c.to_ascii_lowercase() };
    a.bytes().map(plain).eq(b.bytes().map(plain))
}
