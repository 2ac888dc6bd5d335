//! Open MPI's tuned module, version 4 (`coll_tuned_decision_fixed.c`), as SimGrid 3.32 transcribes it
//! (`smpi_openmpi_selector.cpp`, which also maps the algorithms of Open MPI to those of SimGrid). One file per
//! operation. Limits belong to the upper entry, unlike those of MVAPICH2. The limits of allreduce, allgather, alltoall,
//! broadcast and reduce are also those of Open MPI's main branch of August 2026, so the table holds for 4.x and 5.

mod allgather;
mod allgatherv;
mod allreduce;
pub(super) mod alltoall;
mod alltoallv;
mod barrier;
mod bcast;
mod gather;
mod reduce;
mod reduce_scatter;
mod scatter;

use super::default;
use super::planner::Planner;
use crate::trace::CollectiveKind;

#[cfg(test)]
mod tests;

/// Plans the choice of Open MPI.
pub(super) fn plan(planner: &mut Planner<'_>) {
    match planner.kind {
        CollectiveKind::Barrier => barrier::plan(planner),
        CollectiveKind::Bcast => bcast::plan(planner),
        CollectiveKind::Reduce => reduce::plan(planner),
        CollectiveKind::Allreduce => allreduce::plan(planner),
        CollectiveKind::Alltoall => alltoall::plan(planner),
        CollectiveKind::Alltoallv => alltoallv::plan(planner),
        CollectiveKind::Gather => gather::plan(planner),
        CollectiveKind::Allgather => allgather::plan(planner),
        CollectiveKind::Allgatherv => allgatherv::plan(planner),
        CollectiveKind::Scatter => scatter::plan(planner),
        CollectiveKind::ReduceScatter => reduce_scatter::plan(planner),
        CollectiveKind::Gatherv | CollectiveKind::Scatterv | CollectiveKind::Scan | CollectiveKind::Exscan => {
            default::plan(planner);
        }
    }
}
