//! MVAPICH2 1.9, as SimGrid transcribes it (`smpi_mvapich2_selector.cpp`, `smpi_mvapich2_selector_stampede.hpp`: tables
//! measured on TACC's Stampede). One file per operation: its tables, and the plans for their entries.

mod allgather;
mod allgatherv;
mod allreduce;
mod alltoall;
mod bcast;
mod gather;
pub(super) mod reduce;
mod reduce_scatter;
mod scatter;

use super::default;
use super::planner::Planner;
use crate::mpi::collective::algorithms as algo;
use crate::trace::CollectiveKind;

/// Plans the choice of MVAPICH2.
pub(super) fn plan(planner: &mut Planner<'_>) {
    let (world, root, block) = (planner.world(), planner.root, planner.block());
    match planner.kind {
        CollectiveKind::Barrier => planner.one_level(&algo::barrier::PAIR),
        CollectiveKind::Bcast => bcast::plan(planner, world, root, block),
        CollectiveKind::Reduce => reduce::plan(planner, world, root, block),
        CollectiveKind::Allreduce => allreduce::plan(planner, block),
        CollectiveKind::Alltoall => alltoall::plan(planner),
        CollectiveKind::Alltoallv => planner.one_level(&algo::alltoallv::RING),
        CollectiveKind::Gather => gather::plan(planner, world, root, block),
        CollectiveKind::Allgather => allgather::plan(planner, block),
        CollectiveKind::Allgatherv => allgatherv::plan(planner),
        CollectiveKind::Scatter => scatter::plan(planner, root, block),
        CollectiveKind::ReduceScatter => reduce_scatter::plan(planner),
        CollectiveKind::Gatherv | CollectiveKind::Scatterv | CollectiveKind::Scan | CollectiveKind::Exscan => {
            default::plan(planner);
        }
    }
}
