//! MPICH 4 with the device ch4 (`ch4:ofi`, `ch4:ucx`): its generic selection, without a tuning file of the user.
//!
//! Facts from `maint/tuning/coll/ch4/generic.json`, `maint/tuning/coll/mpir/generic.json`,
//! `src/mpid/ch4/src/ch4_coll_impl.h` and `src/mpi/coll/src/csel.c` of release 4.3.2. The rules of 4.0.2 choose the same
//! algorithms, and those of 5.0.1 are the files of 4.3.2. Two levels: ch4 combines operations on hosts and among them
//! ([`hosts`]), and each of those chooses an algorithm for its own communicator ([`rules`]). Communicators with one rank
//! on each host have one level.
//!
//! Operations are assumed to be built in and commutative, and send buffers to be separate from receive buffers.
//! `tests/it/replay/mpich4.rs` compares all messages with those of MPICH 4.0.2.

mod hosts;
mod rules;

use super::default;
use super::mpich::rules::follow;
use super::planner::{Planner, View};
use crate::mpi::collective::{Tuning, algorithms as algo};
use crate::trace::CollectiveKind;

/// Exchanges that an all-to-all keeps under way (`MPIR_CVAR_ALLTOALL_THROTTLE`).
const THROTTLE: u16 = 32;

/// Plans the choice of MPICH 4.
pub(super) fn plan(planner: &mut Planner<'_>) {
    planner.tuning = Tuning { width: THROTTLE, spread: true, ..planner.tuning };
    let world = planner.world();
    let (ranks, block) = (world.size(), planner.block());
    match planner.kind {
        // Calls without data return early, except broadcasts on hosts with several ranks.
        CollectiveKind::Reduce | CollectiveKind::Allreduce | CollectiveKind::Scan | CollectiveKind::Exscan
            if block.count == 0 => {}
        CollectiveKind::Gather | CollectiveKind::Scatter | CollectiveKind::Allgather | CollectiveKind::Alltoall
            if block.bytes() == 0 => {}
        CollectiveKind::Barrier if shared(world) => hosts::barrier(planner),
        CollectiveKind::Bcast if shared(world) => hosts::bcast(planner),
        CollectiveKind::Reduce if shared(world) => hosts::reduce(planner),
        CollectiveKind::Allreduce if shared(world) => hosts::allreduce(planner),
        CollectiveKind::Scan if shared(world) && world.is_blocked() => hosts::scan(planner),
        CollectiveKind::Bcast if block.count == 0 => {}
        CollectiveKind::Barrier => planner.one_level(&algo::barrier::BRUCK),
        CollectiveKind::Bcast => follow(planner, rules::bcast(ranks, block.bytes())),
        CollectiveKind::Reduce => follow(planner, rules::reduce(ranks, block)),
        CollectiveKind::Allreduce => follow(planner, rules::allreduce(ranks, block)),
        CollectiveKind::Alltoall => follow(planner, rules::alltoall(ranks, block.bytes())),
        CollectiveKind::Alltoallv => alltoallv(planner),
        CollectiveKind::Gather => planner.one_level(&algo::gather::BINOMIAL),
        CollectiveKind::Scatter => planner.one_level(&algo::scatter::BINOMIAL_FAR),
        CollectiveKind::Allgather => {
            follow(planner, rules::allgather(ranks, block.bytes().saturating_mul(u64::from(ranks))));
        }
        CollectiveKind::Allgatherv => {
            let total = planner.total_received().saturating_mul(block.element);
            if total > 0 {
                follow(planner, rules::allgatherv(ranks, total));
            }
        }
        CollectiveKind::ReduceScatter => {
            follow(planner, rules::reduce_scatter(planner.total_received().saturating_mul(block.element)));
        }
        // Linear in MPICH as well, but without messages for empty blocks.
        CollectiveKind::Gatherv | CollectiveKind::Scatterv => default::plan(planner),
        CollectiveKind::Scan => planner.one_level(&algo::scan::DOUBLING),
        CollectiveKind::Exscan => planner.one_level(&algo::scan::EXSCAN_DOUBLING),
    }
}

/// `true` if some host has several ranks, so that ch4 works on two levels.
fn shared(world: View<'_>) -> bool {
    world.nodes() < world.size()
}

/// Plans an alltoallv. Empty blocks are no messages, if the trace has the counts that a rank receives.
fn alltoallv(planner: &mut Planner<'_>) {
    let known = planner.counts(planner.call.recv_counts).len() == planner.counts(planner.call.send_counts).len();
    let algorithm = if known { &algo::alltoallv::SCATTERED_NONEMPTY } else { &algo::alltoallv::SCATTERED };
    follow(planner, (algorithm, "always"));
}
