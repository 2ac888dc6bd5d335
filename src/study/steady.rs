//! Long runs from some of their iterations: a replay ends early once the time per iteration is known.
//!
//! The whole run takes what the replayed iterations and everything around them take, plus the mean time of an iteration
//! for each one that was left out. Prologue and epilogue are replayed, the latter with the network as iterations leave
//! it ([`crate::engine::replay_until`]). The mean and its interval are those of `SteadyMean`.
//!
//! The computation of iterations to come is in the trace: if it differs from that of the replayed ones, the difference widens
//! the interval. So an imbalance that drifts is not mistaken for a steady state, however slowly it does.

use super::batch_means::SteadyMean;
use crate::engine::{Outcome, Passed, Stop};
use crate::ids::Rank;
use crate::mpi::rank_map::RankMap;
use crate::platform::Platform;
use crate::share::share;
use crate::trace::transform::{Iterations, iterations};
use crate::trace::{Action, Trace};
use serde::{Deserialize, Serialize};

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

/// Iterations of a workload, and whether all of them compute the same.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownIterations {
    iterations: Iterations,
    is_even: bool,
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
        let is_even = (0..trace.ranks()).all(|rank| is_even(trace, &found, rank));
        Ok(Self { iterations: found, is_even })
    }

    /// Returns the number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations.number
    }

    /// Returns the longest computation of a rank in each iteration, in seconds; empty if it is the same in all.
    fn computation(&self, trace: &Trace, platform: &Platform, rank_map: &RankMap) -> Vec<f64> {
        if self.is_even {
            return Vec::new();
        }
        let mut longest = vec![0.0_f64; self.iterations.number];
        for rank in 0..trace.ranks() {
            let speed = platform.hosts[rank_map.host(Rank(rank as u32)).index()].speed;
            for (longest, flops) in longest.iter_mut().zip(flops(trace, &self.iterations, rank)) {
                *longest = longest.max(flops / speed);
            }
        }
        longest
    }
}

/// Returns the computation of a rank in each iteration, in flops.
fn flops(trace: &Trace, found: &Iterations, rank: usize) -> impl Iterator<Item = f64> {
    let mut actions = trace.actions[rank].iter_from(found.start(rank, 0));
    (0..found.number).map(move |iteration| {
        let length = found.actions(rank, iteration..iteration + 1).len();
        let amounts = actions.by_ref().take(length).map(|action| match action {
            Action::Compute { flops } => flops,
            _ => 0.0,
        });
        amounts.sum()
    })
}

fn is_even(trace: &Trace, found: &Iterations, rank: usize) -> bool {
    let mut all = flops(trace, found, rank);
    let first = all.next();
    all.all(|amount| Some(amount) == first)
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
    /// Longest computation in each iteration; empty if all are the same.
    computation: Vec<f64>,
    within: f64,
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
        Self { computation: known.computation(trace, platform, rank_map), known, within }
    }

    /// Runs a replay that ends early when the decision says so.
    ///
    /// # Errors
    /// Those of `replay`.
    pub fn decide<E>(&self, replay: impl FnOnce(Stop<'_>) -> Result<Outcome, E>) -> Result<(Outcome, Steady), E> {
        let enough = |ends: &[f64], left_out: usize| is_look(ends.len() - 1) && self.mean(ends, left_out).is_some();
        let outcome = replay(Stop { iterations: &self.known.iterations, enough: &enough })?;
        let passed = outcome.passed.as_ref().expect("a replay that may end early reports its iterations");
        let steady = self.extrapolate(passed, outcome.simulated_seconds, outcome.actions).map_or_else(
            || {
                let percent = self.within * 100.0;
                Steady::Whole(format!("the time per iteration is not known within {percent} % before its end"))
            },
            Steady::Extrapolated,
        );
        Ok((outcome, steady))
    }

    /// Returns the mean of the iterations that end at these times, if it is known well enough for those that are left out.
    fn mean(&self, ends: &[f64], left_out: usize) -> Option<SteadyMean> {
        let series: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut found = SteadyMean::of(&series, left_out, self.within)?;
        if !self.computation.is_empty() {
            let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
            let coming = &self.computation[self.computation.len() - left_out..];
            found.half_width += (mean(coming) - mean(&self.computation[found.warm_up..series.len()])).abs();
        }
        found.half_width = found.half_width.max(LEAST * self.within * found.mean);
        (found.half_width <= self.within * found.mean).then_some(found)
    }

    fn extrapolate(&self, passed: &Passed, replayed_seconds: f64, actions: u64) -> Option<Extrapolation> {
        let left_out = passed.skipped;
        let found = self.mean(&passed.ends[..passed.decided], left_out).filter(|_| left_out > 0)?;
        let (iterations, times) = (self.known.iterations.number, left_out as f64);
        Some(Extrapolation {
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
        })
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
