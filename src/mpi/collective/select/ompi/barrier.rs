//! Table for the barrier; by the number of ranks only.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const LINEAR: Pick = Pick::Algorithm(&algo::barrier::LINEAR);
const DOUBLING: Pick = Pick::Algorithm(&algo::barrier::PAIR);
const BRUCK: Pick = Pick::Algorithm(&algo::barrier::BRUCK);
const TREE: Pick = Pick::Algorithm(&algo::barrier::TREE);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (4, &[], DOUBLING),
    (8, &[], LINEAR),
    (64, &[], DOUBLING),
    (256, &[], BRUCK),
    (512, &[], TREE),
    (1024, &[], BRUCK),
    (4096, &[], TREE),
    (ANY, &[], BRUCK),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, 0);
    planner.run(pick);
}
