//! Table for the gather; sizes are those of a block.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const LINEAR: Pick = Pick::Algorithm(&algo::gather::LINEAR);
const BINOMIAL: Pick = Pick::Algorithm(&algo::gather::BINOMIAL);
const SYNC: Pick = Pick::Algorithm(&algo::gather::LINEAR_SYNC);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (4, &[(2, SYNC), (4, LINEAR), (32_768, BINOMIAL), (65_536, LINEAR), (131_072, BINOMIAL)], SYNC),
    (8, &[(1024, BINOMIAL), (8192, LINEAR), (32_768, BINOMIAL), (262_144, LINEAR)], SYNC),
    (256, &[], BINOMIAL),
    (512, &[(2048, BINOMIAL), (8192, LINEAR)], BINOMIAL),
    (ANY, &[], BINOMIAL),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, planner.block().bytes());
    planner.run(pick);
}
