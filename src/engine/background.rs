//! Non-blocking collectives.
//!
//! They progress in the background, as in an MPI library with a progress thread or in hardware: a background collective
//! enters the collective as a rank would and goes through its steps independently of the rank. Overheads of its
//! messages delay the background collective and not the rank. Its flops, if any, are a computation like others: on a
//! host with a core to spare they do not slow the rank down. A wait for its request ends when the background collective
//! ends.
//!
//! None of this is inlined into the loop over the actions of a rank, which is faster without it.

use super::error::ReplayError;
use super::observer::Observer;
use super::outcome::RankTimes;
use super::process::{Process, Started, State};
use super::run::{Turn::Blocks, Turn::GoesOn, Turned};
use super::state::Engine;
use crate::network::Transfers;
use crate::trace::Action;
use crate::trace::actions::ActionCursor;

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// `true` if a process is a background collective of a rank.
    #[inline]
    pub(super) fn is_background(&self, id: u32) -> bool {
        id >= self.rank_map.ranks()
    }

    /// Starts a collective in the background; the rank continues.
    #[inline(never)]
    pub(super) fn start_collective(&mut self, rank: u32, index: u32, request: u32) -> Turned {
        let call = self.trace.collectives[index as usize];
        let context = self.groups.context(call.communicator, rank, self.trace.members(call.communicator).size());
        let background = self.free_backgrounds.pop().unwrap_or_else(|| {
            self.processes.push(Process::new(rank, ActionCursor::All(&[])));
            self.processes.len() as u32 - 1
        });
        let process = &mut self.processes[background as usize];
        (process.owner, process.state, process.since) = (rank, State::Ready, self.now);
        process.collective.counted_from = 0.0;
        self.cpu.lodge(background, rank, call.flops > 0.0);
        self.backgrounds.insert((rank, context), background);
        self.enter(background, call, context)?;
        self.process(rank).started.push(Started { request, background: Some(background) });
        self.observer.background_began(background, rank, self.now);
        self.ready.push_back(background);
        Ok(GoesOn)
    }

    /// Ends a background collective that has no step left.
    #[inline(never)]
    pub(super) fn end_background(&mut self, background: u32) -> Turned {
        let process = &mut self.processes[background as usize];
        process.state = State::Ended;
        let (rank, context) = (process.owner, process.collective.context);
        self.backgrounds.remove(&(rank, context));
        if matches!(self.processes[rank as usize].state, State::OnBackground(awaited) if awaited == background) {
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
        Ok(at.and_then(|at| started.remove(at).background))
    }

    /// Waits for a background collective to end.
    pub(super) fn wait_for_background(&mut self, rank: u32, background: u32) -> Turned {
        if matches!(self.processes[background as usize].state, State::Ended) {
            self.free_backgrounds.push(background);
            return Ok(GoesOn);
        }
        // The rank waits for the activities of the collective from now on.
        let now = self.now;
        let process = &mut self.processes[background as usize];
        process.collective.counted_from = now;
        process.times = RankTimes::default();
        // A computation or overhead under way will be counted as a whole when it ends, so its first part is subtracted. For
        // messages, `counted_from` has this effect.
        let before = now - process.since;
        match process.state {
            State::Computing => process.times.compute = -before,
            State::SendOverhead(_) | State::Overhead | State::SetOverhead => {
                (process.times.communication, process.times.latency) = (-before, -before);
            }
            _ => {}
        }
        self.block(rank, State::OnBackground(background))
    }

    /// Waits for one of the background collectives of a rank to end; continues if all have ended.
    #[inline(never)]
    pub(super) fn wait_for_backgrounds(&mut self, rank: u32) -> Turned {
        while let Some(last) = self.process(rank).started.pop() {
            if let Some(background) = last.background
                && self.wait_for_background(rank, background)? == Blocks
            {
                return Ok(Blocks);
            }
        }
        Ok(GoesOn)
    }

    /// Handles the end of a background collective for which the rank has waited `seconds`. This time is divided into the
    /// activities of the collective.
    #[inline(never)]
    pub(super) fn join(&mut self, rank: u32, background: u32, seconds: f64) -> Turned {
        self.free_backgrounds.push(background);
        let spent = self.processes[background as usize].times;
        let times = &mut self.process(rank).times;
        times.add_activities(&spent);
        times.waiting += (seconds - spent.compute - spent.communication).max(0.0);
        self.observer.released(rank, background, self.now, seconds);
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
            Some(Started { background: Some(_), .. }) => {
                self.cpu.sleep(self.now, rank, self.tests * self.model.mpi.test_time);
                self.block(rank, State::TestingBackground(request))
            }
            _ => Ok(GoesOn),
        }
    }

    /// Checks, once the time of a test has passed, whether the background collective has ended.
    #[inline(never)]
    pub(super) fn look_at_background(&mut self, rank: u32, request: u32) {
        let started = &mut self.processes[rank as usize].started;
        let Some(at) = started.iter().position(|s| s.request == request) else { return };
        let Some(background) = started[at].background else { return };
        if matches!(self.processes[background as usize].state, State::Ended) {
            // The entry keeps its number without a background collective: the wait or test that follows takes it and
            // does nothing.
            self.processes[rank as usize].started[at].background = None;
            self.free_backgrounds.push(background);
            self.tests = 1.0;
        } else if self.model.mpi.growing_times {
            self.tests += 1.0;
        }
    }
}
