//! The rules of MPICH 3 by size.

use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::rule::TableRule;
use crate::mpi::collective::{Algorithm, algorithms as algo};

/// Algorithm and the condition for it.
pub(in crate::mpi::collective::select) type Ruled = (&'static Algorithm, &'static str);

/// Plans one stage on the world communicator, by a rule.
pub(in crate::mpi::collective::select) fn follow(planner: &mut Planner<'_>, (algorithm, note): Ruled) {
    planner.applied(TableRule::said(note));
    planner.one_level(algorithm);
}

/// Bytes of a block below which an all-to-all is short, and of medium length.
const ALLTOALL: (u64, u64) = (256, 32_768);

/// Number of ranks from which a short all-to-all uses Bruck's algorithm.
const MANY_FOR_BRUCK: u32 = 8;

/// Returns the rule for an all-to-all of blocks of `block` bytes. For an odd number of ranks it picks an algorithm for
/// powers of two; the planner reports it.
pub(in crate::mpi::collective::select) fn alltoall_rule(ranks: u32, block: u64) -> Ruled {
    if block < ALLTOALL.0 && ranks >= MANY_FOR_BRUCK {
        (&algo::alltoall::BRUCK, "P >= 8, n < 256")
    } else if block < ALLTOALL.1 {
        (&algo::alltoall::SCATTERED, "n < 32768")
    } else if ranks.is_multiple_of(2) {
        (&algo::alltoall::RING, "n >= 32768, P even")
    } else {
        (&algo::alltoall::PAIR, "n >= 32768, P odd")
    }
}

/// Bytes of the whole result below which an allgather on a power of two of ranks is of medium length.
const LONG_ALLGATHER: u64 = 524_288;

/// Bytes of the whole result up to which an allgather is short.
const SHORT_ALLGATHER: u64 = 81_920;

/// Returns the rule for an allgather of `block` bytes from each rank.
pub(in crate::mpi::collective::select) fn allgather_rule(ranks: u32, block: u64) -> Ruled {
    let total = block.saturating_mul(u64::from(ranks));
    if total < LONG_ALLGATHER && ranks.is_power_of_two() {
        (&algo::doubling::ALLGATHER, "P a power of two, P*n < 524288")
    } else if total <= SHORT_ALLGATHER {
        (&algo::allgather::BRUCK, "P*n <= 81920")
    } else {
        (&algo::allgather::RING, "P*n long")
    }
}

pub(in crate::mpi::collective::select) fn allgatherv_rule(ranks: u32, elements: u64) -> Ruled {
    if elements < LONG_ALLGATHER && ranks.is_power_of_two() {
        (&algo::doubling::ALLGATHERV, "P a power of two, elements < 524288")
    } else if elements <= SHORT_ALLGATHER {
        (&algo::allgatherv::BRUCK, "elements <= 81920")
    } else {
        (&algo::allgatherv::RING, "many elements")
    }
}

/// Elements, not bytes, above which a reduce_scatter is pairwise.
const LONG_REDUCE_SCATTER: u64 = 524_288;

/// Returns the rule for a reduce_scatter of `elements` elements.
pub(in crate::mpi::collective::select) fn reduce_scatter_rule(elements: u64) -> Ruled {
    if elements > LONG_REDUCE_SCATTER {
        (&algo::reduce_scatter::PAIRWISE, "elements > 524288")
    } else {
        (&algo::doubling::REDUCE_SCATTER, "elements <= 524288")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_rules() {
        for (ranks, block, name) in
            [(4, 131_071, "rdb"), (4, 131_072, "ring"), (5, 16_384, "bruck"), (5, 16_385, "ring"), (1, 0, "rdb")]
        {
            assert_eq!(allgather_rule(ranks, block).0.name, name, "{ranks} ranks, {block} bytes");
        }
        for (ranks, block, name) in [
            (7, 255, "scattered"),
            (8, 255, "bruck"),
            (8, 256, "scattered"),
            (8, 32_768, "ring"),
            (6, 32_768, "ring"),
            (9, 32_767, "scattered"),
            (9, 32_768, "pair"),
        ] {
            assert_eq!(alltoall_rule(ranks, block).0.name, name, "{ranks} ranks, {block} bytes");
        }
        assert_eq!(reduce_scatter_rule(524_288).0.name, "rdb");
        assert_eq!(reduce_scatter_rule(524_289).0.name, "pairwise");
        assert_eq!(allgatherv_rule(8, 524_287).0.name, "rdb");
        assert_eq!(allgatherv_rule(9, 81_921).0.name, "ring");
    }
}
