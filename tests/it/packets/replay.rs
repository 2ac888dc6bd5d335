//! Messages as packets: compared with closed forms and flows for the same transfers, and invariants on every network.

use super::identities::{NETWORKS, RULES};
use mopsim::ids::HostId;
use mopsim::network::maxmin::MaxMin;
use mopsim::network::model::{NetworkModel, Packets};
use mopsim::network::{Handshake, Medium, Network, PacketCounts, Precision, Transfers};
use mopsim::packets::PacketError;
use mopsim::packets::random::Stream;
use mopsim::packets::replay::Fabric;
use mopsim::platform::Platform;
use mopsim::study::choice::ModelChoice;
use mopsim::study::fabric::fabric;
use mopsim::study::network::NetworkChoice;
use mopsim::study::packet_choice::PacketChoice;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

pub(super) const MTU: u64 = 4096;
pub(super) const HEADER: u64 = 64;

/// A network with its fabric.
pub(super) struct Ground {
    pub platform: Arc<Platform>,
    pub fabric: Arc<Fabric>,
}

fn try_ground(spec: &str, network: &str, packet: &str) -> Result<Ground, PacketError> {
    let choice: NetworkChoice = toml::from_str(&format!("topology = {spec:?}\n{network}")).unwrap();
    let network = choice.build(Path::new("")).unwrap();
    let packet = if packet.is_empty() { None } else { Some(PacketChoice::parse(packet).unwrap()) };
    let model = ModelChoice { network_model: Some("packet".into()), packet, ..ModelChoice::default() };
    let fabric = fabric(&network, &model.build().unwrap().0)?.expect("the model has packets");
    Ok(Ground { platform: network.platform.clone(), fabric })
}

pub(super) fn ground(spec: &str, network: &str, packet: &str) -> Ground {
    try_ground(spec, network, packet).unwrap_or_else(|error| panic!("{spec} {packet}: {error}"))
}

/// A message: its start, source and destination host, and its bytes.
pub(super) type Start = (f64, u32, u32, u64);

/// Returns the arrival of each message. Starts are in time order.
fn run(network: &mut impl Transfers, starts: &[Start]) -> Vec<f64> {
    let precision = Precision { transfers: 0.0, others: 1e-12 };
    let mut arrivals = vec![f64::NAN; starts.len()];
    let (mut now, mut next, mut finished) = (0.0, 0, Vec::new());
    loop {
        while next < starts.len() && starts[next].0 <= now {
            let (_, from, to, bytes) = starts[next];
            network.start(now, (HostId(from), HostId(to)), (from, to), bytes, next as u32).unwrap();
            next += 1;
        }
        let quiet = starts.get(next).map(|start| start.0 - now);
        let event = network.next_delay(now, quiet);
        let Some(delay) = [event, quiet].into_iter().flatten().reduce(f64::min) else { break };
        now = if quiet == Some(delay) { starts[next].0 } else { now + delay };
        network.advance(now, delay, precision, &mut finished);
        finished.drain(..).for_each(|tag| arrivals[tag as usize] = now);
    }
    assert!(network.is_idle());
    assert!(arrivals.iter().all(|time| time.is_finite()), "all messages arrive");
    arrivals
}

impl Ground {
    pub fn packets(&self, starts: &[Start]) -> Vec<f64> {
        run(&mut self.fabric.carrier(&self.platform, false), starts)
    }

    pub fn counts(&self, starts: &[Start]) -> (PacketCounts, Vec<(u64, u64)>) {
        let mut carrier = self.fabric.carrier(&self.platform, false);
        run(&mut carrier, starts);
        (carrier.packets().expect("packets are counted"), carrier.traffic(f64::INFINITY))
    }

    /// Max-min fair flows on the part of links that headers leave.
    fn flows(&self, starts: &[Start]) -> Vec<f64> {
        let packets = Some(Packets { payload: MTU, overhead: HEADER });
        let model = NetworkModel { packets, ..NetworkModel::ideal() };
        run(&mut Network::<MaxMin>::new(&self.platform, &model), starts)
    }

    pub fn latency(&self, from: u32, to: u32) -> f64 {
        let mut links = Vec::new();
        self.platform.route(HostId(from), HostId(to), &mut links).unwrap();
        links.iter().map(|link| self.platform.links[link.index()].latency).sum()
    }

    pub fn bandwidth(&self) -> f64 {
        self.platform.links[0].bandwidth
    }
}

/// Bytes of a message on a link.
pub(super) fn on_the_wire(bytes: u64) -> u64 {
    bytes + bytes.div_ceil(MTU).max(1) * HEADER
}

#[test]
fn a_message_alone_takes_latency_and_bytes_over_bandwidth() {
    NETWORKS.par_iter().for_each(|spec| {
        let ground = ground(spec, "", "");
        let hosts = ground.platform.hosts.len() as u32;
        for (from, to) in [(0, hosts - 1), (hosts / 2, 0), (hosts - 1, hosts / 3)] {
            if from == to {
                continue;
            }
            for bytes in [0, 1, 100, MTU - 1, MTU, MTU + 1, 10_000, 65_536, 1 << 20, 3_000_001] {
                let [found] = ground.packets(&[(0.0, from, to, bytes)])[..] else { panic!("one arrival") };
                let expected = ground.latency(from, to) + on_the_wire(bytes) as f64 / ground.bandwidth();
                // Times are whole picoseconds, rounded on each link.
                assert!((found - expected).abs() < 50e-12, "{spec}: {from} to {to}, {bytes}: {found} {expected}");
                if bytes >= 1 << 20 {
                    let [flow] = ground.flows(&[(0.0, from, to, bytes)])[..] else { panic!("one arrival") };
                    assert!((found / flow - 1.0).abs() < 0.005, "{spec}: {found} {flow}");
                }
            }
        }
    });
}

#[test]
fn a_message_of_64_mb_takes_as_long_as_its_flow() {
    for spec in ["torus:4x4", "dragonfly:a=3,h=1", "imase_itoh:n=20,d=3"] {
        let ground = ground(spec, "", "");
        let start = [(0.0, 1, 7, 64 << 20)];
        let (found, flow) = (ground.packets(&start)[0], ground.flows(&start)[0]);
        let packet = (MTU + HEADER) as f64 / ground.bandwidth();
        assert!((found - flow).abs() < packet, "{spec}: {found} {flow}");
    }
}

/// Hosts slower than cables: at the first switch a packet waits for its tail, at the last it flows on.
#[test]
fn packets_are_stored_where_links_become_faster() {
    let fast = ground("mesh:3", "parameters = { link_bandwidth = '20 GB/s', host_link_bandwidth = '5 GB/s' }", "");
    for bytes in [1000, MTU, 1 << 20] {
        let first = (bytes.min(MTU) + HEADER) as f64 / 5e9;
        let expected = fast.latency(0, 2) + on_the_wire(bytes) as f64 / 5e9 + first;
        let found = fast.packets(&[(0.0, 0, 2, bytes)])[0];
        // The last packet of a message may be shorter, and has less to wait for.
        assert!((found - expected).abs() < 50e-12, "{bytes}: {found} {expected}");
    }
    // Fast hosts and a slow cable: the last packet waits for its tail at the last switch.
    let slow = ground("mesh:2", "parameters = { link_bandwidth = '5 GB/s', host_link_bandwidth = '20 GB/s' }", "");
    let found = slow.packets(&[(0.0, 0, 1, 1 << 20)])[0];
    let expected = slow.latency(0, 1) + on_the_wire(1 << 20) as f64 / 5e9 + (MTU + HEADER) as f64 / 20e9;
    assert!((found - expected).abs() < 50e-12, "{found} {expected}");
}

#[test]
fn messages_into_one_host_share_its_link() {
    for (spec, senders) in [("star:9", 7), ("torus:4x4", 5), ("full_mesh:6", 4)] {
        let ground = ground(spec, "", "");
        let starts: Vec<Start> = (1..=senders).map(|from| (0.0, from, 0, 1 << 20)).collect();
        let found = ground.packets(&starts).into_iter().fold(0.0, f64::max);
        let expected = f64::from(senders) * on_the_wire(1 << 20) as f64 / ground.bandwidth();
        assert!((found / expected - 1.0).abs() < 0.01, "{spec}: {found} {expected}");
    }
}

#[test]
fn two_messages_over_a_cable_get_half_each() {
    // Two hosts on each of two switches, and one cable between these.
    let ground = ground("mesh:2", "parameters = { hosts_per_switch = 2 }", "");
    let starts = [(0.0, 0, 2, 1 << 20), (0.0, 1, 3, 1 << 20)];
    let (found, flows) = (ground.packets(&starts), ground.flows(&starts));
    for (found, flow) in found.iter().zip(&flows) {
        assert!((found / flow - 1.0).abs() < 0.02, "{found} {flow}");
    }
    // A message of half the size ends midway.
    let starts = [(0.0, 0, 2, 1 << 20), (0.0, 1, 3, 1 << 19)];
    let (found, flows) = (ground.packets(&starts), ground.flows(&starts));
    for (found, flow) in found.iter().zip(&flows) {
        assert!((found / flow - 1.0).abs() < 0.02, "{found} {flow}");
    }
}

/// Shifts along a ring of a torus or a Cayley-like graph: each cable that is used has equally many flows.
#[test]
fn permutations_over_evenly_shared_cables_get_max_min_rates() {
    let shift = |hosts: u32, by: u32| (0..hosts).map(move |from| (0.0, from, (from + by) % hosts, 1 << 20));
    for (spec, by) in [("ring:8", 1), ("ring:9", 3), ("torus:4x4", 4), ("torus:8x8", 16), ("full_mesh:7", 2)] {
        let ground = ground(spec, "", "");
        let starts: Vec<Start> = shift(ground.platform.hosts.len() as u32, by).collect();
        let (found, flows) = (ground.packets(&starts), ground.flows(&starts));
        for (at, (found, flow)) in found.iter().zip(&flows).enumerate() {
            assert!((found / flow - 1.0).abs() < 0.03, "{spec} by {by}, message {at}: {found} {flow}");
        }
    }
}

/// Along a line an output allocates half to the joining traffic and half to the traffic that is on the line already, so
/// the nearest host gets half of the last cable, where flows would allocate equal shares. Packets and flows disagree
/// here by design.
#[test]
fn a_parking_lot_halves_at_each_merge() {
    let bytes = 4 << 20;
    // The nearest host is on switch 1, which sends over the cable to switch 0.
    let starts: Vec<Start> = (1..5).map(|from| (0.0, from, 0, bytes)).collect();
    let in_wholes = |times: &[f64], ground: &Ground| -> Vec<f64> {
        let whole = on_the_wire(bytes) as f64 / ground.bandwidth();
        times.iter().map(|time| time / whole).collect()
    };
    let near = |found: &[f64], expected: [f64; 4]| {
        found.iter().zip(expected).all(|(found, expected)| (found / expected - 1.0).abs() < 0.02)
    };
    let one_channel = ground("mesh:5", "", "routing=dimension-order,vcs=1");
    let flows = in_wholes(&one_channel.flows(&starts), &one_channel);
    assert!(near(&flows, [4.0; 4]), "{flows:?}");
    // A half, a quarter and twice an eighth; once the first is done, a half and twice a quarter, and then a half each.
    let packets = in_wholes(&one_channel.packets(&starts), &one_channel);
    assert!(near(&packets, [2.0, 3.0, 4.0, 4.0]), "{packets:?}");
    // Hop by hop on channels of their own, those that share an input take turns there.
    let by_hops = ground("mesh:5", "", "");
    let packets = in_wholes(&by_hops.packets(&starts), &by_hops);
    assert!(near(&packets, [2.0, 4.0, 4.0, 4.0]), "{packets:?}");
}

#[test]
fn hosts_send_in_turns_or_one_message_after_the_other() {
    let whole = |ground: &Ground| on_the_wire(1 << 20) as f64 / ground.bandwidth();
    let starts = [(0.0, 0, 1, 1 << 20), (0.0, 0, 2, 1 << 20)];
    let turns = ground("star:4", "", "injection=turns");
    let found = turns.packets(&starts);
    assert!(found.iter().all(|time| (time / (2.0 * whole(&turns)) - 1.0).abs() < 0.01), "{found:?}");
    let in_line = ground("star:4", "", "injection=first-come");
    let found = in_line.packets(&starts);
    assert!((found[0] / whole(&in_line) - 1.0).abs() < 0.01, "{found:?}");
    assert!((found[1] / (2.0 * whole(&in_line)) - 1.0).abs() < 0.01, "{found:?}");
}

#[test]
fn a_window_of_one_sends_a_packet_when_the_last_has_arrived() {
    let ground = ground("torus:4x4", "", "window=1");
    let found = ground.packets(&[(0.0, 0, 5, 8 * MTU)])[0];
    let expected = 8.0 * (ground.latency(0, 5) + (MTU + HEADER) as f64 / ground.bandwidth());
    assert!((found - expected).abs() < 1e-10, "{found} {expected}");
}

#[test]
fn control_messages_are_packets() {
    let ground = ground("torus:4x4", "", "");
    let mut carrier = ground.fabric.carrier(&ground.platform, false);
    let handshake = Handshake { trips: 1, requested: 0.0 };
    let hosts = (HostId(0), HostId(5));
    Transfers::start_after(&mut carrier, handshake, 0.0, hosts, (0, 5), 1 << 20, 0).unwrap();
    let found = carrier.next_delay(0.0, None).unwrap();
    let clear_to_send = ground.latency(5, 0) + HEADER as f64 / ground.bandwidth();
    let expected = clear_to_send + ground.latency(0, 5) + on_the_wire(1 << 20) as f64 / ground.bandwidth();
    assert!((found - expected).abs() < 50e-12, "{found} {expected}");
    assert_eq!(carrier.packets().unwrap().packets, 1 + (1 << 20) / MTU);
}

#[test]
fn messages_within_a_host_take_the_loopback() {
    let ground = ground("torus:4x4", "", "");
    let found = ground.packets(&[(0.0, 3, 3, 1_000_000)])[0];
    let loopback = &ground.platform.links[ground.platform.loopback.unwrap().index()];
    assert!((found - (loopback.latency + 1e6 / loopback.bandwidth)).abs() < 2e-12, "{found}");
}

/// Random messages of all sizes between random hosts, at random times.
pub(super) fn traffic(hosts: u32, count: usize, seed: u64) -> Vec<Start> {
    let mut stream = Stream::new(seed, 0);
    let mut starts: Vec<Start> = (0..count)
        .map(|_| {
            let bytes = 1_u64 << stream.below(18);
            let at = f64::from(stream.below(20)) * 1e-6;
            (at, stream.below(hosts), stream.below(hosts), bytes + u64::from(stream.below(1000)))
        })
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    starts
}

#[test]
fn every_rule_delivers_everything_on_every_network() {
    let pairs: Vec<(&str, &str)> =
        NETWORKS.iter().flat_map(|&spec| RULES.iter().map(move |&rule| (spec, rule))).collect();
    let ran: usize = pairs
        .par_iter()
        .map(|&(spec, rule)| {
            // Small buffers cause much blocking.
            let ground = match try_ground(spec, "", &format!("routing={rule},buffer=2,mtu=1024")) {
                Ok(ground) => ground,
                Err(PacketError::Unsuitable { .. }) => return 0,
                Err(error) => panic!("{spec} {rule}: {error}"),
            };
            let hosts = ground.platform.hosts.len() as u32;
            let starts = traffic(hosts, 120, 7);
            let (counts, links) = ground.counts(&starts);
            let remote = || starts.iter().filter(|start| start.1 != start.2);
            let packets: u64 = remote().map(|start| start.3.div_ceil(1024).max(1)).sum();
            assert_eq!(counts.packets, packets, "{spec} {rule}");
            // The traffic that leaves a host is the traffic that it had to send.
            for host in 0..hosts {
                let Some(up) = ground.platform.routes.host_links(HostId(host))[0] else { continue };
                let own = || remote().filter(|start| start.1 == host);
                let bytes: u64 = own().map(|start| start.3 + start.3.div_ceil(1024).max(1) * HEADER).sum();
                assert_eq!(links[up.index()], (own().count() as u64, bytes), "{spec} {rule}, host {host}");
            }
            let one = ground.packets(&starts);
            assert_eq!(one, ground.packets(&starts), "{spec} {rule}: the same bits");
            1
        })
        .sum();
    assert!(ran > 6 * NETWORKS.len(), "{ran} pairs");
}

/// Static routes keep the order of a message's packets; adaptive ones need not.
#[test]
fn packets_overtake_each_other_only_where_routes_differ() {
    let starts = traffic(64, 2000, 3);
    let of = |rule: &str| ground("torus:8x8", "", &format!("routing={rule}")).counts(&starts).0.out_of_order;
    assert_eq!(of("static:bfs"), 0);
    assert!(of("amin") > 0);
}

/// No message is faster than alone on the network with shortest routes, and the whole not faster than its busiest link.
#[test]
fn traffic_is_not_faster_than_links() {
    for spec in ["torus:4x4", "random:n=20,d=4", "fat_tree2:4", "imase_itoh:n=20,d=3"] {
        for rule in ["static:bfs", "amin", "escape:free", "ugal"] {
            let Ok(ground) = try_ground(spec, "", &format!("routing={rule}")) else { continue };
            let starts = traffic(ground.platform.hosts.len() as u32, 500, 11);
            let arrivals = ground.packets(&starts);
            for (start, arrival) in starts.iter().zip(&arrivals).filter(|(start, _)| start.1 != start.2) {
                let alone = ground.latency(start.1, start.2) + on_the_wire(start.3) as f64 / ground.bandwidth();
                // Another shortest path may have shorter cables than the route of the platform.
                assert!(*arrival > start.0 + 0.9 * alone, "{spec} {rule}: {start:?} {arrival} {alone}");
            }
            let (_, links) = ground.counts(&starts);
            let last = arrivals.iter().copied().fold(0.0, f64::max);
            for (link, (_, bytes)) in ground.platform.links.iter().zip(links) {
                assert!(bytes as f64 / link.bandwidth <= last, "{spec} {rule}: {}", link.name);
            }
        }
    }
}

#[test]
fn what_packets_do_not_model_is_refused_by_name() {
    let error = |spec: &str, network: &str, packet: &str| try_ground(spec, network, packet).err().unwrap().to_string();
    let shared = error("torus:4x4", "parameters = { duplex = 'shared' }", "");
    assert!(shared.contains("torus") && shared.contains("duplex = `shared`"), "{shared}");
    let few = error("torus:8x8", "", "routing=amin,vcs=3");
    assert!(few.contains("`amin`") && few.contains("needs 8 virtual channels, but has 3"), "{few}");
    let unsuitable = error("random:n=20,d=4", "", "routing=dimension-order");
    assert!(unsuitable.contains("dimension-order"), "{unsuitable}");
    let choice = |packet: &str, with: ModelChoice| {
        let model = ModelChoice { network_model: Some(format!("packet{packet}")), ..with };
        model.build().unwrap_err().to_string()
    };
    let plain = ModelChoice::default;
    assert!(choice(":mtu=0", plain()).contains("packet mtu: `0`"));
    assert!(choice(":mtu=64,header=65", plain()).contains("packet header: `65` is a header of more bytes"));
    assert!(choice(":mtus=64", plain()).contains("did you mean `mtu`?"));
    assert!(choice(":routing=amim", plain()).contains("amim"));
    assert!(choice(":vcs=65", plain()).contains("is not from 1 to 64"));
    assert!(choice(":window=x", plain()).contains("is not a whole number"));
    let factor = ModelChoice { bandwidth_factor: Some("0.97".into()), ..plain() };
    assert!(choice("", factor).starts_with("bandwidth-factor: `0.97` is not possible with the model packet"));
    let lazy = ModelChoice { sharing: Some("simgrid-lazy".into()), ..plain() };
    assert!(choice("", lazy).starts_with("sharing: `simgrid-lazy` is not possible with the model packet"));
}
