//! Collectives that only some members of a communicator have called so far.
//!
//! All members call the collectives of a communicator in the same order, so collectives with the same number belong
//! together, and they become complete in that order. Complete ones are returned and forgotten.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Collectives in progress. `T` is the data kept of a call.
#[derive(Debug)]
pub(super) struct Gathering<T> {
    /// Number of collectives returned.
    over: u64,
    /// Number of calls of each rank.
    called: FxHashMap<u32, u64>,
    /// The calls of the next collectives.
    calls: VecDeque<Vec<T>>,
}

impl<T> Default for Gathering<T> {
    fn default() -> Self {
        Self { over: 0, called: FxHashMap::default(), calls: VecDeque::new() }
    }
}

impl<T> Gathering<T> {
    /// Registers the next call of a rank; returns its number, from 0. `None` if that collective has already been
    /// returned: more ranks then call it than there are members.
    pub fn join(&mut self, rank: u32, call: T) -> Option<u64> {
        let next = self.called.entry(rank).or_default();
        let number = *next;
        let place = number.checked_sub(self.over)? as usize;
        *next += 1;
        // A rank is at most one ahead of all the others.
        if self.calls.len() <= place {
            self.calls.push_back(Vec::new());
        }
        self.calls[place].push(call);
        Some(number)
    }

    /// Returns `true` if a rank has made any call.
    pub fn knows(&self, rank: u32) -> bool {
        self.called.contains_key(&rank)
    }

    /// Returns the number of collectives returned so far.
    pub fn over(&self) -> u64 {
        self.over
    }

    /// Returns the lowest rank that has made any call.
    pub fn first(&self) -> Option<u32> {
        self.called.keys().copied().min()
    }

    /// Returns the calls of the oldest collective, if `members` ranks have called it.
    pub fn take_whole(&mut self, members: usize) -> Option<Vec<T>> {
        if self.calls.front()?.len() == members { self.take() } else { None }
    }

    /// Returns the calls of the oldest collective, complete or not.
    pub fn take(&mut self) -> Option<Vec<T>> {
        let calls = self.calls.pop_front()?;
        self.over += 1;
        Some(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_ones_come_out_in_their_order() {
        let mut gathering = Gathering::default();
        assert_eq!(
            (gathering.join(4, 'a'), gathering.join(4, 'b'), gathering.join(2, 'c')),
            (Some(0), Some(1), Some(0))
        );
        assert_eq!((gathering.take_whole(3), gathering.over(), gathering.first()), (None, 0, Some(2)));
        assert_eq!(gathering.join(7, 'd'), Some(0));
        assert_eq!((gathering.take_whole(3), gathering.over()), (Some(vec!['a', 'c', 'd']), 1));
        assert_eq!((gathering.take_whole(3), gathering.take(), gathering.take()), (None, Some(vec!['b']), None));
        // A fourth rank is too late.
        assert_eq!((gathering.join(9, 'e'), gathering.join(2, 'f')), (None, None));
    }
}
