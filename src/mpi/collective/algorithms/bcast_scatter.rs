//! Broadcasts of long messages: scatter the message over a binomial tree, then collect the pieces everywhere.
//!
//! The message is cut into P pieces of `ceil(n / P)` bytes; the last ones may be short or empty. Members are numbered
//! from the root. Source: MPICH (`bcast_intra_scatter_ring_allgather.c`,
//! `bcast_intra_scatter_recursive_doubling_allgather.c`), after van de Geijn et al.

use super::doubling::double;
use super::support::chunk_after;
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Scatter, then pieces travel around a ring.
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "scatter-ring",
    simgrid: &["scatter_LR_allgather"],
    summary: "scatter over a binomial tree, then a ring allgather of the pieces",
    steps: ring,
};

/// Scatter, then recursive doubling.
pub static DOUBLING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "scatter-rdb",
    simgrid: &["scatter_rdb_allgather"],
    summary: "scatter over a binomial tree, then a recursive-doubling allgather of the pieces",
    steps: doubling,
};

/// Returns the size of a full piece, also the unit of the offsets.
fn piece(scope: &Scope<'_>) -> u64 {
    scope.bytes().div_ceil(u64::from(scope.size.max(1)))
}

/// Returns the bytes of the pieces `from..to`.
fn pieces(scope: &Scope<'_>, from: u32, to: u32) -> u64 {
    let (bytes, piece) = (scope.bytes(), piece(scope));
    let end = |v: u32| (u64::from(v) * piece).min(bytes);
    end(to) - end(from)
}

/// Emits the scatter. A member with number v and lowest set bit m receives the pieces v..v+m, cut off at the end of the
/// message; an empty range sends no message. It keeps its own piece and forwards the upper half, quarter, ...
fn scatter(scope: &Scope<'_>, steps: &mut Vec<Step>) {
    let v = scope.number();
    let size = u64::from(scope.size);
    let mut mask: u64 = 1;
    while mask < size && u64::from(v) & mask == 0 {
        mask <<= 1;
    }
    if mask < size && pieces(scope, v, upper(v, mask)) > 0 {
        steps.push(Step::Recv { from: scope.member(v - mask as u32) });
    }
    mask >>= 1;
    while mask > 0 {
        if u64::from(v) + mask < size {
            let child = v + mask as u32;
            let bytes = pieces(scope, child, upper(child, mask));
            if bytes > 0 {
                steps.push(Step::Send { to: scope.member(child), bytes });
            }
        }
        mask >>= 1;
    }
}

/// Returns the end of a range of pieces; offsets beyond the last piece are cut off anyway.
fn upper(v: u32, pieces: u64) -> u32 {
    u32::try_from(u64::from(v) + pieces).unwrap_or(u32::MAX)
}

fn ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if cursor.phase == 0 {
        scatter(scope, steps);
        cursor.phase = 1;
        cursor.done = scope.size <= 1;
        return;
    }
    let (right, left) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    for round in chunk_after(cursor, 1, u64::from(scope.size) - 1) {
        // In round r a member forwards the piece of the member r places to its left. Empty pieces are sent as well.
        let v = scope.before(scope.number(), round as u32);
        scope.exchange(right, pieces(scope, v, v + 1), left, steps);
    }
}

fn doubling(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    if scope.size <= 1 || scope.bytes() == 0 {
        return;
    }
    scatter(scope, steps);
    double(scope, scope.number(), |v| scope.member(v), |from, to| pieces(scope, from, to), steps);
}
