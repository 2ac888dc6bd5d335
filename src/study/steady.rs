//! Long runs from some of their iterations: a replay ends early once the time per iteration is known.
//!
//! The whole run takes what the replayed iterations and everything around them take, plus the mean time of an iteration
//! for each one that was left out. Prologue and epilogue are replayed, the latter with the network as iterations leave
//! it ([`crate::engine::replay_until`]). The mean and its interval are those of `SteadyMean`.
//!
//! The computation of iterations to come is in the trace: if it differs from that of the replayed ones, the difference widens
//! the interval (`coming.rs`). So an imbalance that drifts or moves is not mistaken for a steady state, however
//! slowly it does.
//!
//! One time per iteration describes the end of a run only if all ranks advance at that rate. If some do not, the last rank of
//! an iteration may not be the one that ends the run, or ranks may overtake each other later. Such a run is replayed
//! as a whole. Extrapolating each rank by its own rate was rejected: it needs a model of what ranks do when one that is
//! ahead meets one that it waits for.

use super::batch_means::{SteadyMean, slope};
use super::coming::{Computation, period};
use super::coupling::Coupling;
use super::statistics::student_t;
use crate::engine::{EndedIterations, Outcome, Passed, Stop};
use crate::mpi::rank_map::RankMap;
use crate::platform::Platform;
use crate::share::share;
use crate::trace::Trace;
use crate::trace::transform::{Iterations, iterations};
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// Fewest iterations of a workload whose time is worth estimating.
pub const FEWEST_ITERATIONS: usize = 20;

/// Number of iterations after which the interval is computed for the first time.
const FIRST_LOOK: usize = 10;

/// Ratio of the numbers of iterations at two looks. Each look is a chance to stop too early.
const GROWTH: f64 = 1.2;

/// Smallest half width relative to the requested one. A series without any variation tells nothing about rarer events.
const LEAST: f64 = 0.1;

/// The half width that replays stop at unless another one is requested.
pub const DEFAULT_WITHIN: f64 = 0.01;

/// Iterations of a workload, and how their ranks depend on each other.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownIterations {
    iterations: Iterations,
    /// Number of iterations after which the computation of all ranks repeats; 1 if all iterations compute the same.
    period: Option<usize>,
    coupling: Coupling,
    /// `true` if each rank waits for all others, so that in the long run all advance at the same rate.
    is_coupled: bool,
}

impl KnownIterations {
    /// Finds the iterations of a trace.
    ///
    /// # Errors
    /// The reason why its time cannot be estimated from some iterations, in words.
    pub fn of(trace: &Trace) -> Result<Self, String> {
        if trace.schedule.is_some() {
            return Err("its ranks are graphs of operations, which have no iterations".into());
        }
        let found = iterations(trace).ok_or("no iterations are found in it")?;
        if found.number < FEWEST_ITERATIONS {
            return Err(format!("it has only {} iterations", found.number));
        }
        if !found.match_each_other(trace) {
            return Err("messages of its iterations do not match each other".into());
        }
        let coupling = Coupling::of(trace, &found);
        Ok(Self { period: period(trace, &found), is_coupled: coupling.is_complete(), coupling, iterations: found })
    }

    /// Returns the number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations.number
    }
}

/// Time of a whole run, from the replay of some of its iterations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extrapolation {
    /// Requested half width of the time per iteration, relative to it.
    pub within: f64,
    /// Number of iterations of the whole run.
    pub iterations: usize,
    /// Number of iterations that were replayed.
    pub replayed_iterations: usize,
    /// Number of actions that were replayed, all ranks together.
    pub replayed_actions: u64,
    /// Simulated seconds of the replay: all but the iterations that were left out.
    pub replayed_seconds: f64,
    /// Number of iterations at the beginning that are not part of the mean.
    pub warm_up: usize,
    /// Number of batches whose means were compared.
    pub batches: usize,
    /// Number of iterations of a batch.
    pub batch: usize,
    /// Mean time of an iteration in seconds.
    pub iteration_seconds: f64,
    /// Half width of the 95 % interval of the mean time of the iterations that were left out, in seconds.
    pub iteration_half_width: f64,
    /// Time of the whole run in seconds.
    pub simulated_seconds: f64,
    /// Half width of its 95 % interval in seconds.
    pub half_width: f64,
}

impl Extrapolation {
    /// Returns the half width of the time of the whole run relative to that time.
    pub fn relative_half_width(&self) -> f64 {
        self.half_width / self.simulated_seconds
    }
}

/// Outcome of a replay that was allowed to end early.
#[derive(Debug, Clone, PartialEq)]
pub enum Steady {
    /// The time of the whole run is an estimate.
    Extrapolated(Extrapolation),
    /// The whole run was replayed, for a reason in words.
    Whole(String),
}

impl Steady {
    /// Returns the estimate, if there is one.
    pub fn extrapolation(&self) -> Option<&Extrapolation> {
        match self {
            Self::Extrapolated(found) => Some(found),
            Self::Whole(_) => None,
        }
    }
}

/// The decision of a replay when to end.
pub struct Judge<'a> {
    known: &'a KnownIterations,
    /// Computation of all iterations; `None` if it is the same in each.
    computation: Option<Computation>,
    within: f64,
}

/// The reason why a time per iteration is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// It varies too much.
    Time,
    /// The computation of iterations to come predicts another time.
    Computation,
    /// Ranks advance at different rates.
    Rates,
}

impl Doubt {
    /// All doubts, in the order of their numbers; the more specific ones are later.
    const ALL: [Self; 3] = [Self::Time, Self::Computation, Self::Rates];

    /// Returns what follows `the time per iteration is not known`.
    fn in_words(self) -> &'static str {
        match self {
            Self::Time => "",
            Self::Computation => {
                ", because the computation of its ranks predicts another time for the remaining iterations"
            }
            Self::Rates => {
                ", because not all ranks advance at the same rate, so none of their times is that of the run"
            }
        }
    }
}

impl<'a> Judge<'a> {
    /// Prepares the decision on a replay.
    pub fn new(
        known: &'a KnownIterations,
        trace: &Trace,
        platform: &Platform,
        rank_map: &RankMap,
        within: f64,
    ) -> Self {
        let computation = (known.period != Some(1))
            .then(|| Computation::of(trace, &known.iterations, &known.coupling, platform, rank_map));
        Self { computation, known, within }
    }

    /// Runs a replay that ends early by the decision.
    ///
    /// # Errors
    /// Those of `replay`.
    pub fn decide<E>(&self, replay: impl FnOnce(Stop<'_>) -> Result<Outcome, E>) -> Result<(Outcome, Steady), E> {
        let found = Cell::new(None);
        // The number of looks at which each doubt decided: the most frequent one is the reason for a reader.
        let doubts = Cell::new([0; Doubt::ALL.len()]);
        let enough = |ended: &EndedIterations<'_>, left_out: usize| {
            if !is_look(ended.last.len() - 1) {
                return false;
            }
            match self.mean(ended, left_out) {
                Ok(mean) => found.set(Some(mean)),
                Err(doubt) => {
                    let mut all = doubts.get();
                    all[doubt as usize] += 1;
                    doubts.set(all);
                }
            }
            found.get().is_some()
        };
        let outcome = replay(Stop { iterations: &self.known.iterations, enough: &enough })?;
        let passed = outcome.passed.as_ref().expect("a replay that may end early reports its iterations");
        let steady = match found.get() {
            Some(found) => {
                Steady::Extrapolated(self.extrapolate(&found, passed, outcome.simulated_seconds, outcome.actions))
            }
            None => {
                let doubts = doubts.get();
                let raised = Doubt::ALL.into_iter().filter(|&doubt| doubts[doubt as usize] > 0);
                let why = raised.max_by_key(|&doubt| doubts[doubt as usize]).map_or("", Doubt::in_words);
                let percent = self.within * 100.0;
                Steady::Whole(format!("the time per iteration is not known within {percent} % before its end{why}"))
            }
        };
        Ok((outcome, steady))
    }

    /// Returns the mean of the iterations that have ended, if it is known well enough for those that are left out.
    fn mean(&self, ended: &EndedIterations<'_>, left_out: usize) -> Result<SteadyMean, Doubt> {
        let single = self.mean_of_batches(ended, left_out, 1);
        match self.known.period {
            Some(period) if period > 1 => single.or_else(|doubt| {
                // Of the two doubts, the one about single iterations is easier to understand.
                self.mean_of_batches(ended, left_out, period).map_err(|_| doubt)
            }),
            _ => single,
        }
    }

    /// Returns the mean from batches of multiples of `period` iterations.
    fn mean_of_batches(
        &self,
        ended: &EndedIterations<'_>,
        left_out: usize,
        period: usize,
    ) -> Result<SteadyMean, Doubt> {
        let series: Vec<f64> = ended.last.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut found = SteadyMean::of(&series, left_out, self.within, period).ok_or(Doubt::Time)?;
        found.half_width = found.half_width.max(LEAST * self.within * found.mean);
        let most = self.within * found.mean;
        if found.half_width > most {
            return Err(Doubt::Time);
        }
        if let Some(computation) = &self.computation {
            let replayed = series.len() - found.batches * found.batch..series.len();
            found.half_width += computation.difference(replayed, left_out, most);
            if found.half_width > most {
                return Err(Doubt::Computation);
            }
        }
        found.half_width += self.difference_of_rates(ended, found.warm_up, most);
        if found.half_width > most { Err(Doubt::Rates) } else { Ok(found) }
    }

    /// Returns the largest difference between the time per iteration of a rank and that of the run, in seconds.
    ///
    /// Coupled ranks have the same rate in the long run. Only a clear difference counts for them: ranks are then still
    /// settling down, as after a late start of one. Any difference counts for others: with it, a rank may be the last one
    /// of the whole run although it is not the last one of the replayed part, and the other way round.
    fn difference_of_rates(&self, ended: &EndedIterations<'_>, warm_up: usize, least: f64) -> f64 {
        let last = ended.last.len() - 1;
        let kept: Vec<(usize, &[f64])> = ended.ranks.between(warm_up, last).collect();
        let ([(first, times), (second, _), ..], 4..) = (&kept[..], kept.len()) else { return 0.0 };
        let stride = (second - first) as f64;
        let chance = student_t(kept.len() - 2);
        let of_rank = |rank: usize| {
            let ahead: Vec<f64> = kept.iter().map(|(boundary, times)| ended.last[*boundary] - times[rank]).collect();
            let (slope, error) = slope(&ahead);
            let rate = slope.abs() / stride;
            let is_clear = slope.abs() > chance * error && rate > least;
            if is_clear || !self.known.is_coupled { rate } else { 0.0 }
        };
        (0..times.len()).map(of_rank).fold(0.0, f64::max)
    }

    fn extrapolate(&self, found: &SteadyMean, passed: &Passed, replayed_seconds: f64, actions: u64) -> Extrapolation {
        let left_out = passed.skipped;
        let (iterations, times) = (self.known.iterations.number, left_out as f64);
        Extrapolation {
            within: self.within,
            iterations,
            replayed_iterations: iterations - left_out,
            replayed_actions: actions - passed.skipped_actions,
            replayed_seconds,
            warm_up: found.warm_up,
            batches: found.batches,
            batch: found.batch,
            iteration_seconds: found.mean,
            iteration_half_width: found.half_width,
            simulated_seconds: replayed_seconds + times * found.mean,
            half_width: times * found.half_width,
        }
    }
}

/// Returns `true` if the interval is computed after this number of iterations.
fn is_look(iterations: usize) -> bool {
    let mut look = FIRST_LOOK;
    while look < iterations {
        look = (look + 1).max((look as f64 * GROWTH) as usize);
    }
    look == iterations
}

/// Parses the requested half width: `1%` or `0.01`.
///
/// # Errors
/// The broken rule.
pub fn within(text: &str) -> Result<f64, String> {
    match share(text) {
        Some(share) if share > 0.0 && share <= LARGEST_WITHIN => Ok(share),
        _ => Err("must be above 0 and at most 10 %, such as `1%` or `0.01`".into()),
    }
}

/// Largest half width that can be requested: an interval beyond it tells next to nothing.
const LARGEST_WITHIN: f64 = 0.1;
