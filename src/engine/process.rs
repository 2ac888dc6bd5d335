//! State machine of a rank: its position in the trace, and the event it waits for.

use super::open_requests::OpenRequests;
use super::outcome::RankTimes;
use crate::mpi::collective::{Cursor, SmpKnown, Stage, Step};
use crate::mpi::messages::{Envelope, Request};
use crate::trace::actions::ActionCursor;
use crate::trace::{CollectiveCall, CommunicatorId, Datatype, Triple};

/// Send that is posted once its overhead has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Send {
    pub to: u32,
    pub tag: i32,
    pub bytes: u64,
    pub datatype: Datatype,
    pub blocking: bool,
    /// Context of the collective to which it belongs; 0 elsewhere.
    pub context: u32,
}

/// One-sided operation that begins once its overhead has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneSided {
    /// Rank whose memory it accesses.
    pub other: u32,
    pub window: CommunicatorId,
    pub bytes: u64,
    /// `true` for a get.
    pub gets: bool,
}

/// Receive of unknown size that polls for its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub from: u32,
    pub tag: i32,
    pub datatype: Datatype,
    pub blocking: bool,
}

impl Probe {
    /// Returns the envelope of the message that it looks for; `rank` is the receiver.
    pub fn envelope(&self, rank: u32) -> Envelope {
        Envelope::message(self.from, rank, self.tag)
    }
}

/// Non-blocking request that a later `wait`, `test` or `waitall` refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub source: u32,
    pub destination: u32,
    pub tag: i32,
    /// `None`: a request that a test has completed already.
    pub request: Option<Request>,
}

impl Pending {
    /// Source, destination and tag, by which traces refer to it.
    #[inline]
    pub fn triple(&self) -> Triple {
        (self.source, self.destination, self.tag)
    }
}

/// Non-blocking collective, until a rank waits for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    pub request: u32,
    /// Background collective in which it progresses; `None`: one that a test has found complete.
    pub background: Option<u32>,
}

/// Continuation after a call that ended a rank's turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then {
    /// None: the operation is over.
    Nothing,
    /// Waits for the request.
    Wait(Request),
    /// Finishes the request, which is complete.
    Finish(Request),
    /// Posts the receive of a combined send and receive.
    SendRecvReceive,
    /// Continues a wait-all.
    WaitAll,
    /// Begins the prepared computation of the rank, after `calls` more calls; for a look for a message, or for itself.
    Compute { calls: u8, look: Option<Probe> },
    /// Checks the request of a test.
    Look(Pending),
    /// Continues a receive of unknown size after a look.
    Probed { probe: Probe, found: bool },
}

/// Event that a rank waits for, or `Ready`.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Can continue with the next step of its collective, or with its next action.
    Ready,
    /// Waits for its next turn at this instant.
    Called(Then),
    /// Spends the overhead of a send.
    SendOverhead(Send),
    /// Waits for one request.
    OnRequest(Request),
    /// Spends the overhead of a receive that is complete, or of a look for a message.
    Overhead,
    /// Waits until `left` more requests of its set are complete.
    OnSet { left: u32 },
    /// Spends the overhead of a receive of its set.
    SetOverhead,
    /// Runs a computation.
    Computing,
    /// Sleeps, as requested by its trace.
    Sleeping,
    /// Spends the time of a test.
    Testing(Pending),
    /// Spends the time of a test of a collective, by its number.
    TestingBackground(u32),
    /// Polls for the message of a receive of unknown size.
    Probing(Probe),
    /// Waits until a message like this could be received.
    OnMessage(Envelope),
    /// Waits for a background collective of its own to end.
    OnBackground(u32),
    /// Spends the overhead of a one-sided operation.
    OneSidedOverhead(OneSided),
    /// Waits for an operation of its graph.
    Idle,
    /// Has no action left.
    Ended,
}

/// Collective that a rank is in.
#[derive(Default, Debug)]
pub(super) struct CollectiveProgress {
    /// Call; `None` outside of collectives.
    pub call: Option<CollectiveCall>,
    /// Member number of the rank in the communicator of the call.
    pub member: u32,
    /// Context of its messages.
    pub context: u32,
    pub stages: Vec<Stage>,
    pub stage: usize,
    pub cursor: Cursor,
    pub steps: Vec<Step>,
    pub step: usize,
    /// Of a background collective: time since which its rank waits for it. Its own times begin there.
    pub counted_from: f64,
}

/// Rank; or a background collective, in which a collective progresses in the background of its rank, and which has no actions.
///
/// Fields that a rank needs each time it continues come first, next to each other: with many ranks, all others have to
/// be fetched from memory.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Process<'a> {
    pub state: State,
    /// Time at which the rank last stopped.
    pub since: f64,
    /// Index of the next action.
    pub next: usize,
    pub actions: ActionCursor<'a>,
    pub times: RankTimes,
    /// Rank that it is, or to which it belongs.
    pub owner: u32,
    /// `true` if it is in a collective, so that others need not check.
    pub collects: bool,
    /// `true` if it has no action left, though it may wait for open requests.
    pub ends: bool,
    pub collective: CollectiveProgress,
    /// Requests of the wait-all under way, or posted for the next one.
    pub set: Vec<Request>,
    pub pending: OpenRequests,
    /// Number of older requests of its triple that the next wait or test passes over.
    pub picked: u32,
    /// Non-blocking collectives, in the order in which they were started.
    pub started: Vec<Started>,
    /// One-sided operations since the last fence or flush: window, other rank, and request.
    pub one_sided: Vec<(CommunicatorId, u32, Request)>,
    pub smp: SmpKnown,
}

impl<'a> Process<'a> {
    pub fn new(owner: u32, actions: ActionCursor<'a>) -> Self {
        Self {
            state: State::Ready,
            since: 0.0,
            next: 0,
            actions,
            times: RankTimes::default(),
            owner,
            collects: false,
            ends: false,
            collective: CollectiveProgress::default(),
            set: Vec::new(),
            pending: OpenRequests::default(),
            picked: 0,
            started: Vec::new(),
            one_sided: Vec::new(),
            smp: SmpKnown::default(),
        }
    }

    /// Returns the index of the current action.
    pub fn current(&self) -> usize {
        self.next.saturating_sub(1)
    }
}
