//! The page on long runs: whole runs, and their times extrapolated from some of their iterations.

use super::pages::Page;
use mopsim::engine::{Model, replay, replay_until};
use mopsim::mpi::mapping::Mapping;
use mopsim::network::noise::Noise;
use mopsim::study::choice::ModelChoice;
use mopsim::study::network::NetworkChoice;
use mopsim::study::steady::{DEFAULT_WITHIN, Judge, KnownIterations, Steady};
use mopsim::study::workload::Workload;
use mopsim::workload::Limits;
use std::path::Path;

/// Workload, ranks, topology, network model, and parameters of the workload. Ranks are one per host.
type Case = (&'static str, u32, &'static str, &'static str, &'static str);

/// Cases with which the method was chosen.
const CHOSEN: [Case; 53] = [
    ("npb/bt", 16, "torus:4x4", "ordered", "class=S"),
    ("npb/bt", 16, "imase-itoh:n=16,d=4", "ordered", "class=W"),
    ("npb/bt", 36, "torus:6x6", "ordered", "class=W"),
    ("npb/bt", 64, "torus:8x8", "ordered", "class=A"),
    ("npb/bt", 64, "imase-itoh:n=64,d=6", "ordered", "class=A"),
    ("npb/bt", 64, "random:n=64,d=6,seed=1", "ordered", "class=A"),
    ("npb/bt", 64, "torus:4x4x4", "ordered", "class=B"),
    ("npb/bt", 16, "random:n=16,d=4,seed=3", "ordered", "class=A"),
    ("npb/sp", 16, "torus:4x4", "ordered", "class=S"),
    ("npb/sp", 16, "imase-itoh:n=16,d=4", "ordered", "class=W"),
    ("npb/sp", 36, "random:n=36,d=4,seed=2", "ordered", "class=W"),
    ("npb/sp", 64, "torus:8x8", "ordered", "class=A"),
    ("npb/sp", 64, "imase-itoh:n=64,d=6", "ordered", "class=A"),
    ("npb/sp", 64, "random:n=64,d=6,seed=1", "ordered", "class=A"),
    ("npb/sp", 64, "hypercube:d=6", "ordered", "class=B"),
    ("npb/sp", 16, "random:n=16,d=4,seed=3", "ordered", "class=A"),
    ("npb/lu", 16, "torus:4x4", "ordered", "class=S"),
    ("npb/lu", 16, "imase-itoh:n=16,d=4", "ordered", "class=W"),
    ("npb/lu", 32, "random:n=32,d=4,seed=2", "ordered", "class=W"),
    ("npb/lu", 16, "random:n=16,d=4,seed=3", "ordered", "class=A iterations=100"),
    ("npb/lu", 64, "torus:8x8", "ordered", "class=A iterations=100"),
    ("npb/lu", 64, "imase-itoh:n=64,d=6", "ordered", "class=A iterations=100"),
    ("npb/lu", 64, "random:n=64,d=6,seed=1", "ordered", "class=A iterations=100"),
    ("himeno", 16, "torus:4x4", "ordered", "class=XS iterations=100"),
    ("himeno", 16, "imase-itoh:n=16,d=4", "ordered", "class=S iterations=200"),
    ("himeno", 64, "torus:8x8", "ordered", "class=S iterations=200"),
    ("himeno", 64, "imase-itoh:n=64,d=6", "ordered", "class=S iterations=200"),
    ("himeno", 64, "random:n=64,d=6,seed=1", "ordered", "class=M iterations=200"),
    ("himeno", 32, "random:n=32,d=4,seed=2", "ordered", "class=M iterations=100"),
    ("himeno", 48, "random:n=48,d=5,seed=2", "ordered", "class=L iterations=150"),
    ("himeno", 64, "torus:4x4x4", "ordered", "class=M iterations=100"),
    ("stencil", 16, "torus:4x4", "ordered", "points=5 side=256 iterations=100"),
    ("stencil", 64, "torus:8x8", "ordered", "points=5 side=1024 iterations=200"),
    ("stencil", 64, "imase-itoh:n=64,d=6", "ordered", "points=7 iterations=200"),
    ("stencil", 64, "random:n=64,d=6,seed=1", "ordered", "points=27 side=32 iterations=100"),
    ("stencil", 64, "torus:4x4x4", "ordered", "points=7 side=128 iterations=100"),
    ("stencil", 27, "torus:3x3x3", "ordered", "points=27 side=64 iterations=100"),
    ("stencil", 64, "imase-itoh:n=64,d=6", "ordered", "points=9 side=512 iterations=200 norm_every=10"),
    ("stencil", 64, "random:n=64,d=6,seed=1", "ordered", "points=7 side=64 iterations=300 norm_every=5 periodic=false"),
    ("stencil", 36, "random:n=36,d=4,seed=2", "ordered", "points=9 side=2048 iterations=100 norm_every=1"),
    ("stencil", 60, "random:n=60,d=5,seed=2", "ordered", "points=7 side=96 iterations=100 periodic=false"),
    ("sweep", 16, "torus:4x4", "ordered", "iterations=50"),
    ("sweep", 64, "torus:8x8", "ordered", "iterations=50"),
    ("sweep", 64, "imase-itoh:n=64,d=6", "ordered", "iterations=60"),
    ("sweep", 64, "random:n=64,d=6,seed=1", "ordered", "iterations=50"),
    ("sweep", 32, "random:n=32,d=4,seed=2", "ordered", "iterations=100 side=20"),
    ("npb/bt", 64, "random:n=64,d=6,seed=1", "smpi", "class=A"),
    ("npb/lu", 64, "torus:8x8", "smpi", "class=A iterations=100"),
    ("npb/sp", 64, "imase-itoh:n=64,d=6", "smpi", "class=A"),
    ("himeno", 64, "random:n=64,d=6,seed=1", "smpi", "class=M iterations=200"),
    ("stencil", 64, "imase-itoh:n=64,d=6", "smpi", "points=7 iterations=200"),
    ("npb/sp", 64, "torus:8x8", "ideal", "class=A"),
    ("npb/lu", 32, "random:n=32,d=4,seed=2", "ideal", "class=W"),
];

/// Cases that were run with the first method, and made it wider. `noise` delays each message by up to 20 % of its time.
const LATER: [Case; 22] = [
    ("npb/bt", 25, "torus:5x5", "ordered", "class=W"),
    ("npb/bt", 49, "random:n=49,d=5,seed=7", "ordered", "class=A"),
    ("npb/bt", 64, "dragonfly:a=4,h=2,p=2", "ordered", "class=A"),
    ("npb/sp", 25, "torus:5x5", "ordered", "class=W"),
    ("npb/sp", 49, "random:n=49,d=5,seed=7", "ordered", "class=A"),
    ("npb/sp", 64, "hypercube:d=6", "ordered", "class=A"),
    ("npb/lu", 8, "ring:8", "ordered", "class=W"),
    ("npb/lu", 32, "random:n=32,d=4,seed=5", "ordered", "class=A iterations=80"),
    ("himeno", 24, "torus:6x4", "ordered", "class=S iterations=150"),
    ("himeno", 64, "hypercube:d=6", "ordered", "class=M iterations=150"),
    ("himeno", 64, "random:n=64,d=4,seed=9", "ordered", "class=S iterations=200"),
    ("stencil", 64, "random:n=64,d=5,seed=9", "ordered", "points=9 side=300 iterations=150"),
    ("stencil", 48, "torus:4x4x3", "ordered", "points=27 side=40 iterations=120"),
    ("stencil", 64, "kautz:d=4,k=3", "ordered", "points=7 side=50 iterations=150 periodic=false"),
    ("sweep", 48, "torus:8x6", "ordered", "side=16 iterations=60"),
    ("sweep", 25, "random:n=25,d=4,seed=4", "ordered", "angles=12 iterations=80"),
    ("npb/bt", 16, "random:n=16,d=4,seed=5", "ordered noise", "class=W"),
    ("npb/sp", 36, "torus:6x6", "ordered noise", "class=W"),
    ("npb/lu", 16, "torus:4x4", "ordered noise", "class=W"),
    ("himeno", 64, "random:n=64,d=6,seed=1", "ordered noise", "class=S iterations=200"),
    ("stencil", 64, "torus:8x8", "ordered noise", "points=5 side=256 iterations=200"),
    ("sweep", 16, "torus:4x4", "ordered noise", "iterations=80"),
];

/// Cases that were run once the method was fixed.
const LAST: [Case; 12] = [
    ("npb/bt", 36, "random:n=36,d=5,seed=11", "ordered", "class=A"),
    ("npb/bt", 64, "kautz:d=4,k=3", "ordered", "class=A"),
    ("npb/sp", 64, "dragonfly:a=4,h=2,p=2", "ordered", "class=W"),
    ("npb/sp", 16, "ring:16", "ordered", "class=W"),
    ("npb/lu", 32, "torus:8x4", "ordered", "class=W iterations=150"),
    ("himeno", 64, "kautz:d=4,k=3", "ordered", "class=S iterations=200"),
    ("himeno", 60, "random:n=60,d=4,seed=13", "ordered", "class=M iterations=150"),
    ("stencil", 64, "dragonfly:a=4,h=2,p=2", "ordered", "points=7 side=80 iterations=150"),
    ("stencil", 48, "random:n=48,d=4,seed=13", "ordered", "points=27 side=30 iterations=150 periodic=false"),
    ("sweep", 64, "hypercube:d=6", "ordered", "iterations=80"),
    ("npb/sp", 25, "random:n=25,d=4,seed=13", "ordered noise", "class=W"),
    ("himeno", 32, "torus:8x4", "ordered noise", "class=S iterations=200"),
];

/// Cases with noise on more than 16 ranks, which were run last of all.
const NOISY: [Case; 13] = [
    ("npb/bt", 36, "torus:6x6", "ordered noise", "class=W"),
    ("npb/bt", 49, "random:n=49,d=5,seed=17", "ordered noise", "class=W"),
    ("npb/sp", 49, "torus:7x7", "ordered noise", "class=W"),
    ("npb/sp", 64, "random:n=64,d=6,seed=17", "ordered noise", "class=W"),
    ("npb/lu", 32, "torus:8x4", "ordered noise", "class=W"),
    ("npb/lu", 64, "imase-itoh:n=64,d=6", "ordered noise", "class=W"),
    ("himeno", 48, "random:n=48,d=5,seed=17", "ordered noise", "class=S iterations=200"),
    ("himeno", 64, "kautz:d=4,k=3", "ordered noise", "class=M iterations=150"),
    ("stencil", 27, "torus:3x3x3", "ordered noise", "points=27 side=32 iterations=120"),
    ("stencil", 36, "random:n=36,d=4,seed=17", "ordered noise", "points=9 side=256 iterations=200"),
    ("stencil", 64, "dragonfly:a=4,h=2,p=2", "ordered noise", "points=7 side=50 iterations=150"),
    ("sweep", 48, "random:n=48,d=4,seed=17", "ordered noise", "iterations=60"),
    ("sweep", 64, "torus:8x8", "ordered noise", "iterations=60"),
];

/// A whole run and its estimate; `estimate` is `None` where the whole run was replayed.
struct Outcome {
    case: Case,
    seconds: f64,
    iterations: usize,
    estimate: Option<Estimate>,
}

struct Estimate {
    seconds: f64,
    half_width: f64,
    replayed: usize,
    /// Actions of the whole run over those replayed.
    saved: f64,
}

impl Outcome {
    fn of(case: Case) -> Self {
        let (program, ranks, topology, network_model, parameters) = case;
        let parameters: Vec<(String, String)> = parameters
            .split_whitespace()
            .filter_map(|given| given.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let workload = Workload::generate(program, ranks, &parameters, &Limits::default()).expect("a workload");
        let trace = &*workload.trace;
        let choice = NetworkChoice { topology: Some(topology.to_owned()), ..NetworkChoice::default() };
        let network = choice.build(Path::new("")).expect("a network");
        let (name, noise) = match network_model.strip_suffix(" noise") {
            Some(name) => (name, Some(Noise { amplitude: 0.2, seed: 1 })),
            None => (network_model, None),
        };
        let choice = ModelChoice { network_model: Some(name.to_owned()), ..ModelChoice::default() };
        let model = Model { noise, ..choice.build().expect("a model").0 };
        let rank_map = Mapping::default().rank_map_on_cores(trace.ranks(), &vec![1; network.platform.hosts.len()]);
        let (platform, rank_map) = (&network.platform, rank_map.expect("enough hosts"));
        let whole = replay(trace, platform, &rank_map, &model, &mut ()).expect("a replay");
        let known = KnownIterations::of(trace).expect("iterations");
        let judge = Judge::new(&known, trace, platform, &rank_map, DEFAULT_WITHIN);
        let replayed = judge.decide(|stop| replay_until(trace, platform, &rank_map, &model, stop, &mut ()));
        let (early, steady) = replayed.expect("a replay");
        let estimate = match steady {
            Steady::Whole(_) => {
                assert_eq!(early.simulated_seconds, whole.simulated_seconds);
                None
            }
            Steady::Extrapolated(found) => Some(Estimate {
                seconds: found.simulated_seconds,
                half_width: found.half_width,
                replayed: found.replayed_iterations,
                saved: whole.actions as f64 / found.replayed_actions as f64,
            }),
        };
        Self { case, seconds: whole.simulated_seconds, iterations: known.iterations(), estimate }
    }

    /// Returns `true` if the interval holds the time of the whole run.
    fn is_inside(&self) -> bool {
        self.estimate.as_ref().is_none_or(|found| (found.seconds - self.seconds).abs() <= found.half_width)
    }

    fn saved(&self) -> f64 {
        self.estimate.as_ref().map_or(1.0, |found| found.saved)
    }

    fn line(&self) -> String {
        let (program, ranks, topology, model, parameters) = self.case;
        let (replayed, error) = match &self.estimate {
            None => ("all".to_owned(), "- | -".to_owned()),
            Some(found) => (found.replayed.to_string(), {
                let percent = |part: f64| 100.0 * part / self.seconds;
                let error = (1000.0 * percent(found.seconds - self.seconds)).round() / 1000.0 + 0.0;
                format!(
                    "{error:+.3} | {:.2}{}",
                    percent(found.half_width),
                    if self.is_inside() { "" } else { ", outside" }
                )
            }),
        };
        format!(
            "| {program} {parameters} | {ranks} | {topology} | {model} | {:.3} | {replayed} of {} | {error} | {:.1} |",
            self.seconds * 1e3,
            self.iterations,
            self.saved()
        )
    }
}

fn table(outcomes: &[Outcome]) -> String {
    let mut lines = vec![
        "| workload | ranks | topology | model | whole run, ms | iterations | error, % | half width, % | fewer actions |".to_owned(),
        "| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    lines.extend(outcomes.iter().map(Outcome::line));
    lines.join("\n")
}

/// Checks that intervals hold what they promise, and returns the summary.
fn summary(outcomes: &[Outcome]) -> String {
    let estimated: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.estimate.is_some()).collect();
    let inside = estimated.iter().filter(|outcome| outcome.is_inside()).count();
    let saved = (outcomes.iter().map(|outcome| outcome.saved().ln()).sum::<f64>() / outcomes.len() as f64).exp();
    assert!(inside * 10 >= estimated.len() * 9, "{inside} of {}", estimated.len());
    assert!(saved >= 5.0, "{saved}");
    let largest = |of: &dyn Fn(&Estimate, f64) -> f64| {
        let all = estimated.iter().filter_map(|outcome| Some(of(outcome.estimate.as_ref()?, outcome.seconds)));
        100.0 * all.fold(0.0, f64::max)
    };
    let error = largest(&|found, seconds| (found.seconds - seconds).abs() / seconds);
    let mut errors: Vec<f64> = estimated
        .iter()
        .filter_map(|outcome| Some((outcome.estimate.as_ref()?.seconds - outcome.seconds).abs() / outcome.seconds))
        .collect();
    errors.sort_by(f64::total_cmp);
    let others = if estimated.len() < outcomes.len() { ", the others replayed as a whole" } else { "" };
    format!(
        "Of {} runs, {} are extrapolated{others}. The interval contains the time of the whole run in {inside} of {}. The estimate is \
         off by {:.3} % (median; at most {error:.2} %), and whole runs have {saved:.1} times as many actions as are replayed \
         (geometric mean).",
        outcomes.len(),
        estimated.len(),
        estimated.len(),
        100.0 * errors[errors.len() / 2],
    )
}

#[test]
fn estimates_hold_what_their_intervals_promise() {
    let some = |cases: &[Case]| -> Vec<Outcome> {
        let small = cases.iter().filter(|case| case.1 <= 16 && !case.4.contains("class=A"));
        small.map(|&case| Outcome::of(case)).collect()
    };
    let page = Page::open("long-runs");
    for outcome in some(&CHOSEN).iter().chain(&some(&LATER)).chain(&some(&LAST)) {
        let line = outcome.line();
        assert_eq!(page.line(&line), Some(&*line), "the page is stale (see tests/published/pages.rs)");
        assert!(outcome.is_inside(), "{line}");
    }
}

fn put(name: &str, cases: &[Case]) {
    let page = Page::open("long-runs");
    let outcomes: Vec<Outcome> = cases.iter().map(|&case| Outcome::of(case)).collect();
    page.put(&format!("runs of {name}"), &table(&outcomes));
    page.put(&format!("summary of {name}"), &summary(&outcomes));
}

#[test]
#[ignore = "takes a minute of one core: whole runs of all cases"]
fn estimates_of_chosen_cases_are_those_of_the_page() {
    put("chosen", &CHOSEN);
}

#[test]
fn estimates_of_later_cases_are_those_of_the_page() {
    put("later", &LATER);
}

#[test]
fn estimates_of_last_cases_are_those_of_the_page() {
    put("last", &LAST);
}

#[test]
fn estimates_of_noisy_cases_are_those_of_the_page() {
    put("noisy", &NOISY);
}
