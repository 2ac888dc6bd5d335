//! Progress of a replay, for progress bars; and its stop from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Link between a replay and other threads, which read its progress and may stop it. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Counter {
    begun: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
}

impl Counter {
    /// Returns a counter of its own that shares a flag: once that is `true`, the replay stops.
    pub fn stopped_by(flag: &Arc<AtomicBool>) -> Self {
        Self { begun: Arc::default(), stopped: flag.clone() }
    }

    /// Returns a counter of its own that is stopped together with this one.
    pub fn sibling(&self) -> Self {
        Self::stopped_by(&self.stopped)
    }

    /// Number of actions and operations of schedules that the replay has begun.
    pub fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// Stops the replay at its next update, with [`ReplayError::Stopped`](super::ReplayError::Stopped).
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// Fewest instants between two updates.
const INSTANTS: u32 = 1 << 10;

/// Updates a counter every thousandth instant.
pub(super) struct ProgressMeter {
    counter: Counter,
    /// Instants between two updates; at least one per rank, so that the sum over ranks costs next to nothing.
    every: u32,
    /// Instants until the next update.
    left: u32,
}

impl ProgressMeter {
    pub fn new(counter: Counter, ranks: u32) -> Self {
        Self { counter, every: INSTANTS.max(ranks), left: 1 }
    }

    /// The clock has reached the next instant; `begun` counts the actions that have begun. Returns `true` if the replay
    /// has to stop.
    #[inline]
    pub fn instant(&mut self, begun: impl FnOnce() -> u64) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.left = self.every;
        self.counter.begun.store(begun(), Ordering::Relaxed);
        self.counter.stopped.load(Ordering::Relaxed)
    }
}
