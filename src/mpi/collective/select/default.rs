//! SimGrid's default selector (`smpi_default_selector.cpp`).

use super::mpich::rules::{follow, reduce_scatter_rule};
use super::ompi::alltoall;
use super::planner::{Block, Planner};
use crate::mpi::collective::Comm;
use crate::mpi::collective::algorithms as algo;
use crate::trace::CollectiveKind;

/// The default of every operation.
pub(super) fn plan(planner: &mut Planner<'_>) {
    match planner.kind {
        CollectiveKind::Allreduce => allreduce(planner),
        CollectiveKind::Alltoall => alltoall::plan(planner),
        CollectiveKind::ReduceScatter => reduce_scatter(planner),
        CollectiveKind::Barrier => planner.one_level(&algo::barrier::LINEAR),
        CollectiveKind::Bcast => planner.one_level(&algo::bcast::BINOMIAL),
        CollectiveKind::Reduce => planner.one_level(&algo::reduce::NONBLOCKING),
        CollectiveKind::Alltoallv => planner.one_level(&algo::alltoallv::LINEAR),
        CollectiveKind::Gather => planner.one_level(&algo::gather::NONBLOCKING),
        CollectiveKind::Allgather => planner.one_level(&algo::allgather::NONBLOCKING),
        CollectiveKind::Allgatherv => planner.one_level(&algo::allgatherv::NONBLOCKING),
        CollectiveKind::Scatter => planner.one_level(&algo::scatter::NONBLOCKING),
        // SimGrid has a single algorithm for these, whatever the library.
        CollectiveKind::Gatherv => planner.one_level(&algo::gather::GATHERV),
        CollectiveKind::Scatterv => planner.one_level(&algo::scatter::SCATTERV),
        CollectiveKind::Scan => planner.one_level(&algo::scan::SCAN),
        CollectiveKind::Exscan => planner.one_level(&algo::scan::EXSCAN),
    }
}

/// Reduction to rank 0, then broadcast.
fn allreduce(planner: &mut Planner<'_>) {
    let block = planner.block();
    planner.stage(&algo::reduce::NONBLOCKING, Comm::World, CollectiveKind::Reduce, 0, block);
    planner.stage(&algo::bcast::BINOMIAL, Comm::World, CollectiveKind::Bcast, 0, block);
}

/// Equal blocks: reduction of everything to rank 0, then scatter. Otherwise by the rule of MPICH.
pub(super) fn reduce_scatter(planner: &mut Planner<'_>) {
    let counts = planner.counts(planner.call.recv_counts);
    if counts.windows(2).any(|pair| pair[0] != pair[1]) {
        return follow(planner, reduce_scatter_rule(planner.total_received()));
    }
    let block = planner.block();
    let total = Block::new(planner.total_received(), block.element);
    planner.stage(&algo::reduce::NONBLOCKING, Comm::World, CollectiveKind::Reduce, 0, total);
    planner.stage(&algo::scatter::SCATTERV, Comm::World, CollectiveKind::Scatterv, 0, block);
}
