//! Events of a trace, independent of how they were read.

use std::path::Path;

use crate::trace::calls::FilePosition;

/// Entry or exit of an MPI function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    Init,
    Finalize,
    Other,
}

impl Region {
    /// Returns the function by its name; `None` for functions outside MPI.
    pub fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"MPI_Init" | b"MPI_Init_thread" => Some(Self::Init),
            b"MPI_Finalize" => Some(Self::Finalize),
            name => name.starts_with(b"MPI_").then_some(Self::Other),
        }
    }
}

/// The target of an event, as a member of a communicator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Member {
    /// No target: one of the reserved numbers.
    Nobody,
    /// The member at this location.
    Location(u64),
    /// A number that no member has.
    Unknown(u64),
}

/// A send or a receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageEvent {
    /// The other end.
    pub partner: Member,
    /// The definition of its communicator, if there is one.
    pub comm: Option<u64>,
    pub tag: u64,
    pub bytes: u64,
}

/// The end of a collective on one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collective<'a> {
    /// The operation's name.
    pub operation: &'a [u8],
    /// The definition of its communicator.
    pub comm: u64,
    pub root: Member,
    pub sent: u64,
    pub received: u64,
}

/// Content of an event. Request numbers belong to the rank, operation numbers to the rank in their window.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    Enter(Region),
    Leave,
    /// A send, with its request if it is non-blocking.
    Send(MessageEvent, Option<u64>),
    /// A receive, with the request that it completes if it was non-blocking.
    Receive(MessageEvent, Option<u64>),
    ReceivePosted(u64),
    SendComplete(u64),
    RequestTested,
    RequestCancelled(u64),
    Collective(Collective<'a>),
    CollectivePosted(u64),
    CollectiveComplete(Collective<'a>, u64),
    OneSided(OneSided<'a>),
    /// The recorder is switched on or off on the rank; calls in between are not in the archive.
    Recording(bool),
}

/// An event of one-sided communication. Windows are definitions.
#[derive(Clone, Copy, Debug)]
pub(super) enum OneSided<'a> {
    Put {
        window: u64,
        target: Member,
        bytes: u64,
        operation: u64,
    },
    Get {
        window: u64,
        target: Member,
        bytes: u64,
        operation: u64,
    },
    Atomic {
        window: u64,
        target: Member,
        sent: u64,
        received: u64,
        operation: u64,
    },
    /// The operation is complete, and the rank has waited for it; the flag is `true` if it waited for the request of
    /// this one only.
    Complete {
        window: u64,
        operation: u64,
        by_request: bool,
    },
    /// A lock is released; the target is none for the lock of all members.
    Release {
        window: u64,
        target: Member,
    },
    /// The end of a collective of all members of a window, by the name of its operation.
    Collective {
        window: u64,
        operation: &'a [u8],
    },
    /// An epoch of some of the members.
    GroupSync,
    Ignored(Ignored),
}

/// Events of one-sided communication that are not replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ignored {
    RequestLock,
    AcquireLock,
    TryLock,
    /// The copies of a window's memory are synchronised.
    Sync,
    /// The rank has waited until another one changed its memory.
    WaitChange,
    /// A test of an operation that is not complete.
    Test,
}

impl Ignored {
    /// Returns the name of the event.
    pub fn name(self) -> &'static str {
        match self {
            Self::RequestLock => "RMA_REQUEST_LOCK",
            Self::AcquireLock => "RMA_ACQUIRE_LOCK",
            Self::TryLock => "RMA_TRY_LOCK",
            Self::Sync => "RMA_SYNC",
            Self::WaitChange => "RMA_WAIT_CHANGE",
            Self::Test => "RMA_OP_TEST",
        }
    }
}

/// An event of a rank, and its place.
pub(super) struct Event<'a> {
    pub rank: u32,
    pub timestamp: u64,
    pub file: &'a Path,
    pub at: FilePosition,
}
