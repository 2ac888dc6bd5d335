//! Table for the broadcast; sizes are those of the message.

use crate::mpi::collective::select::mpich::smp::bcast_rule as mpich_rule;
use crate::mpi::collective::select::planner::{Block, Planner, View, tag};
use crate::mpi::collective::select::table::{ANY, REST, Table};
use crate::mpi::collective::{Comm, algorithms as algo};
use crate::trace::CollectiveKind::Bcast;

/// Broadcast among the leaders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BcastChoice {
    /// The rule of MPICH, [`mpich_rule`].
    Mpich,
    Binomial,
    ScatterDoubling,
    ScatterRing,
    /// Not the leaders: scatter and ring on the whole communicator, in one level.
    OneLevel,
}
use BcastChoice::{Binomial, Mpich, OneLevel, ScatterDoubling, ScatterRing};

static TABLE: Table<BcastChoice> = &[
    (
        16,
        &[
            (8192, Mpich),
            (16_384, Binomial),
            (65_536, Mpich),
            (262_144, ScatterRing),
            (524_288, ScatterDoubling),
            (REST, ScatterRing),
        ],
    ),
    (32, &[(REST, Mpich)]),
    (64, &[(REST, Mpich)]),
    (128, &[(524_288, Mpich), (REST, OneLevel)]),
    (256, &[(131_072, Mpich), (262_144, ScatterRing), (524_288, Mpich), (REST, ScatterRing)]),
    (512, &[(262_144, Mpich), (REST, ScatterRing)]),
    (ANY, &[(524_288, Mpich), (REST, ScatterRing)]),
];

/// Plans a broadcast on `view`, from its member `root`.
pub(super) fn plan(planner: &mut Planner<'_>, view: View<'_>, root: u32, block: Block) {
    let bytes = block.bytes();
    if bytes == 0 {
        return;
    }
    planner.learn(view);
    let among_leaders = match planner.look_up(TABLE, view.size(), bytes) {
        OneLevel => return planner.stage(&algo::bcast_scatter::RING, view.comm, Bcast, root, block),
        Mpich => mpich_rule(view.nodes(), bytes),
        Binomial => &algo::bcast::BINOMIAL,
        ScatterDoubling => &algo::bcast_scatter::DOUBLING,
        ScatterRing => &algo::bcast_scatter::RING,
    };
    planner.transfer(view, tag(Bcast), root, view.leader_of(root), block);
    if view.nodes() > 1 {
        planner.among_leaders(among_leaders, Bcast, view.node_of(root), block);
    }
    planner.stage(mpich_rule(view.node_size(), bytes), Comm::Node, Bcast, 0, block);
}

#[cfg(test)]
mod tests {
    use super::super::super::table::{is_well_formed, look_up};
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!(is_well_formed(TABLE));
        for (ranks, bytes, choice) in [
            (2, 8192, Mpich),
            (16, 8193, Binomial),
            (16, 16_384, Binomial),
            (16, 65_536, Mpich),
            (16, 65_537, ScatterRing),
            (9, 262_145, ScatterDoubling),
            (9, 524_289, ScatterRing),
            (17, 1 << 30, Mpich),
            (64, 1 << 30, Mpich),
            (65, 524_288, Mpich),
            (128, 524_289, OneLevel),
            (129, 131_073, ScatterRing),
            (256, 262_145, Mpich),
            (257, 262_145, ScatterRing),
            (513, 524_288, Mpich),
            (9999, 524_289, ScatterRing),
        ] {
            assert_eq!(look_up(TABLE, ranks, bytes), choice, "{ranks} ranks, {bytes} bytes");
        }
    }

    #[test]
    fn mpich_asks_for_an_even_size() {
        assert_eq!(mpich_rule(100, 12_287).name, "binomial");
        assert_eq!(mpich_rule(8, 1 << 30).name, "binomial");
        assert_eq!(mpich_rule(10, 12_288).name, "scatter-rdb");
        assert_eq!(mpich_rule(9, 12_288).name, "scatter-ring");
        assert_eq!(mpich_rule(10, 524_288).name, "scatter-ring");
    }
}
