//! Progress of long work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counter of the steps of some work: the expected and the completed ones. Clones share the counts between threads, and
/// progress displays read them periodically. The work defines its steps: bytes of a file, searches, routes.
#[derive(Clone, Debug, Default)]
pub struct Steps(Arc<StepCounts>);

#[derive(Debug, Default)]
struct StepCounts {
    expected: AtomicU64,
    done: AtomicU64,
}

/// All counters are equal, so that options which differ only in progress displays compare as equal.
impl PartialEq for Steps {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Steps {
    /// Adds to the number of expected steps.
    pub fn expect(&self, steps: u64) {
        self.0.expected.fetch_add(steps, Ordering::Relaxed);
    }

    /// Adds to the number of completed steps.
    pub fn did(&self, steps: u64) {
        self.0.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Returns the numbers of completed and of expected steps; the latter is 0 while unknown.
    pub fn now(&self) -> (u64, u64) {
        (self.0.done.load(Ordering::Relaxed), self.0.expected.load(Ordering::Relaxed))
    }
}
