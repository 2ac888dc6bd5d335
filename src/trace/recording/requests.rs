//! Requests of a rank by the handles of the MPI library.
//!
//! Libraries give one handle to many requests: those that are complete at once. So a handle stands for a queue of
//! operations, of which all but one need no wait.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::threads::Place;
use crate::trace::{Action, Datatype};

/// An operation that was begun.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Its numbers among the requests of the program: several for a collective that is made of messages.
    pub requests: Vec<u64>,
    /// Where its action stands, if it is one message.
    pub action: Option<Place>,
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
    /// Handles that got an operation since [`note_new`](Self::note_new).
    new: Option<Vec<u64>>,
}

impl Handles {
    /// A number that no other request of the rank has.
    pub fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub fn push(&mut self, handle: u64, pending: Pending) {
        if let Some(new) = &mut self.new {
            new.push(handle);
        }
        self.pending.entry(handle).or_default().push_back(pending);
    }

    /// The program knows that the operation is complete, and has not given the request back.
    pub fn is_seen(&mut self, handle: u64) {
        let nothing = Pending { requests: Vec::new(), action: None, open: None };
        self.pending.entry(handle).or_default().push_front(nothing);
    }

    /// From now on operations get places that [`relocate`](Self::relocate) will change.
    pub fn note_new(&mut self) {
        self.new = Some(Vec::new());
    }

    /// The actions with these numbers have these places.
    pub fn relocate(&mut self, places: &[Place]) {
        for handle in self.new.take().unwrap_or_default() {
            let pending = self.pending.get_mut(&handle).and_then(VecDeque::back_mut);
            if let Some(action) = pending.and_then(|pending| pending.action.as_mut())
                && let Place::At(number) = *action
                && let Some(&place) = places.get(number)
            {
                *action = place;
            }
        }
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
    pub fn open(&self) -> Vec<Place> {
        let open = self.pending.values().flatten().filter(|pending| pending.open.is_some());
        open.filter_map(|pending| pending.action).collect()
    }
}
