//! Requests by their handles, until they are complete.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Program, Rank};
use crate::trace::Action;

/// An operation that is under way.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) enum Request {
    /// One that needs no wait.
    Nothing,
    /// A message, and where this half of it stands.
    Message { source: u32, destination: u32, tag: i32, at: usize },
    /// A receive whose source or tag is not known before it is complete: where it stands.
    Open(usize),
    /// A collective that does not block: its number in the actions, and where it stands.
    Collective { number: u32, at: usize },
}

impl Request {
    /// Where the receive stands, if it is one whose source or tag is not known.
    pub fn open(self) -> Option<usize> {
        match self {
            Self::Open(at) => Some(at),
            _ => None,
        }
    }

    /// Where the collective stands, if it is one.
    pub fn collective(self) -> Option<usize> {
        match self {
            Self::Collective { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// The requests of a rank.
#[derive(Default)]
pub(in crate::trace) struct Requests {
    active: FxHashMap<u64, Request>,
    /// Persistent requests: the operation that a start begins.
    persistent: FxHashMap<u64, Action>,
    /// Numbers of collectives that do not block: those used before and free again, each since an action; and how many
    /// there are.
    free: BTreeMap<u32, usize>,
    numbers: u32,
    /// Where the call began that starts collectives now, if it was not just now: their numbers have to be free since
    /// then.
    pub begun_at: Option<usize>,
    /// Whether there was any receive whose source or tag was not known when it was posted.
    pub had_open: bool,
}

impl Requests {
    pub fn insert(&mut self, handle: u64, request: Request) {
        self.had_open |= matches!(request, Request::Open(_));
        self.active.insert(handle, request);
    }

    pub fn remove(&mut self, handle: u64) -> Option<Request> {
        self.active.remove(&handle)
    }

    pub fn peek(&self, handle: u64) -> Option<Request> {
        self.active.get(&handle).copied()
    }

    /// The smallest number that no collective under way has.
    pub fn number(&mut self) -> u32 {
        let free = match self.begun_at {
            None => self.free.pop_first().map(|(number, _)| number),
            Some(at) => {
                let free = self.free.iter().find(|(_, since)| **since <= at).map(|(&number, _)| number);
                free.and_then(|number| self.free.remove_entry(&number)).map(|(number, _)| number)
            }
        };
        free.unwrap_or_else(|| {
            self.numbers += 1;
            self.numbers - 1
        })
    }

    /// The collective of that number is over, before the action with that place.
    pub fn is_free(&mut self, number: u32, before: usize) {
        self.free.insert(number, before);
    }

    /// A number that no collective has had.
    pub fn unused(&self) -> u32 {
        self.numbers
    }

    pub fn keep(&mut self, handle: u64, operation: Action) {
        self.persistent.insert(handle, operation);
    }

    pub fn persistent(&self, handle: u64) -> Option<Action> {
        self.persistent.get(&handle).copied()
    }

    pub fn forget(&mut self, handle: u64) {
        self.persistent.remove(&handle);
        self.active.remove(&handle);
    }

    /// What `place` gives of the requests under way, in the order of the actions.
    pub fn places(&self, place: impl Fn(Request) -> Option<usize>) -> Vec<usize> {
        let mut places: Vec<usize> = self.active.values().filter_map(|&request| place(request)).collect();
        places.sort_unstable();
        places
    }
}

impl Rank {
    /// Completes a receive that was posted without its source or tag.
    pub fn resolve(&mut self, at: usize, source: u32, message_tag: i32) {
        if let Some(Action::Irecv { count, datatype, .. }) = self.actions.get(at) {
            self.actions.set(at, Action::Irecv { from: source, tag: message_tag, count, datatype });
        }
    }
}

impl Program<'_> {
    /// Posts a send or a receive that does not block, remembered under a handle until it is waited for. Any other
    /// action needs no wait.
    pub fn post(&mut self, rank: u32, handle: u64, action: Action) {
        let at = self.ranks[rank as usize].actions.len();
        let request = match action {
            Action::Isend { to, tag, .. } => Request::Message { source: rank, destination: to, tag, at },
            Action::Irecv { from, tag, .. } => Request::Message { source: from, destination: rank, tag, at },
            _ => Request::Nothing,
        };
        self.ranks[rank as usize].requests.insert(handle, request);
        self.push(rank, action);
    }

    /// Waits for a request, of a message or a collective; `false` if there is no such handle. A receive whose source
    /// was open needs source and tag now.
    pub fn wait(&mut self, rank: u32, handle: u64, told: Option<(u32, i32)>) -> Result<bool, Unresolved> {
        let state = &mut self.ranks[rank as usize];
        let Some(request) = state.requests.remove(handle) else { return Ok(false) };
        let (source, destination, tag) = match (request, told) {
            (Request::Nothing, _) => return Ok(true),
            (Request::Message { source, destination, tag, .. }, _) => (source, destination, tag),
            (Request::Open(at), Some((source, tag))) => {
                state.resolve(at, source, tag);
                (source, rank, tag)
            }
            (Request::Open(at), None) => return Err(Unresolved(at)),
            (Request::Collective { number, .. }, _) => {
                self.wait_collective(rank, number);
                return Ok(true);
            }
        };
        self.push(rank, Action::Wait { source, destination, tag });
        Ok(true)
    }
}

/// A receive from anywhere whose source is not recorded: index of the action.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Unresolved(pub usize);
