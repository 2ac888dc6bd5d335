//! Recorder of a rank's calls as actions of a trace: 16 bytes per call, without an intermediate form.

use super::count::Count;
use crate::printable::counted;
use crate::trace::actions::Store;
use crate::trace::queues::OpenMessages;
use crate::trace::tables::{Full, Tables};
use crate::trace::{
    Action, Actions, CollectiveCall, CommunicatorId, Counts, Datatype, MemberList, Members, SendRecv, Triple,
};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};

/// An error in a call, as reported to the user of a workload program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Wrong(pub String);

impl From<Wrong> for starlark::Error {
    fn from(wrong: Wrong) -> Self {
        Self::new_native(wrong)
    }
}

macro_rules! wrong {
    ($($text:tt)*) => { Wrong(format!($($text)*)) };
}

macro_rules! bail {
    ($($text:tt)*) => { return Err(wrong!($($text)*)) };
}

/// Message for more actions than the limit.
pub(super) const TOO_MANY_ACTIONS: &str = "the workload has more actions than are allowed";

/// Message with which a program ends at the action that is looked for.
const REACHED: &str = "the program has recorded the action";

/// Start of the message for more actions of a rank than the limit.
pub(super) const MOST_ACTIONS: &str = "a rank has more than";

/// Actions of one rank, with the tables that they refer to.
#[derive(Default)]
pub(super) struct RankActions {
    /// Actions from `init` to `finalize`.
    pub actions: Actions,
    /// Arguments that do not fit into an action.
    pub tables: Tables,
}

/// A request that was started but not waited for.
#[derive(Clone, Copy, PartialEq, Debug)]
enum OpenRequest {
    Message {
        /// Source, destination and tag.
        triple: Triple,
        /// Number of the message among those of the rank.
        number: usize,
    },
    /// A collective; its number is that of the request.
    Collective,
    /// A message to or from no rank, which is complete.
    Null,
}

/// Rank in calls that do nothing, as `MPI_PROC_NULL`.
pub(super) const PROC_NULL: i32 = -1;

/// Communicator and mode of a collective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Where {
    communicator: CommunicatorId,
    /// Number of members.
    members: u32,
    blocks: bool,
}

/// Start of a repetition.
pub(super) struct Mark {
    /// Number of actions before it.
    actions: usize,
    /// Open requests.
    open: Vec<OpenKey>,
}

/// Request as the waits of a trace name it: a message, or the number of a collective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum OpenKey {
    Message(Triple),
    Collective(usize),
    Null,
}

/// Collects the actions of one rank while its program runs.
pub(super) struct Recorder<'b> {
    state: RefCell<RecorderState>,
    /// Number of actions that all ranks together may still record.
    budget: &'b AtomicU64,
    communicators: &'b [MemberList],
    /// Index of the action after which the program ends.
    last: Option<usize>,
    /// Index of the action of which `last` is a repetition.
    original: Cell<Option<usize>>,
}

struct RecorderState {
    rank: u32,
    size: u32,
    done: RankActions,
    requests: Vec<Option<OpenRequest>>,
    /// Numbers that are free. The lowest is taken first, so that each iteration of a loop has the same ones.
    free: BinaryHeap<Reverse<u32>>,
    pending: usize,
    /// Messages that have no wait yet, and the number of all so far.
    messages: OpenMessages,
    posted: usize,
    /// Communicators that are known to contain the rank.
    known: FxHashSet<CommunicatorId>,
    /// Counts in lists, in units of as many as take the memory of an action.
    listed: u64,
    /// Actions of this rank that were deducted from the budget.
    paid: u64,
}

/// Actions that a rank deducts from the budget in one step, so that threads rarely contend.
const PORTION: u64 = 4096;
/// Largest number of actions of one rank: a gibibyte of the temporary file.
const MOST_OF_A_RANK: u64 = 1 << 26;
/// Counts in lists that take the memory of an action.
const COUNTS_OF_AN_ACTION: u64 = 4;
/// Actions of one rank that stay in memory while its program runs; the rest goes to a temporary file.
const KEPT_OF_A_RANK: usize = 1 << 18;

impl<'b> Recorder<'b> {
    pub fn new(rank: u32, size: u32, communicators: &'b [MemberList], budget: &'b AtomicU64) -> Self {
        let state = RecorderState {
            rank,
            size,
            done: RankActions { actions: Actions::in_store(&Store::new(KEPT_OF_A_RANK)), ..RankActions::default() },
            requests: Vec::new(),
            free: BinaryHeap::new(),
            pending: 0,
            messages: OpenMessages::default(),
            posted: 0,
            known: FxHashSet::from_iter([CommunicatorId::WORLD]),
            listed: 0,
            paid: 0,
        };
        Self { state: RefCell::new(state), budget, communicators, last: None, original: Cell::new(None) }
    }

    /// Ends the program with an error at the call that records the action of this index.
    pub fn ending_at(self, last: usize) -> Self {
        Self { last: Some(last), ..self }
    }

    /// Returns the index of the action that was recorded first, if the one to end at is a repetition of it.
    pub fn original(&self) -> Option<usize> {
        self.original.get()
    }

    /// Returns everything that was recorded.
    pub fn finish(self) -> RankActions {
        let mut done = self.state.into_inner().done;
        done.actions.shrink_to_fit();
        done
    }

    pub fn push(&self, action: Action) -> Result<(), Wrong> {
        let mut state = self.state.borrow_mut();
        self.pay(&mut state, 1)?;
        state.done.actions.push(action);
        if self.last == Some(state.done.actions.len() - 1) {
            bail!("{REACHED}");
        }
        Ok(())
    }

    fn pay(&self, state: &mut RecorderState, more: u64) -> Result<(), Wrong> {
        let needed = state.done.actions.len() as u64 + state.listed + more;
        if needed > MOST_OF_A_RANK {
            bail!("{MOST_ACTIONS} {MOST_OF_A_RANK} actions");
        }
        if needed > state.paid {
            let portion = (needed - state.paid).max(PORTION);
            if self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(portion)).is_err()
            {
                bail!("{TOO_MANY_ACTIONS}");
            }
            state.paid += portion;
        }
        Ok(())
    }

    pub fn compute(&self, flops: f64) -> Result<(), Wrong> {
        if !(flops >= 0.0 && flops.is_finite()) {
            bail!("compute({flops}): an amount of flops is finite and not negative");
        }
        if flops > 0.0 { self.push(Action::Compute { flops }) } else { Ok(()) }
    }

    pub fn sleep(&self, seconds: f64) -> Result<(), Wrong> {
        if !(seconds >= 0.0 && seconds.is_finite()) {
            bail!("sleep({seconds}): a time is finite and not negative");
        }
        if seconds > 0.0 { self.push(Action::Sleep { seconds }) } else { Ok(()) }
    }

    /// Checks a partner, a tag, and a type; `None` for [`PROC_NULL`].
    fn message(&self, partner: i32, datatype: i32, tag: i32) -> Result<Option<(u32, Datatype)>, Wrong> {
        if tag < 0 {
            bail!("a tag is 0 or more, not {tag}");
        }
        let datatype = type_of(datatype)?;
        if partner == PROC_NULL { Ok(None) } else { Ok(Some((self.rank(partner)?, datatype))) }
    }

    /// Returns the rank, and the number of ranks.
    pub fn place(&self) -> (u32, u32) {
        let state = self.state.borrow();
        (state.rank, state.size)
    }

    /// Checks a rank.
    pub fn rank(&self, rank: i32) -> Result<u32, Wrong> {
        let size = self.state.borrow().size;
        match u32::try_from(rank) {
            Ok(rank) if rank < size => Ok(rank),
            _ => bail!("there is no rank {rank}: ranks are 0 to {}", size - 1),
        }
    }

    pub fn send(&self, to: i32, count: u32, datatype: i32, tag: i32) -> Result<(), Wrong> {
        match self.message(to, datatype, tag)? {
            Some((to, datatype)) => self.push(Action::Send { to, tag, count, datatype }),
            None => Ok(()),
        }
    }

    pub fn recv(&self, from: i32, count: u32, datatype: i32, tag: i32) -> Result<(), Wrong> {
        match self.message(from, datatype, tag)? {
            Some((from, datatype)) => self.push(Action::Recv { from, tag, count, datatype }),
            None => Ok(()),
        }
    }

    pub fn isend(&self, to: i32, count: u32, datatype: i32, tag: i32) -> Result<i32, Wrong> {
        let Some((to, datatype)) = self.message(to, datatype, tag)? else {
            return Ok(self.state.borrow_mut().remember(OpenRequest::Null));
        };
        self.push(Action::Isend { to, tag, count, datatype })?;
        let mut state = self.state.borrow_mut();
        let triple = (state.rank, to, tag);
        Ok(state.remember_message(triple))
    }

    pub fn irecv(&self, from: i32, count: u32, datatype: i32, tag: i32) -> Result<i32, Wrong> {
        let Some((from, datatype)) = self.message(from, datatype, tag)? else {
            return Ok(self.state.borrow_mut().remember(OpenRequest::Null));
        };
        self.push(Action::Irecv { from, tag, count, datatype })?;
        let mut state = self.state.borrow_mut();
        let triple = (from, state.rank, tag);
        Ok(state.remember_message(triple))
    }

    pub fn wait(&self, handle: i32) -> Result<(), Wrong> {
        let (request, nth) = {
            let mut state = self.state.borrow_mut();
            let request = state.forget(handle)?;
            (request, state.ended(request))
        };
        match request {
            OpenRequest::Message { triple, .. } => {
                Action::wait_for(triple, nth).try_for_each(|action| self.push(action))
            }
            OpenRequest::Collective => self.push(Action::WaitRequest { request: handle as u32 }),
            OpenRequest::Null => Ok(()),
        }
    }

    /// Waits for some requests, or for all. A trace can express only the latter, so some are waited for one by one.
    pub fn wait_all(&self, handles: Option<&[i32]>) -> Result<(), Wrong> {
        {
            let mut state = self.state.borrow_mut();
            if handles.is_none_or(|handles| handles.len() == state.pending) {
                for &handle in handles.unwrap_or_default() {
                    state.forget(handle)?;
                }
                state.requests.clear();
                state.messages.clear();
                state.free.clear();
                state.pending = 0;
                drop(state);
                return self.push(Action::WaitAll);
            }
        }
        handles.unwrap_or_default().iter().try_for_each(|&handle| self.wait(handle))
    }

    /// Records a combined send and receive. The action for it has no tag, and two partners; any other one is a send and a
    /// receive that are under way together.
    pub fn sendrecv(&self, to: i32, sent: u32, from: i32, received: u32, datatype: i32, tag: i32) -> Result<(), Wrong> {
        let partners = (self.message(to, datatype, tag)?, self.message(from, datatype, tag)?);
        let (Some((rank, send_type)), Some((source, recv_type)), 0) = (partners.0, partners.1, tag) else {
            let request = self.isend(to, sent, datatype, tag)?;
            self.recv(from, received, datatype, tag)?;
            return self.wait(request);
        };
        let entry = SendRecv { to: rank, send_count: sent, send_type, from: source, recv_count: received, recv_type };
        let index = self.state.borrow_mut().done.tables.sendrecv(entry).map_err(full)?;
        self.push(Action::SendRecv { index })
    }

    /// Returns the place of a call: a communicator by its number in the list of the program, or all ranks.
    pub fn on(&self, number: Option<i32>, blocks: bool) -> Result<Where, Wrong> {
        let mut state = self.state.borrow_mut();
        let communicator = match number.map(|n| (n, usize::try_from(n).ok().filter(|&n| n < self.communicators.len())))
        {
            None => CommunicatorId::WORLD,
            Some((_, Some(index))) => CommunicatorId::from_index(index as u32),
            Some((number, None)) => bail!(
                "there is no communicator {number}: communicators(size, params) lists {}, counted from 0",
                self.communicators.len()
            ),
        };
        let members = Members::of(self.communicators, communicator, state.size as usize);
        if !state.known.contains(&communicator) {
            if members.member(state.rank).is_none() {
                bail!("rank {} is no member of communicator {}", state.rank, number.unwrap_or_default());
            }
            state.known.insert(communicator);
        }
        Ok(Where { communicator, members: members.size() as u32, blocks })
    }

    /// Checks a root.
    pub fn member(&self, place: Where, root: i32) -> Result<u32, Wrong> {
        if place.communicator.is_world() {
            return self.rank(root);
        }
        match u32::try_from(root) {
            Ok(root) if root < place.members => Ok(root),
            _ => bail!("there is no root {root}: members are 0 to {}", place.members - 1),
        }
    }

    /// Returns a vector of counts with one per member.
    pub fn counts(&self, place: Where, counts: &[Count]) -> Result<Counts, Wrong> {
        if counts.len() != place.members as usize {
            bail!("the list has {} counts, for {} ranks", counts.len(), place.members);
        }
        let counts: Vec<u32> = counts.iter().map(|count| count.0).collect();
        let mut state = self.state.borrow_mut();
        // A list that was given before is kept once.
        let before = state.done.tables.counts.len();
        let kept = state.done.tables.counts(&counts).map_err(full)?;
        state.listed += (state.done.tables.counts.len() - before) as u64 / COUNTS_OF_AN_ACTION;
        self.pay(&mut state, 0)?;
        Ok(kept)
    }

    /// Records a collective; returns its request if it is non-blocking.
    pub fn collective(&self, place: Where, call: CollectiveCall) -> Result<Option<i32>, Wrong> {
        if !(call.flops >= 0.0 && call.flops.is_finite()) {
            bail!("flops = {}: an amount of flops is finite and not negative", call.flops);
        }
        let call = CollectiveCall { communicator: place.communicator, ..call };
        let index = self.state.borrow_mut().done.tables.collective(call).map_err(full)?;
        if place.blocks {
            return self.push(Action::Collective { index }).map(|()| None);
        }
        let handle = self.state.borrow_mut().remember(OpenRequest::Collective);
        self.push(Action::Start { index, request: handle as u32 })?;
        Ok(Some(handle))
    }

    /// Returns the window of a one-sided call, and the other rank, which has to be a member.
    pub fn window(&self, on: Option<i32>, other: Option<i32>) -> Result<(CommunicatorId, u32), Wrong> {
        let Where { communicator, .. } = self.on(on, true)?;
        let (own, size) = self.place();
        let Some(other) = other else { return Ok((communicator, own)) };
        let other = self.rank(other)?;
        if Members::of(self.communicators, communicator, size as usize).member(other).is_none() {
            bail!("rank {other} is no member of communicator {}", on.unwrap_or_default());
        }
        Ok((communicator, other))
    }

    pub fn probe(&self, from: i32, tag: i32) -> Result<(), Wrong> {
        match self.message(from, 0, tag)? {
            Some((from, _)) => self.push(Action::Probe { from, tag }),
            None => Ok(()),
        }
    }

    /// Returns the number of requests to look at for those that are open.
    pub fn open_slots(&self) -> u64 {
        let state = self.state.borrow();
        if state.pending == 0 { 0 } else { state.requests.len() as u64 }
    }

    /// Returns the start of a repetition.
    pub fn mark(&self) -> Mark {
        let state = self.state.borrow();
        Mark { actions: state.done.actions.len(), open: state.open() }
    }

    /// Repeats everything since a mark, `times` more times. All repetitions have to begin with the same open requests:
    /// their waits name a request by its partner and tag, or by its number.
    pub fn again(&self, mark: Mark, times: u64) -> Result<(), Wrong> {
        if times == 0 {
            return Ok(());
        }
        let mut state = self.state.borrow_mut();
        let open = state.open();
        if open != mark.open {
            let (what, way) = match open.len().checked_sub(mark.open.len()) {
                None | Some(0) => ("waits for a request from before it".to_owned(), "wait after `repeat`"),
                Some(left) => (format!("leaves {} without a wait", counted(left as u64, "request")), "wait inside it"),
            };
            bail!("the function of `repeat` {what}, which {} calls cannot repeat: {way}, or write a loop", times + 1);
        }
        let mark = mark.actions;
        let end = state.done.actions.len();
        let more = ((end - mark) as u64).saturating_mul(times);
        if let Some(last) = self.last
            && last >= end
            && ((last - end) as u64) < more
        {
            self.original.set(Some(mark + (last - mark) % (end - mark)));
            bail!("{REACHED}");
        }
        self.pay(&mut state, more)?;
        state.done.actions.repeat(mark, end, times);
        Ok(())
    }
}

impl RecorderState {
    /// Returns the open requests in ascending order.
    fn open(&self) -> Vec<OpenKey> {
        if self.pending == 0 {
            return Vec::new();
        }
        let key = |(slot, request): (usize, &Option<OpenRequest>)| {
            Some(match (*request)? {
                OpenRequest::Message { triple, .. } => OpenKey::Message(triple),
                OpenRequest::Collective => OpenKey::Collective(slot),
                OpenRequest::Null => OpenKey::Null,
            })
        };
        let mut open: Vec<OpenKey> = self.requests.iter().enumerate().filter_map(key).collect();
        open.sort_unstable();
        open
    }

    fn remember(&mut self, request: OpenRequest) -> i32 {
        self.pending += 1;
        if let Some(Reverse(slot)) = self.free.pop() {
            self.requests[slot as usize] = Some(request);
            return slot as i32;
        }
        self.requests.push(Some(request));
        self.requests.len() as i32 - 1
    }

    fn remember_message(&mut self, triple: Triple) -> i32 {
        self.posted += 1;
        self.messages.post(triple, self.posted);
        self.remember(OpenRequest::Message { triple, number: self.posted })
    }

    /// Returns the number of older open messages of the same triple, which a wait passes over.
    fn ended(&mut self, request: OpenRequest) -> u32 {
        match request {
            OpenRequest::Message { triple, number } => self.messages.end(triple, number),
            OpenRequest::Collective | OpenRequest::Null => 0,
        }
    }

    fn forget(&mut self, handle: i32) -> Result<OpenRequest, Wrong> {
        let request = usize::try_from(handle).ok().and_then(|slot| self.requests.get_mut(slot)).and_then(Option::take);
        let Some(request) = request else {
            bail!("there is no such request (it was waited for before, or {handle} is not what isend or irecv gave)");
        };
        self.free.push(Reverse(handle as u32));
        self.pending -= 1;
        Ok(request)
    }
}

/// Returns the datatype of that number.
pub(super) fn type_of(id: i32) -> Result<Datatype, Wrong> {
    Datatype::from_id(i64::from(id))
        .ok_or_else(|| wrong!("{id} is no datatype: use one of the constants, such as DOUBLE, INT, FLOAT or BYTE"))
}

fn full(Full(table): Full) -> Wrong {
    wrong!("the workload has too many different {table}")
}
