//! A whole event trace: the actions of every rank, and the tables that they refer to.

use std::sync::{Arc, OnceLock};

use super::action::{Action, CollectiveCall, Counts, SendRecv};
use super::actions::{Actions, Store};
use super::communicator::{CommunicatorId, MemberList, Members, Sequence};
use super::options::Options;
use super::origin::{Origin, TraceWarning};
use super::schedule::Schedule;
use super::side::SideFile;

/// A whole trace: the actions of every rank, and the tables that they refer to.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    /// Name for reports, e.g. `lu.A.64.it10`.
    pub name: String,
    /// Actions of each rank.
    pub actions: Vec<Actions>,
    /// Arguments of the `sendRecv`s.
    pub sendrecvs: Vec<SendRecv>,
    /// Arguments of the collectives.
    pub collectives: Vec<CollectiveCall>,
    /// Count vectors of the collectives.
    pub counts: Vec<u32>,
    /// Members of the communicators other than that of all ranks.
    pub communicators: Vec<MemberList>,
    /// Graphs that the ranks run instead of actions; `actions` is then empty.
    pub schedule: Option<Arc<Schedule>>,
    /// Files from which the actions were read.
    pub origin: Origin,
    /// Warnings of the reader.
    pub warnings: Vec<TraceWarning>,
    /// Content of the side file, if there is one.
    pub side: Option<SideFile>,
    /// Longest time of a rank between its first and its last call while the program was recorded, in seconds; `None`
    /// for formats without times and for parts of a recording.
    pub recorded_seconds: Option<f64>,
    /// Cached result of [`polls`](Self::polls); leave it empty if `actions` are created by hand.
    pub known_polls: OnceLock<bool>,
}

impl Trace {
    /// Returns `true` if any rank polls: tests a request, or receives a message of unknown size. Only then can the
    /// outcome of a replay depend on the order of the ranks within an instant.
    pub fn polls(&self) -> bool {
        *self.known_polls.get_or_init(|| self.actions.iter().flatten().any(|action| action.polls()))
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.actions.len()
    }

    /// Returns memory for the actions of a trace derived from this one: the same limit as for this one.
    pub(super) fn new_store(&self) -> Arc<Store> {
        let limit = self.actions.iter().find_map(Actions::limit);
        Store::new(limit.unwrap_or_else(|| Options::default().actions_in_memory))
    }

    /// Returns the number of actions of all ranks together, or of operations of their schedule.
    pub fn total_actions(&self) -> u64 {
        let operations = self.schedule.as_ref().map_or(0, |schedule| schedule.operations());
        self.actions.iter().map(|a| a.len() as u64).sum::<u64>() + operations
    }

    /// Returns the operations of the whole program, if the side file contains them.
    pub fn operations(&self) -> Option<f64> {
        self.side.as_ref().and_then(|side| side.operations)
    }

    /// Returns the run time of the program when it was recorded, in seconds: that of the side file, otherwise that of
    /// the recording.
    pub fn measured_seconds(&self) -> Option<f64> {
        self.side.as_ref().and_then(|side| side.measured_seconds).or(self.recorded_seconds)
    }

    /// Returns the sequence that an action is part of: that of a collective or a fence.
    pub(crate) fn sequence(&self, action: &Action) -> Option<Sequence> {
        match *action {
            Action::Collective { index } => Some((self.collectives[index as usize].communicator, true)),
            Action::Start { index, .. } => Some((self.collectives[index as usize].communicator, false)),
            Action::Fence { window } => Some((window, true)),
            _ => None,
        }
    }

    /// Returns the members of a communicator.
    ///
    /// # Panics
    /// If the trace has no such communicator.
    pub fn members(&self, id: CommunicatorId) -> Members<'_> {
        Members::of(&self.communicators, id, self.ranks())
    }

    /// Returns the entries of a count vector.
    pub fn counts(&self, counts: Counts) -> &[u32] {
        &self.counts[counts.start as usize..(counts.start + counts.len) as usize]
    }
}
