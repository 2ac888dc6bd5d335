//! Helpers of the algorithms: index arithmetic on a communicator, the combined exchange, and bounded chunks.

use crate::mpi::collective::{Cursor, Scope, Step};
use std::ops::Range;

/// Partners that a linear algorithm handles in one chunk: enough to amortise a call, small compared with a rank's
/// state.
const PARTNERS_PER_CHUNK: u64 = 64;

impl Scope<'_> {
    /// Returns the payload of one block, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.stage.count.saturating_mul(self.stage.element)
    }

    /// Returns the payload of the block of member `index` according to the count vector, in bytes. Missing entries
    /// count as 0.
    pub(super) fn bytes_of(&self, index: u32) -> u64 {
        u64::from(self.counts.get(index as usize).copied().unwrap_or(0)).saturating_mul(self.stage.element)
    }

    /// Returns the number of elements of the members `from..to` according to the count vector; both ends are cut to its
    /// length.
    pub(super) fn elements(&self, from: u32, to: u32) -> u64 {
        let end = (to as usize).min(self.counts.len());
        let start = (from as usize).min(end);
        self.counts[start..end].iter().map(|&count| u64::from(count)).sum()
    }

    /// Returns the number of elements of all members according to the count vector.
    pub(super) fn total_elements(&self) -> u64 {
        self.elements(0, u32::MAX)
    }

    /// Returns the member `distance` places after `index`, around the communicator.
    pub(super) fn after(&self, index: u32, distance: u32) -> u32 {
        ((u64::from(index) + u64::from(distance)) % u64::from(self.size)) as u32
    }

    /// Returns the member `distance` places before `index`, around the communicator.
    pub(super) fn before(&self, index: u32, distance: u32) -> u32 {
        self.after(index, self.size - distance % self.size)
    }

    /// Returns the number of the caller when the members are counted from the root.
    pub(super) fn number(&self) -> u32 {
        self.before(self.me, self.stage.root)
    }

    /// Returns the member with number `v` when the members are counted from the root.
    pub(super) fn member(&self, v: u32) -> u32 {
        self.after(v, self.stage.root)
    }

    /// `true` if the caller is the root.
    pub(super) fn is_root(&self) -> bool {
        self.me == self.stage.root
    }

    /// Returns the largest power of two up to the number of members.
    pub(super) fn power(&self) -> u32 {
        1 << self.size.max(1).ilog2()
    }

    /// Emits a combined send and receive. With oneself it costs nothing, not even a posting.
    pub(super) fn exchange(&self, to: u32, bytes: u64, from: u32, steps: &mut Vec<Step>) {
        if to == self.me && from == self.me {
            return;
        }
        steps.extend([Step::Isend { to, bytes }, Step::Irecv { from }, Step::WaitAll]);
    }
}

/// Returns the next range of `total` equal pieces of work, after `before` chunks of another kind. Advances the cursor,
/// and marks it done with the last range.
pub(super) fn chunk_after(cursor: &mut Cursor, before: u32, total: u64) -> Range<u64> {
    chunk_of(cursor, before, total, PARTNERS_PER_CHUNK)
}

/// [`chunk_after`] for pieces of work with several partners each.
pub(super) fn chunk_with(cursor: &mut Cursor, total: u64, partners: usize) -> Range<u64> {
    chunk_of(cursor, 0, total, (PARTNERS_PER_CHUNK / partners.max(1) as u64).max(1))
}

fn chunk_of(cursor: &mut Cursor, before: u32, total: u64, length: u64) -> Range<u64> {
    let start = u64::from(cursor.phase.saturating_sub(before)) * length;
    let end = total.min(start + length);
    cursor.phase += 1;
    cursor.done = end >= total;
    start..end
}

/// [`chunk_after`] for algorithms that have no other chunks.
pub(super) fn chunk(cursor: &mut Cursor, total: u64) -> Range<u64> {
    chunk_after(cursor, 0, total)
}

/// Returns the `i`-th of the members other than the caller, in ascending order.
pub(super) fn other(scope: &Scope<'_>, i: u64) -> u32 {
    let i = i as u32;
    if i < scope.me { i } else { i + 1 }
}

/// Returns the number of members other than the caller.
pub(super) fn others(scope: &Scope<'_>) -> u64 {
    u64::from(scope.size.saturating_sub(1))
}
