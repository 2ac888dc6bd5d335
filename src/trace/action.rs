//! Actions, in a form of 16 bytes.
//!
//! Arguments that do not fit (those of collectives and of `sendRecv`) are stored in side tables. Equal ones are stored
//! once: all ranks and iterations that call `allreduce` with the same sizes share an entry.

use super::communicator::CommunicatorId;
use super::datatype::Datatype;

/// Count of a receive that takes a message of any size (written -1 in a trace).
pub const UNKNOWN_COUNT: u32 = u32::MAX;

/// Target of a [`Flush`](Action::Flush) that concerns operations on all ranks.
pub const ANY_TARGET: u32 = u32::MAX;

/// One action of a rank. Counts are in elements of the datatype.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    /// Starts the rank's timer. Takes no time.
    Init,
    /// Ends the rank. Takes no time.
    Finalize,
    /// Takes no time and has no effect on other ranks (`comm_size`, `comm_split`, `comm_dup`, `location`).
    NoOperation,
    /// Computation on the rank's host.
    Compute {
        /// Flops, zero or more, finite; not rounded.
        flops: f64,
    },
    /// Sleep of the rank; its core stays free.
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
        /// Number of elements.
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
        /// Number of elements.
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
    /// Combined send and receive: index into [`Trace::sendrecvs`](super::Trace::sendrecvs).
    SendRecv {
        /// Index of the arguments.
        index: u32,
    },
    /// Wait for the oldest remembered request of that triple.
    Wait {
        /// Source rank of the request.
        source: u32,
        /// Destination rank of the request.
        destination: u32,
        /// Tag of the request.
        tag: i32,
    },
    /// Test of the oldest remembered request of that triple.
    Test {
        /// Source rank of the request.
        source: u32,
        /// Destination rank of the request.
        destination: u32,
        /// Tag of the request.
        tag: i32,
    },
    /// The next [`Self::Wait`] or [`Self::Test`] of the rank is for another remembered request of its triple than the
    /// oldest.
    Pick {
        /// Number of older remembered requests of that triple.
        nth: u32,
    },
    /// Wait for all remembered requests of the rank.
    WaitAll,
    /// A collective: index into [`Trace::collectives`](super::Trace::collectives).
    Collective {
        /// Index of the arguments.
        index: u32,
    },
    /// Start of a non-blocking collective, which is remembered under a number of the rank's own.
    Start {
        /// Index of the arguments in [`Trace::collectives`](super::Trace::collectives).
        index: u32,
        /// Number of the collective; small, reused numbers make iterations look alike.
        request: u32,
    },
    /// Wait for the oldest remembered collective of that number.
    WaitRequest {
        /// Number of the collective.
        request: u32,
    },
    /// Test of the oldest remembered collective of that number.
    TestRequest {
        /// Number of the collective.
        request: u32,
    },
    /// One-sided write into the memory of another rank, which makes no call.
    Put {
        /// Other rank, a world rank.
        to: u32,
        /// Window, identified by a communicator of its members; operations on different windows are separate.
        window: CommunicatorId,
        /// Number of elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// One-sided read from the memory of another rank, which makes no call.
    Get {
        /// Other rank, a world rank.
        from: u32,
        /// Window, as for [`Put`](Self::Put).
        window: CommunicatorId,
        /// Number of elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// One-sided accumulation: like [`Put`](Self::Put), but combines the data with the target's.
    Accumulate {
        /// Other rank, a world rank.
        to: u32,
        /// Window, as for [`Put`](Self::Put).
        window: CommunicatorId,
        /// Number of elements.
        count: u32,
        /// Type of the elements.
        datatype: Datatype,
    },
    /// End of an epoch of a window for all its members: all operations are complete at both ends.
    Fence {
        /// Window, as for [`Put`](Self::Put).
        window: CommunicatorId,
    },
    /// Wait until the rank's own operations on a window are complete.
    Flush {
        /// Window, as for [`Put`](Self::Put).
        window: CommunicatorId,
        /// Target rank, or [`ANY_TARGET`].
        to: u32,
    },
    /// Wait until a message could be received, without receiving it.
    Probe {
        /// Source rank.
        from: u32,
        /// Message tag, zero or more.
        tag: i32,
    },
    /// Single poll for a message that could be received; whatever the answer, it only takes the time of the poll.
    Iprobe {
        /// Source rank.
        from: u32,
        /// Message tag, zero or more.
        tag: i32,
    },
}

impl Action {
    /// Returns `true` if the action polls for a message repeatedly.
    #[inline]
    pub(super) fn polls(&self) -> bool {
        match self {
            Self::Test { .. } | Self::TestRequest { .. } => true,
            Self::Recv { count, .. } | Self::Irecv { count, .. } => *count == UNKNOWN_COUNT,
            _ => false,
        }
    }

    /// Returns the entry of [`Trace::collectives`](super::Trace::collectives) of the collective that the action starts, blocking or not.
    pub fn collective(&self) -> Option<u32> {
        match *self {
            Self::Collective { index } | Self::Start { index, .. } => Some(index),
            _ => None,
        }
    }

    /// Returns the name, as written in traces; `collective` or `start` for collectives, whose kind is in the side
    /// table.
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
            Self::Pick { .. } => "pick",
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

    /// Returns the actions that wait for the open request of a triple that `nth` of them are older than.
    pub(crate) fn wait_for((source, destination, tag): Triple, nth: u32) -> impl Iterator<Item = Self> {
        let pick = (nth > 0).then_some(Self::Pick { nth });
        pick.into_iter().chain([Self::Wait { source, destination, tag }])
    }
}

/// Source, destination and tag of a message, by which waits refer to its request.
pub(crate) type Triple = (u32, u32, i32);

/// Arguments of a `sendRecv`; its tag is 0 in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SendRecv {
    /// Destination rank of the send.
    pub to: u32,
    /// Elements sent.
    pub send_count: u32,
    /// Type of the elements sent.
    pub send_type: Datatype,
    /// Source rank of the receive.
    pub from: u32,
    /// Capacity of the receive, in elements.
    pub recv_count: u32,
    /// Type of the elements received.
    pub recv_type: Datatype,
}

/// Collective operation.
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
    /// All operations, in the order of their numbers.
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

    /// `true` if one rank, the root, sends to all others or receives from them.
    pub fn has_root(self) -> bool {
        use CollectiveKind as K;
        matches!(self, K::Bcast | K::Reduce | K::Gather | K::Gatherv | K::Scatter | K::Scatterv)
    }

    /// Returns the name, as written in traces.
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

    /// Returns the collective with this name in any case, with underscores or hyphens: `reduce_scatter`, as MPI and SimGrid
    /// write it, is `reducescatter`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace(['_', '-'], "");
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name of the non-blocking form, as written in traces.
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

/// A vector of element counts, one per member of the communicator: a range of [`Trace::counts`](super::Trace::counts); empty if the
/// collective has none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Counts {
    /// Index of the first entry.
    pub start: u32,
    /// Number of entries: 0, or the number of members.
    pub len: u32,
}

/// Arguments of a collective, as passed by one rank.
///
/// `send_count` and `send_type` hold the only count and type of `bcast`, `reduce`, `allreduce`, `scan`, `exscan`
/// (`recv_*` repeat them), and `reducescatter` has its type in both.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CollectiveCall {
    /// Operation that is called.
    pub kind: CollectiveKind,
    /// Communicator of the collective.
    pub communicator: CommunicatorId,
    /// Root, as a member of the communicator; 0 if the operation has none.
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
    /// Displacements of allgatherv, in elements, if the trace contains them.
    pub displacements: Counts,
    /// Flops that every member computes after its part of the communication (reduction operations).
    pub flops: f64,
}

impl CollectiveCall {
    /// Returns a call on the world communicator in which every count is zero and every type [`Datatype::BYTE`].
    pub fn empty(kind: CollectiveKind) -> Self {
        Self::uniform(kind, 0, 0, Datatype::BYTE)
    }

    /// Returns the bytes of the operations whose only count has to be the same on all members, the only
    /// ones that have neither blocks nor vectors; `None` for others.
    pub(crate) fn bytes_of_all(&self) -> Option<u64> {
        use CollectiveKind as K;
        matches!(self.kind, K::Bcast | K::Reduce | K::Allreduce | K::Scan | K::Exscan)
            .then(|| self.send_type.bytes(self.send_count))
    }

    /// Returns a call on the world communicator with one count and one type, the only arguments of bcast, reduce,
    /// allreduce and the scans; in the others they apply to each partner, in both directions. It has no vectors and no
    /// flops.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_takes_16_bytes() {
        assert_eq!(size_of::<Action>(), 16);
    }
}
