//! Messages as packets where hosts have several ports.

use super::replay::{Ground, HEADER, MTU, Start, ground, on_the_wire, traffic};
use mopsim::ids::HostId;
use mopsim::network::{Handshake, Medium, Precision, Transfers};

/// Tolerance in seconds: times inside are whole picoseconds.
const SLACK: f64 = 50e-12;

fn planes(policy: &str) -> Ground {
    ground("rails:base=\"torus:4x4\",planes=2", &format!("parameters = {{ rail = \"{policy}\" }}"), "")
}

#[test]
fn one_port_in_one_plane_is_the_plane_itself() {
    let starts = traffic(16, 300, 5);
    for policy in ["message", "destination", "striped"] {
        let parameters = format!("parameters = {{ rail = \"{policy}\" }}");
        let one = ground("rails:base=\"torus:4x4\",planes=1", &parameters, "");
        let plain = ground("torus:4x4", "", "");
        assert_eq!(one.packets(&starts), plain.packets(&starts), "{policy}");
        assert_eq!(one.counts(&starts), plain.counts(&starts), "{policy}");
    }
}

#[test]
fn planes_by_destination_are_networks_of_their_own() {
    let starts = traffic(16, 300, 6);
    let both = planes("destination").packets(&starts);
    let plain = ground("torus:4x4", "", "");
    for rail in 0..2 {
        let own: Vec<usize> = (0..starts.len()).filter(|&at| starts[at].2 % 2 == rail).collect();
        let alone = plain.packets(&own.iter().map(|&at| starts[at]).collect::<Vec<Start>>());
        let among: Vec<f64> = own.iter().map(|&at| both[at]).collect();
        assert_eq!(among, alone, "rail {rail}");
    }
}

#[test]
fn messages_of_a_pair_in_turn_do_not_share_a_plane() {
    let (two, one) = (planes("message"), ground("torus:4x4", "", ""));
    let starts = [(0.0, 0, 5, 1 << 20), (0.0, 0, 5, 1 << 20)];
    let alone = one.packets(&starts[..1])[0];
    assert_eq!(two.packets(&starts), [alone; 2]);
    assert!(one.packets(&starts)[1] > 1.9 * alone, "in one plane they share its cables");
}

#[test]
fn a_divided_message_takes_both_planes_and_a_packet_one() {
    let two = planes("striped");
    let route = |bytes: u64| two.latency(0, 5) + on_the_wire(bytes) as f64 / two.bandwidth();
    let found = two.packets(&[(0.0, 0, 5, 1 << 20)])[0];
    assert!((found - route(1 << 19)).abs() < SLACK, "{found}");
    let (counts, traffic) = two.counts(&[(0.0, 0, 5, 1 << 20)]);
    assert_eq!(counts.packets, (1 << 20) / MTU, "no packet more than in one plane");
    let cables = two.platform.links.iter().zip(&traffic).filter(|(link, _)| !link.name.contains('h'));
    let carried: Vec<(u64, u64)> = cables.map(|(_, carried)| *carried).filter(|carried| carried.1 > 0).collect();
    assert_eq!(carried, [(1, on_the_wire(1 << 19)); 4], "two cables in each plane");
    // Three packets: two in one plane, the last and shorter one in the other.
    let uneven = two.packets(&[(0.0, 0, 5, 2 * MTU + 100)])[0];
    assert!((uneven - route(2 * MTU)).abs() < SLACK, "{uneven}");
    // Single packets take the planes in turn.
    let small = [(0.0, 0, 5, 64), (0.0, 0, 5, 64)];
    assert_eq!(two.counts(&small).0.packets, 2);
    two.packets(&small).iter().for_each(|found| assert!((found - route(64)).abs() < SLACK, "{found}"));
}

#[test]
fn each_part_has_its_own_clear_to_send() {
    let two = planes("striped");
    let mut carrier = two.fabric.carrier(&two.platform, false);
    let handshake = Handshake { trips: 1, requested: 0.0 };
    Transfers::start_after(&mut carrier, handshake, 0.0, (HostId(0), HostId(5)), (0, 5), 1 << 20, 0).unwrap();
    let found = carrier.next_delay(0.0, None).unwrap();
    let clear_to_send = two.latency(5, 0) + HEADER as f64 / two.bandwidth();
    let expected = clear_to_send + two.latency(0, 5) + on_the_wire(1 << 19) as f64 / two.bandwidth();
    assert!((found - expected).abs() < SLACK, "{found} {expected}");
    assert_eq!(carrier.packets().unwrap().packets, 2 + (1 << 20) / MTU);
}

#[test]
fn links_crossed_are_those_of_a_whole_message() {
    for policy in ["message", "destination", "striped"] {
        let two = planes(policy);
        let mut carrier = two.fabric.carrier(&two.platform, false);
        let start = |carrier: &mut _, to: u32, tag| {
            Transfers::start(carrier, 0.0, (HostId(0), HostId(to)), (0, to), 1 << 20, tag).unwrap();
        };
        start(&mut carrier, 5, 0);
        start(&mut carrier, 1, 1);
        while let Some(delay) = carrier.next_delay(0.0, None) {
            let mut finished = Vec::new();
            carrier.advance(delay, delay, Precision { transfers: 0.0, others: 0.0 }, &mut finished);
        }
        // Two cables and one, each with the links of two hosts.
        assert_eq!(carrier.links_crossed(), 7.0, "{policy}");
    }
}

#[test]
fn several_ports_in_one_plane_share_its_cables_but_no_port() {
    // Host 0 has ports on switches 0 and 1 of the ring, host 2 on 2 and 3: each rail has two cables between them.
    let ring = ground("rails:base=\"ring:4\",ports=2", "parameters = { rail = \"striped\" }", "");
    let found = ring.packets(&[(0.0, 0, 2, 1 << 20)])[0];
    let plain = ground("ring:4", "", "").packets(&[(0.0, 0, 2, 1 << 19)])[0];
    assert!(found >= plain && found < 2.1 * plain, "{found} {plain}");
    let (_, carried) = ring.counts(&[(0.0, 0, 2, 1 << 20)]);
    let of_host = |link: &str| carried[ring.platform.links.iter().position(|own| own.name == link).unwrap()].1;
    assert_eq!(["h0->0", "h0->1", "2->h2", "3->h2"].map(of_host), [on_the_wire(1 << 19); 4]);
}

#[test]
fn ports_on_a_switch_that_failed_are_left_out() {
    let starts = traffic(16, 300, 7);
    let damaged = "damaged:base=\"rails:base=torus:4x4,planes=2\",without=3";
    for policy in ["message", "destination", "striped"] {
        let left = ground(damaged, &format!("parameters = {{ rail = \"{policy}\" }}"), "");
        let arrivals = left.packets(&starts);
        assert!(arrivals.iter().all(|time| time.is_finite()));
        // All messages of host 3 take its other port.
        let (_, carried) = left.counts(&starts);
        let names: Vec<&str> = left.platform.links.iter().map(|link| &*link.name).collect();
        let of = |link: &str| carried[names.iter().position(|name| *name == link).unwrap()].1;
        assert_eq!([of("h3->3"), of("3->h3")], [0, 0], "{policy}");
        assert!(of("h3->19") > 0 && of("19->h3") > 0 && of("h4->4") > 0, "{policy}");
    }
}
