//! One-sided communication and probes.
//!
//! A put is a message that its target need not receive: it starts immediately. A get sends an empty request message,
//! and the answer starts when that has arrived. A fence waits for the rank's own operations on the window and then for
//! all members, in a barrier; after it all operations are complete at both ends. Combining data at the target
//! (accumulate) takes no time there.

use super::error::ReplayError;
use super::observer::Observer;
use super::process::{OneSided, State, Then};
use super::run::{Turn::GoesOn, Turned};
use super::state::Engine;
use crate::mpi::messages::{Envelope, Request, Side};
use crate::network::Transfers;
use crate::trace::{CollectiveCall, CollectiveKind, CommunicatorId};

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// Begins an operation, which costs the rank as much as a non-blocking send.
    pub(super) fn one_sided(&mut self, rank: u32, operation: OneSided) -> Turned {
        let bytes = if operation.gets { 0 } else { operation.bytes };
        let overhead = self.model.mpi.isend_overhead.at(bytes);
        if overhead > 0.0 {
            self.cpu.sleep(self.now, rank, overhead);
            return self.block(rank, State::OneSidedOverhead(operation));
        }
        self.begin_one_sided(rank, operation)
    }

    /// Starts its message, or the request for it.
    #[inline(never)]
    pub(super) fn begin_one_sided(&mut self, rank: u32, operation: OneSided) -> Turned {
        let OneSided { other, window, bytes, gets } = operation;
        let request = if gets { self.ask(rank, other, bytes)? } else { self.put(rank, other, bytes)? };
        self.process(rank).one_sided.push((window, other, request));
        self.call(rank, Then::Nothing)
    }

    fn put(&mut self, rank: u32, other: u32, bytes: u64) -> Result<Request, ReplayError> {
        let envelope = Envelope::message(rank, other, 0);
        let request = self.messages.post_one_sided(envelope, bytes, Side::Send);
        if let Some(message) = request.message() {
            self.set_off(rank, envelope, message)?;
        }
        Ok(request)
    }

    fn ask(&mut self, rank: u32, other: u32, bytes: u64) -> Result<Request, ReplayError> {
        let (there, back) = (Envelope::message(rank, other, 0), Envelope::message(other, rank, 0));
        let question = self.messages.post_one_sided(there, 0, Side::Send);
        let answer = self.messages.post_one_sided(back, bytes, Side::Recv);
        if let (Some(question), Some(answer)) = (question.message(), answer.message()) {
            // No rank waits for the request; to observers, the answer begins with it.
            self.messages.release(question);
            let latency = self.start(rank, there, question)?;
            self.messages.begin(question, self.now, latency);
            self.messages.begin(answer, self.now, f64::INFINITY);
            self.observer.message_started(answer, rank, back, bytes, self.now);
            self.answers.insert(question, answer);
        }
        Ok(answer)
    }

    /// Handles an arrived message; if it was a request, the answer to it starts.
    #[inline(never)]
    pub(super) fn answer(&mut self, question: u32) -> Result<(), ReplayError> {
        let Some(answer) = self.answers.remove(&question) else { return Ok(()) };
        let envelope = self.messages.get(answer).envelope;
        let latency = self.start(envelope.destination, envelope, answer)?;
        self.messages.enters(answer, self.now + latency);
        Ok(())
    }

    /// Collects the rank's own operations in its set: those on a window and with a rank, or all.
    #[inline(never)]
    pub(super) fn finish_one_sided(&mut self, rank: u32, window: Option<CommunicatorId>, other: Option<u32>) {
        let process = self.process(rank);
        let set = &mut process.set;
        process.one_sided.retain(|&(of, with, request)| {
            let finishes = window.is_none_or(|window| of == window) && other.is_none_or(|other| with == other);
            if finishes {
                set.push(request);
            }
            !finishes
        });
    }

    /// Waits for the rank's own operations on a window.
    pub(super) fn flush(&mut self, rank: u32, window: CommunicatorId, other: Option<u32>) -> Turned {
        self.finish_one_sided(rank, Some(window), other);
        self.wait_all(rank)
    }

    /// Waits for the rank's own operations on a window, then for all members.
    #[inline(never)]
    pub(super) fn fence(&mut self, rank: u32, window: CommunicatorId) -> Turned {
        let barrier = CollectiveCall { communicator: window, ..CollectiveCall::empty(CollectiveKind::Barrier) };
        // The barrier is entered here, but its first step runs when the rank continues, after the wait.
        self.enter_collective(rank, barrier)?;
        self.flush(rank, window, None)
    }

    /// Waits until a message could be received: until its send is posted.
    #[inline(never)]
    pub(super) fn await_message(&mut self, rank: u32, from: u32, tag: i32) -> Turned {
        let envelope = Envelope::message(from, rank, tag);
        if self.messages.probe(envelope).is_some() {
            return self.call(rank, Then::Nothing);
        }
        self.watched_for += 1;
        self.block(rank, State::OnMessage(envelope))
    }

    /// A rank has posted a send: a receiver that waits for just that continues.
    #[cold]
    pub(super) fn message_is_there(&mut self, poster: u32, envelope: Envelope) {
        let rank = envelope.destination;
        let process = &mut self.processes[rank as usize];
        if matches!(process.state, State::OnMessage(awaited) if awaited == envelope)
            && self.messages.probe(envelope).is_some()
        {
            let waited = self.now - process.since;
            process.times.waiting += waited;
            process.state = State::Ready;
            self.watched_for -= 1;
            self.observer.released(rank, poster, self.now, waited);
            self.ready.push_back(rank);
        }
    }

    /// Looks once for a message, which takes the time of a look.
    pub(super) fn look_once(&mut self, rank: u32) -> Turned {
        let (mpi, speed) = (&self.model.mpi, self.cpu.speed(rank));
        let flops = mpi.probe_time * speed * mpi.probe_cpu_usage;
        if flops > 0.0 {
            self.cpu.compute(self.now, rank, flops, speed * mpi.probe_cpu_usage);
            return self.block(rank, State::Overhead);
        }
        Ok(GoesOn)
    }
}
