//! The part of a rank's calls that repeats, and its period.
//!
//! The result is the shortest period with which more than half of all calls repeat without a break, two times or more.
//! Such a part contains the middle call. All repetitions around a position are found in linear time from the longest
//! common extensions to its left and right (M. G. Main and R. J. Lorentz, An O(n log n) algorithm for finding all
//! repetitions in a string, Journal of Algorithms 5, 1984), which the Z function yields.
//!
//! That needs all calls in memory. Ranks with more than [`IN_MEMORY`] calls are read instead: the period of a stretch
//! next to the middle is a candidate, and two cursors at that distance find how far it holds. Stretches grow, so inner
//! loops, which hold on a few of the calls only, are followed by the loop around them.

use rustc_hash::FxHashMap;

use crate::trace::actions::to_words;
use crate::trace::{Action, Actions};

/// Largest number of calls of a rank whose periods are found in memory.
pub(super) const IN_MEMORY: usize = 1 << 21;

/// Fewest calls of a rank that can have a period: shorter programs have no loop that is worth a part.
pub(super) const FEWEST: usize = 32;

/// Smallest stretch whose period is a candidate.
const STRETCH: usize = 1 << 12;

/// Calls that repeat, as indices among the calls of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Repetition {
    /// First call that repeats.
    pub first: usize,
    /// Number of calls of a period.
    pub period: usize,
    /// Number of whole periods, 2 or more.
    pub number: usize,
}

impl Repetition {
    /// Returns the repetition of the calls from `first` to `end`, if they are more than half of all `count` calls.
    fn of(first: usize, end: usize, period: usize, count: usize) -> Option<Self> {
        let length = end - first;
        (length * 2 > count && length >= 2 * period).then_some(Self { first, period, number: length / period })
    }
}

/// Finds the repetition of a rank, keeping at most `in_memory` calls in memory.
pub(super) fn repetition(actions: &Actions, in_memory: usize) -> Option<Repetition> {
    let count = actions.iter().filter(is_call).count();
    match count {
        0..FEWEST => None,
        _ if count <= in_memory => in_calls(&numbered(actions.iter().filter(is_call))),
        _ => in_file(actions, count, in_memory),
    }
}

/// Returns `true` for all actions but computations, whose amount varies.
pub(super) fn is_call(action: &Action) -> bool {
    !matches!(action, Action::Compute { .. })
}

/// Replaces calls by numbers, equal ones by the same.
fn numbered(calls: impl Iterator<Item = Action>) -> Vec<u32> {
    let mut known: FxHashMap<[u64; 2], u32> = FxHashMap::default();
    let number = |action| {
        let next = known.len() as u32;
        *known.entry(to_words(&action)).or_insert(next)
    };
    calls.map(number).collect()
}

/// Finds the repetition of calls in memory.
fn in_calls(calls: &[u32]) -> Option<Repetition> {
    let count = calls.len();
    let middle = count / 2;
    // Each half from the middle on, and then all calls in that direction: the extensions of positions in both.
    let after = count - middle;
    let to_right = extensions(&[&calls[middle..], &[u32::MAX], calls].concat());
    let turned: Vec<u32> = calls.iter().rev().copied().collect();
    let to_left = extensions(&[&turned[after..], &[u32::MAX], &turned].concat());
    (1..=middle).find_map(|period| {
        let at = |all: &[u32], place: usize| all[place] as usize;
        // A part with the middle and two periods reaches a period beyond the middle, or a period before it.
        let left = at(&to_left, middle + 1 + after - period);
        let right = if period < after { at(&to_right, period) } else { 0 };
        let beyond = Repetition::of(middle - left, middle + period + right, period, count);
        beyond.or_else(|| {
            let left = if period < middle { at(&to_left, period) } else { 0 };
            let right = at(&to_right, after + 1 + middle - period);
            Repetition::of(middle - period - left, middle + right, period, count)
        })
    })
}

/// The Z function: for each position, for how long the text from there on is equal to its beginning.
fn extensions(text: &[u32]) -> Vec<u32> {
    let length = text.len();
    let mut all = vec![0_u32; length];
    let (mut left, mut right) = (0, 0);
    for at in 1..length {
        let mut same = if at < right { (all[at - left] as usize).min(right - at) } else { 0 };
        while at + same < length && text[same] == text[at + same] {
            same += 1;
        }
        if at + same > right {
            (left, right) = (at, at + same);
        }
        all[at] = same as u32;
    }
    all
}

/// Finds the repetition of calls that are read one after the other.
fn in_file(actions: &Actions, count: usize, in_memory: usize) -> Option<Repetition> {
    let middle = count / 2;
    let most = (count / 4).min(in_memory);
    let mut tried = Vec::new();
    let mut size = STRETCH.min(most);
    loop {
        // A part of more than half of the calls contains a quarter of them on one side of the middle.
        for start in [middle, middle - size] {
            let period = shortest_period(&numbered(actions.iter().filter(is_call).skip(start).take(size)));
            if period * 2 <= size && !tried.contains(&period) {
                tried.push(period);
                let found = where_it_holds(actions, count, period);
                if found.is_some() {
                    return found;
                }
            }
        }
        if size == most {
            return None;
        }
        size = (size * 8).min(most);
    }
}

/// Returns the shortest period of a text: its length without its longest border (Knuth, Morris, and Pratt, Fast pattern
/// matching in strings, SIAM Journal on Computing 6(2), 1977).
fn shortest_period(text: &[u32]) -> usize {
    let mut borders = vec![0_usize; text.len()];
    for at in 1..text.len() {
        let mut border = borders[at - 1];
        while border > 0 && text[border] != text[at] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(text[border] == text[at]);
    }
    text.len() - borders.last().copied().unwrap_or(0)
}

/// Returns the longest repetition with a period.
fn where_it_holds(actions: &Actions, count: usize, period: usize) -> Option<Repetition> {
    let calls = || actions.iter().filter(is_call);
    let (mut first, mut best) = (0, (0, 0));
    for (at, (one, next)) in calls().zip(calls().skip(period)).enumerate() {
        if to_words(&one) != to_words(&next) {
            first = at + 1;
        } else if at + 1 - first > best.1 - best.0 {
            best = (first, at + 1);
        }
    }
    Repetition::of(best.0, best.1 + period, period, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, in cubic time.
    fn by_definition(calls: &[u32]) -> Option<Repetition> {
        let count = calls.len();
        (1..=count / 2).find_map(|period| {
            (0..count).find_map(|first| {
                let same = (first..count - period).take_while(|&i| calls[i] == calls[i + period]).count();
                Repetition::of(first, first + same + period, period, count).filter(|_| same > 0)
            })
        })
    }

    fn actions(calls: &[u32]) -> Actions {
        calls.iter().map(|&to| Action::WaitRequest { request: to }).collect()
    }

    proptest! {
        #[test]
        fn repetitions_are_those_of_the_definition(
            before in prop::collection::vec(0..3_u32, 0..40),
            body in prop::collection::vec(0..3_u32, 1..12),
            times in 1..12_usize,
            after in prop::collection::vec(0..3_u32, 0..40),
        ) {
            let calls = [before, body.repeat(times), after].concat();
            prop_assert_eq!(in_calls(&calls), by_definition(&calls));
        }
    }

    #[test]
    fn an_inner_loop_is_no_period_in_a_file_either() {
        let inner = [[1, 2].repeat(3000), vec![3]].concat();
        let calls = [vec![7, 1, 8], inner.repeat(12), vec![9; 5]].concat();
        let expected = Some(Repetition { first: 3, period: 6001, number: 12 });
        assert_eq!(in_calls(&calls), expected);
        // The stretch next to the middle may be inside an inner loop, whose period is tried first.
        assert_eq!(repetition(&actions(&calls), 20_000), expected);
        assert_eq!(repetition(&actions(&calls[..10_000]), 2_000).map(|found| found.period), Some(2));
        let alternating: Vec<u32> = (0..10_000).collect();
        assert_eq!(repetition(&actions(&alternating), 2_000), None);
    }
}
