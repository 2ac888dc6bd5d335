//! Table for the all-to-all of different blocks; by the number of ranks only.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const LINEAR: Pick = Pick::Algorithm(&algo::alltoallv::LINEAR);
const PAIR: Pick = Pick::Algorithm(&algo::alltoallv::PAIR);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> =
    &[(4, &[], PAIR), (64, &[], LINEAR), (128, &[], PAIR), (256, &[], LINEAR), (1024, &[], PAIR), (ANY, &[], LINEAR)];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let pick = planner.look_up_below(TABLE, 0);
    planner.run(pick);
}
