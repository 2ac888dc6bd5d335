//! Checks that the members of a communicator call the same collectives in the same order.
//!
//! MPI requires it (MPI 4.1, section 6.14), and an erroneous program would otherwise yield a time: the messages of a
//! broadcast can complete the receives of a barrier. Sizes that differ are no error here, since the messages of many
//! algorithms match nevertheless: the first is kept, to be reported with the time.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::error::{Called, Place};
use crate::trace::{CollectiveCall, CollectiveKind, CommunicatorId};

/// Collectives of one communicator, blocking or non-blocking, that some but not all members have called.
#[derive(Debug, Default)]
struct Sequence {
    open: VecDeque<Open>,
    /// Number of collectives that all members have called.
    complete: u64,
    /// Number of calls of each member.
    calls: Vec<u64>,
}

#[derive(Debug)]
struct Open {
    first: Called,
    /// Bytes that all members have to pass.
    bytes: u64,
    /// Members that have not called it yet.
    missing: u32,
}

/// Sequences of all communicators.
#[derive(Debug, Default)]
pub(super) struct Agreement {
    sequences: FxHashMap<(CommunicatorId, bool), Sequence>,
    /// Operation of the first collective whose members pass different sizes.
    pub different_sizes: Option<CollectiveKind>,
}

/// Returns the bytes of a call if they have to be the same on all members, otherwise 0.
fn common_bytes(call: &CollectiveCall) -> u64 {
    use CollectiveKind as K;
    match call.kind {
        K::Alltoall | K::Allgather => call.recv_type.bytes(call.recv_count),
        // Only one side of a gather or scatter is there on all members, and the root's may be in place.
        _ => call.bytes_of_all().unwrap_or(0),
    }
}

impl Agreement {
    /// Registers the next call of `member`, one of `members`, on the communicator of `call`.
    ///
    /// # Errors
    /// The index of this collective in its sequence, from 0, and its first call, if operation or root differ.
    pub fn register(
        &mut self,
        call: &CollectiveCall,
        blocking: bool,
        (member, members): (u32, u32),
        place: Place,
    ) -> Result<(), (u64, Called)> {
        let sequence = match self.sequences.entry((call.communicator, blocking)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Sequence { calls: vec![0; members as usize], ..Sequence::default() }),
        };
        let number = sequence.calls[member as usize];
        sequence.calls[member as usize] += 1;
        // A member calls each collective once, so a complete one is never queried again.
        let index = (number - sequence.complete) as usize;
        match sequence.open.get_mut(index) {
            None => {
                let first = Called { place, kind: call.kind, root: call.root };
                sequence.open.push_back(Open { first, bytes: common_bytes(call), missing: members - 1 });
            }
            Some(open) if (open.first.kind, open.first.root) != (call.kind, call.root) => {
                return Err((number, open.first));
            }
            Some(open) => {
                open.missing -= 1;
                if open.bytes != common_bytes(call) {
                    self.different_sizes.get_or_insert(call.kind);
                }
            }
        }
        while sequence.open.front().is_some_and(|open| open.missing == 0) {
            sequence.open.pop_front();
            sequence.complete += 1;
        }
        Ok(())
    }
}
