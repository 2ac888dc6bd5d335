//! One trace made from several: jobs that run simultaneously.
//!
//! Ranks are numbered consecutively, job after job. The communicator of all ranks of a job becomes a communicator with
//! these members, so that its collectives see a world of the job's own size, and messages keep to the ranks of their
//! job because they name them.

use std::sync::Arc;

use crate::trace::schedule::Schedule;
use crate::trace::{ANY_TARGET, Action, Actions, CollectiveCall, CommunicatorId, Counts, SendRecv, Trace};

/// Reason why traces cannot become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// A table of the merged trace would have more than 2^31 entries.
    #[error("the jobs have together more than 2^31 {what}")]
    TooMany {
        /// Entries of the table.
        what: &'static str,
    },
    /// Two graphs count their calculations in nanoseconds of different processors.
    #[error("the jobs' schedules were read with different speeds of the recorded processor")]
    Speeds,
}

/// Offsets of a job's numbers in the merged tables.
#[derive(Clone, Copy)]
struct Shift {
    rank: u32,
    sendrecv: u32,
    collective: u32,
    count: u32,
    /// The communicator of all ranks of the job; its others follow.
    communicator: u32,
}

impl Shift {
    fn communicator(self, id: CommunicatorId) -> CommunicatorId {
        CommunicatorId::from_number(self.communicator + id.number())
    }

    fn counts(self, counts: Counts) -> Counts {
        if counts.len == 0 { counts } else { Counts { start: counts.start + self.count, ..counts } }
    }

    fn call(self, call: &CollectiveCall) -> CollectiveCall {
        CollectiveCall {
            communicator: self.communicator(call.communicator),
            send_counts: self.counts(call.send_counts),
            recv_counts: self.counts(call.recv_counts),
            displacements: self.counts(call.displacements),
            ..*call
        }
    }

    fn action(self, action: &mut Action) {
        match action {
            Action::Init
            | Action::Finalize
            | Action::NoOperation
            | Action::Compute { .. }
            | Action::Sleep { .. }
            | Action::Pick { .. }
            | Action::WaitAll
            | Action::WaitRequest { .. }
            | Action::TestRequest { .. } => {}
            Action::Send { to: peer, .. }
            | Action::Isend { to: peer, .. }
            | Action::Recv { from: peer, .. }
            | Action::Irecv { from: peer, .. }
            | Action::Probe { from: peer, .. }
            | Action::Iprobe { from: peer, .. } => *peer += self.rank,
            Action::SendRecv { index } => *index += self.sendrecv,
            Action::Wait { source, destination, .. } | Action::Test { source, destination, .. } => {
                *source += self.rank;
                *destination += self.rank;
            }
            Action::Collective { index } | Action::Start { index, .. } => *index += self.collective,
            Action::Put { to: peer, window, .. }
            | Action::Accumulate { to: peer, window, .. }
            | Action::Get { from: peer, window, .. } => {
                *peer += self.rank;
                *window = self.communicator(*window);
            }
            Action::Fence { window } => *window = self.communicator(*window),
            Action::Flush { window, to } => {
                *window = self.communicator(*window);
                if *to != ANY_TARGET {
                    *to += self.rank;
                }
            }
        }
    }
}

/// Merges several traces into one.
///
/// # Errors
/// [`MergeError`] if a table would be too large, or the speeds of graphs differ.
pub fn merge(traces: &[&Trace]) -> Result<Trace, MergeError> {
    let mut merged = Trace {
        name: traces.iter().map(|trace| trace.name.as_str()).collect::<Vec<_>>().join(" + "),
        ..Trace::default()
    };
    let store = traces.first().map(|trace| trace.new_store());
    let mut schedule = Schedule::default();
    let graphs = || traces.iter().filter_map(|trace| trace.schedule.as_deref());
    if let Some(first) = graphs().next() {
        schedule.flops_per_nanosecond = first.flops_per_nanosecond;
        if graphs().any(|graph| graph.flops_per_nanosecond != first.flops_per_nanosecond) {
            return Err(MergeError::Speeds);
        }
    }
    for trace in traces {
        let shift = Shift {
            rank: fits("ranks", merged.actions.len(), trace.ranks())?,
            sendrecv: fits("combined sends and receives", merged.sendrecvs.len(), trace.sendrecvs.len())?,
            collective: fits("collectives", merged.collectives.len(), trace.collectives.len())?,
            count: fits("counts of collectives", merged.counts.len(), trace.counts.len())?,
            communicator: fits("communicators", merged.communicators.len(), trace.communicators.len() + 1)? + 1,
        };
        let world: Vec<u32> = (shift.rank..).take(trace.ranks()).collect();
        merged.communicators.push(world.into());
        for members in &trace.communicators {
            merged.communicators.push(members.iter().map(|member| member + shift.rank).collect());
        }
        merged.counts.extend_from_slice(&trace.counts);
        merged.collectives.extend(trace.collectives.iter().map(|call| shift.call(call)));
        let shifted = |both: &SendRecv| SendRecv { to: both.to + shift.rank, from: both.from + shift.rank, ..*both };
        merged.sendrecvs.extend(trace.sendrecvs.iter().map(shifted));
        for actions in &trace.actions {
            let mut copy = store.as_ref().map_or_else(Actions::default, Actions::in_store);
            copy.extend(actions.iter().map(|mut action| {
                shift.action(&mut action);
                action
            }));
            copy.shrink_to_fit();
            merged.actions.push(copy);
        }
        if graphs().next().is_some() {
            match &trace.schedule {
                Some(own) => schedule.ranks.extend(own.ranks.iter().map(|graph| graph.shifted(shift.rank))),
                None => schedule.ranks.resize(merged.actions.len(), Default::default()),
            }
        }
    }
    if graphs().next().is_some() {
        merged.schedule = Some(Arc::new(schedule));
    }
    Ok(merged)
}

/// Returns the number of entries of a table so far, if it has room for `more`.
fn fits(what: &'static str, have: usize, more: usize) -> Result<u32, MergeError> {
    let all = have.checked_add(more).filter(|&all| all < 1 << 31);
    all.map(|_| have as u32).ok_or(MergeError::TooMany { what })
}
