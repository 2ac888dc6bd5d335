//! Caches results for source switches, within a limit of memory.
//!
//! A source has one slot, its number modulo the number of slots. If there is a slot for every source this is a table
//! that fills up; in larger networks a source evicts the previous one in its slot and is computed again when it
//! returns. The cache affects the duration of a query, never its result.

use std::sync::{Mutex, PoisonError};

/// Memory of a cache, in bytes: 256 MiB, the trees of all sources of 8,192 switches.
const MEMORY_BYTES: usize = 1 << 28;

/// Cached results for source switches.
pub(crate) struct SourceCache<T> {
    slots: Vec<Mutex<Option<(u32, T)>>>,
}

impl<T> SourceCache<T> {
    /// Creates a cache for `sources` sources whose results take `bytes` bytes each.
    pub(crate) fn new(sources: usize, bytes: usize) -> Self {
        Self::within(MEMORY_BYTES, sources, bytes)
    }

    fn within(memory: usize, sources: usize, bytes: usize) -> Self {
        let slots = (memory / bytes.max(1)).clamp(1, sources.max(1));
        Self { slots: (0..slots).map(|_| Mutex::new(None)).collect() }
    }

    /// Calls `look` with the result of a source, which is computed if it is not cached.
    pub(crate) fn with<R>(&self, source: u32, compute: impl FnOnce() -> T, look: impl FnOnce(&T) -> R) -> R {
        let slot = &self.slots[source as usize % self.slots.len()];
        // If another thread panicked while computing, the slot is in its earlier state, which is valid.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *slot {
            Some((owner, thing)) if *owner == source => look(thing),
            other => look(&other.insert((source, compute())).1),
        }
    }

    /// Calls `look` with the result of a source; `None` if it is not cached.
    pub(crate) fn remembered<R>(&self, source: u32, look: impl FnOnce(&T) -> R) -> Option<R> {
        let slot = self.slots[source as usize % self.slots.len()].lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().filter(|(owner, _)| *owner == source).map(|(_, thing)| look(thing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_share_slots_when_memory_is_short() {
        // 20 bytes hold two results of 10 bytes: sources 0 and 2 share a slot, 1 has the other.
        let cache = SourceCache::within(20, 3, 10);
        let mut computed = Vec::new();
        for source in [0, 1, 0, 2, 1, 0] {
            let seen = cache.with(
                source,
                || {
                    computed.push(source);
                    source * 100
                },
                |&thing| thing,
            );
            assert_eq!(seen, source * 100);
        }
        assert_eq!(computed, [0, 1, 2, 0]);
        assert_eq!(cache.remembered(1, |&thing| thing), Some(100));
        assert_eq!(cache.remembered(2, |&thing| thing), None);
        assert_eq!(SourceCache::<()>::within(1, 5, 1000).slots.len(), 1);
        assert_eq!(SourceCache::<()>::within(1 << 20, 5, 1000).slots.len(), 5);
    }
}
