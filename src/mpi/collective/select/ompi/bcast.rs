//! Table for the broadcast; sizes are those of the message.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::composite;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const LINE: Pick = Pick::Composite(&composite::NTSL);
const PIPELINE: Pick = Pick::Algorithm(&algo::bcast_pipeline::PIPELINE);
const SPLIT: Pick = Pick::Composite(&composite::SPLIT_BINARY);
const TREE: Pick = Pick::Composite(&composite::NTSB);
const BINOMIAL: Pick = Pick::Algorithm(&algo::bcast::BINOMIAL);
const KNOMIAL: Pick = Pick::Algorithm(&algo::bcast::KNOMIAL);
const SCATTER: Pick = Pick::Algorithm(&algo::bcast_scatter::DOUBLING);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (
        4,
        &[
            (32, PIPELINE),
            (256, TREE),
            (512, PIPELINE),
            (1024, KNOMIAL),
            (32_768, LINE),
            (131_072, TREE),
            (262_144, PIPELINE),
            (524_288, LINE),
            (1_048_576, BINOMIAL),
        ],
        TREE,
    ),
    (8, &[(64, TREE), (128, BINOMIAL), (2048, TREE), (8192, BINOMIAL), (1_048_576, LINE)], PIPELINE),
    (16, &[(8, KNOMIAL), (64, TREE), (4096, KNOMIAL), (16_384, TREE), (32_768, BINOMIAL)], LINE),
    (32, &[(4096, KNOMIAL), (1_048_576, BINOMIAL)], SCATTER),
    (64, &[(2048, BINOMIAL)], KNOMIAL),
    (128, &[], KNOMIAL),
    (256, &[(2, BINOMIAL), (16_384, TREE), (32_768, LINE), (65_536, TREE)], KNOMIAL),
    (1024, &[(16_384, KNOMIAL), (32_768, SPLIT)], KNOMIAL),
    (2048, &[(524_288, KNOMIAL)], SCATTER),
    (4096, &[(262_144, KNOMIAL)], SCATTER),
    (ANY, &[(8192, KNOMIAL), (16_384, TREE), (262_144, KNOMIAL)], SCATTER),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, planner.block().bytes());
    planner.run(pick);
}
