//! Replays under the LogGOPS model, which has processors and network cards but no links.
//!
//! A message of s bytes occupies the processor of its sender for o + (s-1) O and its card for g + (s-1) G. Its first
//! byte reaches the receiver o + L after the send begins; there it waits until processor and card are free, and
//! occupies them for o + (s-1) max(O, G) and g + (s-1) G, whether its receive is posted or not. They are those with the
//! numbers that the send names, whatever its receive names. A message of more than S bytes keeps its send open until it
//! has met its receive. These are the rules of LogGOPSim (Hoefler, Schneider, Lumsdaine: LogGOPSim - Simulating
//! Large-Scale Applications in the LogGOPS Model, HPDC 2010, section 2), event by event, so times match to the
//! nanosecond. Two rules differ:
//!
//! - An operation never begins before the end of those that it requires. In LogGOPSim, if these, or the messages that
//!   they receive, are on another processor, it begins when its own processor is free, even if that is earlier.
//! - A message of 0 bytes takes as long as one of 1 byte. LogGOPSim charges it for (0-1) bytes, so it takes G less.
//!
//! Every rank is a host of its own. Time is counted in picoseconds, so that no order depends on rounding.

use super::error::{Blocked, Place, ReplayError};
use super::graphs::AwaitedByGraph;
use super::outcome::{Outcome, RankTimes};
use super::progress::{Counter, ProgressMeter};
use crate::ids::Rank;
use crate::mpi::messages::Envelope;
use crate::mpi::rank_map::RankMap;
use crate::network::model::LogGops;
use crate::platform::Platform;
use crate::slots;
use crate::trace::CommunicatorId;
use crate::trace::schedule::{Graph, Operation, OperationKind, Schedule};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, VecDeque};

/// Picoseconds of a second.
const PICOSECONDS: f64 = 1e12;

/// Times from here on are too long to be counted.
const ENDLESS: u64 = 1 << 62;

fn picoseconds(seconds: f64) -> u64 {
    ((seconds * PICOSECONDS).round() as u64).min(ENDLESS)
}

fn seconds(picoseconds: u64) -> f64 {
    picoseconds as f64 / PICOSECONDS
}

/// Event; ordered by time, then by creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LogGopsEvent {
    time: u64,
    number: u64,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// Tries an operation of a rank.
    Operation { rank: u32, operation: u32 },
    /// Tries a message at its receiver.
    Message { index: u32 },
}

/// Message that has been sent.
#[derive(Clone, Copy)]
struct SentMessage {
    from: u32,
    to: u32,
    tag: u32,
    size: u64,
    /// Stream, card and number of its send.
    stream: u8,
    card: u8,
    operation: u32,
}

/// Rank under way.
#[derive(Default)]
struct LogGopsRank {
    /// Time at which each processor is free. Messages of other ranks may occupy more than the rank's operations name.
    processors: Vec<u64>,
    /// Number of processors that its operations name, or that messages have occupied.
    used: usize,
    /// Times at which each card can send, and receive.
    sends: Vec<u64>,
    receives: Vec<u64>,
    /// Number of unmet dependencies of each operation, and the earliest start that the met ones allow.
    left: Vec<u32>,
    ready: Vec<u64>,
    open: u32,
    calculated: u64,
    communicated: u64,
    overhead: u64,
}

/// Unmatched messages and receives of a rank: receives by number, messages by index.
type Queues = FxHashMap<(u32, u32, u32), VecDeque<u32>>;

/// Removes the first entry of a queue. Empty queues are dropped: schedules may have as many tags as messages.
fn take(queues: &mut Queues, key: (u32, u32, u32)) -> Option<u32> {
    let Entry::Occupied(mut queue) = queues.entry(key) else { return None };
    let first = queue.get_mut().pop_front();
    if queue.get().is_empty() {
        queue.remove();
    }
    first
}

fn envelope((source, destination, tag): (u32, u32, u32)) -> Envelope {
    Envelope { source, destination, tag: tag as i32, context: 0 }
}

struct Replay<'a> {
    schedule: &'a Schedule,
    model: LogGops,
    ranks: Vec<LogGopsRank>,
    events: BinaryHeap<Reverse<LogGopsEvent>>,
    number: u64,
    messages: Vec<SentMessage>,
    free_messages: Vec<u32>,
    posted: Queues,
    unexpected: Queues,
    /// Operations released by the current event.
    freed: Vec<(u32, OperationKind, u32)>,
    sent: u64,
    bytes: u64,
}

impl Replay<'_> {
    fn graph(&self, rank: u32) -> &Graph {
        &self.schedule.ranks[rank as usize]
    }

    /// Returns the number of operations that have ended.
    fn ended(&self) -> u64 {
        self.schedule.operations() - self.ranks.iter().map(|state| u64::from(state.open)).sum::<u64>()
    }

    fn push(&mut self, time: u64, what: What) {
        self.events.push(Reverse(LogGopsEvent { time, number: self.number, what }));
        self.number += 1;
    }

    /// Releases the operations that depend on one that began (`on_start`) or ended at this time.
    fn free(&mut self, rank: u32, operation: u32, on_start: bool, time: u64) {
        let schedule = self.schedule;
        let graph = &schedule.ranks[rank as usize];
        let state = &mut self.ranks[rank as usize];
        for dependant in graph.dependants(operation).iter().filter(|dependant| dependant.on_start() == on_start) {
            let number = dependant.operation();
            let ready = &mut state.ready[number as usize];
            *ready = time.max(*ready);
            let left = &mut state.left[number as usize];
            *left -= 1;
            if *left == 0 {
                self.freed.push((rank, graph.operation(number).kind, number));
            }
        }
        if !on_start {
            state.open -= 1;
        }
    }

    /// Queues the released operations: rank by rank, sends first, then receives; those of one kind as they were released,
    /// so first those that a start has released.
    fn enter(&mut self) {
        let mut freed = std::mem::take(&mut self.freed);
        freed.sort_by_key(|&(rank, kind, _)| (rank, kind as u8));
        for (rank, kind, operation) in freed.drain(..) {
            let Operation { stream, card, .. } = *self.graph(rank).operation(operation);
            let state = &self.ranks[rank as usize];
            let mut time = state.ready[operation as usize].max(state.processors[stream as usize]);
            if kind == OperationKind::Send {
                time = time.max(state.sends[card as usize]);
            }
            self.push(time, What::Operation { rank, operation });
        }
        self.freed = freed;
    }

    fn try_operation(&mut self, event: LogGopsEvent, rank: u32, number: u32, flop_time: f64) {
        let operation = *self.graph(rank).operation(number);
        let model = self.model;
        let now = event.time;
        let state = &mut self.ranks[rank as usize];
        let processor = &mut state.processors[operation.stream as usize];
        match operation.kind {
            OperationKind::Calculate => {
                if *processor > now {
                    self.events.push(Reverse(LogGopsEvent { time: *processor, ..event }));
                    return;
                }
                let duration = picoseconds(operation.size as f64 * flop_time);
                *processor = now.saturating_add(duration);
                let end = *processor;
                state.calculated = state.calculated.saturating_add(duration);
                self.free(rank, number, true, now);
                self.free(rank, number, false, end);
            }
            OperationKind::Send => {
                let card = &mut state.sends[operation.card as usize];
                let free = (*processor).max(*card);
                if free > now {
                    self.events.push(Reverse(LogGopsEvent { time: free, ..event }));
                    return;
                }
                let overhead = model.overhead(operation.size);
                *processor = now.saturating_add(overhead);
                let end = *processor;
                *card = now.saturating_add(model.gap(operation.size));
                state.communicated = state.communicated.saturating_add(overhead);
                state.overhead = state.overhead.saturating_add(overhead);
                self.sent += 1;
                self.bytes = self.bytes.saturating_add(operation.size);
                let message = SentMessage {
                    from: rank,
                    to: operation.peer,
                    tag: operation.tag,
                    size: operation.size,
                    stream: operation.stream,
                    card: operation.card,
                    operation: number,
                };
                let index = slots::store(&mut self.messages, &mut self.free_messages, message);
                let arrival = now.saturating_add(picoseconds(model.o)).saturating_add(picoseconds(model.latency));
                self.push(arrival, What::Message { index });
                self.free(rank, number, true, now);
                if operation.size <= model.eager_up_to {
                    self.free(rank, number, false, end);
                }
            }
            OperationKind::Receive => {
                self.free(rank, number, true, now);
                let key = (operation.peer, rank, operation.tag);
                match take(&mut self.unexpected, key) {
                    Some(index) => {
                        self.met(index, (operation.stream, operation.card), now);
                        self.free(rank, number, false, now);
                    }
                    None => self.posted.entry(key).or_default().push_back(number),
                }
            }
        }
    }

    /// Matches a message with its receive, which releases a sender that waited for that. Its processor and card with
    /// these numbers are busy until then: those of whichever came last, as in LogGOPSim.
    fn met(&mut self, index: u32, (stream, card): (u8, u8), now: u64) {
        let message = self.messages[index as usize];
        self.free_messages.push(index);
        if message.size > self.model.eager_up_to {
            let sender = &mut self.ranks[message.from as usize];
            let processor = &mut sender.processors[stream as usize];
            *processor = now.max(*processor);
            sender.used = sender.used.max(usize::from(stream) + 1);
            let card = &mut sender.sends[card as usize];
            *card = now.max(*card);
            self.free(message.from, message.operation, false, now);
        }
    }

    fn try_message(&mut self, event: LogGopsEvent, index: u32) {
        let message = self.messages[index as usize];
        let (model, now) = (self.model, event.time);
        let key = (message.from, message.to, message.tag);
        let receive = self.posted.get(&key).and_then(|queue| queue.front().copied());
        let state = &mut self.ranks[message.to as usize];
        let (stream, card) = (usize::from(message.stream), usize::from(message.card));
        let free = state.processors[stream].max(state.receives[card]);
        if free > now {
            self.events.push(Reverse(LogGopsEvent { time: free, ..event }));
            return;
        }
        let duration = model.receive(message.size);
        let end = now.saturating_add(duration);
        state.used = state.used.max(stream + 1);
        state.processors[stream] = end;
        state.receives[card] = now.saturating_add(model.gap(message.size));
        state.communicated = state.communicated.saturating_add(duration);
        state.overhead = state.overhead.saturating_add(picoseconds(model.o));
        match receive {
            Some(number) => {
                take(&mut self.posted, key);
                self.met(index, (message.stream, message.card), now);
                self.free(message.to, number, false, end);
            }
            None => self.unexpected.entry(key).or_default().push_back(index),
        }
    }

    /// Returns the posted receives and unexpected messages of each rank. A send that its receive keeps open counts among the
    /// operations that wait.
    fn awaited(&self) -> Vec<AwaitedByGraph> {
        let mut awaited = vec![AwaitedByGraph::default(); self.ranks.len()];
        for (&key, receives) in &self.posted {
            let awaited = &mut awaited[key.1 as usize];
            awaited.messages.push((envelope(key), false));
            receives.iter().for_each(|&operation| awaited.wait(operation));
        }
        for (&key, messages) in &self.unexpected {
            let awaited = &mut awaited[key.0 as usize];
            awaited.messages.push((envelope(key), true));
            let messages = messages.iter().map(|&index| &self.messages[index as usize]);
            messages.filter(|message| message.size > self.model.eager_up_to).for_each(|m| awaited.wait(m.operation));
        }
        awaited
    }

    fn deadlock(&self, time: u64) -> ReplayError {
        let mut blocked = Vec::new();
        let mut standing = vec![None; self.ranks.len()];
        let mut awaited = self.awaited();
        for (rank, state) in (0..).zip(&self.ranks).filter(|(_, state)| state.open > 0) {
            let AwaitedByGraph { messages: mut missing, first } = std::mem::take(&mut awaited[rank as usize]);
            missing.sort_by_key(|(e, sends)| (*sends, e.source, e.destination, e.tag));
            let action = state.left.iter().position(|&left| left > 0).or(first).unwrap_or(0);
            standing[rank as usize] = Some(action);
            blocked.push(Blocked {
                place: Place { rank, action },
                operation: "an operation of its schedule",
                communicator: CommunicatorId::WORLD,
                missing,
            });
        }
        let ranks = self.ranks.len() as u32;
        ReplayError::Deadlock { seconds: seconds(time), ranks, blocked, standing, waits_from: None }
    }
}

impl LogGops {
    /// Returns the picoseconds for which a message of this size occupies the processor of its sender.
    fn overhead(&self, size: u64) -> u64 {
        picoseconds(self.o + more(size) * self.overhead_per_byte)
    }

    /// Returns the picoseconds for which a message of this size occupies a card, at the sender or the receiver.
    fn gap(&self, size: u64) -> u64 {
        picoseconds(self.g + more(size) * self.gap_per_byte)
    }

    /// Returns the picoseconds for which a message of this size occupies the processor of its receiver.
    fn receive(&self, size: u64) -> u64 {
        picoseconds(self.o + more(size) * self.overhead_per_byte.max(self.gap_per_byte))
    }
}

/// Returns the number of bytes after the first one.
fn more(size: u64) -> f64 {
    size.saturating_sub(1) as f64
}

/// Replays a schedule.
pub(super) fn replay(
    schedule: &Schedule,
    platform: &Platform,
    rank_map: &RankMap,
    model: LogGops,
    counter: Option<Counter>,
) -> Result<Outcome, ReplayError> {
    let mut progress = counter.map(|counter| ProgressMeter::new(counter, rank_map.ranks()));
    let most = |graph: &Graph, number: fn(&Operation) -> u8| {
        graph.operations().iter().map(number).max().map_or(1, |last| usize::from(last) + 1)
    };
    let cards = schedule.ranks.iter().map(|graph| most(graph, |operation| operation.card)).max().unwrap_or(1);
    let processors = schedule.ranks.iter().map(|graph| most(graph, |operation| operation.stream)).max().unwrap_or(1);
    let state = |graph: &Graph| LogGopsRank {
        processors: vec![0; processors],
        used: most(graph, |operation| operation.stream),
        sends: vec![0; cards],
        receives: vec![0; cards],
        left: graph.waits(),
        ready: vec![0; graph.len()],
        open: graph.len() as u32,
        ..LogGopsRank::default()
    };
    let mut replay = Replay {
        schedule,
        model,
        ranks: schedule.ranks.iter().map(state).collect(),
        events: BinaryHeap::new(),
        number: 0,
        messages: Vec::new(),
        free_messages: Vec::new(),
        posted: FxHashMap::default(),
        unexpected: FxHashMap::default(),
        freed: Vec::new(),
        sent: 0,
        bytes: 0,
    };
    for (rank, graph) in (0..).zip(&schedule.ranks) {
        let first = (0..graph.len() as u32).filter(|&number| replay.ranks[rank as usize].left[number as usize] == 0);
        replay.freed.extend(first.map(|number| (rank, graph.operation(number).kind, number)));
    }
    replay.enter();
    let mut now = 0;
    while let Some(Reverse(event)) = replay.events.pop() {
        if event.time >= ENDLESS {
            return Err(ReplayError::Endless { seconds: seconds(now) });
        }
        now = event.time;
        if let Some(progress) = &mut progress
            && progress.instant(|| replay.ended())
        {
            return Err(ReplayError::Stopped);
        }
        match event.what {
            What::Operation { rank, operation } => {
                let speed = platform.hosts[rank_map.host(Rank(rank)).index()].speed;
                replay.try_operation(event, rank, operation, schedule.flops_per_nanosecond / speed);
            }
            What::Message { index } => replay.try_message(event, index),
        }
        replay.enter();
    }
    if replay.ranks.iter().any(|state| state.open > 0) {
        return Err(replay.deadlock(now));
    }
    let ends = replay.ranks.iter().map(|state| state.processors.iter().copied().max().unwrap_or(0));
    let end = ends.clone().max().unwrap_or(0);
    if end >= ENDLESS {
        return Err(ReplayError::Endless { seconds: seconds(now) });
    }
    // For a rank with several processors these are means over those that it uses.
    let times = replay.ranks.iter().zip(ends).map(|(state, own)| {
        let mean = |picoseconds: u64| seconds(picoseconds) / state.used as f64;
        let (compute, communication) = (mean(state.calculated), mean(state.communicated));
        RankTimes {
            compute,
            communication,
            latency: mean(state.overhead),
            waiting: (seconds(end) - compute - communication).max(0.0),
            end: seconds(own),
        }
    });
    let mut unmatched: Vec<(Envelope, u64, u64)> = Vec::new();
    for (&key, queue) in &replay.unexpected {
        let sizes = queue.iter().map(|&index| replay.messages[index as usize].size);
        let bytes = sizes.fold(0, u64::saturating_add);
        unmatched.push((envelope(key), queue.len() as u64, bytes));
    }
    unmatched.sort_by_key(|(e, ..)| (e.source, e.destination, e.tag));
    Ok(Outcome {
        simulated_seconds: seconds(end),
        actions: schedule.operations(),
        messages: replay.sent,
        bytes: replay.bytes,
        ranks: times.collect(),
        links_crossed: 0.0,
        links: Vec::new(),
        packets: None,
        head_of_line: Vec::new(),
        blocked_jobs: Vec::new(),
        unmatched_sends: unmatched,
        substitutions: Vec::new(),
        different_sizes: None,
        passed: None,
    })
}
