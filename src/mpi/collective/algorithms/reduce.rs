//! Reductions to a root that send the whole vector: linear, and along trees.

use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// The root receives from all simultaneously. SimGrid's default reduce (`smpi_default_selector.cpp`).
pub static NONBLOCKING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "nonblocking",
    simgrid: &[],
    summary: "every rank sends to the root, which receives from all simultaneously",
    steps: nonblocking,
};

/// The root receives from one member after another, from the last rank down. Open MPI (`coll_base_reduce.c`, basic
/// linear).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "linear",
    simgrid: &["ompi_basic_linear"],
    summary: "every rank sends to the root, which receives from one after the other, last rank first",
    steps: linear,
};

/// Binomial tree; no messages for an empty vector. MPICH (`reduce_intra_binomial.c`).
pub static BINOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "binomial",
    simgrid: &[],
    summary: "binomial tree, nearest child first",
    steps: binomial,
};

/// Tree of degree 4; a member receives from all its children simultaneously; no messages for an empty vector. MVAPICH2
/// (`reduce_osu.c`, k-nomial).
pub static KNOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "knomial",
    simgrid: &["mvapich2_knomial"],
    summary: "tree of degree 4; a member receives from all its children at once",
    steps: knomial,
};

fn nonblocking(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    collect_at_root(scope, cursor, steps);
}

/// Emits one message from each member to the root, all waited for together: the common part of the non-blocking gather
/// and reduce.
pub(super) fn collect_at_root(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.is_root() {
        cursor.done = true;
        steps.extend([Step::Isend { to: scope.stage.root, bytes: scope.bytes() }, Step::WaitAll]);
        return;
    }
    for i in chunk(cursor, others(scope)) {
        steps.push(Step::Irecv { from: other(scope, i) });
    }
    if cursor.done && scope.size > 1 {
        steps.push(Step::WaitAll);
    }
}

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.is_root() {
        cursor.done = true;
        steps.push(Step::Send { to: scope.stage.root, bytes: scope.bytes() });
        return;
    }
    let others = others(scope);
    for i in chunk(cursor, others) {
        steps.push(Step::Recv { from: other(scope, others - 1 - i) });
    }
}

fn binomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    if scope.stage.count == 0 {
        return;
    }
    let (v, size) = (u64::from(scope.number()), u64::from(scope.size));
    let mut mask = 1;
    while mask < size {
        if v & mask != 0 {
            steps.push(Step::Send { to: scope.member((v & !mask) as u32), bytes: scope.bytes() });
            return;
        }
        if v | mask < size {
            steps.push(Step::Recv { from: scope.member((v | mask) as u32) });
        }
        mask <<= 1;
    }
}

fn knomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    if scope.stage.count == 0 {
        return;
    }
    let (v, size) = (u64::from(scope.number()), u64::from(scope.size));
    let mut level = 1;
    while level < size && v % (4 * level) == 0 {
        level *= 4;
    }
    // The children are posted in the reverse of the order in which the tree is built: nearest level first, and in a
    // level the farthest child first.
    let before = steps.len();
    let mut mask = 1;
    while mask < level {
        for j in (1..4).rev() {
            if v + mask * j < size {
                steps.push(Step::Irecv { from: scope.member((v + mask * j) as u32) });
            }
        }
        mask *= 4;
    }
    if steps.len() > before {
        steps.push(Step::WaitAll);
    }
    if v != 0 {
        let parent = v / (4 * level) * (4 * level);
        steps.extend([Step::Isend { to: scope.member(parent as u32), bytes: scope.bytes() }, Step::WaitAll]);
    }
}
