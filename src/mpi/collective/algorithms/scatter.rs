//! Scatters: the root has a block for every member.

use super::gather::{children, subtree};
use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// The root sends to all simultaneously, and no receive blocks. SimGrid's default scatter
/// (`smpi_default_selector.cpp`).
pub static NONBLOCKING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scatter),
    name: "nonblocking",
    simgrid: &[],
    summary: "the root sends to all at once",
    steps: nonblocking,
};

/// As [`NONBLOCKING`], but with blocking receives, which only the order of events at one instant shows. Open MPI
/// (`coll_base_scatter.c`, linear with non-blocking sends).
pub static LINEAR_NONBLOCKING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scatter),
    name: "linear-nonblocking",
    simgrid: &["ompi_linear_nb"],
    summary: "the root sends to all at once, receives block",
    steps: linear_nonblocking,
};

/// The root sends to one member after another. Open MPI (`coll_base_scatter.c`, basic linear).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scatter),
    name: "linear",
    simgrid: &["ompi_basic_linear"],
    summary: "the root sends to one after the other",
    steps: linear,
};

/// In-order binomial tree; blocks are split on the way. Open MPI (`coll_base_scatter.c`, binomial).
pub static BINOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scatter),
    name: "binomial",
    simgrid: &["ompi_binomial"],
    summary: "binomial tree that splits blocks on the way",
    steps: binomial,
};

/// As [`BINOMIAL`], but a member sends to its largest subtree first. MPICH (`scatter_intra_binomial.c`).
pub static BINOMIAL_FAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scatter),
    name: "binomial-far",
    simgrid: &[],
    summary: "binomial tree that splits blocks on the way, largest subtree first",
    steps: binomial_far,
};

/// The root sends each member the number of elements in the count vector. SimGrid has no other algorithm.
pub static SCATTERV: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scatterv),
    name: "linear",
    simgrid: &[],
    summary: "the root sends each member its block, to all at once",
    steps: scatterv,
};

fn nonblocking(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    send_to_all(scope, |_| scope.bytes(), cursor, steps);
}

fn linear_nonblocking(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if scope.is_root() {
        return nonblocking(scope, cursor, steps);
    }
    cursor.done = true;
    steps.push(Step::Recv { from: scope.stage.root });
}

fn scatterv(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    send_to_all(scope, |to| scope.bytes_of(to), cursor, steps);
}

fn send_to_all(scope: &Scope<'_>, bytes: impl Fn(u32) -> u64, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.is_root() {
        cursor.done = true;
        steps.extend([Step::Irecv { from: scope.stage.root }, Step::WaitAll]);
        return;
    }
    for i in chunk(cursor, others(scope)) {
        let to = other(scope, i);
        steps.push(Step::Isend { to, bytes: bytes(to) });
    }
    if cursor.done && scope.size > 1 {
        steps.push(Step::WaitAll);
    }
}

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.is_root() {
        cursor.done = true;
        steps.push(Step::Recv { from: scope.stage.root });
        return;
    }
    for i in chunk(cursor, others(scope)) {
        steps.push(Step::Send { to: other(scope, i), bytes: scope.bytes() });
    }
}

fn binomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let v = scope.number();
    if v != 0 {
        steps.push(Step::Recv { from: scope.member(v & (v - 1)) });
    }
    send_to_children(scope, v, steps);
}

fn binomial_far(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let sends = steps.len() + usize::from(scope.number() != 0);
    binomial(scope, cursor, steps);
    steps[sends..].reverse();
}

fn send_to_children(scope: &Scope<'_>, v: u32, steps: &mut Vec<Step>) {
    for child in children(scope, v) {
        let blocks = u64::from(subtree(scope, v, child));
        steps.push(Step::Send { to: scope.member(child), bytes: scope.bytes().saturating_mul(blocks) });
    }
}
