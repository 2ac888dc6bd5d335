//! Checks that the members of a communicator call the same collectives in the same order.
//!
//! MPI requires it (MPI 4.1, section 6.14), and an erroneous program would otherwise yield a time: the messages of a
//! broadcast can complete the receives of a barrier.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::error::{Called, Place};
use crate::trace::{CollectiveCall, CommunicatorId};

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
    /// Members that have not called it yet.
    missing: u32,
}

/// Sequences of all communicators.
#[derive(Debug, Default)]
pub(super) struct Agreement(FxHashMap<(CommunicatorId, bool), Sequence>);

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
        let sequence = match self.0.entry((call.communicator, blocking)) {
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
                sequence.open.push_back(Open { first, missing: members - 1 });
            }
            Some(open) if (open.first.kind, open.first.root) != (call.kind, call.root) => {
                return Err((number, open.first));
            }
            Some(open) => open.missing -= 1,
        }
        while sequence.open.front().is_some_and(|open| open.missing == 0) {
            sequence.open.pop_front();
            sequence.complete += 1;
        }
        Ok(())
    }
}
