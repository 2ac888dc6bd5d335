//! Table for the reduction of commutative operations (replays have no real operation); sizes are those of the vector.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const LINEAR: Pick = Pick::Algorithm(&algo::reduce::LINEAR);
const CHAIN: Pick = Pick::Algorithm(&algo::reduce_tree::CHAIN);
const PIPELINE: Pick = Pick::Algorithm(&algo::reduce_tree::PIPELINE);
const BINARY: Pick = Pick::Algorithm(&algo::reduce_tree::BINARY);
const BINOMIAL: Pick = Pick::Algorithm(&algo::reduce_tree::BINOMIAL);
const IN_ORDER: Pick = Pick::Algorithm(&algo::reduce_tree::IN_ORDER);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (
        4,
        &[(8, LINEAR), (16, BINARY), (32, PIPELINE), (262_144, LINEAR), (524_288, PIPELINE), (1_048_576, CHAIN)],
        PIPELINE,
    ),
    (8, &[(4096, BINARY), (65_536, CHAIN), (262_144, BINOMIAL), (524_288, LINEAR), (1_048_576, BINOMIAL)], LINEAR),
    (16, &[(8192, BINARY)], BINOMIAL),
    (32, &[(4096, BINARY)], BINOMIAL),
    (256, &[], BINOMIAL),
    (512, &[(8192, BINOMIAL), (16_384, IN_ORDER)], BINOMIAL),
    (2048, &[], BINOMIAL),
    (4096, &[(512, BINOMIAL), (1024, IN_ORDER), (8192, BINOMIAL), (16_384, IN_ORDER)], BINOMIAL),
    (
        ANY,
        &[(16, BINOMIAL), (32, IN_ORDER), (1024, BINOMIAL), (2048, IN_ORDER), (8192, BINOMIAL), (16_384, IN_ORDER)],
        BINOMIAL,
    ),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, planner.block().bytes());
    planner.run(pick);
}
