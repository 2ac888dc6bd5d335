//! Observers of a replay.
//!
//! An observed replay calls its observer through a trait object, so the engine is compiled once for all observers. A
//! replay that is not observed (`()`) has an engine of its own, compiled without any of these calls: the speed of long
//! studies is decided there. Observers as type parameters were tried before: 21 copies of the engine in one binary.

use super::progress::Counter;
use crate::ids::LinkId;
use crate::mpi::messages::Envelope;
use crate::network::sharing::LinkState;

/// Continuation of a rank that was blocked on a message, now that the message has arrived.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wakening {
    /// Number of the message, as passed to [`Observer::message_started`].
    pub message: u32,
    /// Time at which the rank blocked.
    pub since: f64,
    /// Time at which the transfer began: send and receive were posted, or the send of a message that does not wait for
    /// its receive.
    pub started: f64,
    /// Time at which its latency was over. It may have waited behind others of its connection since then.
    pub entered: f64,
    /// Current time.
    pub time: f64,
}

/// Events that an observer wants to receive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Interest {
    /// None: the replay runs as if there were no observer.
    Nothing,
    /// Everything except states of links.
    Ranks,
    /// Everything. The solver keeps an account of full and bottleneck links only for this.
    RanksAndLinks,
}

/// An observer of a replay. All methods do nothing unless overridden.
///
/// A non-blocking collective progresses in the background of its rank. Background
/// collectives are numbered from the number of ranks on, and numbers are reused. They appear in place of a rank in
/// [`computed`](Self::computed), [`spent_overhead`](Self::spent_overhead), [`message_started`](Self::message_started)
/// (as poster), [`woken`](Self::woken) and [`released`](Self::released) (as `by`).
pub trait Observer {
    /// Events to send to this observer. Read once, when the replay starts.
    fn interest(&self) -> Interest {
        Interest::Ranks
    }

    /// Counter of begun actions that the replay updates about every thousandth instant; `None` if nothing reads it. Read
    /// once, when the replay starts.
    fn counter(&self) -> Option<Counter> {
        None
    }

    /// A rank begins an action (by its index in the trace).
    #[inline]
    fn action_began(&mut self, rank: u32, action: usize, time: f64) {
        let _ = (rank, action, time);
    }

    /// An action of a rank (by its index in the trace) has ended.
    #[inline]
    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        let _ = (rank, action, time);
    }

    /// A rank has computed for `seconds`, until now.
    #[inline]
    fn computed(&mut self, rank: u32, time: f64, seconds: f64) {
        let _ = (rank, time, seconds);
    }

    /// A rank has spent `seconds` in non-blocking calls, until now.
    #[inline]
    fn spent_overhead(&mut self, rank: u32, time: f64, seconds: f64) {
        let _ = (rank, time, seconds);
    }

    /// A message starts because `poster` has posted the second of its send and receive, or its send if that does not
    /// wait for the receive. Numbers of messages that have arrived, and that no rank waits for any more, are reused.
    #[inline]
    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, time: f64) {
        let _ = (message, poster, envelope, bytes, time);
    }

    /// A rank continues because a message has arrived: its receiver, or its sender if that had to wait. The times from
    /// `since` to `time` of a rank add up to its time of blocking on messages. Only the message that ends a wait is
    /// reported: of a wait for several, the last one to arrive. Other arrivals have no event, so messages in transit
    /// cannot be counted.
    #[inline]
    fn woken(&mut self, rank: u32, wakening: Wakening) {
        let _ = (rank, wakening);
    }

    /// A rank has started a non-blocking collective, which progresses in the background.
    #[inline]
    fn background_began(&mut self, background: u32, rank: u32, time: f64) {
        let _ = (background, rank, time);
    }

    /// A rank continues after `seconds`, because a background collective of its own has ended, or another rank has
    /// posted what it looked for.
    #[inline]
    fn released(&mut self, rank: u32, by: u32, time: f64, seconds: f64) {
        let _ = (rank, by, time, seconds);
    }

    /// State of a link from `time` on, for observers with [`Interest::RanksAndLinks`]. It may be reported several times.
    /// The times of one link ascend. With packets, `time` may be in the past, and times of different links need not
    /// ascend. The last state lasts until the end of the replay, `Outcome::simulated_seconds`.
    #[inline]
    fn link_changed(&mut self, link: LinkId, state: LinkState, time: f64) {
        let _ = (link, state, time);
    }
}

/// Observer of a replay that is not observed.
impl Observer for () {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }
}

/// Observer that only counts actions: the replay runs as if there were none.
impl Observer for Counter {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }

    fn counter(&self) -> Option<Counter> {
        Some(self.clone())
    }
}

/// Observer that counts actions, or nothing.
impl Observer for Option<Counter> {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }

    fn counter(&self) -> Option<Counter> {
        self.clone()
    }
}

/// Pair of observers, called one after the other.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn interest(&self) -> Interest {
        self.0.interest().max(self.1.interest())
    }

    fn counter(&self) -> Option<Counter> {
        self.0.counter().or_else(|| self.1.counter())
    }

    fn action_began(&mut self, rank: u32, action: usize, time: f64) {
        self.0.action_began(rank, action, time);
        self.1.action_began(rank, action, time);
    }

    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        self.0.action_ended(rank, action, time);
        self.1.action_ended(rank, action, time);
    }

    fn computed(&mut self, rank: u32, time: f64, seconds: f64) {
        self.0.computed(rank, time, seconds);
        self.1.computed(rank, time, seconds);
    }

    fn spent_overhead(&mut self, rank: u32, time: f64, seconds: f64) {
        self.0.spent_overhead(rank, time, seconds);
        self.1.spent_overhead(rank, time, seconds);
    }

    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, time: f64) {
        self.0.message_started(message, poster, envelope, bytes, time);
        self.1.message_started(message, poster, envelope, bytes, time);
    }

    fn woken(&mut self, rank: u32, wakening: Wakening) {
        self.0.woken(rank, wakening);
        self.1.woken(rank, wakening);
    }

    fn background_began(&mut self, background: u32, rank: u32, time: f64) {
        self.0.background_began(background, rank, time);
        self.1.background_began(background, rank, time);
    }

    fn released(&mut self, rank: u32, by: u32, time: f64, seconds: f64) {
        self.0.released(rank, by, time, seconds);
        self.1.released(rank, by, time, seconds);
    }

    fn link_changed(&mut self, link: LinkId, state: LinkState, time: f64) {
        self.0.link_changed(link, state, time);
        self.1.link_changed(link, state, time);
    }
}

/// Borrowed observer.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn interest(&self) -> Interest {
        (**self).interest()
    }

    fn counter(&self) -> Option<Counter> {
        (**self).counter()
    }

    fn action_began(&mut self, rank: u32, action: usize, time: f64) {
        (**self).action_began(rank, action, time);
    }

    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        (**self).action_ended(rank, action, time);
    }

    fn computed(&mut self, rank: u32, time: f64, seconds: f64) {
        (**self).computed(rank, time, seconds);
    }

    fn spent_overhead(&mut self, rank: u32, time: f64, seconds: f64) {
        (**self).spent_overhead(rank, time, seconds);
    }

    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, time: f64) {
        (**self).message_started(message, poster, envelope, bytes, time);
    }

    fn woken(&mut self, rank: u32, wakening: Wakening) {
        (**self).woken(rank, wakening);
    }

    fn background_began(&mut self, background: u32, rank: u32, time: f64) {
        (**self).background_began(background, rank, time);
    }

    fn released(&mut self, rank: u32, by: u32, time: f64, seconds: f64) {
        (**self).released(rank, by, time, seconds);
    }

    fn link_changed(&mut self, link: LinkId, state: LinkState, time: f64) {
        (**self).link_changed(link, state, time);
    }
}
