//! Replays that end early: exactly the shorter run, and an interval that holds the whole one.

use mopsim::engine::{EndedIterations, Model, Outcome, Stop, replay, replay_until};
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
    let enough = |ended: &EndedIterations<'_>, _: usize| ended.last.len() > until;
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

/// Reads a trace from the lines of each rank, all of which use double precision.
fn from_lines(ranks: usize, lines: &dyn Fn(usize) -> String) -> Trace {
    let text: String = (0..ranks).map(lines).collect();
    read_from(text.as_bytes(), "t", &Options::default()).expect("a trace")
}

/// Two ranks, the first of which computes and sends to the other in each of 400 iterations; the other one computes
/// `late` flops before them.
fn stream(late: f64) -> Trace {
    from_lines(2, &|rank| match rank {
        0 => "0 compute 1e6\n0 send 1 0 100 6\n".repeat(400),
        _ => format!("1 compute {late}\n{}", "1 recv 0 0 100 6\n1 compute 2e5\n".repeat(400)),
    })
}

/// Two pairs of ranks that exchange messages in each of 400 iterations; the first pair computes `first` flops in each and
/// `after` flops after them.
fn pairs(first: f64, after: f64) -> Trace {
    from_lines(4, &|rank| {
        let (other, flops, after) = (rank ^ 1, if rank < 2 { first } else { 1e6 }, if rank < 2 { after } else { 0.0 });
        let one = format!("{rank} irecv {other} 0 100 6\n{rank} send {other} 0 100 6\n{rank} waitall\n");
        format!("{}{rank} compute {after}\n", format!("{one}{rank} compute {flops}\n").repeat(400))
    })
}

#[test]
fn ranks_that_advance_at_different_rates_are_replayed_to_the_end() {
    let (network, model) = (network("full_mesh:4"), model("ordered", "exact"));
    let (rates, computation) = ("not all ranks advance at the same rate", "the computation of its ranks predicts");
    let different = [
        // Rank 1 catches up with messages that have arrived, and then waits for rank 0. What it computes first is a part of
        // its first iteration.
        ("late", stream(2e8), computation),
        // The last ranks of the iterations are not the last ones of the run.
        ("overtakes", pairs(2e5, 3e8), rates),
        ("ahead", pairs(2e5, 0.0), rates),
    ];
    for (name, trace, reason) in different {
        let Steady::Whole(why) = steady(&trace, &network, &model) else { panic!("{name}: declared steady") };
        assert!(why.contains(&format!("not known within 1 % before its end, because {reason}")), "{name}: {why}");
    }
    // One rate, although rank 0 waits for no other rank, or neither pair for the other one.
    for (name, trace) in [("stream", stream(0.0)), ("pairs", pairs(1e6, 3e8))] {
        let found = extrapolated(&trace, &network, &model);
        let whole = run(&trace, &network, &model, None).simulated_seconds;
        assert!((found.simulated_seconds - whole).abs() <= found.half_width, "{name}: {whole}, {found:?}");
        assert!(found.replayed_iterations < 20, "{name}: {found:?}");
    }
}

/// Ranks of a ring that exchange messages with both neighbours before they compute what a function says.
fn ring(ranks: usize, iterations: usize, flops: &dyn Fn(usize, usize) -> f64) -> Trace {
    from_lines(ranks, &|rank| {
        let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let of = |iteration: usize| {
            format!(
                "{rank} irecv {before} 0 4000 0\n{rank} irecv {next} 1 4000 0\n{rank} isend {next} 0 4000 0\n\
                 {rank} isend {before} 1 4000 0\n{rank} waitall\n{rank} compute {}\n",
                flops(rank, iteration)
            )
        };
        (0..iterations).map(of).chain([format!("{rank} allreduce 1 0 0\n")]).collect()
    })
}

#[test]
fn an_imbalance_that_moves_between_ranks_is_not_steady() {
    let (network, model) = (network("torus:4x4"), model("ordered", "exact"));
    let jumps = |iteration: usize| (iteration * 8 + iteration / 2) % 16;
    for [light, heavy] in [[1e5, 1e7], [1e6, 2e6]] {
        let of = |rank: usize, at: usize| if rank == at { heavy } else { light };
        // The longest computation of each iteration is the same throughout, and so is that of each rank in the second case.
        for (name, trace) in [
            ("stays, then jumps", ring(16, 300, &|rank, i| of(rank, if i < 150 { 0 } else { jumps(i) }))),
            ("jumps, then stays", ring(16, 300, &|rank, i| of(rank, if i < 150 { jumps(i) } else { 0 }))),
            ("goes round, then jumps", ring(16, 300, &|rank, i| of(rank, if i < 150 { i % 16 } else { jumps(i) }))),
        ] {
            match steady(&trace, &network, &model) {
                // The time varies as well where a rank that computes longer jumps at first.
                Steady::Whole(why) if name == "jumps, then stays" => assert!(why.contains("not known within"), "{why}"),
                Steady::Whole(why) => assert!(why.contains("because the computation of its ranks"), "{name}: {why}"),
                Steady::Extrapolated(found) => panic!("{name}, {light}: declared steady, {found:?}"),
            }
        }
        // It moves in the same way throughout.
        let trace = ring(16, 300, &|rank, i| of(rank, jumps(i)));
        let found = extrapolated(&trace, &network, &model);
        let whole = run(&trace, &network, &model, None).simulated_seconds;
        assert!((found.simulated_seconds - whole).abs() <= found.half_width, "{light}: {whole}, {found:?}");
        assert!(found.replayed_iterations < 200, "{light}: {found:?}");
    }
}

#[test]
fn a_slow_rank_that_is_far_away_sets_the_rate_in_the_end() {
    // Rank 0 is late, so ranks opposite to it are ahead. It catches up at its own rate for as many iterations as they are ahead,
    // and then waits for the slowest one.
    let (network, model) = (network("ring:64"), model("ordered", "exact"));
    let trace = ring(64, 300, &|rank, i| match (rank, i) {
        (0, 0) => 1e8,
        (32, _) => 1e6,
        _ => 2e5,
    });
    let whole = run(&trace, &network, &model, None).simulated_seconds;
    if let Steady::Extrapolated(found) = steady(&trace, &network, &model) {
        assert!((found.simulated_seconds - whole).abs() <= found.half_width, "{whole}, {found:?}");
    }
}

#[test]
fn computation_with_a_period_is_steady_over_whole_periods() {
    let (network, model) = (network("ring:4"), model("ordered", "exact"));
    for period in [2, 3, 5] {
        let trace = computing(&|_, i| 1e7 * (1 + i % period) as f64, 200);
        let found = extrapolated(&trace, &network, &model);
        let whole = run(&trace, &network, &model, None).simulated_seconds;
        assert_eq!(found.batch % period, 0, "{found:?}");
        assert!((found.simulated_seconds - whole).abs() <= found.half_width, "{period}: {whole}, {found:?}");
        assert!(found.replayed_iterations < 100, "{period}: {found:?}");
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
