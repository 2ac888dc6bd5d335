//! Table for the gather; sizes are those of a block.

use crate::mpi::collective::select::TableRule;
use crate::mpi::collective::select::planner::{Block, Planner, View, tag};
use crate::mpi::collective::select::table::{ANY, REST, Table};
use crate::mpi::collective::{Comm, algorithms as algo};
use crate::trace::CollectiveKind::Gather;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GatherChoice {
    Linear,
    Binomial,
    /// Binomial on each node, then linear among the leaders.
    TwoLevel,
}
use GatherChoice::{Binomial, Linear, TwoLevel};

static TABLE: Table<GatherChoice> = &[
    (16, &[(524_288, Linear), (REST, Binomial)]),
    (32, &[(16_384, Linear), (131_072, Binomial), (REST, TwoLevel)]),
    (64, &[(256, TwoLevel), (16_384, Linear), (REST, TwoLevel)]),
    (ANY, &[(512, TwoLevel), (16_384, Linear), (REST, TwoLevel)]),
];

/// Plans a gather on `view`, to its member `root`.
///
/// The table is used only if the communicator is known to hold the ranks of each node consecutively. So the first
/// gathers of a run, before any collective has discovered that, use the binomial tree.
pub(super) fn plan(planner: &mut Planner<'_>, view: View<'_>, root: u32, block: Block) {
    let known_blocked = planner.knows(view) && view.is_blocked();
    let choice = if known_blocked {
        planner.look_up(TABLE, view.size(), block.bytes())
    } else {
        planner.applied(TableRule::said("ranks not known to be in a row on their hosts"));
        Binomial
    };
    match choice {
        Binomial => planner.stage(&algo::gather::BINOMIAL, view.comm, Gather, root, block),
        Linear => planner.stage(&algo::gather::LINEAR, view.comm, Gather, root, block),
        TwoLevel => two_level(planner, view, root, block),
    }
}

fn two_level(planner: &mut Planner<'_>, view: View<'_>, root: u32, block: Block) {
    // Only here does an empty gather return immediately; both others send their empty messages.
    if block.count == 0 {
        return;
    }
    planner.stage(&algo::gather::BINOMIAL, Comm::Node, Gather, 0, block);
    if view.nodes() > 1 {
        // Nodes of different sizes need the version in which every leader sends its own amount.
        let uniform = view.ranks_per_node().is_some();
        let algorithm = if uniform { &algo::gather::LINEAR } else { &algo::gather::GATHERV };
        let kind = algorithm.kind.unwrap_or(Gather);
        planner.among_leaders(algorithm, kind, view.node_of(root), block.times(view.node_size()));
    }
    planner.transfer(view, tag(Gather), view.leader_of(root), root, block.times(view.size()));
}

#[cfg(test)]
mod tests {
    use super::super::super::table::{is_well_formed, look_up};
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!(is_well_formed(TABLE));
        for (ranks, bytes, choice) in [
            (16, 524_288, Linear),
            (16, 524_289, Binomial),
            (17, 16_384, Linear),
            (32, 131_072, Binomial),
            (32, 131_073, TwoLevel),
            (33, 256, TwoLevel),
            (64, 257, Linear),
            (64, 16_385, TwoLevel),
            (65, 512, TwoLevel),
            (65, 513, Linear),
            (4096, 16_385, TwoLevel),
        ] {
            assert_eq!(look_up(TABLE, ranks, bytes), choice, "{ranks} ranks, {bytes} bytes");
        }
    }
}
