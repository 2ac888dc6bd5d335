//! Limits of the tables. `tests/it/replay/collective_reference.rs` compares the choice at each of them with the
//! reference.

use super::*;
use crate::mpi::collective::select::pick::Pick;
use crate::mpi::collective::select::table::{Choices, is_well_formed_below, look_up_below};

fn name(table: Choices<Pick>, ranks: u32, bytes: u64) -> &'static str {
    match look_up_below(table, ranks, bytes).0 {
        Pick::Algorithm(algorithm) => algorithm.name,
        Pick::Composite(composite) => composite.name,
    }
}

#[test]
fn limits_ascend_and_the_last_row_is_open() {
    for table in [
        allgather::TABLE,
        allgatherv::TABLE,
        allreduce::TABLE,
        alltoallv::TABLE,
        barrier::TABLE,
        bcast::TABLE,
        gather::TABLE,
        reduce::TABLE,
        reduce_scatter::TABLE,
        scatter::TABLE,
    ] {
        assert!(is_well_formed_below(table), "{table:?}");
    }
    assert!(is_well_formed_below(alltoall::TABLE));
}

#[test]
fn rows_beyond_the_reach_of_the_reference() {
    for (table, ranks, bytes, expected) in [
        (bcast::TABLE, 128, 1, "binomial"),
        (bcast::TABLE, 255, 32_768, "ntsb"),
        (bcast::TABLE, 256, 16_384, "split-binary"),
        (bcast::TABLE, 1024, 524_288, "scatter-rdb"),
        (bcast::TABLE, 4096, 8192, "ntsb"),
        (reduce::TABLE, 511, 8192, "in-order-binary"),
        (reduce::TABLE, 2048, 512, "in-order-binary"),
        (reduce::TABLE, 4096, 16, "in-order-binary"),
        (allreduce::TABLE, 2048, 2048, "ring-segmented"),
        (allreduce::TABLE, 4096, 16_384, "rdb"),
        (allgather::TABLE, 256, 64, "bruck"),
        (allgather::TABLE, 1024, 3, "rdb"),
        (allgather::TABLE, 4096, 8, "rdb"),
        (allgatherv::TABLE, 512, 512, "gather-bcast"),
        (allgatherv::TABLE, 1024, 4096, "neighbour-exchange"),
        (reduce_scatter::TABLE, 1024, 16_384, "halving"),
        (reduce_scatter::TABLE, 4096, 1024, "halving"),
        (gather::TABLE, 300, 2048, "linear"),
        (scatter::TABLE, 9999, 512, "linear-nonblocking"),
        (barrier::TABLE, 256, 0, "tree"),
        (barrier::TABLE, 512, 0, "bruck"),
        (alltoallv::TABLE, 1023, 0, "pair"),
    ] {
        assert_eq!(name(table, ranks, bytes), expected, "{ranks} ranks, {bytes} bytes");
    }
}
