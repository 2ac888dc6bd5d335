//! Table for the scatter; sizes are those of a block.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const LINEAR: Pick = Pick::Algorithm(&algo::scatter::LINEAR);
const BINOMIAL: Pick = Pick::Algorithm(&algo::scatter::BINOMIAL);
const NONBLOCKING: Pick = Pick::Algorithm(&algo::scatter::LINEAR_NONBLOCKING);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (4, &[(2, NONBLOCKING), (131_072, LINEAR), (262_144, NONBLOCKING)], LINEAR),
    (8, &[(2048, BINOMIAL), (4096, LINEAR), (8192, BINOMIAL), (32_768, LINEAR), (1_048_576, NONBLOCKING)], LINEAR),
    (16, &[(16_384, BINOMIAL), (1_048_576, NONBLOCKING)], LINEAR),
    (32, &[(16_384, BINOMIAL), (32_768, LINEAR)], NONBLOCKING),
    (64, &[(512, BINOMIAL), (8192, NONBLOCKING), (16_384, BINOMIAL)], NONBLOCKING),
    (ANY, &[(512, BINOMIAL)], NONBLOCKING),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, planner.block().bytes());
    planner.run(pick);
}
