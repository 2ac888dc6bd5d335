//! A rank as a small state machine: where it is in its trace, and what it waits for.

use super::RankTimes;
use crate::mpi::collective::{Cursor, SmpKnown, Stage, Step};
use crate::mpi::messages::{Envelope, Request};
use crate::trace::actions::Window;
use crate::trace::{CollectiveCall, CommunicatorId, Datatype};

/// A send that is posted once its overhead has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Send {
    pub to: u32,
    pub tag: i32,
    pub bytes: u64,
    pub datatype: Datatype,
    pub blocking: bool,
    /// That of the collective to which it belongs; 0 elsewhere.
    pub context: u32,
}

/// A one-sided operation that begins once its overhead has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneSided {
    /// The rank whose memory it is about.
    pub other: u32,
    pub window: CommunicatorId,
    pub bytes: u64,
    /// Whether it reads.
    pub gets: bool,
}

/// A receive of unknown size that looks for its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub from: u32,
    pub tag: i32,
    pub datatype: Datatype,
    pub blocking: bool,
}

impl Probe {
    /// What the message that it looks for matches on; `rank` is the receiver.
    pub fn envelope(&self, rank: u32) -> Envelope {
        Envelope::message(self.from, rank, self.tag)
    }
}

/// A non-blocking request that `wait`, `test` or `waitall` will ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub source: u32,
    pub destination: u32,
    pub tag: i32,
    /// `None`: a request that a test has completed already.
    pub request: Option<Request>,
}

/// A collective that does not block, until somebody waits for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    pub request: u32,
    /// The fiber in which it progresses; `None`: one that a test has found complete.
    pub fiber: Option<u32>,
}

/// What follows a call that took a rank's turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then {
    /// The operation is over.
    Nothing,
    /// Waiting for the request.
    Wait(Request),
    /// Finishing the request, which is complete.
    Finish(Request),
    /// The receive half of a combined send and receive.
    SendRecvReceive,
    /// The rest of a wait-all.
    WaitAll,
    /// Beginning what the rank has prepared to compute, after so many more calls; for a look for a message, or for
    /// itself.
    Compute { calls: u8, look: Option<Probe> },
    /// The look at the request that a test is about.
    Look(Pending),
    /// What a receive of unknown size does after a look.
    Probed { probe: Probe, found: bool },
}

/// What a rank waits for, or that it can go on.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Goes on with the next step of its collective, or with its next action.
    Ready,
    /// Waits for its next turn at this instant.
    Called(Then),
    /// Spends the overhead of a send.
    SendOverhead(Send),
    /// Waits for one request.
    OnRequest(Request),
    /// Spends the overhead of a receive that is complete, or of a look for a message.
    Overhead,
    /// Waits until so many requests of its set are complete.
    OnSet { left: u32 },
    /// Spends the overhead of a receive of its set.
    SetOverhead,
    /// Computes.
    Computing,
    /// Sleeps, as its trace says.
    Sleeping,
    /// Spends the time of a test.
    Testing(Pending),
    /// Spends the time of a test of a collective, by its number.
    TestingFiber(u32),
    /// Polls.
    Probing(Probe),
    /// Waits until a message like this could be received.
    OnMessage(Envelope),
    /// Waits for the end of a fiber of its own.
    OnFiber(u32),
    /// Spends the overhead of a one-sided operation.
    OneSidedOverhead(OneSided),
    /// Waits for an operation of its graph.
    Idle,
    /// Has no action left.
    Ended,
}

/// A collective that a rank is in.
#[derive(Default, Debug)]
pub(super) struct Progress {
    /// The call; `None` outside of collectives.
    pub call: Option<CollectiveCall>,
    /// Which member of the communicator of the call the rank is.
    pub member: u32,
    /// The context of its messages.
    pub context: u32,
    pub stages: Vec<Stage>,
    pub stage: usize,
    pub cursor: Cursor,
    pub steps: Vec<Step>,
    pub step: usize,
}

/// A rank; or a fiber, in which a collective progresses beside its rank, and which has no actions.
///
/// What a rank needs each time it goes on comes first, side by side: with many ranks, all else waits for memory.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Process<'a> {
    pub state: State,
    /// When the rank stopped last.
    pub since: f64,
    /// Index of the next action.
    pub next: usize,
    pub actions: Window<'a>,
    pub times: RankTimes,
    /// The rank that it is, or to which it belongs.
    pub owner: u32,
    /// Whether it is in a collective, so that others need not look there.
    pub collects: bool,
    pub collective: Progress,
    /// The requests of the wait-all under way, or posted for the next one.
    pub set: Vec<Request>,
    pub pending: Vec<Pending>,
    /// Collectives that do not block, in the order in which they were started.
    pub started: Vec<Started>,
    /// One-sided operations since the last fence or flush: the window, the other rank, and the request.
    pub one_sided: Vec<(CommunicatorId, u32, Request)>,
    pub smp: SmpKnown,
}

impl<'a> Process<'a> {
    pub fn new(owner: u32, actions: Window<'a>) -> Self {
        Self {
            state: State::Ready,
            since: 0.0,
            next: 0,
            actions,
            times: RankTimes::default(),
            owner,
            collects: false,
            collective: Progress::default(),
            set: Vec::new(),
            pending: Vec::new(),
            started: Vec::new(),
            one_sided: Vec::new(),
            smp: SmpKnown::default(),
        }
    }

    /// Index of the action at work.
    pub fn current(&self) -> usize {
        self.next.saturating_sub(1)
    }
}
