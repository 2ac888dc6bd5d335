//! Queues by key: requests by triple, collectives by number.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Removes the oldest entry of a queue, and the queue with its last entry: there may be a key for each call of the
/// trace.
pub(super) fn take_oldest<K: Eq + Hash, V>(queues: &mut FxHashMap<K, VecDeque<V>>, key: &K) -> Option<V> {
    let queue = queues.get_mut(key)?;
    let oldest = queue.pop_front();
    if queue.is_empty() {
        queues.remove(key);
    }
    oldest
}
