//! The recursive-doubling pattern: in round i every member exchanges all it holds with the partner whose number differs
//! in bit i, so that log2(P) rounds spread everything.
//!
//! When P is not a power of two, some subtrees have no full partner. Their members that did receive pass the blocks on
//! inside the subtree, as MPICH does it (`allgather_intra_recursive_doubling.c`, Thakur, Rabenseifner, Gropp 2005).
//! After round i every member of the subtree of size 2^(i+1), cut off at P, holds the blocks of the whole subtree. So
//! the amounts that MPICH learns from its receives are known here beforehand: a member always sends the sum of the
//! blocks of its subtree, and last received the sum of the blocks of the partner's subtree.

use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Every block is collected by doubling. MPICH (`allgather_intra_recursive_doubling.c`).
pub static ALLGATHER: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "rdb",
    simgrid: &[],
    summary: "recursive doubling",
    steps: allgather,
};

/// [`ALLGATHER`] with blocks of different sizes; no messages if all are empty. MPICH
/// (`allgatherv_intra_recursive_doubling.c`).
pub static ALLGATHERV: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "rdb",
    simgrid: &["mpich_rdb"],
    summary: "recursive doubling",
    steps: allgatherv,
};

/// Every member collects all send buffers in full and picks its blocks: P times the volume, but log2(P) rounds. MPICH 1
/// and MVAPICH2 (`alltoall_osu.c`, recursive doubling).
pub static ALLTOALL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Alltoall),
    name: "rdb",
    simgrid: &[],
    summary: "recursive doubling of whole send buffers",
    steps: alltoall,
};

/// Every round sends what the partner's side still needs: all except the blocks of the own subtree.
/// MPICH (`reduce_scatter_intra_recursive_doubling.c`).
pub static REDUCE_SCATTER: Algorithm = Algorithm {
    kind: Some(CollectiveKind::ReduceScatter),
    name: "rdb",
    simgrid: &["mpich_rdb"],
    summary: "recursive doubling; works for operations that do not commute",
    steps: reduce_scatter,
};

fn allgather(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let block = scope.bytes();
    let held = |from: u32, to: u32| u64::from(to - from).saturating_mul(block);
    double(scope, scope.me, |member| member, held, steps);
}

fn allgatherv(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    if scope.total_elements() == 0 {
        return;
    }
    let held = |from: u32, to: u32| scope.elements(from, to).saturating_mul(scope.stage.element);
    double(scope, scope.me, |member| member, held, steps);
}

fn alltoall(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let block = scope.bytes().saturating_mul(u64::from(scope.size));
    let held = |from: u32, to: u32| u64::from(to - from).saturating_mul(block);
    double(scope, scope.me, |member| member, held, steps);
}

fn reduce_scatter(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let total = scope.total_elements();
    let rest = |from: u32, to: u32| (total - scope.elements(from, to)).saturating_mul(scope.stage.element);
    double(scope, scope.me, |member| member, rest, steps);
}

/// Emits the rounds of the member whose number in the pattern is `x`. `real` turns numbers of the pattern into indices
/// of the communicator; `amount(from, to)` is the amount that a member of the subtree `from..to` sends.
pub(super) fn double(
    scope: &Scope<'_>,
    x: u32,
    real: impl Fn(u32) -> u32,
    amount: impl Fn(u32, u32) -> u64,
    steps: &mut Vec<Step>,
) {
    let size = scope.size;
    let subtree = |root: u32, mask: u32| amount(root, root.saturating_add(mask).min(size));
    let mut mask: u32 = 1;
    while mask < size {
        let partner = x ^ mask;
        let (mine, theirs) = (x & !(mask - 1), partner & !(mask - 1));
        if partner < size {
            scope.exchange(real(partner), subtree(mine, mask), real(partner), steps);
        }
        // The partner's subtree is cut off by P: only the first `reached` members of mine found a partner.
        if theirs < size && theirs.saturating_add(mask) > size {
            pass_on(x, size - theirs, mask, &real, || subtree(theirs, mask), steps);
        }
        if mask > size / 2 {
            break;
        }
        mask <<= 1;
    }
}

/// Distributes the blocks that the first `reached` members of the subtree of size `mask` received, by halving
/// distances.
fn pass_on(
    x: u32,
    reached: u32,
    mask: u32,
    real: &impl Fn(u32) -> u32,
    received: impl Fn() -> u64,
    steps: &mut Vec<Step>,
) {
    let mut distance = mask >> 1;
    while distance > 0 {
        let other = x ^ distance;
        // The boundary is counted from the block of 2 * distance members that holds both, not from the subtree.
        let boundary = u64::from(x & !(2 * distance - 1)) + u64::from(reached);
        let (i_have, it_has) = (u64::from(x) < boundary, u64::from(other) < boundary);
        if other > x && i_have && !it_has {
            steps.push(Step::Send { to: real(other), bytes: received() });
        } else if other < x && it_has && !i_have {
            steps.push(Step::Recv { from: real(other) });
        }
        distance >>= 1;
    }
}
