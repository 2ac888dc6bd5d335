//! Observers of a replay.
//!
//! An observed replay calls its observer through a trait object, so the engine is compiled once for all observers. A
//! replay that is not observed (`()`) has an engine of its own, compiled without any of these calls: the speed of long
//! studies is decided there. Observers as type parameters were tried before: 21 copies of the engine in one binary.

use super::{Counter, Envelope};
use crate::ids::LinkId;
use crate::network::sharing::LinkState;

/// A rank that was blocked on a message goes on, for the message has arrived.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wakening {
    /// Number of the message, as [`Observer::message_started`] gave it.
    pub message: u32,
    /// When the rank stopped.
    pub since: f64,
    /// When the transfer began: both halves were posted, or the send of a message that does not wait for its receive.
    pub started: f64,
    /// When its latency was over. It may have waited behind others of its connection since then.
    pub entered: f64,
    /// Now.
    pub date: f64,
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
/// A collective that does not block progresses in a fiber beside its rank. Fibers have numbers from the number of ranks
/// on, which are used again, and stand where a rank stands in [`computed`](Self::computed),
/// [`spent_overhead`](Self::spent_overhead), [`message_started`](Self::message_started) (as poster),
/// [`woken`](Self::woken) and [`released`](Self::released) (as `by`).
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
    fn action_began(&mut self, rank: u32, action: usize, date: f64) {
        let _ = (rank, action, date);
    }

    /// An action of a rank (by its index in the trace) has ended.
    #[inline]
    fn action_ended(&mut self, rank: u32, action: usize, date: f64) {
        let _ = (rank, action, date);
    }

    /// A rank has computed for so many seconds, until now.
    #[inline]
    fn computed(&mut self, rank: u32, date: f64, seconds: f64) {
        let _ = (rank, date, seconds);
    }

    /// A rank has spent so many seconds in calls that wait for nobody, until now.
    #[inline]
    fn spent_overhead(&mut self, rank: u32, date: f64, seconds: f64) {
        let _ = (rank, date, seconds);
    }

    /// A message starts because `poster` has posted its second half, or its send if it does not wait for its receive. Numbers of messages that have arrived, and for
    /// which nobody waits any more, are used again.
    #[inline]
    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, date: f64) {
        let _ = (message, poster, envelope, bytes, date);
    }

    /// A rank goes on, for a message has arrived.
    #[inline]
    fn woken(&mut self, rank: u32, wakening: Wakening) {
        let _ = (rank, wakening);
    }

    /// A rank has started a collective that does not block: a fiber begins.
    #[inline]
    fn fiber_began(&mut self, fiber: u32, rank: u32, date: f64) {
        let _ = (fiber, rank, date);
    }

    /// A rank goes on after so many seconds, for a fiber of its own has ended, or another rank has posted what it
    /// looked for.
    #[inline]
    fn released(&mut self, rank: u32, by: u32, date: f64, seconds: f64) {
        let _ = (rank, by, date, seconds);
    }

    /// The state of a link since now. It may be told several times.
    #[inline]
    fn link_changed(&mut self, link: LinkId, state: LinkState, date: f64) {
        let _ = (link, state, date);
    }
}

/// The observer of a replay that is not observed.
impl Observer for () {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }
}

/// An observer that only counts actions: the replay runs as if there were none.
impl Observer for Counter {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }

    fn counter(&self) -> Option<Counter> {
        Some(self.clone())
    }
}

/// An observer that only counts actions, or does not observe at all.
impl Observer for Option<Counter> {
    fn interest(&self) -> Interest {
        Interest::Nothing
    }

    fn counter(&self) -> Option<Counter> {
        self.clone()
    }
}

/// A pair of observers, called one after the other.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn interest(&self) -> Interest {
        self.0.interest().max(self.1.interest())
    }

    fn counter(&self) -> Option<Counter> {
        self.0.counter().or_else(|| self.1.counter())
    }

    fn action_began(&mut self, rank: u32, action: usize, date: f64) {
        self.0.action_began(rank, action, date);
        self.1.action_began(rank, action, date);
    }

    fn action_ended(&mut self, rank: u32, action: usize, date: f64) {
        self.0.action_ended(rank, action, date);
        self.1.action_ended(rank, action, date);
    }

    fn computed(&mut self, rank: u32, date: f64, seconds: f64) {
        self.0.computed(rank, date, seconds);
        self.1.computed(rank, date, seconds);
    }

    fn spent_overhead(&mut self, rank: u32, date: f64, seconds: f64) {
        self.0.spent_overhead(rank, date, seconds);
        self.1.spent_overhead(rank, date, seconds);
    }

    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, date: f64) {
        self.0.message_started(message, poster, envelope, bytes, date);
        self.1.message_started(message, poster, envelope, bytes, date);
    }

    fn woken(&mut self, rank: u32, wakening: Wakening) {
        self.0.woken(rank, wakening);
        self.1.woken(rank, wakening);
    }

    fn fiber_began(&mut self, fiber: u32, rank: u32, date: f64) {
        self.0.fiber_began(fiber, rank, date);
        self.1.fiber_began(fiber, rank, date);
    }

    fn released(&mut self, rank: u32, by: u32, date: f64, seconds: f64) {
        self.0.released(rank, by, date, seconds);
        self.1.released(rank, by, date, seconds);
    }

    fn link_changed(&mut self, link: LinkId, state: LinkState, date: f64) {
        self.0.link_changed(link, state, date);
        self.1.link_changed(link, state, date);
    }
}

/// A borrowed observer.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn interest(&self) -> Interest {
        (**self).interest()
    }

    fn counter(&self) -> Option<Counter> {
        (**self).counter()
    }

    fn action_began(&mut self, rank: u32, action: usize, date: f64) {
        (**self).action_began(rank, action, date);
    }

    fn action_ended(&mut self, rank: u32, action: usize, date: f64) {
        (**self).action_ended(rank, action, date);
    }

    fn computed(&mut self, rank: u32, date: f64, seconds: f64) {
        (**self).computed(rank, date, seconds);
    }

    fn spent_overhead(&mut self, rank: u32, date: f64, seconds: f64) {
        (**self).spent_overhead(rank, date, seconds);
    }

    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, date: f64) {
        (**self).message_started(message, poster, envelope, bytes, date);
    }

    fn woken(&mut self, rank: u32, wakening: Wakening) {
        (**self).woken(rank, wakening);
    }

    fn fiber_began(&mut self, fiber: u32, rank: u32, date: f64) {
        (**self).fiber_began(fiber, rank, date);
    }

    fn released(&mut self, rank: u32, by: u32, date: f64, seconds: f64) {
        (**self).released(rank, by, date, seconds);
    }

    fn link_changed(&mut self, link: LinkId, state: LinkState, date: f64) {
        (**self).link_changed(link, state, date);
    }
}
