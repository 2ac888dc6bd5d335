//! A rank as a small state machine: where it is in its trace, and what it waits for.

use crate::mpi::collective::{Cursor, SmpKnown, Stage, Step};
use crate::mpi::messages::{Envelope, Request};
use crate::result::RankTimes;
use crate::trace::{Action, CollectiveCall, Datatype};

/// A send that is posted once its overhead has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Send {
    pub to: u32,
    pub tag: i32,
    pub bytes: u64,
    pub datatype: Datatype,
    pub blocking: bool,
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
        Envelope { source: self.from, destination: rank, tag: self.tag }
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
    /// Spends the overhead of a receive that is complete.
    RecvOverhead,
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
    /// Polls.
    Probing(Probe),
    /// Has no action left.
    Ended,
}

/// A collective that a rank is in.
#[derive(Default, Debug)]
pub(super) struct Progress {
    /// The call; `None` outside of collectives.
    pub call: Option<CollectiveCall>,
    pub stages: Vec<Stage>,
    pub stage: usize,
    pub cursor: Cursor,
    pub steps: Vec<Step>,
    pub step: usize,
}

/// A rank.
#[derive(Debug)]
pub(super) struct Process<'a> {
    pub actions: &'a [Action],
    /// Index of the next action.
    pub next: usize,
    pub state: State,
    pub pending: Vec<Pending>,
    /// The requests of the wait-all under way, or posted for the next one.
    pub set: Vec<Request>,
    pub collective: Progress,
    pub smp: SmpKnown,
    /// When the rank stopped last.
    pub since: f64,
    pub times: RankTimes,
}

impl<'a> Process<'a> {
    pub fn new(actions: &'a [Action]) -> Self {
        Self {
            actions,
            next: 0,
            state: State::Ready,
            pending: Vec::new(),
            set: Vec::new(),
            collective: Progress::default(),
            smp: SmpKnown::default(),
            since: 0.0,
            times: RankTimes::default(),
        }
    }

    /// Index of the action at work.
    pub fn current(&self) -> usize {
        self.next.saturating_sub(1)
    }
}
