//! Iterations of a program, found in the repetitions of its ranks.
//!
//! A rank of an iterative program repeats the same calls, with varying amounts of computation. The calls without
//! computation therefore have a period. The result is the shortest distance at which they agree over more than half of
//! all calls without a break: inner loops have shorter periods, but break at the end of each iteration.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::trace::actions::to_words;
use crate::trace::{Action, Actions, Trace};

/// Number of calls that are compared to find candidates of the period.
const PROBE: usize = 16;
/// Number of candidates that are tried.
const TRIED: usize = 4096;

/// The iterations of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iterations {
    /// Number of iterations, the same on all ranks.
    pub number: usize,
    /// For each rank: the first action of the first iteration, and the end of the last one, as indices of its actions.
    bounds: Vec<Vec<usize>>,
}

impl Iterations {
    /// Returns the actions of a rank in some iterations, the first of which is 0.
    ///
    /// # Panics
    /// If there are no such iterations.
    pub fn actions(&self, rank: usize, iterations: Range<usize>) -> Range<usize> {
        let bounds = &self.bounds[rank];
        bounds[iterations.start]..bounds[iterations.end]
    }
}

/// Finds the iterations of a trace; `None` if a rank has no period, or if ranks have different numbers of iterations.
pub fn iterations(trace: &Trace) -> Option<Iterations> {
    let periods: Option<Vec<Vec<usize>>> = trace.actions.iter().map(bounds).collect();
    let mut bounds = periods?;
    // Prologues look like a part of an iteration on some ranks; the common number of last iterations is used.
    let number = bounds.iter().map(|b| b.len() - 1).min()?;
    if number < 2 || bounds.iter().any(|b| b.len() - 1 > number + 1) {
        return None;
    }
    for bounds in &mut bounds {
        bounds.drain(..bounds.len() - 1 - number);
    }
    Some(Iterations { number, bounds })
}

/// Returns the starts of the iterations of a rank, and the end of the last one.
fn bounds(actions: &Actions) -> Option<Vec<usize>> {
    // One number per distinct call: sufficient for the comparison, and small for a long trace.
    let mut known: FxHashMap<[u64; 2], u32> = FxHashMap::default();
    let mut number = |action| {
        let next = known.len() as u32;
        *known.entry(to_words(&action)).or_insert(next)
    };
    let calls: Vec<u32> = actions.iter().filter(is_call).map(&mut number).collect();
    let same = |a: usize, b: usize| calls[a] == calls[b];
    let count = calls.len();
    if count < 2 * PROBE {
        return None;
    }
    let middle = count / 4;
    let probe = PROBE.min(count / 4);
    let candidates = (middle + 1..count.saturating_sub(probe))
        .filter(|&at| (0..probe).all(|i| same(middle + i, at + i)))
        .map(|at| at - middle)
        .take(TRIED);
    for period in candidates {
        if period > count / 2 {
            break;
        }
        let mut first = middle;
        while first > 0 && same(first - 1, first - 1 + period) {
            first -= 1;
        }
        let mut last = middle;
        while last + period < count && same(last, last + period) {
            last += 1;
        }
        // The calls from `first` to `last + period` repeat.
        let length = last + period - first;
        if length * 2 > count && length / period >= 2 {
            let number = length / period;
            return Some(places(actions, (0..=number).map(|i| first + i * period)));
        }
    }
    None
}

/// Returns the starts of some calls with ascending numbers: after the previous call, since a computation belongs to the
/// call it prepares.
fn places(actions: &Actions, calls: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut ends = actions.iter().zip(1..).filter(|(action, _)| is_call(action)).map(|(_, end)| end);
    let (mut passed, mut end) = (0, 0);
    let place = |call: usize| {
        while passed < call {
            passed += 1;
            end = ends.next().unwrap_or(end);
        }
        end
    };
    calls.map(place).collect()
}

fn is_call(action: &Action) -> bool {
    !matches!(action, Action::Compute { .. })
}
