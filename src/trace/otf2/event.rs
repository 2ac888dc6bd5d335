//! An event of a trace, whichever way it was read.

use std::path::Path;

use crate::trace::calls::At;

/// A function of MPI that was entered or left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    Init,
    Finalize,
    Other,
}

impl Region {
    /// By its name; none for what is no function of MPI.
    pub fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"MPI_Init" | b"MPI_Init_thread" => Some(Self::Init),
            b"MPI_Finalize" => Some(Self::Finalize),
            name => name.starts_with(b"MPI_").then_some(Self::Other),
        }
    }
}

/// Whom an event names, as a member of a communicator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Member {
    /// Nobody, by one of the numbers that are kept for that.
    Nobody,
    /// The member that is this location.
    Location(u64),
    /// A number that no member has.
    Unknown(u64),
}

/// One side of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    /// The other side.
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

/// What happened. Requests are numbers of the rank's own, operations those of the rank in their window.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    Enter(Region),
    Leave,
    /// With a request, if it did not block.
    Send(Message, Option<u64>),
    /// With the request that it completes, if it did not block.
    Receive(Message, Option<u64>),
    ReceivePosted(u64),
    SendComplete(u64),
    RequestTested,
    RequestCancelled(u64),
    Collective(Collective<'a>),
    CollectivePosted(u64),
    CollectiveComplete(Collective<'a>, u64),
    OneSided(OneSided<'a>),
    /// The recorder is switched on or off on the rank; calls made while it is off are not in the archive.
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
    /// The operation is over, and the rank has waited for it; whether it waited for the request of this one only.
    Complete {
        window: u64,
        operation: u64,
        by_request: bool,
    },
    /// A lock is given back; the target is nobody where it is that of all.
    Release {
        window: u64,
        target: Member,
    },
    /// The end of a collective of all members of a window, by the name of its operation.
    Collective {
        window: u64,
        operation: &'a [u8],
    },
    /// An epoch of a part of the members.
    GroupSync,
    Ignored(Ignored),
}

/// Events of one-sided communication that are not replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ignored {
    RequestLock,
    AcquireLock,
    TryLock,
    /// A window's copies of its memory are made the same.
    Sync,
    /// The rank has waited until another one changed its memory.
    WaitChange,
    /// A test of an operation that is not complete.
    Test,
}

impl Ignored {
    /// The name of the event.
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

/// An event of a rank, and where it stands.
pub(super) struct Event<'a> {
    pub rank: u32,
    pub timestamp: u64,
    pub file: &'a Path,
    pub at: At,
}
