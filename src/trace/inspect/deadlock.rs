//! Whether ranks can come to wait for each other, without any notion of time.
//!
//! Messages of a triple (source, destination, tag) match in their order, so it is enough to count: the k-th receive can end
//! when the k-th send is posted. Whether ranks block does not depend on who is faster, since nothing here takes a message
//! from whoever comes first; one run tells for all orders. It is done twice: with sends that are always buffered, where a
//! block is certain, and with sends that wait for their receive, where a block means that the program relies on buffers,
//! which MPI does not promise (MPI 4.0, section 3.5). Collectives hold all members together, as MPI allows; the wait for one that
//! does not block ends when all members have started it.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::trace::communicator::{Sequence, sequence};
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
        meetings: FxHashMap::default(),
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
    /// The collectives that it waits for.
    meets: Vec<Meeting>,
    /// Collectives that do not block, by their numbers, as long as nobody has waited for them.
    started: FxHashMap<u32, VecDeque<Meeting>>,
    /// Requests that are not waited for yet, in their order for each triple.
    requests: FxHashMap<Triple, VecDeque<Half>>,
    ended: bool,
}

/// A collective: of which sequence, and which number in it.
type Meeting = (Sequence, u64);

/// How far a sequence is. All members begin its collectives in the same order, so they end in that order.
#[derive(Default)]
struct Meetings {
    /// How many have been begun by all members.
    over: u64,
    /// How many members have begun those that come next.
    present: VecDeque<usize>,
    /// How many each rank has begun.
    begun: FxHashMap<u32, u64>,
}

struct Run<'a> {
    trace: &'a Trace,
    sends: Sends,
    ranks: Vec<Rank>,
    posted: FxHashMap<Triple, Posted>,
    ready: VecDeque<u32>,
    meetings: FxHashMap<Sequence, Meetings>,
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
            while let Some((sequence, number)) = self.ranks[rank as usize].meets.last() {
                if self.meetings.get(sequence).is_none_or(|meetings| meetings.over <= *number) {
                    return;
                }
                self.ranks[rank as usize].meets.pop();
            }
            let state = &mut self.ranks[rank as usize];
            if state.ended {
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
                state.meets.extend(state.started.drain().flat_map(|(_, queue)| queue));
            }
            Action::Collective { .. } | Action::Fence { .. } => {
                let meeting = sequence(self.trace, &action).map(|sequence| self.meet(rank, sequence));
                self.ranks[rank as usize].meets.extend(meeting);
            }
            Action::Start { request, .. } => {
                let meeting = sequence(self.trace, &action).map(|sequence| self.meet(rank, sequence));
                self.ranks[rank as usize].started.entry(request).or_default().extend(meeting);
            }
            Action::WaitRequest { request } => {
                let state = &mut self.ranks[rank as usize];
                let oldest = state.started.get_mut(&request).and_then(VecDeque::pop_front);
                state.meets.extend(oldest);
            }
            // It waits for what the next receive would get.
            Action::Probe { from, tag } => {
                let triple = (from, rank, tag);
                let number = self.posted.get(&triple).copied().unwrap_or_default().receives;
                self.ranks[rank as usize].waits.push(Half { triple, number, sends: false });
            }
            // A test never blocks: it leaves its request for the wait that follows.
            Action::Test { .. }
            | Action::TestRequest { .. }
            | Action::Put { .. }
            | Action::Get { .. }
            | Action::Accumulate { .. }
            | Action::Flush { .. }
            | Action::Iprobe { .. }
            | Action::Init
            | Action::Finalize
            | Action::NoOperation
            | Action::Compute { .. }
            | Action::Sleep { .. } => {}
        }
    }

    /// A rank begins the next collective of a sequence; if it is the last member, all go on.
    fn meet(&mut self, rank: u32, sequence: Sequence) -> Meeting {
        let members = self.trace.members(sequence.0);
        let meetings = self.meetings.entry(sequence).or_default();
        let begun = meetings.begun.entry(rank).or_default();
        let number = *begun;
        *begun += 1;
        let place = (number - meetings.over) as usize;
        if meetings.present.len() <= place {
            meetings.present.push_back(0);
        }
        meetings.present[place] += 1;
        if meetings.present.front() == Some(&members.size()) {
            meetings.present.pop_front();
            meetings.over += 1;
            self.ready.extend(members.ranks().filter(|&other| other != rank));
        }
        (sequence, number)
    }
}
