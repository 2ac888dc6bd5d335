//! Barriers: no member leaves before all have arrived.

use super::support::{chunk, others};
use super::tree::Tree;
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Rank 0 receives from all, then releases all. Open MPI's basic linear barrier (`coll_base_barrier.c`).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Barrier),
    name: "linear",
    simgrid: &["ompi_basic_linear"],
    summary: "rank 0 collects an empty message from every rank, then answers every rank",
    steps: linear,
};

/// Recursive doubling with empty messages; each member beyond the largest power of two is represented by a partner
/// below it. MVAPICH2 (`barrier_osu.c`, the pair-wise barrier).
pub static PAIR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Barrier),
    name: "pair",
    simgrid: &["mvapich2_pair", "ompi_recursivedoubling", "ompi_two_procs"],
    summary: "recursive doubling; members beyond the largest power of two report to a partner below it",
    steps: pair,
};

/// Dissemination: in round d every member signals the one d places after it, for d = 1, 2, 4, ... Open MPI and MPICH
/// (`coll_base_barrier.c`, Bruck; `barrier_intra_dissemination.c`).
pub static BRUCK: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Barrier),
    name: "bruck",
    simgrid: &["ompi_bruck"],
    summary: "dissemination: every rank notifies the rank 1, 2, 4, ... places on (Bruck)",
    steps: bruck,
};

/// Up a binomial tree and down again. Open MPI (`coll_base_barrier.c`, tree).
pub static TREE: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Barrier),
    name: "tree",
    simgrid: &["ompi_tree"],
    summary: "empty messages up a binomial tree and down again",
    steps: tree,
};

/// Twice around the ring. Open MPI (`coll_base_barrier.c`, double ring).
pub static DOUBLE_RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Barrier),
    name: "double-ring",
    simgrid: &["ompi_doublering"],
    summary: "an empty message goes twice around the ring of ranks",
    steps: double_ring,
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
        // No member is released before all have arrived, and rank 0 leaves with the last release.
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

fn bruck(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let mut distance = 1;
    while distance < scope.size {
        scope.exchange(scope.after(scope.me, distance), 0, scope.before(scope.me, distance), steps);
        distance = distance.saturating_mul(2);
    }
}

fn tree(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let place = Tree::binomial(scope.me, scope.size);
    steps.extend(place.children.iter().map(|&from| Step::Recv { from }));
    if let Some(parent) = place.parent {
        steps.extend([Step::Send { to: parent, bytes: 0 }, Step::Recv { from: parent }]);
    }
    steps.extend(place.children.iter().rev().map(|&to| Step::Send { to, bytes: 0 }));
}

fn double_ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let (to, from) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    let (send, receive) = (Step::Send { to, bytes: 0 }, Step::Recv { from });
    let round = if scope.me == 0 { [send, receive] } else { [receive, send] };
    if scope.size > 1 {
        steps.extend([round, round].concat());
    }
}
