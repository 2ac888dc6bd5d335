//! Iterations of a program, found in the repetitions of its ranks.
//!
//! A rank of an iterative program repeats the same calls, with varying amounts of computation. The calls without
//! computation therefore have a period ([`period`](super::period)). A loop that does something else every tenth time
//! has a period of ten passes; one period is an iteration here.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::period::{FEWEST, IN_MEMORY, Repetition, is_call, repetition};
use crate::trace::communicator::CommunicatorId;
use crate::trace::{Action, Actions, SendRecv, Trace, Triple};

/// The iterations of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iterations {
    /// Number of iterations, the same on all ranks.
    pub number: usize,
    /// For each rank: the first action of each iteration, and the end of the last one, as indices of its actions.
    bounds: Vec<Bounds>,
}

/// Ascending positions: at a constant distance, as nearly always, or not.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Bounds {
    Even { start: usize, step: usize },
    Listed(Vec<usize>),
}

impl Bounds {
    fn at(&self, index: usize) -> usize {
        match self {
            Self::Even { start, step } => start + index * step,
            Self::Listed(all) => all[index],
        }
    }
}

impl Iterations {
    /// Returns the actions of a rank in some iterations, the first of which is 0.
    ///
    /// # Panics
    /// If there are no such iterations.
    pub fn actions(&self, rank: usize, iterations: Range<usize>) -> Range<usize> {
        self.start(rank, iterations.start)..self.start(rank, iterations.end)
    }

    /// Returns the index of the first action of an iteration of a rank; of the first action after all iterations if the
    /// iteration is [`number`](Self::number).
    ///
    /// # Panics
    /// If there is no such iteration.
    pub fn start(&self, rank: usize, iteration: usize) -> usize {
        assert!(iteration <= self.number, "there are {} iterations", self.number);
        self.bounds[rank].at(iteration)
    }

    /// Returns the number of actions of all ranks in some iterations.
    pub fn total(&self, iterations: Range<usize>) -> u64 {
        (0..self.bounds.len()).map(|rank| self.actions(rank, iterations.clone()).len() as u64).sum()
    }

    /// Returns `true` if messages and collectives of one iteration match each other: each rank sends as many messages
    /// with a tag as the receiver receives, and the members of a communicator have equally many collectives. Leaving out
    /// one iteration on all ranks then leaves a complete program.
    pub fn match_each_other(&self, trace: &Trace) -> bool {
        let mut messages: FxHashMap<Triple, i64> = FxHashMap::default();
        let mut collectives: FxHashMap<CommunicatorId, (usize, u64)> = FxHashMap::default();
        let mut agree = true;
        for rank in 0..trace.ranks() as u32 {
            let range = self.actions(rank as usize, 0..1);
            let mut own: FxHashMap<CommunicatorId, u64> = FxHashMap::default();
            for action in trace.actions[rank as usize].iter_from(range.start).take(range.len()) {
                let mut count = |from, to, tag, number| *messages.entry((from, to, tag)).or_default() += number;
                match action {
                    Action::Send { to, tag, .. } | Action::Isend { to, tag, .. } => count(rank, to, tag, 1),
                    Action::Recv { from, tag, .. } | Action::Irecv { from, tag, .. } => count(from, rank, tag, -1),
                    Action::SendRecv { index } => {
                        let SendRecv { to, from, .. } = trace.sendrecvs[index as usize];
                        count(rank, to, 0, 1);
                        count(from, rank, 0, -1);
                    }
                    Action::Collective { index } | Action::Start { index, .. } => {
                        *own.entry(trace.collectives[index as usize].communicator).or_default() += 1;
                    }
                    Action::Fence { window } => *own.entry(window).or_default() += 1,
                    _ => {}
                }
            }
            for (communicator, number) in own {
                let (members, expected) = collectives.entry(communicator).or_insert((0, number));
                *members += 1;
                agree &= *expected == number;
            }
        }
        let complete = |(id, (members, _)): (CommunicatorId, (usize, u64))| trace.members(id).size() == members;
        agree && messages.into_values().all(|open| open == 0) && collectives.into_iter().all(complete)
    }
}

/// Finds the iterations of a trace; `None` if a rank has no period, or if ranks have different numbers of iterations.
pub fn iterations(trace: &Trace) -> Option<Iterations> {
    let found: Option<Vec<Repetition>> = trace.actions.iter().map(|actions| repetition(actions, IN_MEMORY)).collect();
    let mut found = found?;
    // A rank at an edge may do the same twice where others do two different things: two of its periods are an iteration.
    let least = found.iter().map(|f| f.number).min()?;
    for found in found.iter_mut().filter(|found| found.number > least + 1) {
        let together = (found.number + least / 2) / least;
        let (end, period) = (found.first + found.number * found.period, found.period * together);
        found.number /= together;
        found.period = period;
        found.first = end - found.number * period;
    }
    // Prologues look like a part of an iteration on some ranks; the common number of last iterations is used.
    let number = found.iter().map(|f| f.number).min()?;
    if number < 2 || found.iter().any(|f| f.number > number + 1) {
        return None;
    }
    let bounds = trace.actions.iter().zip(found).map(|(actions, found)| {
        let first = found.first + (found.number - number) * found.period;
        places(actions, first, found.period, number)
    });
    Some(Iterations { number, bounds: bounds.collect() })
}

/// Returns the reason why [`iterations`] finds none in a trace.
pub fn why_no_iterations(trace: &Trace) -> String {
    let is_short = |actions: &Actions| actions.iter().filter(is_call).nth(FEWEST - 1).is_none();
    match trace.actions.iter().position(is_short) {
        Some(rank) => format!("rank {rank} has fewer than {FEWEST} calls, too few to tell a loop by"),
        None => "not all ranks repeat more than half of their calls, the same number of times".to_owned(),
    }
}

/// Returns the starts of iterations of `period` calls, and the end of the last one: after the previous call, since a
/// computation belongs to the call it prepares.
fn places(actions: &Actions, first: usize, period: usize, number: usize) -> Bounds {
    let mut ends = actions.iter().zip(1..).filter(|(action, _)| is_call(action)).map(|(_, end)| end);
    let start = first.checked_sub(1).and_then(|before| ends.nth(before)).unwrap_or(0);
    let mut last = start;
    let mut step = None;
    let mut listed: Option<Vec<usize>> = None;
    for index in 1..=number {
        let end = ends.nth(period - 1).expect("the calls of all iterations exist");
        match (&mut listed, step) {
            (Some(all), _) => all.push(end),
            (None, None) => step = Some(end - last),
            (None, Some(step)) if end - last != step => {
                let even = (0..index).map(|i| start + i * step);
                listed = Some(even.chain([end]).collect());
            }
            (None, Some(_)) => {}
        }
        last = end;
    }
    match listed {
        Some(all) => Bounds::Listed(all),
        None => Bounds::Even { start, step: step.unwrap_or(0) },
    }
}
