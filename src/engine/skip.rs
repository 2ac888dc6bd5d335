//! Replays that leave out iterations once enough of them are known.
//!
//! The cursor of each rank ends where an iteration does. A rank that reaches this end comes here, once per iteration, so that
//! replays of whole traces are not slowed. An iteration has ended when its last rank has passed its end. When the condition
//! of the caller holds, ranks may be in different iterations: the end of the iteration that the foremost rank is in is where
//! all of them go on behind the last iteration. So all ranks have run the same number of iterations, and what follows the
//! last one finds the network as iterations leave it, with no break in between.

use super::outcome::Passed;
use super::rank_ends::RankEnds;
use crate::trace::transform::Iterations;

/// Condition for leaving out iterations.
#[derive(Clone, Copy)]
pub struct Stop<'a> {
    /// Iterations of the trace.
    pub iterations: &'a Iterations,
    /// Returns `true` if no more iterations are needed. Called at the end of each iteration with the times so far, and with the
    /// number of iterations that would be left out.
    pub enough: &'a dyn Fn(&EndedIterations<'_>, usize) -> bool,
}

/// Iterations that all ranks have ended.
#[derive(Debug, Clone, Copy)]
pub struct EndedIterations<'a> {
    /// Times in seconds at which the last rank began the first iteration and ended those so far.
    pub last: &'a [f64],
    /// Times of each rank.
    pub ranks: &'a RankEnds,
}

/// State of the iterations under way.
pub(super) struct Skip<'a> {
    pub stop: Stop<'a>,
    /// Boundary that each rank reaches next: 0 is the start of the first iteration.
    pub next: Vec<usize>,
    /// Number of ranks that have passed each boundary.
    passed: Vec<u32>,
    /// Times at which the last rank has passed boundaries.
    ends: Vec<f64>,
    /// Times at which each rank has passed boundaries, until iterations are left out.
    of_ranks: RankEnds,
    /// Largest boundary that any rank has passed.
    foremost: usize,
    /// Boundary at which ranks leave out the rest, and the number of ends known at the decision.
    pub leave: Option<(usize, usize)>,
}

impl<'a> Skip<'a> {
    pub fn new(stop: Stop<'a>, ranks: u32) -> Self {
        Self {
            next: vec![0; ranks as usize],
            passed: vec![0; stop.iterations.number + 1],
            ends: Vec::new(),
            of_ranks: RankEnds::new(ranks as usize),
            foremost: 0,
            leave: None,
            stop,
        }
    }

    /// Notes that a rank has passed its next boundary, and returns the boundary.
    pub fn pass(&mut self, rank: u32, now: f64) -> usize {
        let number = self.stop.iterations.number;
        let boundary = self.next[rank as usize];
        self.passed[boundary] += 1;
        self.foremost = self.foremost.max(boundary);
        if self.leave.is_none() {
            self.of_ranks.note(rank as usize, boundary, now);
        }
        if self.passed[boundary] as usize == self.next.len() {
            self.ends.push(now);
            let leave = self.foremost + 1;
            let ended = EndedIterations { last: &self.ends, ranks: &self.of_ranks };
            if self.leave.is_none() && boundary > 0 && leave < number && (self.stop.enough)(&ended, number - leave) {
                self.leave = Some((leave, self.ends.len()));
            }
        }
        boundary
    }

    pub fn passed(self) -> Passed {
        let iterations = self.stop.iterations;
        let (leave, decided) = self.leave.unwrap_or((iterations.number, self.ends.len()));
        let skipped = leave..iterations.number;
        Passed { decided, skipped: skipped.len(), skipped_actions: iterations.total(skipped), ends: self.ends }
    }
}
