//! What collectives are made of, as a writer needs it that has no collectives.
//!
//! Who knows algorithms tells it ([`crate::mpi::collective::rounds`]); here is only what is written.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::trace::{Action, Trace};

/// A step of a rank in a collective. Partners are ranks of the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// A message goes out.
    Send {
        /// Destination.
        to: u32,
        /// Payload.
        bytes: u64,
        /// Its tag, which no message of the trace and of other collectives has.
        tag: u32,
        /// Whether the next step waits until it is sent.
        blocks: bool,
    },
    /// A message comes in.
    Receive {
        /// Source.
        from: u32,
        /// Payload of what the source sends.
        bytes: u64,
        /// Its tag.
        tag: u32,
        /// Whether the next step waits until it is there.
        blocks: bool,
    },
    /// Waits for number `nth`, from 0, of the steps that do not block and have not been waited for.
    Wait {
        /// Its place in the order of posting.
        nth: u32,
    },
    /// Waits for all of them.
    WaitAll,
}

/// What the collectives of a trace are made of.
pub trait Rounds: Sync + fmt::Debug {
    /// By what the messages were chosen, in words, if there are collectives.
    fn origin(&self) -> Option<String>;

    /// Those of a rank.
    fn of_rank(&self, rank: u32) -> Box<dyn RankRounds + '_>;
}

/// What the collectives of a rank are made of, told one after the other.
pub trait RankRounds: fmt::Debug {
    /// Appends the steps of the rank in its next collective, the one that this action begins.
    fn next(&mut self, action: &Action, rounds: &mut Vec<Round>);
}

/// Tags that no message of a trace has.
#[derive(Debug)]
pub struct FreeTags {
    /// Those that messages have, ascending.
    used: Vec<u32>,
    next: u32,
}

impl FreeTags {
    /// Those of a trace.
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

    /// The first of so many tags in a row, which nobody else gets; none if there are no more below 2^31.
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
