//! Records of runs: a sweep depends only on them, whether they are from memory or from results files, so both lead to the
//! same bytes. Numbers are written as the shortest text that reads back as the same number.

use super::error::PacketError;
use super::run::{Mode, Outcome};
use super::runs::Runs;
use crate::printable::number;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Purpose of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A point of the curve.
    Curve,
    /// Accepted traffic at an offered load of 1.
    FullLoad,
    /// Step of the search for saturation.
    Search,
}

/// Identity of a run in a sweep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RunId {
    /// Number of the series, from 0.
    pub series: usize,
    /// Purpose of the run.
    pub purpose: Purpose,
    /// Bits of the offered load, which is not negative: their order is that of loads.
    load: u64,
    /// Seed of the run.
    pub seed: u64,
}

impl RunId {
    /// Creates the identity of a run at a load in flits per host and cycle.
    pub fn new(series: usize, purpose: Purpose, load: f64, seed: u64) -> Self {
        Self { series, purpose, load: load.to_bits(), seed }
    }

    /// Returns the offered load in flits per host and cycle.
    pub fn load(&self) -> f64 {
        f64::from_bits(self.load)
    }
}

/// Names of a series.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Names {
    /// Network: its topology, or its name in a study.
    pub network: String,
    /// Packet routing.
    pub routing: String,
    /// Traffic pattern.
    pub pattern: String,
}

impl Names {
    /// Describes a run of this series.
    pub fn describe(&self, run: &RunId) -> String {
        let Self { network, routing, pattern } = self;
        let what = match run.purpose {
            Purpose::Curve => format!("load {}", run.load()),
            Purpose::FullLoad => "full load".to_owned(),
            Purpose::Search => format!("load {} of the search for saturation", run.load()),
        };
        format!("{network}, {routing}, {pattern}: {what}, seed {}", run.seed)
    }
}

/// Failure that ended a run, as it does each time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RunFailure {
    /// Nothing could move.
    Deadlock {
        /// Cycle at which nothing could move.
        cycle: u64,
        /// Virtual channels that wait for each other, as text.
        waiting: String,
    },
    /// The network, or the packets under way, were too many for the model.
    TooLarge {
        /// Name of the topology.
        topology: String,
        /// Quantity that is too large.
        reason: String,
    },
}

impl RunFailure {
    /// Returns the result of a run.
    ///
    /// # Errors
    /// An error that is not the fault of this run alone.
    pub fn separate(result: Result<Outcome, PacketError>) -> Result<RunResult, PacketError> {
        match result {
            Ok(outcome) => Ok(Ok(outcome)),
            Err(PacketError::Deadlock { cycle, waiting }) => Ok(Err(Self::Deadlock { cycle, waiting })),
            Err(PacketError::TooLarge { topology, reason }) => Ok(Err(Self::TooLarge { topology, reason })),
            Err(other) => Err(other),
        }
    }
}

impl From<RunFailure> for PacketError {
    fn from(failure: RunFailure) -> Self {
        match failure {
            RunFailure::Deadlock { cycle, waiting } => Self::Deadlock { cycle, waiting },
            RunFailure::TooLarge { topology, reason } => Self::TooLarge { topology, reason },
        }
    }
}

/// Result of a run.
pub type RunResult = Result<Outcome, RunFailure>;

/// Record of a completed run: a line of a results file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointRecord {
    /// Number of the series, from 1, as in reports.
    pub series: usize,
    /// Network: its topology, or its name in a study.
    pub network: String,
    /// Packet routing.
    pub routing: String,
    /// Traffic pattern.
    pub pattern: String,
    /// Purpose of the run.
    pub run: Purpose,
    /// Flits offered per host and cycle.
    pub load: f64,
    /// Seed of the run.
    pub seed: u64,
    /// Results; `None` after a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Failure that ended the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RunFailure>,
}

impl PointRecord {
    /// Creates the record of a run.
    pub fn new(names: &Names, id: &RunId, result: &RunResult) -> Self {
        let Names { network, routing, pattern } = names.clone();
        let (outcome, failure) = match result {
            Ok(outcome) => (Some(outcome.clone()), None),
            Err(failure) => (None, Some(failure.clone())),
        };
        let (load, seed) = (id.load(), id.seed);
        Self { series: id.series + 1, network, routing, pattern, run: id.purpose, load, seed, outcome, failure }
    }

    /// Returns the identity of the run; `None` if the number of the series is 0.
    pub fn id(&self) -> Option<RunId> {
        Some(RunId::new(self.series.checked_sub(1)?, self.run, self.load, self.seed))
    }

    /// Returns `true` if the record is of a series with these names.
    pub fn is_of(&self, names: &Names) -> bool {
        self.network == names.network && self.routing == names.routing && self.pattern == names.pattern
    }

    /// Returns the result, after checking it against the values that such a run can have.
    ///
    /// # Errors
    /// Description of the first value that no run has.
    pub fn result(self, runs: &Runs) -> Result<RunResult, String> {
        let mode = runs.mode_of(self.run);
        match (self.outcome, self.failure) {
            (Some(outcome), None) => {
                check(&outcome, self.load, self.seed, mode)?;
                Ok(Ok(outcome))
            }
            (None, Some(failure)) => Ok(Err(failure)),
            _ => Err("it has neither `outcome` nor `failure`, or both".to_owned()),
        }
    }
}

/// Relative tolerance for means of the same values in another order.
const ROUNDING: f64 = 1e-9;

/// Largest value of a result: cycles, hops, and packets in the network are numbers of 32 bits, and rates are far below.
const MOST: f64 = u32::MAX as f64;

/// Checks the values of a result, which reports rely on.
fn check(outcome: &Outcome, load: f64, seed: u64, mode: Mode) -> Result<(), String> {
    let Outcome { accepted, accepted_least, accepted_most, fairness, saturated, .. } = *outcome;
    if outcome.load.to_bits() != load.to_bits() || outcome.seed != seed {
        return Err(format!("`outcome` is of load {}, seed {}", outcome.load, outcome.seed));
    }
    let numbers = [
        ("accepted", Some(accepted)),
        ("accepted_least", Some(accepted_least)),
        ("accepted_most", Some(accepted_most)),
        ("fairness", Some(fairness)),
        ("latency_mean", outcome.latency_mean),
        ("network_latency_mean", outcome.network_latency_mean),
        ("hops_mean", outcome.hops_mean),
        ("deflections_mean", outcome.deflections_mean),
        ("packets_inside", Some(outcome.packets_inside)),
        ("cable_load_mean", Some(outcome.cable_load_mean)),
        ("cable_load_max", Some(outcome.cable_load_max)),
    ];
    if let Some((name, value)) =
        numbers.into_iter().find(|(_, value)| value.is_some_and(|value| !(0.0..=MOST).contains(&value)))
    {
        return Err(format!("`{name}` is {}, and not from 0 to {MOST}", number(value.unwrap_or_default())));
    }
    let ascending =
        |name: &str, values: &[f64]| match values.windows(2).find(|pair| pair[0] > pair[1] * (1.0 + ROUNDING)) {
            Some(pair) => Err(format!("`{name}` are not in order: {} before {}", pair[0], pair[1])),
            None => Ok(()),
        };
    ascending("accepted_least, accepted, accepted_most", &[accepted_least, accepted, accepted_most])?;
    ascending("cable_load_mean, cable_load_max", &[outcome.cable_load_mean, outcome.cable_load_max])?;
    ascending("fairness, 1", &[fairness, 1.0])?;
    let quantiles = [outcome.latency_p50, outcome.latency_p99, outcome.latency_p999, outcome.latency_max];
    let known: Vec<f64> = quantiles.into_iter().flatten().map(f64::from).collect();
    ascending("latency_p50, latency_p99, latency_p999, latency_max", &known)?;
    let mean_and_most = [
        ("latency_mean, latency_max", outcome.latency_mean, outcome.latency_max.map(f64::from)),
        ("network_latency_mean, latency_mean", outcome.network_latency_mean, outcome.latency_mean),
        ("hops_mean, hops_max", outcome.hops_mean, (outcome.hops_max > 0).then(|| f64::from(outcome.hops_max))),
        ("deflections_mean, hops_mean", outcome.deflections_mean, outcome.hops_mean),
        ("cable_load_max, 1", Some(outcome.cable_load_max), Some(1.0)),
    ];
    for (name, mean, most) in mean_and_most {
        if let (Some(mean), Some(most)) = (mean, most) {
            ascending(name, &[mean, most])?;
        }
    }
    if outcome.cycles == 0 || (outcome.packets == 0 && outcome.latency_mean.is_some()) {
        let (packets, cycles) = (outcome.packets, outcome.cycles);
        return Err(format!("it has results of {packets} packets in {cycles} cycles"));
    }
    if mode == Mode::Throughput && saturated {
        return Err("`saturated` is set in a run without a drain".to_owned());
    }
    if (saturated || mode == Mode::Throughput) && (outcome.latency_mean.is_some() || !known.is_empty()) {
        return Err("it has a latency, which such a run does not measure".to_owned());
    }
    Ok(())
}

/// Origin of a result: a line of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Index of the file.
    pub file: usize,
    /// Line, from 1.
    pub line: usize,
}

/// Results of runs, some of them from files.
#[derive(Clone, Default, Debug)]
pub struct Points {
    all: BTreeMap<RunId, (RunResult, Option<Origin>)>,
}

impl Points {
    /// Adds a result; returns the origin of an earlier one of the same run, which stays.
    ///
    /// # Errors
    /// The origin of the other result.
    pub fn add(&mut self, id: RunId, result: RunResult, origin: Option<Origin>) -> Result<(), Option<Origin>> {
        match self.all.entry(id) {
            std::collections::btree_map::Entry::Occupied(other) => Err(other.get().1),
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert((result, origin));
                Ok(())
            }
        }
    }

    /// Returns the result of a run, if it is known.
    pub fn get(&self, id: &RunId) -> Option<&RunResult> {
        self.all.get(id).map(|(result, _)| result)
    }

    /// Returns the runs of the search for saturation of a series, with their origins.
    pub fn searched(&self, series: usize) -> impl Iterator<Item = (&RunId, Option<Origin>)> {
        let first = RunId { series, purpose: Purpose::FullLoad, load: 0, seed: 0 };
        let last = RunId { series, purpose: Purpose::Search, load: u64::MAX, seed: u64::MAX };
        self.all.range(first..=last).map(|(id, (_, origin))| (id, *origin))
    }

    /// Accepts the runs of searches in the lines of a file before this one: the sweep had fewer loads then, and its
    /// searches came to other runs.
    pub(super) fn accept_searches_before(&mut self, first: Origin) {
        let is_earlier = |origin: &Origin| origin.file == first.file && origin.line < first.line;
        for (_, (_, origin)) in self.all.iter_mut().filter(|(id, _)| id.purpose != Purpose::Curve) {
            *origin = origin.filter(|origin| !is_earlier(origin));
        }
    }

    /// Returns the results of some series.
    #[must_use]
    pub fn of(&self, series: &[usize]) -> Self {
        let own = self.all.iter().filter(|(id, _)| series.contains(&id.series));
        Self { all: own.map(|(id, found)| (*id, found.clone())).collect() }
    }

    /// Returns `true` if a run has failed.
    pub fn has_failures(&self) -> bool {
        self.all.values().any(|(result, _)| result.is_err())
    }

    /// Returns the failure of the first run that has failed, in the order of series, purposes, loads and seeds.
    pub fn first_failure(&self) -> Option<&RunFailure> {
        self.all.values().find_map(|(result, _)| result.as_ref().err())
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns `true` if no run is known.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
