//! MPICH 3, as SimGrid 3.32 transcribes it (`smpi_mpich_selector.cpp`): a few rules by size for each operation. Other
//! libraries' plans fall back on some of them.
//!
//! Broadcasts and reductions follow the node structure, for which SimGrid uses code of MVAPICH2: [`smp`].

pub(super) mod rules;
pub(super) mod smp;

use super::default;
use super::planner::Planner;
use crate::mpi::collective::algorithms as algo;
use crate::trace::CollectiveKind;
use rules::{allgather_rule, allgatherv_rule, alltoall_rule, follow, reduce_scatter_rule};

/// Plans the choice of MPICH.
pub(super) fn plan(planner: &mut Planner<'_>) {
    let (root, block) = (planner.root, planner.block());
    let ranks = planner.world().size();
    match planner.kind {
        CollectiveKind::Barrier => planner.one_level(&algo::barrier::BRUCK),
        CollectiveKind::Bcast => smp::bcast(planner, root, block),
        CollectiveKind::Reduce => smp::reduce(planner, root, block),
        CollectiveKind::Allreduce => smp::allreduce(planner, block),
        CollectiveKind::Alltoall => follow(planner, alltoall_rule(ranks, block.bytes())),
        CollectiveKind::Alltoallv => planner.one_level(&algo::alltoallv::SCATTERED),
        CollectiveKind::Gather => planner.one_level(&algo::gather::BINOMIAL),
        CollectiveKind::Scatter => planner.one_level(&algo::scatter::BINOMIAL),
        CollectiveKind::Allgather => follow(planner, allgather_rule(ranks, block.bytes())),
        CollectiveKind::Allgatherv => allgatherv(planner),
        CollectiveKind::ReduceScatter => follow(planner, reduce_scatter_rule(planner.total_received())),
        CollectiveKind::Gatherv | CollectiveKind::Scatterv | CollectiveKind::Scan | CollectiveKind::Exscan => {
            default::plan(planner);
        }
    }
}

/// Plans an allgatherv. The limits are those of an allgather, but SimGrid compares elements, not bytes. Without
/// elements it sends nothing.
fn allgatherv(planner: &mut Planner<'_>) {
    let elements = planner.total_received();
    if elements > 0 {
        follow(planner, allgatherv_rule(planner.world().size(), elements));
    }
}
