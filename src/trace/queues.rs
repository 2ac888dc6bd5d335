//! Queues by key: requests by triple, collectives by number.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::Triple;

/// Removes the oldest entry of a queue, and the queue with its last entry: there may be a key for each call of the
/// trace.
pub(super) fn take_oldest<K: Eq + Hash, V>(queues: &mut FxHashMap<K, VecDeque<V>>, key: &K) -> Option<V> {
    take_nth(queues, key, 0)
}

/// Removes entry number `nth` of a queue, and the queue with its last entry.
pub(super) fn take_nth<K: Eq + Hash, V>(queues: &mut FxHashMap<K, VecDeque<V>>, key: &K, nth: u32) -> Option<V> {
    let queue = queues.get_mut(key)?;
    let taken = queue.remove(nth as usize);
    if queue.is_empty() {
        queues.remove(key);
    }
    taken
}

/// The messages of a rank that a replay remembers, in the order of their sends and receives.
///
/// A wait of a trace is for the oldest one of its triple of source, destination and tag, unless a [`Pick`](super::Action::Pick)
/// precedes it.
#[derive(Default)]
pub(crate) struct OpenMessages {
    of_triple: FxHashMap<Triple, VecDeque<usize>>,
}

impl OpenMessages {
    /// Adds the message that was posted as number `at` of the rank, such as the index of its action.
    pub fn post(&mut self, triple: Triple, at: usize) {
        let queue = self.of_triple.entry(triple).or_default();
        let place = queue.partition_point(|&other| other < at);
        queue.insert(place, at);
    }

    /// Removes a message, and returns the number of older ones of its triple.
    pub fn end(&mut self, triple: Triple, at: usize) -> u32 {
        let Some(queue) = self.of_triple.get_mut(&triple) else { return 0 };
        let place = queue.partition_point(|&other| other < at);
        if queue.get(place) == Some(&at) {
            queue.remove(place);
        }
        if queue.is_empty() {
            self.of_triple.remove(&triple);
        }
        place as u32
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        self.of_triple.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_messages_of_a_triple_are_counted() {
        let (mut open, triple) = (OpenMessages::default(), (0, 1, 7));
        [4, 2, 9].into_iter().for_each(|at| open.post(triple, at));
        open.post((0, 1, 8), 3);
        assert_eq!(open.end(triple, 4), 1);
        assert_eq!(open.end(triple, 9), 1);
        assert_eq!(open.end(triple, 5), 1, "one that was never posted");
        assert_eq!(open.end(triple, 2), 0);
        assert_eq!((open.end(triple, 2), open.end((0, 1, 8), 3)), (0, 0));
    }
}
