//! Table for the allreduce; sizes are those of the vector.

use super::{bcast, reduce};
use crate::mpi::collective::algorithms::allreduce::{DOUBLING, SCATTER};
use crate::mpi::collective::select::planner::{Block, Planner};
use crate::mpi::collective::select::table::{ANY, REST, Table};
use crate::mpi::collective::{Algorithm, Comm};
use crate::trace::CollectiveKind::Allreduce;

#[derive(Clone, Copy, Debug)]
enum AllreduceChoice {
    /// This algorithm on the whole communicator.
    OneLevel(&'static Algorithm),
    /// Reduction on each node, this algorithm among the leaders, broadcast on each node.
    TwoLevel(&'static Algorithm),
}
use AllreduceChoice::{OneLevel, TwoLevel};

static TABLE: Table<AllreduceChoice> = &[
    (16, &[(1024, TwoLevel(&DOUBLING)), (REST, OneLevel(&SCATTER))]),
    (32, &[(16_384, TwoLevel(&DOUBLING)), (REST, OneLevel(&SCATTER))]),
    (512, &[(16_384, TwoLevel(&DOUBLING)), (REST, OneLevel(&SCATTER))]),
    (1024, &[(8192, TwoLevel(&DOUBLING)), (65_536, TwoLevel(&SCATTER)), (REST, OneLevel(&SCATTER))]),
    (
        ANY,
        &[
            (64, TwoLevel(&DOUBLING)),
            (512, TwoLevel(&SCATTER)),
            // The library would use a hardware multicast here, which is replaced by doubling.
            (4096, TwoLevel(&DOUBLING)),
            (REST, OneLevel(&SCATTER)),
        ],
    ),
];

pub(super) fn plan(planner: &mut Planner<'_>, block: Block) {
    if block.count == 0 {
        return;
    }
    let world = planner.world();
    match planner.look_up(TABLE, world.size(), block.bytes()) {
        OneLevel(algorithm) => planner.stage(algorithm, Comm::World, Allreduce, 0, block),
        TwoLevel(algorithm) => {
            let node = planner.node();
            planner.learn(world);
            reduce::plan(planner, node, 0, block);
            if world.nodes() > 1 {
                planner.among_leaders(algorithm, Allreduce, 0, block);
            }
            bcast::plan(planner, node, 0, block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::table::{is_well_formed, look_up};
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!(is_well_formed(TABLE));
        for (ranks, bytes, two_level, name) in [
            (2, 1024, true, "rdb"),
            (16, 1025, false, "rs"),
            (17, 16_384, true, "rdb"),
            (32, 16_385, false, "rs"),
            (64, 16_384, true, "rdb"),
            (512, 16_385, false, "rs"),
            (513, 8192, true, "rdb"),
            (1024, 65_536, true, "rs"),
            (1024, 65_537, false, "rs"),
            (1025, 64, true, "rdb"),
            (1025, 512, true, "rs"),
            (1025, 4096, true, "rdb"),
            (1025, 4097, false, "rs"),
        ] {
            let found = match look_up(TABLE, ranks, bytes) {
                TwoLevel(algorithm) => (true, algorithm.name),
                OneLevel(algorithm) => (false, algorithm.name),
            };
            assert_eq!(found, (two_level, name), "{ranks} ranks, {bytes} bytes");
        }
    }
}
