//! Execution of a rank at one instant, until it blocks.
//!
//! Usually a rank continues until it blocks, then the next one does: matching depends on ranks and tags, not on which
//! rank runs first, so the order affects at most the rounding of sums. Tests and receives of unknown size are an
//! exception: they share a counter among all ranks. So is SimGrid's incremental sharing, whose rates depend on the
//! order of starts. There the ranks run in lockstep, one call into the message layer each, in the order of SimGrid
//! 3.32.

use super::error::ReplayError;
use super::observer::Observer;
use super::process::{OneSided, Pending, Probe, Process, Send, State, Then};
use super::state::Engine;
use crate::mpi::messages::Request;
use crate::network::Transfers;
use crate::trace::{ANY_TARGET, Action, UNKNOWN_COUNT};

/// Calls into SimGrid's kernel before the one that begins a computation: they set its size and its host. Other ranks
/// take their turns meanwhile, which decides the order of computations in the event queue.
const CALLS_BEFORE_A_COMPUTATION: u8 = 2;

/// Calls into SimGrid's kernel before the time that a look for a message takes, which also has a bound.
pub(super) const CALLS_BEFORE_A_LOOK: u8 = 3;

/// Outcome of a turn of a rank.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    GoesOn,
    Blocks,
}
use Turn::{Blocks, GoesOn};

pub(super) type Turned = Result<Turn, ReplayError>;

impl<'a, O: Observer + ?Sized, N: Transfers> Engine<'a, O, N> {
    #[inline]
    pub(super) fn process(&mut self, rank: u32) -> &mut Process<'a> {
        &mut self.processes[rank as usize]
    }

    /// Resumes a rank until it blocks or ends.
    pub(super) fn resume(&mut self, rank: u32) -> Result<(), ReplayError> {
        let mut turn = self.wake(rank)?;
        while turn == GoesOn {
            turn = self.next_operation(rank)?;
        }
        Ok(())
    }

    /// Blocks a rank in this state.
    #[inline]
    pub(super) fn block(&mut self, rank: u32, state: State) -> Turned {
        let now = self.now;
        let process = self.process(rank);
        process.since = now;
        process.state = state;
        Ok(Blocks)
    }

    /// Ends a call into the message layer. With lockstep scheduling, the turn passes to the other ranks.
    #[inline]
    pub(super) fn call(&mut self, rank: u32, then: Then) -> Turned {
        if !self.turns {
            return self.go_on(rank, then);
        }
        self.ready.push_back(rank);
        self.block(rank, State::Called(then))
    }

    #[inline]
    fn go_on(&mut self, rank: u32, then: Then) -> Turned {
        match then {
            Then::Nothing => Ok(GoesOn),
            Then::Wait(request) => self.wait(rank, request),
            Then::Finish(request) => self.finish(rank, request),
            Then::SendRecvReceive => self.sendrecv_receive(rank),
            Then::WaitAll => self.wait_all(rank),
            Then::Compute { calls, look } => self.begin_computing(rank, calls, look),
            Then::Look(pending) => self.look_at(rank, pending),
            Then::Probed { probe, found } => self.probed(rank, probe, found),
        }
    }

    /// Finishes the operation in which a rank was blocked.
    fn wake(&mut self, rank: u32) -> Turned {
        let (now, one_by_one) = (self.now, self.one_by_one);
        let process = self.process(rank);
        let spent = now - process.since;
        match std::mem::replace(&mut process.state, State::Ready) {
            State::Ready => Ok(GoesOn),
            State::Ended | State::Idle => Ok(Blocks),
            State::Called(then) => self.go_on(rank, then),
            State::Computing | State::Sleeping => {
                process.times.compute += spent;
                self.observer.computed(rank, now, spent);
                Ok(GoesOn)
            }
            State::Overhead => {
                self.overhead(rank, spent);
                Ok(GoesOn)
            }
            State::SendOverhead(send) => {
                self.overhead(rank, spent);
                self.post_send(rank, send)
            }
            State::OnRequest(request) => self.finish(rank, request),
            State::OnSet { .. } if one_by_one => self.wait_one_by_one(rank, true),
            State::OnSet { .. } => self.wait_all(rank),
            State::SetOverhead => {
                self.overhead(rank, spent);
                self.wait_all(rank)
            }
            State::Testing(pending) => {
                self.overhead(rank, spent);
                match pending.request {
                    Some(request) if request != Request::COMPLETE => self.call(rank, Then::Look(pending)),
                    _ => self.look_at(rank, pending),
                }
            }
            State::Probing(probe) => {
                self.overhead(rank, spent);
                let found = self.messages.probe(probe.envelope(rank)).is_some();
                self.call(rank, Then::Probed { probe, found })
            }
            // It becomes ready together with the message.
            State::OnMessage(_) => Ok(Blocks),
            State::OnBackground(background) => self.join(rank, background, spent),
            State::TestingBackground(request) => {
                self.overhead(rank, spent);
                self.look_at_background(rank, request);
                Ok(GoesOn)
            }
            State::OneSidedOverhead(operation) => {
                self.overhead(rank, spent);
                self.begin_one_sided(rank, operation)
            }
        }
    }

    /// Notes time that a rank has spent in non-blocking calls.
    #[inline]
    pub(super) fn overhead(&mut self, rank: u32, spent: f64) {
        let times = &mut self.process(rank).times;
        times.communication += spent;
        times.latency += spent;
        self.observer.spent_overhead(rank, self.now, spent);
    }

    /// Executes the next step of the collective that the rank is in, or its next action.
    #[inline]
    fn next_operation(&mut self, rank: u32) -> Turned {
        let process = self.process(rank);
        if process.collects {
            return self.next_step(rank);
        }
        let (at, ends) = (process.next, process.ends);
        // A rank whose end waits for open requests comes here again.
        if at > 0 && !ends {
            self.observer.action_ended(rank, at - 1, self.now);
        }
        let process = self.process(rank);
        let mut began = at;
        let action = match process.actions.go_to(at) {
            Some(action) => {
                process.next = at + 1;
                action
            }
            None => match self.next_iteration(rank) {
                Some((first, action)) => {
                    began = first;
                    action
                }
                None => return self.end(rank),
            },
        };
        self.observer.action_began(rank, began, self.now);
        // The only call, so that it is compiled into this place.
        self.act(rank, action)
    }

    /// Moves a rank at the end of its cursor into the iteration that it runs next. Returns its first action, with its number;
    /// `None` if no iterations may be left out, or if none follows.
    #[cold]
    fn next_iteration(&mut self, rank: u32) -> Option<(usize, Action)> {
        if self.skip.is_none() || self.is_background(rank) {
            return None;
        }
        while self.pass_boundary(rank) {
            let process = self.process(rank);
            let at = process.next;
            if let Some(action) = process.actions.go_to(at) {
                process.next = at + 1;
                return Some((at, action));
            }
        }
        None
    }

    #[inline]
    fn act(&mut self, rank: u32, action: Action) -> Turned {
        match action {
            Action::Init | Action::Finalize | Action::NoOperation => Ok(GoesOn),
            Action::Compute { flops } if self.model.mpi.simulate_computation => self.compute(rank, flops),
            Action::Compute { .. } => Ok(GoesOn),
            Action::Sleep { seconds } => {
                if seconds <= 0.0 {
                    return Ok(GoesOn);
                }
                self.cpu.sleep(self.now, rank, seconds);
                self.block(rank, State::Sleeping)
            }
            Action::Send { to, tag, count, datatype } => {
                let bytes = u64::from(count) * datatype.size();
                self.send(rank, Send { to, tag, bytes, datatype, blocking: true, context: 0 })
            }
            Action::Isend { to, tag, count, datatype } => {
                let bytes = u64::from(count) * datatype.size();
                self.send(rank, Send { to, tag, bytes, datatype, blocking: false, context: 0 })
            }
            Action::Recv { from, tag, count: UNKNOWN_COUNT, datatype } => {
                self.probe(rank, Probe { from, tag, datatype, blocking: true })
            }
            Action::Irecv { from, tag, count: UNKNOWN_COUNT, datatype } => {
                self.probe(rank, Probe { from, tag, datatype, blocking: false })
            }
            Action::Recv { from, tag, count, datatype } => {
                let request = self.post_recv(rank, (from, tag, 0), u64::from(count) * datatype.size(), datatype)?;
                self.call(rank, Then::Wait(request))
            }
            Action::Irecv { from, tag, count, datatype } => {
                let request = self.post_recv(rank, (from, tag, 0), u64::from(count) * datatype.size(), datatype)?;
                self.remember(rank, from, rank, tag, request);
                self.call(rank, Then::Nothing)
            }
            Action::SendRecv { index } => self.sendrecv(rank, self.trace.sendrecvs[index as usize]),
            Action::Wait { source, destination, tag } => {
                match self.take_pending(rank, (source, destination, tag), "wait")? {
                    Some(Pending { request: Some(request), .. }) => self.wait(rank, request),
                    _ => Ok(GoesOn),
                }
            }
            Action::Test { source, destination, tag } => {
                match self.take_pending(rank, (source, destination, tag), "test")? {
                    Some(pending @ Pending { request: Some(_), .. }) => {
                        let duration = self.tests * self.model.mpi.test_time;
                        self.cpu.sleep(self.now, rank, duration);
                        self.block(rank, State::Testing(pending))
                    }
                    _ => Ok(GoesOn),
                }
            }
            Action::WaitAll => self.wait_for_everything(rank),
            Action::Collective { index } => self.enter_collective(rank, self.trace.collectives[index as usize]),
            Action::Start { .. }
            | Action::WaitRequest { .. }
            | Action::TestRequest { .. }
            | Action::Pick { .. }
            | Action::Put { .. }
            | Action::Accumulate { .. }
            | Action::Get { .. }
            | Action::Fence { .. }
            | Action::Flush { .. }
            | Action::Probe { .. }
            | Action::Iprobe { .. } => self.act_beside(rank, action),
        }
    }

    /// Executes non-blocking collectives, one-sided operations and probes, kept apart from the common actions of most
    /// traces.
    #[inline(never)]
    fn act_beside(&mut self, rank: u32, action: Action) -> Turned {
        match action {
            Action::Start { index, request } => self.start_collective(rank, index, request),
            Action::WaitRequest { request } => match self.take_started(rank, request, "wait_request")? {
                Some(background) => self.wait_for_background(rank, background),
                None => Ok(GoesOn),
            },
            Action::TestRequest { request } => self.test_request(rank, request),
            Action::Pick { nth } => {
                self.process(rank).picked = nth;
                Ok(GoesOn)
            }
            Action::Put { to: other, window, count, datatype }
            | Action::Accumulate { to: other, window, count, datatype } => {
                let bytes = u64::from(count) * datatype.size();
                self.one_sided(rank, OneSided { other, window, bytes, gets: false })
            }
            Action::Get { from: other, window, count, datatype } => {
                let bytes = u64::from(count) * datatype.size();
                self.one_sided(rank, OneSided { other, window, bytes, gets: true })
            }
            Action::Fence { window } => self.fence(rank, window),
            Action::Flush { window, to } => self.flush(rank, window, (to != ANY_TARGET).then_some(to)),
            Action::Probe { from, tag } => self.await_message(rank, from, tag),
            Action::Iprobe { .. } => self.look_once(rank),
            _ => Ok(GoesOn),
        }
    }

    /// Waits for everything that the rank has started. Background collectives progress whatever it waits for, so the
    /// order of the waits does not matter.
    pub(super) fn wait_for_everything(&mut self, rank: u32) -> Turned {
        if !self.process(rank).started.is_empty() && self.wait_for_backgrounds(rank)? == Blocks {
            return Ok(Blocks);
        }
        let process = self.process(rank);
        process.set.extend(process.pending.take_all().filter_map(|p| p.request));
        self.wait_all(rank)
    }

    /// Ends the trace of a rank; waits for requests that it never waited for, the last of each triple.
    fn end(&mut self, rank: u32) -> Turned {
        if self.graphs.as_ref().is_some_and(|graphs| graphs.runs(rank)) {
            return self.go_on_in_graph(rank);
        }
        let now = self.now;
        if self.is_background(rank) {
            return self.end_background(rank);
        }
        self.process(rank).ends = true;
        if self.wait_for_backgrounds(rank)? == Blocks {
            return Ok(Blocks);
        }
        self.finish_one_sided(rank, None, None);
        let process = self.process(rank);
        process.set.extend(process.pending.take_newest().filter_map(|p| p.request));
        if !process.set.is_empty() {
            process.set.reverse();
            return self.wait_all(rank);
        }
        process.times.end = now;
        process.state = State::Ended;
        if self.jobs.is_some()
            && let Some(turn) = self.next_round(rank)
        {
            return Ok(turn);
        }
        self.ended += 1;
        Ok(Blocks)
    }

    pub(super) fn compute(&mut self, rank: u32, flops: f64) -> Turned {
        // An empty computation takes no time, but with lockstep scheduling it costs the turns until the next event.
        if flops == 0.0 && !self.turns {
            return Ok(GoesOn);
        }
        self.cpu.prepare(rank, flops, f64::INFINITY);
        self.begin_computing(rank, if self.turns { CALLS_BEFORE_A_COMPUTATION } else { 0 }, None)
    }

    /// Begins the prepared computation of the rank, after `calls` other calls.
    #[inline]
    pub(super) fn begin_computing(&mut self, rank: u32, calls: u8, look: Option<Probe>) -> Turned {
        if calls > 0 {
            return self.call(rank, Then::Compute { calls: calls - 1, look });
        }
        self.cpu.begin(self.now, rank);
        self.block(rank, look.map_or(State::Computing, State::Probing))
    }
}
