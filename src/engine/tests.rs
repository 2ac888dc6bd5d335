//! Replays small enough to be worked out by hand.

mod delivery;
mod graphs;

use super::*;
use crate::ids::{HostId, LinkId};
use crate::mpi::collective::{Selector, select::Table};
use crate::mpi::mapping::Mapping;
use crate::mpi::messages::{Envelope, Mismatch};
use crate::network::Precision;
use crate::network::model::NetworkModel;
use crate::network::noise::Noise;
use crate::network::sharing::{Bound, Rule};
use crate::platform::{Host, Link, LinkKind, Platform, RouteTable, SharingPolicy};
use crate::trace::UNKNOWN_COUNT;
use crate::trace::{Action, CollectiveCall, CollectiveKind, CommunicatorId, Datatype, Trace};
use crate::user_error::UserError;
use std::sync::Arc;

/// Hosts on one shared medium (link 0); the loopback is link 1.
struct Medium;

impl RouteTable for Medium {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        links.extend((from != to).then_some(LinkId(0)));
        from != to
    }
}

const BANDWIDTH: f64 = 1e9;
const LATENCY: f64 = 1e-6;
const SPEED: f64 = 1e9;
const LOOPBACK: f64 = 10e9;

fn platform(hosts: usize, cores: u32) -> Platform {
    let link = |name: &str, bandwidth, latency, policy| Link {
        name: name.into(),
        bandwidth,
        latency,
        policy,
        kind: LinkKind::Declared,
    };
    Platform {
        name: "medium".to_owned(),
        hosts: (0..hosts).map(|h| Host { name: format!("h{h}").into(), switch: None, speed: SPEED, cores }).collect(),
        failed: Vec::new(),
        links: vec![
            link("medium", BANDWIDTH, LATENCY, SharingPolicy::Shared),
            link("loopback", LOOPBACK, 0.0, SharingPolicy::FatPipe),
        ],
        loopback: Some(LinkId(1)),
        routes: Arc::new(Medium),
    }
}

fn model() -> Model {
    Model::with_network(NetworkModel::smpi(), Selector::new(Table::Mvapich2, false))
}

fn run_on(platform: &Platform, mapping: &Mapping, actions: &[&[Action]]) -> Result<Outcome, ReplayError> {
    let trace = Trace { actions: actions.iter().map(|a| a.to_vec().into()).collect(), ..Trace::default() };
    let rank_map = mapping.rank_map(trace.ranks(), platform.hosts.len()).expect("hosts for all");
    replay(&trace, platform, &rank_map, &model(), &mut ())
}

fn run(actions: &[&[Action]]) -> Result<Outcome, ReplayError> {
    run_on(&platform(actions.len(), 1), &Mapping::OneEach, actions)
}

fn send(to: u32, count: u32) -> Action {
    Action::Send { to, tag: 0, count, datatype: Datatype::BYTE }
}

fn recv(from: u32, count: u32) -> Action {
    Action::Recv { from, tag: 0, count, datatype: Datatype::BYTE }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// Time of a lone message over the medium, whose acknowledgements go over the same link.
fn lone(bytes: u64) -> f64 {
    let smpi = NetworkModel::smpi();
    let size = bytes + 16;
    LATENCY * smpi.latency_factor.at(size) + size as f64 * 1.05 / (BANDWIDTH * smpi.bandwidth_factor.at(size))
}

#[test]
fn a_lone_message_takes_latency_and_drain_time() {
    for bytes in [0, 241, 242, 65_535, 65_536, 10_000_000] {
        let outcome = run(&[&[send(1, bytes)], &[recv(0, bytes)]]).expect("runs");
        assert!(close(outcome.simulated_seconds, lone(u64::from(bytes))), "{bytes} bytes");
        assert_eq!((outcome.messages, outcome.bytes), (1, u64::from(bytes)));
    }
}

#[test]
fn a_small_send_goes_on_at_once_and_a_large_one_waits() {
    let outcome = |bytes| run(&[&[send(1, bytes)], &[recv(0, bytes)]]).expect("runs");
    let small = outcome(65_535);
    assert_eq!(small.ranks[0].end, 0.0);
    assert_eq!(small.ranks[0].waiting, small.simulated_seconds);
    let large = outcome(65_536);
    assert_eq!(large.ranks[0].end, large.simulated_seconds);
    assert_eq!(large.ranks[0].communication, large.simulated_seconds);
}

#[test]
fn nothing_travels_before_the_receive_is_posted_and_the_time_until_then_is_waiting() {
    // The receiver computes for 1 ms first. The rendezvous sender waits 1 ms for its partner, then communicates.
    let compute = Action::Compute { flops: 1e6 };
    let outcome = run(&[&[send(1, 100_000)], &[compute, recv(0, 100_000)]]).expect("runs");
    assert!(close(outcome.simulated_seconds, 1e-3 + lone(100_000)));
    assert!(close(outcome.ranks[0].waiting, 1e-3));
    assert!(close(outcome.ranks[0].communication, lone(100_000)));
    assert!(close(outcome.ranks[1].compute, 1e-3));
}

#[test]
fn computations_on_one_host_share_its_cores() {
    // Three ranks with 1, 2 and 3 ms of work on one core: they end at 3, 5 and 6 ms. On two cores, each runs at 2/3
    // until 1.5 ms; then two are left with a core each: 2.5 and 3.5 ms.
    let work = [1e6, 2e6, 3e6].map(|flops| [Action::Compute { flops }]);
    let actions: Vec<&[Action]> = work.iter().map(|a| &a[..]).collect();
    for (cores, ends) in [(1, [3e-3, 5e-3, 6e-3]), (2, [1.5e-3, 2.5e-3, 3.5e-3]), (4, [1e-3, 2e-3, 3e-3])] {
        let outcome = run_on(&platform(1, cores), &Mapping::RoundRobin, &actions).expect("runs");
        for (rank, end) in outcome.ranks.iter().zip(ends) {
            assert!(close(rank.end, end), "{cores} cores: {} is not {end}", rank.end);
        }
    }
}

#[test]
fn more_ranks_than_the_caches_hold_end_as_few_do() {
    // Pairs from both ends of the list, twice: all of them are ready again at one instant, and not in ascending order.
    let swap = |rank: u32, ranks: u32| {
        let partner = ranks - 1 - rank;
        let (there, back) = (send(partner, 100_000), recv(partner, 100_000));
        if rank < partner { [there, back, there, back] } else { [back, there, back, there] }
    };
    let ends = |ranks: u32| -> Vec<f64> {
        let actions: Vec<_> = (0..ranks).map(|rank| swap(rank, ranks)).collect();
        let actions: Vec<&[Action]> = actions.iter().map(|a| &a[..]).collect();
        let outcome = run_on(&platform(1, ranks), &Mapping::Block, &actions).expect("runs");
        assert_eq!(outcome.messages, 2 * u64::from(ranks));
        outcome.ranks.iter().map(|rank| rank.end).collect()
    };
    let two = ends(2);
    assert!(close(two[0], two[1]) && two[0] > 0.0);
    assert!(ends(5000).iter().all(|&end| close(end, two[0])));
}

#[test]
fn ranks_of_one_host_talk_over_its_loopback() {
    let factor = NetworkModel::smpi().bandwidth_factor.at(100_016);
    let actions: [&[Action]; 2] = [&[send(1, 100_000)], &[recv(0, 100_000)]];
    let outcome = run_on(&platform(1, 2), &Mapping::Block, &actions).expect("runs");
    assert!(close(outcome.simulated_seconds, 100_016.0 / (LOOPBACK * factor)));
    // A message to oneself is also a real message.
    let isend = Action::Isend { to: 0, tag: 0, count: 100_000, datatype: Datatype::BYTE };
    let outcome = run(&[&[isend, recv(0, 100_000), Action::WaitAll]]).expect("runs");
    assert!(close(outcome.simulated_seconds, 100_016.0 / (LOOPBACK * factor)));
}

#[test]
fn a_deadlock_names_every_blocked_rank_and_what_is_missing() {
    let error = run(&[&[recv(1, 8)], &[Action::Init, recv(0, 8)], &[]]).expect_err("deadlock");
    let ReplayError::Deadlock { blocked, standing, ranks, .. } = error else { panic!("{error}") };
    assert_eq!((ranks, standing), (3, vec![Some(0), Some(1), None]));
    assert_eq!(blocked[1].operation, "recv");
    assert_eq!(blocked[1].missing, [(Envelope { source: 0, destination: 1, tag: 0, context: 0 }, false)]);
}

#[test]
fn large_sends_that_cross_are_told_to_wait_for_their_receives() {
    let send = |to: u32, count: u32| Action::Send { to, tag: 0, count, datatype: Datatype::BYTE };
    let crossing = |bytes: u32| run(&[&[send(1, bytes), recv(1, bytes)], &[send(0, bytes), recv(0, bytes)]]);
    let eager = crossing(65_535).map(|outcome| outcome.messages);
    assert_eq!(eager, Ok(2));
    let help = crossing(65_536).expect_err("deadlock").help();
    assert!(help.starts_with("sends of 65536 bytes or more (`detached_below`) wait until their receive"), "{help}");
    // One that never sends is told about the send.
    let help = run(&[&[recv(1, 8)], &[recv(0, 8)]]).expect_err("deadlock").help();
    assert!(help.starts_with("check that every send has its receive"), "{help}");
}

#[test]
fn a_receive_of_unknown_size_that_nobody_serves_is_a_deadlock_too() {
    let probe = Action::Recv { from: 1, tag: 5, count: UNKNOWN_COUNT, datatype: Datatype::BYTE };
    let error = run(&[&[probe], &[Action::Init]]).expect_err("deadlock");
    let ReplayError::Deadlock { blocked, .. } = error else { panic!("{error}") };
    assert_eq!(blocked[0].missing, [(Envelope { source: 1, destination: 0, tag: 5, context: 0 }, false)]);
    // A receive that is served late polls again after 0.1, 0.3 and 0.6 ms.
    let late = Action::Send { to: 0, tag: 5, count: 10, datatype: Datatype::BYTE };
    let outcome = run(&[&[probe], &[Action::Compute { flops: 4e5 }, late]]).expect("runs");
    assert!(close(outcome.simulated_seconds, 6e-4 + lone(10)));
}

#[test]
fn contradictions_are_errors_with_their_place() {
    let error = run(&[&[send(1, 9)], &[Action::Init, recv(0, 8)]]).expect_err("truncated");
    assert_eq!(error.place(), Some(Place { rank: 1, action: 1 }));
    assert!(matches!(error, ReplayError::Mismatch { mismatch: Mismatch::Truncated { bytes: 9, capacity: 8 }, .. }));
    let wait = Action::Wait { source: 0, destination: 1, tag: 0 };
    let error = run(&[&[wait]]).expect_err("nothing to wait for");
    assert!(matches!(error, ReplayError::NoRequest { operation: "wait", .. }));
}

#[test]
fn sends_that_nobody_receives_are_reported() {
    let outcome = run(&[&[send(1, 5), send(1, 6)], &[]]).expect("runs");
    assert_eq!(outcome.unmatched_sends, [(Envelope { source: 0, destination: 1, tag: 0, context: 0 }, 2, 11)]);
}

#[test]
fn the_times_of_a_rank_add_up_to_the_whole_run() {
    let compute = Action::Compute { flops: 5e5 };
    let outcome = run(&[&[send(1, 70_000), compute], &[compute, recv(0, 70_000), send(2, 10)], &[recv(1, 10)]]);
    let outcome = outcome.expect("runs");
    for rank in &outcome.ranks {
        assert!(close(rank.compute + rank.communication + rank.waiting, outcome.simulated_seconds));
    }
}

#[test]
fn a_transfer_about_to_end_does_not_keep_others_from_beginning() {
    // The clock jumps to 2499.7 ns because a sleep ends. 0.3 ns later the first transfer would end, alone so far at 1
    // byte a nanosecond; ends are not merged. 0.6 ns later the second transfer begins, and beginnings are merged: it
    // takes half of the medium from now on, so the last 0.3 bytes of the first one take 0.6 ns.
    let sleep = |nanoseconds: f64| Action::Sleep { seconds: nanoseconds * 1e-9 };
    let actions: [Vec<Action>; 5] = [
        vec![send(1, 1500)],
        vec![recv(0, 1500)],
        vec![sleep(1500.3), send(3, 1000)],
        vec![recv(2, 1000)],
        vec![sleep(2499.7)],
    ];
    let trace = Trace { actions: actions.iter().cloned().map(Into::into).collect(), ..Trace::default() };
    let platform = platform(5, 1);
    let rank_map = Mapping::OneEach.rank_map(5, 5).expect("hosts for all");
    let precision = Precision { transfers: 0.0, others: 1e-9 };
    let model = Model { network: NetworkModel::ideal(), precision, ..model() };
    let outcome = replay(&trace, &platform, &rank_map, &model, &mut ()).expect("runs");
    // The remaining 0.3 bytes carry the rounding of times in the microseconds.
    assert!((outcome.ranks[1].end - 2500.3e-9).abs() < 1e-14, "{}", outcome.ranks[1].end);
    assert!((outcome.ranks[3].end - 3500.0e-9).abs() < 1e-14, "{}", outcome.ranks[3].end);
}

#[test]
fn noise_is_refused_under_the_sharing_rules_of_simgrid() {
    let actions = [vec![send(1, 100_000)], vec![recv(0, 100_000)]];
    let trace = Trace { actions: actions.map(Into::into).to_vec(), ..Trace::default() };
    let platform = platform(2, 1);
    let rank_map = Mapping::OneEach.rank_map(2, 2).expect("hosts for all");
    let noise = Some(Noise { amplitude: 0.1, seed: 1 });
    let run = |sharing| replay(&trace, &platform, &rank_map, &Model { sharing, noise, ..model() }, &mut ());
    for sharing in [Rule::Exact, Rule::Within(Bound::default()), Rule::Proportional] {
        assert!(run(sharing).is_ok());
    }
    for sharing in [Rule::SimgridLazy, Rule::SimgridFull] {
        assert_eq!(run(sharing).expect_err("refused"), ReplayError::NoiseNeedsOtherSharing);
    }
}

/// Records the ends of actions.
#[derive(Default)]
struct Ends(Vec<(u32, usize, f64)>);

impl Observer for Ends {
    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        self.0.push((rank, action, time));
    }
}

#[test]
fn the_last_action_ends_before_the_wait_for_open_requests() {
    // Rank 0 never waits for its receive, so its end does: the message leaves after 10 ms.
    let compute = |milliseconds: f64| Action::Compute { flops: milliseconds * 1e6 };
    let irecv = Action::Irecv { from: 1, tag: 0, count: 8, datatype: Datatype::BYTE };
    let actions = [vec![irecv, compute(1.0)], vec![compute(10.0), send(0, 8)]];
    let trace = Trace { actions: actions.map(Into::into).to_vec(), ..Trace::default() };
    let platform = platform(2, 1);
    let rank_map = Mapping::OneEach.rank_map(2, 2).expect("hosts for all");
    let mut ends = Ends::default();
    let outcome = replay(&trace, &platform, &rank_map, &model(), &mut ends).expect("runs");
    let of_rank_0: Vec<_> = ends.0.into_iter().filter(|end| end.0 == 0).collect();
    assert_eq!(of_rank_0, [(0, 0, 0.0), (0, 1, 1e-3)]);
    assert!(outcome.ranks[0].end > 10e-3);
}

/// Replays ranks that call these collectives one after another; communicator 1 has the ranks 2 and 0.
fn collectives(calls: &[&[(CollectiveKind, u32, u32)]]) -> Result<Outcome, ReplayError> {
    let mut trace = Trace { communicators: vec![vec![2, 0].into()], ..Trace::default() };
    for calls in calls {
        let mut actions = vec![Action::Init];
        for &(kind, root, communicator) in *calls {
            let communicator = CommunicatorId::from_number(communicator);
            actions.push(Action::Collective { index: trace.collectives.len() as u32 });
            trace
                .collectives
                .push(CollectiveCall { communicator, ..CollectiveCall::uniform(kind, root, 8, Datatype::BYTE) });
        }
        trace.actions.push(actions.into());
    }
    let platform = platform(calls.len(), 1);
    let rank_map = Mapping::OneEach.rank_map(calls.len(), calls.len()).expect("hosts for all");
    replay(&trace, &platform, &rank_map, &model(), &mut ())
}

#[test]
fn members_that_call_different_collectives_are_an_error() {
    use CollectiveKind::{Allreduce, Barrier, Bcast};
    let (barrier, bcast) = ((Barrier, 0, 0), (Bcast, 0, 0));
    assert!(collectives(&[&[barrier, bcast], &[barrier, bcast], &[barrier, bcast]]).is_ok());
    let error = collectives(&[&[barrier, bcast], &[barrier, barrier], &[barrier, bcast]]).expect_err("they differ");
    // The preceding barrier decides which of them is first.
    let ReplayError::Collectives { number, blocking: true, calls: [first, here], .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((*number, error.place()), (2, Some(here.place)));
    let name = |called: &Called| format!("{}, root 0, on rank {}", called.kind.name(), called.place.rank);
    assert_eq!(error.to_string(), format!("collective number 2 is {}, but {}", name(first), name(here)));
    assert_eq!((first.place.action, here.place.action), (2, 2));
    assert!([first, here].iter().any(|called| (called.kind, called.place.rank) == (Barrier, 1)));
    // A broadcast with another root is another broadcast.
    assert!(collectives(&[&[bcast], &[(Bcast, 1, 0)], &[bcast]]).is_err());
    // Communicators are counted separately, so ranks 0 and 2 may meet there before or after the barrier.
    let inner = (Allreduce, 0, 1);
    assert!(collectives(&[&[inner, barrier], &[barrier], &[inner, barrier]]).is_ok());
    let error = collectives(&[&[inner, barrier], &[barrier], &[(Bcast, 0, 1), barrier]]).expect_err("they differ");
    assert!(error.to_string().starts_with("collective number 1 of communicator 1 is "), "{error}");
}

#[test]
fn sizes_that_have_to_be_equal_are_compared() {
    let sizes = |kind: CollectiveKind, counts: [u32; 2]| {
        let trace = Trace {
            actions: (0..2).map(|index| vec![Action::Collective { index }].into()).collect(),
            collectives: counts.map(|count| CollectiveCall::uniform(kind, 0, count, Datatype::BYTE)).to_vec(),
            ..Trace::default()
        };
        let rank_map = Mapping::RoundRobin.rank_map(2, 2).expect("hosts for all");
        replay(&trace, &platform(2, 1), &rank_map, &model(), &mut ()).expect("runs").different_sizes
    };
    for kind in [CollectiveKind::Allreduce, CollectiveKind::Bcast, CollectiveKind::Reduce, CollectiveKind::Scan] {
        assert_eq!((sizes(kind, [10, 10]), sizes(kind, [10, 11])), (None, Some(kind)));
    }
    // A root may gather or scatter in place.
    assert_eq!(sizes(CollectiveKind::Gather, [10, 11]), None);
}
