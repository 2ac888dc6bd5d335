//! All-to-all exchanges of equal blocks. Recursive doubling is in [`super::doubling`].

use super::support::{chunk, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// All messages simultaneously, all receives before the first send. Open MPI (`coll_base_alltoall.c`, basic linear).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoall),
    name: "linear",
    simgrid: &["basic_linear"],
    summary: "every rank exchanges with every other rank, simultaneously",
    steps: linear,
};

/// Exchanges with the partner whose rank differs in the bits of the round. Only for powers of two: with other sizes
/// plans use [`RING`] instead and report it. Called directly it skips partners that do not exist. SimGrid
/// (`alltoall-pair.cpp`).
pub static PAIR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoall),
    name: "pair",
    simgrid: &[],
    summary: "one exchange after the other with partner rank XOR round; powers of two only",
    steps: pair,
};

/// Direct exchanges at increasing distance. SimGrid (`alltoall-ring.cpp`), MPICH's pairwise for other sizes.
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoall),
    name: "ring",
    simgrid: &[],
    summary: "direct exchanges at increasing distance, one after the other",
    steps: ring,
};

/// log2(P) rounds; round p carries the blocks whose distance has bit p. Bruck et al. 1997; SimGrid
/// (`alltoall-bruck.cpp`).
pub static BRUCK: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoall),
    name: "bruck",
    simgrid: &[],
    summary: "log2(P) rounds that carry half of the blocks each (Bruck)",
    steps: bruck,
};

/// Groups of four receives and sends at a time, or of the stage's width; no messages for empty blocks. MPICH
/// (`alltoall_intra_scattered.c`), MVAPICH2.
pub static SCATTERED: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoall),
    name: "scattered",
    simgrid: &["mvapich2_scatter_dest"],
    summary: "non-blocking exchanges with four partners at a time (32 in mpich4), itself included",
    steps: scattered,
};

/// As [`LINEAR`], with a limited number of exchanges under way; the oldest is waited for, where Open MPI waits for any.
/// Open MPI (`coll_base_alltoall.c`, linear with synchronisation).
pub static LINEAR_SYNC: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoall),
    name: "linear-sync",
    simgrid: &[],
    summary: "exchanges with every other rank; simultaneously, or with the number in flight set by a rule file",
    steps: linear_sync,
};

/// Number of partners that [`SCATTERED`] keeps under way, unless the stage has another one.
const THROTTLE: u32 = 4;

/// Partners of [`SCATTERED`] per chunk, in whole groups.
const PARTNERS_PER_CHUNK: u32 = 64;

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let others = others(scope);
    for i in chunk(cursor, 2 * others) {
        steps.push(if i < others {
            Step::Irecv { from: scope.after(scope.me, i as u32 + 1) }
        } else {
            Step::Isend { to: scope.before(scope.me, (i - others) as u32 + 1), bytes: scope.bytes() }
        });
    }
    if cursor.done && others > 0 {
        steps.push(Step::WaitAll);
    }
}

fn linear_sync(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let others = others(scope);
    let at_once = match scope.stage.tuning.width {
        0 => others,
        given => u64::from(given),
    };
    for i in chunk(cursor, others) {
        if i >= at_once {
            // The receive and the send of the oldest exchange.
            steps.extend([Step::Wait { nth: 0 }, Step::Wait { nth: 0 }]);
        }
        let distance = i as u32 + 1;
        steps.push(Step::Irecv { from: scope.after(scope.me, distance) });
        steps.push(Step::Isend { to: scope.before(scope.me, distance), bytes: scope.bytes() });
    }
    if cursor.done && others > 0 {
        steps.push(Step::WaitAll);
    }
}

fn pair(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    for i in chunk(cursor, u64::from(scope.size).next_power_of_two()) {
        let partner = scope.me ^ i as u32;
        if partner < scope.size {
            scope.exchange(partner, scope.bytes(), partner, steps);
        }
    }
}

fn ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    for i in chunk(cursor, others(scope)) {
        let distance = i as u32 + 1;
        scope.exchange(scope.after(scope.me, distance), scope.bytes(), scope.before(scope.me, distance), steps);
    }
}

fn bruck(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let size = u64::from(scope.size);
    let mut bit: u64 = 1;
    while bit < size {
        // Number of distances in 0..size that have the bit: half of each full period, plus those of the last, partial
        // one.
        let blocks = size / (2 * bit) * bit + (size % (2 * bit)).saturating_sub(bit);
        let distance = bit as u32;
        scope.exchange(
            scope.after(scope.me, distance),
            scope.bytes().saturating_mul(blocks),
            scope.before(scope.me, distance),
            steps,
        );
        bit <<= 1;
    }
}

fn scattered(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (size, me) = (scope.size, scope.me);
    if scope.stage.count == 0 {
        cursor.done = true;
        return;
    }
    let throttle = match scope.stage.tuning.width {
        0 => THROTTLE,
        given => u32::from(given),
    };
    let groups = size.div_ceil(throttle);
    let per_chunk = (PARTNERS_PER_CHUNK / throttle).max(1);
    let first = cursor.phase.saturating_mul(per_chunk);
    let end = groups.min(first.saturating_add(per_chunk));
    cursor.phase += 1;
    cursor.done = end >= groups;
    for group in first..end {
        let start = group * throttle;
        let width = throttle.min(size - start);
        // The message to oneself is a real message: it takes the time of the host's loopback.
        steps.extend((start..start + width).map(|d| Step::Irecv { from: scope.after(me, d) }));
        steps.extend((start..start + width).map(|d| Step::Isend { to: scope.before(me, d), bytes: scope.bytes() }));
        steps.push(Step::WaitAll);
    }
}
