//! What a rank does at one instant, until it blocks.
//!
//! Usually a rank goes on until it blocks, then the next one does: whom a rank meets is decided by ranks and tags, not
//! by who is first, so the order does not matter. Tests and receives of unknown size are the exception: they share a
//! counter among all ranks; and so is SimGrid's incremental sharing, whose rates depend on who began first. There the ranks
//! take turns, one call into the message layer each, in the order of SimGrid 3.32.

use super::process::{Pending, Probe, Process, Send, State, Then};
use super::{Engine, Observer, Place, ReplayError};
use crate::ids::Rank;
use crate::mpi::collective::{Comm, Cursor, Step, Substitution};
use crate::mpi::messages::{Envelope, Posted, Request, Side};
use crate::network::sharing::Sharing;
use crate::trace::{Action, CollectiveCall, Counts, Datatype, SendRecv, UNKNOWN_COUNT};

/// Whether a rank can go on at this instant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    GoesOn,
    Blocks,
}
use Turn::{Blocks, GoesOn};

type Turned = Result<Turn, ReplayError>;

/// Room of a receive that takes whatever comes: those of collectives, and probed ones.
const ANY_SIZE: u64 = u64::MAX;

impl<'a, O: Observer, S: Sharing> Engine<'a, O, S> {
    #[inline]
    fn process(&mut self, rank: u32) -> &mut Process<'a> {
        &mut self.processes[rank as usize]
    }

    /// Lets a rank go on from where it stopped until it blocks or ends.
    pub(super) fn resume(&mut self, rank: u32) -> Result<(), ReplayError> {
        let mut turn = self.wake(rank)?;
        while turn == GoesOn {
            turn = self.next_operation(rank)?;
        }
        Ok(())
    }

    /// Notes that a rank stops here and for what.
    #[inline]
    fn block(&mut self, rank: u32, state: State) -> Turned {
        let now = self.now;
        let process = self.process(rank);
        process.since = now;
        process.state = state;
        Ok(Blocks)
    }

    /// A call into the message layer is done. Where ranks take turns it is the others' turn now.
    #[inline]
    fn call(&mut self, rank: u32, then: Then) -> Turned {
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
            Then::Look(pending) => self.look_at(rank, pending),
            Then::Probed { probe, found } => self.probed(rank, probe, found),
        }
    }

    /// Finishes what a rank was blocked in.
    fn wake(&mut self, rank: u32) -> Turned {
        let (now, one_by_one) = (self.now, self.one_by_one());
        let process = self.process(rank);
        let spent = now - process.since;
        match std::mem::replace(&mut process.state, State::Ready) {
            State::Ready => Ok(GoesOn),
            State::Ended => Ok(Blocks),
            State::Called(then) => self.go_on(rank, then),
            State::Computing | State::Sleeping => {
                process.times.compute += spent;
                self.observer.computed(rank, now, spent);
                Ok(GoesOn)
            }
            State::RecvOverhead => {
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
        }
    }

    /// A rank has spent time in calls, without waiting for anybody.
    #[inline]
    fn overhead(&mut self, rank: u32, spent: f64) {
        let times = &mut self.process(rank).times;
        times.communication += spent;
        times.latency += spent;
        self.observer.spent_overhead(rank, self.now, spent);
    }

    /// The next step of the collective that the rank is in, or its next action.
    #[inline]
    fn next_operation(&mut self, rank: u32) -> Turned {
        let process = self.process(rank);
        if process.collective.call.is_some() {
            return self.next_step(rank);
        }
        let at = process.next;
        if at > 0 {
            self.observer.action_ended(rank, at - 1, self.now);
        }
        let process = self.process(rank);
        let Some(action) = process.actions.get(at) else { return self.end(rank) };
        let action = *action;
        process.next = at + 1;
        self.observer.action_began(rank, at, self.now);
        self.act(rank, action)
    }

    #[inline]
    fn act(&mut self, rank: u32, action: Action) -> Turned {
        match action {
            Action::Init | Action::Finalize | Action::NoOperation => Ok(GoesOn),
            Action::Compute { flops } => self.compute(rank, flops),
            Action::Sleep { seconds } => {
                if seconds <= 0.0 {
                    return Ok(GoesOn);
                }
                self.cpu.sleep(self.now, rank, seconds);
                self.block(rank, State::Sleeping)
            }
            Action::Send { to, tag, count, datatype } => {
                let bytes = u64::from(count) * datatype.size();
                self.send(rank, Send { to, tag, bytes, datatype, blocking: true })
            }
            Action::Isend { to, tag, count, datatype } => {
                let bytes = u64::from(count) * datatype.size();
                self.send(rank, Send { to, tag, bytes, datatype, blocking: false })
            }
            Action::Recv { from, tag, count: UNKNOWN_COUNT, datatype } => {
                self.probe(rank, Probe { from, tag, datatype, blocking: true })
            }
            Action::Irecv { from, tag, count: UNKNOWN_COUNT, datatype } => {
                self.probe(rank, Probe { from, tag, datatype, blocking: false })
            }
            Action::Recv { from, tag, count, datatype } => {
                let request = self.post_recv(rank, from, tag, u64::from(count) * datatype.size(), datatype)?;
                self.call(rank, Then::Wait(request))
            }
            Action::Irecv { from, tag, count, datatype } => {
                let request = self.post_recv(rank, from, tag, u64::from(count) * datatype.size(), datatype)?;
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
            Action::WaitAll => {
                let process = self.process(rank);
                process.set.extend(process.pending.drain(..).filter_map(|p| p.request));
                self.wait_all(rank)
            }
            Action::Collective { index } => self.enter_collective(rank, index),
            other => Err(ReplayError::NoRequest { place: self.place(rank), operation: other.name() }),
        }
    }

    /// The trace of a rank is at its end; requests that it never asked for are waited for, the last of each triple.
    fn end(&mut self, rank: u32) -> Turned {
        let now = self.now;
        let process = self.process(rank);
        while let Some(last) = process.pending.pop() {
            let triple = |p: &Pending| (p.source, p.destination, p.tag);
            process.pending.retain(|p| triple(p) != triple(&last));
            process.set.extend(last.request);
        }
        if !process.set.is_empty() {
            process.set.reverse();
            return self.wait_all(rank);
        }
        process.times.end = now;
        process.state = State::Ended;
        self.ended += 1;
        Ok(Blocks)
    }

    fn compute(&mut self, rank: u32, flops: f64) -> Turned {
        // Nothing to do takes no time, but where ranks take turns it costs the turns until the next event.
        if flops == 0.0 && !self.turns {
            return Ok(GoesOn);
        }
        self.cpu.compute(self.now, rank, flops, f64::INFINITY);
        self.block(rank, State::Computing)
    }

    // ---- point-to-point -------------------------------------------------------------------------------------

    fn place(&self, rank: u32) -> Place {
        Place { rank, action: self.processes[rank as usize].current() }
    }

    fn remember(&mut self, rank: u32, source: u32, destination: u32, tag: i32, request: Request) {
        self.process(rank).pending.push(Pending { source, destination, tag, request: Some(request) });
    }

    /// Takes the oldest remembered request of a triple. None of that triple is no error, none at all is one.
    fn take_pending(
        &mut self,
        rank: u32,
        triple: (u32, u32, i32),
        operation: &'static str,
    ) -> Result<Option<Pending>, ReplayError> {
        let pending = &mut self.process(rank).pending;
        if pending.is_empty() {
            return Err(ReplayError::NoRequest { place: self.place(rank), operation });
        }
        let at = pending.iter().position(|p| (p.source, p.destination, p.tag) == triple);
        Ok(at.map(|at| pending.remove(at)))
    }

    #[inline]
    fn send(&mut self, rank: u32, send: Send) -> Turned {
        let mpi = &self.model.mpi;
        let overhead = match (send.blocking, send.bytes < mpi.detached_below) {
            (true, true) => mpi.send_overhead.at(send.bytes),
            (true, false) => 0.0,
            (false, _) => mpi.isend_overhead.at(send.bytes),
        };
        if overhead > 0.0 {
            self.cpu.sleep(self.now, rank, overhead);
            return self.block(rank, State::SendOverhead(send));
        }
        self.post_send(rank, send)
    }

    /// Posts a send. A blocking one waits unless it is detached; another one is remembered, by the collective or
    /// `sendRecv` that it belongs to or by the rank.
    #[inline]
    fn post_send(&mut self, rank: u32, send: Send) -> Turned {
        let Send { to, tag, bytes, datatype, blocking } = send;
        let envelope = Envelope { source: rank, destination: to, tag };
        let detached = bytes < self.model.mpi.detached_below;
        let posted = self.messages.post_send(envelope, bytes, datatype, detached);
        let request = self.posted(rank, envelope, posted)?;
        if bytes < self.model.mpi.async_below
            && let Ok(Posted { matched: None, message, .. }) = posted
        {
            let latency = self.start(rank, envelope, message)?;
            self.messages.begin_early(message, self.now, latency);
            self.observer.message_started(message, rank, envelope, bytes, self.now);
        }
        if blocking {
            return self.call(rank, Then::Wait(request));
        }
        let process = self.process(rank);
        if process.collective.call.is_some() {
            process.set.push(request);
        } else if is_sendrecv(process) {
            process.set.push(request);
            return self.call(rank, Then::SendRecvReceive);
        } else {
            self.remember(rank, rank, to, tag, request);
        }
        self.call(rank, Then::Nothing)
    }

    #[inline]
    fn post_recv(
        &mut self,
        rank: u32,
        from: u32,
        tag: i32,
        capacity: u64,
        datatype: Datatype,
    ) -> Result<Request, ReplayError> {
        let envelope = Envelope { source: from, destination: rank, tag };
        let posted = self.messages.post_recv(envelope, capacity, datatype);
        self.posted(rank, envelope, posted)
    }

    /// Starts the transfer if both halves are there.
    #[inline]
    fn posted(
        &mut self,
        rank: u32,
        envelope: Envelope,
        posted: Result<Posted, crate::mpi::messages::Mismatch>,
    ) -> Result<Request, ReplayError> {
        let posted = match posted {
            Ok(posted) => posted,
            Err(mismatch) => return Err(ReplayError::Mismatch { place: self.place(rank), envelope, mismatch }),
        };
        if let Some(id) = posted.matched {
            let latency = self.start(rank, envelope, id)?;
            self.messages.begin(id, self.now, latency);
            let bytes = self.messages.get(id).bytes;
            self.observer.message_started(id, rank, envelope, bytes, self.now);
        }
        Ok(posted.request)
    }

    /// Puts a message on its way. Returns its latency.
    #[inline]
    fn start(&mut self, rank: u32, envelope: Envelope, id: u32) -> Result<f64, ReplayError> {
        let bytes = self.messages.get(id).bytes;
        self.message_count += 1;
        self.byte_count += bytes;
        let from = self.layout.host(Rank(envelope.source));
        let to = self.layout.host(Rank(envelope.destination));
        self.network
            .start(self.now, from, to, bytes, id)
            .map_err(|error| ReplayError::NoRoute { place: self.place(rank), error })
    }

    /// Waits for one request.
    #[inline]
    fn wait(&mut self, rank: u32, request: Request) -> Turned {
        if request == Request::COMPLETE {
            return Ok(GoesOn);
        }
        if self.messages.is_complete(request) {
            return self.call(rank, Then::Finish(request));
        }
        self.messages.wait(request);
        self.block(rank, State::OnRequest(request))
    }

    /// Finishes a complete request; a receive may have to pay its overhead.
    #[inline]
    fn finish(&mut self, rank: u32, request: Request) -> Turned {
        match self.let_go(request) {
            None => Ok(GoesOn),
            Some(overhead) => {
                self.cpu.sleep(self.now, rank, overhead);
                self.block(rank, State::RecvOverhead)
            }
        }
    }

    /// Gives a complete request back; returns the overhead of a receive whose sender did not wait.
    #[inline]
    fn let_go(&mut self, request: Request) -> Option<f64> {
        let id = request.message()?;
        let message = self.messages.get(id);
        let overhead = match request.side() {
            Side::Recv if message.detached => self.model.mpi.recv_overhead.at(message.bytes),
            _ => 0.0,
        };
        self.messages.release(id);
        (overhead > 0.0).then_some(overhead)
    }

    /// Whether a wait-all finishes its requests one by one: where receives have an overhead, and where ranks take turns.
    #[inline]
    fn one_by_one(&self) -> bool {
        self.turns || !self.model.mpi.recv_overhead.is_none()
    }

    /// Waits for all requests of the rank's set.
    fn wait_all(&mut self, rank: u32) -> Turned {
        if self.one_by_one() {
            return self.wait_one_by_one(rank, false);
        }
        let mut left = 0;
        // The set is taken out and put back so that its memory serves again.
        let mut set = std::mem::take(&mut self.process(rank).set);
        for request in &set {
            if !self.messages.is_complete(*request) {
                self.messages.wait(*request);
                left += 1;
            }
        }
        let outcome = if left > 0 {
            self.block(rank, State::OnSet { left })
        } else {
            set.drain(..).filter_map(Request::message).for_each(|id| self.messages.release(id));
            Ok(GoesOn)
        };
        self.process(rank).set = set;
        outcome
    }

    /// The same, one by one: requests are finished in the order in which they complete, those complete at the same
    /// time in the order in which they were posted, sends that nobody waits for first. `woken`: the completion of one of
    /// them has ended the call that the rank was blocked in.
    fn wait_one_by_one(&mut self, rank: u32, mut woken: bool) -> Turned {
        loop {
            let set = &mut self.processes[rank as usize].set;
            set.retain(|r| *r != Request::COMPLETE);
            if set.is_empty() {
                return Ok(GoesOn);
            }
            let Some(at) = set.iter().position(|r| self.messages.is_complete(*r)) else {
                set.iter().for_each(|r| self.messages.wait(*r));
                return self.block(rank, State::OnSet { left: 1 });
            };
            let request = set.remove(at);
            if let Some(overhead) = self.let_go(request) {
                self.cpu.sleep(self.now, rank, overhead);
                return self.block(rank, State::SetOverhead);
            }
            if !std::mem::take(&mut woken) && self.turns {
                return self.call(rank, Then::WaitAll);
            }
        }
    }

    /// The time of a test has passed: is the request complete?
    fn look_at(&mut self, rank: u32, pending: Pending) -> Turned {
        let Some(request) = pending.request else { return Ok(GoesOn) };
        if self.messages.is_complete(request) {
            self.tests = 1.0;
            // The triple keeps an empty place: the wait or test that follows takes it and does nothing.
            self.process(rank).pending.push(Pending { request: None, ..pending });
            return self.finish(rank, request);
        }
        if self.model.mpi.growing_times {
            self.tests += 1.0;
        }
        self.process(rank).pending.push(pending);
        Ok(GoesOn)
    }

    /// A receive of unknown size polls until its message is there: it spends the time of a look.
    fn probe(&mut self, rank: u32, probe: Probe) -> Turned {
        let mpi = &self.model.mpi;
        let (time, usage) = (mpi.probe_time, mpi.probe_cpu_usage);
        let speed = self.cpu.speed(rank);
        self.cpu.compute(self.now, rank, self.probes * time * speed * usage, speed * usage);
        self.block(rank, State::Probing(probe))
    }

    /// The look has ended: the receive is posted, or looks again.
    fn probed(&mut self, rank: u32, probe: Probe, found: bool) -> Turned {
        if !found {
            if self.model.mpi.growing_times {
                self.probes += 1.0;
            }
            return self.probe(rank, probe);
        }
        self.probes = 1.0;
        let Probe { from, tag, datatype, blocking } = probe;
        let request = self.post_recv(rank, from, tag, ANY_SIZE, datatype)?;
        if blocking {
            return self.call(rank, Then::Wait(request));
        }
        self.remember(rank, from, rank, tag, request);
        self.call(rank, Then::Nothing)
    }

    // ---- combined send and receive --------------------------------------------------------------------------

    fn sendrecv(&mut self, rank: u32, call: SendRecv) -> Turned {
        if call.to == rank && call.from == rank {
            return Ok(GoesOn);
        }
        let bytes = u64::from(call.send_count) * call.send_type.size();
        self.send(rank, Send { to: call.to, tag: 0, bytes, datatype: call.send_type, blocking: false })
    }

    /// The send half is posted; now the receive half, then both are waited for.
    fn sendrecv_receive(&mut self, rank: u32) -> Turned {
        let process = self.process(rank);
        let Some(Action::SendRecv { index }) = process.actions.get(process.current()).copied() else {
            return Ok(GoesOn);
        };
        let call = self.trace.sendrecvs[index as usize];
        let capacity = u64::from(call.recv_count) * call.recv_type.size();
        let request = self.post_recv(rank, call.from, 0, capacity, call.recv_type)?;
        self.process(rank).set.push(request);
        self.call(rank, Then::WaitAll)
    }

    // ---- collectives ----------------------------------------------------------------------------------------

    fn enter_collective(&mut self, rank: u32, index: u32) -> Turned {
        let call = self.trace.collectives[index as usize];
        let process = &mut self.processes[rank as usize];
        let progress = &mut process.collective;
        progress.call = Some(call);
        progress.stage = 0;
        progress.cursor = Cursor::default();
        progress.steps.clear();
        progress.step = 0;
        progress.stages.clear();
        let substitution = self.model.collectives.plan(
            &call,
            &self.trace.counts,
            self.layout,
            rank,
            &mut process.smp,
            &mut progress.stages,
        );
        if let Some(Substitution { text, .. }) = substitution
            && !self.substitutions.contains(&text)
        {
            self.substitutions.push(text);
        }
        Ok(GoesOn)
    }

    /// The next step of the stage at work; after the last stage, the flops of the operation.
    fn next_step(&mut self, rank: u32) -> Turned {
        loop {
            let progress = &mut self.processes[rank as usize].collective;
            let Some(stage) = progress.stages.get(progress.stage) else {
                let flops = progress.call.take().map_or(0.0, |call| call.flops);
                return if flops == 0.0 { Ok(GoesOn) } else { self.compute(rank, flops) };
            };
            if let Some(step) = progress.steps.get(progress.step) {
                progress.step += 1;
                let (step, tag, comm) = (*step, stage.tag, stage.comm);
                return self.step(rank, step, tag, comm);
            }
            progress.steps.clear();
            progress.step = 0;
            if progress.cursor.done {
                progress.cursor = Cursor::default();
                progress.stage += 1;
                continue;
            }
            let (trace, layout) = (self.trace, self.layout);
            let counts = |counts: fn(&CollectiveCall) -> Counts| match &progress.call {
                Some(call) => trace.counts(counts(call)),
                None => &[],
            };
            let scope = stage.scope(layout, rank, counts(|c| c.send_counts), counts(|c| c.recv_counts));
            (stage.algorithm.steps)(&scope, &mut progress.cursor, &mut progress.steps);
        }
    }

    #[inline]
    fn step(&mut self, rank: u32, step: Step, tag: i32, comm: Comm) -> Turned {
        let layout = self.layout;
        let world = |peer: u32| comm.rank_of(layout, rank, peer);
        let datatype = Datatype::BYTE;
        match step {
            Step::Send { to, bytes } => self.send(rank, Send { to: world(to), tag, bytes, datatype, blocking: true }),
            Step::Isend { to, bytes } => self.send(rank, Send { to: world(to), tag, bytes, datatype, blocking: false }),
            Step::Recv { from } => {
                let request = self.post_recv(rank, world(from), tag, ANY_SIZE, datatype)?;
                self.call(rank, Then::Wait(request))
            }
            Step::Irecv { from } => {
                let request = self.post_recv(rank, world(from), tag, ANY_SIZE, datatype)?;
                self.process(rank).set.push(request);
                self.call(rank, Then::Nothing)
            }
            Step::Wait { nth } => {
                let request = self.process(rank).set.remove(nth as usize);
                self.wait(rank, request)
            }
            Step::WaitAll => self.wait_all(rank),
        }
    }
}

/// Whether the action at work is a combined send and receive.
#[inline]
fn is_sendrecv(process: &Process<'_>) -> bool {
    matches!(process.actions.get(process.current()), Some(Action::SendRecv { .. }))
}
