//! Table for the reduce_scatter; sizes are those of all blocks together.

use crate::mpi::collective::algorithms::reduce_scatter::{HALVING, PAIRWISE};
use crate::mpi::collective::select::default;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, REST, Table};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ReduceScatterChoice {
    /// Choice of the default selector.
    Small,
    Halving,
    Pairwise,
}
use ReduceScatterChoice::{Halving, Pairwise, Small};

static TABLE: Table<ReduceScatterChoice> = &[
    (16, &[(64, Small), (65_536, Halving), (REST, Pairwise)]),
    (32, &[(64, Small), (131_072, Halving), (REST, Pairwise)]),
    (64, &[(1024, Small), (262_144, Halving), (REST, Pairwise)]),
    (128, &[(128, Small), (REST, Halving)]),
    (256, &[(128, Small), (REST, Halving)]),
    (ANY, &[(256, Small), (REST, Halving)]),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let bytes = planner.total_received().saturating_mul(planner.block().element);
    match planner.look_up(TABLE, planner.world().size(), bytes) {
        Small => default::reduce_scatter(planner),
        Halving => planner.one_level(&HALVING),
        Pairwise => planner.one_level(&PAIRWISE),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::table::{is_well_formed, look_up};
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!(is_well_formed(TABLE));
        for (ranks, bytes, choice) in [
            (2, 64, Small),
            (16, 65, Halving),
            (16, 65_536, Halving),
            (16, 65_537, Pairwise),
            (17, 131_072, Halving),
            (32, 131_073, Pairwise),
            (33, 1024, Small),
            (64, 262_144, Halving),
            (64, 262_145, Pairwise),
            (65, 128, Small),
            (256, 129, Halving),
            (257, 256, Small),
            (4096, 257, Halving),
        ] {
            assert_eq!(look_up(TABLE, ranks, bytes), choice, "{ranks} ranks, {bytes} bytes");
        }
    }
}
