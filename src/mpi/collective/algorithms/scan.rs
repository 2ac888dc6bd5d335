//! Prefix reductions.

use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Every member receives from all lower ranks and sends to all higher ones. SimGrid has no other algorithm
/// (`smpi_default_selector.cpp`).
pub static SCAN: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scan),
    name: "linear",
    simgrid: &[],
    summary: "every rank receives from all lower ranks and sends to all higher ones",
    steps: linear,
};

/// As [`SCAN`]: leaving out a member's own contribution changes no message.
pub static EXSCAN: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Exscan),
    name: "linear",
    simgrid: &[],
    summary: "every rank receives from all lower ranks and sends to all higher ones",
    steps: linear,
};

/// In round i, members whose ranks differ in bit i exchange the sums of all that they have heard of; a member without
/// a partner sits the round out. Only the sums of lower ranks enter the result. MPICH
/// (`scan_intra_recursive_doubling.c`), Open MPI (`coll_base_scan.c`, recursive doubling).
pub static DOUBLING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scan),
    name: "rdb",
    simgrid: &[],
    summary: "recursive doubling of whole vectors",
    steps: doubling,
};

/// As [`DOUBLING`]: leaving out a member's own contribution changes no message.
pub static EXSCAN_DOUBLING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Exscan),
    name: "rdb",
    simgrid: &[],
    summary: "recursive doubling of whole vectors",
    steps: doubling,
};

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    for i in chunk(cursor, others(scope)) {
        let partner = other(scope, i);
        steps.push(if partner < scope.me {
            Step::Irecv { from: partner }
        } else {
            Step::Isend { to: partner, bytes: scope.bytes() }
        });
    }
    if cursor.done && scope.size > 1 {
        // In order, since an operation need not be commutative.
        steps.push(Step::WaitEach);
    }
}

fn doubling(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let mut bit: u32 = 1;
    while bit < scope.size {
        let partner = scope.me ^ bit;
        if partner < scope.size {
            scope.exchange(partner, scope.bytes(), partner, steps);
        }
        let Some(next) = bit.checked_mul(2) else { break };
        bit = next;
    }
}
