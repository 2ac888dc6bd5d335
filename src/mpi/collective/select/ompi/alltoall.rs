//! Table for the all-to-all, also under the default selector.

use crate::mpi::collective::Algorithm;
use crate::mpi::collective::algorithms::alltoall::{BRUCK, LINEAR, PAIR};
use crate::mpi::collective::select::planner::Planner;
use crate::mpi::collective::select::table::{ANY, Choices};

/// Limits on ranks (exclusive), with limits on the bytes of a block (exclusive) and their choices, and the choice for
/// larger blocks.
pub(super) static TABLE: Choices<&Algorithm> = &[
    (
        3,
        &[
            (2, &PAIR),
            (4, &LINEAR),
            (16, &PAIR),
            (64, &LINEAR),
            (256, &PAIR),
            (4096, &LINEAR),
            (32_768, &PAIR),
            (1_048_576, &LINEAR),
        ],
        &PAIR,
    ),
    (8, &[(524_288, &LINEAR), (1_048_576, &PAIR)], &LINEAR),
    (16, &[], &LINEAR),
    (32, &[(4, &LINEAR), (512, &BRUCK)], &LINEAR),
    (64, &[(512, &BRUCK)], &LINEAR),
    (128, &[(1024, &BRUCK), (262_144, &LINEAR)], &PAIR),
    (256, &[(1024, &BRUCK), (262_144, &LINEAR)], &PAIR),
    (512, &[(1024, &BRUCK), (32_768, &LINEAR)], &PAIR),
    (1024, &[(512, &BRUCK), (262_144, &LINEAR)], &PAIR),
    (2048, &[(512, &BRUCK)], &LINEAR),
    (4096, &[(1024, &BRUCK)], &LINEAR),
    (ANY, &[(2048, &BRUCK)], &LINEAR),
];

pub(in crate::mpi::collective::select) fn plan(planner: &mut Planner<'_>) {
    let algorithm = planner.look_up_below(TABLE, planner.block().bytes());
    planner.one_level(algorithm);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::collective::select::table::look_up_below;

    #[test]
    fn limits_belong_to_the_upper_entry() {
        for (ranks, bytes, name) in [
            (2, 1, "pair"),
            (2, 2, "linear"),
            (2, 4, "pair"),
            (2, 1_048_576, "pair"),
            (3, 524_287, "linear"),
            (3, 524_288, "pair"),
            (7, 1_048_576, "linear"),
            (8, 524_288, "linear"),
            (16, 3, "linear"),
            (16, 4, "bruck"),
            (31, 512, "linear"),
            (32, 0, "bruck"),
            (63, 512, "linear"),
            (64, 1023, "bruck"),
            (64, 262_144, "pair"),
            (255, 262_143, "linear"),
            (256, 32_768, "pair"),
            (512, 512, "linear"),
            (1024, 511, "bruck"),
            (2048, 1023, "bruck"),
            (4096, 2047, "bruck"),
            (65_536, 2048, "linear"),
        ] {
            assert_eq!(look_up_below(TABLE, ranks, bytes).0.name, name, "{ranks} ranks, {bytes} bytes");
        }
    }
}
