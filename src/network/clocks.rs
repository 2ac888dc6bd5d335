//! Clocks of links: completion times of flows that follow the level of a link while that level changes.
//!
//! Flows with the same bottleneck link run in proportion to its level. They therefore share a virtual clock that runs
//! at the speed of the level: on that clock each completion time is fixed, however the level changes, and only the real
//! time of the earliest completion has to be recomputed (virtual time: Parekh and Gallager, A Generalized Processor
//! Sharing Approach to Flow Control, 1993).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Clock of a flow that follows none.
const NONE: u32 = u32::MAX;

#[derive(Default, Debug)]
struct Clock {
    /// Clock reading at `updated`, in seconds at a level of 1.
    time: f64,
    level: f64,
    updated: f64,
    /// Completion times of the followers as bits (non-negative floats sort like their bits). Entries of former
    /// followers are removed lazily.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
    followers: u32,
    /// `true` if its next event time is out of date.
    moved: bool,
}

impl Clock {
    fn advance(&mut self, now: f64) {
        self.time += self.level * (now - self.updated);
        self.updated = now;
    }
}

#[derive(Clone, Copy, Debug)]
struct Follower {
    clock: u32,
    end: f64,
}

/// The clocks of all links, and the flows that follow them.
#[derive(Default, Debug)]
pub struct Clocks {
    clocks: Vec<Clock>,
    followers: Vec<Follower>,
    moved: Vec<u32>,
}

impl Clocks {
    /// `true` if no clock was ever followed.
    #[inline]
    pub fn are_unused(&self) -> bool {
        self.clocks.is_empty()
    }

    /// Makes a flow follow a clock, whose level is `level` from now on, until `amount` seconds at a level of 1 have
    /// passed on it.
    pub fn follow(&mut self, id: u32, clock: u32, level: f64, amount: f64, now: f64) {
        self.leave(id, now);
        if id as usize >= self.followers.len() {
            self.followers.resize(id as usize + 1, Follower { clock: NONE, end: 0.0 });
        }
        self.set_level(clock, level, now);
        let state = &mut self.clocks[clock as usize];
        if state.followers == 0 {
            // Starts from zero, where the clock is most exact.
            state.ends.clear();
            state.time = 0.0;
        }
        let end = state.time + amount;
        state.ends.push(Reverse((end.to_bits(), id)));
        state.followers += 1;
        self.followers[id as usize] = Follower { clock, end };
    }

    /// Makes a flow follow no clock. Returns the amount that remained, if it followed one.
    pub fn leave(&mut self, id: u32, now: f64) -> Option<f64> {
        let follower = self.followers.get_mut(id as usize).filter(|f| f.clock != NONE)?;
        let clock = std::mem::replace(&mut follower.clock, NONE);
        let end = follower.end;
        let state = &mut self.clocks[clock as usize];
        state.advance(now);
        state.followers -= 1;
        let left = (end - state.time).max(0.0);
        self.move_date(clock);
        Some(left)
    }

    /// Returns the amount that remains of a flow, if it follows a clock.
    pub fn left(&self, id: u32, now: f64) -> Option<f64> {
        let follower = self.followers.get(id as usize).filter(|follower| follower.clock != NONE)?;
        let state = &self.clocks[follower.clock as usize];
        Some((follower.end - state.time - state.level * (now - state.updated)).max(0.0))
    }

    /// Sets the level of a clock from now on.
    pub fn set_level(&mut self, clock: u32, level: f64, now: f64) {
        if clock as usize >= self.clocks.len() {
            self.clocks.resize_with(clock as usize + 1, Clock::default);
        }
        let state = &mut self.clocks[clock as usize];
        state.advance(now);
        state.level = level;
        self.move_date(clock);
    }

    fn move_date(&mut self, clock: u32) {
        if !std::mem::replace(&mut self.clocks[clock as usize].moved, true) {
            self.moved.push(clock);
        }
    }

    /// Reports the next event time of each clock whose next event may have moved; `None` if no flow follows it any
    /// more.
    pub fn tell_times(&mut self, mut tell: impl FnMut(u32, Option<f64>)) {
        for clock in self.moved.drain(..) {
            let state = &mut self.clocks[clock as usize];
            state.moved = false;
            tell(clock, next_end(state, clock, &self.followers).map(|end| date_of(state, end)));
        }
    }

    /// Handles the next event of a clock, which is due now. Returns the flow that completes, and the time of the
    /// following event.
    pub fn pop(&mut self, clock: u32, now: f64) -> (Option<u32>, Option<f64>) {
        let Self { clocks, followers, .. } = self;
        let state = &mut clocks[clock as usize];
        state.advance(now);
        let Some(end) = next_end(state, clock, followers) else { return (None, None) };
        // Rounding may have left it a little behind; equal ends happen together.
        state.time = state.time.max(end);
        let ended = state.ends.pop().map(|Reverse((_, id))| id);
        if let Some(id) = ended {
            followers[id as usize].clock = NONE;
        }
        state.followers -= 1;
        (ended, next_end(state, clock, followers).map(|end| date_of(state, end)))
    }
}

/// Returns the earliest completion on a clock, after dropping entries of flows that no longer follow it.
fn next_end(state: &mut Clock, clock: u32, followers: &[Follower]) -> Option<f64> {
    let follows = |&Reverse((end, id)): &Reverse<(u64, u32)>| {
        let follower = followers[id as usize];
        follower.clock == clock && follower.end.to_bits() == end
    };
    if state.ends.len() > 2 * state.followers as usize + 16 {
        state.ends.retain(follows);
    }
    while let Some(top) = state.ends.peek() {
        if follows(top) {
            return Some(f64::from_bits(top.0.0));
        }
        state.ends.pop();
    }
    None
}

/// Returns the time at which a clock that was just updated reaches `end`.
fn date_of(state: &Clock, end: f64) -> f64 {
    state.updated + (end - state.time).max(0.0) / state.level
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_ends_come_together_whatever_the_level_did() {
        let mut clocks = Clocks::default();
        clocks.follow(3, 0, 0.3, 0.7, 0.1);
        clocks.follow(5, 0, 0.3, 0.7, 0.1);
        clocks.set_level(0, 0.1, 0.2);
        let mut time = None;
        clocks.tell_times(|_, next| time = next);
        let time = time.expect("two follow");
        assert!((time - (0.2 + (0.7 - 0.03) / 0.1)).abs() < 1e-12);
        let (first, next) = clocks.pop(0, time);
        assert!(first.is_some());
        assert_eq!(next, Some(time));
        let (second, next) = clocks.pop(0, time);
        assert!(second.is_some() && second != first);
        assert_eq!(next, None);
    }

    proptest! {
        /// Compares with the naive method: whatever happens, reduce every amount by elapsed time times level.
        #[test]
        fn ends_are_those_of_amounts_reduced_step_by_step(
            steps in prop::collection::vec((0u32..3, 0u32..12, 0u8..4, 1u32..50, 1u32..50), 1..120),
        ) {
            let mut clocks = Clocks::default();
            let mut levels = [1.0; 3];
            let mut left: Vec<Option<(u32, f64)>> = vec![None; 12];
            let mut now = 0.0;
            for (clock, id, what, level, time) in steps {
                let mut next = None;
                clocks.tell_times(|_, _| ());
                for clock in 0..3 {
                    clocks.set_level(clock, levels[clock as usize], now);
                }
                clocks.tell_times(|clock, time| {
                    if let Some(time) = time.filter(|&time| next.is_none_or(|(first, _)| time < first)) {
                        next = Some((time, clock));
                    }
                });
                let until = now + f64::from(time) / 8.0;
                let time = next.map_or(until, |(time, _)| time.min(until));
                for (clock, amount) in left.iter_mut().flatten() {
                    *amount -= levels[*clock as usize] * (time - now);
                    prop_assert!(*amount > -1e-9, "it should have ended before");
                }
                now = time;
                match next {
                    Some((first, clock)) if first <= until => {
                        let (ended, _) = clocks.pop(clock, now);
                        let id = ended.expect("somebody was due");
                        let (followed, amount) = left[id as usize].take().expect("it was under way");
                        prop_assert_eq!(followed, clock);
                        prop_assert!(amount < 1e-9, "{} was left", amount);
                    }
                    _ if what == 0 => {
                        let amount = clocks.leave(id, now);
                        let expected = left[id as usize].take().map(|l| l.1);
                        prop_assert_eq!(amount.is_some(), expected.is_some());
                        prop_assert!((amount.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-9);
                    }
                    _ if what == 1 => {
                        levels[clock as usize] = f64::from(level) / 16.0;
                        clocks.set_level(clock, levels[clock as usize], now);
                    }
                    _ => {
                        clocks.follow(id, clock, levels[clock as usize], f64::from(level), now);
                        left[id as usize] = Some((clock, f64::from(level)));
                    }
                }
            }
        }
    }
}
