//! Priority queue of links by level. No link is inserted below one that has been removed. Equal levels come out in the
//! order of insertion.
//!
//! A calendar queue (Brown, Communications of the ACM 31(10), 1988): inserting or removing a link takes one step, where
//! a heap of thousands takes a dozen. Buckets are ranges of the bits of levels, that is, roughly of their logarithms.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// End of a bucket's chain.
const NONE: u32 = u32::MAX;

/// Calendar queue of links.
#[derive(Default, Debug)]
pub(super) struct Buckets {
    /// Entry of the link at each place.
    waiting: Vec<Waiting>,
    /// First link of each bucket.
    heads: Vec<u32>,
    /// Number of buckets opened so far.
    opened: usize,
    /// Links of the bucket opened last, as level, turn and place in one integer; the lowest one is the last here.
    bucket: Vec<u128>,
    /// Links inserted after their bucket had been opened.
    late: BinaryHeap<Reverse<u128>>,
    /// Bits of the level at which the first bucket begins, and the number of low bits that a bucket spans. Non-negative
    /// floats sort like their bits.
    lowest: u64,
    shift: u32,
    turns: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Waiting {
    level: u64,
    turn: u32,
    /// Next link of its bucket.
    next: u32,
}

impl Buckets {
    /// Replaces all links by these, whose places are all from 0 on in any order.
    pub fn start(&mut self, links: impl ExactSizeIterator<Item = (u32, f64)>) {
        let count = links.len();
        self.waiting.resize(count, Waiting::default());
        let (mut lowest, mut highest) = (u64::MAX, 0);
        self.turns = 0;
        for (place, level) in links {
            let level = bits(level);
            (lowest, highest) = (lowest.min(level), highest.max(level));
            self.waiting[place as usize] = Waiting { level, turn: self.turns, next: NONE };
            self.turns += 1;
        }
        self.bucket.clear();
        self.late.clear();
        self.heads.clear();
        self.heads.resize(count.next_power_of_two(), NONE);
        (self.opened, self.lowest) = (0, lowest);
        let range = highest.saturating_sub(lowest);
        self.shift = 0;
        while range >> self.shift >= self.heads.len() as u64 {
            self.shift += 1;
        }
        for place in 0..count as u32 {
            let bucket = self.bucket(self.waiting[place as usize].level);
            self.waiting[place as usize].next = std::mem::replace(&mut self.heads[bucket], place);
        }
    }

    /// Bucket of a level. Levels above the highest one at the start are in the last bucket.
    #[inline]
    fn bucket(&self, level: u64) -> usize {
        ((level.saturating_sub(self.lowest) >> self.shift) as usize).min(self.heads.len() - 1)
    }

    /// Inserts a link that is not in the queue.
    #[inline]
    pub fn push(&mut self, place: u32, level: f64) {
        let level = bits(level);
        let bucket = self.bucket(level);
        let mut waiting = Waiting { level, turn: self.turns, next: NONE };
        self.turns += 1;
        if bucket < self.opened {
            self.late.push(Reverse(waiting.entry(place)));
        } else {
            waiting.next = std::mem::replace(&mut self.heads[bucket], place);
            self.waiting[place as usize] = waiting;
        }
    }

    /// Removes the first link, unless its level differs from `only`.
    #[inline]
    pub fn pop_at(&mut self, only: Option<f64>) -> Option<(f64, u32)> {
        if self.bucket.is_empty() && self.late.is_empty() {
            self.open_next();
        }
        let late = self.late.peek().is_some_and(|&Reverse(late)| self.bucket.last().is_none_or(|&first| late < first));
        let &first = if late { self.late.peek().map(|Reverse(late)| late) } else { self.bucket.last() }?;
        let level = f64::from_bits((first >> 64) as u64);
        if only.is_some_and(|only| only != level) {
            return None;
        }
        if late {
            self.late.pop();
        } else {
            self.bucket.pop();
        }
        Some((level, first as u32))
    }

    /// Opens the next non-empty bucket.
    fn open_next(&mut self) {
        while self.bucket.is_empty() && self.opened < self.heads.len() {
            let mut place = self.heads[self.opened];
            self.opened += 1;
            while let Some(&waiting) = self.waiting.get(place as usize) {
                self.bucket.push(waiting.entry(place));
                place = waiting.next;
            }
        }
        if self.bucket.len() > 1 {
            self.bucket.sort_unstable_by_key(|&entry| Reverse(entry));
        }
    }
}

impl Waiting {
    #[inline]
    fn entry(self, place: u32) -> u128 {
        u128::from(self.level) << 64 | u128::from(self.turn) << 32 | u128::from(place)
    }
}

/// Bits of a level. Adding 0 turns a negative zero, whose bits are those of a large number, into a positive one.
#[inline]
fn bits(level: f64) -> u64 {
    (level + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_keep_the_order(
            first in proptest::collection::vec(prop_oneof![Just(1.0), 1e-3..1e3], 1..100),
            rises in proptest::collection::vec(prop_oneof![Just(0.0), 0.0..10.0, 0.0..1e6], 0..300),
        ) {
            let mut buckets = Buckets::default();
            buckets.start(first.iter().enumerate().map(|(place, &level)| (place as u32, level)));
            let mut waiting: Vec<(f64, usize, u32)> = first.iter().enumerate().map(|(i, &level)| (level, i, i as u32)).collect();
            let mut rises = rises.into_iter();
            let mut turn = first.len();
            while !waiting.is_empty() {
                waiting.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let (level, _, place) = waiting.remove(0);
                prop_assert_eq!(buckets.pop_at(Some(level + 1.0)), None);
                prop_assert_eq!(buckets.pop_at(Some(level)), Some((level, place)));
                if let Some(rise) = rises.next() {
                    buckets.push(place, level + rise);
                    waiting.push((level + rise, turn, place));
                    turn += 1;
                }
            }
            prop_assert_eq!(buckets.pop_at(None), None);
        }
    }
}
