//! Operations on communicators whose hosts have several ranks (`maint/tuning/coll/ch4/generic.json`; the compositions
//! alpha, beta and gamma of `ch4_coll_impl.h`): a part on each host, and a part among the first ranks of the hosts.
//!
//! On a host, MPICH exchanges data without messages after the first few calls on a communicator, unless the program
//! requests `MPI_THREAD_MULTIPLE` (release and gather in shared memory, `MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD`). Messages
//! by the rules of [`rules`], which are those of the first calls, replace it, with a note in reports.

use super::super::planner::{Block, Planner, TAG_REDUCE_TO_ROOT, tag};
use super::super::rule::TableRule;
use super::rules;
use crate::mpi::collective::{Comm, algorithms as algo};
use crate::trace::CollectiveKind::{Allreduce, Barrier, Bcast, Reduce, Scan};

/// Messages from this size on are of medium length, and from the second one on long, for broadcasts of ch4.
const BCAST: (u64, u64) = (12_288, 524_288);

/// Communicators with fewer ranks broadcast on two levels, whatever the size.
const SMALL: u32 = 8;

fn note(planner: &mut Planner<'_>) {
    planner.report(
        "MPICH 4 shares memory in broadcasts, reductions and barriers on a host, after the first few; messages between \
         the ranks of a host replace it here",
    );
}

/// Appends a broadcast among the ranks of the caller's host.
fn bcast_on_host(planner: &mut Planner<'_>, root: u32, block: Block) {
    let (algorithm, _) = rules::bcast(planner.world().node_size(), block.bytes());
    planner.stage(algorithm, Comm::Node, Bcast, root, block);
}

/// Appends a broadcast among the first ranks of the hosts.
fn bcast_among_hosts(planner: &mut Planner<'_>, root: u32, block: Block) {
    let (algorithm, _) = rules::bcast(planner.world().nodes(), block.bytes());
    planner.among_leaders(algorithm, Bcast, root, block);
}

/// Appends a reduction among the ranks of the caller's host.
fn reduce_on_host(planner: &mut Planner<'_>, root: u32, block: Block) {
    let (algorithm, _) = rules::reduce(planner.world().node_size(), block);
    planner.stage(algorithm, Comm::Node, Reduce, root, block);
}

/// Appends a reduction among the first ranks of the hosts.
fn reduce_among_hosts(planner: &mut Planner<'_>, root: u32, block: Block) {
    let (algorithm, _) = rules::reduce(planner.world().nodes(), block);
    planner.among_leaders(algorithm, Reduce, root, block);
}

/// Plans a barrier: on each host, among the hosts, and a broadcast of one byte on each host.
pub(super) fn barrier(planner: &mut Planner<'_>) {
    planner.applied(TableRule::said("on hosts, then among them"));
    note(planner);
    let nothing = Block::new(0, 0);
    planner.stage(&algo::barrier::BRUCK, Comm::Node, Barrier, 0, nothing);
    planner.among_leaders(&algo::barrier::BRUCK, Barrier, 0, nothing);
    bcast_on_host(planner, 0, Block::new(1, 1));
}

/// Plans a broadcast.
pub(super) fn bcast(planner: &mut Planner<'_>) {
    let (world, root, block) = (planner.world(), planner.root, planner.block());
    let (ranks, bytes) = (world.size(), block.bytes());
    let (home, leader) = (world.node_of(root), world.leader_of(root));
    if block.count == 0 {
        // Only the message to the first rank of the root's host is sent, without bytes.
        return planner.transfer(world, tag(Bcast), root, leader, block);
    }
    if ranks < SMALL || bytes < BCAST.0 {
        // Alpha: the first rank of the root's host gets the message from the root.
        planner.applied(TableRule::said("P < 8 or n < 12288: among hosts, then on them"));
        note(planner);
        planner.transfer(world, tag(Bcast), root, leader, block);
        bcast_among_hosts(planner, home, block);
        bcast_on_host(planner, 0, block);
    } else if ranks.is_power_of_two() && bytes < BCAST.1 {
        // Beta: all ranks of the root's host get the message first, unless the root is the first one.
        planner.applied(TableRule::said("P >= 8, a power of two, 12288 <= n < 524288: among hosts, then on them"));
        note(planner);
        let at_home = world.node_of(world.me()) == home;
        if at_home && root != leader {
            let (algorithm, _) = rules::bcast(world.node_size(), bytes);
            let place = world.place_on_node(root);
            planner.stage(algorithm, Comm::Node, Bcast, place, block);
        }
        bcast_among_hosts(planner, home, block);
        if !at_home || root == leader {
            bcast_on_host(planner, 0, block);
        }
    } else {
        // Gamma: one level.
        super::follow(planner, rules::bcast(ranks, bytes));
    }
}

/// Plans a reduction. Short vectors go to the host of the root, where the root collects those of its own host; long
/// ones are collected on each host, then by rank 0, which sends the result to the root.
pub(super) fn reduce(planner: &mut Planner<'_>) {
    let (world, root, block) = (planner.world(), planner.root, planner.block());
    note(planner);
    if block.bytes() > rules::SHORT_REDUCE {
        planner.applied(TableRule::said("n > 2048: on hosts, then among them, then to the root"));
        reduce_on_host(planner, 0, block);
        reduce_among_hosts(planner, 0, block);
        planner.transfer(world, TAG_REDUCE_TO_ROOT, 0, root, block);
        return;
    }
    planner.applied(TableRule::said("n <= 2048: on other hosts, among hosts, on the root's host"));
    let home = world.node_of(root);
    let at_home = world.node_of(world.me()) == home;
    if !at_home {
        reduce_on_host(planner, 0, block);
    }
    reduce_among_hosts(planner, home, block);
    if at_home {
        reduce_on_host(planner, world.place_on_node(root), block);
    }
}

/// Plans an allreduce: a reduction on each host, an allreduce among the hosts, and a broadcast on each host. On a
/// single host there is one level.
pub(super) fn allreduce(planner: &mut Planner<'_>) {
    let (world, block) = (planner.world(), planner.block());
    note(planner);
    if world.nodes() == 1 {
        return super::follow(planner, rules::allreduce(world.size(), block));
    }
    planner.applied(TableRule::said("on hosts, then among them, then on them"));
    reduce_on_host(planner, 0, block);
    let (algorithm, _) = rules::allreduce(world.nodes(), block);
    planner.among_leaders(algorithm, Allreduce, 0, block);
    bcast_on_host(planner, 0, block);
}

/// Plans a scan on hosts with consecutive ranks: on each host, among the hosts, and what the next host lacks is
/// broadcast there.
pub(super) fn scan(planner: &mut Planner<'_>) {
    let (world, block) = (planner.world(), planner.block());
    planner.applied(TableRule::said("ranks of a host are consecutive"));
    note(planner);
    let home = world.node_of(world.me());
    let first = |node: u32| world.leader_at(node);
    planner.stage(&algo::scan::DOUBLING, Comm::Node, Scan, 0, block);
    // The last rank of a host has the sum of all of them.
    let leader = first(home);
    planner.transfer(world, tag(Scan), leader + world.node_size() - 1, leader, block);
    planner.among_leaders(&algo::scan::DOUBLING, Scan, 0, block);
    if home + 1 < world.nodes() {
        planner.transfer(world, tag(Scan), leader, first(home + 1), block);
    }
    if home > 0 {
        planner.transfer(world, tag(Scan), first(home - 1), leader, block);
    }
    // A flag, as an integer of four bytes: is there anything to add?
    bcast_on_host(planner, 0, Block::new(1, 4));
    if home > 0 {
        bcast_on_host(planner, 0, block);
    }
}
