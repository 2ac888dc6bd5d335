//! Requests by their handles, until they are complete.

use rustc_hash::FxHashMap;

use super::{Program, Rank};
use crate::trace::Action;

/// An operation that is under way.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Request {
    /// What is waited for; none for what needs no wait.
    pub triple: Option<(u32, u32, i32)>,
    /// Where the receive stands whose source or tag is not known before it is complete.
    pub open: Option<usize>,
}

/// The requests of a rank.
#[derive(Default)]
pub(in crate::trace) struct Requests {
    active: FxHashMap<u64, Request>,
    /// Persistent requests: the operation that a start begins.
    persistent: FxHashMap<u64, Action>,
}

impl Requests {
    pub fn insert(&mut self, handle: u64, request: Request) {
        self.active.insert(handle, request);
    }

    pub fn remove(&mut self, handle: u64) -> Option<Request> {
        self.active.remove(&handle)
    }

    pub fn peek(&self, handle: u64) -> Option<Request> {
        self.active.get(&handle).copied()
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

    /// Receives whose source nobody has told.
    pub fn open(&self) -> Vec<usize> {
        let mut open: Vec<usize> = self.active.values().filter_map(|request| request.open).collect();
        open.sort_unstable();
        open
    }
}

impl Rank {
    /// Completes a receive that was posted without its source or tag.
    pub fn resolve(&mut self, at: usize, source: u32, message_tag: i32) {
        if let Some(Action::Irecv { from, tag, .. }) = self.actions.get_mut(at) {
            (*from, *tag) = (source, message_tag);
        }
    }
}

impl Program<'_> {
    /// Posts a send, remembered under a handle.
    pub fn isend(&mut self, rank: u32, handle: u64, action: Action) {
        let triple = match action {
            Action::Isend { to, tag, .. } => Some((rank, to, tag)),
            Action::Irecv { from, tag, .. } => Some((from, rank, tag)),
            _ => None,
        };
        self.ranks[rank as usize].requests.insert(handle, Request { triple, open: None });
        self.push(rank, action);
    }

    /// Waits for a request; `false` if there is no such handle. A receive whose source was open needs source and tag now.
    pub fn wait(&mut self, rank: u32, handle: u64, told: Option<(u32, i32)>) -> Result<bool, Unresolved> {
        let state = &mut self.ranks[rank as usize];
        let Some(request) = state.requests.remove(handle) else { return Ok(false) };
        let triple = match (request.open, told) {
            (None, _) => request.triple,
            (Some(at), Some((source, tag))) => {
                state.resolve(at, source, tag);
                Some((source, rank, tag))
            }
            (Some(at), None) => return Err(Unresolved(at)),
        };
        if let Some((source, destination, tag)) = triple {
            self.push(rank, Action::Wait { source, destination, tag });
        }
        Ok(true)
    }
}

/// A receive from anywhere whose source is not recorded: index of the action.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Unresolved(pub usize);
