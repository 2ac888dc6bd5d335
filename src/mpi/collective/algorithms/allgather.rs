//! Allgathers of equal blocks. Recursive doubling is in [`super::doubling`].

use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Everything at once. SimGrid's default allgather (`smpi_default_selector.cpp`).
pub static NONBLOCKING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "nonblocking",
    summary: "everybody sends its block to everybody, all at once",
    steps: nonblocking,
};

/// Direct exchanges at increasing distance, one after the other. SimGrid calls it ring (`allgather-ring.cpp`), but
/// blocks do not travel around a ring of neighbours.
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "ring",
    summary: "direct exchanges at increasing distance",
    steps: ring,
};

/// Twice as many blocks in each round, for any number of members. Bruck et al. 1997; MPICH (`allgather_intra_brucks.c`).
pub static BRUCK: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "bruck",
    summary: "doubling amounts to doubling distances, whatever the number of members (Bruck)",
    steps: bruck,
};

fn nonblocking(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    exchange_all(scope, scope.bytes(), cursor, steps);
}

/// Posts a send of `bytes` to and a receive from each other member, and waits for all.
pub(super) fn exchange_all(scope: &Scope<'_>, bytes: u64, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    for i in chunk(cursor, others(scope)) {
        let partner = other(scope, i);
        steps.extend([Step::Isend { to: partner, bytes }, Step::Irecv { from: partner }]);
    }
    if cursor.done && scope.size > 1 {
        steps.push(Step::WaitAll);
    }
}

fn ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    for i in chunk(cursor, others(scope)) {
        let distance = i as u32 + 1;
        let (to, from) = (scope.after(scope.me, distance), scope.before(scope.me, distance));
        scope.exchange(to, scope.bytes(), from, steps);
    }
}

fn bruck(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let mut distance = 1;
    while distance <= scope.size / 2 {
        bruck_round(scope, distance, distance, steps);
        distance *= 2;
    }
    // Whatever is missing comes in a last, shorter round.
    if scope.size > distance {
        bruck_round(scope, distance, scope.size - distance, steps);
    }
}

fn bruck_round(scope: &Scope<'_>, distance: u32, blocks: u32, steps: &mut Vec<Step>) {
    let bytes = scope.bytes().saturating_mul(u64::from(blocks));
    scope.exchange(scope.before(scope.me, distance), bytes, scope.after(scope.me, distance), steps);
}
