//! Graphs of ranks under way: the streams of each rank, and the operations that wait.

use super::outcome::RankTimes;
use crate::mpi::messages::Envelope;
use crate::trace::schedule::Schedule;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Context of all messages of graphs; those of background collectives are numbered from just below it downwards.
pub(super) const CONTEXT: u32 = u32::MAX;

/// No operation.
pub(super) const NONE: u32 = u32::MAX;

/// Progress of the operation that occupies a stream.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Phase {
    Calculates,
    /// Spends the overhead of a send, which is posted afterwards.
    Sends,
    /// Spends the overhead of a receive whose message has arrived.
    Receives,
}

/// Stream of a rank.
#[derive(Default)]
pub(super) struct Stream {
    pub rank: u32,
    pub at_work: Option<(u32, Phase)>,
    /// Receives whose overhead is still to be spent, by operation and seconds.
    pub arrived: VecDeque<(u32, f64)>,
    /// Operations whose dependencies are all met.
    pub ready: VecDeque<u32>,
    pub idle: bool,
}

/// Current activity of a rank, and the time spent on each activity so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Clock {
    pub since: f64,
    pub calculating: u32,
    pub in_overhead: u32,
    pub travelling: u32,
    pub times: RankTimes,
}

impl Clock {
    /// Brings the times up to date before the activity of the rank changes.
    pub fn pass(&mut self, now: f64) {
        let seconds = now - self.since;
        self.since = now;
        let times = &mut self.times;
        if self.calculating > 0 {
            times.compute += seconds;
        } else if self.in_overhead > 0 {
            times.communication += seconds;
            times.latency += seconds;
        } else if self.travelling > 0 {
            times.communication += seconds;
        } else {
            times.waiting += seconds;
        }
    }
}

/// Operations of a rank that wait for messages.
#[derive(Clone, Default)]
pub(super) struct AwaitedByGraph {
    /// Envelopes of the messages, and whether the rank is the sender.
    pub messages: Vec<(Envelope, bool)>,
    /// Lowest number of the operations.
    pub first: Option<usize>,
}

impl AwaitedByGraph {
    /// Notes an operation that waits.
    pub fn wait(&mut self, operation: u32) {
        let operation = operation as usize;
        self.first = Some(self.first.map_or(operation, |first| first.min(operation)));
    }
}

/// Graphs of all ranks under way.
pub(super) struct Graphs<'a> {
    pub schedule: &'a Schedule,
    /// Number of unmet dependencies of each operation, by rank.
    pub left: Vec<Vec<u32>>,
    /// Number of operations that have not ended, by rank.
    pub open: Vec<u32>,
    pub clocks: Vec<Clock>,
    /// Indexed by process.
    pub streams: Vec<Stream>,
    /// Processes of all streams but 0.
    pub processes: FxHashMap<(u32, u8), u32>,
    /// Operations that wait for each message: that of the sender, and that of the receiver.
    pub waiting: Vec<[u32; 2]>,
}

impl Graphs<'_> {
    /// `true` if a process runs operations of a graph, and has no list of actions.
    pub fn runs(&self, process: u32) -> bool {
        self.streams.get(process as usize).is_some_and(|stream| !self.schedule.ranks[stream.rank as usize].is_empty())
    }

    /// Returns the number of operations that have ended.
    pub fn ended(&self) -> u64 {
        self.schedule.operations() - self.open.iter().map(|&open| u64::from(open)).sum::<u64>()
    }

    /// Returns the process that runs an operation of a rank.
    pub fn process_of(&self, rank: u32, operation: u32) -> u32 {
        match self.schedule.ranks[rank as usize].operation(operation).stream {
            0 => rank,
            stream => self.processes[&(rank, stream)],
        }
    }

    /// Notes that an operation waits for a message: that of the sender (side 0) or that of the receiver (1).
    pub fn wait(&mut self, message: u32, side: usize, operation: u32) {
        if message as usize >= self.waiting.len() {
            self.waiting.resize(message as usize + 1, [NONE; 2]);
        }
        self.waiting[message as usize][side] = operation;
    }
}
