//! Messages in order, on one connection for each pair of ranks, and the overheads that the model adds.

use super::*;
use crate::network::message_latency::MessageLatency;
use crate::network::model::Packets;
use crate::result::critical::CriticalPathFinder;
use proptest::prelude::*;

/// Ideal, in order: 1 us of latency, 1 ns for each byte.
fn in_order() -> Model {
    let network = NetworkModel { in_order: true, ..NetworkModel::ideal() };
    let mut model = Model { network, ..model() };
    model.mpi.async_below = model.mpi.detached_below;
    model
}

/// Ideal, side by side, from the time at which both send and receive are posted.
fn concurrent() -> Model {
    Model { network: NetworkModel::ideal(), ..model() }
}

fn ends(model: &Model, actions: &[&[Action]]) -> Vec<f64> {
    let platform = platform(actions.len(), 1);
    let trace = Trace { actions: actions.iter().map(|a| a.to_vec().into()).collect(), ..Trace::default() };
    let rank_map = Mapping::OneEach.rank_map(trace.ranks(), platform.hosts.len()).expect("hosts for all");
    let plain = replay(&trace, &platform, &rank_map, model, &mut ()).expect("runs");
    let mut finder = CriticalPathFinder::new(trace.ranks());
    let watched = replay(&trace, &platform, &rank_map, model, &mut finder).expect("runs");
    assert_eq!(watched.simulated_seconds, plain.simulated_seconds, "an observer changes nothing");
    let path = finder.path().expect("ranks").seconds();
    assert!(close(path, plain.simulated_seconds), "{path} s of {}", plain.simulated_seconds);
    plain.ranks.iter().map(|rank| rank.end).collect()
}

fn assert_ends(model: &Model, actions: &[&[Action]], microseconds: &[f64]) {
    let ends = ends(model, actions);
    assert_eq!(ends.len(), microseconds.len());
    for (rank, (end, expected)) in ends.iter().zip(microseconds).enumerate() {
        assert!(close(*end, expected * 1e-6), "rank {rank} ends at {end}, not at {expected} us");
    }
}

fn compute(microseconds: f64) -> Action {
    Action::Compute { flops: microseconds * 1e-6 * SPEED }
}

fn isend(to: u32, tag: i32, count: u32) -> Action {
    Action::Isend { to, tag, count, datatype: Datatype::BYTE }
}

fn recv_tag(from: u32, tag: i32, count: u32) -> Action {
    Action::Recv { from, tag, count, datatype: Datatype::BYTE }
}

#[test]
fn an_eager_message_leaves_when_it_is_sent() {
    // It arrives after 2 us, long before its receive is posted. Otherwise it starts then, and takes 2 us from there.
    let actions: &[&[Action]] = &[&[send(1, 1000)], &[compute(50.0), recv(0, 1000)]];
    assert_ends(&in_order(), actions, &[0.0, 50.0]);
    assert_ends(&concurrent(), actions, &[0.0, 52.0]);
    // The receive is posted while it travels.
    assert_ends(&in_order(), &[&[send(1, 1000)], &[compute(1.5), recv(0, 1000)]], &[0.0, 2.0]);
}

#[test]
fn messages_of_a_pair_queue_one_behind_the_other() {
    // In order: 1 to 2 us, then 2 to 4 us, so that the second one has arrived while the receiver computes until 12 us.
    // Side by side both have half of the link, and the first one takes until 3 us.
    let sends = [isend(1, 1, 1000), isend(1, 2, 2000), Action::WaitAll];
    let receives =
        [Action::Irecv { from: 0, tag: 2, count: 2000, datatype: Datatype::BYTE }, recv_tag(0, 1, 1000), compute(10.0)];
    let actions: &[&[Action]] = &[&sends, &[&receives[..], &[Action::WaitAll]].concat()];
    assert_ends(&in_order(), actions, &[0.0, 12.0]);
    assert_ends(&concurrent(), actions, &[0.0, 13.0]);
}

#[test]
fn a_wait_is_for_the_oldest_request_or_for_the_picked_one() {
    let wait = Action::Wait { source: 0, destination: 1, tag: 0 };
    let receive = Action::Irecv { from: 0, tag: 0, count: 1000, datatype: Datatype::BYTE };
    // Messages arrive after 2 us and, sent at 50 us, after 52 us.
    let sends: &[Action] = &[send(1, 1000), compute(50.0), send(1, 1000)];
    let oldest = [receive, receive, wait, compute(10.0), wait];
    let picked = [receive, receive, Action::Pick { nth: 1 }, wait, compute(10.0), wait];
    assert_ends(&in_order(), &[sends, &oldest], &[50.0, 52.0]);
    assert_ends(&in_order(), &[sends, &picked], &[50.0, 62.0]);
    // A pick beyond all requests finds none, as a wait without a request does, and is over with that wait.
    let beyond = [receive, receive, Action::Pick { nth: 2 }, wait, compute(10.0), wait, wait];
    assert_ends(&in_order(), &[sends, &beyond], &[50.0, 52.0]);
}

#[test]
fn a_large_message_waits_for_its_receive_and_then_for_its_turn() {
    // The small one takes from 1 to 61 us. The large one starts when its receive is posted, also at 0, and from 61 us
    // on has the link for 100 us. In the other order of the sends the large one goes first.
    let receives: &[Action] = &[
        Action::Irecv { from: 0, tag: 1, count: 60_000, datatype: Datatype::BYTE },
        Action::Irecv { from: 0, tag: 2, count: 100_000, datatype: Datatype::BYTE },
        recv_tag(0, 3, 0),
    ];
    let sends: &[Action] = &[isend(1, 1, 60_000), isend(1, 2, 100_000), Action::WaitAll];
    let marker: &[Action] = &[isend(1, 3, 0)];
    assert_ends(&in_order(), &[&[sends, marker].concat(), receives], &[161.0, 162.0]);
    // With the receive posted at 100 us, it takes from 101 to 201 us.
    let late: &[Action] = &[&[compute(100.0)], &receives[..2], &[Action::WaitAll]].concat();
    assert_ends(&in_order(), &[sends, late], &[201.0, 201.0]);
}

#[test]
fn a_latency_counts_where_the_connection_has_gone_idle() {
    // From 1 to 2 us, and, sent at 1.5 us, from 2.5 to 3.5 us.
    let receives = [recv(0, 1000), recv(0, 1000)];
    assert_ends(&in_order(), &[&[send(1, 1000), compute(1.5), send(1, 1000)], &receives], &[1.5, 3.5]);
    // Sent at 0.5 us, it would enter at 1.5 us, and follows at 2 us.
    assert_ends(&in_order(), &[&[send(1, 1000), compute(0.5), send(1, 1000)], &receives], &[0.5, 3.0]);
}

#[test]
fn other_pairs_share_links_as_ever() {
    // Two senders: 1 ms / 1 GB/s each, shared: 1 + 2 us. The same in both directions between two ranks.
    for model in [in_order(), concurrent()] {
        let receive = |from| Action::Irecv { from, tag: 0, count: 1000, datatype: Datatype::BYTE };
        let receives: &[Action] = &[receive(1), receive(2), Action::WaitAll];
        assert_ends(&model, &[receives, &[send(0, 1000)], &[send(0, 1000)]], &[3.0, 0.0, 0.0]);
        assert_ends(&model, &[&[send(1, 1000), recv(1, 1000)], &[send(0, 1000), recv(0, 1000)]], &[3.0, 3.0]);
    }
}

#[test]
fn a_put_takes_its_place_among_messages() {
    // The message of 1000 bytes from 1 to 2 us, the put from 2 to 4 us.
    let put = Action::Put { to: 1, window: CommunicatorId::WORLD, count: 2000, datatype: Datatype::BYTE };
    let flush = Action::Flush { window: CommunicatorId::WORLD, to: 1 };
    assert_ends(&in_order(), &[&[send(1, 1000), put, flush], &[recv(0, 1000)]], &[4.0, 2.0]);
}

#[test]
fn control_messages_come_before_the_data_of_a_rendezvous() {
    let with = |trips| {
        let mut model = in_order();
        model.mpi.rendezvous_trips = trips;
        model
    };
    let exchange = |model: &Model, before_send: f64, before_receive: f64, end: f64| {
        let sender: &[Action] = &[compute(before_send), send(1, 100_000)];
        assert_ends(model, &[sender, &[compute(before_receive), recv(0, 100_000)]], &[end, end]);
    };
    // 1 us of latency, 100 us of data; and 1 us for each control message.
    exchange(&with(0), 0.0, 0.0, 101.0);
    exchange(&with(1), 0.0, 0.0, 102.0);
    exchange(&with(2), 0.0, 0.0, 103.0);
    exchange(&with(2), 10.0, 0.0, 113.0);
    // The request has arrived by then, or arrives half a microsecond later.
    exchange(&with(2), 0.0, 10.0, 112.0);
    exchange(&with(2), 0.0, 0.5, 103.0);
    // Messages whose sender does not wait have none.
    assert_ends(&with(2), &[&[send(1, 1000)], &[recv(0, 1000)]], &[0.0, 2.0]);
}

#[test]
fn what_is_sent_during_control_messages_goes_first() {
    // Control messages until 2 us, so the large one could enter at 3 us. Sent at 1 us, the small one enters at 2 us and has
    // the connection until 52 us; the large one takes 100 us from there.
    let mut model = in_order();
    model.mpi.rendezvous_trips = 2;
    let sends: &[Action] = &[isend(1, 1, 100_000), compute(1.0), isend(1, 2, 50_000), Action::WaitAll];
    let receives: &[Action] = &[
        Action::Irecv { from: 0, tag: 1, count: 100_000, datatype: Datatype::BYTE },
        recv_tag(0, 2, 50_000),
        Action::WaitAll,
    ];
    assert_ends(&model, &[sends, receives], &[152.0, 152.0]);
}

#[test]
fn a_message_has_a_latency_of_its_own_and_packets_take_a_part_of_links() {
    // 1 us of the link and 24 us of the message; 1000 bytes at three quarters of the rate.
    let mut model = concurrent();
    model.network.message_latency = MessageLatency::constant(24e-6);
    model.network.packets = Some(Packets { payload: 1500, overhead: 500 });
    let outcome = |platform: &Platform, mapping: &Mapping| {
        let actions = [vec![send(1, 3000)].into(), vec![recv(0, 3000)].into()];
        let trace = Trace { actions: actions.into(), ..Trace::default() };
        let rank_map = mapping.rank_map(2, platform.hosts.len()).expect("hosts for all");
        replay(&trace, platform, &rank_map, &model, &mut ()).expect("runs")
    };
    let apart = outcome(&platform(2, 1), &Mapping::OneEach);
    assert!(close(apart.simulated_seconds, 29e-6), "{}", apart.simulated_seconds);
    // 4000 bytes of 29,000 that the link could have carried.
    assert!(close(apart.links[0].utilisation, 4.0 / 29.0), "{}", apart.links[0].utilisation);
    // Within a host there are neither packets nor a network.
    let together = outcome(&platform(1, 2), &Mapping::RoundRobin);
    assert!(close(together.simulated_seconds, 0.3e-6), "{}", together.simulated_seconds);
}

proptest! {
    /// On one connection, message k ends at `max(start + latency, end of k - 1) + size / bandwidth`.
    #[test]
    fn a_connection_is_a_queue(messages in prop::collection::vec((0u32..4000, 0u32..5000), 1..30)) {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        let (mut now, mut end) = (0.0f64, 0.0f64);
        for &(pause, bytes) in &messages {
            sends.extend([compute(f64::from(pause) * 1e-3), send(1, bytes)]);
            receives.push(recv(0, bytes));
            now += f64::from(pause) * 1e-9;
            end = end.max(now + LATENCY) + f64::from(bytes) / BANDWIDTH;
        }
        let found = ends(&in_order(), &[&sends, &receives]);
        prop_assert!((found[1] - end).abs() < 1e-11 * messages.len() as f64, "{} {}", found[1], end);
    }
}
