//! All-to-all exchanges of blocks of different sizes; the count vector says what the caller sends to each member.

use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Everything at once, all receives before the first send. Open MPI (`coll_base_alltoallv.c`, basic linear).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "linear",
    summary: "everybody exchanges with everybody, all at once",
    steps: linear,
};

/// One exchange after the other: with partner rank XOR round for powers of two, otherwise at increasing distance.
/// SimGrid (`alltoallv-ring.cpp`).
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoallv),
    name: "ring",
    summary: "one exchange after the other: XOR partners for powers of two, otherwise increasing distance",
    steps: ring,
};

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
    for i in chunk(cursor, others(scope)) {
        let distance = i as u32 + 1;
        let (to, from) = if scope.size.is_power_of_two() {
            (scope.me ^ distance, scope.me ^ distance)
        } else {
            (scope.after(scope.me, distance), scope.before(scope.me, distance))
        };
        scope.exchange(to, scope.bytes_of(to), from, steps);
    }
}
