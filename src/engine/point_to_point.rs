//! Sends, receives and the waits for them.

use super::error::{Place, ReplayError};
use super::observer::Observer;
use super::process::{Pending, Probe, Process, Send, State, Then};
use super::run::{CALLS_BEFORE_A_LOOK, Turn::GoesOn, Turned};
use super::state::Engine;
use crate::ids::{HostId, Rank};
use crate::mpi::messages::{Envelope, Mismatch, Posted, Request, Side};
use crate::network::{Handshake, Transfers};
use crate::trace::{Action, Datatype, SendRecv, Triple};

/// Size of a receive that accepts any message: those of collectives, and probed ones.
pub(super) const ANY_SIZE: u64 = u64::MAX;

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    pub(super) fn place(&self, rank: u32) -> Place {
        let owner = self.processes[rank as usize].owner;
        Place { rank: owner, action: self.processes[owner as usize].current() }
    }

    pub(super) fn remember(&mut self, rank: u32, source: u32, destination: u32, tag: i32, request: Request) {
        self.process(rank).pending.push(Pending { source, destination, tag, request: Some(request) });
    }

    /// Takes the oldest pending request of a triple, or another one that the rank has picked. It is an error only if there
    /// is no pending request at all.
    pub(super) fn take_pending(
        &mut self,
        rank: u32,
        triple: Triple,
        operation: &'static str,
    ) -> Result<Option<Pending>, ReplayError> {
        let process = self.process(rank);
        let nth = std::mem::take(&mut process.picked) as usize;
        let pending = &mut process.pending;
        if pending.is_empty() {
            return Err(ReplayError::NoRequest { place: self.place(rank), operation });
        }
        Ok(pending.take(triple, nth))
    }

    #[inline]
    pub(super) fn send(&mut self, rank: u32, send: Send) -> Turned {
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

    /// Posts a send. A blocking one waits unless it is detached; a non-blocking one is remembered, by the collective or
    /// `sendRecv` that it belongs to or by the rank.
    #[inline]
    pub(super) fn post_send(&mut self, rank: u32, send: Send) -> Turned {
        let Send { to, tag, bytes, datatype, blocking, context } = send;
        let source = self.processes[rank as usize].owner;
        let envelope = Envelope { source, destination: to, tag, context };
        let detached = bytes < self.model.mpi.detached_below;
        let posted = self.messages.post_send(envelope, bytes, datatype, detached);
        self.request(bytes, posted);
        let request = self.posted(rank, envelope, posted)?;
        if bytes < self.model.mpi.async_below
            && let Ok(Posted { matched: None, message, .. }) = posted
        {
            let latency = self.start(rank, envelope, message)?;
            self.messages.begin_early(message, self.now, latency);
            self.observer.message_started(message, rank, envelope, bytes, self.now);
        }
        if self.watched_for > 0 && context == 0 {
            self.message_is_there(rank, envelope);
        }
        if blocking {
            return self.call(rank, Then::Wait(request));
        }
        let process = self.process(rank);
        if process.collects {
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
    pub(super) fn post_recv(
        &mut self,
        rank: u32,
        (source, tag, context): (u32, i32, u32),
        capacity: u64,
        datatype: Datatype,
    ) -> Result<Request, ReplayError> {
        let destination = self.processes[rank as usize].owner;
        let envelope = Envelope { source, destination, tag, context };
        let posted = self.messages.post_recv(envelope, capacity, datatype);
        self.posted(rank, envelope, posted)
    }

    /// Starts the transfer if both send and receive are posted.
    #[inline(always)] // Into its two callers: a call would cost as much as the rest.
    pub(super) fn posted(
        &mut self,
        rank: u32,
        envelope: Envelope,
        posted: Result<Posted, Mismatch>,
    ) -> Result<Request, ReplayError> {
        let posted = match posted {
            Ok(posted) => posted,
            Err(mismatch) => return Err(ReplayError::Mismatch { place: self.place(rank), envelope, mismatch }),
        };
        if let Some(id) = posted.matched {
            if self.model.mpi.rendezvous_trips > 0 {
                self.shake_hands(rank, envelope, id)?;
            } else {
                self.set_off(rank, envelope, id)?;
            }
        }
        Ok(posted.request)
    }

    /// Handles a posted send: if control messages precede its data, the first of them leaves now.
    #[inline(always)] // Most models have no control messages.
    pub(super) fn request(&mut self, bytes: u64, posted: Result<Posted, Mismatch>) {
        if self.model.mpi.rendezvous_trips > 0 {
            self.request_now(bytes, posted);
        }
    }

    #[cold]
    #[inline(never)]
    fn request_now(&mut self, bytes: u64, posted: Result<Posted, Mismatch>) {
        if self.model.mpi.shakes_hands(bytes)
            && let Ok(Posted { message, .. }) = posted
        {
            self.messages.request(message, self.now);
        }
    }

    /// Starts a message that has met its receive, after its control messages if it has some.
    #[cold]
    fn shake_hands(&mut self, rank: u32, envelope: Envelope, id: u32) -> Result<(), ReplayError> {
        let (bytes, requested) = (self.messages.get(id).bytes, self.messages.get(id).started);
        if !self.model.mpi.shakes_hands(bytes) {
            return self.set_off(rank, envelope, id);
        }
        let handshake = Handshake { trips: self.model.mpi.rendezvous_trips, requested };
        let (hosts, stream) = self.ends_of(envelope);
        self.message_count += 1;
        self.byte_count = self.byte_count.saturating_add(bytes);
        let latency = self
            .network
            .start_after(handshake, self.now, hosts, stream, bytes, id)
            .map_err(|error| ReplayError::NoRoute { place: self.place(rank), error })?;
        self.messages.begin(id, self.now, latency);
        self.observer.message_started(id, rank, envelope, bytes, self.now);
        Ok(())
    }

    /// Returns hosts and ranks of a message, the sender's first.
    #[inline]
    fn ends_of(&self, envelope: Envelope) -> ((HostId, HostId), (u32, u32)) {
        let Envelope { source, destination, .. } = envelope;
        ((self.rank_map.host(Rank(source)), self.rank_map.host(Rank(destination))), (source, destination))
    }

    /// Starts a message that needs nothing more.
    #[inline]
    pub(super) fn set_off(&mut self, rank: u32, envelope: Envelope, id: u32) -> Result<(), ReplayError> {
        let latency = self.start(rank, envelope, id)?;
        self.messages.begin(id, self.now, latency);
        let bytes = self.messages.get(id).bytes;
        self.observer.message_started(id, rank, envelope, bytes, self.now);
        Ok(())
    }

    /// Hands a message to the network. Returns its latency.
    #[inline]
    pub(super) fn start(&mut self, rank: u32, envelope: Envelope, id: u32) -> Result<f64, ReplayError> {
        let bytes = self.messages.get(id).bytes;
        self.message_count += 1;
        self.byte_count = self.byte_count.saturating_add(bytes);
        let (hosts, stream) = self.ends_of(envelope);
        self.network
            .start(self.now, hosts, stream, bytes, id)
            .map_err(|error| ReplayError::NoRoute { place: self.place(rank), error })
    }

    /// Waits for one request.
    #[inline]
    pub(super) fn wait(&mut self, rank: u32, request: Request) -> Turned {
        if request == Request::COMPLETE {
            return Ok(GoesOn);
        }
        if self.messages.is_complete(request) {
            return self.call(rank, Then::Finish(request));
        }
        self.messages.wait(request);
        if self.turns {
            self.cpu.waits(rank);
        }
        self.block(rank, State::OnRequest(request))
    }

    /// Finishes a complete request; a receive may have to pay its overhead.
    #[inline]
    pub(super) fn finish(&mut self, rank: u32, request: Request) -> Turned {
        match self.let_go(request) {
            None => Ok(GoesOn),
            Some(overhead) => {
                self.cpu.sleep(self.now, rank, overhead);
                self.block(rank, State::Overhead)
            }
        }
    }

    /// Releases a complete request; returns the overhead of a receive whose sender did not wait.
    #[inline]
    pub(super) fn let_go(&mut self, request: Request) -> Option<f64> {
        let id = request.message()?;
        let message = self.messages.get(id);
        let overhead = match request.side() {
            Side::Recv if message.detached => self.model.mpi.recv_overhead.at(message.bytes),
            _ => 0.0,
        };
        self.messages.release(id);
        (overhead > 0.0).then_some(overhead)
    }

    /// Waits for all requests of the rank's set.
    pub(super) fn wait_all(&mut self, rank: u32) -> Turned {
        if self.one_by_one {
            return self.wait_one_by_one(rank, false);
        }
        let mut left = 0;
        // The set is taken out and put back to reuse its memory.
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

    /// Waits for all requests of the rank's set, one by one: requests are finished in the order in which they complete,
    /// those complete at the same time in the order in which they were posted, sends that no rank waits for first.
    /// `woken`: the completion of one of them has ended the call that the rank was blocked in.
    pub(super) fn wait_one_by_one(&mut self, rank: u32, mut woken: bool) -> Turned {
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

    /// Checks, once the time of a test has passed, whether the request is complete.
    pub(super) fn look_at(&mut self, rank: u32, pending: Pending) -> Turned {
        let Some(request) = pending.request else { return Ok(GoesOn) };
        if self.messages.is_complete(request) {
            self.tests = 1.0;
            // The triple keeps an empty entry: the wait or test that follows takes it and does nothing.
            self.process(rank).pending.push(Pending { request: None, ..pending });
            return self.finish(rank, request);
        }
        if self.model.mpi.growing_times {
            self.tests += 1.0;
        }
        self.process(rank).pending.push(pending);
        Ok(GoesOn)
    }

    /// Polls for the message of a receive of unknown size: spends the time of a look.
    pub(super) fn probe(&mut self, rank: u32, probe: Probe) -> Turned {
        let mpi = &self.model.mpi;
        let (time, usage) = (mpi.probe_time, mpi.probe_cpu_usage);
        let speed = self.cpu.speed(rank);
        self.cpu.prepare(rank, self.probes * time * speed * usage, speed * usage);
        // Polling implies lockstep scheduling.
        self.begin_computing(rank, CALLS_BEFORE_A_LOOK, Some(probe))
    }

    /// Ends a look: the receive is posted, or looks again.
    pub(super) fn probed(&mut self, rank: u32, probe: Probe, found: bool) -> Turned {
        if !found {
            if self.model.mpi.growing_times {
                self.probes += 1.0;
            }
            return self.probe(rank, probe);
        }
        self.probes = 1.0;
        let Probe { from, tag, datatype, blocking } = probe;
        let request = self.post_recv(rank, (from, tag, 0), ANY_SIZE, datatype)?;
        if blocking {
            return self.call(rank, Then::Wait(request));
        }
        self.remember(rank, from, rank, tag, request);
        self.call(rank, Then::Nothing)
    }

    pub(super) fn sendrecv(&mut self, rank: u32, call: SendRecv) -> Turned {
        if call.to == rank && call.from == rank {
            return Ok(GoesOn);
        }
        let bytes = u64::from(call.send_count) * call.send_type.size();
        self.send(rank, Send { to: call.to, tag: 0, bytes, datatype: call.send_type, blocking: false, context: 0 })
    }

    /// Posts the receive of a combined send and receive after its send, then waits for both.
    pub(super) fn sendrecv_receive(&mut self, rank: u32) -> Turned {
        let process = self.process(rank);
        let Some(Action::SendRecv { index }) = process.actions.get(process.current()).copied() else {
            return Ok(GoesOn);
        };
        let call = self.trace.sendrecvs[index as usize];
        let capacity = u64::from(call.recv_count) * call.recv_type.size();
        let request = self.post_recv(rank, (call.from, 0, 0), capacity, call.recv_type)?;
        self.process(rank).set.push(request);
        self.call(rank, Then::WaitAll)
    }
}

/// `true` if the current action is a combined send and receive.
#[inline]
fn is_sendrecv(process: &Process<'_>) -> bool {
    matches!(process.actions.get(process.current()), Some(Action::SendRecv { .. }))
}
