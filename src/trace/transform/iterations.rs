//! Iterations of a program, found in what its ranks do again and again.
//!
//! A rank of an iterative program repeats the same calls, with other amounts of computation. So the calls without computation
//! have a period. The shortest distance is looked for at which they agree over more than half of all calls without a break:
//! inner loops have shorter periods, but break at the end of each iteration.

use std::ops::Range;

use crate::trace::{Action, Trace};

/// Calls that are compared to find candidates of the period.
const PROBE: usize = 16;
/// Candidates that are tried.
const TRIED: usize = 4096;

/// The iterations of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iterations {
    /// How many there are, the same on all ranks.
    pub number: usize,
    /// For each rank: the first action of the first iteration, and that behind the last one, as indices of its actions.
    bounds: Vec<Vec<usize>>,
}

impl Iterations {
    /// The actions of a rank in some iterations, the first of which is 0.
    ///
    /// # Panics
    /// If there are no such iterations.
    pub fn actions(&self, rank: usize, iterations: Range<usize>) -> Range<usize> {
        let bounds = &self.bounds[rank];
        bounds[iterations.start]..bounds[iterations.end]
    }
}

/// Finds the iterations of a trace; none if a rank has no period, or if ranks have different numbers of iterations.
pub fn iterations(trace: &Trace) -> Option<Iterations> {
    let periods: Option<Vec<Vec<usize>>> = trace.actions.iter().map(|actions| bounds(actions)).collect();
    let mut bounds = periods?;
    // Prologues look like a part of an iteration on some ranks; what all have is in the common number of last ones.
    let number = bounds.iter().map(|b| b.len() - 1).min()?;
    if number < 2 || bounds.iter().any(|b| b.len() - 1 > number + 1) {
        return None;
    }
    for bounds in &mut bounds {
        bounds.drain(..bounds.len() - 1 - number);
    }
    Some(Iterations { number, bounds })
}

/// Where the iterations of a rank begin, and where the last one ends.
fn bounds(actions: &[Action]) -> Option<Vec<usize>> {
    let calls: Vec<usize> = (0..actions.len()).filter(|&i| !matches!(actions[i], Action::Compute { .. })).collect();
    let same = |a: usize, b: usize| actions[calls[a]] == actions[calls[b]];
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
            let mut bounds: Vec<usize> = (0..=number)
                .map(|i| {
                    let call = first + i * period;
                    calls.get(call).copied().unwrap_or(actions.len())
                })
                .collect();
            // A computation belongs to the call that it prepares.
            for bound in &mut bounds {
                while *bound > 0 && matches!(actions[*bound - 1], Action::Compute { .. }) {
                    *bound -= 1;
                }
            }
            return Some(bounds);
        }
    }
    None
}
