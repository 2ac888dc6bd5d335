//! Composite algorithms: of several stages, or with operations that are left to the selector.
//!
//! Users choose them by name like any other algorithm. The part left to the selector depends on the library, and on the
//! user's choice for that operation.

use super::default;
use super::pick::Composite;
use super::planner::{Block, Planner, tag};
use crate::mpi::collective::algorithms::{self, allreduce_ring, bcast_pipeline, bcast_segments, bcast_tree};
use crate::mpi::collective::{Algorithm, Comm};
use crate::trace::CollectiveKind::{
    self, Allgather, Allgatherv, Allreduce, Bcast, Gather, Gatherv, Reduce, ReduceScatter,
};

/// All composites, grouped by operation.
pub static COMPOSITES: &[&Composite] = &[
    &NTSB,
    &NTSL,
    &SPLIT_BINARY,
    &REDUCE_BCAST,
    &LINEAR,
    &ALLGATHER_REDUCE,
    &LR,
    &RING_SEGMENTED,
    &ALLGATHER_GATHER_BCAST,
    &GATHER_BCAST,
    &REDUCE_SCATTERV,
];

/// Returns the composite of an operation with that name.
pub(super) fn find(kind: CollectiveKind, name: &str) -> Option<&'static Composite> {
    let same = |known: &str| algorithms::same(known, name);
    of(kind).find(|c| same(c.name) || c.simgrid.iter().any(|known| same(known)))
}

/// Returns the composites of an operation.
pub(super) fn of(kind: CollectiveKind) -> impl Iterator<Item = &'static Composite> {
    COMPOSITES.iter().copied().filter(move |composite| composite.kind == kind)
}

/// Segments down a binary tree of ranks; see [`bcast_segments`]. STAR-MPI, SimGrid (`bcast-NTSB.cpp`).
pub(super) static NTSB: Composite = Composite {
    kind: Bcast,
    name: "ntsb",
    simgrid: &["NTSB"],
    summary: "segments of 8 KiB down a binary tree of ranks, the rest as the table says",
    plan: |planner| in_segments(planner, &bcast_segments::TREE, &bcast_segments::TREE_SEGMENTS),
};

/// Segments along the line of ranks; see [`bcast_segments`]. STAR-MPI, SimGrid (`bcast-NTSL.cpp`).
pub(super) static NTSL: Composite = Composite {
    kind: Bcast,
    name: "ntsl",
    simgrid: &["NTSL"],
    summary: "segments of 8 KiB along the line of ranks, the rest as the table says",
    plan: |planner| in_segments(planner, &bcast_segments::LINE, &bcast_segments::LINE_SEGMENTS),
};

/// Open MPI's split binary tree.
pub(super) static SPLIT_BINARY: Composite = Composite {
    kind: Bcast,
    name: "split-binary",
    simgrid: &["ompi_split_bintree"],
    summary: bcast_pipeline::SPLIT_BINARY.summary,
    plan: split_binary,
};

/// Reduction to rank 0, then broadcast. Open MPI (`coll_base_allreduce.c`, non-overlapping).
pub(super) static REDUCE_BCAST: Composite = Composite {
    kind: Allreduce,
    name: "reduce-bcast",
    simgrid: &["redbcast"],
    summary: "reduction to rank 0, then broadcast, both as the table says",
    plan: reduce_bcast,
};

/// Reduction to rank 0 and broadcast from it, without trees. Open MPI (`coll_base_allreduce.c`, basic linear).
pub(super) static LINEAR: Composite = Composite {
    kind: Allreduce,
    name: "linear",
    simgrid: &[],
    summary: "every rank sends to rank 0, which sends the result to all",
    plan: linear,
};

/// Everybody gets all vectors and reduces them. Open MPI (`coll_base_allreduce.c`, allgather and reduce).
pub(super) static ALLGATHER_REDUCE: Composite = Composite {
    kind: Allreduce,
    name: "allgather-reduce",
    simgrid: &[],
    summary: "every rank gets all vectors, by the allgather of the table, and reduces them",
    plan: |planner| {
        let block = planner.block();
        planner.delegate(Allgather, 0, block);
    },
};

/// Two rounds around the ring. SimGrid (`allreduce-lr.cpp`).
pub(super) static LR: Composite = Composite {
    kind: Allreduce,
    name: "lr",
    simgrid: &[],
    summary: "P blocks travel twice around the ring of ranks, the rest as the table says",
    plan: lr,
};

/// Open MPI's segmented ring.
pub(super) static RING_SEGMENTED: Composite = Composite {
    kind: Allreduce,
    name: "ring-segmented",
    simgrid: &["ompi_ring_segmented"],
    summary: "as lr; blocks from 1 MiB on are reduced in segments",
    plan: ring_segmented,
};

/// Gathering to rank 0, then broadcast of everything. Open MPI (`coll_base_allgather.c`, linear).
pub(super) static ALLGATHER_GATHER_BCAST: Composite = Composite {
    kind: Allgather,
    name: "gather-bcast",
    simgrid: &[],
    summary: "gathering to rank 0, then broadcast of everything, both as the table says",
    plan: |planner| {
        let block = planner.block();
        planner.delegate(Gather, 0, block);
        planner.delegate(Bcast, 0, block.times(planner.world().size()));
    },
};

/// Gathering to rank 0, then broadcast of everything. SimGrid (`allgatherv-GB.cpp`).
pub(super) static GATHER_BCAST: Composite = Composite {
    kind: Allgatherv,
    name: "gather-bcast",
    simgrid: &["GB"],
    summary: "gathering to rank 0, then broadcast as the table says",
    plan: gather_bcast,
};

/// SimGrid's default (`smpi_default_selector.cpp`).
pub(super) static REDUCE_SCATTERV: Composite = Composite {
    kind: ReduceScatter,
    name: "reduce-scatterv",
    simgrid: &[],
    summary: "equal blocks: reduction to rank 0, then scatter; otherwise as MPICH",
    plan: default::reduce_scatter,
};

/// Plans a broadcast in segments: rank 0 gets the message from the root; full segments; the remainder is a broadcast of
/// its own.
fn in_segments(planner: &mut Planner<'_>, short: &'static Algorithm, long: &'static Algorithm) {
    let (block, root) = (planner.block(), planner.root);
    let segment = (bcast_segments::SEGMENT / block.element.max(1)).max(1);
    planner.transfer(planner.world(), tag(Bcast), root, 0, block);
    if block.count <= segment {
        return planner.stage(short, Comm::World, Bcast, 0, block);
    }
    let segments = Block::new(block.count / segment, segment.saturating_mul(block.element));
    planner.stage(long, Comm::World, Bcast, 0, segments);
    let rest = block.count % segment;
    if rest > 0 {
        planner.delegate(Bcast, root, Block::new(rest, block.element));
    }
}

fn split_binary(planner: &mut Planner<'_>) {
    let (block, root) = (planner.block(), planner.root);
    if bcast_pipeline::can_split(block.count, block.element, planner.tuning) {
        return planner.stage(&bcast_pipeline::SPLIT_BINARY, Comm::World, Bcast, root, block);
    }
    planner.report(
        "the split binary tree does not work for messages whose halves do not fill a segment; a binomial tree ran in its \
         place (SimGrid: SMP_linear)",
    );
    planner.stage(&algorithms::bcast::BINOMIAL, Comm::World, Bcast, root, block);
}

fn linear(planner: &mut Planner<'_>) {
    let block = planner.block();
    planner.stage(&algorithms::reduce::LINEAR, Comm::World, Reduce, 0, block);
    planner.stage(&bcast_tree::LINEAR, Comm::World, Bcast, 0, block);
}

fn reduce_bcast(planner: &mut Planner<'_>) {
    let block = planner.block();
    planner.delegate(Reduce, 0, block);
    planner.delegate(Bcast, 0, block);
}

fn lr(planner: &mut Planner<'_>) {
    let (block, ranks) = (planner.block(), u64::from(planner.world().size()));
    if block.count < ranks {
        return reduce_bcast(planner);
    }
    let piece = Block::new(block.count / ranks, block.element);
    planner.stage(&allreduce_ring::RING, Comm::World, Allreduce, 0, piece);
    let rest = block.count % ranks;
    if rest > 0 {
        planner.delegate(Allreduce, 0, Block::new(rest, block.element));
    }
}

fn ring_segmented(planner: &mut Planner<'_>) {
    let block = planner.block();
    if allreduce_ring::phases(planner.world().size(), block.count, block.element, planner.tuning).is_none() {
        return lr(planner);
    }
    planner.stage(&allreduce_ring::SEGMENTED_RING, Comm::World, Allreduce, 0, block);
}

fn gather_bcast(planner: &mut Planner<'_>) {
    let block = planner.block();
    planner.delegate(Gatherv, 0, Block::new(block.count, block.element));
    // Everything up to the end of the last block. In a replay all blocks start at 0 unless the trace has displacements.
    let counts = planner.counts(planner.call.recv_counts);
    let places = planner.counts(planner.call.displacements);
    let start = |i: usize| places.get(i).copied().map_or(0, u64::from);
    let end = counts.iter().enumerate().map(|(i, &count)| start(i) + u64::from(count)).max();
    planner.delegate(Bcast, 0, Block::new(end.unwrap_or(0), block.element));
}
