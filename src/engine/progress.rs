//! How far a replay is, for progress bars.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::process::Process;

/// Number of actions that a replay has begun. Another thread may read it at any time.
pub type Counter = Arc<AtomicU64>;

/// Fewest instants between two updates.
const INSTANTS: u32 = 1 << 10;

/// Brings a counter up to date now and then.
pub(super) struct Progress {
    counter: Counter,
    ranks: usize,
    /// Instants until the next update; at least one for each rank, so that the sum over ranks costs next to nothing.
    left: u32,
}

impl Progress {
    pub fn new(counter: Counter, ranks: u32) -> Self {
        Self { counter, ranks: ranks as usize, left: 1 }
    }

    /// The clock has reached the next instant.
    #[inline]
    pub fn instant(&mut self, processes: &[Process<'_>]) {
        self.left -= 1;
        if self.left == 0 {
            self.left = INSTANTS.max(self.ranks as u32);
            let begun: usize = processes[..self.ranks].iter().map(|process| process.next).sum();
            self.counter.store(begun as u64, Ordering::Relaxed);
        }
    }
}
