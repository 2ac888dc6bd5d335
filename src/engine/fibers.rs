//! Non-blocking collectives.
//!
//! They progress in the background, as in an MPI library with a progress thread or in hardware: a fiber enters the
//! collective as a rank would and goes through its steps, whatever the rank does meanwhile. Overheads of its messages
//! delay the fiber and not the rank. Its flops, if any, are a computation like others: on a host with a core to spare
//! they do not slow the rank down. A wait for its request ends when the fiber ends.
//!
//! None of this is inlined into the loop over the actions of a rank, which is faster without it.

use super::error::ReplayError;
use super::observer::Observer;
use super::process::{Process, Started, State};
use super::run::{Turn::Blocks, Turn::GoesOn, Turned};
use super::state::Engine;
use crate::network::Transfers;
use crate::trace::Action;
use crate::trace::actions::ActionCursor;

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// `true` if a process is a fiber of a rank.
    #[inline]
    pub(super) fn is_fiber(&self, id: u32) -> bool {
        id >= self.layout.ranks()
    }

    /// Starts a collective in the background; the rank continues.
    #[inline(never)]
    pub(super) fn start_collective(&mut self, rank: u32, index: u32, request: u32) -> Turned {
        let call = self.trace.collectives[index as usize];
        let context = self.groups.context(call.communicator, rank, self.trace.members(call.communicator).size());
        let fiber = self.free_fibers.pop().unwrap_or_else(|| {
            self.processes.push(Process::new(rank, ActionCursor::All(&[])));
            self.processes.len() as u32 - 1
        });
        let process = &mut self.processes[fiber as usize];
        (process.owner, process.state, process.since) = (rank, State::Ready, self.now);
        self.cpu.lodge(fiber, rank, call.flops > 0.0);
        self.fibers.insert((rank, context), fiber);
        self.enter(fiber, call, context)?;
        self.process(rank).started.push(Started { request, fiber: Some(fiber) });
        self.observer.fiber_began(fiber, rank, self.now);
        self.ready.push_back(fiber);
        Ok(GoesOn)
    }

    /// Ends a fiber that has no step left.
    #[inline(never)]
    pub(super) fn end_fiber(&mut self, fiber: u32) -> Turned {
        let process = &mut self.processes[fiber as usize];
        process.state = State::Ended;
        let (rank, context) = (process.owner, process.collective.context);
        self.fibers.remove(&(rank, context));
        if matches!(self.processes[rank as usize].state, State::OnFiber(awaited) if awaited == fiber) {
            self.ready.push_back(rank);
        }
        Ok(Blocks)
    }

    /// Takes the oldest collective with that request number. As with messages, it is an error only if the rank has no
    /// collective at all.
    pub(super) fn take_started(
        &mut self,
        rank: u32,
        request: u32,
        operation: &'static str,
    ) -> Result<Option<u32>, ReplayError> {
        let started = &mut self.process(rank).started;
        if started.is_empty() {
            return Err(ReplayError::NoRequest { place: self.place(rank), operation });
        }
        let at = started.iter().position(|s| s.request == request);
        Ok(at.and_then(|at| started.remove(at).fiber))
    }

    /// Waits for a fiber to end.
    pub(super) fn wait_for_fiber(&mut self, rank: u32, fiber: u32) -> Turned {
        if matches!(self.processes[fiber as usize].state, State::Ended) {
            self.free_fibers.push(fiber);
            return Ok(GoesOn);
        }
        self.block(rank, State::OnFiber(fiber))
    }

    /// Waits for one of the fibers of a rank to end; continues if all have ended.
    #[inline(never)]
    pub(super) fn wait_for_fibers(&mut self, rank: u32) -> Turned {
        while let Some(last) = self.process(rank).started.pop() {
            if let Some(fiber) = last.fiber
                && self.wait_for_fiber(rank, fiber)? == Blocks
            {
                return Ok(Blocks);
            }
        }
        Ok(GoesOn)
    }

    /// Handles the end of a fiber for which the rank has waited `seconds`.
    #[inline(never)]
    pub(super) fn join(&mut self, rank: u32, fiber: u32, seconds: f64) -> Turned {
        self.free_fibers.push(fiber);
        let process = self.process(rank);
        process.times.communication += seconds;
        self.observer.released(rank, fiber, self.now, seconds);
        // A wait for everything continues with what is left.
        let process = &self.processes[rank as usize];
        match process.actions.get(process.current()) {
            Some(Action::WaitAll) => self.wait_for_everything(rank),
            _ => Ok(GoesOn),
        }
    }

    /// Spends the time of a test, if there is a collective of that number to test.
    #[inline(never)]
    pub(super) fn test_request(&mut self, rank: u32, request: u32) -> Turned {
        let started = &self.processes[rank as usize].started;
        if started.is_empty() {
            return Err(ReplayError::NoRequest { place: self.place(rank), operation: "test_request" });
        }
        match started.iter().find(|s| s.request == request) {
            Some(Started { fiber: Some(_), .. }) => {
                self.cpu.sleep(self.now, rank, self.tests * self.model.mpi.test_time);
                self.block(rank, State::TestingFiber(request))
            }
            _ => Ok(GoesOn),
        }
    }

    /// Checks, once the time of a test has passed, whether the fiber has ended.
    #[inline(never)]
    pub(super) fn look_at_fiber(&mut self, rank: u32, request: u32) {
        let started = &mut self.processes[rank as usize].started;
        let Some(at) = started.iter().position(|s| s.request == request) else { return };
        let Some(fiber) = started[at].fiber else { return };
        if matches!(self.processes[fiber as usize].state, State::Ended) {
            // The entry keeps its number without a fiber: the wait or test that follows takes it and does nothing.
            self.processes[rank as usize].started[at].fiber = None;
            self.free_fibers.push(fiber);
            self.tests = 1.0;
        } else if self.model.mpi.growing_times {
            self.tests += 1.0;
        }
    }
}
