//! Communicators, collectives that do not block, one-sided communication and probes: what has to be equal is, bit for
//! bit, and the rest agrees with closed forms.

use crate::support::star::{BANDWIDTH, LATENCY, SPEED, Star, model, platform, star};
use mopsim::engine::{Model, Observer, Outcome, RankTimes, ReplayError, replay};
use mopsim::ids::{HostId, LinkId};
use mopsim::mpi::MpiOptions;
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::rank_map::RankMap;
use mopsim::network::model::NetworkModel;
use mopsim::network::sharing::Rule;
use mopsim::platform::{Platform, RouteTable};
use mopsim::trace::{CollectiveKind, Options, Trace, read_from};
use std::fmt::Write;
use std::sync::Arc;

/// A link from each host to every other.
struct Mesh(u32);

impl RouteTable for Mesh {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        links.push(LinkId(from.0 * self.0 + to.0));
        from != to
    }
}

fn mesh(hosts: u32) -> Platform {
    platform(hosts, hosts * hosts, 1, Arc::new(Mesh(hosts)))
}

/// Model whose flows do not compete, so that times can be added.
fn simple() -> Model {
    Model { network: NetworkModel::ideal(), ..model(Table::Default) }
}

/// Time of a lone message of `bytes` bytes.
fn lone(bytes: u64) -> f64 {
    LATENCY + bytes as f64 / BANDWIDTH
}

fn parse(text: &str) -> Trace {
    read_from(text.as_bytes(), "test", &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn attempt(text: &str, platform: &Platform, hosts: &[u32], model: &Model) -> Result<Outcome, ReplayError> {
    let rank_map = RankMap::new(hosts.iter().map(|&host| HostId(host)).collect());
    replay(&parse(text), platform, &rank_map, model, &mut ())
}

/// Every rank on a host of its own.
fn run(text: &str, platform: &Platform, model: &Model) -> Outcome {
    let hosts: Vec<u32> = (0..parse(text).ranks() as u32).collect();
    attempt(text, platform, &hosts, model).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// Returns the arguments of a collective of `members` members.
fn arguments(kind: CollectiveKind, members: usize, count: usize) -> String {
    use CollectiveKind as K;
    let root = members / 2;
    let each: String = (0..members).map(|i| format!("{} ", count * (i + 1))).collect();
    match kind {
        K::Barrier => String::new(),
        K::Bcast => format!("{count} {root} 6"),
        K::Reduce => format!("{count} 5000 {root} 6"),
        K::Allreduce | K::Scan | K::Exscan => format!("{count} 5000 6"),
        K::Alltoall | K::Allgather => format!("{count} {count} 6 6"),
        K::Gather | K::Scatter => format!("{count} {count} {root} 6 6"),
        K::Alltoallv => format!("0 {each}0 {each}6 6"),
        K::Gatherv => format!("{count} {each}{root} 6 6"),
        K::Allgatherv => format!("{count} {each}6 6"),
        K::Scatterv => format!("{each}{count} {root} 6 6"),
        K::ReduceScatter => format!("{each}5000 6"),
    }
}

/// Every rank computes for a while, then makes the calls in `call`, twice.
fn program(ranks: usize, head: &str, call: impl Fn(usize) -> String) -> String {
    let mut text = head.to_owned();
    for rank in 0..ranks {
        let flops = 1000 * (rank * 7 % ranks);
        let call = call(rank).replace('\n', &format!("\n{rank} "));
        let _ = writeln!(text, "{rank} init\n{rank} compute {flops}\n{rank} {call}\n{rank} {call}\n{rank} finalize");
    }
    text
}

fn all_calls() -> impl Iterator<Item = (Table, CollectiveKind, usize)> {
    let sizes = [10, 30_000, 200_000];
    let kinds =
        move |table| CollectiveKind::ALL.into_iter().flat_map(move |kind| sizes.map(|size| (table, kind, size)));
    Table::ALL.into_iter().flat_map(kinds)
}

fn ends(outcome: &Outcome) -> Vec<u64> {
    outcome.ranks.iter().map(|rank| rank.end.to_bits()).collect()
}

#[test]
fn a_communicator_of_all_ranks_is_as_fast_as_the_world() {
    // Two ranks on some hosts, so that node-aware algorithms have a structure.
    let hosts = [0, 0, 1, 2, 2, 3];
    for (table, kind, count) in all_calls() {
        let call = format!("{} {}", kind.name(), arguments(kind, 6, count));
        let world = program(6, "", |_| call.clone());
        let listed = program(6, "0 communicator 7 0 1 2 3 4 5\n", |_| format!("on 7 {call}"));
        let (world, listed) =
            [world, listed].map(|text| attempt(&text, &star(4), &hosts, &model(table)).expect("runs")).into();
        assert_eq!(ends(&world), ends(&listed), "{} of {count}, {}", kind.name(), table.name());
        assert_eq!((world.messages, world.bytes, &world.links), (listed.messages, listed.bytes, &listed.links));
    }
}

#[test]
fn a_part_of_the_ranks_is_as_fast_as_if_it_were_alone() {
    // Members in an order of their own; the fourth and the first share a host.
    let members = [5usize, 2, 6, 0, 3];
    let hosts = [1, 0, 2, 3, 0, 1, 4];
    let alone: Vec<u32> = members.iter().map(|&rank| hosts[rank]).collect();
    for (table, kind, count) in all_calls() {
        let call = format!("{} {}", kind.name(), arguments(kind, 5, count));
        let small = program(5, "", |_| call.clone());
        let mut large = "0 communicator 1 5 2 6 0 3\n".to_owned();
        for rank in 0..7 {
            let member = members.iter().position(|&m| m == rank);
            let _ = match member {
                Some(member) => {
                    let flops = 1000 * (member * 7 % 5);
                    writeln!(large, "{rank} compute {flops}\n{rank} on 1 {call}\n{rank} on 1 {call}")
                }
                None => writeln!(large, "{rank} init"),
            };
        }
        let small = attempt(&small, &star(5), &alone, &model(table)).expect("runs");
        let large = attempt(&large, &star(5), &hosts, &model(table)).expect("runs");
        let of_members: Vec<u64> = members.iter().map(|&rank| large.ranks[rank].end.to_bits()).collect();
        assert_eq!(ends(&small), of_members, "{} of {count}, {}", kind.name(), table.name());
        assert_eq!((small.messages, small.bytes), (large.messages, large.bytes));
    }
}

#[test]
fn two_halves_that_share_nothing_take_the_time_of_one() {
    let one = |both: bool| {
        let mut text = "0 communicator 1 0 2 4 6\n0 communicator 2 1 3 5 7\n".to_owned();
        for rank in 0..8 {
            let _ = match rank % 2 {
                1 if !both => writeln!(text, "{rank} init"),
                half => writeln!(text, "{rank} on {} alltoall 100000 100000 6 6", half + 1),
            };
        }
        run(&text, &mesh(8), &model(Table::Mvapich2))
    };
    let (half, both) = (one(false), one(true));
    assert_eq!(half.simulated_seconds.to_bits(), both.simulated_seconds.to_bits());
    assert_eq!(2 * half.messages, both.messages);
}

#[test]
fn to_start_and_to_wait_is_to_call() {
    let hosts = [0, 0, 1, 2, 2, 3];
    for (table, kind, count) in all_calls() {
        let arguments = arguments(kind, 6, count);
        let call = program(6, "", |_| format!("{} {arguments}", kind.name()));
        let start = program(6, "", |_| format!("{} 3 {arguments}\nwait_request 3", kind.nonblocking_name()));
        let (call, start) =
            [call, start].map(|text| attempt(&text, &star(4), &hosts, &model(table)).expect("runs")).into();
        assert_eq!(ends(&call), ends(&start), "{} of {count}, {}", kind.name(), table.name());
        assert_eq!((call.messages, call.bytes), (start.messages, start.bytes));
    }
}

#[test]
fn the_overheads_of_messages_are_those_of_the_call() {
    let mut model = model(Table::Ompi);
    model.mpi.send_overhead = "0:1e-6:0".parse().expect("a section");
    model.mpi.isend_overhead = "0:2e-6:0".parse().expect("a section");
    model.mpi.recv_overhead = "0:3e-6:0".parse().expect("a section");
    for kind in CollectiveKind::ALL {
        let arguments = arguments(kind, 6, 3000);
        let call = program(6, "", |_| format!("{} {arguments}", kind.name()));
        let start = program(6, "", |_| format!("{} 0 {arguments}\nwait_request 0", kind.nonblocking_name()));
        let (call, start) = [call, start].map(|text| run(&text, &mesh(6), &model)).into();
        assert!(close(call.simulated_seconds, start.simulated_seconds), "{}", kind.name());
        // The rank spends the time of its wait as if it had made the calls itself.
        for (called, started) in call.ranks.iter().zip(&start.ranks) {
            let parts = |times: &RankTimes| [times.compute, times.communication, times.latency, times.waiting];
            let are_close = parts(called).iter().zip(parts(started)).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(are_close, "{}: {called:?} {started:?}", kind.name());
        }
    }
}

/// A rank that computes on keeps the others waiting; no message of a barrier has a byte to carry.
#[test]
fn a_wait_for_a_collective_is_what_the_collective_spends() {
    for end in ["wait_request 0", "waitall"] {
        let flops = |rank: u32| if rank == 0 { 1_000_000 } else { 0 };
        let text: String =
            (0..4).map(|rank| format!("{rank} compute {}\n{rank} ibarrier 0\n{rank} {end}\n", flops(rank))).collect();
        let outcome = run(&text, &mesh(4), &simple());
        assert!(outcome.ranks[1].waiting > 0.99e-3, "{:?}", outcome.ranks[1]);
        assert!(outcome.ranks[1].communication < 1e-5, "{:?}", outcome.ranks[1]);
        // The half of it that its own computation hides is not waited for.
        let half: String = (0..4)
            .map(|rank| format!("{rank} ibarrier 0\n{rank} compute {}\n{rank} {end}\n", 500_000 + flops(rank)))
            .collect();
        let late: String = half.replacen("0 ibarrier 0\n0 compute 1500000", "0 compute 1500000\n0 ibarrier 0", 1);
        let times = run(&late, &mesh(4), &simple()).ranks[1];
        assert!((times.compute - 5e-4).abs() < 1e-9 && (times.waiting - 1e-3).abs() < 1e-5, "{times:?}");
    }
    // Work of a reduction is computation, also the part of it that remains at the wait.
    let text = "0 iallreduce 0 8 2000000 6\n0 sleep 0.0005\n0 wait_request 0\n";
    let times = run(text, &platform(1, 2, 2, Arc::new(Star)), &model(Table::Default)).ranks[0];
    assert!(close(times.compute, 2e-3) && times.communication.abs() < 1e-12, "{times:?}");
}

#[test]
fn computation_hides_a_collective_that_does_not_block() {
    let time = |flops: u64, starts: bool| {
        let text: String = (0..4)
            .map(|rank| match starts {
                true => format!("{rank} iallreduce 0 1000000 0 6\n{rank} compute {flops}\n{rank} wait_request 0\n"),
                false => format!("{rank} allreduce 1000000 0 6\n"),
            })
            .collect();
        run(&text, &mesh(4), &model(Table::Mvapich2))
    };
    let alone = time(0, false).simulated_seconds;
    assert!(alone > 1e-3);
    for flops in [0, 100_000, 1_000_000, 50_000_000] {
        let outcome = time(flops, true);
        let compute = flops as f64 / SPEED;
        assert!(close(outcome.simulated_seconds, alone.max(compute)), "{flops}: {}", outcome.simulated_seconds);
        // Waiting beyond the rank's computation is communication.
        assert!(close(outcome.ranks[0].communication, (alone - compute).max(0.0)));
        assert!(close(outcome.ranks[0].compute, compute));
    }
}

#[test]
fn flops_of_a_collective_share_the_only_core_with_the_rank_and_take_a_free_one() {
    // A reduction of one rank has no messages: 2 ms of work in parallel with 2 ms of work.
    let text = "0 iallreduce 0 8 2000000 6\n0 compute 2000000\n0 wait_request 0\n";
    for (cores, seconds) in [(1, 4e-3), (2, 2e-3)] {
        let platform = platform(1, 2, cores, Arc::new(Star));
        assert!(close(run(text, &platform, &model(Table::Default)).simulated_seconds, seconds), "{cores} cores");
    }
}

/// Returns the time at which each wait for a request ended.
struct Waits<'a>(&'a Trace, Vec<(u32, f64)>);

impl Observer for Waits<'_> {
    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        if self.0.actions[rank as usize].get(action).is_some_and(|action| action.name() == "wait_request") {
            self.1.push((rank, time));
        }
    }
}

#[test]
fn collectives_under_way_do_not_mix() {
    // Rank 1 enters them in the other order, which is allowed on two communicators of the same members.
    let text = "0 communicator 1 0 1\n0 communicator 2 0 1\n\
        0 on 1 ibcast 1 10000000 0 6\n0 on 2 ibcast 2 1 0 6\n0 waitall\n\
        1 on 2 ibcast 2 1 0 6\n1 on 1 ibcast 1 10000000 0 6\n1 wait_request 2\n1 wait_request 1\n";
    let trace = parse(text);
    let mut waits = Waits(&trace, Vec::new());
    let rank_map = RankMap::new(vec![HostId(0), HostId(1)]);
    let outcome = replay(&trace, &mesh(2), &rank_map, &simple(), &mut waits).expect("runs");
    // Both share the link: the small one ends after one byte of each.
    assert_eq!(waits.1[0].0, 1);
    assert!(waits.1[0].1 < 2e-6, "{:?}", waits.1);
    assert!(close(outcome.simulated_seconds, LATENCY + 10_000_001.0 / BANDWIDTH));
    // On the same communicator a blocking call may overtake a non-blocking one.
    let text = "0 ibcast 1 10000000 0 6\n0 bcast 1 0 6\n0 wait_request 1\n\
        1 ibcast 1 10000000 0 6\n1 bcast 1 0 6\n1 compute 1000000\n1 wait_request 1\n";
    let outcome = run(text, &mesh(2), &simple());
    assert!(close(outcome.simulated_seconds, LATENCY + 10_000_001.0 / BANDWIDTH));
}

#[test]
fn waitall_and_the_end_wait_for_collectives() {
    let alone = run("0 allreduce 1000000 0 6\n1 allreduce 1000000 0 6\n", &mesh(2), &model(Table::Ompi));
    for end in ["waitall", "finalize"] {
        let text: String = (0..2)
            .map(|rank| {
                let start = format!("{rank} iallreduce 1 1000000 0 6\n{rank} ibarrier 1\n");
                format!("{start}{rank} irecv {} 0 1 6\n{rank} send {} 0 1 6\n{rank} {end}\n", 1 - rank, 1 - rank)
            })
            .collect();
        let outcome = run(&text, &mesh(2), &model(Table::Ompi));
        assert!(outcome.simulated_seconds >= alone.simulated_seconds, "{end}");
        assert!(outcome.simulated_seconds < 1.1 * alone.simulated_seconds, "{end}");
        assert_eq!(outcome.ranks[0].end.max(outcome.ranks[1].end), outcome.simulated_seconds);
    }
}

#[test]
fn a_test_completes_a_collective_or_leaves_it() {
    for flops in [0, 10_000_000] {
        let text: String = (0..2)
            .map(|rank| {
                let head = format!("{rank} iallreduce 4 100000 0 6\n{rank} compute {flops}\n");
                format!("{head}{rank} test_request 4\n{rank} wait_request 4\n{rank} waitall\n")
            })
            .collect();
        for sharing in [Rule::Exact, Rule::SimgridLazy] {
            let outcome = run(&text, &mesh(2), &Model { sharing, ..model(Table::Ompi) });
            assert!(outcome.simulated_seconds >= flops as f64 / SPEED);
        }
    }
    let error = attempt("0 wait_request 1\n", &mesh(1), &[0], &model(Table::Ompi)).unwrap_err();
    assert!(error.to_string().contains("without any collective that does not block"), "{error}");
}

#[test]
fn a_put_and_a_fence_are_a_message_and_a_barrier() {
    for bytes in [1, 100_000, 10_000_000] {
        for call in ["put 1", "accumulate 1"] {
            let put = run(&format!("0 {call} {bytes} 6\n0 fence\n1 fence\n"), &mesh(2), &simple());
            let send = format!("0 isend 1 0 {bytes} 6\n0 waitall\n0 barrier\n1 recv 0 0 {bytes} 6\n1 barrier\n");
            let send = run(&send, &mesh(2), &simple());
            // The sender of a small message does not wait for it, and its barrier shares the link.
            if bytes >= 65_536 {
                assert!(close(put.simulated_seconds, send.simulated_seconds), "{bytes}");
            }
            let barrier = run("0 barrier\n1 barrier\n", &mesh(2), &simple()).simulated_seconds;
            // The target is in the barrier already; only the origin's part of it is left.
            assert!(put.simulated_seconds >= lone(bytes) && put.simulated_seconds <= lone(bytes) + barrier);
            assert_eq!(put.bytes, send.bytes);
        }
    }
}

#[test]
fn a_get_asks_and_is_answered() {
    let platform = mesh(3);
    let text = "0 communicator 1 0 2\n0 on 1 get 2 1000000 6\n0 on 1 flush 2\n1 init\n2 init\n";
    let outcome = run(text, &platform, &simple());
    assert!(close(outcome.simulated_seconds, lone(0) + lone(1_000_000)));
    assert!(close(outcome.ranks[0].communication, outcome.simulated_seconds));
    assert_eq!((outcome.messages, outcome.bytes), (2, 1_000_000));
    // Operations run together; a flush of one rank leaves the others under way.
    let text = "0 get 1 1000000 6\n0 put 2 500000 6\n0 flush 2\n0 compute 500\n0 flush\n1 init\n2 init\n";
    let outcome = run(text, &platform, &simple());
    assert!(close(outcome.simulated_seconds, lone(0) + lone(1_000_000)));
    assert!(close(outcome.ranks[0].compute, 500.0 / SPEED));
    // Without a fence or flush the rank waits at its end.
    let outcome = run("0 put 1 1000000 6\n1 init\n", &platform, &simple());
    assert!(close(outcome.simulated_seconds, lone(1_000_000)));
    assert_eq!(outcome.ranks[1].end, 0.0);
}

#[test]
fn fences_of_two_windows_are_apart() {
    // The large put belongs to the other window: the first fence does not wait for it.
    let text = "0 communicator 1 0 1\n0 communicator 2 0 1\n\
        0 on 1 put 1 10000000 6\n0 on 2 put 1 1 6\n0 on 2 fence\n0 compute 1000\n0 on 1 fence\n\
        1 on 2 fence\n1 compute 5000000\n1 on 1 fence\n";
    let outcome = run(text, &mesh(2), &simple());
    let computes = outcome.ranks[1].compute;
    assert!(close(computes, 5e-3));
    assert!(outcome.simulated_seconds < lone(10_000_000) + 5e-6, "{}", outcome.simulated_seconds);
}

#[test]
fn a_probe_waits_until_the_send_is_posted() {
    let text = |first: &str| {
        format!("0 compute 1000000\n0 send 1 3 1000000 6\n{first}1 compute 1000000\n1 recv 0 3 1000000 6\n")
    };
    let with = run(&text("1 probe 0 3\n"), &mesh(2), &simple());
    assert!(close(with.simulated_seconds, 2e-3 + lone(1_000_000)));
    assert!(close(with.ranks[1].waiting, 1e-3));
    let without = run(&text(""), &mesh(2), &simple());
    assert!(close(without.simulated_seconds, 1e-3 + lone(1_000_000)));
    // A look takes its time, whether or not there is a message.
    let look = run(&text("1 iprobe 0 3\n"), &mesh(2), &simple());
    assert!(close(look.simulated_seconds, 1e-3 + MpiOptions::default().probe_time + lone(1_000_000)));
}

#[test]
fn a_member_that_never_calls_is_found() {
    let text = "0 communicator 3 0 2 1\n0 on 3 allreduce 8 0 6\n1 compute 5\n2 on 3 allreduce 8 0 6\n";
    let Err(ReplayError::Deadlock { blocked, .. }) = attempt(text, &mesh(3), &[0, 1, 2], &model(Table::Ompi)) else {
        panic!("no deadlock")
    };
    assert_eq!((blocked[0].operation, blocked[0].communicator.index()), ("allreduce", Some(0)));
    assert!(blocked.iter().any(|b| b.missing.iter().any(|(e, _)| e.source == 1 || e.destination == 1)));
    // An error in a non-blocking one is found where it is waited for.
    let text = text.replace("allreduce 8", "iallreduce 5 8") + "0 wait_request 5\n2 wait_request 5\n";
    let Err(ReplayError::Deadlock { blocked, .. }) = attempt(&text, &mesh(3), &[0, 1, 2], &model(Table::Ompi)) else {
        panic!("no deadlock")
    };
    assert_eq!((blocked[0].operation, blocked[0].place.action), ("iallreduce", 1));
    assert!(!blocked[0].missing.is_empty());
    let text = "0 probe 1 4\n1 finalize\n";
    let Err(ReplayError::Deadlock { blocked, .. }) = attempt(text, &mesh(2), &[0, 1], &model(Table::Ompi)) else {
        panic!("no deadlock")
    };
    assert_eq!((blocked[0].operation, blocked[0].missing.len()), ("probe", 1));
}
