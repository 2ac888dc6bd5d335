//! Tables for the scatter; sizes are those of a block. There is one for each measured number of ranks per node, and it
//! requires equal nodes.

use crate::mpi::collective::algorithms::scatter::{BINOMIAL, LINEAR, SCATTERV};
use crate::mpi::collective::select::planner::{Block, Planner, tag};
use crate::mpi::collective::select::table::{ANY, REST, Table, look_up};
use crate::mpi::collective::{Algorithm, Comm, Vector};
use crate::trace::CollectiveKind::{Scatter, Scatterv};

#[derive(Clone, Copy, Debug)]
enum ScatterChoice {
    /// This algorithm on the whole communicator.
    OneLevel(&'static Algorithm),
    /// This algorithm among the leaders, then one of the second table on each node.
    TwoLevel(&'static Algorithm),
}

const ALL_LINEAR: ScatterChoice = ScatterChoice::OneLevel(&LINEAR);
const ALL_BINOMIAL: ScatterChoice = ScatterChoice::OneLevel(&BINOMIAL);
const TWO_DIRECT: ScatterChoice = ScatterChoice::TwoLevel(&LINEAR);
const TWO_BINOMIAL: ScatterChoice = ScatterChoice::TwoLevel(&BINOMIAL);

/// For one rank per node, and where there is no other table.
static ONE_PER_NODE: Table<ScatterChoice> =
    &[(2, &[(REST, ALL_BINOMIAL)]), (32, &[(REST, ALL_LINEAR)]), (ANY, &[(32, ALL_BINOMIAL), (REST, ALL_LINEAR)])];

static TWO_PER_NODE: Table<ScatterChoice> = &[
    (4, &[(4096, ALL_BINOMIAL), (REST, ALL_LINEAR)]),
    (8, &[(512, TWO_DIRECT), (REST, ALL_LINEAR)]),
    (32, &[(2048, TWO_DIRECT), (REST, ALL_LINEAR)]),
    (64, &[(8192, TWO_DIRECT), (REST, ALL_LINEAR)]),
    (ANY, &[(16, ALL_BINOMIAL), (128, TWO_BINOMIAL), (16_384, TWO_DIRECT), (REST, ALL_LINEAR)]),
];

static SIXTEEN_PER_NODE: Table<ScatterChoice> = &[
    (16, &[(256, ALL_BINOMIAL), (REST, ALL_LINEAR)]),
    (32, &[(512, ALL_BINOMIAL), (REST, ALL_LINEAR)]),
    (64, &[(1024, TWO_DIRECT), (REST, ALL_LINEAR)]),
    (256, &[(2048, TWO_DIRECT), (REST, ALL_LINEAR)]),
    (512, &[(4096, TWO_DIRECT), (REST, ALL_LINEAR)]),
    (1024, &[(32, ALL_BINOMIAL), (4096, TWO_DIRECT), (REST, ALL_LINEAR)]),
    (ANY, &[(128, TWO_BINOMIAL), (16_384, TWO_DIRECT), (65_536, ALL_LINEAR), (REST, TWO_DIRECT)]),
];

/// Algorithms on a node in a scatter of two levels; the number of ranks is that of the whole communicator.
static ON_NODE_OF_TWO: Table<&Algorithm> =
    &[(4, &[(REST, &LINEAR)]), (64, &[(REST, &BINOMIAL)]), (ANY, &[(REST, &LINEAR)])];

/// See [`ON_NODE_OF_TWO`].
static ON_NODE_OF_SIXTEEN: Table<&Algorithm> =
    &[(256, &[(REST, &LINEAR)]), (1024, &[(REST, &BINOMIAL)]), (ANY, &[(1024, &BINOMIAL), (REST, &LINEAR)])];

fn table(ranks_per_node: Option<u32>) -> (Table<ScatterChoice>, Table<&'static Algorithm>) {
    match ranks_per_node {
        Some(2) => (TWO_PER_NODE, ON_NODE_OF_TWO),
        Some(16) => (SIXTEEN_PER_NODE, ON_NODE_OF_SIXTEEN),
        // No entry has two levels.
        _ => (ONE_PER_NODE, ON_NODE_OF_TWO),
    }
}

/// Plans a scatter of `block` to every rank, from rank `root`.
pub(super) fn plan(planner: &mut Planner<'_>, root: u32, block: Block) {
    let world = planner.world();
    planner.learn(world);
    let (table, on_node) = table(world.ranks_per_node());
    match planner.look_up(table, world.size(), block.bytes()) {
        ScatterChoice::OneLevel(algorithm) => planner.stage(algorithm, Comm::World, Scatter, root, block),
        ScatterChoice::TwoLevel(_) if !world.is_blocked() => {
            planner.stage(&BINOMIAL, Comm::World, Scatter, root, block)
        }
        ScatterChoice::TwoLevel(_) if world.nodes() == 1 => planner.stage(&LINEAR, Comm::World, Scatter, root, block),
        ScatterChoice::TwoLevel(among_leaders) => {
            two_level(planner, root, block, among_leaders, look_up(on_node, world.size(), block.bytes()));
        }
    }
}

fn two_level(
    planner: &mut Planner<'_>,
    root: u32,
    block: Block,
    among_leaders: &'static Algorithm,
    on_node: &'static Algorithm,
) {
    let world = planner.world();
    let root_node = world.node_of(root);
    planner.transfer(world, tag(Scatter), root, world.leader_of(root), block.times(world.size()));
    if world.ranks_per_node().is_some() {
        planner.among_leaders(among_leaders, Scatter, root_node, block.times(world.node_size()));
    } else {
        // The sizes of the nodes, in units of one rank's block.
        let unit = Block { count: 0, element: block.bytes(), vector: Vector::NodeSizes };
        planner.among_leaders(&SCATTERV, Scatterv, root_node, unit);
    }
    planner.stage(on_node, Comm::Node, Scatter, 0, block);
}

#[cfg(test)]
mod tests {
    use super::super::super::table::is_well_formed;
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!([ONE_PER_NODE, TWO_PER_NODE, SIXTEEN_PER_NODE].into_iter().all(is_well_formed));
        for (per_node, ranks, bytes, levels, name) in [
            (Some(1), 2, 1 << 30, 1, "binomial"),
            (Some(3), 32, 0, 1, "linear"),
            (None, 33, 32, 1, "binomial"),
            (Some(1), 33, 33, 1, "linear"),
            (Some(2), 4, 4096, 1, "binomial"),
            (Some(2), 4, 4097, 1, "linear"),
            (Some(2), 8, 512, 2, "linear"),
            (Some(2), 8, 513, 1, "linear"),
            (Some(2), 16, 2048, 2, "linear"),
            (Some(2), 32, 2049, 1, "linear"),
            (Some(2), 64, 8192, 2, "linear"),
            (Some(2), 66, 16, 1, "binomial"),
            (Some(2), 66, 128, 2, "binomial"),
            (Some(2), 66, 16_384, 2, "linear"),
            (Some(2), 66, 16_385, 1, "linear"),
            (Some(16), 16, 257, 1, "linear"),
            (Some(16), 32, 512, 1, "binomial"),
            (Some(16), 64, 1024, 2, "linear"),
            (Some(16), 256, 2049, 1, "linear"),
            (Some(16), 512, 4096, 2, "linear"),
            (Some(16), 1024, 32, 1, "binomial"),
            (Some(16), 1040, 128, 2, "binomial"),
            (Some(16), 1040, 65_536, 1, "linear"),
            (Some(16), 1040, 65_537, 2, "linear"),
        ] {
            let found = match look_up(table(per_node).0, ranks, bytes) {
                ScatterChoice::OneLevel(algorithm) => (1, algorithm.name),
                ScatterChoice::TwoLevel(algorithm) => (2, algorithm.name),
            };
            assert_eq!(found, (levels, name), "{per_node:?} per node, {ranks} ranks, {bytes} bytes");
        }
    }

    #[test]
    fn limits_on_the_node_belong_to_the_lower_entry() {
        assert!([ON_NODE_OF_TWO, ON_NODE_OF_SIXTEEN].into_iter().all(is_well_formed));
        for (per_node, ranks, bytes, name) in [
            (2, 4, 9, "linear"),
            (2, 64, 9, "binomial"),
            (2, 66, 9, "linear"),
            (16, 256, 9, "linear"),
            (16, 1024, 9, "binomial"),
            (16, 1040, 1024, "binomial"),
            (16, 1040, 1025, "linear"),
        ] {
            let found = look_up(table(Some(per_node)).1, ranks, bytes).name;
            assert_eq!(found, name, "{per_node} per node, {ranks} ranks, {bytes} bytes");
        }
    }
}
