//! Rule for the allgatherv.

use crate::mpi::collective::algorithms as algo;
use crate::mpi::collective::select::planner::Planner;

/// Largest average size of a short call in bytes per rank, up to [`FEW`] ranks and beyond.
const SHORT: (u64, u64) = (512, 256);

/// See [`SHORT`].
const FEW: u32 = 32;

pub(super) fn plan(planner: &mut Planner<'_>) {
    let ranks = planner.world().size();
    let bytes = planner.total_received().saturating_mul(planner.block().element);
    let short = if ranks <= FEW { SHORT.0 } else { SHORT.1 };
    planner.one_level(if bytes > u64::from(ranks) * short {
        &algo::allgatherv::RING
    } else if ranks.is_power_of_two() {
        &algo::doubling::ALLGATHERV
    } else {
        &algo::allgatherv::BRUCK
    });
}
