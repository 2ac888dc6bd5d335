//! Executor without time: runs the stages of all ranks and reports the messages sent, the ranks whose data reached each
//! rank, or the ranks that got stuck.
//!
//! It shares no code with the engine, so that the schedules are tested in isolation.

use super::{Cursor, Stage, Step};
use crate::mpi::rank_map::RankMap;
use rustc_hash::FxHashMap;

/// Time at which a send completes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Immediately.
    Eager,
    /// When the receive is posted.
    Rendezvous,
}

/// Both protocols; schedules must not depend on it.
pub const PROTOCOLS: [Protocol; 2] = [Protocol::Eager, Protocol::Rendezvous];

/// No chunk may be longer: 64 partners of a linear algorithm cost at most three steps each, a doubling pattern on
/// 2^16 ranks about 16 * (3 + 15).
const LONGEST_CHUNK: usize = 320;

/// Set of ranks, up to 256.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ranks([u64; 4]);

impl Ranks {
    pub fn insert(&mut self, rank: u32) {
        self.0[rank as usize / 64] |= 1 << (rank % 64);
    }

    pub fn contains(&self, rank: u32) -> bool {
        self.0[rank as usize / 64] >> (rank % 64) & 1 == 1
    }

    fn join(&mut self, other: &Ranks) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }
}

/// Message that was sent and received.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DeliveredMessage {
    pub from: u32,
    pub to: u32,
    pub tag: i32,
    pub bytes: u64,
}

/// Result of a run.
#[derive(Debug)]
pub struct DeliveryOutcome {
    /// All messages, in no particular order.
    pub messages: Vec<DeliveredMessage>,
    /// Ranks whose data reached each rank, directly or through others, itself included.
    pub heard: Vec<Ranks>,
}

impl DeliveryOutcome {
    pub fn volume(&self) -> u64 {
        self.messages.iter().map(|m| m.bytes).sum()
    }

    pub fn received_by(&self, rank: u32) -> u64 {
        self.messages.iter().filter(|m| m.to == rank).map(|m| m.bytes).sum()
    }
}

/// One rank's part: its stages and the count vectors of its call.
#[derive(Clone, Default, Debug)]
pub struct RankStages {
    pub stages: Vec<Stage>,
    pub send_counts: Vec<u32>,
    pub recv_counts: Vec<u32>,
}

#[derive(Default)]
struct Channel {
    sends: Vec<(u64, Ranks)>,
    receives: usize,
}

#[derive(Clone, Copy)]
struct PostedSide {
    channel: (u32, u32, i32),
    index: usize,
    receives: bool,
}

#[derive(Default)]
struct RunningRank {
    stage: usize,
    cursor: Cursor,
    steps: Vec<Step>,
    next: usize,
    waiting: Option<PostedSide>,
    pending: Vec<PostedSide>,
}

struct Executor<'a> {
    parts: &'a [RankStages],
    rank_map: &'a RankMap,
    protocol: Protocol,
    channels: FxHashMap<(u32, u32, i32), Channel>,
    states: Vec<RunningRank>,
    heard: Vec<Ranks>,
}

/// Runs all ranks to their ends.
pub fn run(parts: &[RankStages], rank_map: &RankMap, protocol: Protocol) -> Result<DeliveryOutcome, String> {
    let mut heard = vec![Ranks::default(); parts.len()];
    for (rank, set) in heard.iter_mut().enumerate() {
        set.insert(rank as u32);
    }
    let states = parts.iter().map(|_| RunningRank::default()).collect();
    let channels = FxHashMap::default();
    let mut executor = Executor { parts, rank_map, protocol, channels, states, heard };
    let mut progress = true;
    while progress {
        progress = false;
        for rank in 0..parts.len() {
            progress |= executor.advance(rank);
        }
    }
    executor.finish()
}

impl Executor<'_> {
    /// Runs one rank as far as possible. Returns whether it made progress.
    fn advance(&mut self, rank: usize) -> bool {
        let mut progress = false;
        while self.step(rank) {
            progress = true;
        }
        progress
    }

    fn step(&mut self, rank: usize) -> bool {
        if let Some(request) = self.states[rank].waiting {
            if !self.complete(rank, request) {
                return false;
            }
            self.states[rank].waiting = None;
            return true;
        }
        let state = &mut self.states[rank];
        let Some(step) = state.steps.get(state.next).copied() else { return self.fetch(rank) };
        match step {
            Step::Send { to, bytes } => {
                let request = self.post_send(rank, to, bytes);
                self.states[rank].waiting = Some(request);
            }
            Step::Isend { to, bytes } => {
                let request = self.post_send(rank, to, bytes);
                self.states[rank].pending.push(request);
            }
            Step::Recv { from } => {
                let request = self.post_receive(rank, from);
                self.states[rank].waiting = Some(request);
            }
            Step::Irecv { from } => {
                let request = self.post_receive(rank, from);
                self.states[rank].pending.push(request);
            }
            Step::Wait { nth } => {
                let request = self.states[rank].pending.remove(nth as usize);
                self.states[rank].waiting = Some(request);
            }
            Step::WaitAll | Step::WaitEach => {
                assert!(!self.states[rank].pending.is_empty(), "a wait for nothing");
                let pending = self.states[rank].pending.clone();
                if !pending.iter().all(|&request| self.complete(rank, request)) {
                    return false;
                }
                self.states[rank].pending.clear();
            }
        }
        self.states[rank].next += 1;
        true
    }

    /// Fetches the next chunk of steps; returns `false` at the end of the rank's part.
    fn fetch(&mut self, rank: usize) -> bool {
        let state = &mut self.states[rank];
        if state.cursor.done {
            assert!(state.pending.is_empty(), "a stage of rank {rank} ends without waiting");
            state.cursor = Cursor::default();
            state.stage += 1;
        }
        let part = &self.parts[rank];
        let Some(stage) = part.stages.get(state.stage) else { return false };
        state.steps.clear();
        state.next = 0;
        let scope = stage.scope(self.rank_map, rank as u32, &part.send_counts, &part.recv_counts);
        (stage.algorithm.steps)(&scope, &mut state.cursor, &mut state.steps);
        assert!(state.steps.len() <= LONGEST_CHUNK, "{}: a chunk of {} steps", stage.algorithm.name, state.steps.len());
        true
    }

    fn channel(&self, rank: usize, peer: u32) -> (u32, i32) {
        let stage = &self.parts[rank].stages[self.states[rank].stage];
        assert!(peer < stage.comm.size(self.rank_map, rank as u32), "{}: no member {peer}", stage.algorithm.name);
        (stage.comm.rank_of(self.rank_map, rank as u32, peer), stage.tag)
    }

    fn post_send(&mut self, rank: usize, to: u32, bytes: u64) -> PostedSide {
        let (to, tag) = self.channel(rank, to);
        let channel = (rank as u32, to, tag);
        let sends = &mut self.channels.entry(channel).or_default().sends;
        sends.push((bytes, self.heard[rank]));
        PostedSide { channel, index: sends.len() - 1, receives: false }
    }

    fn post_receive(&mut self, rank: usize, from: u32) -> PostedSide {
        let (from, tag) = self.channel(rank, from);
        let channel = (from, rank as u32, tag);
        let receives = &mut self.channels.entry(channel).or_default().receives;
        *receives += 1;
        PostedSide { channel, index: *receives - 1, receives: true }
    }

    fn complete(&mut self, rank: usize, request: PostedSide) -> bool {
        let channel = &self.channels[&request.channel];
        if !request.receives {
            return self.protocol == Protocol::Eager || channel.receives > request.index;
        }
        let Some((_, heard)) = channel.sends.get(request.index) else { return false };
        self.heard[rank].join(heard);
        true
    }

    fn finish(self) -> Result<DeliveryOutcome, String> {
        for (rank, (state, part)) in self.states.iter().zip(self.parts).enumerate() {
            if let Some(stage) = part.stages.get(state.stage) {
                let step = state.steps.get(state.next - usize::from(state.waiting.is_some()));
                return Err(format!("rank {rank} is stuck in {} at {step:?}", stage.algorithm.name));
            }
        }
        let mut messages = Vec::new();
        for ((from, to, tag), channel) in self.channels {
            if channel.sends.len() != channel.receives {
                let (sends, receives) = (channel.sends.len(), channel.receives);
                return Err(format!("{sends} sends and {receives} receives from {from} to {to}, tag {tag}"));
            }
            messages.extend(channel.sends.iter().map(|&(bytes, _)| DeliveredMessage { from, to, tag, bytes }));
        }
        messages.sort_unstable();
        Ok(DeliveryOutcome { messages, heard: self.heard })
    }
}
