//! Requests by handle, until they are complete.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::trace::queues::OpenMessages;
use crate::trace::{Action, Triple};

/// An operation in progress.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) enum CallRequest {
    /// A request that needs no wait.
    Nothing,
    /// A message, and the index of its send or receive.
    Message { source: u32, destination: u32, tag: i32, at: usize },
    /// The index of a receive whose source or tag is unknown until it completes.
    Open(usize),
    /// A non-blocking collective: its number in the actions, and its index.
    Collective { number: u32, at: usize },
}

impl CallRequest {
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
    active: FxHashMap<u64, CallRequest>,
    /// Messages that a replay remembers, by the indices of their actions.
    messages: OpenMessages,
    /// Persistent requests: the operation that a start begins.
    persistent: FxHashMap<u64, Action>,
    /// Free numbers of non-blocking collectives, each with the action since which it is free, and the total of numbers.
    free: BTreeMap<u32, usize>,
    numbers: u32,
    /// Start of the call that starts collectives now, if it was earlier: their numbers have to be free since then.
    pub begun_at: Option<usize>,
    /// `true` if the order of messages is not that of their indices, because calls of several threads overlap: waits are then
    /// for the oldest message.
    pub is_woven: bool,
    /// `true` if there was any receive whose source or tag was unknown when it was posted.
    pub had_open: bool,
}

impl Requests {
    pub fn insert(&mut self, handle: u64, request: CallRequest) {
        self.had_open |= matches!(request, CallRequest::Open(_));
        if let CallRequest::Message { source, destination, tag, at } = request {
            self.messages.post((source, destination, tag), at);
        }
        self.active.insert(handle, request);
    }

    /// Removes a request. A replay remembers its message until [`Self::ended`] or [`Self::erased`].
    pub fn remove(&mut self, handle: u64) -> Option<CallRequest> {
        self.active.remove(&handle)
    }

    /// Adds a message whose action is that with index `at`, such as a receive whose source is known now.
    pub fn posted(&mut self, triple: Triple, at: usize) {
        self.messages.post(triple, at);
    }

    /// Ends the wait for a message, and returns the number of older ones of its triple that a replay remembers.
    pub fn ended(&mut self, triple: Triple, at: usize) -> u32 {
        let older = self.messages.end(triple, at);
        if self.is_woven { 0 } else { older }
    }

    /// Forgets a message whose action is erased.
    pub fn erased(&mut self, request: CallRequest) {
        if let CallRequest::Message { source, destination, tag, at } = request {
            self.ended((source, destination, tag), at);
        }
    }

    pub fn peek(&self, handle: u64) -> Option<CallRequest> {
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
    pub fn places(&self, place: impl Fn(CallRequest) -> Option<usize>) -> Vec<usize> {
        let mut places: Vec<usize> = self.active.values().filter_map(|&request| place(request)).collect();
        places.sort_unstable();
        places
    }
}

/// A receive from any source whose source is not recorded: index of the action.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Unresolved(pub usize);
