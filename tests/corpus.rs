//! Real traces against SimGrid 3.32: with exact sharing and without merging of events, and as SimGrid runs by default.
//!
//! Small rows are in the repository and always run; the others run where the reference data is found.
//!
//! Some rows are chaotic: under heavy contention a delay of one message changes the rates of its neighbours, and from
//! exchange to exchange a difference grows by orders of magnitude, until a rounding error of 1e-18 s in one clock reading has
//! become a part per thousand of the result. The reference itself moves by as much when its clock starts at another date
//! (BT on the Imase network: 5.6616 ms or 5.6668 ms). For such a row agreement beyond the spread of its own results means
//! nothing; a row may differ by more than [`CLOSE`] only if delays below the timing precision, or another precision of
//! that order, spread our own results at least as far.

mod support;

use mopsim::engine::replay;
use mopsim::mpi::mapping::Mapping;
use mopsim::platform::Platform;
use mopsim::platform::load::LoadOptions;
use mopsim::study::choice::ModelChoice;
use mopsim::trace::{Action, Trace, ti};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Every row whose result is determined that far has to agree to this.
const CLOSE: f64 = 1e-9;

/// No row may differ by more than this, chaotic or not, and at most one in 16 may be chaotic.
const CHAOTIC: f64 = 1e-2;

/// The same for SimGrid's default, whose reference starts its ranks at dates between 1 and 500 us: events that are 1 ns apart,
/// give or take a rounding, are merged or not. At most one row in ten may differ by more than this.
const CLOSE_WITH_MERGING: f64 = 1e-6;

/// Delays in seconds that no result should depend on: they lie below the timing precision.
const LARGEST_DELAY: f64 = 1e-12;

/// Replays with such delays that show how far a result is determined.
const DELAYED_REPLAYS: u64 = 8;

/// Dates at which the ranks may start, in seconds: the reference's lie in this range.
const STARTS: &[f64] = &[1e-6, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4];

/// Rows of more actions are left to the benchmarks.
const MOST_ACTIONS: u64 = 200_000;
const MOST_ACTIONS_WITH_MERGING: u64 = 50_000;

#[derive(Deserialize)]
struct Row {
    trace: String,
    platform: String,
    selector: String,
    model: String,
    extra: BTreeMap<String, String>,
    ranks: usize,
    actions: u64,
    simulated_seconds: f64,
}

impl Row {
    fn name(&self) -> String {
        format!("{} on {}, {}, {}", self.trace, self.platform, self.selector, self.model)
    }

    /// Whether it was made with SimGrid's incremental solver, its default.
    fn is_lazy(&self) -> bool {
        self.extra.get("network/optim").map(String::as_str) != Some("Full")
    }

    fn choice(&self) -> ModelChoice {
        ModelChoice {
            network_model: Some(self.model.to_lowercase()),
            collectives: Some(self.selector.clone()),
            compat: self.is_lazy().then(|| "simgrid".to_owned()),
            timing_precision: self.extra.get("surf/precision").map(|text| text.parse().expect("precision")),
            crosstraffic: self.extra.get("network/crosstraffic").map(|text| text != "0"),
            ..ModelChoice::default()
        }
    }

    /// The date at which the reference's ranks start. Its `mvapich2` exchanges the layout of the nodes before the start, by
    /// messages, and then all ranks start together: two rings of 4 bytes, a reduction and a broadcast, for the world and once
    /// more for the leaders of the nodes, who are all ranks here. With another start, clocks are rounded otherwise, and
    /// events a nanosecond apart are merged or not: that it happens twice was found by trying.
    fn start(&self, platform: &Platform) -> f64 {
        if self.selector != "mvapich2" || self.ranks == 1 {
            return 0.0;
        }
        let calls = ["allgather 1 1 1 1", "allgather 1 1 1 1", "reduce 1 0 0 1", "bcast 1 0 1"];
        let rank = |rank| {
            [&["init"], &calls[..], &calls].concat().iter().map(|call| format!("{rank} {call}\n")).collect::<String>()
        };
        let text: String = (0..self.ranks).map(rank).collect();
        let trace = ti::read_from(text.as_bytes(), "exchange", &ti::Options::default()).expect("trace");
        let algorithms = [("allgather", "ring"), ("reduce", "nonblocking"), ("bcast", "binomial")];
        let overrides = algorithms.map(|(kind, algorithm)| (kind.to_owned(), algorithm.to_owned()));
        let choice = ModelChoice {
            collectives: Some("default".to_owned()),
            collective: overrides.into_iter().collect(),
            ..self.choice()
        };
        self.replay_by(&choice, &trace, platform)
    }

    /// The trace with all ranks starting at a date.
    fn started_at(trace: &Trace, seconds: f64) -> Trace {
        let mut late = trace.clone();
        late.actions.iter_mut().for_each(|actions| actions.insert(0, Action::Sleep { seconds }));
        late
    }

    fn replay_by(&self, choice: &ModelChoice, trace: &Trace, platform: &Platform) -> f64 {
        let (model, _) = choice.build().expect("model");
        let layout = Mapping::OneEach.layout(self.ranks, platform.hosts.len()).expect("mapping");
        replay(trace, platform, &layout, &model, &mut ()).expect("runs").simulated_seconds
    }

    fn replay(&self, trace: &Trace, platform: &Platform, precision: Option<f64>) -> f64 {
        let choice = self.choice();
        let choice = ModelChoice { timing_precision: precision.or(choice.timing_precision), ..choice };
        self.replay_by(&choice, trace, platform)
    }

    fn difference(&self, trace: &Trace, platform: &Platform) -> f64 {
        assert_eq!((trace.ranks(), trace.total_actions()), (self.ranks, self.actions), "{}", self.name());
        let start = self.start(platform);
        let seconds = if start > 0.0 {
            self.replay(&Self::started_at(trace, start), platform, None) - start
        } else {
            self.replay(trace, platform, None)
        };
        support::relative_difference(seconds, self.simulated_seconds)
    }

    /// Relative spread of the results under changes that should not matter: every computation takes up to
    /// [`LARGEST_DELAY`] longer; events are merged at other precisions of that order (exact sharing); the ranks start at
    /// another date, so that clock readings are rounded otherwise (SimGrid's default). Ends as soon as it is `enough`.
    fn spread(&self, trace: &Trace, platform: &Platform, enough: f64) -> f64 {
        let delayed = |seed| {
            let mut rng = Pcg64::seed_from_u64(seed);
            let mut delayed = trace.clone();
            for (rank, actions) in delayed.actions.iter_mut().enumerate() {
                for action in actions {
                    if let Action::Compute { flops } = action {
                        *flops += rng.random_range(0.0..LARGEST_DELAY) * platform.hosts[rank].speed;
                    }
                }
            }
            self.replay(&delayed, platform, None)
        };
        let started_at = |seconds| self.replay(&Self::started_at(trace, seconds), platform, None) - seconds;
        let precisions = if self.is_lazy() { &[][..] } else { &[0.0, 0.5 * LARGEST_DELAY, 2.0 * LARGEST_DELAY] };
        let starts = if self.is_lazy() { STARTS } else { &[] };
        let results = std::iter::once_with(|| self.replay(trace, platform, None))
            .chain(precisions.iter().map(|precision| self.replay(trace, platform, Some(*precision))))
            .chain(starts.iter().map(|seconds| started_at(*seconds)))
            .chain((0..DELAYED_REPLAYS).map(delayed));
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for result in results {
            (least, most) = (least.min(result), most.max(result));
            if (most - least) / most >= enough {
                break;
            }
        }
        (most - least) / most
    }
}

fn read_trace(folder: &Path, name: &str) -> Trace {
    let path = ["xz", "zst"].map(|packed| folder.join(format!("{name}.ti.{packed}")));
    let path = path.iter().find(|p| p.exists()).unwrap_or_else(|| panic!("no trace {name}"));
    ti::read(path, &ti::Options::default()).expect("trace")
}

fn read_platform(folder: &Path, name: &str) -> Platform {
    let path = ["json", "json.zst"].map(|extension| folder.join(format!("{name}.{extension}")));
    let path = path.iter().find(|p| p.exists()).unwrap_or_else(|| panic!("no platform {name}"));
    Platform::load(path, &LoadOptions::default()).expect("platform")
}

/// Replays the rows and reports how their differences are distributed.
fn check(rows: &[Row], traces: &Path, platforms: &Path, (close, chaotic_in): (f64, usize)) {
    let traces: BTreeMap<&str, Trace> = rows
        .iter()
        .map(|r| r.trace.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|t| (t, read_trace(traces, t)))
        .collect();
    let platforms: BTreeMap<&str, Platform> = rows
        .iter()
        .map(|r| r.platform.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|p| (p, read_platform(platforms, p)))
        .collect();
    let parts = |row: &Row| (&traces[row.trace.as_str()], &platforms[row.platform.as_str()]);
    let mut results: Vec<(f64, &Row)> = rows
        .par_iter()
        .map(|row| {
            let (trace, platform) = parts(row);
            (row.difference(trace, platform), row)
        })
        .collect();
    results.sort_by(|a, b| a.0.total_cmp(&b.0));
    let differences: Vec<f64> = results.iter().map(|r| r.0).collect();
    let within = |limit: f64| differences.iter().filter(|d| **d <= limit).count();
    println!(
        "{} rows: median difference {:.1e}, {} within 1e-12, {} within 1e-9, {} within 1e-6, {} within 1e-4, largest {:.1e}",
        results.len(),
        support::median(&differences),
        within(1e-12),
        within(1e-9),
        within(1e-6),
        within(1e-4),
        differences.last().expect("rows"),
    );
    assert!(
        within(close) * chaotic_in >= results.len() * (chaotic_in - 1),
        "too many rows differ for chaos to explain it"
    );
    let check_spread = |(difference, row): &&(f64, &Row)| -> Option<String> {
        let (trace, platform) = parts(row);
        let spread = row.spread(trace, platform, *difference);
        println!(
            "{}: differs by {difference:.1e}; what should not matter spreads it by {spread:.1e} or more",
            row.name()
        );
        (*difference > spread || *difference > CHAOTIC).then(|| row.name())
    };
    let far: Vec<&(f64, &Row)> = results.iter().filter(|r| r.0 > close).collect();
    let wrong: Vec<String> = far.par_iter().filter_map(check_spread).collect();
    assert!(wrong.is_empty(), "{} rows differ by more than their own spread:\n{}", wrong.len(), wrong.join("\n"));
}

fn rows(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).expect("rows");
    serde_json::from_str(&text).expect("rows")
}

#[test]
fn the_rows_in_the_repository_agree() {
    let folder = support::data().join("corpus");
    let rows = rows(&folder.join("rows.json"));
    assert!(rows.len() >= 12);
    check(&rows, &folder, &folder, (CLOSE, 16));
}

#[test]
fn all_rows_of_moderate_size_agree() {
    let Some(shared) = support::shared() else { return };
    let corpus = shared.join("corpus");
    let mut rows = rows(&corpus.join("golden_exact.json"));
    rows.retain(|row| row.actions <= MOST_ACTIONS && ["default", "mvapich2", "ompi"].contains(&row.selector.as_str()));
    assert!(rows.len() >= 200);
    check(&rows, &corpus.join("traces"), &corpus.join("platforms"), (CLOSE, 16));
}

#[test]
fn small_rows_of_simgrids_default_agree() {
    let Some(shared) = support::shared() else { return };
    let corpus = shared.join("corpus");
    let mut rows = rows(&corpus.join("golden.json"));
    rows.retain(|row| row.is_lazy() && row.actions <= MOST_ACTIONS_WITH_MERGING);
    assert!(rows.len() >= 500);
    check(&rows, &corpus.join("traces"), &corpus.join("platforms"), (CLOSE_WITH_MERGING, 10));
}
