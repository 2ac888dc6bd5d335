//! Table for the allgatherv; sizes are those of an average block.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::composite;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

const GATHER_BCAST: Pick = Pick::Composite(&composite::GATHER_BCAST);
const BRUCK: Pick = Pick::Algorithm(&algo::allgatherv::BRUCK);
const RING: Pick = Pick::Algorithm(&algo::allgatherv::RING);
const NEIGHBOUR: Pick = Pick::Algorithm(&algo::allgatherv::NEIGHBOUR);
const PAIR: Pick = Pick::Algorithm(&algo::allgatherv::PAIR);

/// Limits on ranks (exclusive), with limits on bytes (exclusive) and their choices, and the choice for larger sizes.
pub(super) static TABLE: Choices<Pick> = &[
    (3, &[(2048, RING), (4096, PAIR), (8192, RING)], PAIR),
    (8, &[(256, GATHER_BCAST), (4096, NEIGHBOUR), (8192, RING), (16_384, NEIGHBOUR), (262_144, BRUCK)], NEIGHBOUR),
    (16, &[(1024, GATHER_BCAST)], BRUCK),
    (32, &[(128, GATHER_BCAST), (262_144, BRUCK)], RING),
    (64, &[(256, GATHER_BCAST), (8192, BRUCK)], RING),
    (128, &[(256, GATHER_BCAST), (4096, BRUCK)], RING),
    (256, &[(1024, BRUCK), (65_536, NEIGHBOUR)], RING),
    (512, &[(1024, BRUCK)], RING),
    (1024, &[(512, BRUCK), (1024, GATHER_BCAST), (4096, BRUCK), (1_048_576, NEIGHBOUR)], RING),
    (ANY, &[(4096, BRUCK)], NEIGHBOUR),
];

/// The counts are those of the receive, but the type is that of the send, as in the original.
pub(super) fn plan(planner: &mut Planner<'_>) {
    let total = planner.total_received().saturating_mul(planner.call.send_type.size());
    let pick = planner.look_up_below(TABLE, total / u64::from(planner.world().size().max(1)));
    planner.run(pick);
}
