//! Tables for the reduction to a root; sizes are those of the vector.
//!
//! SimGrid keeps the chosen functions in variables that all ranks share. If some ranks are already in the next
//! reduction, which chooses differently, the others run a mixture of both, with another time, truncated messages or a
//! deadlock. Here each call runs the functions chosen for it; with a barrier between the reductions both agree.

use crate::mpi::collective::algorithms::reduce::{BINOMIAL, KNOMIAL, LINEAR};
use crate::mpi::collective::algorithms::reduce_scatter_gather::SCATTER_GATHER;
use crate::mpi::collective::select::planner::{Block, Planner, TAG_REDUCE_TO_ROOT, View};
use crate::mpi::collective::select::table::{ANY, BySize, REST, Table, look_up};
use crate::mpi::collective::{Algorithm, Comm};
use crate::trace::CollectiveKind::Reduce;

#[derive(Clone, Copy, Debug)]
enum ReduceChoice {
    /// This algorithm on the whole communicator.
    OneLevel(&'static Algorithm),
    /// An algorithm of [`ON_NODE`] on each node, then this one among the leaders.
    TwoLevel(&'static Algorithm),
}
use ReduceChoice::{OneLevel, TwoLevel};

static TABLE: Table<ReduceChoice> = &[
    (16, &[(262_144, TwoLevel(&KNOMIAL)), (1_048_576, OneLevel(&BINOMIAL)), (REST, OneLevel(&SCATTER_GATHER))]),
    (
        32,
        &[
            (32_768, TwoLevel(&KNOMIAL)),
            (65_536, TwoLevel(&BINOMIAL)),
            (262_144, OneLevel(&KNOMIAL)),
            (1_048_576, OneLevel(&BINOMIAL)),
            (REST, OneLevel(&SCATTER_GATHER)),
        ],
    ),
    (
        64,
        &[
            (16_384, TwoLevel(&KNOMIAL)),
            (65_536, TwoLevel(&BINOMIAL)),
            (262_144, TwoLevel(&KNOMIAL)),
            (REST, OneLevel(&SCATTER_GATHER)),
        ],
    ),
    (
        128,
        &[
            (8192, TwoLevel(&KNOMIAL)),
            (16_384, OneLevel(&KNOMIAL)),
            (65_536, TwoLevel(&BINOMIAL)),
            (262_144, OneLevel(&KNOMIAL)),
            (1_048_576, TwoLevel(&BINOMIAL)),
            (REST, OneLevel(&SCATTER_GATHER)),
        ],
    ),
    (
        256,
        &[
            (16_384, TwoLevel(&KNOMIAL)),
            (32_768, TwoLevel(&BINOMIAL)),
            (65_536, OneLevel(&BINOMIAL)),
            (1_048_576, TwoLevel(&BINOMIAL)),
            (REST, OneLevel(&SCATTER_GATHER)),
        ],
    ),
    (
        512,
        &[
            (8192, TwoLevel(&KNOMIAL)),
            (16_384, OneLevel(&KNOMIAL)),
            (1_048_576, TwoLevel(&BINOMIAL)),
            (REST, OneLevel(&SCATTER_GATHER)),
        ],
    ),
    (1024, &[(8192, TwoLevel(&KNOMIAL)), (16_384, OneLevel(&KNOMIAL)), (REST, TwoLevel(&BINOMIAL))]),
    (ANY, &[(2048, TwoLevel(&KNOMIAL)), (4096, OneLevel(&KNOMIAL)), (REST, TwoLevel(&BINOMIAL))]),
];

/// Algorithms on a node in a reduction of two levels; the number of ranks is that of the whole communicator.
static ON_NODE: Table<&Algorithm> = &[
    (16, &[(65_536, &LINEAR), (REST, &BINOMIAL)]),
    (32, &[(8192, &LINEAR), (16_384, &KNOMIAL), (262_144, &LINEAR), (REST, &BINOMIAL)]),
    (1024, FIVE_STRETCHES),
    (ANY, &[(16_384, &LINEAR), (65_536, &KNOMIAL), (131_072, &BINOMIAL), (REST, &LINEAR)]),
];

/// Entries of all rows from 33 to 1024 ranks.
static FIVE_STRETCHES: BySize<&Algorithm> =
    &[(8192, &LINEAR), (16_384, &KNOMIAL), (65_536, &LINEAR), (262_144, &KNOMIAL), (REST, &BINOMIAL)];

/// Vectors up to this size are reduced linearly when there is only one node.
const SHORT_ON_ONE_NODE: u64 = 2048;

/// Bytes per rank of the node from which a tree of degree 4 replaces a linear reduction on the node.
const LONG_FOR_LINEAR: u64 = 131_072;

/// Plans a reduction on `view`, to its member `root`.
pub(super) fn plan(planner: &mut Planner<'_>, view: View<'_>, root: u32, block: Block) {
    if block.count == 0 {
        return;
    }
    let ranks = view.size();
    match planner.look_up(TABLE, ranks, block.bytes()) {
        OneLevel(algorithm) => {
            // Scatter and gather need an element for every participant.
            let too_few = block.count < u64::from(1u32 << ranks.max(1).ilog2());
            let scatters = std::ptr::eq(algorithm, &SCATTER_GATHER);
            let algorithm = if scatters && too_few { &BINOMIAL } else { algorithm };
            planner.stage(algorithm, view.comm, Reduce, root, block);
        }
        TwoLevel(algorithm) => {
            planner.learn(view);
            if view.nodes() == 1 {
                on_one_node(planner, view, root, block);
            } else {
                on_several_nodes(planner, view, root, block, algorithm);
            }
        }
    }
}

pub(in crate::mpi::collective::select) fn on_one_node(
    planner: &mut Planner<'_>,
    view: View<'_>,
    root: u32,
    block: Block,
) {
    if block.bytes() <= SHORT_ON_ONE_NODE {
        planner.stage(&LINEAR, Comm::Node, Reduce, 0, block);
        planner.transfer(view, TAG_REDUCE_TO_ROOT, 0, root, block);
    } else {
        planner.stage(&KNOMIAL, view.comm, Reduce, root, block);
    }
}

fn on_several_nodes(
    planner: &mut Planner<'_>,
    view: View<'_>,
    root: u32,
    block: Block,
    among_leaders: &'static Algorithm,
) {
    let bytes = block.bytes();
    let mut on_node = look_up(ON_NODE, view.size(), bytes);
    if std::ptr::eq(on_node, &LINEAR) && bytes >= u64::from(view.node_size()) * LONG_FOR_LINEAR {
        on_node = &KNOMIAL;
    }
    planner.stage(on_node, Comm::Node, Reduce, 0, block);
    planner.among_leaders(among_leaders, Reduce, view.node_of(root), block);
    planner.transfer(view, TAG_REDUCE_TO_ROOT, view.leader_of(root), root, block);
}

#[cfg(test)]
mod tests {
    use super::super::super::table::is_well_formed;
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!(is_well_formed(TABLE));
        for (ranks, bytes, levels, name) in [
            (2, 262_144, 2, "knomial"),
            (16, 262_145, 1, "binomial"),
            (16, 1_048_577, 1, "scatter-gather"),
            (17, 32_768, 2, "knomial"),
            (32, 32_769, 2, "binomial"),
            (32, 65_537, 1, "knomial"),
            (32, 262_145, 1, "binomial"),
            (33, 16_384, 2, "knomial"),
            (64, 16_385, 2, "binomial"),
            (64, 65_537, 2, "knomial"),
            (64, 262_145, 1, "scatter-gather"),
            (65, 8193, 1, "knomial"),
            (128, 16_385, 2, "binomial"),
            (128, 65_537, 1, "knomial"),
            (128, 262_145, 2, "binomial"),
            (256, 16_384, 2, "knomial"),
            (256, 32_769, 1, "binomial"),
            (256, 65_537, 2, "binomial"),
            (256, 1_048_577, 1, "scatter-gather"),
            (257, 8193, 1, "knomial"),
            (512, 1_048_576, 2, "binomial"),
            (1024, 16_385, 2, "binomial"),
            (1025, 2048, 2, "knomial"),
            (1025, 2049, 1, "knomial"),
            (1025, 4097, 2, "binomial"),
        ] {
            let found = match look_up(TABLE, ranks, bytes) {
                OneLevel(algorithm) => (1, algorithm.name),
                TwoLevel(algorithm) => (2, algorithm.name),
            };
            assert_eq!(found, (levels, name), "{ranks} ranks, {bytes} bytes");
        }
    }

    #[test]
    fn limits_on_the_node_belong_to_the_lower_entry() {
        assert!(is_well_formed(ON_NODE));
        for (ranks, bytes, name) in [
            (16, 65_536, "linear"),
            (16, 65_537, "binomial"),
            (32, 8192, "linear"),
            (32, 8193, "knomial"),
            (32, 16_385, "linear"),
            (32, 262_145, "binomial"),
            (33, 65_536, "linear"),
            (512, 65_537, "knomial"),
            (1024, 262_145, "binomial"),
            (1025, 16_385, "knomial"),
            (1025, 65_537, "binomial"),
            (1025, 131_073, "linear"),
        ] {
            assert_eq!(look_up(ON_NODE, ranks, bytes).name, name, "{ranks} ranks, {bytes} bytes");
        }
    }
}
