//! The collectives of a communicator that some of its members have called, and others have not yet.
//!
//! All members call the collectives of a communicator in the same order, so the ones with the same number are the same
//! one, and they become whole in that order. What is whole is handed out and forgotten.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Collectives under way. `T` is what is kept of a call.
#[derive(Debug)]
pub(super) struct Gathering<T> {
    /// How many have been handed out.
    over: u64,
    /// How many each rank has called.
    called: FxHashMap<u32, u64>,
    /// The calls of those that come next.
    calls: VecDeque<Vec<T>>,
}

impl<T> Default for Gathering<T> {
    fn default() -> Self {
        Self { over: 0, called: FxHashMap::default(), calls: VecDeque::new() }
    }
}

impl<T> Gathering<T> {
    /// A rank calls its next one; gives the number of that, from 0. None if it has been handed out: then more ranks
    /// call it than there are members.
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

    /// Whether a rank has called any.
    pub fn knows(&self, rank: u32) -> bool {
        self.called.contains_key(&rank)
    }

    /// How many have been handed out.
    pub fn over(&self) -> u64 {
        self.over
    }

    /// The lowest rank that has called any.
    pub fn first(&self) -> Option<u32> {
        self.called.keys().copied().min()
    }

    /// The calls of the oldest one, if so many ranks have called it.
    pub fn take_whole(&mut self, members: usize) -> Option<Vec<T>> {
        if self.calls.front()?.len() == members { self.take() } else { None }
    }

    /// The calls of the oldest one, whoever is missing.
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
        // A fourth rank comes too late.
        assert_eq!((gathering.join(9, 'e'), gathering.join(2, 'f')), (None, None));
    }
}
