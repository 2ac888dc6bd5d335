//! Table for the reduce_scatter; sizes are those of all blocks together.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::composite;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const SCATTERV: Pick = Pick::Composite(&composite::REDUCE_SCATTERV);
const HALVING: Pick = Pick::Algorithm(&algo::reduce_scatter::HALVING);
const RING: Pick = Pick::Algorithm(&algo::reduce_scatter::RING);
const BUTTERFLY: Pick = Pick::Algorithm(&algo::reduce_scatter::BUTTERFLY);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (4, &[(65_536, RING), (131_072, BUTTERFLY)], RING),
    (8, &[(8, SCATTERV), (262_144, HALVING)], RING),
    (32, &[(262_144, HALVING)], RING),
    (64, &[(64, SCATTERV), (2048, HALVING), (524_288, BUTTERFLY)], RING),
    (128, &[(256, SCATTERV), (512, HALVING), (2048, BUTTERFLY), (4096, HALVING)], BUTTERFLY),
    (256, &[(256, SCATTERV), (512, HALVING)], BUTTERFLY),
    (512, &[(256, SCATTERV), (1024, HALVING)], BUTTERFLY),
    (1024, &[(512, SCATTERV), (2048, HALVING), (8192, BUTTERFLY), (16_384, HALVING)], BUTTERFLY),
    (2048, &[(512, SCATTERV), (4096, HALVING), (16_384, BUTTERFLY), (32_768, HALVING)], BUTTERFLY),
    (4096, &[(512, SCATTERV), (4096, HALVING)], BUTTERFLY),
    (ANY, &[(1024, SCATTERV), (8192, HALVING)], BUTTERFLY),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, planner.total_received().saturating_mul(planner.block().element));
    planner.run(pick);
}
