//! Non-blocking collectives, whose arguments some formats have only where they end.

use super::program::{Program, full};
use super::requests::CallRequest;
use crate::trace::error::TraceError;
use crate::trace::{Action, CollectiveCall};

impl Program<'_> {
    /// Starts a non-blocking collective; [`wait`](Self::wait) with the handle ends it.
    pub fn start_collective(&mut self, rank: u32, handle: u64, call: CollectiveCall) -> Result<(), TraceError> {
        let at = self.open_collective(rank, handle);
        self.settle_collective(rank, at, call)
    }

    /// Starts a non-blocking collective whose arguments follow later, through
    /// [`settle_collective`](Self::settle_collective). Returns the index of its action.
    pub fn open_collective(&mut self, rank: u32, handle: u64) -> usize {
        let state = &mut self.ranks[rank as usize];
        let (number, at) = (state.requests.number(), state.actions.len());
        state.requests.insert(handle, CallRequest::Collective { number, at });
        state.actions.push(Action::Start { index: u32::MAX, request: number });
        at
    }

    /// Waits for a started collective; its number is free again.
    pub fn wait_collective(&mut self, rank: u32, number: u32) {
        self.push(rank, Action::WaitRequest { request: number });
        let state = &mut self.ranks[rank as usize];
        state.requests.is_free(number, state.actions.len());
    }

    /// Removes a started collective that turns out to do nothing; its number is free again.
    pub fn drop_collective(&mut self, rank: u32, number: u32, at: usize) {
        let state = &mut self.ranks[rank as usize];
        state.requests.is_free(number, state.actions.len());
        state.actions.set(at, Action::NoOperation);
    }

    /// Sets the arguments of a collective; the existing action determines whether it is blocking.
    pub fn settle_collective(&mut self, rank: u32, at: usize, call: CollectiveCall) -> Result<(), TraceError> {
        let new = self.tables.collective(call).map_err(full)?;
        let actions = &mut self.ranks[rank as usize].actions;
        let settled = match actions.get(at) {
            Some(Action::Start { request, .. }) => Action::Start { index: new, request },
            _ => Action::Collective { index: new },
        };
        actions.set(at, settled);
        Ok(())
    }
}
