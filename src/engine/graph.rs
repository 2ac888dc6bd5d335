//! Ranks whose program is a graph of operations.
//!
//! Graphs are the second kind of program besides lists, with the same operations to post and to compute. A rank has a
//! process for each stream that its operations name; stream 0 is the rank itself, and the others are numbered after the
//! ranks, as background collectives are. A stream takes the operations that have become ready for it one after another:
//! a calculation occupies it until it ends, a send for its overhead, a receive for its overhead once the message has
//! arrived. Any number of messages are under way meanwhile. Each further stream of a rank adds a core to its host: a
//! schedule names the cores that the rank has.
//!
//! A replay of lists never runs this code: it is entered where a process has no action left, and where a message of
//! this context arrives.
//!
//! Messages match by source, destination and tag, first in, first out, as in LogGOPSim (Hoefler, Schneider, Lumsdaine:
//! LogGOPSim - Simulating Large-Scale Applications in the LogGOPS Model, HPDC 2010, section 2); a receive has room for
//! any size.

use super::error::ReplayError;
use super::graphs::{AwaitedByGraph, CONTEXT, Clock, Graphs, NONE, Phase, Stream};
use super::observer::{Observer, Wakening};
use super::point_to_point::ANY_SIZE;
use super::process::{Process, State};
use super::run::{Turn::Blocks, Turn::GoesOn, Turned};
use super::state::Engine;
use crate::mpi::messages::{Envelope, Progress, Request};
use crate::network::Transfers;
use crate::trace::Datatype;
use crate::trace::actions::ActionCursor;
use crate::trace::schedule::OperationKind;
use rustc_hash::FxHashMap;

/// Reason why an idle stream continues.
#[derive(Clone, Copy)]
enum Cause {
    /// A message arrived.
    Message(u32),
    /// An operation of this or another stream began or ended.
    Stream(u32),
}

impl<'a, O: Observer + ?Sized, N: Transfers> Engine<'a, O, N> {
    /// Takes over the graphs of a trace that has them.
    pub(super) fn take_graphs(&mut self) {
        let Some(schedule) = self.trace.schedule.as_deref() else { return };
        let ranks = schedule.ranks.len() as u32;
        let mut graphs = Graphs {
            schedule,
            left: schedule.ranks.iter().map(|graph| graph.waits()).collect(),
            open: schedule.ranks.iter().map(|graph| graph.len() as u32).collect(),
            clocks: vec![Clock::default(); ranks as usize],
            streams: (0..ranks).map(|rank| Stream { rank, ..Stream::default() }).collect(),
            processes: FxHashMap::default(),
            waiting: Vec::new(),
        };
        for (rank, graph) in (0..).zip(&schedule.ranks) {
            for (number, operation) in (0..).zip(graph.operations()) {
                let process = match operation.stream {
                    0 => rank,
                    stream => *graphs.processes.entry((rank, stream)).or_insert_with(|| {
                        let process = self.processes.len() as u32;
                        self.processes.push(Process::new(rank, ActionCursor::All(&[])));
                        self.cpu.lodge(process, rank, true);
                        self.cpu.add_core(rank);
                        graphs.streams.push(Stream { rank, ..Stream::default() });
                        self.observer.background_began(process, rank, self.now);
                        self.ready.push_back(process);
                        process
                    }),
                };
                if graphs.left[rank as usize][number as usize] == 0 {
                    graphs.streams[process as usize].ready.push_back(number);
                }
            }
        }
        self.graphs = Some(Box::new(graphs));
    }

    fn graphs(&mut self) -> &mut Graphs<'a> {
        self.graphs.as_mut().expect("only processes of graphs come here")
    }

    /// Runs a stream until it is occupied, or has nothing to do.
    #[inline(never)]
    pub(super) fn go_on_in_graph(&mut self, process: u32) -> Turned {
        loop {
            let stream = &mut self.graphs().streams[process as usize];
            let rank = stream.rank;
            if let Some((operation, phase)) = stream.at_work.take() {
                self.change(rank, |clock| match phase {
                    Phase::Calculates => clock.calculating -= 1,
                    Phase::Sends | Phase::Receives => clock.in_overhead -= 1,
                });
                match phase {
                    Phase::Sends => self.post_send_of_graph(process, operation)?,
                    Phase::Calculates | Phase::Receives => {
                        self.operation_ended(rank, operation, Cause::Stream(process));
                    }
                }
                continue;
            }
            if let Some((operation, seconds)) = stream.arrived.pop_front() {
                return self.occupy(process, operation, Phase::Receives, seconds);
            }
            let Some(operation) = stream.ready.pop_front() else {
                stream.idle = true;
                if self.graphs().open[rank as usize] == 0 {
                    return self.end_of_graph(process);
                }
                return self.block(process, State::Idle);
            };
            if self.begin_operation(process, operation)? == Blocks {
                return Ok(Blocks);
            }
        }
    }

    /// Ends a rank whose operations have all ended.
    fn end_of_graph(&mut self, process: u32) -> Turned {
        // The last operation may have ended on another stream, which has ended the rank.
        self.processes[process as usize].state = State::Ended;
        Ok(Blocks)
    }

    fn change(&mut self, rank: u32, what: impl FnOnce(&mut Clock)) {
        let now = self.now;
        let clock = &mut self.graphs().clocks[rank as usize];
        clock.pass(now);
        what(clock);
    }

    /// Makes an operation occupy its stream for `seconds`.
    fn occupy(&mut self, process: u32, operation: u32, phase: Phase, seconds: f64) -> Turned {
        let stream = &mut self.graphs().streams[process as usize];
        let rank = stream.rank;
        stream.at_work = Some((operation, phase));
        self.change(rank, |clock| clock.in_overhead += 1);
        self.cpu.sleep(self.now, process, seconds);
        self.block(process, State::Overhead)
    }

    fn begin_operation(&mut self, process: u32, number: u32) -> Turned {
        let rank = self.graphs().streams[process as usize].rank;
        let schedule = self.graphs().schedule;
        let operation = *schedule.ranks[rank as usize].operation(number);
        self.free(rank, number, true, Cause::Stream(process));
        match operation.kind {
            OperationKind::Calculate => {
                let flops = (operation.size as f64 * schedule.flops_per_nanosecond).min(f64::MAX);
                if flops == 0.0 || !self.model.mpi.simulate_computation {
                    self.operation_ended(rank, number, Cause::Stream(process));
                    return Ok(GoesOn);
                }
                self.graphs().streams[process as usize].at_work = Some((number, Phase::Calculates));
                self.change(rank, |clock| clock.calculating += 1);
                self.cpu.compute(self.now, process, flops, f64::INFINITY);
                self.block(process, State::Computing)
            }
            OperationKind::Send => {
                let overhead = self.model.mpi.isend_overhead.at(operation.size);
                if overhead > 0.0 {
                    return self.occupy(process, number, Phase::Sends, overhead);
                }
                self.post_send_of_graph(process, number)?;
                Ok(GoesOn)
            }
            OperationKind::Receive => {
                let envelope = envelope(operation.peer, rank, operation.tag);
                let posted = self.messages.post_recv(envelope, ANY_SIZE, Datatype::BYTE);
                let begins = posted.as_ref().is_ok_and(|posted| posted.matched.is_some());
                let request = self.posted(process, envelope, posted)?;
                let message = request.message().unwrap_or(NONE);
                if self.messages.is_complete(request) {
                    self.received(rank, number, message);
                    return Ok(GoesOn);
                }
                self.messages.wait(request);
                self.graphs().wait(message, 1, number);
                if begins {
                    self.travels(message);
                } else if self.messages.get(message).progress == Progress::Travelling {
                    // Its departure was counted before.
                    self.change(rank, |clock| clock.travelling += 1);
                }
                Ok(GoesOn)
            }
        }
    }

    fn post_send_of_graph(&mut self, process: u32, number: u32) -> Result<(), ReplayError> {
        let rank = self.graphs().streams[process as usize].rank;
        let operation = *self.graphs().schedule.ranks[rank as usize].operation(number);
        let (bytes, mpi) = (operation.size, &self.model.mpi);
        let envelope = envelope(rank, operation.peer, operation.tag);
        let (detached, early) = (bytes < mpi.detached_below, bytes < mpi.async_below);
        let posted = self.messages.post_send(envelope, bytes, Datatype::BYTE, detached);
        self.request(bytes, posted);
        let request = self.posted(process, envelope, posted)?;
        let Ok(posted) = posted else { return Ok(()) };
        if early && posted.matched.is_none() {
            let latency = self.start(process, envelope, posted.message)?;
            self.messages.begin_early(posted.message, self.now, latency);
            self.observer.message_started(posted.message, process, envelope, bytes, self.now);
        }
        if request != Request::COMPLETE {
            self.messages.wait(request);
            self.graphs().wait(posted.message, 0, number);
        }
        if posted.matched.is_some() {
            self.travels(posted.message);
        }
        if request == Request::COMPLETE {
            self.operation_ended(rank, number, Cause::Stream(process));
        }
        Ok(())
    }

    /// Counts a message that departs at both of its ends.
    fn travels(&mut self, message: u32) {
        let Envelope { source, destination, .. } = self.messages.get(message).envelope;
        let waiting = self.graphs().waiting.get(message as usize).copied().unwrap_or([NONE; 2]);
        for (rank, operation) in [source, destination].into_iter().zip(waiting) {
            if operation != NONE {
                self.change(rank, |clock| clock.travelling += 1);
            }
        }
    }

    /// Handles the arrival of a message of graphs.
    #[inline(never)]
    pub(super) fn arrived_in_graph(&mut self, message: u32) {
        let Some(waiting) = self.graphs().waiting.get_mut(message as usize) else { return };
        // Both ends are notified together, though the message is announced once to each.
        let [sender, receiver] = std::mem::replace(waiting, [NONE; 2]);
        let Envelope { source, destination, .. } = self.messages.get(message).envelope;
        let (started, entered) = (self.messages.get(message).started, self.messages.get(message).entered);
        for (rank, operation) in [(source, sender), (destination, receiver)] {
            if operation == NONE {
                continue;
            }
            let now = self.now;
            let clock = &mut self.graphs().clocks[rank as usize];
            let since = clock.since;
            if clock.calculating + clock.in_overhead == 0 {
                // The part of the latency since the last change of the rank's activity.
                clock.times.latency += (entered.min(now) - started.max(since)).clamp(0.0, now - since);
            }
            self.change(rank, |clock| clock.travelling -= 1);
        }
        if sender != NONE {
            self.messages.release(message);
            self.operation_ended(source, sender, Cause::Message(message));
        }
        if receiver != NONE {
            self.received(destination, receiver, message);
        }
    }

    /// Handles the message of a receive; its overhead, if any, is still to be spent.
    fn received(&mut self, rank: u32, number: u32, message: u32) {
        let arrived = self.messages.get(message);
        let overhead = if arrived.detached { self.model.mpi.recv_overhead.at(arrived.bytes) } else { 0.0 };
        if overhead > 0.0 {
            let graphs = self.graphs();
            let process = graphs.process_of(rank, number);
            graphs.streams[process as usize].arrived.push_back((number, overhead));
            self.wake_stream(process, Cause::Message(message));
        } else {
            self.operation_ended(rank, number, Cause::Message(message));
        }
        self.messages.release(message);
    }

    /// Ends an operation, and its rank after the last one.
    fn operation_ended(&mut self, rank: u32, number: u32, cause: Cause) {
        self.free(rank, number, false, cause);
        let now = self.now;
        let graphs = self.graphs();
        graphs.open[rank as usize] -= 1;
        if graphs.open[rank as usize] == 0 {
            self.tell_end(rank, number, cause);
            let graphs = self.graphs();
            let clock = &mut graphs.clocks[rank as usize];
            clock.pass(now);
            clock.times.end = now;
            let times = clock.times;
            let process = &mut self.processes[rank as usize];
            process.times = times;
            process.state = State::Ended;
            self.ended += 1;
        }
    }

    /// Notifies the operations that depend on the start, or on the end, of an operation.
    fn free(&mut self, rank: u32, number: u32, start: bool, cause: Cause) {
        let schedule = self.graphs().schedule;
        for dependant in schedule.ranks[rank as usize].dependants(number) {
            if dependant.on_start() != start {
                continue;
            }
            let graphs = self.graphs();
            let left = &mut graphs.left[rank as usize][dependant.operation() as usize];
            *left -= 1;
            if *left == 0 {
                let process = graphs.process_of(rank, dependant.operation());
                graphs.streams[process as usize].ready.push_back(dependant.operation());
                self.wake_stream(process, cause);
            }
        }
    }

    /// Makes a stream ready if it was idle.
    fn wake_stream(&mut self, process: u32, cause: Cause) {
        if !std::mem::replace(&mut self.graphs().streams[process as usize].idle, false) {
            return;
        }
        self.tell_cause(process, cause);
        self.processes[process as usize].state = State::Ready;
        self.ready.push_back(process);
    }

    /// Reports why an idle stream continues, or ends, to the observer.
    fn tell_cause(&mut self, process: u32, cause: Cause) {
        let (now, since) = (self.now, self.processes[process as usize].since);
        match cause {
            Cause::Message(message) => {
                let (started, entered) = (self.messages.get(message).started, self.messages.get(message).entered);
                self.observer.woken(process, Wakening { message, since, started, entered, time: now });
            }
            Cause::Stream(by) if by != process => self.observer.released(process, by, now, now - since),
            Cause::Stream(_) => {}
        }
    }

    /// Reports what ended the last operation of a rank to the observer, since no stream of the rank continues after it.
    fn tell_end(&mut self, rank: u32, number: u32, cause: Cause) {
        let process = self.graphs().process_of(rank, number);
        if self.graphs().streams[process as usize].idle {
            self.tell_cause(process, cause);
        }
        if process != rank && self.graphs().streams[rank as usize].idle {
            self.tell_cause(rank, Cause::Stream(process));
        }
    }

    /// Returns the first operation of a rank that can never begin, if there is one.
    pub(super) fn stuck_operation(&self, rank: u32) -> Option<usize> {
        let graphs = self.graphs.as_ref()?;
        graphs.left[rank as usize].iter().position(|left| *left > 0)
    }

    /// Returns the operations of each rank that wait for messages; nothing without graphs.
    pub(super) fn awaited_by_graphs(&self) -> Vec<AwaitedByGraph> {
        let Some(graphs) = &self.graphs else { return Vec::new() };
        let mut awaited = vec![AwaitedByGraph::default(); graphs.open.len()];
        for (message, &[sender, receiver]) in (0..).zip(&graphs.waiting) {
            if sender == NONE && receiver == NONE {
                continue;
            }
            let envelope = self.messages.get(message).envelope;
            if receiver != NONE {
                let awaited = &mut awaited[envelope.destination as usize];
                awaited.messages.push((envelope, false));
                awaited.wait(receiver);
            }
            // Report a message from a rank to itself only once.
            if sender != NONE && (receiver == NONE || envelope.source != envelope.destination) {
                let awaited = &mut awaited[envelope.source as usize];
                awaited.messages.push((envelope, true));
                awaited.wait(sender);
            }
        }
        awaited
    }
}

fn envelope(source: u32, destination: u32, tag: u32) -> Envelope {
    // All bits count; the context keeps these tags apart from those of collectives.
    Envelope { source, destination, tag: tag as i32, context: CONTEXT }
}
