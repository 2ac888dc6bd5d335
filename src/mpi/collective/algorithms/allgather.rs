//! Allgathers of equal blocks. Recursive doubling is in [`super::doubling`].

use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// All messages simultaneously. SimGrid's default allgather (`smpi_default_selector.cpp`).
pub static NONBLOCKING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "nonblocking",
    simgrid: &[],
    summary: "every rank sends its block to every other rank, simultaneously",
    steps: nonblocking,
};

/// Direct exchanges at increasing distance, one after the other. SimGrid calls it ring (`allgather-ring.cpp`), but
/// blocks do not travel around a ring of neighbours.
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "ring",
    simgrid: &[],
    summary: "direct exchanges at increasing distance",
    steps: ring,
};

/// Twice as many blocks in each round, for any number of members. Bruck et al. 1997; MPICH
/// (`allgather_intra_brucks.c`).
pub static BRUCK: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "bruck",
    simgrid: &[],
    summary: "doubling amounts to doubling distances, whatever the number of members (Bruck)",
    steps: bruck,
};

/// Exchanges with the partner whose rank differs in the bits of the round; powers of two only, as
/// [`alltoall::PAIR`](super::alltoall::PAIR). SimGrid (`allgather-pair.cpp`).
pub static PAIR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "pair",
    simgrid: &[],
    summary: "one exchange after the other with partner rank XOR round; powers of two only",
    steps: pair,
};

/// Neighbours exchange a block, then alternately with either neighbour the two blocks received last. Odd numbers of
/// members use [`RING`]. Chen, Zhang, Zhang, Yuan 2005; Open MPI (`coll_base_allgather.c`, neighbour exchange).
pub static NEIGHBOUR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "neighbour-exchange",
    simgrid: &["ompi_neighborexchange"],
    summary: "P/2 exchanges of two blocks with either neighbour in turn",
    steps: neighbour,
};

/// Blocks travel around a ring of neighbours, one exchange after the other. SimGrid (`allgather-NTSLR.cpp`).
pub static NEIGHBOUR_RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "ntslr",
    simgrid: &["NTSLR"],
    summary: "blocks travel around a ring of neighbours",
    steps: neighbour_ring,
};

/// As [`NEIGHBOUR_RING`], but with all receives posted up front. Open MPI's linear allgather in SimGrid
/// (`allgather-NTSLR-NB.cpp`).
pub static NEIGHBOUR_RING_AHEAD: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "ntslr-nb",
    simgrid: &["NTSLR_NB"],
    summary: "blocks travel around a ring of neighbours, all receives posted at once",
    steps: neighbour_ring_ahead,
};

fn nonblocking(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    exchange_all(scope, scope.bytes(), cursor, steps);
}

/// Posts a send of `bytes` to and a receive from every other member, and waits for all.
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
    exchange_by_distance(scope, cursor, |_| scope.bytes(), steps);
}

/// In round k, a send to the member k further on and a receive from the one k before, one round after the other.
pub(super) fn exchange_by_distance(
    scope: &Scope<'_>,
    cursor: &mut Cursor,
    bytes: impl Fn(u32) -> u64,
    steps: &mut Vec<Step>,
) {
    for i in chunk(cursor, others(scope)) {
        let distance = i as u32 + 1;
        let (to, from) = (scope.after(scope.me, distance), scope.before(scope.me, distance));
        scope.exchange(to, bytes(to), from, steps);
    }
}

fn bruck(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let mut distance = 1;
    while distance <= scope.size / 2 {
        bruck_round(scope, distance, distance, steps);
        distance *= 2;
    }
    // The remaining blocks follow in a last, shorter round.
    if scope.size > distance {
        bruck_round(scope, distance, scope.size - distance, steps);
    }
}

fn bruck_round(scope: &Scope<'_>, distance: u32, blocks: u32, steps: &mut Vec<Step>) {
    let bytes = scope.bytes().saturating_mul(u64::from(blocks));
    scope.exchange(scope.before(scope.me, distance), bytes, scope.after(scope.me, distance), steps);
}

fn pair(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    exchange_pairs(scope, cursor, |_| scope.bytes(), steps);
}

/// Emits one exchange per round with partner rank XOR round; `bytes` go to a partner. Skips partners that do not exist.
pub(super) fn exchange_pairs(
    scope: &Scope<'_>,
    cursor: &mut Cursor,
    bytes: impl Fn(u32) -> u64,
    steps: &mut Vec<Step>,
) {
    for i in chunk(cursor, u64::from(scope.size).next_power_of_two()) {
        let partner = scope.me ^ i as u32;
        if partner < scope.size {
            scope.exchange(partner, bytes(partner), partner, steps);
        }
    }
}

fn neighbour(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.size.is_multiple_of(2) {
        return ring(scope, cursor, steps);
    }
    let pair = scope.bytes().saturating_mul(2);
    exchange_neighbours(scope, cursor, scope.bytes(), |_| pair, steps);
}

/// Emits the rounds of a neighbour exchange for an even number of members. `own` bytes go out first, then the pairs of
/// blocks whose first member is passed to `pair`.
pub(super) fn exchange_neighbours(
    scope: &Scope<'_>,
    cursor: &mut Cursor,
    own: u64,
    pair: impl Fn(u32) -> u64,
    steps: &mut Vec<Step>,
) {
    let even = scope.me.is_multiple_of(2);
    let (after, before) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    let neighbours = if even { [after, before] } else { [before, after] };
    for round in chunk(cursor, u64::from(scope.size) / 2) {
        let neighbour = neighbours[(round % 2) as usize];
        let bytes = if round == 0 {
            own
        } else {
            // Blocks of the round before: pairs from ever farther away, from either side alternately.
            let distance = (round as u32 / 2 * 2) % scope.size;
            let from_below = even == round.is_multiple_of(2);
            let base = scope.me & !1;
            pair(if from_below { scope.before(base, distance) } else { scope.after(base, distance) })
        };
        scope.exchange(neighbour, bytes, neighbour, steps);
    }
}

fn neighbour_ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (to, from) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    for _ in chunk(cursor, others(scope)) {
        scope.exchange(to, scope.bytes(), from, steps);
    }
}

fn neighbour_ring_ahead(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (to, from) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    let others = others(scope);
    for i in chunk(cursor, 2 * others) {
        if i < others {
            steps.push(Step::Irecv { from });
        } else {
            // The receive of this round is the first one left, the send of this round follows all of them.
            let left = (2 * others - i - 1) as u32;
            steps.extend([Step::Isend { to, bytes: scope.bytes() }, Step::Wait { nth: 0 }, Step::Wait { nth: left }]);
        }
    }
}
