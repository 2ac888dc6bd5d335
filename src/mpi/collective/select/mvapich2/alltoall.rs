//! Table for the all-to-all; sizes are those of a block.

use crate::mpi::collective::Algorithm;
use crate::mpi::collective::algorithms::alltoall::{BRUCK, PAIR, SCATTERED};
use crate::mpi::collective::algorithms::doubling::ALLTOALL as DOUBLING;
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, REST, Table};

static TABLE: Table<&Algorithm> = &[
    (2, &[(REST, &PAIR)]),
    (4, &[(262_144, &SCATTERED), (REST, &PAIR)]),
    (8, &[(8, &DOUBLING), (REST, &SCATTERED)]),
    (16, &[(64, &DOUBLING), (512, &BRUCK), (REST, &SCATTERED)]),
    (32, &[(32, &DOUBLING), (2048, &BRUCK), (REST, &SCATTERED)]),
    (ANY, &[(8, &DOUBLING), (1024, &BRUCK), (REST, &SCATTERED)]),
];

pub(super) fn plan(planner: &mut Planner<'_>) {
    let (ranks, bytes) = (planner.world().size(), planner.block().bytes());
    let algorithm = planner.look_up(TABLE, ranks, bytes);
    planner.one_level(algorithm);
}

#[cfg(test)]
mod tests {
    use super::super::super::table::{is_well_formed, look_up};
    use super::*;

    #[test]
    fn limits_belong_to_the_lower_entry() {
        assert!(is_well_formed(TABLE));
        for (ranks, bytes, name) in [
            (2, 1 << 30, "pair"),
            (3, 262_144, "scattered"),
            (4, 262_145, "pair"),
            (5, 8, "rdb"),
            (8, 9, "scattered"),
            (9, 64, "rdb"),
            (16, 65, "bruck"),
            (16, 513, "scattered"),
            (17, 32, "rdb"),
            (32, 2048, "bruck"),
            (32, 2049, "scattered"),
            (33, 8, "rdb"),
            (1000, 1024, "bruck"),
            (65_536, 1025, "scattered"),
        ] {
            assert_eq!(look_up(TABLE, ranks, bytes).name, name, "{ranks} ranks, {bytes} bytes");
        }
    }
}
