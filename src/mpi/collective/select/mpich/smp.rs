//! Node-aware broadcasts and reductions of MPICH. They apply to commutative operations, as all operations of a replay
//! are assumed to be.

use super::super::mvapich2::reduce::on_one_node;
use super::super::rule::TableRule;
use crate::mpi::collective::select::planner::{Block, Planner, TAG_REDUCE_TO_ROOT, tag};
use crate::mpi::collective::{Algorithm, Comm, Vector, algorithms as algo};
use crate::trace::CollectiveKind::{Allreduce, Bcast, Reduce};

/// Messages below this size are short: they travel along a tree as a whole.
const SHORT_BCAST: u64 = 12_288;

/// Messages below this size are of medium length.
const MEDIUM_BCAST: u64 = 524_288;

/// Largest size of a small communicator.
const SMALL: u32 = 8;

/// Returns the broadcast for a single node, or for unequal nodes. It requires an even size where MPICH requires a power
/// of two.
pub(in crate::mpi::collective::select) fn bcast_rule(ranks: u32, bytes: u64) -> &'static Algorithm {
    if bytes < SHORT_BCAST || ranks <= SMALL {
        &algo::bcast::BINOMIAL
    } else if bytes < MEDIUM_BCAST && ranks.is_multiple_of(2) {
        &algo::bcast_scatter::DOUBLING
    } else {
        &algo::bcast_scatter::RING
    }
}

/// Vectors below this size are short for a reduction, and up to it for an allreduce.
const SHORT_REDUCE: u64 = 2048;

/// `true` if each of the ranks that halve vectors can have an element.
fn enough(ranks: u32, block: Block) -> bool {
    block.count >= 1 << ranks.max(1).ilog2()
}

fn reduce_rule(ranks: u32, block: Block) -> &'static Algorithm {
    if enough(ranks, block) && block.bytes() >= SHORT_REDUCE {
        &algo::reduce_scatter_gather::SCATTER_GATHER
    } else {
        &algo::reduce::BINOMIAL
    }
}

fn allreduce_rule(ranks: u32, block: Block) -> &'static Algorithm {
    if enough(ranks, block) && block.bytes() > SHORT_REDUCE {
        &algo::allreduce::RAB
    } else {
        &algo::allreduce::DOUBLING
    }
}

/// Plans a broadcast; on equal nodes, two binomial trees, whatever the size.
pub(super) fn bcast(planner: &mut Planner<'_>, root: u32, block: Block) {
    let world = planner.world();
    planner.learn(world);
    let Some(per_node) = world.ranks_per_node() else {
        planner.applied(TableRule::said("nodes not alike"));
        return planner.stage(bcast_rule(world.size(), block.bytes()), Comm::World, Bcast, root, block);
    };
    planner.applied(TableRule::said("nodes alike"));
    if world.nodes() > 1 && !per_node.is_power_of_two() {
        planner.report(
            "MPICH's binomial broadcast in SimGrid sends messages that nobody receives when the number of ranks on a host \
             is no power of two; they were left out",
        );
    }
    planner.transfer(world, tag(Bcast), root, 0, block);
    let block = Block { vector: Vector::NodeSizes, ..block };
    planner.stage(&algo::bcast::SMP_BINOMIAL, Comm::World, Bcast, 0, block);
}

/// Plans a reduction on each node, then among the leaders.
pub(super) fn reduce(planner: &mut Planner<'_>, root: u32, block: Block) {
    let world = planner.world();
    planner.learn(world);
    planner.applied(TableRule::said("node-aware"));
    if world.nodes() == 1 {
        return on_one_node(planner, world, root, block);
    }
    planner.stage(reduce_rule(world.node_size(), block), Comm::Node, Reduce, 0, block);
    planner.among_leaders(reduce_rule(world.nodes(), block), Reduce, world.node_of(root), block);
    planner.transfer(world, TAG_REDUCE_TO_ROOT, world.leader_of(root), root, block);
}

/// Plans an allreduce on each node, recursive doubling among the leaders, and a broadcast on each node.
pub(super) fn allreduce(planner: &mut Planner<'_>, block: Block) {
    let world = planner.world();
    planner.learn(world);
    planner.applied(TableRule::said("node-aware"));
    if block.count == 0 {
        return;
    }
    planner.stage(allreduce_rule(world.node_size(), block), Comm::Node, Allreduce, 0, block);
    if world.nodes() > 1 {
        planner.among_leaders(&algo::allreduce::DOUBLING, Allreduce, 0, block);
    }
    planner.stage(bcast_rule(world.node_size(), block.bytes()), Comm::Node, Bcast, 0, block);
}
