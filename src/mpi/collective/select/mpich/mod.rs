//! Rules of MPICH (`smpi_mpich_selector.cpp`) that other libraries' plans fall back on.

use crate::mpi::collective::{Algorithm, algorithms as algo};

/// Elements, not bytes, above which a reduce_scatter is pairwise.
const LONG_REDUCE_SCATTER: u64 = 524_288;

/// Bytes of the whole result below which an allgather on a power of two of ranks is of medium length.
const LONG_ALLGATHER: u64 = 524_288;

/// Bytes of the whole result up to which an allgather is short.
const SHORT_ALLGATHER: u64 = 81_920;

/// The allgather of `block` bytes from each rank.
pub(super) fn allgather_rule(ranks: u32, block: u64) -> &'static Algorithm {
    let total = block.saturating_mul(u64::from(ranks));
    if total < LONG_ALLGATHER && ranks.is_power_of_two() {
        &algo::doubling::ALLGATHER
    } else if total <= SHORT_ALLGATHER {
        &algo::allgather::BRUCK
    } else {
        &algo::allgather::RING
    }
}

/// The reduce_scatter of so many elements, for an operation that does not commute: replays have no real operation.
pub(super) fn reduce_scatter_rule(elements: u64) -> &'static Algorithm {
    if elements > LONG_REDUCE_SCATTER { &algo::reduce_scatter::PAIRWISE } else { &algo::doubling::REDUCE_SCATTER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_rules() {
        for (ranks, block, name) in
            [(4, 131_071, "rdb"), (4, 131_072, "ring"), (5, 16_384, "bruck"), (5, 16_385, "ring"), (1, 0, "rdb")]
        {
            assert_eq!(allgather_rule(ranks, block).name, name, "{ranks} ranks, {block} bytes");
        }
        assert_eq!(reduce_scatter_rule(524_288).name, "rdb");
        assert_eq!(reduce_scatter_rule(524_289).name, "pairwise");
    }
}
