//! The event queue: a 4-ary heap of times that can be changed in place, optionally with a list of times that were set
//! in order.
//!
//! Many events of a network are set in the order in which they will happen: equal latencies, or unimpeded messages of
//! one size. In an [`OrderedQueue`] they only pass through a list, in constant time. An event earlier than the last one
//! of the list goes into the heap, or moves that last one there; the earliest event is the first of the list or of the
//! heap.
//!
//! Every pending event belongs to a slot (a flow, a rank), and a slot has at most one event. Rates change often, so
//! changing a time must not leave a dead entry behind; the heap therefore stores the position of each slot's entry.
//! Events with equal times are returned in the order of their insertion, and a changed time counts as a new insertion:
//! this defines the order of simultaneous events (it is also the rule of SimGrid 3.32).

use std::collections::VecDeque;

/// Number of children per node. With four, the number of comparisons is that of a binary heap at half the depth, and
/// the children of a node share a cache line or two.
const ARITY: usize = 4;

/// Position of a slot without an event, and slot of a removed entry in the list. It differs from all positions in the
/// list.
const ABSENT: u32 = LISTED - 1;

/// Flag of positions in the list; the other bits are the number of the entry since the beginning, which may wrap.
const LISTED: u32 = 1 << 31;

/// Time and insertion number in one integer: the bits of non-negative floats have the same order as the floats. Entries
/// are then ordered by one comparison without a branch; branches that depend on times cannot be predicted.
#[derive(Clone, Copy, Debug)]
struct QueueEntry {
    key: u128,
    slot: u32,
}

impl QueueEntry {
    #[inline]
    fn new(time: f64, insertion: u64, slot: u32) -> Self {
        debug_assert!(time >= 0.0, "simulated time begins at 0");
        // Adding 0 converts a negative zero, whose bits are those of a large number, to a positive one.
        Self { key: u128::from((time + 0.0).to_bits()) << 64 | u128::from(insertion), slot }
    }

    #[inline]
    fn time(&self) -> f64 {
        f64::from_bits((self.key >> 64) as u64)
    }

    #[inline]
    fn before(&self, other: &QueueEntry) -> bool {
        self.key < other.key
    }
}

/// Returns the earlier of two times, either of which may be missing. This is in the innermost loop of a replay, where
/// chained iterators over options cost a tenth of the run.
#[inline]
pub fn earlier(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b < a { b } else { a }),
        (a, None) => a,
        (None, b) => b,
    }
}

/// Entries in ascending order. Entries removed from the middle become gaps; the first and the last are always events.
#[derive(Default, Debug)]
struct SortedRun {
    entries: VecDeque<QueueEntry>,
    /// Number of the first entry.
    first: u32,
    gaps: usize,
}

impl SortedRun {
    /// Appends an entry, and returns its position.
    #[inline]
    fn push(&mut self, entry: QueueEntry) -> u32 {
        let position = self.first.wrapping_add(self.entries.len() as u32) | LISTED;
        self.entries.push_back(entry);
        position
    }

    #[inline]
    fn pop_first(&mut self) {
        self.entries.pop_front();
        self.first = self.first.wrapping_add(1);
        while self.gaps > 0 && self.entries.front().is_some_and(|entry| entry.slot == ABSENT) {
            self.gaps -= 1;
            self.entries.pop_front();
            self.first = self.first.wrapping_add(1);
        }
    }

    fn pop_last(&mut self) {
        self.entries.pop_back();
        while self.gaps > 0 && self.entries.back().is_some_and(|entry| entry.slot == ABSENT) {
            self.gaps -= 1;
            self.entries.pop_back();
        }
    }

    /// Removes an entry at any position.
    fn remove(&mut self, position: u32) {
        let at = (position.wrapping_sub(self.first) & !LISTED) as usize;
        if at + 1 == self.entries.len() {
            self.pop_last();
        } else if at == 0 {
            self.pop_first();
        } else {
            self.entries[at].slot = ABSENT;
            self.gaps += 1;
        }
    }
}

/// A queue of events in any order.
pub type EventQueue = Queue<{ usize::MAX }>;

/// A queue of events that are mostly set in the order in which they happen.
pub type OrderedQueue = Queue<0>;

/// A queue of events that often change. While the heap is small, it is cheaper than the list; with a large heap, the
/// list saves as many comparisons as possible.
pub type ChangingQueue = Queue<128>;

/// A priority queue of `(time, slot)` with replaceable times. From `FROM` events in the heap on, it has a list for
/// those set in order.
#[derive(Default, Debug)]
pub struct Queue<const FROM: usize> {
    run: SortedRun,
    heap: Vec<QueueEntry>,
    position: Vec<u32>,
    insertions: u64,
}

impl<const FROM: usize> Queue<FROM> {
    /// `true` if a list is used at all.
    const LISTS: bool = FROM != usize::MAX;

    /// Creates an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        for entry in self.heap.drain(..) {
            self.position[entry.slot as usize] = ABSENT;
        }
        if Self::LISTS {
            for entry in self.run.entries.drain(..).filter(|entry| entry.slot != ABSENT) {
                self.position[entry.slot as usize] = ABSENT;
            }
            self.run.gaps = 0;
        }
    }

    /// Returns the number of pending events.
    pub fn len(&self) -> usize {
        self.heap.len() + self.run.entries.len() - self.run.gaps
    }

    /// Returns `true` if no event is pending.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty() && self.is_heap()
    }

    /// Returns `true` if all events are in the heap.
    #[inline]
    fn is_heap(&self) -> bool {
        !Self::LISTS || self.run.entries.is_empty()
    }

    /// Returns the first entry, and whether it is in the list.
    #[inline]
    fn first(&self) -> Option<(&QueueEntry, bool)> {
        if self.is_heap() {
            return self.heap.first().map(|heaped| (heaped, false));
        }
        match (self.run.entries.front(), self.heap.first()) {
            (Some(listed), Some(heaped)) if heaped.before(listed) => Some((heaped, false)),
            (Some(listed), _) => Some((listed, true)),
            (None, heaped) => Some((heaped?, false)),
        }
    }

    /// Returns the earliest time.
    #[inline]
    pub fn next_time(&self) -> Option<f64> {
        self.first().map(|(entry, _)| entry.time())
    }

    /// Returns the earliest event.
    #[inline]
    pub fn peek(&self) -> Option<(f64, u32)> {
        self.first().map(|(entry, _)| (entry.time(), entry.slot))
    }

    /// Sets the time (zero or later) of a slot's event, which counts as a new insertion even if it replaces one.
    #[inline]
    pub fn set(&mut self, slot: u32, time: f64) {
        let index = slot as usize;
        if index >= self.position.len() {
            self.position.resize(index + 1, ABSENT);
        }
        self.insertions += 1;
        let entry = QueueEntry::new(time, self.insertions, slot);
        match self.position[index] {
            ABSENT => self.insert(entry),
            at if Self::LISTS && at & LISTED != 0 => {
                // An event that has changed is likely to change again, which is simple in the heap.
                self.run.remove(at);
                self.push(entry);
            }
            at => {
                let at = at as usize;
                if entry.before(&self.heap[at]) {
                    self.sift_up(at, entry);
                } else {
                    self.sift_down(at, entry);
                }
            }
        }
    }

    #[inline]
    fn insert(&mut self, entry: QueueEntry) {
        if !Self::LISTS {
            return self.push(entry);
        }
        let entries = &self.run.entries;
        if FROM > 0 && entries.is_empty() && self.heap.len() < FROM {
            return self.push(entry);
        }
        let Some(last) = entries.back().filter(|last| entry.before(last)).copied() else {
            self.position[entry.slot as usize] = self.run.push(entry);
            return;
        };
        // One late event must not keep all others out of the list: if this one fits before it, the late one moves to
        // the heap.
        if entries.len() < 2 || entries[entries.len() - 2].before(&entry) {
            self.run.pop_last();
            self.position[entry.slot as usize] = self.run.push(entry);
            self.push(last);
        } else {
            self.push(entry);
        }
    }

    /// Inserts an entry into the heap.
    #[inline]
    fn push(&mut self, entry: QueueEntry) {
        self.heap.push(entry);
        self.sift_up(self.heap.len() - 1, entry);
    }

    /// Removes a slot's event, if it has one.
    pub fn remove(&mut self, slot: u32) {
        let Some(&at) = self.position.get(slot as usize) else { return };
        if at == ABSENT {
            return;
        }
        self.position[slot as usize] = ABSENT;
        if Self::LISTS && at & LISTED != 0 {
            return self.run.remove(at);
        }
        let at = at as usize;
        let Some(last) = self.heap.pop() else { return };
        if at < self.heap.len() {
            let old = self.heap[at];
            if last.before(&old) {
                self.sift_up(at, last);
            } else {
                self.sift_down(at, last);
            }
        }
    }

    /// Returns the slot of the event that is about `ahead` places behind the next one; `None` if finding it would need
    /// a search.
    #[inline]
    pub fn upcoming(&self, ahead: usize) -> Option<u32> {
        self.run.entries.get(ahead).map(|entry| entry.slot).filter(|&slot| slot != ABSENT)
    }

    /// Removes and returns the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        self.pop_if(|_| true)
    }

    /// Removes and returns the earliest event if `due` holds for its time.
    #[inline]
    pub fn pop_if(&mut self, due: impl FnOnce(f64) -> bool) -> Option<(f64, u32)> {
        let (&first, listed) = self.first().filter(|(first, _)| due(first.time()))?;
        if !listed {
            return self.pop_heap();
        }
        self.position[first.slot as usize] = ABSENT;
        self.run.pop_first();
        Some((first.time(), first.slot))
    }

    #[inline]
    fn pop_heap(&mut self) -> Option<(f64, u32)> {
        let first = *self.heap.first()?;
        self.position[first.slot as usize] = ABSENT;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.sift_down(0, last);
        }
        Some((first.time(), first.slot))
    }

    #[inline]
    fn place(&mut self, at: usize, entry: QueueEntry) {
        self.position[entry.slot as usize] = at as u32;
        self.heap[at] = entry;
    }

    #[inline]
    fn sift_up(&mut self, mut at: usize, entry: QueueEntry) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            let above = self.heap[parent];
            if !entry.before(&above) {
                break;
            }
            self.place(at, above);
            at = parent;
        }
        self.place(at, entry);
    }

    #[inline]
    fn sift_down(&mut self, mut at: usize, entry: QueueEntry) {
        loop {
            let first = at * ARITY + 1;
            if first >= self.heap.len() {
                break;
            }
            let best = match self.heap.get(first..first + ARITY) {
                // A full set of children: a tournament, which compiles to conditional moves.
                Some(c) => {
                    let left = usize::from(c[1].before(&c[0]));
                    let right = 2 + usize::from(c[3].before(&c[2]));
                    first + if c[right].before(&c[left]) { right } else { left }
                }
                None => {
                    let mut best = first;
                    for child in first + 1..self.heap.len() {
                        if self.heap[child].before(&self.heap[best]) {
                            best = child;
                        }
                    }
                    best
                }
            };
            let below = self.heap[best];
            if !below.before(&entry) {
                break;
            }
            self.place(at, below);
            at = best;
        }
        self.place(at, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_dates_leave_in_order_of_insertion_and_a_change_is_a_new_insertion() {
        fn order<const FROM: usize>() -> Vec<u32> {
            let mut queue = Queue::<FROM>::new();
            for slot in [3, 1, 2] {
                queue.set(slot, 1.0);
            }
            queue.set(3, 1.0);
            std::iter::from_fn(|| queue.pop()).map(|e| e.1).collect()
        }
        assert_eq!(order::<{ usize::MAX }>(), [1, 2, 3]);
        assert_eq!(order::<0>(), [1, 2, 3]);
    }

    /// Compares the queue with the obvious implementation, a list that is searched for its minimum.
    fn behaves_like_a_list<const FROM: usize>(operations: &[(u8, u32, u32)]) -> Result<(), TestCaseError> {
        let mut queue = Queue::<FROM>::new();
        let mut list: Vec<(u32, usize, u32)> = Vec::new();
        for (number, &(operation, slot, time)) in operations.iter().enumerate() {
            match operation {
                0..=3 => {
                    queue.set(slot, f64::from(time));
                    list.retain(|e| e.2 != slot);
                    list.push((time, number, slot));
                }
                4 | 5 => {
                    queue.remove(slot);
                    list.retain(|e| e.2 != slot);
                }
                6 if number % 8 == 0 => {
                    queue.clear();
                    list.clear();
                }
                _ => {
                    list.sort_unstable();
                    let expected = (!list.is_empty()).then(|| list.remove(0)).map(|e| (f64::from(e.0), e.2));
                    prop_assert_eq!(queue.peek(), expected);
                    prop_assert_eq!(queue.pop(), expected);
                }
            }
            prop_assert_eq!(queue.len(), list.len());
            prop_assert_eq!(queue.is_empty(), list.is_empty());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn behaves_like_a_sorted_list(operations in prop::collection::vec((0u8..8, 0u32..20, 0u32..10), 0..400)) {
            behaves_like_a_list::<{ usize::MAX }>(&operations)?;
            behaves_like_a_list::<0>(&operations)?;
            behaves_like_a_list::<3>(&operations)?;
        }

        /// Most times are ascending, as in networks.
        #[test]
        fn the_list_of_what_comes_in_order_changes_nothing(steps in prop::collection::vec((0u8..8, 0u32..20, 0u32..4), 0..400)) {
            let rising = (0..).zip(steps).map(|(at, (operation, slot, late))| (operation, slot, at / 3 + late * late));
            let rising: Vec<_> = rising.collect();
            behaves_like_a_list::<0>(&rising)?;
            behaves_like_a_list::<3>(&rising)?;
        }
    }
}
