//! Errors of a replay.

use crate::mpi::messages::{Envelope, Mismatch};
use crate::platform::RouteError;
use crate::trace::{CollectiveKind, CommunicatorId, Datatype};
use crate::user_error::{FAILED, UserError};

/// Place in the trace: an action of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Rank that executes the action.
    pub rank: u32,
    /// Index of the action in the rank's list.
    pub action: usize,
}

/// Operation and root of a collective, and the first member that called it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Called {
    /// First caller.
    pub place: Place,
    /// Operation.
    pub kind: CollectiveKind,
    /// Root as a member of the communicator; 0 where the operation has none.
    pub root: u32,
}

/// Blocked rank and what it waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    /// Action that blocks.
    pub place: Place,
    /// Operation that blocks, e.g. `recv` or `allreduce`.
    pub operation: &'static str,
    /// Communicator of the collective or the window, if it is in one.
    pub communicator: CommunicatorId,
    /// Messages that it waits for and that have no matching partner: (envelope, whether the rank is the sender).
    pub missing: Vec<(Envelope, bool)>,
}

impl Blocked {
    /// Returns `true` if it has sent a message of the application, and waits for its receive.
    fn sends(&self) -> bool {
        self.missing.iter().any(|(envelope, sends)| *sends && envelope.tag >= 0)
    }
}

/// Reason why a replay cannot continue.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// Ranks wait for each other, or for messages that are never sent.
    #[error("deadlock after {seconds:?} simulated seconds: {} of {ranks} ranks are blocked forever", blocked.len())]
    Deadlock {
        /// Simulated time after which nothing can happen.
        seconds: f64,
        /// Number of ranks.
        ranks: u32,
        /// Blocked ranks, ascending.
        blocked: Vec<Blocked>,
        /// Index of the current action of each rank; `None` for ranks that have ended.
        standing: Vec<Option<usize>>,
        /// Smallest size in bytes of sends that wait for their receives; `None` in the LogGOPS model, in which no send
        /// blocks a rank.
        waits_from: Option<u64>,
    },
    /// A send and its receive contradict each other.
    #[error("{}", mismatch_text(mismatch, envelope))]
    Mismatch {
        /// Place where the second of the two was posted.
        place: Place,
        /// Envelope on which they matched.
        envelope: Envelope,
        /// Contradiction between the two.
        mismatch: Mismatch,
    },
    /// Members of a communicator call different collectives.
    #[error("{}", collectives_text(*communicator, *blocking, *number, calls))]
    Collectives {
        /// Communicator of the calls.
        communicator: CommunicatorId,
        /// `false` for non-blocking collectives, which are counted separately.
        blocking: bool,
        /// Number of the collective on the communicator, from 1.
        number: u64,
        /// First call, and the one that differs.
        calls: [Called; 2],
    },
    /// A `wait`, `test`, `wait_request` or `test_request` of a rank that has no request of that sort at all.
    #[error("`{operation}` without any {} before it: there is no request to wait for", requested_by(operation))]
    NoRequest {
        /// Place of the call.
        place: Place,
        /// Name of the operation.
        operation: &'static str,
    },
    /// The LogGOPS model was chosen for a list of actions, or for several jobs.
    #[error("the LogGOPS model replays the graph of operations of one job, and nothing else")]
    NeedsGraph,
    /// The packet model was chosen on a platform that was not built for it.
    #[error("the packet model needs the switches of a topology, and this platform has none for it")]
    NeedsSwitches,
    /// Noise was chosen with a sharing rule of SimGrid.
    #[error("latencies have no noise under the sharing rules of SimGrid, whose results depend on every start")]
    NoiseNeedsOtherSharing,
    /// The platform has no route for a message.
    #[error("{error}")]
    NoRoute {
        /// Place where the second of send and receive was posted.
        place: Place,
        /// Error of the routing.
        error: RouteError,
    },
    /// The time of the earliest event is not finite.
    #[error(
        "the next event is infinitely far ahead (after {seconds:?} simulated seconds): an amount of work, bytes or time is too \
         large for the speeds and latencies of the platform"
    )]
    Endless {
        /// Simulated time of the last event.
        seconds: f64,
    },
    /// Another thread stopped it ([`Counter::stop`](super::Counter::stop)).
    #[error("the replay was stopped")]
    Stopped,
}

fn requested_by(operation: &str) -> &'static str {
    if operation.ends_with("_request") { "collective that does not block" } else { "isend or irecv" }
}

fn mismatch_text(mismatch: &Mismatch, envelope: &Envelope) -> String {
    let Envelope { source, destination, tag, .. } = envelope;
    // Collectives use tags of their own, which mean nothing to the user.
    let what = if *tag < 0 { "in a collective".to_owned() } else { format!("with tag {tag}") };
    let message = format!("message from rank {source} to rank {destination} {what}");
    match mismatch {
        Mismatch::Truncated { bytes, capacity } => {
            format!("{message}: it has {bytes} bytes, but its receive has room for {capacity} only")
        }
        Mismatch::Datatypes { sent, received } => {
            format!("{message}: sent as {}, received as {}", sent.name(), received.name())
        }
    }
}

fn collectives_text(communicator: CommunicatorId, blocking: bool, number: u64, calls: &[Called; 2]) -> String {
    let on = match communicator.index() {
        None => String::new(),
        Some(_) => format!(" of communicator {}", communicator.number()),
    };
    let [first, here] = calls.map(|Called { place, kind, root }| {
        let name = if blocking { kind.name() } else { kind.nonblocking_name() };
        format!("{name}, root {root}, on rank {}", place.rank)
    });
    format!("collective number {number}{on} is {first}, but {here}")
}

impl ReplayError {
    /// Returns the action at which the replay stopped, if there is one.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Mismatch { place, .. } | Self::NoRequest { place, .. } | Self::NoRoute { place, .. } => Some(*place),
            Self::Collectives { calls: [_, here], .. } => Some(here.place),
            Self::Deadlock { .. }
            | Self::Endless { .. }
            | Self::NeedsGraph
            | Self::NeedsSwitches
            | Self::NoiseNeedsOtherSharing
            | Self::Stopped => None,
        }
    }
}

impl UserError for ReplayError {
    fn help(&self) -> String {
        let help = match self {
            Self::Deadlock { blocked, waits_from: Some(waits_from), .. } if blocked.iter().any(Blocked::sends) => {
                return format!(
                    "sends of {waits_from} bytes or more (`detached_below`) wait until their receive is posted: if all ranks \
                     send before they receive, post the receives first (irecv), or use sendrecv; otherwise check that every \
                     send has its receive with the same ranks and tag"
                );
            }
            Self::Deadlock { .. } => {
                "check that every send has its receive with the same ranks and tag, and that all ranks take part in \
                 each collective, with sizes that agree (`mopsim trace check`); a trace that was cut, or replayed with too \
                 few ranks, ends like this"
            }
            Self::Mismatch { mismatch: Mismatch::Truncated { .. }, .. } => {
                "make the receive at least as large as the message; MPI itself would stop with MPI_ERR_TRUNCATE"
            }
            Self::Mismatch { mismatch: Mismatch::Datatypes { sent, received }, .. }
                if *sent == Datatype::NULL || *received == Datatype::NULL =>
            {
                "SMPI's tracer writes -1 for a derived datatype, and its size nowhere; write type 6 (bytes) and the number \
                 of bytes in its place, or record the program with `mopsim record`"
            }
            Self::Mismatch { .. } => "use the same datatype on both sides, or bytes (id 6) on one of them",
            Self::Collectives { .. } => {
                "all members of a communicator must call the same collectives in the same order; `mopsim trace check` \
                 lists every rank that differs"
            }
            Self::NoRequest { .. } => "post the request first, or remove the line",
            Self::NeedsGraph => "replay a GOAL schedule, or choose another model",
            Self::NeedsSwitches => "describe the network by a topology, or choose another model",
            Self::NoiseNeedsOtherSharing => "share `exact`, `within` a bound or `proportional`, or leave out the noise",
            Self::NoRoute { .. } => "declare the route in the platform, in both directions, or map the ranks elsewhere",
            Self::Endless { .. } => "look for an absurd amount of flops in the trace, or a speed near zero",
            Self::Stopped => "start it again; a study with a results file goes on where it was",
        };
        help.to_owned()
    }

    fn exit_code(&self) -> u8 {
        FAILED
    }
}
