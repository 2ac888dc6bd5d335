//! Barriers: nobody leaves before everybody has come.

use super::support::{chunk, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Rank 0 hears from everybody, then tells everybody. Open MPI's basic linear barrier (`coll_base_barrier.c`).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Barrier),
    name: "linear",
    summary: "rank 0 collects an empty message from everybody, then answers everybody",
    steps: linear,
};

/// Recursive doubling with empty messages; members beyond the largest power of two stand behind a partner below it.
/// MVAPICH2 (`barrier_osu.c`, the pair-wise barrier).
pub static PAIR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Barrier),
    name: "pair",
    summary: "recursive doubling; members beyond the largest power of two report to a partner below it",
    steps: pair,
};

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if scope.me > 0 {
        cursor.done = true;
        steps.extend([Step::Send { to: 0, bytes: 0 }, Step::Recv { from: 0 }]);
        return;
    }
    let others = others(scope);
    for i in chunk(cursor, 2 * others) {
        if i < others {
            steps.push(Step::Irecv { from: i as u32 + 1 });
        } else {
            steps.push(Step::Isend { to: (i - others) as u32 + 1, bytes: 0 });
        }
        // Nobody is released before all have come, and rank 0 leaves with the last release.
        if i + 1 == others || i + 1 == 2 * others {
            steps.push(Step::WaitAll);
        }
    }
}

fn pair(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let (me, power) = (scope.me, scope.power());
    if me >= power {
        scope.exchange(me - power, 0, me - power, steps);
        return;
    }
    let stands_behind = (me < scope.size - power).then_some(power + me);
    if let Some(from) = stands_behind {
        steps.push(Step::Recv { from });
    }
    let mut mask = 1;
    while mask < power {
        scope.exchange(me ^ mask, 0, me ^ mask, steps);
        mask <<= 1;
    }
    if let Some(to) = stands_behind {
        steps.push(Step::Send { to, bytes: 0 });
    }
}
