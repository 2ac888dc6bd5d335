//! Tables for the allgather; sizes are those of a block. There is one for each measured number of ranks per node, and
//! it requires equal nodes.

use super::{bcast, gather};
use crate::mpi::collective::select::mpich::rules::allgather_rule;
use crate::mpi::collective::select::planner::{Block, Planner};
use crate::mpi::collective::select::table::{ANY, REST, Table};
use crate::mpi::collective::{Algorithm, Comm, algorithms as algo};
use crate::trace::CollectiveKind::Allgather;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AllgatherChoice {
    Doubling,
    Ring,
    /// Gather on each node, allgather among the leaders, broadcast on each node.
    TwoLevel,
    /// Entry of the library's table that SimGrid has no algorithm for: it returns without a message.
    Nothing,
}
use AllgatherChoice::{Doubling, Nothing, Ring, TwoLevel};

/// For one rank per node, and where there is no other table.
static ONE_PER_NODE: Table<AllgatherChoice> = &[
    (2, &[(REST, Ring)]),
    (4, &[(262_144, Doubling), (REST, Ring)]),
    (16, &[(131_072, Doubling), (REST, Ring)]),
    (32, &[(65_536, Doubling), (REST, Ring)]),
    (ANY, &[(32_768, Doubling), (REST, Ring)]),
];

static TWO_PER_NODE: Table<AllgatherChoice> = &[
    (4, &[(524_288, Doubling), (REST, Ring)]),
    (8, &[(32_768, Doubling), (REST, TwoLevel)]),
    (16, &[(16_384, Doubling), (REST, TwoLevel)]),
    (ANY, &[(REST, TwoLevel)]),
];

static SIXTEEN_PER_NODE: Table<AllgatherChoice> =
    &[(16, &[(1024, Doubling), (REST, Ring)]), (ANY, &[(1024, Nothing), (REST, Ring)])];

fn table(ranks_per_node: Option<u32>) -> Table<AllgatherChoice> {
    match ranks_per_node {
        Some(2) => TWO_PER_NODE,
        Some(16) => SIXTEEN_PER_NODE,
        _ => ONE_PER_NODE,
    }
}

/// Plans an allgather of `block` from every rank.
pub(super) fn plan(planner: &mut Planner<'_>, block: Block) {
    let world = planner.world();
    planner.learn(world);
    let one_level: &'static Algorithm = match planner.look_up(
        table(world.ranks_per_node()),
        world.size(),
        block.bytes(),
    ) {
        Doubling => &algo::doubling::ALLGATHER,
        Ring => &algo::allgather::RING,
        Nothing => {
            return planner.report(
                "no message was sent: with 16 ranks on each node MVAPICH2's table asks for an algorithm that SimGrid does \
                 not have, and SimGrid sends nothing then; choose one by --collective allgather=NAME",
            );
        }
        TwoLevel if world.is_blocked() => return two_level(planner, block),
        TwoLevel => allgather_rule(world.size(), block.bytes()).0,
    };
    planner.stage(one_level, Comm::World, Allgather, 0, block);
}

fn two_level(planner: &mut Planner<'_>, block: Block) {
    let (world, node) = (planner.world(), planner.node());
    gather::plan(planner, node, 0, block);
    if world.nodes() > 1 {
        let node_block = block.times(world.node_size());
        let (algorithm, _) = allgather_rule(world.nodes(), node_block.bytes());
        planner.among_leaders(algorithm, Allgather, 0, node_block);
    }
    bcast::plan(planner, node, 0, block.times(world.size()));
}

#[cfg(test)]
mod tests {
    use super::super::super::table::{is_well_formed, look_up};
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!([ONE_PER_NODE, TWO_PER_NODE, SIXTEEN_PER_NODE].into_iter().all(is_well_formed));
        for (per_node, ranks, bytes, choice) in [
            (Some(1), 2, 0, Ring),
            (Some(1), 4, 262_144, Doubling),
            (Some(3), 4, 262_145, Ring),
            (None, 8, 131_072, Doubling),
            (Some(1), 16, 131_073, Ring),
            (Some(1), 32, 65_536, Doubling),
            (Some(1), 33, 32_768, Doubling),
            (Some(1), 33, 32_769, Ring),
            (Some(2), 4, 524_288, Doubling),
            (Some(2), 4, 524_289, Ring),
            (Some(2), 8, 32_768, Doubling),
            (Some(2), 8, 32_769, TwoLevel),
            (Some(2), 16, 16_385, TwoLevel),
            (Some(2), 18, 0, TwoLevel),
            (Some(16), 16, 1024, Doubling),
            (Some(16), 16, 1025, Ring),
            (Some(16), 32, 1024, Nothing),
            (Some(16), 32, 1025, Ring),
        ] {
            let found = look_up(table(per_node), ranks, bytes);
            assert_eq!(found, choice, "{per_node:?} per node, {ranks} ranks, {bytes} bytes");
        }
    }
}
