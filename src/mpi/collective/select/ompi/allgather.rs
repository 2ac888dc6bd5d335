//! Table for the allgather; sizes are those of a block.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const BRUCK: Pick = Pick::Algorithm(&algo::allgather::BRUCK);
const DOUBLING: Pick = Pick::Algorithm(&algo::doubling::ALLGATHER);
const RING: Pick = Pick::Algorithm(&algo::allgather::RING);
const NEIGHBOUR: Pick = Pick::Algorithm(&algo::allgather::NEIGHBOUR);
const PAIR: Pick = Pick::Algorithm(&algo::allgather::PAIR);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (3, &[], PAIR),
    (32, &[], DOUBLING),
    (64, &[(1024, DOUBLING), (65_536, NEIGHBOUR)], RING),
    (128, &[(512, DOUBLING), (65_536, NEIGHBOUR)], RING),
    (256, &[(512, DOUBLING), (131_072, NEIGHBOUR), (524_288, RING), (1_048_576, NEIGHBOUR)], RING),
    (
        512,
        &[
            (32, DOUBLING),
            (128, BRUCK),
            (1024, DOUBLING),
            (131_072, NEIGHBOUR),
            (524_288, RING),
            (1_048_576, NEIGHBOUR),
        ],
        RING,
    ),
    (1024, &[(64, DOUBLING), (256, BRUCK), (2048, DOUBLING)], NEIGHBOUR),
    (
        2048,
        &[(4, DOUBLING), (8, BRUCK), (16, DOUBLING), (32, BRUCK), (256, DOUBLING), (512, BRUCK), (4096, DOUBLING)],
        NEIGHBOUR,
    ),
    (4096, &[(32, BRUCK), (128, DOUBLING), (512, BRUCK), (4096, DOUBLING)], NEIGHBOUR),
    (ANY, &[(2, DOUBLING), (8, BRUCK), (16, DOUBLING), (512, BRUCK), (4096, DOUBLING)], NEIGHBOUR),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, planner.block().bytes());
    planner.run(pick);
}
