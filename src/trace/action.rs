//! The compact in-memory form of a trace: 16 bytes an action, walked by an index.
//!
//! Arguments that do not fit (those of collectives and of `sendRecv`) lie in side tables. Equal ones are stored once:
//! all ranks and iterations that call `allreduce` with the same sizes share an entry.

use std::sync::{Arc, OnceLock};

use super::actions::Store;
use super::communicator::{CommunicatorId, MemberList, Members};
use super::schedule::Schedule;
use super::{Actions, Datatype, Options, Origin, SideFile, TraceWarning};

/// Count of a receive that takes a message of any size (written -1 in a trace).
pub const UNKNOWN_COUNT: u32 = u32::MAX;

/// Target of a [`Flush`](Action::Flush) that concerns operations on all ranks.
pub const ANY_TARGET: u32 = u32::MAX;

/// One step of a rank. Counts are in elements of the datatype.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    /// The rank's timer starts. Takes no time.
    Init,
    /// The rank ends. Takes no time.
    Finalize,
    /// Something that takes no time and has no effect on others (`comm_size`, `comm_split`, `comm_dup`, `location`).
    NoOperation,
    /// Computation of so many flops on the rank's host.
    Compute {
        /// Amount, zero or more, finite; not rounded.
        flops: f64,
    },
    /// The rank does nothing for a while; its core stays free.
    Sleep {
        /// Duration, finite; zero or less has no effect.
        seconds: f64,
    },
    /// Blocking standard send.
    Send {
        /// Destination rank.
        to: u32,
        /// Message tag, zero or more.
        tag: i32,
        /// Elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// Non-blocking send, remembered under (self, `to`, `tag`).
    Isend {
        /// Destination rank.
        to: u32,
        /// Message tag, zero or more.
        tag: i32,
        /// Elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// Blocking receive; `count` may be [`UNKNOWN_COUNT`].
    Recv {
        /// Source rank.
        from: u32,
        /// Message tag, zero or more.
        tag: i32,
        /// Capacity in elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// Non-blocking receive, remembered under (`from`, self, `tag`); `count` may be [`UNKNOWN_COUNT`].
    Irecv {
        /// Source rank.
        from: u32,
        /// Message tag, zero or more.
        tag: i32,
        /// Capacity in elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// Combined send and receive: index into [`Trace::sendrecvs`].
    SendRecv {
        /// Index of the arguments.
        index: u32,
    },
    /// Waits for the oldest remembered request of that triple.
    Wait {
        /// Source rank of the request.
        source: u32,
        /// Destination rank of the request.
        destination: u32,
        /// Tag of the request.
        tag: i32,
    },
    /// Tests the oldest remembered request of that triple.
    Test {
        /// Source rank of the request.
        source: u32,
        /// Destination rank of the request.
        destination: u32,
        /// Tag of the request.
        tag: i32,
    },
    /// Waits for all remembered requests of the rank.
    WaitAll,
    /// A collective: index into [`Trace::collectives`].
    Collective {
        /// Index of the arguments.
        index: u32,
    },
    /// The start of a collective that does not block, remembered under a number of the rank's own.
    Start {
        /// Index of the arguments in [`Trace::collectives`].
        index: u32,
        /// The number; small ones, used again, let iterations look alike.
        request: u32,
    },
    /// Waits for the oldest remembered collective of that number.
    WaitRequest {
        /// The number.
        request: u32,
    },
    /// Tests the oldest remembered collective of that number.
    TestRequest {
        /// The number.
        request: u32,
    },
    /// One-sided: writes into the memory of another rank, which makes no call.
    Put {
        /// The other rank, of the world.
        to: u32,
        /// The window, named by a communicator of its members; operations of one are kept apart from those of others.
        window: CommunicatorId,
        /// Elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// One-sided: reads from the memory of another rank, which makes no call.
    Get {
        /// The other rank, of the world.
        from: u32,
        /// The window.
        window: CommunicatorId,
        /// Elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// One-sided: as [`Put`](Self::Put), combining what is written with what is there.
    Accumulate {
        /// The other rank, of the world.
        to: u32,
        /// The window.
        window: CommunicatorId,
        /// Elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// Ends an epoch of a window for all its members: all operations are complete at both ends.
    Fence {
        /// The window.
        window: CommunicatorId,
    },
    /// Waits until the rank's own operations on a window are complete.
    Flush {
        /// The window.
        window: CommunicatorId,
        /// The rank that they concern, or [`ANY_TARGET`].
        to: u32,
    },
    /// Waits until a message could be received, and leaves it there.
    Probe {
        /// Source rank.
        from: u32,
        /// Message tag, zero or more.
        tag: i32,
    },
    /// Looks once whether a message could be received; whatever the answer, it only takes the time of the look.
    Iprobe {
        /// Source rank.
        from: u32,
        /// Message tag, zero or more.
        tag: i32,
    },
}

impl Action {
    /// Whether the action looks again and again whether a message is there.
    #[inline]
    pub(super) fn polls(&self) -> bool {
        match self {
            Self::Test { .. } | Self::TestRequest { .. } => true,
            Self::Recv { count, .. } | Self::Irecv { count, .. } => *count == UNKNOWN_COUNT,
            _ => false,
        }
    }

    /// The entry of [`Trace::collectives`] that it begins, whether it blocks or not.
    pub fn collective(&self) -> Option<u32> {
        match *self {
            Self::Collective { index } | Self::Start { index, .. } => Some(index),
            _ => None,
        }
    }

    /// The name, as traces write it; `collective` or `start` for collectives, whose kind is in the side table.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Finalize => "finalize",
            Self::NoOperation => "no operation",
            Self::Compute { .. } => "compute",
            Self::Sleep { .. } => "sleep",
            Self::Send { .. } => "send",
            Self::Isend { .. } => "isend",
            Self::Recv { .. } => "recv",
            Self::Irecv { .. } => "irecv",
            Self::SendRecv { .. } => "sendRecv",
            Self::Wait { .. } => "wait",
            Self::Test { .. } => "test",
            Self::WaitAll => "waitall",
            Self::Collective { .. } => "collective",
            Self::Start { .. } => "start",
            Self::WaitRequest { .. } => "wait_request",
            Self::TestRequest { .. } => "test_request",
            Self::Put { .. } => "put",
            Self::Get { .. } => "get",
            Self::Accumulate { .. } => "accumulate",
            Self::Fence { .. } => "fence",
            Self::Flush { .. } => "flush",
            Self::Probe { .. } => "probe",
            Self::Iprobe { .. } => "iprobe",
        }
    }
}

/// Arguments of a `sendRecv`; its tag is 0 both ways.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SendRecv {
    /// Destination rank of the send half.
    pub to: u32,
    /// Elements sent.
    pub send_count: u32,
    /// Type of the elements sent.
    pub send_type: Datatype,
    /// Source rank of the receive half.
    pub from: u32,
    /// Capacity of the receive, in elements.
    pub recv_count: u32,
    /// Type of the elements received.
    pub recv_type: Datatype,
}

/// The collective operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // They are the MPI operations of these names.
pub enum CollectiveKind {
    Barrier,
    Bcast,
    Reduce,
    Allreduce,
    Alltoall,
    Alltoallv,
    Gather,
    Gatherv,
    Allgather,
    Allgatherv,
    Scatter,
    Scatterv,
    ReduceScatter,
    Scan,
    Exscan,
}

impl CollectiveKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [CollectiveKind; 15] = [
        Self::Barrier,
        Self::Bcast,
        Self::Reduce,
        Self::Allreduce,
        Self::Alltoall,
        Self::Alltoallv,
        Self::Gather,
        Self::Gatherv,
        Self::Allgather,
        Self::Allgatherv,
        Self::Scatter,
        Self::Scatterv,
        Self::ReduceScatter,
        Self::Scan,
        Self::Exscan,
    ];

    /// The name, as traces write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Bcast => "bcast",
            Self::Reduce => "reduce",
            Self::Allreduce => "allreduce",
            Self::Alltoall => "alltoall",
            Self::Alltoallv => "alltoallv",
            Self::Gather => "gather",
            Self::Gatherv => "gatherv",
            Self::Allgather => "allgather",
            Self::Allgatherv => "allgatherv",
            Self::Scatter => "scatter",
            Self::Scatterv => "scatterv",
            Self::ReduceScatter => "reducescatter",
            Self::Scan => "scan",
            Self::Exscan => "exscan",
        }
    }

    /// The name of the form that does not block, as traces write it.
    pub fn nonblocking_name(self) -> &'static str {
        match self {
            Self::Barrier => "ibarrier",
            Self::Bcast => "ibcast",
            Self::Reduce => "ireduce",
            Self::Allreduce => "iallreduce",
            Self::Alltoall => "ialltoall",
            Self::Alltoallv => "ialltoallv",
            Self::Gather => "igather",
            Self::Gatherv => "igatherv",
            Self::Allgather => "iallgather",
            Self::Allgatherv => "iallgatherv",
            Self::Scatter => "iscatter",
            Self::Scatterv => "iscatterv",
            Self::ReduceScatter => "ireducescatter",
            Self::Scan => "iscan",
            Self::Exscan => "iexscan",
        }
    }
}

/// A vector of element counts, one for each member of the communicator: a range of [`Trace::counts`]; empty where the
/// collective has none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Counts {
    /// First index.
    pub start: u32,
    /// Number of entries: 0, or the number of members.
    pub len: u32,
}

/// Arguments of a collective as one rank gives them.
///
/// `send_count` and `send_type` hold the only count and type of `bcast`, `reduce`, `allreduce`, `scan`, `exscan`
/// (`recv_*` repeat them), and `reducescatter` has its type in both.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CollectiveCall {
    /// The operation.
    pub kind: CollectiveKind,
    /// Who takes part.
    pub communicator: CommunicatorId,
    /// The root, as a member of the communicator; 0 where the operation has none.
    pub root: u32,
    /// Elements sent (per destination for alltoall, scatter).
    pub send_count: u32,
    /// Elements received (per source for alltoall, gather, allgather).
    pub recv_count: u32,
    /// Type of the elements sent.
    pub send_type: Datatype,
    /// Type of the elements received.
    pub recv_type: Datatype,
    /// Counts sent to each member: alltoallv, scatterv.
    pub send_counts: Counts,
    /// Counts received from each member: alltoallv, gatherv, allgatherv; counts of the result: reducescatter.
    pub recv_counts: Counts,
    /// Displacements of allgatherv, in elements, where the trace gives them.
    pub displacements: Counts,
    /// Flops that every member computes after its part of the communication (reduce-like operations).
    pub flops: f64,
}

impl CollectiveCall {
    /// A call on the world communicator in which every count is zero and every type [`Datatype::BYTE`].
    pub fn empty(kind: CollectiveKind) -> Self {
        Self::uniform(kind, 0, 0, Datatype::BYTE)
    }

    /// A call on the world communicator with one count and one type: all that bcast, reduce, allreduce and the scans
    /// have, and in the others what a rank gives to each and gets from each. It has no vectors and no flops.
    pub fn uniform(kind: CollectiveKind, root: u32, count: u32, datatype: Datatype) -> Self {
        Self {
            kind,
            communicator: CommunicatorId::WORLD,
            root,
            send_count: count,
            recv_count: count,
            send_type: datatype,
            recv_type: datatype,
            send_counts: Counts::default(),
            recv_counts: Counts::default(),
            displacements: Counts::default(),
            flops: 0.0,
        }
    }
}

/// A whole trace: the actions of every rank, and the tables that they point into.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    /// Name for reports, e.g. `lu.A.64.it10`.
    pub name: String,
    /// `actions[r]` is what rank `r` does.
    pub actions: Vec<Actions>,
    /// Arguments of the `sendRecv`s.
    pub sendrecvs: Vec<SendRecv>,
    /// Arguments of the collectives.
    pub collectives: Vec<CollectiveCall>,
    /// The count vectors of the collectives.
    pub counts: Vec<u32>,
    /// The members of the communicators beside that of all ranks.
    pub communicators: Vec<MemberList>,
    /// Graphs that the ranks run in place of their actions, of which there are none then.
    pub schedule: Option<Arc<Schedule>>,
    /// Where the actions were read from.
    pub origin: Origin,
    /// What the reader ignored.
    pub warnings: Vec<TraceWarning>,
    /// What the side file says, if there is one.
    pub side: Option<SideFile>,
    /// Longest time of a rank between its first and its last call while the program was recorded, in seconds; `None`
    /// for formats without times and for parts of a recording.
    pub recorded_seconds: Option<f64>,
    /// What [`polls`](Self::polls) answers, once somebody knows; leave it empty where `actions` are made by hand.
    pub known_polls: OnceLock<bool>,
}

impl Trace {
    /// Whether any rank polls: tests a request, or receives a message of unknown size. Only then can the outcome of a
    /// replay depend on the order of the ranks within an instant.
    pub fn polls(&self) -> bool {
        *self.known_polls.get_or_init(|| self.actions.iter().flatten().any(|action| action.polls()))
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.actions.len()
    }

    /// Memory for the actions of a trace that is made of this one: as much as this one may have.
    pub(super) fn new_store(&self) -> Arc<Store> {
        let limit = self.actions.iter().find_map(Actions::limit);
        Store::new(limit.unwrap_or_else(|| Options::default().actions_in_memory))
    }

    /// Number of actions of all ranks together, or of operations of their schedule.
    pub fn total_actions(&self) -> u64 {
        let operations = self.schedule.as_ref().map_or(0, |schedule| schedule.operations());
        self.actions.iter().map(|a| a.len() as u64).sum::<u64>() + operations
    }

    /// Operations of the whole program, if the side file tells them.
    pub fn operations(&self) -> Option<f64> {
        self.side.as_ref().and_then(|side| side.operations)
    }

    /// Run time of the program when it was recorded, in seconds: that of the side file, else that of the recording.
    pub fn measured_seconds(&self) -> Option<f64> {
        self.side.as_ref().and_then(|side| side.measured_seconds).or(self.recorded_seconds)
    }

    /// The members of a communicator.
    ///
    /// # Panics
    /// If the trace has no such communicator.
    pub fn members(&self, id: CommunicatorId) -> Members<'_> {
        Members::of(&self.communicators, id, self.ranks())
    }

    /// The entries of a count vector.
    pub fn counts(&self, counts: Counts) -> &[u32] {
        &self.counts[counts.start as usize..(counts.start + counts.len) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_takes_16_bytes() {
        assert_eq!(size_of::<Action>(), 16);
    }
}
