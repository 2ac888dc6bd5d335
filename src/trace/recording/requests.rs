//! Requests of a rank by the handles of the MPI library.
//!
//! Libraries give one handle to many requests: those that are complete at once. So a handle stands for a queue of operations, of
//! which all but one need no wait.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::trace::{Action, Datatype};

/// An operation that was begun.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Its numbers among the requests of the program: several for a collective that is made of messages.
    pub requests: Vec<u64>,
    /// Where its action stands, if it is one message.
    pub action: Option<usize>,
    /// Communicator of a receive whose source or tag is open, and what was asked for.
    pub open: Option<Wanted>,
}

/// A receive whose source or tag the status tells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Wanted {
    /// Number of the communicator in the file.
    pub communicator: i64,
    pub count: u32,
    pub datatype: Datatype,
}

/// What a start of a persistent request begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Prepared {
    Nothing,
    Message(Action),
    Open(Wanted),
}

/// The requests of a rank.
#[derive(Default)]
pub(super) struct Handles {
    pending: FxHashMap<u64, VecDeque<Pending>>,
    persistent: FxHashMap<u64, Prepared>,
    numbers: u64,
}

impl Handles {
    /// A number that no other request of the rank has.
    pub fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub fn push(&mut self, handle: u64, pending: Pending) {
        self.pending.entry(handle).or_default().push_back(pending);
    }

    /// The oldest operation of a handle.
    pub fn pop(&mut self, handle: u64) -> Option<Pending> {
        self.pending.get_mut(&handle)?.pop_front()
    }

    pub fn prepare(&mut self, handle: u64, prepared: Prepared) {
        self.persistent.insert(handle, prepared);
    }

    pub fn prepared(&self, handle: u64) -> Option<Prepared> {
        self.persistent.get(&handle).copied()
    }

    /// Takes a persistent request away.
    pub fn forget(&mut self, handle: u64) -> Option<Prepared> {
        self.persistent.remove(&handle)
    }

    /// Where the receives stand whose source nobody has told.
    pub fn open(&self) -> Vec<usize> {
        let open = self.pending.values().flatten().filter(|pending| pending.open.is_some());
        let mut open: Vec<usize> = open.filter_map(|pending| pending.action).collect();
        open.sort_unstable();
        open
    }
}
