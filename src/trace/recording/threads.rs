//! Calls during which another thread of the rank was recorded.
//!
//! Such a call may wait for actions of the other thread. Its start is therefore placed where it began, and its
//! completion where it returned; a blocking call becomes the non-blocking one and a wait. Each rank is still one list
//! of starts and ends in the order in which they happened, in which the ranks can repeat them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::Op;
use super::rank::{Done, Reader};
use super::stream::Record;
use crate::trace::calls::Program;
use crate::trace::{Action, Actions, CommunicatorId};

/// Place of an action of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Among the actions of the rank.
    At(usize),
    /// Among the inserted actions.
    Between(usize),
}

/// An action to insert before the one with index `before`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between {
    before: usize,
    pub action: Action,
    is_split: bool,
}

/// Concurrent calls of the threads of a rank.
#[derive(Default)]
pub(super) struct Threads {
    /// Threads that are in a call, with its start.
    entered: FxHashMap<i64, usize>,
    /// Start of the call of the next record.
    pub left: Option<usize>,
    /// Starts to insert where their calls began.
    pub between: Vec<Between>,
    /// Indices of collectives that were blocking, and are now a start and a wait.
    split: Vec<usize>,
}

impl Reader<'_, '_> {
    /// Registers the start of a call of a thread: its kind is in the record of its end.
    pub fn enter(&mut self, thread: i64) {
        let at = self.actions().len();
        self.push(Action::NoOperation);
        self.threads.entered.insert(thread, at);
    }

    /// Registers the return of a call of a thread; the next record describes it.
    pub fn leave(&mut self, thread: i64) -> Done {
        let at = self.threads.entered.remove(&thread);
        self.threads.left = at;
        let wrong = || self.error(format!("a call of thread {thread} ends that has not begun"));
        at.map(|_| ()).ok_or_else(wrong)
    }

    /// Processes the record of a call that began at that index.
    pub fn returned(&mut self, record: &Record, at: usize) -> Done {
        let starts = matches!(
            record.op,
            Op::Send
                | Op::Isend
                | Op::Recv
                | Op::Irecv
                | Op::Start
                | Op::Sendrecv
                | Op::Collective
                | Op::Icollective
                | Op::Neighbor
                | Op::Ineighbor
                | Op::Comm
                | Op::Win
                | Op::Rma
                | Op::WinSync
        );
        if !starts {
            return self.record(record);
        }
        let empty = self.actions().none_alike();
        let all = std::mem::replace(self.actions(), empty);
        self.requests().begun_at = Some(at);
        self.handles.note_new();
        let done = self.record(record);
        let made = std::mem::replace(self.actions(), all);
        done?;
        let is_alone = at + 1 == self.actions().len();
        let mut begin = Some(at);
        let mut places = Vec::new();
        for action in made.iter() {
            let (start, end) = if is_alone { (Some(action), None) } else { self.halves(action) };
            let place = match (start, begin) {
                (Some(start), Some(at)) => {
                    self.actions().set(at, start);
                    self.split_at(at, end);
                    begin = None;
                    Place::At(at)
                }
                (Some(start), None) if is_alone => {
                    self.push(start);
                    Place::At(self.actions().len() - 1)
                }
                (Some(action), None) => {
                    let is_split = matches!(end, Some(Action::WaitRequest { .. }));
                    self.threads.between.push(Between { before: at + 1, action, is_split });
                    Place::Between(self.threads.between.len() - 1)
                }
                (None, _) => Place::At(self.actions().len()),
            };
            places.push(place);
            if let Some(end) = end {
                self.push(end);
            }
            if let (Some(Action::Start { .. }), Some(Action::WaitRequest { request })) = (start, end) {
                let behind = self.actions().len();
                self.requests().is_free(request, behind);
            }
        }
        self.requests().begun_at = None;
        self.handles.relocate(&places);
        Ok(())
    }

    fn split_at(&mut self, at: usize, end: Option<Action>) {
        if matches!(end, Some(Action::WaitRequest { .. })) {
            self.threads.split.push(at);
        }
    }

    /// Splits an action into the part for the start of its call, and the part for its return.
    fn halves(&mut self, action: Action) -> (Option<Action>, Option<Action>) {
        let rank = self.rank;
        match action {
            Action::Send { to, tag, count, datatype } => (
                Some(Action::Isend { to, tag, count, datatype }),
                Some(Action::Wait { source: rank, destination: to, tag }),
            ),
            Action::Recv { from, tag, count, datatype } => (
                Some(Action::Irecv { from, tag, count, datatype }),
                Some(Action::Wait { source: from, destination: rank, tag }),
            ),
            Action::Collective { index } => {
                let request = self.requests().number();
                (Some(Action::Start { index, request }), Some(Action::WaitRequest { request }))
            }
            // A receive whose source is not known yet is not a receive so far.
            Action::NoOperation
            | Action::Isend { .. }
            | Action::Irecv { .. }
            | Action::Start { .. }
            | Action::Put { .. }
            | Action::Get { .. }
            | Action::Accumulate { .. } => (Some(action), None),
            Action::Fence { .. } => {
                self.note(
                    "MPI_Win_fence during calls of other threads: replayed where it ended, so it may wait for them",
                );
                (None, Some(action))
            }
            _ => (None, Some(action)),
        }
    }
}

/// Visits the actions of a rank with the inserted ones, with a flag for collectives that were blocking.
fn walk(actions: &Actions, threads: &Threads, mut see: impl FnMut(Action, bool)) {
    let mut between = threads.between.iter().peekable();
    let mut split = threads.split.iter().peekable();
    for (at, action) in actions.iter().enumerate() {
        while let Some(one) = between.next_if(|one| one.before <= at) {
            see(one.action, one.is_split);
        }
        see(action, split.next_if(|&&place| place == at).is_some());
    }
    between.for_each(|one| see(one.action, one.is_split));
}

/// Inserts the collected actions, once all ranks have been read. A collective that is a start and a wait on one member
/// of its communicator has to be that on all.
pub(super) fn weave(program: &mut Program<'_>, mut ranks: Vec<(u32, Threads)>) {
    for (_, threads) in &mut ranks {
        threads.between.sort_by_key(|one| one.before);
        threads.split.sort_unstable();
    }
    let number = |program: &Program<'_>, made: &mut FxHashMap<CommunicatorId, u64>, index: u32| {
        let communicator = program.tables.collectives.get(index as usize).map(|call| call.communicator)?;
        let next = made.entry(communicator).or_default();
        *next += 1;
        Some((communicator, *next))
    };
    let mut split = FxHashSet::default();
    let has_split = |threads: &Threads| !threads.split.is_empty() || threads.between.iter().any(|one| one.is_split);
    for (rank, threads) in ranks.iter().filter(|(_, threads)| has_split(threads)) {
        let mut made = FxHashMap::default();
        walk(&program.ranks[*rank as usize].actions, threads, |action, is_split| match action {
            Action::Collective { index } => drop(number(program, &mut made, index)),
            Action::Start { index, .. } if is_split => split.extend(number(program, &mut made, index)),
            _ => {}
        });
    }
    for (rank, threads) in ranks.iter().filter(|(_, threads)| !split.is_empty() || !threads.between.is_empty()) {
        let state = &program.ranks[*rank as usize];
        let request = state.requests.unused();
        let (mut made, mut woven) = (FxHashMap::default(), state.actions.none_alike());
        walk(&state.actions, threads, |action, is_split| match action {
            Action::Collective { index }
                if number(program, &mut made, index).is_some_and(|number| split.contains(&number)) =>
            {
                woven.push(Action::Start { index, request });
                woven.push(Action::WaitRequest { request });
            }
            Action::Start { index, .. } if is_split => {
                number(program, &mut made, index);
                woven.push(action);
            }
            _ => woven.push(action),
        });
        program.ranks[*rank as usize].actions = woven;
    }
}
