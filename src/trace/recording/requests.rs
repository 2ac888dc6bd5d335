//! Requests of a rank, by the handles of the MPI library.
//!
//! Libraries use one handle for many requests: those that are complete immediately. A handle therefore refers to a
//! queue of operations, of which all but one need no wait.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::threads::ActionPlace;
use crate::trace::{Action, Datatype};

/// A started operation.
#[derive(Clone, Debug)]
pub(super) struct StartedOperation {
    /// Its numbers among the requests of the program: several for a collective that consists of messages.
    pub requests: Vec<u64>,
    /// Place of its action, if it is one message.
    pub action: Option<ActionPlace>,
    /// Communicator of a receive whose source or tag is open, and its requested values.
    pub open: Option<OpenReceive>,
}

/// A receive whose source or tag the status provides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct OpenReceive {
    /// Number of the communicator in the file.
    pub communicator: i64,
    pub count: u32,
    pub datatype: Datatype,
}

/// Operation that a start of a persistent request begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Prepared {
    Nothing,
    Message(Action),
    Open(OpenReceive),
}

/// The requests of a rank.
#[derive(Default)]
pub(super) struct Handles {
    pending: FxHashMap<u64, VecDeque<StartedOperation>>,
    persistent: FxHashMap<u64, Prepared>,
    numbers: u64,
    /// Handles with an operation added since [`note_new`](Self::note_new).
    new: Option<Vec<u64>>,
}

impl Handles {
    /// Returns a number that no other request of the rank has.
    pub fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub fn push(&mut self, handle: u64, pending: StartedOperation) {
        if let Some(new) = &mut self.new {
            new.push(handle);
        }
        self.pending.entry(handle).or_default().push_back(pending);
    }

    /// Marks an operation as known to be complete, while the program keeps the request.
    pub fn is_seen(&mut self, handle: u64) {
        let nothing = StartedOperation { requests: Vec::new(), action: None, open: None };
        self.pending.entry(handle).or_default().push_front(nothing);
    }

    /// Begins collecting operations whose places [`relocate`](Self::relocate) will change.
    pub fn note_new(&mut self) {
        self.new = Some(Vec::new());
    }

    /// Sets the final places of the collected operations.
    pub fn relocate(&mut self, places: &[ActionPlace]) {
        for handle in self.new.take().unwrap_or_default() {
            let pending = self.pending.get_mut(&handle).and_then(VecDeque::back_mut);
            if let Some(action) = pending.and_then(|pending| pending.action.as_mut())
                && let ActionPlace::At(number) = *action
                && let Some(&place) = places.get(number)
            {
                *action = place;
            }
        }
    }

    /// Removes the collected operations: their call could not be read.
    pub fn drop_new(&mut self) {
        for handle in self.new.take().unwrap_or_default() {
            self.pending.get_mut(&handle).and_then(VecDeque::pop_back);
        }
    }

    /// Returns the oldest operation of a handle.
    pub fn pop(&mut self, handle: u64) -> Option<StartedOperation> {
        self.pending.get_mut(&handle)?.pop_front()
    }

    pub fn prepare(&mut self, handle: u64, prepared: Prepared) {
        self.persistent.insert(handle, prepared);
    }

    pub fn prepared(&self, handle: u64) -> Option<Prepared> {
        self.persistent.get(&handle).copied()
    }

    /// Removes a persistent request.
    pub fn forget(&mut self, handle: u64) -> Option<Prepared> {
        self.persistent.remove(&handle)
    }

    /// Returns the places of the receives whose source is unknown.
    pub fn open(&self) -> Vec<ActionPlace> {
        let open = self.pending.values().flatten().filter(|pending| pending.open.is_some());
        open.filter_map(|pending| pending.action).collect()
    }
}
