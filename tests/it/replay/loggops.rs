//! The LogGOPS model against LogGOPSim, to the nanosecond.
//!
//! The numbers are those of LogGOPSim (github.com/spcl/LogGOPSim) for the schedules that the functions below write.

use crate::support::cli::{Folder, number};
use mopsim::engine::{Counter, ReplayError, replay};
use mopsim::ids::HostId;
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::rank_map::RankMap;
use mopsim::network::model::{LogGops, NetworkModel};
use mopsim::trace::{Options, Trace, read_from};
use std::fmt::Write;

use crate::support::star::{model, star};

/// A schedule under construction.
pub(crate) struct Goal {
    ranks: Vec<String>,
    labels: Vec<u32>,
}

impl Goal {
    fn new(ranks: u32) -> Self {
        Self { ranks: vec![String::new(); ranks as usize], labels: vec![0; ranks as usize] }
    }

    /// Appends an operation that waits for others; returns its label.
    fn operation(&mut self, rank: u32, text: &str, after: &[u32], cpu: u32) -> u32 {
        let (lines, label) = (&mut self.ranks[rank as usize], &mut self.labels[rank as usize]);
        *label += 1;
        let cpu = if cpu > 0 { format!(" cpu {cpu}") } else { String::new() };
        writeln!(lines, "l{label}: {text}{cpu}").expect("a string");
        after.iter().for_each(|other| writeln!(lines, "l{label} requires l{other}").expect("a string"));
        *label
    }

    fn send(&mut self, rank: u32, to: u32, bytes: u64, tag: u32, after: &[u32], cpu: u32) -> u32 {
        self.operation(rank, &format!("send {bytes}b to {to} tag {tag}"), after, cpu)
    }

    fn receive(&mut self, rank: u32, from: u32, bytes: u64, tag: u32, after: &[u32], cpu: u32) -> u32 {
        self.operation(rank, &format!("recv {bytes}b from {from} tag {tag}"), after, cpu)
    }

    fn calculate(&mut self, rank: u32, nanoseconds: u64, after: &[u32]) -> u32 {
        self.operation(rank, &format!("calc {nanoseconds}"), after, 0)
    }

    fn text(&self) -> String {
        let mut text = format!("num_ranks {}\n", self.ranks.len());
        for (rank, lines) in self.ranks.iter().enumerate() {
            write!(text, "\nrank {rank} {{\n{lines}}}\n").expect("a string");
        }
        text
    }
}

fn binomial(n: u32, bytes: u64) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        let (mut have, mut mask) = (Vec::new(), 1);
        while mask < n {
            if r & mask != 0 {
                have.push(goal.receive(r, r - mask, bytes, 1, &[], 0));
                break;
            }
            mask *= 2;
        }
        mask /= 2;
        while mask > 0 {
            if r + mask < n {
                goal.send(r, r + mask, bytes, 1, &have, 0);
            }
            mask /= 2;
        }
    }
    goal
}

fn dissemination(n: u32, bytes: u64) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        let (mut distance, mut have) = (1, Vec::new());
        while distance < n {
            let sent = goal.send(r, (r + distance) % n, bytes, distance, &have, 0);
            let received = goal.receive(r, (r + n - distance) % n, bytes, distance, &have, 0);
            have = vec![sent, received];
            distance *= 2;
        }
    }
    goal
}

/// A message travels around the ring in both directions.
fn double_ring(n: u32, bytes: u64) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        let (next, previous) = ((r + 1) % n, (r + n - 1) % n);
        for (tag, (to, from)) in (0..).zip([(next, previous), (previous, next)]) {
            if r == 0 {
                goal.send(r, to, bytes, tag, &[], 0);
                goal.receive(r, from, bytes, tag, &[], 0);
            } else {
                let received = goal.receive(r, from, bytes, tag, &[], 0);
                goal.send(r, to, bytes, tag, &[received], 0);
            }
        }
    }
    goal
}

fn all_to_all(n: u32, bytes: u64) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        for d in 1..n {
            goal.send(r, (r + d) % n, bytes, 1, &[], 0);
            goal.receive(r, (r + n - d) % n, bytes, 1, &[], 0);
        }
    }
    goal
}

fn gather(n: u32, bytes: u64) -> Goal {
    let mut goal = Goal::new(n);
    for r in 1..n {
        goal.receive(0, r, bytes, 1, &[], 0);
        goal.send(r, 0, bytes, 1, &[], 0);
    }
    goal
}

/// An allreduce as a ring: reduce-scatter, then allgather, a chunk for each step.
fn ring(n: u32, bytes: u64) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        let mut have = Vec::new();
        for step in 0..2 * (n - 1) {
            goal.send(r, (r + 1) % n, bytes, step, &have, 0);
            let received = goal.receive(r, (r + n - 1) % n, bytes, step, &[], 0);
            have = vec![if step < n - 1 { goal.calculate(r, bytes / 10, &[received]) } else { received }];
        }
    }
    goal
}

/// An allreduce as a tree: reduction to rank 0 and broadcast, chunk by chunk.
fn tree(n: u32, bytes: u64, chunks: u32) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        let children: Vec<u32> = [2 * r + 1, 2 * r + 2].into_iter().filter(|&child| child < n).collect();
        for chunk in 0..chunks {
            let (up, down) = (2 * chunk, 2 * chunk + 1);
            let mut have: Vec<u32> = children.iter().map(|&child| goal.receive(r, child, bytes, up, &[], 0)).collect();
            if !have.is_empty() {
                have = vec![goal.calculate(r, bytes / 10, &have)];
            }
            if r > 0 {
                let parent = (r - 1) / 2;
                goal.send(r, parent, bytes, up, &have, 0);
                have = vec![goal.receive(r, parent, bytes, down, &[], 0)];
            }
            children.iter().for_each(|&child| {
                goal.send(r, child, bytes, down, &have, 0);
            });
        }
    }
    goal
}

/// A broadcast along chains, chunk by chunk: each channel on a stream of its own, every other one from the last rank.
fn pipeline(n: u32, bytes: u64, chunks: u32, channels: u32) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        for channel in 0..channels {
            let forward = channel % 2 == 0;
            let at = if forward { r } else { n - 1 - r };
            let (next, previous) = if forward { (r + 1, r.wrapping_sub(1)) } else { (r.wrapping_sub(1), r + 1) };
            let mut sent = None;
            for chunk in 0..chunks {
                let tag = chunk * channels + channel;
                let mut have: Vec<u32> = sent.into_iter().collect();
                have.extend((at > 0).then(|| goal.receive(r, previous, bytes, tag, &[], channel)));
                if at < n - 1 {
                    sent = Some(goal.send(r, next, bytes, tag, &have, channel));
                }
            }
        }
    }
    goal
}

/// L, o, g, G, O in nanoseconds, and S.
const MODELS: [(f64, f64, f64, f64, f64, u64); 3] = [
    (1000.0, 0.0, 0.0, 1.0, 0.0, 1_000_000_000),
    (1000.0, 200.0, 500.0, 1.0, 0.0, 1_000_000_000),
    (1000.0, 200.0, 50.0, 1.0, 2.0, 1000),
];

type Pattern = fn(u32) -> Goal;

/// Nanoseconds by LogGOPSim on 4, 15 and 64 ranks, with each of the models.
#[rustfmt::skip]
const EXPECTED: [(&str, Pattern, [u64; 9]); 8] = [
    ("binomial", |n| binomial(n, 5000), [11998, 12798, 22796, 22996, 24696, 44392, 35994, 38394, 68388]),
    ("dissemination", |n| dissemination(n, 5000), [11998, 12798, 40792, 23996, 25596, 81584, 35994, 38394, 122376]),
    ("double ring", |n| double_ring(n, 5000), [28995, 31095, 65988, 103982, 106083, 200364, 388935, 415035, 749868]),
    ("all to all", |n| all_to_all(n, 5000), [17997, 19197, 61188, 83986, 89586, 285544, 377937, 403137, 1284948]),
    ("gather", |n| gather(n, 5000), [15997, 17397, 31794, 70986, 77886, 143972, 315937, 347337, 643674]),
    ("ring", |n| ring(n, 5000), [37494, 39894, 123876, 174972, 186172, 578088, 787374, 837774, 2601396]),
    ("tree", |n| tree(n, 5000, 4), [78985, 75187, 168768, 188964, 133277, 418120, 266950, 192267, 598786]),
    ("pipeline", |n| pipeline(n, 5000, 4, 2), [46991, 51291, 95382, 118979, 128079, 225809, 406931, 435231, 780113]),
];

fn graph(text: &str) -> Trace {
    let how = Options { keep_graphs: true, ..Options::default() };
    read_from(text.as_bytes(), "t", &how).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The seconds of a schedule under the model with these constants in nanoseconds.
fn seconds(trace: &Trace, (l, o, g, gb, ob, s): (f64, f64, f64, f64, f64, u64)) -> f64 {
    let [latency, o, g, gap_per_byte, overhead_per_byte] = [l, o, g, gb, ob].map(|nanoseconds| nanoseconds * 1e-9);
    let constants = LogGops { latency, o, g, gap_per_byte, overhead_per_byte, eager_up_to: s };
    let mut model = model(Table::Default);
    model.network = NetworkModel { loggops: Some(constants), ..NetworkModel::loggops() };
    // A core of a star makes 1 Gflop/s; a nanosecond of a schedule is 100 flops.
    let mut platform = star(trace.ranks() as u32);
    platform.hosts.iter_mut().for_each(|host| host.speed = 1e11);
    let rank_map = RankMap::new((0..trace.ranks()).map(HostId::new).collect());
    let outcome = replay(trace, &platform, &rank_map, &model, &mut ()).expect("ends");
    assert!(outcome.ranks.iter().all(|rank| rank.end <= outcome.simulated_seconds));
    outcome.simulated_seconds
}

#[test]
fn times_are_those_of_loggopsim() {
    let mut wrong = String::new();
    for (name, pattern, expected) in EXPECTED {
        for (n, expected) in [4, 15, 64].into_iter().zip(expected.chunks(3)) {
            let trace = graph(&pattern(n).text());
            for (model, &expected) in MODELS.into_iter().zip(expected) {
                let found = (seconds(&trace, model) * 1e9).round() as u64;
                if found != expected {
                    writeln!(wrong, "{name} on {n} ranks with {model:?}: {found} ns, LogGOPSim {expected}")
                        .expect("a string");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Messages that name network cards of their own do not wait for each other's; nanoseconds by LogGOPSim.
#[test]
fn cards_are_kept_apart() {
    let text = "num_ranks 2\nrank 0 {\na: send 10000b to 1 tag 1\nb: send 5000b to 1 tag 2 cpu 1 nic 1\n\
                c: send 2000b to 1 tag 3 cpu 1 nic 1\nd: send 100b to 1 tag 4 cpu 0 nic 2\n}\nrank 1 {\n\
                a: recv 10000b from 0 tag 1\nb: recv 5000b from 0 tag 2 cpu 1 nic 1\n\
                c: recv 2000b from 0 tag 3 cpu 1 nic 1\nd: recv 100b from 0 tag 4 cpu 0 nic 2\nd requires a\n}\n";
    let one_card = text.replace(" nic 1", "").replace(" nic 2", "");
    for (text, expected) in [(text, [11098, 11698, 21796]), (&one_card, [18096, 19996, 25745])] {
        let trace = graph(text);
        let found = MODELS.map(|model| (seconds(&trace, model) * 1e9).round() as u64);
        assert_eq!(found, expected, "{text}");
    }
    // Links of a host have no cards, and neither do lists: both are reported.
    let folder = Folder::new();
    folder.write("t.goal", text);
    folder.write("u.goal", one_card);
    for command in [&["replay", "--topology", "ring:2"][..], &["trace", "info"]] {
        let said = |file: &str| {
            let run = folder.run(&[command, &[file]].concat()).success();
            String::from_utf8_lossy(&run.get_output().stderr).into_owned()
        };
        assert!(said("t.goal").contains("messages of an additional network card of a rank"), "{}", said("t.goal"));
        assert!(!said("u.goal").contains("network card"));
    }
}

/// A message occupies the processor and the card that its send names, also at its receiver; nanoseconds by LogGOPSim.
#[test]
fn messages_use_the_processor_and_the_card_of_their_send() {
    let cpu = "num_ranks 2\nrank 0 {\nl1: send 1000b to 1 tag 1 cpu 0\n}\nrank 1 {\nl1: recv 1000b from 0 tag 1 cpu 1\n\
               l2: calc 20000 cpu 1\n}\n";
    let default = (2500.0, 1500.0, 1000.0, 6.0, 0.0, 65535);
    assert_eq!((seconds(&graph(cpu), default) * 1e9).round() as u64, 20_000);
    let nic = "num_ranks 2\nrank 0 {\nl1: send 1000b to 1 tag 1 nic 0\nl2: send 1000b to 1 tag 2 nic 1\n}\n\
               rank 1 {\nl1: recv 1000b from 0 tag 1 nic 1\nl2: recv 1000b from 0 tag 2 nic 1\n}\n";
    assert_eq!((seconds(&graph(nic), (0.0, 0.0, 50_000.0, 0.0, 0.0, 65535)) * 1e9).round() as u64, 0);
}

/// The constants may follow the name of the model, where they override those of a file's table.
#[test]
fn constants_follow_the_name_of_the_model() {
    let folder = Folder::new().pinned();
    folder.write("t.goal", "num_ranks 2\nrank 0 {\na: send 101b to 1\n}\nrank 1 {\na: recv 101b from 0\n}\n");
    let nanoseconds = |model: &str| {
        let json = folder.json(&["replay", "-q", "t.goal", "--topology", "ring:2", "--model", model]);
        let ends: Vec<f64> =
            json["rank_end_seconds"].as_array().expect("a list").iter().filter_map(|e| e.as_f64()).collect();
        let end = number(&json, "simulated_seconds");
        assert!(ends.len() == 2 && ends[1] == end && ends[0] < end, "{ends:?} {end}");
        (end * 1e9).round() as u64
    };
    assert_eq!(nanoseconds("loggops"), 1500 + 2500 + 1500 + 600);
    assert_eq!(nanoseconds("loggops:L=1us,o=0,G=0.5ns,g=0,O=0,S=8192"), 1000 + 50);
    assert_eq!(nanoseconds("LogGOPS:L=1us,o=0,G=0.5ns,g=0,O=0,S=8192"), 1000 + 50);
    folder.write("m.toml", "network_model = 'loggops:L=2us'\nloggops = { L = 1, o = 0, G = '1 ns' }\n");
    assert_eq!(nanoseconds("m.toml"), 2000 + 100);
    for (model, parts) in [
        ("loggops:l=1us", ["`l`", "L, o, g, G, O"]),
        ("loggops:L=1us,L=2us", ["L=2us", "a second time"]),
        ("loggops:L=quick", ["L=quick", "time"]),
        ("loggops:S=1.5", ["S=1.5", "whole number of bytes"]),
    ] {
        folder.refuse(&["replay", "t.goal", "--topology", "ring:2", "--model", model], 2, &parts);
    }
}

/// The start of the first send releases the third operation, and its end the second one: the third is sent first. The
/// nanoseconds are LogGOPSim's; in the order of the operations they would be 868,048.
#[test]
fn what_a_start_releases_goes_before_what_the_end_releases() {
    let text = "num_ranks 3\nrank 0 {\na: send 10b to 1 tag 1\nb: send 60000b to 1 tag 2\nc: send 10b to 2 tag 3\n\
                b requires a\nc irequires a\n}\nrank 1 {\na: recv 10b from 0 tag 1\nb: recv 60000b from 0 tag 2\n}\n\
                rank 2 {\na: recv 10b from 0 tag 3\nb: calc 500000\nb requires a\n}\n";
    let folder = Folder::new();
    folder.write("t.goal", text);
    let json = folder.json(&["replay", "-q", "t.goal", "--topology", "full_mesh:3", "--model", "loggops"]);
    assert_eq!((number(&json, "simulated_seconds") * 1e9).round() as u64, 507_054);
}

#[test]
fn lists_become_graphs_and_constants_are_keys_of_the_model() {
    // o + L + 99 G at the receiver, after 1000 ns of computation: 100,000 flops on a core of 100 Gflop/s.
    let folder = Folder::with_trace(
        "0 init\n1 init\n0 compute 100000\n0 send 1 0 100 6\n1 recv 0 0 100 6\n0 finalize\n1 finalize\n",
    )
    .pinned();
    folder.write(
        "m.toml",
        "network_model = 'loggops'\nloggops = { L = '1 us', o = 1e-8, g = 0, G = '1 ns', O = 0, S = 65536 }\n",
    );
    let run = ["replay", "-q", "t.ti", "--topology", "ring:2", "--model", "m.toml"];
    let report = folder.json(&run);
    let expected = 1000.0 + 10.0 + 1000.0 + 10.0 + 99.0;
    assert!((number(&report, "simulated_seconds") * 1e9 - expected).abs() < 1e-6, "{report}");
    assert!(report["model"]["parameters"]["loggops"].as_str().is_some_and(|text| text.contains("L=1e-6")));
    // Collectives are those of the table.
    folder.write("t.ti", "0 init\n1 init\n0 barrier\n1 barrier\n0 finalize\n1 finalize\n");
    assert!(number(&folder.json(&run), "simulated_seconds") > 1e-6);
    folder.write("t.ti", "0 init\n1 init\n0 put 1 100 6\n");
    folder.refuse(&run, 2, &["workload `t` cannot be a graph for the model loggops", "put"]);
    // Unsupported reports are rejected instead of shown empty.
    for flag in [&["--explain"][..], &["--timeline", "x.json"]] {
        let part = "the model loggops has no links and reports nothing of what happens on the way";
        folder.refuse(&[&run[..], flag].concat(), 2, &[flag[0], part, "--model ideal"]);
    }
    assert!(!folder.path("x.json").exists());
    folder.refuse(&[&run[..], &["--job", "t.ti"]].concat(), 2, &["no links that several jobs could share"]);
    folder.write("t.ti", "0 init\n1 init\n0 barrier\n1 barrier\n0 finalize\n1 finalize\n");
    folder.write(
        "s.toml",
        "title = 'T'\n[model]\nnetwork_model = 'loggops'\n[[networks]]\ntopology = 'ring:2'\n[[networks]]\ntopology = \
         'star:2'\n[[workloads]]\ntrace = 't.ti'\n",
    );
    folder.output(&["compare", "-q", "s.toml", "--html", "r.html"]);
    let page = folder.read("r.html");
    assert!(page.contains("loggops") && !page.contains("id=\"timeline\""), "a timeline without events");
    let cell = ["--html", "r.html", "--force", "--timeline-cell", "t@ring:n=2"];
    folder.refuse(&[&["compare", "-q", "s.toml"], &cell[..]].concat(), 2, &["reports nothing of what happens"]);
    folder.write("m.toml", "network_model = 'ideal'\nloggops = { L = 1e-6 }\n");
    folder.refuse(&run, 2, &["loggops: `ideal` is not `loggops`"]);
    folder.write("m.toml", "loggops = { l = 1e-6 }\n");
    folder.refuse(&run, 2, &["m.toml:1", "unknown key `l`; did you mean `L`?"]);
}

#[test]
fn what_waits_for_nothing_that_comes_is_a_deadlock() {
    let trace = graph("num_ranks 2\nrank 0 {\na: recv 5b from 1 tag 3\n}\nrank 1 {\na: calc 5\n}\n");
    let mut model = model(Table::Default);
    model.network = NetworkModel::loggops();
    let rank_map = RankMap::one_each(2);
    match replay(&trace, &star(2), &rank_map, &model, &mut ()) {
        Err(ReplayError::Deadlock { blocked, .. }) => {
            assert_eq!((blocked.len(), blocked[0].place.rank, blocked[0].missing.len()), (1, 0, 1));
        }
        other => panic!("{other:?}"),
    }
    let list = read_from("0 compute 5\n".as_bytes(), "t", &Options::default()).expect("a trace");
    assert_eq!(replay(&list, &star(1), &RankMap::one_each(1), &model, &mut ()), Err(ReplayError::NeedsGraph));
}

#[test]
fn circles_are_named_with_their_line() {
    let folder = Folder::new();
    folder.write(
        "t.goal",
        "num_ranks 2\nrank 0 {\na: calc 5\nb: calc 6\nc: calc 7\nd: calc 8\nc requires b\nb requires c\nd requires c\n\
         b requires a\n}\nrank 1 {\na: calc 5\n}\n",
    );
    for verb in [&["replay", "-q", "t.goal", "--topology", "ring:2"][..], &["trace", "info", "t.goal"]] {
        folder.refuse(
            verb,
            2,
            &["t.goal:4", "an operation of rank 0 can never begin: what it requires waits for itself"],
        );
    }
    // Operations in front of the cycle that wait for it are not in it, nor are those that begin.
    let texts = [
        "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 6\nc: calc 7\nd: calc 8\na requires d\nb irequires c\nc requires d\nd requires b\n}\n",
        "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 6\nb requires b\na requires b\n}\n",
    ];
    for text in texts {
        folder.write("u.goal", text);
        for verb in ["info", "check"] {
            folder.refuse(&["trace", verb, "u.goal"], 2, &["u.goal:4:", "waits for itself", "help: leave out one"]);
        }
        for model in ["ideal", "loggops"] {
            let run = ["replay", "-q", "u.goal", "--topology", "ring:2", "--model", model];
            folder.refuse(&run, 2, &["u.goal:4:", "waits for itself", "help: leave out one"]);
        }
    }
}

/// The counter of started actions also advances with the operations of a graph.
#[test]
fn replays_of_graphs_tell_how_far_they_are() {
    let mut text = "num_ranks 1\nrank 0 {\nl1: calc 1\n".to_owned();
    for label in 2..=5000 {
        writeln!(text, "l{label}: calc 1\nl{label} requires l{}", label - 1).expect("a string");
    }
    let trace = graph(&(text + "}\n"));
    for network in [NetworkModel::ideal(), NetworkModel::loggops()] {
        let mut model = model(Table::Default);
        model.network = network;
        let mut counter = Counter::default();
        let outcome = replay(&trace, &star(1), &RankMap::one_each(1), &model, &mut counter).expect("ends");
        let (begun, all) = (counter.begun(), outcome.actions);
        // It was updated after 4097 instants or later.
        assert!(all == 5000 && begun > 4000 && begun <= all, "{}: {begun} of {all}", model.network.name);
    }
}

#[test]
fn a_replay_stops_with_its_counter_and_with_those_that_share_its_flag() {
    let trace = graph("num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n");
    for network in [NetworkModel::ideal(), NetworkModel::loggops()] {
        let mut model = model(Table::Default);
        model.network = network;
        let run = |mut counter: Counter| replay(&trace, &star(2), &RankMap::one_each(2), &model, &mut counter);
        let counter = Counter::default();
        run(counter.sibling()).expect("it ends by itself");
        counter.sibling().stop();
        assert_eq!(run(counter.clone()).expect_err("it stops"), ReplayError::Stopped);
        assert_eq!(run(counter.sibling()).expect_err("it stops"), ReplayError::Stopped);
        run(Counter::default()).expect("others go on");
    }
}

/// Rings on streams of their own, alternately in both directions.
fn rings(n: u32, bytes: u64, channels: u32) -> Goal {
    let mut goal = Goal::new(n);
    for r in 0..n {
        for channel in 0..channels {
            let (next, previous) = ((r + 1) % n, (r + n - 1) % n);
            let (to, from) = if channel % 2 == 0 { (next, previous) } else { (previous, next) };
            let mut have = Vec::new();
            for step in 0..2 * (n - 1) {
                let tag = step * channels + channel;
                goal.send(r, to, bytes, tag, &have, channel);
                let received = goal.receive(r, from, bytes, tag, &[], channel);
                have = vec![match step < n - 1 {
                    true => goal.operation(r, &format!("calc {}", bytes / 10), &[received], channel),
                    false => received,
                }];
            }
        }
    }
    goal
}

/// The schedules of docs/schedules are the output of the functions above, and take the time that LogGOPSim computes,
/// with L = 1 us and G = 1 ns. Over links that do not interfere, two rings take the time of one, and chunks follow each
/// other.
#[test]
fn the_schedules_of_gpu_collectives_replay() {
    let written = [
        ("rings", rings(4, 250_000, 2), 3_000_988, Some(6.0 * 251e3 + 3.0 * 25e3)),
        ("tree", tree(7, 250_000, 4), 6_603_974, None),
        ("pipeline", pipeline(4, 250_000, 4, 2), 2_251_991, Some(6.0 * 251e3)),
    ];
    let folder = Folder::new().pinned();
    for (name, goal, expected, on_links) in written {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/schedules/{name}.goal"));
        let shipped = std::fs::read_to_string(&file).expect("a schedule");
        let lines: Vec<&str> = shipped.lines().filter(|line| !line.starts_with("//")).collect();
        assert_eq!(lines.join("\n") + "\n", goal.text(), "{name}");
        let found = (seconds(&graph(&shipped), MODELS[0]) * 1e9).round() as u64;
        assert_eq!(found, expected, "{name}");
        let file = file.display().to_string();
        let flags =
            ["--link-bandwidth", "1 GB/s", "--link-latency", "1us", "--topology", "full-mesh:n=8", "--model", "ideal"];
        let found = number(&folder.json(&[&["replay", "-q", &file], &flags[..]].concat()), "simulated_seconds") * 1e9;
        assert!(found < expected as f64, "{name}: a link for each pair is faster than one card: {found}");
        if let Some(on_links) = on_links {
            assert!((found - on_links).abs() < 1e-6 * on_links, "{name}: {found} {on_links}");
        }
    }
}
