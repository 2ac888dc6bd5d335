//! Requests by handle, until they are complete.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Program, Rank};
use crate::trace::Action;

/// An operation in progress.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) enum Request {
    /// A request that needs no wait.
    Nothing,
    /// A message, and the index of its send or receive.
    Message { source: u32, destination: u32, tag: i32, at: usize },
    /// The index of a receive whose source or tag is unknown until it completes.
    Open(usize),
    /// A non-blocking collective: its number in the actions, and its index.
    Collective { number: u32, at: usize },
}

impl Request {
    /// Returns the index of the receive, if its source or tag is unknown.
    pub fn open(self) -> Option<usize> {
        match self {
            Self::Open(at) => Some(at),
            _ => None,
        }
    }

    /// Returns the index of the collective, if it is one.
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
    /// Free numbers of non-blocking collectives, each with the action since which it is free, and the total of numbers.
    free: BTreeMap<u32, usize>,
    numbers: u32,
    /// Start of the call that starts collectives now, if it was earlier: their numbers have to be free since then.
    pub begun_at: Option<usize>,
    /// `true` if there was any receive whose source or tag was unknown when it was posted.
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

    /// Returns the smallest number that no collective in progress has.
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

    /// Marks the number of a collective as free before the action with that index.
    pub fn is_free(&mut self, number: u32, before: usize) {
        self.free.insert(number, before);
    }

    /// Returns a number that no collective has had.
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

    /// Returns the indices that `place` selects from the requests in progress, in the order of the actions.
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
    /// Posts a non-blocking send or receive, which is remembered under a handle until it is waited for. Any other
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

    /// Waits for a request, of a message or a collective; `false` if there is no such handle. A receive with an open
    /// source needs source and tag now.
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

/// A receive from any source whose source is not recorded: index of the action.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Unresolved(pub usize);
