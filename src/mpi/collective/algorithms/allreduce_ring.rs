//! Reductions whose blocks travel around a ring of ranks: first to be reduced, then to be distributed.

use super::support::{chunk, others};
use super::tree::segment_count;
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step, Tuning};

/// P equal blocks; the stage's `count` is the length of one. Plans ([`select`](crate::mpi::collective::select)) divide
/// a vector into such blocks. Patarasuk and Yuan 2009; SimGrid (`allreduce-lr.cpp`).
pub static RING: Algorithm = Algorithm {
    kind: None,
    name: "lr",
    simgrid: &["lr"],
    summary: "P blocks travel twice around the ring of ranks",
    steps: ring,
};

/// The reducing round is done in phases of about 1 MiB per block; the blocks are as equal as possible. Open MPI
/// (`coll_tuned_allreduce.c`, segmented ring). Vectors that are too short for it use [`RING`].
pub static SEGMENTED_RING: Algorithm = Algorithm {
    kind: None,
    name: "ring-segmented",
    simgrid: &["ompi_ring_segmented"],
    summary: "blocks travel around the ring in segments of 1 MiB, then whole",
    steps: segmented_ring,
};

/// Bytes of a segment (SimGrid 3.32, `allreduce-ompi-ring-segmented.cpp`).
const SEGMENT: u64 = 1 << 20;

fn ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (right, left) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    for _ in chunk(cursor, 2 * others(scope)) {
        scope.exchange(right, scope.bytes(), left, steps);
    }
}

/// Returns the number of phases, if a vector is long enough for one.
pub fn phases(ranks: u32, count: u64, element: u64, tuning: Tuning) -> Option<u64> {
    let segment = segment_count(tuning.segment_or(SEGMENT), element, count);
    let round = u64::from(ranks).saturating_mul(segment);
    if count == 0 || count < round {
        return None;
    }
    let rest = count % round;
    Some(count / round + u64::from(rest >= u64::from(ranks) && rest > round / 2))
}

/// Returns the length of part `index` of `total` elements in `parts` parts; the first ones take the remainder.
fn share(total: u64, parts: u64, index: u64) -> u64 {
    total / parts + u64::from(index < total % parts)
}

fn segmented_ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (count, element) = (scope.stage.count, scope.stage.element);
    let phases = phases(scope.size, count, element, scope.stage.tuning).unwrap_or(1);
    let (right, left) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    let (ranks, others) = (u64::from(scope.size), others(scope));
    let block = |owner: u32| share(count, ranks, u64::from(owner));
    for i in chunk(cursor, (phases + 1) * others) {
        let (phase, round) = (i / others, i % others);
        if phase == phases {
            // The distributing round: first the block that this member has finished, its right neighbour's.
            let owner = scope.before(right, round as u32);
            scope.exchange(right, block(owner).saturating_mul(element), left, steps);
            continue;
        }
        // The reducing rounds: first the own block. The next receive is posted before waiting for this one.
        let owner = scope.before(scope.me, round as u32);
        let bytes = share(block(owner), phases, phase).saturating_mul(element);
        steps.push(Step::Irecv { from: left });
        if round > 0 {
            steps.push(Step::Wait { nth: 0 });
        }
        steps.push(Step::Send { to: right, bytes });
        if round + 1 == others {
            steps.push(Step::Wait { nth: 0 });
        }
    }
}
