//! Conversion of calls during which another thread of the rank was recorded.

use super::layout::Op;
use super::rank::{Done, RecordingReader};
use super::stream::CallRecord;
use super::threads::{ActionPlace, Between};
use crate::trace::Action;

impl RecordingReader<'_, '_> {
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
    pub fn returned(&mut self, record: &CallRecord, at: usize) -> Done {
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
        self.requests().is_woven = true;
        self.handles.note_new();
        let done = self.record(record);
        let made = std::mem::replace(self.actions(), all);
        if let Err(error) = done {
            self.requests().begun_at = None;
            self.handles.drop_new();
            return Err(error);
        }
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
                    ActionPlace::At(at)
                }
                (Some(start), None) if is_alone => {
                    self.push(start);
                    ActionPlace::At(self.actions().len() - 1)
                }
                (Some(action), None) => {
                    let is_split = matches!(end, Some(Action::WaitRequest { .. }));
                    self.threads.between.push(Between { before: at + 1, action, is_split });
                    ActionPlace::Between(self.threads.between.len() - 1)
                }
                (None, _) => ActionPlace::At(self.actions().len()),
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
