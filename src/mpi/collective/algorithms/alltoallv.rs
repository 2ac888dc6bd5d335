//! All-to-all exchanges of blocks of different sizes; the count vector contains the elements that the caller sends to
//! each member.

use super::allgather::{exchange_by_distance, exchange_pairs};
use super::support::{chunk, chunk_with, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// All messages simultaneously, all receives before the first send. Open MPI (`coll_base_alltoallv.c`, basic linear).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "linear",
    simgrid: &["ompi_basic_linear"],
    summary: "every rank exchanges with every other rank, simultaneously",
    steps: linear,
};

/// One exchange after another: with partner rank XOR round for powers of two, otherwise at increasing distance. SimGrid
/// (`alltoallv-ring.cpp`).
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "ring",
    simgrid: &[],
    summary: "one exchange after the other: XOR partners for powers of two, otherwise increasing distance",
    steps: ring,
};

/// Exchanges with the partner whose rank differs in the bits of the round; powers of two only, as
/// [`alltoall::PAIR`](super::alltoall::PAIR). SimGrid (`alltoallv-pair.cpp`).
pub static PAIR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "pair",
    simgrid: &[],
    summary: "one exchange after the other with partner rank XOR round; powers of two only",
    steps: pair,
};

/// Groups of four receives and sends at a time. SimGrid calls it bruck (`alltoallv-bruck.cpp`), MPICH scattered
/// (`alltoallv_intra_scattered.c`).
pub static SCATTERED: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "scattered",
    simgrid: &["bruck"],
    summary: "non-blocking exchanges with four partners at a time",
    steps: scattered,
};

/// As [`SCATTERED`], but empty blocks are no messages, so that an exchange among few neighbours has few; a member's block
/// for itself is one. MPICH (`alltoallv_intra_scattered.c`).
pub static SCATTERED_NONEMPTY: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "scattered-nonempty",
    simgrid: &[],
    summary: "as scattered, without messages for empty blocks, and with one to itself",
    steps: scattered_nonempty,
};

/// Number of partners that [`SCATTERED`] keeps under way, unless the stage has another one.
const THROTTLE: u64 = 4;

/// Returns the number of partners that are under way at a time.
fn throttle(scope: &Scope<'_>) -> u64 {
    match scope.stage.tuning.width {
        0 => THROTTLE,
        given => u64::from(given),
    }
}

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let others = others(scope);
    for i in chunk(cursor, 2 * others) {
        steps.push(if i < others {
            Step::Irecv { from: other(scope, i) }
        } else {
            let to = other(scope, i - others);
            Step::Isend { to, bytes: scope.bytes_of(to) }
        });
    }
    if cursor.done && others > 0 {
        steps.push(Step::WaitAll);
    }
}

fn ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.size.is_power_of_two() {
        return exchange_by_distance(scope, cursor, |to| scope.bytes_of(to), steps);
    }
    for i in chunk(cursor, others(scope)) {
        let partner = scope.me ^ (i as u32 + 1);
        scope.exchange(partner, scope.bytes_of(partner), partner, steps);
    }
}

fn pair(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    exchange_pairs(scope, cursor, |to| scope.bytes_of(to), steps);
}

fn scattered(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (size, throttle) = (u64::from(scope.size), throttle(scope));
    for group in chunk_with(cursor, size.div_ceil(throttle), throttle as usize) {
        // A group includes the member itself, at distance 0, but unlike in the all-to-all it gets no message.
        let distances = (group * throttle).max(1)..(group * throttle + throttle).min(size);
        let before = steps.len();
        steps.extend(distances.clone().map(|d| Step::Irecv { from: scope.after(scope.me, d as u32) }));
        steps.extend(distances.map(|d| {
            let to = scope.before(scope.me, d as u32);
            Step::Isend { to, bytes: scope.bytes_of(to) }
        }));
        if steps.len() > before {
            steps.push(Step::WaitAll);
        }
    }
}

fn scattered_nonempty(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (size, throttle) = (u64::from(scope.size), throttle(scope));
    for group in chunk_with(cursor, size.div_ceil(throttle), throttle as usize) {
        let distances = group * throttle..(group * throttle + throttle).min(size);
        let before = steps.len();
        steps.extend(distances.clone().filter_map(|d| {
            let from = scope.after(scope.me, d as u32);
            let elements = scope.received.get(from as usize).copied().unwrap_or(0);
            (elements > 0 && scope.stage.element > 0).then_some(Step::Irecv { from })
        }));
        steps.extend(distances.filter_map(|d| {
            let to = scope.before(scope.me, d as u32);
            let bytes = scope.bytes_of(to);
            (bytes > 0).then_some(Step::Isend { to, bytes })
        }));
        if steps.len() > before {
            steps.push(Step::WaitAll);
        }
    }
}
