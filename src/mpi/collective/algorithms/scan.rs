//! Prefix reductions. SimGrid has one algorithm for both (`smpi_default_selector.cpp`).

use super::support::{chunk, other, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Every member receives from all lower ranks and sends to all higher ones.
pub static SCAN: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Scan),
    name: "linear",
    simgrid: &[],
    summary: "everybody receives from all lower ranks and sends to all higher ones",
    steps: linear,
};

/// As [`SCAN`]: leaving out a member's own contribution changes no message.
pub static EXSCAN: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Exscan),
    name: "linear",
    simgrid: &[],
    summary: "everybody receives from all lower ranks and sends to all higher ones",
    steps: linear,
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
