//! The collective algorithms, and the registry that finds them by name.
//!
//! A new algorithm is a static [`Algorithm`] in a file of its operation, and one line in [`ALGORITHMS`].

mod support;

pub mod allgather;
pub mod allgatherv;
pub mod allreduce;
pub mod alltoall;
pub mod alltoallv;
pub mod barrier;
pub mod bcast;
pub mod bcast_scatter;
pub mod doubling;
mod fold;
pub mod gather;
pub mod reduce;
pub mod reduce_scatter;
pub mod reduce_scatter_gather;
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
    &bcast::BINOMIAL,
    &bcast::KNOMIAL,
    &bcast_scatter::RING,
    &bcast_scatter::DOUBLING,
    &reduce::NONBLOCKING,
    &reduce::LINEAR,
    &reduce::BINOMIAL,
    &reduce::KNOMIAL,
    &reduce_scatter_gather::SCATTER_GATHER,
    &allreduce::DOUBLING,
    &allreduce::SCATTER,
    &alltoall::LINEAR,
    &alltoall::PAIR,
    &alltoall::RING,
    &alltoall::BRUCK,
    &doubling::ALLTOALL,
    &alltoall::SCATTERED,
    &alltoallv::LINEAR,
    &alltoallv::RING,
    &gather::NONBLOCKING,
    &gather::LINEAR,
    &gather::BINOMIAL,
    &gather::GATHERV,
    &allgather::NONBLOCKING,
    &doubling::ALLGATHER,
    &allgather::RING,
    &allgather::BRUCK,
    &allgatherv::NONBLOCKING,
    &doubling::ALLGATHERV,
    &allgatherv::RING,
    &allgatherv::BRUCK,
    &scatter::NONBLOCKING,
    &scatter::LINEAR,
    &scatter::BINOMIAL,
    &scatter::SCATTERV,
    &reduce_scatter::PAIRWISE,
    &reduce_scatter::HALVING,
    &doubling::REDUCE_SCATTER,
    &scan::SCAN,
    &scan::EXSCAN,
];

/// The algorithms of an operation.
pub fn of(kind: CollectiveKind) -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().copied().filter(move |algorithm| algorithm.kind == Some(kind))
}

/// The algorithm of an operation with that name. `_` and `-` are the same.
pub fn find(kind: CollectiveKind, name: &str) -> Option<&'static Algorithm> {
    let name = name.replace('_', "-");
    of(kind).find(|algorithm| algorithm.name == name)
}
