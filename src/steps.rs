//! How far long work is, for those who wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the steps of some work: those expected so far and those done. Clones count together, from any thread, and
/// whoever shows progress looks at one of them now and then. A step is what the work says: a byte of a file, a search,
/// a route.
#[derive(Clone, Debug, Default)]
pub struct Steps(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    expected: AtomicU64,
    done: AtomicU64,
}

/// Options that differ only in who watches ask for the same.
impl PartialEq for Steps {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Steps {
    /// Adds steps to those expected.
    pub fn expect(&self, steps: u64) {
        self.0.expected.fetch_add(steps, Ordering::Relaxed);
    }

    /// Adds steps to those done.
    pub fn did(&self, steps: u64) {
        self.0.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Steps that are done and steps expected; the latter are 0 while nobody knows.
    pub fn now(&self) -> (u64, u64) {
        (self.0.done.load(Ordering::Relaxed), self.0.expected.load(Ordering::Relaxed))
    }
}
