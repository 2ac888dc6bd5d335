//! Gathers: the root collects a block from every member.

use super::reduce::collect_at_root;
use super::support::{chunk, other, others};
use super::tree::segment_count;
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// The root receives from all simultaneously. SimGrid's default gather (`smpi_default_selector.cpp`).
pub static NONBLOCKING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Gather),
    name: "nonblocking",
    simgrid: &[],
    summary: "every rank sends to the root, which receives from all simultaneously",
    steps: collect_at_root,
};

/// The root receives from one member after another. Open MPI (`coll_base_gather.c`, basic linear).
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Gather),
    name: "linear",
    simgrid: &["ompi_basic_linear"],
    summary: "every rank sends to the root, which receives from one after the other",
    steps: linear,
};

/// In-order binomial tree; blocks are joined on the way. Open MPI (`coll_base_gather.c`, binomial).
pub static BINOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Gather),
    name: "binomial",
    simgrid: &["ompi_binomial"],
    summary: "binomial tree that joins blocks on the way",
    steps: binomial,
};

/// The root asks one member after another for its block, which arrives in two messages, and waits for the first of them
/// before it asks the next. Open MPI (`coll_base_gather.c`, linear with synchronisation).
pub static LINEAR_SYNC: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Gather),
    name: "linear-sync",
    simgrid: &["ompi_linear_sync"],
    summary: "the root asks one after the other; blocks come in two parts",
    steps: linear_sync,
};

/// Blocks of more bytes have a long first part (SimGrid 3.32, `gather-ompi.cpp`).
const LONG_FOR_SYNC: u64 = 92_160;

/// Bytes of the first part of a short and of a long block.
const FIRST_PART: (u64, u64) = (1024, 32_768);

/// Every member sends its own number of elements. SimGrid has no other algorithm (`smpi_default_selector.cpp`).
pub static GATHERV: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Gatherv),
    name: "linear",
    simgrid: &[],
    summary: "every rank sends its block to the root, which receives from all simultaneously",
    steps: collect_at_root,
};

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.is_root() {
        cursor.done = true;
        steps.push(Step::Send { to: scope.stage.root, bytes: scope.bytes() });
        return;
    }
    for i in chunk(cursor, others(scope)) {
        steps.push(Step::Recv { from: other(scope, i) });
    }
}

fn binomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let v = scope.number();
    let mut blocks = 1;
    for child in children(scope, v) {
        steps.push(Step::Recv { from: scope.member(child) });
        blocks += u64::from(subtree(scope, v, child));
    }
    if v != 0 {
        let parent = v & (v - 1);
        steps.push(Step::Send { to: scope.member(parent), bytes: scope.bytes().saturating_mul(blocks) });
    }
}

/// Children of `v` in the in-order binomial tree: `v + 1`, `v + 2`, `v + 4`, ... below the lowest set bit of `v`.
pub(super) fn children(scope: &Scope<'_>, v: u32) -> impl Iterator<Item = u32> {
    let size = scope.size;
    let lowest = if v == 0 { 32 } else { v.trailing_zeros() };
    (0..lowest).map_while(move |bit| v.checked_add(1 << bit).filter(|&child| child < size))
}

/// Returns the number of members in the subtree of a child of `v`, itself included.
pub(super) fn subtree(scope: &Scope<'_>, v: u32, child: u32) -> u32 {
    (child - v).min(scope.size - child)
}

fn linear_sync(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (root, count, element) = (scope.stage.root, scope.stage.count, scope.stage.element);
    if !scope.is_root() {
        cursor.done = true;
        let part = if scope.bytes() > LONG_FOR_SYNC { FIRST_PART.1 } else { FIRST_PART.0 };
        let first = segment_count(part, element, count);
        let bytes = |elements: u64| elements.saturating_mul(element);
        steps.push(Step::Recv { from: root });
        steps.push(Step::Send { to: root, bytes: bytes(first) });
        steps.push(Step::Send { to: root, bytes: bytes(count - first) });
        return;
    }
    for i in chunk(cursor, others(scope)) {
        let member = other(scope, i);
        steps.extend([Step::Irecv { from: member }, Step::Send { to: member, bytes: 0 }, Step::Irecv { from: member }]);
        // It follows the second parts of all members asked so far.
        steps.push(Step::Wait { nth: i as u32 });
    }
    if cursor.done && scope.size > 1 {
        steps.push(Step::WaitAll);
    }
}
