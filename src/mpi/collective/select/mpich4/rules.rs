//! Rules for one communicator (`maint/tuning/coll/mpir/generic.json`).

use super::super::mpich::rules::Ruled;
use super::super::planner::Block;
use crate::mpi::collective::algorithms as algo;

/// Largest message of a binomial broadcast, in bytes.
const SHORT_BCAST: u64 = 12_288;

/// Largest message of a broadcast by recursive doubling, in bytes.
const MEDIUM_BCAST: u64 = 524_288;

/// Communicators with fewer ranks are small for broadcasts; for all-to-alls also those with as many, since MPICH compares
/// after the send buffer, by another function (`csel.c`).
const SMALL: u32 = 8;

/// Returns the rule for a broadcast of `bytes`.
pub(super) fn bcast(ranks: u32, bytes: u64) -> Ruled {
    if ranks < SMALL {
        (&algo::bcast::BINOMIAL, "P < 8")
    } else if bytes <= SHORT_BCAST {
        (&algo::bcast::BINOMIAL, "P >= 8, n <= 12288")
    } else if !ranks.is_power_of_two() {
        (&algo::bcast_scatter::RING, "P >= 8, no power of two, n > 12288")
    } else if bytes <= MEDIUM_BCAST {
        (&algo::bcast_scatter::DOUBLING, "P >= 8, a power of two, n <= 524288")
    } else {
        (&algo::bcast_scatter::RING, "P >= 8, a power of two, n > 524288")
    }
}

/// Largest vector of a binomial reduction, in bytes.
pub(super) const SHORT_REDUCE: u64 = 2048;

/// `true` if each of the ranks that halve vectors can have an element.
fn enough(ranks: u32, block: Block) -> bool {
    block.count >= 1 << ranks.max(1).ilog2()
}

/// Returns the rule for a reduction of `block`.
pub(super) fn reduce(ranks: u32, block: Block) -> Ruled {
    if block.bytes() <= SHORT_REDUCE {
        (&algo::reduce::BINOMIAL, "n <= 2048")
    } else if enough(ranks, block) {
        (&algo::reduce_scatter_gather::SCATTER_GATHER, "n > 2048")
    } else {
        (&algo::reduce::BINOMIAL, "n > 2048, fewer elements than ranks")
    }
}

/// Largest vector of an allreduce by recursive doubling, in bytes.
const SHORT_ALLREDUCE: u64 = 8;

/// Returns the rule for an allreduce of `block`.
pub(super) fn allreduce(ranks: u32, block: Block) -> Ruled {
    if block.bytes() <= SHORT_ALLREDUCE {
        (&algo::allreduce::DOUBLING, "n <= 8")
    } else if enough(ranks, block) {
        (&algo::allreduce::RAB, "n > 8")
    } else {
        (&algo::allreduce::DOUBLING, "n > 8, fewer elements than ranks")
    }
}

/// Bytes of a whole result from which an allgather is long, on a power of two of ranks and on another number.
const LONG_ALLGATHER: (u64, u64) = (524_288, 81_920);

/// Returns the rule for an allgather with a result of `total` bytes.
pub(super) fn allgather(ranks: u32, total: u64) -> Ruled {
    if ranks.is_power_of_two() && total < LONG_ALLGATHER.0 {
        (&algo::doubling::ALLGATHER, "P a power of two, P*n < 524288")
    } else if ranks.is_power_of_two() {
        (&algo::allgather::NEIGHBOUR_RING, "P a power of two, P*n >= 524288")
    } else if total < LONG_ALLGATHER.1 {
        (&algo::allgather::BRUCK, "P no power of two, P*n < 81920")
    } else {
        (&algo::allgather::NEIGHBOUR_RING, "P no power of two, P*n >= 81920")
    }
}

/// Returns the rule for an allgatherv with a result of `total` bytes.
pub(super) fn allgatherv(ranks: u32, total: u64) -> Ruled {
    if ranks.is_power_of_two() && total < LONG_ALLGATHER.0 {
        (&algo::doubling::ALLGATHERV, "P a power of two, all blocks < 524288")
    } else if ranks.is_power_of_two() {
        (&algo::allgatherv::RING_PIPELINED, "P a power of two, all blocks >= 524288")
    } else if total < LONG_ALLGATHER.1 {
        (&algo::allgatherv::BRUCK, "P no power of two, all blocks < 81920")
    } else {
        (&algo::allgatherv::RING_PIPELINED, "P no power of two, all blocks >= 81920")
    }
}

/// Bytes of all blocks from which a reduce_scatter is pairwise.
const LONG_REDUCE_SCATTER: u64 = 524_288;

/// Returns the rule for a reduce_scatter of `total` bytes.
pub(super) fn reduce_scatter(total: u64) -> Ruled {
    if total < LONG_REDUCE_SCATTER {
        (&algo::reduce_scatter::HALVING, "all blocks < 524288")
    } else {
        (&algo::reduce_scatter::PAIRWISE, "all blocks >= 524288")
    }
}

/// Largest block of an all-to-all by Bruck's algorithm, and largest one of a scattered all-to-all, in bytes.
const ALLTOALL: (u64, u64) = (256, 32_768);

/// Returns the rule for an all-to-all of blocks of `block` bytes.
pub(super) fn alltoall(ranks: u32, block: u64) -> Ruled {
    if block <= ALLTOALL.0 && ranks > SMALL {
        (&algo::alltoall::BRUCK, "P > 8, n <= 256")
    } else if block <= ALLTOALL.1 {
        (&algo::alltoall::SCATTERED, "n <= 32768")
    } else if ranks.is_power_of_two() {
        (&algo::alltoall::PAIR, "n > 32768, P a power of two")
    } else {
        (&algo::alltoall::RING, "n > 32768, P no power of two")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_rules() {
        for (ranks, bytes, name) in [
            (7, 1 << 30, "binomial"),
            (8, 12_288, "binomial"),
            (8, 12_289, "scatter-rdb"),
            (8, 524_288, "scatter-rdb"),
            (8, 524_289, "scatter-ring"),
            (9, 12_289, "scatter-ring"),
        ] {
            assert_eq!(bcast(ranks, bytes).0.name, name, "bcast of {bytes} to {ranks}");
        }
        let doubles = |count| Block::new(count, 8);
        for (ranks, count, name) in
            [(8, 1, "rdb"), (8, 7, "rdb"), (8, 8, "rab-rdb"), (15, 8, "rab-rdb"), (16, 8, "rdb")]
        {
            assert_eq!(allreduce(ranks, doubles(count)).0.name, name, "allreduce of {count} on {ranks}");
        }
        for (ranks, count, name) in [(8, 256, "binomial"), (8, 257, "scatter-gather"), (600, 300, "binomial")] {
            assert_eq!(reduce(ranks, doubles(count)).0.name, name, "reduce of {count} on {ranks}");
        }
        // MPICH counts 8 ranks as few here, and as many in a broadcast.
        for (ranks, block, name) in [
            (8, 1, "scattered"),
            (9, 256, "bruck"),
            (9, 257, "scattered"),
            (9, 32_768, "scattered"),
            (9, 32_769, "ring"),
            (16, 32_769, "pair"),
        ] {
            assert_eq!(alltoall(ranks, block).0.name, name, "alltoall of {block} on {ranks}");
        }
        assert_eq!([allgather(4, 524_287), allgather(4, 524_288)].map(|ruled| ruled.0.name), ["rdb", "ntslr"]);
        assert_eq!(
            [allgatherv(5, 81_919), allgatherv(5, 81_920)].map(|ruled| ruled.0.name),
            ["bruck", "ring-pipelined"]
        );
        assert_eq!(
            [reduce_scatter(524_287), reduce_scatter(524_288)].map(|ruled| ruled.0.name),
            ["halving", "pairwise"]
        );
    }
}
