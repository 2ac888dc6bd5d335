//! Table for the allreduce of commutative operations (replays have no real operation); sizes are those of the vector.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::composite;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const REDUCE_BCAST: Pick = Pick::Composite(&composite::REDUCE_BCAST);
const DOUBLING: Pick = Pick::Algorithm(&algo::allreduce::DOUBLING);
const RING: Pick = Pick::Composite(&composite::LR);
const SEGMENTED: Pick = Pick::Composite(&composite::RING_SEGMENTED);
const RAB: Pick = Pick::Algorithm(&algo::allreduce::RAB);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (4, &[(8, RING), (4096, DOUBLING), (8192, RING), (16_384, DOUBLING), (65_536, RING), (262_144, SEGMENTED)], RAB),
    (8, &[(16, RING), (8192, DOUBLING)], RAB),
    (16, &[(8192, DOUBLING)], RAB),
    (32, &[(64, SEGMENTED), (4096, DOUBLING)], RAB),
    (64, &[(128, SEGMENTED)], RAB),
    (128, &[(262_144, DOUBLING)], RAB),
    (256, &[(131_072, REDUCE_BCAST), (262_144, DOUBLING)], RAB),
    (512, &[(4096, REDUCE_BCAST)], RAB),
    (2048, &[(2048, REDUCE_BCAST), (16_384, DOUBLING)], RAB),
    (4096, &[(2048, REDUCE_BCAST), (4096, SEGMENTED), (16_384, DOUBLING)], RAB),
    (ANY, &[(2048, REDUCE_BCAST), (16_384, SEGMENTED), (32_768, DOUBLING)], RAB),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, planner.block().bytes());
    planner.run(pick);
}
