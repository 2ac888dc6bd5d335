//! Collectives written as GOAL: what is read back has to send the same messages as the replay of the original.

use crate::support::cli::Folder;
use mopsim::engine::{Model, Observer, replay};
use mopsim::mpi::collective::rounds::TraceRounds;
use mopsim::mpi::collective::{Selector, select::Table};
use mopsim::mpi::messages::Envelope;
use mopsim::mpi::rank_map::RankMap;
use mopsim::platform::uncontended;
use mopsim::trace::goal::Goal;
use mopsim::trace::inspect::{self, Severity};
use mopsim::trace::{
    self, Action, CollectiveCall, CollectiveKind as Kind, CommunicatorId, Counts, Datatype, Options, Trace,
};
use std::collections::BTreeMap;

/// Messages and bytes by source and destination.
type Matrix = BTreeMap<(u32, u32), (u64, u64)>;

#[derive(Default)]
struct Counter(Matrix);

impl Observer for Counter {
    fn message_started(&mut self, _: u32, _: u32, envelope: Envelope, bytes: u64, _: f64) {
        let sum = self.0.entry((envelope.source, envelope.destination)).or_default();
        *sum = (sum.0 + 1, sum.1 + bytes);
    }
}

/// Returns the messages of a replay, if it ends, and the number of its messages that are never received.
fn matrix(trace: &Trace, selector: Selector) -> (Matrix, usize) {
    let (platform, model) = (uncontended(trace.ranks()), Model::exact(selector));
    let mut counter = Counter::default();
    let outcome = replay(trace, &platform, &alone(trace), &model, &mut counter);
    let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", trace.name));
    (counter.0, outcome.unmatched_sends.len())
}

/// Each rank on a host of its own.
fn alone(trace: &Trace) -> RankMap {
    RankMap::one_each(trace.ranks())
}

/// Appends an action for each member of a communicator.
fn all(trace: &mut Trace, id: CommunicatorId, mut action: impl FnMut(&mut Trace, usize) -> Action) {
    let members: Vec<u32> = trace.members(id).ranks().collect();
    for (member, rank) in members.into_iter().enumerate() {
        let action = action(trace, member);
        trace.actions[rank as usize].push(action);
    }
}

fn keep(trace: &mut Trace, counts: Vec<u32>) -> Counts {
    let start = trace.counts.len() as u32;
    trace.counts.extend(&counts);
    Counts { start, len: counts.len() as u32 }
}

/// The arguments of a member; counts differ from member to member where they may.
fn call(trace: &mut Trace, kind: Kind, id: CommunicatorId, member: usize, count: u32) -> CollectiveCall {
    let members = trace.members(id).size();
    let root = if members > 1 { 1 } else { 0 };
    let sizes: Vec<u32> = (0..members as u32).map(|other| count + 3 * other).collect();
    let own = sizes[member];
    let plain = CollectiveCall::uniform(kind, root, count, Datatype::BYTE);
    let flops =
        if matches!(kind, Kind::Reduce | Kind::Allreduce | Kind::ReduceScatter | Kind::Scan) { 4000.0 } else { 0.0 };
    let of = |from: usize, to: usize| count + (from * 7 + to) as u32;
    let call = match kind {
        Kind::Barrier => CollectiveCall::empty(kind),
        Kind::Gatherv | Kind::Allgatherv => {
            CollectiveCall { send_count: own, recv_count: 0, recv_counts: keep(trace, sizes), ..plain }
        }
        Kind::Scatterv => CollectiveCall { send_count: 0, recv_count: own, send_counts: keep(trace, sizes), ..plain },
        Kind::ReduceScatter => {
            CollectiveCall { send_count: 0, recv_count: 0, recv_counts: keep(trace, sizes), ..plain }
        }
        Kind::Alltoallv => {
            let send_counts = keep(trace, (0..members).map(|to| of(member, to)).collect());
            let recv_counts = keep(trace, (0..members).map(|from| of(from, member)).collect());
            CollectiveCall { send_count: 0, recv_count: 0, send_counts, recv_counts, ..plain }
        }
        _ => plain,
    };
    CollectiveCall { communicator: id, flops, ..call }
}

fn index(trace: &mut Trace, call: CollectiveCall) -> u32 {
    trace.collectives.push(call);
    trace.collectives.len() as u32 - 1
}

/// All collectives on all communicators, small and large, those that block and those that do not, with messages across
/// them.
fn program(ranks: u32) -> Trace {
    let mut trace =
        Trace { name: format!("{ranks} ranks"), actions: vec![Default::default(); ranks as usize], ..Trace::default() };
    let odd: Vec<u32> = (0..ranks).filter(|rank| rank % 2 == 1).rev().collect();
    let first: Vec<u32> = (0..ranks - 1).collect();
    trace.communicators = vec![odd.into(), first.into(), [2].into()];
    let ids: Vec<CommunicatorId> = (0..4).map(CommunicatorId::from_number).collect();
    for &id in &ids {
        for (number, kind) in (0u32..).zip(Kind::ALL) {
            for count in [24, 90_000] {
                // This message is under way while the collective is.
                let (to, tag, datatype) = ((number + 1) % ranks, number as i32 % 4, Datatype::BYTE);
                if to != 0 {
                    trace.actions[to as usize].push(Action::Irecv { from: 0, tag, count: 77, datatype });
                }
                all(&mut trace, id, |trace, member| {
                    let call = call(trace, kind, id, member, count);
                    Action::Collective { index: index(trace, call) }
                });
                if to != 0 {
                    trace.actions[0].push(Action::Send { to, tag, count: 77, datatype });
                    trace.actions[to as usize].push(Action::Wait { source: 0, destination: to, tag });
                }
            }
            // Two that do not block, of which the second ends first.
            for request in [1, 2] {
                all(&mut trace, id, |trace, member| {
                    let call = call(trace, kind, id, member, 100 * request);
                    Action::Start { index: index(trace, call), request }
                });
            }
            all(&mut trace, CommunicatorId::WORLD, |_, _| Action::Compute { flops: 1e6 });
            all(&mut trace, id, |_, _| Action::WaitRequest { request: 2 });
            let alone = number % 2 == 0;
            all(&mut trace, id, |_, _| if alone { Action::WaitAll } else { Action::WaitRequest { request: 1 } });
        }
    }
    trace
}

#[test]
fn what_is_read_back_sends_what_the_original_sends() {
    for ranks in [5, 8] {
        let trace = program(ranks);
        for table in Table::ALL {
            let selector = Selector::new(table, false);
            let rounds = TraceRounds::new(&trace, &selector, &alone(&trace)).unwrap_or_else(|error| panic!("{error}"));
            let mut goal = Vec::new();
            trace::write(&trace, &Goal::with_rounds(&rounds), &mut goal).unwrap_or_else(|error| panic!("{error}"));
            let text = String::from_utf8_lossy(&goal).into_owned();
            let head = format!("num_ranks {ranks}\n// collectives as messages, by the table of {}\n", table.name());
            assert!(text.starts_with(&head));
            let again = trace::read_from(&*goal, "goal", &Options::default()).unwrap_or_else(|error| panic!("{error}"));
            assert!(again.collectives.is_empty());
            // Nothing is lost in the graph. Operations that do not block are concurrent, on cores of their own, so a list
            // chooses an order, and that is the only thing to warn of.
            let graph = Options { keep_graphs: true, ..Options::default() };
            let graph = trace::read_from(&*goal, "goal", &graph).unwrap_or_else(|error| panic!("{error}"));
            assert!(graph.warnings.is_empty(), "{:?}", graph.warnings);
            let told: Vec<String> = again.warnings.iter().map(ToString::to_string).collect();
            assert!(told.iter().any(|text| text.contains("in which they become ready")), "{told:?}");
            let known = ["in which they become ready", "operations on several cores of a rank"];
            assert!(told.iter().all(|text| known.iter().any(|what| text.contains(what))), "{told:?}");
            let wrong: Vec<_> = inspect::check(&again).into_iter().filter(|f| f.severity == Severity::Error).collect();
            assert!(wrong.is_empty(), "{ranks} ranks, {}: {wrong:?}", table.name());
            let (expected, found) = (matrix(&trace, selector.clone()), matrix(&again, selector));
            assert!(expected.0.values().map(|sum| sum.0).sum::<u64>() > 1000);
            assert_eq!(found, expected, "{ranks} ranks, {}", table.name());
            let flops = |trace: &Trace, rank: usize| {
                let of = |action: Action| match action {
                    Action::Compute { flops } => flops,
                    _ => action.collective().map_or(0.0, |index| trace.collectives[index as usize].flops),
                };
                trace.actions[rank].iter().map(of).sum::<f64>().round()
            };
            for rank in 0..ranks as usize {
                assert_eq!(flops(&again, rank), flops(&trace, rank), "{ranks} ranks, {}, rank {rank}", table.name());
            }
        }
    }
}

/// Messages of different collectives never have the same tag, nor one that the program uses. All members of a
/// collective have the same tags in it, so that two collectives with the same ones show only among those of one rank.
#[test]
fn tags_are_used_once() {
    let trace = program(5);
    let rounds =
        TraceRounds::new(&trace, &Selector::new(Table::Mvapich2, false), &alone(&trace)).expect("they fit together");
    let mut tags: Vec<(u32, u32)> = Vec::new();
    let apart = |ranges: &[(u32, u32)]| ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    for (rank, actions) in (0..).zip(&trace.actions) {
        let mut collectives = rounds.collectives(rank);
        let begins = actions.iter().filter(|action| action.collective().is_some());
        let range = begins.map(|action| collectives.tags(&action).expect("the rank has it"));
        let mut own: Vec<_> = range.map(|tags| (tags.start, tags.end)).collect();
        own.retain(|(first, end)| first < end);
        own.sort_unstable();
        assert!(apart(&own) && own.len() > 40, "rank {rank}: {own:?}");
        tags.extend(own);
    }
    tags.sort_unstable();
    tags.dedup();
    assert!(apart(&tags), "{tags:?}");
    assert!(tags[0].0 >= 4 && tags.len() > 100, "{tags:?}");
}

#[test]
fn collectives_that_do_not_fit_together_are_refused() {
    let folder = Folder::with_trace("0 init\n1 init\n0 barrier\n0 barrier\n1 barrier\n");
    folder.refuse(
        &["trace", "convert", "t.ti", "-o", "t.goal"],
        2,
        &["communicator 0", "rank 0 has 2", "rank 1 has 1"],
    );
    // A reduction of ten billion years.
    folder.write("t.ti", "0 allreduce 8 1e30 6\n1 allreduce 8 1e30 6\n");
    folder.refuse(&["trace", "convert", "t.ti", "-o", "t.goal"], 2, &["GOAL cannot express", "allreduce"]);
    folder.write("t.ti", "0 bcast 8 0 6\n1 barrier\n");
    folder.refuse(&["trace", "convert", "t.ti", "-o", "t.goal"], 2, &["collective number 1", "do not fit together"]);
    folder.write("t.ti", "0 put 1 5 6\n0 fence\n1 fence\n");
    folder.refuse(&["trace", "convert", "t.ti", "-o", "t.goal"], 2, &["GOAL cannot express `put"]);
    assert!(!folder.path("t.goal").exists());
}

#[test]
fn the_table_is_chosen_as_for_a_replay() {
    let lines = |rank: u32| {
        format!("{rank} init\n{rank} allreduce 100000 100 0\n{rank} alltoall 300 300 6 6\n{rank} finalize\n")
    };
    let folder = Folder::with_trace(&(0..7).map(lines).collect::<String>());
    let mut messages = Vec::new();
    for table in Table::ALL.map(Table::name) {
        let file = format!("{table}.goal.zst");
        folder.run(&["trace", "convert", "t.ti", "-o", &file, "--collectives", table]).success();
        // A schedule has no hosts, so ranks do not discover a node structure.
        let replay = ["-q", "replay", "--topology", "ring:7", "--smp-setup", "off", "--collectives", table];
        let result = |file: &str| folder.json(&[&replay[..], &[file]].concat());
        let (original, written) = (result("t.ti"), result(&file));
        assert_eq!(written["messages"], original["messages"], "{table}");
        assert_eq!(written["bytes"], original["bytes"], "{table}");
        messages.push(original["messages"].clone());
    }
    assert!(messages.iter().any(|number| *number != messages[0]), "{messages:?}");
    folder.run(&["trace", "convert", "t.ti", "-o", "t.goal"]).success();
    folder.run(&["trace", "diff", "t.goal", "mvapich2.goal.zst"]).success();
    folder.refuse(&["trace", "convert", "t.ti", "-o", "x.goal", "--collectives", "mine"], 2, &["mine", "mvapich2"]);
    folder.refuse(&["trace", "convert", "t.ti", "-o", "x.mtrace", "--collectives", "ompi"], 2, &["x.mtrace keeps"]);
}

#[test]
fn a_workload_is_written_as_its_trace_is_converted() {
    let folder = Folder::new();
    let lu = ["workload", "npb/lu", "--class", "S", "--ranks", "4", "--iterations", "2", "-o"];
    folder.run(&[&lu[..], &["lu.mtrace"]].concat()).success();
    for table in [&[][..], &["--collectives", "ompi"], &["--collectives", "default"]] {
        for file in ["a.goal", "a.goal.zst"] {
            folder.run(&[&lu[..], &[file, "--force"], table].concat()).success();
            folder.run(&[&["trace", "convert", "lu.mtrace", "-o", "b.goal", "--force"], table].concat()).success();
            folder.run(&["trace", "diff", "a.goal", "b.goal"]).success();
        }
        assert_eq!(folder.read("a.goal"), folder.read("b.goal"));
        let table = table.last().unwrap_or(&"mvapich2");
        let head = format!("num_ranks 4\n// collectives as messages, by the table of {table}\n");
        assert!(folder.read("a.goal").starts_with(&head), "{head}");
    }
    folder.refuse(&[&lu[..], &["x.ti", "--collectives", "ompi"]].concat(), 2, &["x.ti keeps", "help: "]);
    folder.refuse(&[&lu[..], &["x.goal", "--collectives", "mine"]].concat(), 2, &["mine", "mvapich2"]);
    folder.refuse(&["workload", "npb/lu", "--ranks", "4", "--collectives", "ompi"], 2, &["--output"]);
    folder.write("p.star", "RANKS = \"any\"\ndef main(rank, size, params):\n    put(0, 5)\n    fence()\n");
    folder.refuse(&["workload", "p.star", "--ranks", "2", "-o", "x.goal"], 2, &["GOAL cannot express", "help: "]);
    assert!(!folder.names().iter().any(|name| name.starts_with("x.")), "no part is left");
}

/// A collective that does not block proceeds while its rank computes, and what follows a probe waits for its message, in
/// the schedule as in the trace.
#[test]
fn schedules_take_as_long_as_their_traces() {
    let folder = Folder::new();
    let overlap: String = (0..4)
        .map(|rank| format!("{rank} iallreduce 0 500000 0 0\n{rank} compute 1e8\n{rank} wait_request 0\n"))
        .collect();
    let probe = "0 probe 1 5\n0 compute 1e8\n0 recv 1 5 8 6\n1 compute 1e8\n1 send 0 5 8 6\n".to_owned();
    // The receive of the second message is not at the probe, and that of the first one is started there.
    let two = "0 probe 1 5\n0 irecv 1 5 8 6\n0 irecv 1 5 8 6\n0 compute 1e8\n0 waitall\n1 compute 1e8\n1 send 0 5 8 6\n1 send 0 5 8 6\n";
    for (name, text) in [("overlap", overlap), ("probe", probe), ("two", two.to_owned())] {
        let (trace, goal) = (format!("{name}.ti"), format!("{name}.goal"));
        folder.write(&trace, text);
        folder.run(&["trace", "convert", &trace, "-o", &goal]).success();
        let seconds = |file: &str| {
            let result = folder.json(&["replay", file, "--topology", "full-mesh:n=4", "--quiet"]);
            result["simulated_seconds"].as_f64().expect("a time")
        };
        let (own, of_goal) = (seconds(&trace), seconds(&goal));
        assert!((of_goal / own - 1.0).abs() < 0.02, "{name}: {own} {of_goal}");
    }
}
