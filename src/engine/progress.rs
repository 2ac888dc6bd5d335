//! Progress of a replay, for progress bars.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of actions and operations of schedules that a replay has begun. Another thread may read it at any time.
pub type Counter = Arc<AtomicU64>;

/// Fewest instants between two updates.
const INSTANTS: u32 = 1 << 10;

/// Updates a counter every thousandth instant.
pub(super) struct Progress {
    counter: Counter,
    /// Instants between two updates; at least one per rank, so that the sum over ranks costs next to nothing.
    every: u32,
    /// Instants until the next update.
    left: u32,
}

impl Progress {
    pub fn new(counter: Counter, ranks: u32) -> Self {
        Self { counter, every: INSTANTS.max(ranks), left: 1 }
    }

    /// The clock has reached the next instant; `begun` counts the actions that have begun.
    #[inline]
    pub fn instant(&mut self, begun: impl FnOnce() -> u64) {
        self.left -= 1;
        if self.left == 0 {
            self.left = self.every;
            self.counter.store(begun(), Ordering::Relaxed);
        }
    }
}
