//! Replays that end early: exactly the shorter run, and an interval that holds the whole one.

use mopsim::engine::{Model, Outcome, Stop, replay, replay_until};
use mopsim::mpi::mapping::Mapping;
use mopsim::network::noise::Noise;
use mopsim::study::choice::ModelChoice;
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use mopsim::study::steady::{Extrapolation, Judge, KnownIterations, Steady};
use mopsim::study::workload::Workload;
use mopsim::trace::transform::iterations;
use mopsim::trace::{Options, Trace, read_from, ti};
use mopsim::workload::Limits;
use std::path::Path;

fn generated(program: &str, ranks: u32, parameters: &[(&str, &str)]) -> Trace {
    let parameters: Vec<(String, String)> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let workload = Workload::generate(program, ranks, &parameters, &Limits::default()).expect("a workload");
    Trace::clone(&workload.trace)
}

fn network(topology: &str) -> NetworkUnderTest {
    let choice = NetworkChoice { topology: Some(topology.to_owned()), ..NetworkChoice::default() };
    choice.build(Path::new("")).expect("a network")
}

fn model(name: &str, sharing: &str) -> Model {
    let choice = ModelChoice {
        network_model: Some(name.to_owned()),
        sharing: Some(sharing.to_owned()),
        ..ModelChoice::default()
    };
    choice.build().expect("a model").0
}

/// Replays, whole or until that number of iterations have ended.
fn run(trace: &Trace, network: &NetworkUnderTest, model: &Model, until: Option<usize>) -> Outcome {
    let rank_map = Mapping::default().rank_map_on_cores(trace.ranks(), &vec![1; network.platform.hosts.len()]).unwrap();
    let found = iterations(trace).expect("iterations");
    let Some(until) = until else {
        return replay(trace, &network.platform, &rank_map, model, &mut ()).expect("a replay");
    };
    let enough = |ends: &[f64], _: usize| ends.len() > until;
    let stop = Stop { iterations: &found, enough: &enough };
    replay_until(trace, &network.platform, &rank_map, model, stop, &mut ()).expect("a replay")
}

/// Replays until the time per iteration is known.
fn steady(trace: &Trace, network: &NetworkUnderTest, model: &Model) -> Steady {
    let rank_map = Mapping::default().rank_map_on_cores(trace.ranks(), &vec![1; network.platform.hosts.len()]).unwrap();
    let known = KnownIterations::of(trace).expect("iterations");
    let judge = Judge::new(&known, trace, &network.platform, &rank_map, 0.01);
    let replayed = judge.decide(|stop| replay_until(trace, &network.platform, &rank_map, model, stop, &mut ()));
    replayed.expect("a replay").1
}

fn extrapolated(trace: &Trace, network: &NetworkUnderTest, model: &Model) -> Extrapolation {
    match steady(trace, network, model) {
        Steady::Extrapolated(found) => found,
        Steady::Whole(why) => panic!("{}: {why}", trace.name),
    }
}

/// A workload program, its number of ranks, and its options.
type Program = (&'static str, u32, &'static [(&'static str, &'static str)]);

/// Programs with prologue and epilogue, wavefronts, halos, loops in loops, and ranks that run ahead of others.
const PROGRAMS: [Program; 5] = [
    ("npb/bt", 16, &[("class", "S")]),
    ("npb/lu", 16, &[("class", "S")]),
    ("himeno", 12, &[("class", "XS")]),
    ("sweep", 12, &[]),
    ("stencil", 16, &[("points", "9"), ("norm_every", "5")]),
];

#[test]
fn iterations_that_are_left_out_leave_the_shorter_program() {
    let network = network("random:n=16,d=4,seed=3");
    for (program, ranks, parameters) in PROGRAMS {
        let of = |iterations: usize| {
            generated(program, ranks, &[parameters, &[("iterations", &iterations.to_string())]].concat())
        };
        let (steps, norm) = (60, if program == "stencil" { 5 } else { 1 });
        let long = of(steps);
        for (name, sharing) in [("ordered", "exact"), ("smpi", "exact"), ("smpi", "simgrid-full")] {
            let model = model(name, sharing);
            let mut cut = run(&long, &network, &model, Some(4));
            let passed = cut.passed.take().expect("it has iterations");
            assert!(passed.skipped > 0 && passed.decided == 5, "{program}: {passed:?}");
            let short = of(steps - passed.skipped * norm);
            assert_eq!(long.total_actions() - passed.skipped_actions, short.total_actions(), "{program}");
            let whole = run(&short, &network, &model, None);
            assert_eq!(Outcome { actions: whole.actions, ..cut }, whole, "{program}, {name}, {sharing}");
        }
    }
}

#[test]
fn a_replay_that_may_end_and_does_not_is_the_whole_one() {
    let network = network("torus:4x4");
    for (program, ranks, parameters) in PROGRAMS {
        let trace = generated(program, ranks, &[parameters, &[("iterations", "20")]].concat());
        // The same with its actions in a file.
        let mut packed = Vec::new();
        ti::write(&trace, &mut packed).expect("written");
        let filed = read_from(&packed[..], "t", &Options { actions_in_memory: 0, ..Options::default() }).expect("read");
        assert!(filed.actions.iter().any(|actions| actions.set_aside() > 0));
        let model = model("ordered", "exact");
        let whole = run(&trace, &network, &model, None);
        for trace in [&trace, &filed] {
            let outcome = run(trace, &network, &model, Some(1000));
            let passed = outcome.passed.clone().expect("it has iterations");
            assert_eq!((passed.skipped, passed.skipped_actions), (0, 0));
            assert!(passed.ends.is_sorted() && passed.ends.len() == passed.decided);
            assert_eq!(Outcome { passed: None, ..outcome }, whole, "{program}");
        }
        let (early, late) = (run(&trace, &network, &model, Some(4)), run(&filed, &network, &model, Some(4)));
        assert_eq!(early, late, "{program}: from a file");
    }
}

/// Ranks compute what the list says in each iteration, and agree after it.
fn computing(amounts: &dyn Fn(usize, usize) -> f64, iterations: usize) -> Trace {
    let mut text = String::new();
    for rank in 0..4 {
        text += &format!("{rank} init\n{rank} bcast 100 0 6\n");
        for iteration in 0..iterations {
            let other = rank ^ 1;
            text += &format!("{rank} compute {}\n{rank} irecv {other} 1 50000 6\n", amounts(rank, iteration));
            text += &format!("{rank} isend {other} 1 50000 6\n{rank} waitall\n{rank} allreduce 4 10 6\n");
        }
        text += &format!("{rank} finalize\n");
    }
    read_from(text.as_bytes(), "t", &Options::default()).expect("a trace")
}

/// Numbers from -1 to 1 that look random.
fn scattered(rank: usize, iteration: usize) -> f64 {
    let x = ((rank * 977 + iteration) as f64 * 12.9898).sin() * 43_758.545_3;
    2.0 * (x - x.floor()) - 1.0
}

#[test]
fn computation_that_drifts_is_not_steady() {
    let (network, model) = (network("ring:4"), model("ordered", "exact"));
    /// Seconds that a rank computes in an iteration.
    type Drift<'a> = &'a dyn Fn(usize, usize) -> f64;
    let drifts: [(&str, Drift<'_>); 4] = [
        ("one rank slows down", &|rank, i| 1e7 * (1.0 + if rank == 2 { 0.002 * i as f64 } else { 0.0 })),
        ("steps up late, where no prefix shows it", &|_, i| if i < 150 { 1e7 } else { 1.5e7 }),
        ("hidden by noise at first", &|rank, i| 1e7 * (1.0 + 0.05 * scattered(rank, i) + 0.001 * i as f64)),
        ("speeds up", &|_, i| 1e7 * (1.0 - 0.002 * i as f64)),
    ];
    for (name, amounts) in drifts {
        let Steady::Whole(why) = steady(&computing(amounts, 200), &network, &model) else {
            panic!("{name}: declared steady");
        };
        assert!(why.contains("not known within 1 %"), "{why}");
    }
}

#[test]
fn noise_of_computation_and_messages_is_in_the_interval() {
    let network = network("random:n=16,d=4,seed=3");
    let mut inside = 0;
    for seed in 0..10 {
        let noise = Noise { amplitude: 0.2, seed };
        let model = Model { noise: Some(noise), ..model("ordered", "exact") };
        let trace = match seed % 2 {
            0 => computing(&|rank, i| 1e7 * (1.0 + 0.02 * scattered(rank + 7 * seed as usize, i)), 200),
            _ => generated("npb/bt", 16, &[("class", "W"), ("iterations", "200")]),
        };
        let found = extrapolated(&trace, &network, &model);
        assert!(found.half_width > 0.0 && found.replayed_iterations < 100, "{found:?}");
        let whole = run(&trace, &network, &model, None).simulated_seconds;
        inside += usize::from((found.simulated_seconds - whole).abs() <= found.half_width);
    }
    assert!(inside >= 9, "{inside} of 10");
}

#[test]
fn runs_that_cannot_end_early_say_why() {
    let reason = |trace: &Trace| KnownIterations::of(trace).expect_err("it cannot");
    assert_eq!(reason(&generated("npb/mg", 16, &[("class", "S")])), "it has only 4 iterations");
    assert_eq!(reason(&generated("npb/cg", 16, &[("class", "S")])), "it has only 15 iterations");
    let one = read_from(b"0 init\n0 compute 1\n0 finalize\n".as_slice(), "t", &Options::default()).unwrap();
    assert_eq!(reason(&one), "no iterations are found in it");
    // Rank 0 sends two messages in each iteration, and rank 1 receives one: the others wait for the last iterations.
    let mut uneven = String::new();
    for _ in 0..40 {
        uneven += "0 send 1 0 10 6\n0 send 1 0 10 6\n1 recv 0 0 10 6\n1 compute 5\n";
    }
    uneven += &"1 recv 0 0 10 6\n1 barrier\n".repeat(20);
    let uneven = read_from(uneven.as_bytes(), "t", &Options::default()).unwrap();
    assert!(
        ["messages of its iterations do not match each other", "no iterations are found in it"]
            .contains(&reason(&uneven).as_str())
    );
}
