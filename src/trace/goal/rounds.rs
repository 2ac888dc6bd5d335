//! What collectives are made of, as a writer needs it that has no collectives.
//!
//! Who knows algorithms fills this in ([`crate::mpi::collective::rounds`]); here is only what is written.

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
        /// Number among the tags of the collective.
        channel: u32,
        /// Whether the next step waits until it is sent.
        blocks: bool,
    },
    /// A message comes in.
    Receive {
        /// Source.
        from: u32,
        /// Payload of what the source sends.
        bytes: u64,
        /// Number among the tags of the collective.
        channel: u32,
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

/// A collective: the steps of each member, in the order of the communicator.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Schedule {
    /// By member.
    pub members: Vec<Vec<Round>>,
    /// Number of tags that keep its messages apart.
    pub channels: u32,
}

/// A rank's part in a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Index of the schedule.
    pub schedule: u32,
    /// Which member the rank is.
    pub member: u32,
    /// First of the collective's tags, which no other message has.
    pub tag: u32,
}

/// The collectives of a trace. Those that are alike share a schedule.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rounds {
    /// The schedules.
    pub schedules: Vec<Schedule>,
    /// For each rank a part for each of its collectives, in the order in which it calls or starts them.
    pub parts: Vec<Vec<Part>>,
    /// By what they were chosen, in words.
    pub origin: String,
}

impl Rounds {
    /// The steps of a part.
    pub(super) fn steps(&self, part: Part) -> &[Round] {
        &self.schedules[part.schedule as usize].members[part.member as usize]
    }
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
            | Action::Irecv { tag, .. } = *action
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
