//! All-to-all exchanges of blocks of different sizes; the count vector contains the elements that the caller sends to
//! each member.

use super::allgather::{exchange_by_distance, exchange_pairs};
use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// All messages simultaneously, all receives before the first send. Open MPI (`coll_base_alltoallv.c`, basic linear).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "linear",
    simgrid: &["ompi_basic_linear"],
    summary: "everybody exchanges with everybody, all at once",
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

/// Number of partners that [`SCATTERED`] keeps under way.
const THROTTLE: u64 = 4;

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
    let size = u64::from(scope.size);
    for group in chunk(cursor, size.div_ceil(THROTTLE)) {
        // A group includes the member itself, at distance 0, but unlike in the all-to-all it gets no message.
        let distances = (group * THROTTLE).max(1)..(group * THROTTLE + THROTTLE).min(size);
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
