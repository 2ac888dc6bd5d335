//! Messages of collectives, for writers of formats without collectives.
//!
//! The algorithms are in [`crate::mpi::collective::rounds`]; this module only defines the interface.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::trace::{Action, Trace};

/// A step of a rank in a collective. Partners are world ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// Sends a message.
    Send {
        /// Destination rank.
        to: u32,
        /// Payload in bytes.
        bytes: u64,
        /// Tag that no message of the trace or of other collectives has.
        tag: u32,
        /// `true` if the next step waits until it is sent.
        blocks: bool,
    },
    /// Receives a message.
    Receive {
        /// Source rank.
        from: u32,
        /// Payload of the sent message in bytes.
        bytes: u64,
        /// Tag of the message.
        tag: u32,
        /// `true` if the next step waits until it has arrived.
        blocks: bool,
    },
    /// Waits for step number `nth`, from 0, of the non-blocking steps that have not been waited for.
    Wait {
        /// Position in the order of posting.
        nth: u32,
    },
    /// Waits for all non-blocking steps that have not been waited for.
    WaitAll,
}

/// The messages of the collectives of a trace.
pub trait Rounds: Sync + fmt::Debug {
    /// Returns a description of the choice of algorithms, if there are collectives.
    fn origin(&self) -> Option<String>;

    /// Returns the messages of the collectives of a rank.
    fn of_rank(&self, rank: u32) -> Box<dyn RankRounds + '_>;
}

/// The messages of a rank's collectives, one collective after the other.
pub trait RankRounds: fmt::Debug {
    /// Appends the steps of the rank in its next collective, the one that this action starts.
    fn next(&mut self, action: &Action, rounds: &mut Vec<Round>);
}

/// Tags that no message of a trace has.
#[derive(Debug)]
pub struct FreeTags {
    /// Used tags, ascending.
    used: Vec<u32>,
    next: u32,
}

impl FreeTags {
    /// Returns the free tags of a trace.
    pub fn of(trace: &Trace) -> Self {
        // Combined sends and receives have tag 0.
        let mut used = FxHashSet::from_iter([0]);
        for action in trace.actions.iter().flatten() {
            if let Action::Send { tag, .. }
            | Action::Isend { tag, .. }
            | Action::Recv { tag, .. }
            | Action::Irecv { tag, .. } = action
            {
                used.extend(u32::try_from(tag));
            }
        }
        let mut used = Vec::from_iter(used);
        used.sort_unstable();
        Self { used, next: 0 }
    }

    /// Reserves `number` consecutive tags and returns the first; `None` if there are no more below 2^31.
    pub fn take(&mut self, number: u32) -> Option<u32> {
        loop {
            let end = self.next.checked_add(number).filter(|&end| end <= 1 << 31)?;
            let at = self.used.partition_point(|&used| used < self.next);
            match self.used.get(at) {
                Some(&used) if used < end => self.next = used + 1,
                _ => {
                    self.next = end;
                    return Some(end - number);
                }
            }
        }
    }
}
