//! Whether ranks can come to wait for each other, without any notion of time.
//!
//! Messages of a triple (source, destination, tag) match in their order, so it is enough to count: the k-th receive can end
//! when the k-th send is posted. Whether ranks block does not depend on who is faster, since nothing here takes a message
//! from whoever comes first; one run tells for all orders. It is done twice: with sends that are always buffered, where a
//! block is certain, and with sends that wait for their receive, where a block means that the program relies on buffers,
//! which MPI does not promise (MPI 4.0, section 3.5). Collectives hold all ranks together, as MPI allows.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::trace::{Action, Trace};

/// Source, destination and tag.
type Triple = (u32, u32, i32);

/// How sends behave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sends {
    /// They end at once.
    Buffered,
    /// They end when their receive is posted.
    Synchronous,
}

/// The action at which each blocked rank stands, ascending; empty if all come to their end.
pub(super) fn blocked(trace: &Trace, sends: Sends) -> Vec<(u32, usize)> {
    let mut run = Run {
        trace,
        sends,
        ranks: trace.actions.iter().map(|_| Rank::default()).collect(),
        posted: FxHashMap::default(),
        ready: (0..trace.ranks() as u32).collect(),
        arrived: 0,
        generation: 0,
    };
    while let Some(rank) = run.ready.pop_front() {
        run.resume(rank);
    }
    let stands = |(rank, state): (u32, &Rank)| (!state.ended).then_some((rank, state.at));
    (0..).zip(&run.ranks).filter_map(stands).collect()
}

/// How many sends and receives of a triple are posted.
#[derive(Clone, Copy, Default)]
struct Posted {
    sends: u64,
    receives: u64,
}

/// Half a message: its triple, its number, and whether it is the sending half.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Half {
    triple: Triple,
    number: u64,
    sends: bool,
}

#[derive(Default)]
struct Rank {
    /// The action at work.
    at: usize,
    /// Whether its own halves are posted already.
    posted: bool,
    /// What the rank waits for.
    waits: Vec<Half>,
    /// The collective that it has entered, by its number plus one.
    entered: u64,
    /// Requests that are not waited for yet, in their order for each triple.
    requests: FxHashMap<Triple, VecDeque<Half>>,
    ended: bool,
}

struct Run<'a> {
    trace: &'a Trace,
    sends: Sends,
    ranks: Vec<Rank>,
    posted: FxHashMap<Triple, Posted>,
    ready: VecDeque<u32>,
    /// Ranks in the current collective, and how many collectives are over.
    arrived: usize,
    generation: u64,
}

impl Run<'_> {
    fn is_over(&self, half: &Half) -> bool {
        let posted = self.posted.get(&half.triple).copied().unwrap_or_default();
        match (half.sends, self.sends) {
            (true, Sends::Buffered) => true,
            (true, Sends::Synchronous) => posted.receives > half.number,
            (false, _) => posted.sends > half.number,
        }
    }

    /// Posts a half, and lets the rank at the other end look again.
    fn post(&mut self, triple: Triple, sends: bool) -> Half {
        let posted = self.posted.entry(triple).or_default();
        let count = if sends { &mut posted.sends } else { &mut posted.receives };
        *count += 1;
        let half = Half { triple, number: *count - 1, sends };
        let other = if sends { triple.1 } else { triple.0 };
        if self.ranks[other as usize].waits.last().is_some_and(|wait| wait.triple == triple) {
            self.ready.push_back(other);
        }
        half
    }

    /// Lets a rank go on as far as it can.
    fn resume(&mut self, rank: u32) {
        loop {
            while let Some(last) = self.ranks[rank as usize].waits.last().copied() {
                if !self.is_over(&last) {
                    return;
                }
                self.ranks[rank as usize].waits.pop();
            }
            let state = &mut self.ranks[rank as usize];
            if state.ended || state.entered > self.generation {
                return;
            }
            if state.posted {
                state.posted = false;
                state.at += 1;
            }
            let Some(action) = self.trace.actions[rank as usize].get(state.at) else {
                state.ended = true;
                return;
            };
            state.posted = true;
            self.begin(rank, *action);
        }
    }

    fn begin(&mut self, rank: u32, action: Action) {
        match action {
            Action::Send { to, tag, .. } => {
                let half = self.post((rank, to, tag), true);
                self.ranks[rank as usize].waits.push(half);
            }
            Action::Recv { from, tag, .. } => {
                let half = self.post((from, rank, tag), false);
                self.ranks[rank as usize].waits.push(half);
            }
            Action::Isend { to, tag, .. } => {
                let half = self.post((rank, to, tag), true);
                self.ranks[rank as usize].requests.entry(half.triple).or_default().push_back(half);
            }
            Action::Irecv { from, tag, .. } => {
                let half = self.post((from, rank, tag), false);
                self.ranks[rank as usize].requests.entry(half.triple).or_default().push_back(half);
            }
            Action::SendRecv { index } => {
                let entry = self.trace.sendrecvs[index as usize];
                let halves = [self.post((rank, entry.to, 0), true), self.post((entry.from, rank, 0), false)];
                self.ranks[rank as usize].waits.extend(halves);
            }
            Action::Wait { source, destination, tag } => {
                let state = &mut self.ranks[rank as usize];
                let oldest = state.requests.get_mut(&(source, destination, tag)).and_then(VecDeque::pop_front);
                state.waits.extend(oldest);
            }
            Action::WaitAll => {
                let state = &mut self.ranks[rank as usize];
                state.waits.extend(state.requests.drain().flat_map(|(_, queue)| queue));
            }
            Action::Collective { .. } => {
                self.ranks[rank as usize].entered = self.generation + 1;
                self.arrived += 1;
                if self.arrived == self.ranks.len() {
                    self.arrived = 0;
                    self.generation += 1;
                    self.ready.extend((0..self.ranks.len() as u32).filter(|&other| other != rank));
                }
            }
            // A test never blocks: it leaves its request for the wait that follows.
            Action::Test { .. }
            | Action::Init
            | Action::Finalize
            | Action::NoOperation
            | Action::Compute { .. }
            | Action::Sleep { .. } => {}
        }
    }
}
