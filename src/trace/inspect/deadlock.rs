//! Detection of deadlocks, without any notion of time.
//!
//! Messages of a triple (source, destination, tag) match in order, so counting is sufficient: the k-th receive can
//! complete when the k-th send is posted. Whether ranks block does not depend on their speed, since no receive here
//! accepts messages from any source; one run covers all orders. Two runs are made: one with sends that are always
//! buffered, where a block is certain, and one with sends that wait for their receive, where a block means that the
//! program relies on buffers, which MPI does not promise (MPI 4.0, section 3.5). Collectives hold all members together,
//! as MPI allows; but with buffered sends not the members that only contribute, such as the root of a bcast. The wait
//! for a non-blocking one ends when all members have started it.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use crate::trace::actions::ActionCursor;
use crate::trace::communicator::Sequence;
use crate::trace::gathering::Gathering;
use crate::trace::queues::{take_nth, take_oldest};
use crate::trace::{Action, Actions, CollectiveKind, Datatype, Trace, Triple};

/// A send or a receive of an action.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub triple: Triple,
    /// `true` for a send.
    pub sends: bool,
    pub count: u32,
    pub datatype: Datatype,
}

/// A call of a collective: the rank, its action, and the entry of the table; `None` for a fence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub rank: u32,
    pub action: usize,
    pub entry: Option<u32>,
}

/// Observer of running ranks.
pub(super) trait Watch {
    /// Called when an action of a rank posts a send or a receive.
    fn posted(&mut self, rank: u32, action: usize, side: Side);
    /// Called with the calls of a collective or fence: of all members, or of those that ever call it. `first` is the
    /// lowest rank that calls any of its sequence.
    fn met(&mut self, meeting: Meeting, first: u32, calls: &[Call]);
    /// `true` to continue after blocked ranks, as if they waited for nothing.
    const SEES_ALL: bool;
}

impl Watch for () {
    fn posted(&mut self, _: u32, _: usize, _: Side) {}
    fn met(&mut self, _: Meeting, _: u32, _: &[Call]) {}
    const SEES_ALL: bool = false;
}

/// Behaviour of sends: those of fewer bytes complete immediately, all others when their receive is posted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EagerLimit(pub u64);

impl EagerLimit {
    /// All sends complete immediately.
    pub const BUFFERED: Self = Self(u64::MAX);
    /// All sends complete when their receive is posted.
    pub const SYNCHRONOUS: Self = Self(0);
}

/// Returns the action at which each blocked rank stops, ascending; empty if all ranks finish.
///
/// Ranks run alternately, so that memory is needed only for operations in progress, however long the trace is.
pub(super) fn blocked<W: Watch>(trace: &Trace, limit: EagerLimit, watch: &mut W) -> Vec<(u32, usize)> {
    let mut run = TraceRun {
        trace,
        limit,
        watch,
        holds: true,
        ranks: trace.actions.iter().map(Rank::new).collect(),
        posted: FxHashMap::default(),
        ready: (0..trace.ranks() as u32).collect(),
        meetings: BTreeMap::new(),
    };
    run.go_on();
    let stands = |(rank, state): (u32, &Rank<'_>)| (!state.ended).then_some((rank, state.at));
    let blocked: Vec<(u32, usize)> = (0..).zip(&run.ranks).filter_map(stands).collect();
    if W::SEES_ALL {
        run.holds = false;
        run.ready.extend(blocked.iter().map(|&(rank, _)| rank));
        run.go_on();
        run.tell_rest();
    }
    blocked
}

/// Actions per turn. No rank gets far ahead of the others, with all its sends in memory.
const TURN: usize = 4096;

/// Number of posted sends and receives of a triple, and number of those that may still be waited for.
#[derive(Clone, Copy, Default)]
struct PostedCounts {
    sends: u64,
    receives: u64,
    held: u64,
}

/// A send or a receive: its triple, its number, whether it is a send, and of which kind.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Half {
    triple: Triple,
    number: u64,
    sends: bool,
    /// `true` for a send that completes without its receive.
    is_buffered: bool,
}

struct Rank<'a> {
    actions: ActionCursor<'a>,
    /// Index of the current action.
    at: usize,
    /// `true` if its own sends and receives are already posted.
    posted: bool,
    /// Sends and receives that the rank waits for.
    waits: Vec<Half>,
    /// Collectives that the rank waits for.
    meets: Vec<Meeting>,
    /// Non-blocking collectives, by number, that have not been waited for.
    started: FxHashMap<u32, VecDeque<Option<Meeting>>>,
    /// Requests that are not waited for yet, in order for each triple.
    requests: FxHashMap<Triple, VecDeque<Half>>,
    /// Number of older requests that the next wait passes over.
    picked: u32,
    ended: bool,
}

impl<'a> Rank<'a> {
    fn new(actions: &'a Actions) -> Self {
        Self {
            actions: ActionCursor::new(actions),
            at: 0,
            posted: false,
            waits: Vec::new(),
            meets: Vec::new(),
            started: FxHashMap::default(),
            requests: FxHashMap::default(),
            picked: 0,
            ended: false,
        }
    }
}

/// A collective: its sequence, and its number in it.
pub(super) type Meeting = (Sequence, u64);

struct TraceRun<'a, W> {
    trace: &'a Trace,
    limit: EagerLimit,
    watch: &'a mut W,
    /// `true` if ranks wait for anything.
    holds: bool,
    ranks: Vec<Rank<'a>>,
    posted: FxHashMap<Triple, PostedCounts>,
    ready: VecDeque<u32>,
    meetings: BTreeMap<Sequence, Gathering<Call>>,
}

impl<W: Watch> TraceRun<'_, W> {
    fn is_over(&self, half: &Half) -> bool {
        let posted = self.posted.get(&half.triple).copied().unwrap_or_default();
        match half.sends {
            true => half.is_buffered || posted.receives > half.number,
            false => posted.sends > half.number,
        }
    }

    /// Posts a send or receive, and resumes the rank at the other end.
    fn post(&mut self, rank: u32, triple: Triple, sends: bool, (count, datatype): (u32, Datatype)) -> Half {
        self.watch.posted(rank, self.ranks[rank as usize].at, Side { triple, sends, count, datatype });
        let is_buffered = sends && datatype.bytes(count) < self.limit.0;
        let posted = self.posted.entry(triple).or_default();
        posted.held += 1;
        let count = if sends { &mut posted.sends } else { &mut posted.receives };
        *count += 1;
        let half = Half { triple, number: *count - 1, sends, is_buffered };
        let other = if sends { triple.1 } else { triple.0 };
        if self.holds && self.ranks[other as usize].waits.last().is_some_and(|wait| wait.triple == triple) {
            self.ready.push_back(other);
        }
        half
    }

    /// Drops a send or receive that will not be waited for any more. A triple whose messages are all complete is
    /// forgotten, with its numbers.
    fn let_go(&mut self, half: Half) {
        if let Some(posted) = self.posted.get_mut(&half.triple) {
            posted.held -= 1;
            if posted.held == 0 && posted.sends == posted.receives {
                self.posted.remove(&half.triple);
            }
        }
    }

    /// Runs all ranks as far as possible.
    fn go_on(&mut self) {
        while let Some(rank) = self.ready.pop_front() {
            self.resume(rank);
        }
    }

    /// Runs a rank until it has to wait, or until its turn is over.
    fn resume(&mut self, rank: u32) {
        for _ in 0..TURN {
            while let Some(last) = self.ranks[rank as usize].waits.last().copied() {
                if self.holds && !self.is_over(&last) {
                    return;
                }
                self.ranks[rank as usize].waits.pop();
                self.let_go(last);
            }
            while let Some((sequence, number)) = self.ranks[rank as usize].meets.last() {
                if self.holds && self.meetings.get(sequence).is_none_or(|meetings| meetings.over() <= *number) {
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
            let Some(action) = state.actions.go_to(state.at) else {
                state.ended = true;
                return;
            };
            state.posted = true;
            self.begin(rank, action);
        }
        self.ready.push_back(rank);
    }

    fn begin(&mut self, rank: u32, action: Action) {
        match action {
            Action::Send { to, tag, count, datatype } => {
                let half = self.post(rank, (rank, to, tag), true, (count, datatype));
                self.ranks[rank as usize].waits.push(half);
            }
            Action::Recv { from, tag, count, datatype } => {
                let half = self.post(rank, (from, rank, tag), false, (count, datatype));
                self.ranks[rank as usize].waits.push(half);
            }
            Action::Isend { to, tag, count, datatype } => {
                let half = self.post(rank, (rank, to, tag), true, (count, datatype));
                self.ranks[rank as usize].requests.entry(half.triple).or_default().push_back(half);
            }
            Action::Irecv { from, tag, count, datatype } => {
                let half = self.post(rank, (from, rank, tag), false, (count, datatype));
                self.ranks[rank as usize].requests.entry(half.triple).or_default().push_back(half);
            }
            Action::SendRecv { index } => {
                let entry = self.trace.sendrecvs[index as usize];
                let sent = (entry.send_count, entry.send_type);
                let received = (entry.recv_count, entry.recv_type);
                let halves = [
                    self.post(rank, (rank, entry.to, 0), true, sent),
                    self.post(rank, (entry.from, rank, 0), false, received),
                ];
                self.ranks[rank as usize].waits.extend(halves);
            }
            Action::Pick { nth } => self.ranks[rank as usize].picked = nth,
            Action::Wait { source, destination, tag } => {
                let state = &mut self.ranks[rank as usize];
                let nth = std::mem::take(&mut state.picked);
                state.waits.extend(take_nth(&mut state.requests, &(source, destination, tag), nth));
            }
            Action::WaitAll => {
                let state = &mut self.ranks[rank as usize];
                state.waits.extend(state.requests.drain().flat_map(|(_, queue)| queue));
                state.meets.extend(state.started.drain().flat_map(|(_, queue)| queue).flatten());
            }
            Action::Collective { .. } | Action::Fence { .. } => {
                let meeting = self.trace.sequence(&action).and_then(|sequence| self.meet(rank, action, sequence));
                self.ranks[rank as usize].meets.extend(meeting);
            }
            Action::Start { request, .. } => {
                let meeting = self.trace.sequence(&action).and_then(|sequence| self.meet(rank, action, sequence));
                self.ranks[rank as usize].started.entry(request).or_default().push_back(meeting);
            }
            Action::WaitRequest { request } => {
                let state = &mut self.ranks[rank as usize];
                let oldest = take_oldest(&mut state.started, &request);
                state.meets.extend(oldest.flatten());
            }
            // It waits for the message that the next receive would take.
            Action::Probe { from, tag } => {
                let triple = (from, rank, tag);
                let posted = self.posted.entry(triple).or_default();
                posted.held += 1;
                let number = posted.receives;
                self.ranks[rank as usize].waits.push(Half { triple, number, sends: false, is_buffered: false });
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

    /// Starts the next collective of a sequence on a rank; if it is the last member, all continue.
    fn meet(&mut self, rank: u32, action: Action, sequence: Sequence) -> Option<Meeting> {
        let members = self.trace.members(sequence.0);
        let gathering = self.meetings.entry(sequence).or_default();
        let call = Call { rank, action: self.ranks[rank as usize].at, entry: action.collective() };
        // `None` for a rank that is not a member, which readers refuse.
        let number = gathering.join(rank, call)?;
        let over = gathering.over();
        if let Some(calls) = gathering.take_whole(members.size()) {
            let first = calls.iter().map(|call| call.rank).min().unwrap_or(rank);
            self.watch.met((sequence, over), first, &calls);
            if self.holds {
                self.ready.extend(members.ranks().filter(|&other| other != rank));
            }
        }
        let only_gives = self.limit != EagerLimit::SYNCHRONOUS && self.only_gives(rank, action);
        Some((sequence, number)).filter(|_| !only_gives)
    }

    /// Returns `true` if a rank has nothing to wait for in a collective, provided its sends are buffered.
    fn only_gives(&self, rank: u32, action: Action) -> bool {
        let Some(call) = action.collective().and_then(|index| self.trace.collectives.get(index as usize)) else {
            return false;
        };
        let is = |member: u32| self.trace.members(call.communicator).rank(member) == Some(rank);
        match call.kind {
            CollectiveKind::Bcast | CollectiveKind::Scatter | CollectiveKind::Scatterv => is(call.root),
            CollectiveKind::Reduce | CollectiveKind::Gather | CollectiveKind::Gatherv => !is(call.root),
            CollectiveKind::Scan | CollectiveKind::Exscan => is(0),
            _ => false,
        }
    }

    /// Reports the collectives that some members never call.
    fn tell_rest(&mut self) {
        for (&sequence, gathering) in &mut self.meetings {
            let Some(first) = gathering.first() else { continue };
            let mut number = gathering.over();
            while let Some(calls) = gathering.take() {
                self.watch.met((sequence, number), first, &calls);
                number += 1;
            }
        }
    }
}
