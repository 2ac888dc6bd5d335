//! The compact in-memory form of a trace: 16 bytes an action, walked by an index.
//!
//! Arguments that do not fit (those of collectives and of `sendRecv`) lie in side tables. Equal ones are stored once:
//! all ranks and iterations that call `allreduce` with the same sizes share an entry.

use std::sync::OnceLock;

use super::{Datatype, Origin, SideFile, TraceWarning};

/// Count of a receive that takes a message of any size (written -1 in a trace).
pub const UNKNOWN_COUNT: u32 = u32::MAX;

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
    /// A collective on the world communicator: index into [`Trace::collectives`].
    Collective {
        /// Index of the arguments.
        index: u32,
    },
}

impl Action {
    /// Whether the action looks again and again whether a message is there.
    #[inline]
    pub(super) fn polls(&self) -> bool {
        match self {
            Self::Test { .. } => true,
            Self::Recv { count, .. } | Self::Irecv { count, .. } => *count == UNKNOWN_COUNT,
            _ => false,
        }
    }

    /// The name, as traces write it; `collective` for collectives, whose kind is in the side table.
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
}

/// A vector of element counts, one for each rank: a range of [`Trace::counts`]; empty where the collective has none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Counts {
    /// First index.
    pub start: u32,
    /// Number of entries: 0, or the number of ranks.
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
    /// Root rank; 0 where the operation has none.
    pub root: u32,
    /// Elements sent (per destination for alltoall, scatter).
    pub send_count: u32,
    /// Elements received (per source for alltoall, gather, allgather).
    pub recv_count: u32,
    /// Type of the elements sent.
    pub send_type: Datatype,
    /// Type of the elements received.
    pub recv_type: Datatype,
    /// Counts sent to each rank: alltoallv, scatterv.
    pub send_counts: Counts,
    /// Counts received from each rank: alltoallv, gatherv, allgatherv; counts of the result: reducescatter.
    pub recv_counts: Counts,
    /// Displacements of allgatherv, in elements, where the trace gives them.
    pub displacements: Counts,
    /// Flops that every rank computes after its part of the communication (reduce-like operations).
    pub flops: f64,
}

impl CollectiveCall {
    /// A call in which every count is zero and every type [`Datatype::BYTE`].
    pub fn empty(kind: CollectiveKind) -> Self {
        Self::uniform(kind, 0, 0, Datatype::BYTE)
    }

    /// A call with one count and one type: all that bcast, reduce, allreduce and the scans have, and in the others what a
    /// rank gives to each and gets from each. It has no vectors and no flops.
    pub fn uniform(kind: CollectiveKind, root: u32, count: u32, datatype: Datatype) -> Self {
        Self {
            kind,
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
    pub actions: Vec<Vec<Action>>,
    /// Arguments of the `sendRecv`s.
    pub sendrecvs: Vec<SendRecv>,
    /// Arguments of the collectives.
    pub collectives: Vec<CollectiveCall>,
    /// The count vectors of the collectives.
    pub counts: Vec<u32>,
    /// Where the actions were read from.
    pub origin: Origin,
    /// What the reader ignored.
    pub warnings: Vec<TraceWarning>,
    /// What the side file says, if there is one.
    pub side: Option<SideFile>,
    /// What [`polls`](Self::polls) answers, once somebody knows; leave it empty where `actions` are made by hand.
    pub known_polls: OnceLock<bool>,
}

impl Trace {
    /// Whether any rank polls: tests a request, or receives a message of unknown size. Only then can the outcome of a
    /// replay depend on the order of the ranks within an instant.
    pub fn polls(&self) -> bool {
        *self.known_polls.get_or_init(|| self.actions.iter().flatten().any(Action::polls))
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.actions.len()
    }

    /// Number of actions of all ranks together.
    pub fn total_actions(&self) -> u64 {
        self.actions.iter().map(|a| a.len() as u64).sum()
    }

    /// Operations of the whole program, if the side file tells them.
    pub fn operations(&self) -> Option<f64> {
        self.side.as_ref().and_then(|side| side.operations)
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
