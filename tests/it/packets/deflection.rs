//! Deflection: a slow second implementation, rows of an independent model, and what no network may do.

use super::identities::{NETWORKS, uniform};
use mopsim::packets::PacketError;
use mopsim::packets::deflection::{DeflectionEngine, DeflectionNetwork};
use mopsim::packets::destinations::Destinations;
use mopsim::packets::parameters::{HostPort, Parameters};
use mopsim::packets::random::Stream;
use mopsim::packets::routing::{self, Ready};
use mopsim::packets::run::{Mode, Outcome, Trial};
use mopsim::packets::simulation::Simulation;
use mopsim::packets::source::{ListedPacket, PacketList, PacketSource, Process};
use mopsim::packets::statistics::{Counts, Logged, Window};
use mopsim::packets::wiring::Wiring;
use mopsim::platform::HostsPerSwitch;
use mopsim::topology;
use mopsim::traffic::Evenly;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

fn network(spec: &str, hosts: u32, parameters: Parameters) -> Option<DeflectionNetwork> {
    let topology = Arc::new(topology::build(spec).unwrap());
    let per_switch = (hosts > 0).then_some(HostsPerSwitch::Uniform(hosts));
    let wiring = Wiring::new(topology, per_switch, parameters.host_port, parameters.link_delay).unwrap();
    let wiring = Arc::new(wiring);
    match routing::ready("deflection", &wiring, None, 1) {
        Ok(Ready::Deflection(tables)) => Some(DeflectionNetwork { wiring, tables, parameters }),
        Ok(Ready::Buffered(..)) => panic!("deflection has no buffers"),
        Err(PacketError::Unsuitable { .. }) => None,
        Err(error) => panic!("{spec}: {error}"),
    }
}

/// Hops from every switch to every other one, by a search from each.
fn distances(wiring: &Wiring) -> Vec<Vec<u32>> {
    let n = wiring.switches() as u32;
    let from = |source: u32| {
        let mut distance = vec![u32::MAX; n as usize];
        distance[source as usize] = 0;
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(at) = queue.pop_front() {
            for cable in 0..wiring.out_cables(at) {
                let next = wiring.far_end(at, cable).switch;
                if distance[next as usize] == u32::MAX {
                    distance[next as usize] = distance[at as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        distance
    };
    (0..n).map(from).collect()
}

/// Packets of `hosts` hosts in the first `until` cycles, of random lengths up to `flits`.
fn random_list(hosts: u32, until: u32, rate: f64, flits: u32, seed: u64) -> Vec<ListedPacket> {
    let mut stream = Stream::new(seed, 0);
    let mut list = Vec::new();
    for created in 0..until {
        for from in 0..hosts {
            if stream.unit() < rate {
                let (to, flits) = (stream.below(hosts), 1 + stream.below(flits));
                list.push(ListedPacket { id: list.len() as u64, from, to, created, flits });
            }
        }
    }
    list
}

fn run_list(
    network: &DeflectionNetwork,
    list: Vec<ListedPacket>,
    window: Window,
) -> (Vec<Logged>, Counts, DeflectionEngine) {
    let packets = list.len() as u64;
    let list = Arc::new(PacketList::new(list, network.wiring.hosts()).unwrap());
    let mut engine = DeflectionEngine::new(network, PacketSource::Listed(list), 3, window, true).unwrap();
    engine.run_until_empty(packets).unwrap();
    (engine.log(), engine.counts(), engine)
}

/// Packet of the reference.
#[derive(Clone)]
struct Walker {
    packet: ListedPacket,
    at: u32,
    slot: u32,
    hops: u32,
    entered: u32,
}

/// The rules as they are written, packet by packet, from the whole list of packets in every slot; for networks with one
/// shortest path for each pair, where nothing is random.
fn reference(network: &DeflectionNetwork, list: &[ListedPacket]) -> Vec<Logged> {
    let (wiring, p) = (&network.wiring, &network.parameters);
    let far = distances(wiring);
    let slot = list.iter().map(|packet| packet.flits).max().unwrap();
    let hop = (p.routing_delay + p.vc_delay + p.switch_delay + p.crossing_delay + p.link_delay).div_ceil(slot);
    let last = p.routing_delay + p.vc_delay + p.switch_delay + p.crossing_delay + p.host_delay;
    let mut waiting = list.to_vec();
    let (mut walking, mut log) = (Vec::<Walker>::new(), Vec::new());
    let mut t = 0;
    while log.len() < list.len() {
        let mut arrive = |walker: &Walker, t: u32| {
            let head = t * slot + last;
            let (id, hops) = (walker.packet.id, walker.hops);
            log.push(Logged { id, injected: walker.entered, head, tail: head + walker.packet.flits - 1, hops });
        };
        let mut moved = Vec::new();
        for s in 0..wiring.switches() as u32 {
            let port = |host: u32| if p.host_port == HostPort::Shared { wiring.switch_of(host) } else { host };
            let mut served = Vec::new();
            let mut here: Vec<Walker> =
                walking.iter().filter(|walker| walker.slot == t && walker.at == s).cloned().collect();
            here.sort_by_key(|walker| (u32::MAX - walker.hops, walker.packet.created, walker.packet.from));
            let mut leaving = Vec::new();
            for walker in here {
                let to = walker.packet.to;
                if wiring.switch_of(to) == s && !served.contains(&port(to)) {
                    served.push(port(to));
                    arrive(&walker, t);
                } else {
                    leaving.push(walker);
                }
            }
            let hosts = wiring.hosts_of(s);
            let mut entered = 0;
            for turn in 0..hosts {
                let from = wiring.host_first[s as usize] + (t + turn) % hosts;
                let first = waiting.iter().position(|packet| packet.from == from);
                let Some(place) = first.filter(|&place| waiting[place].created + p.host_delay < t * slot) else {
                    continue;
                };
                if p.host_port == HostPort::Shared && entered > 0 {
                    continue;
                }
                let packet = waiting[place];
                let walker = Walker { packet, at: s, slot: t, hops: 0, entered: t * slot - p.host_delay - 1 };
                if wiring.switch_of(packet.to) == s {
                    if served.contains(&port(packet.to)) {
                        continue;
                    }
                    served.push(port(packet.to));
                    arrive(&walker, t);
                } else if leaving.len() < wiring.out_cables(s) as usize {
                    leaving.push(walker);
                } else {
                    continue;
                }
                entered += 1;
                waiting.remove(place);
            }
            let mut free: Vec<u32> = (0..wiring.out_cables(s)).collect();
            for pass in [true, false] {
                leaving.retain_mut(|walker| {
                    let target = wiring.switch_of(walker.packet.to);
                    let left = |cable: &u32| far[wiring.far_end(s, *cable).switch as usize][target as usize];
                    let best = free.iter().copied().min_by_key(|cable| (left(cable), *cable)).unwrap();
                    if pass && left(&best) + 1 != far[s as usize][target as usize] {
                        return true;
                    }
                    free.retain(|&cable| cable != best);
                    walker.at = wiring.far_end(s, best).switch;
                    (walker.slot, walker.hops) = (t + hop, walker.hops + 1);
                    moved.push(walker.clone());
                    false
                });
            }
        }
        walking.retain(|walker| walker.slot > t);
        walking.extend(moved);
        t += 1;
        assert!(t < 100_000, "packets are lost");
    }
    log.sort_by_key(|packet| packet.id);
    log
}

/// On one-way networks with a single shortest path for each pair, every packet enters and arrives in the cycle of the
/// reference: light and heavy traffic, own and shared ports, hops of one slot and of several, packets of mixed length.
#[test]
fn packets_move_as_in_a_slow_second_implementation() {
    let base = Parameters::default();
    let kinds = [
        (base.clone(), 9),
        (base.clone(), 1),
        (Parameters { host_port: HostPort::Shared, ..base.clone() }, 4),
        (Parameters { routing_delay: 4, link_delay: 5, host_delay: 3, ..base }, 6),
    ];
    let mut deflected = 0;
    for spec in ["kautz:d=2,k=3", "kautz:d=3,k=2", "de_bruijn:d=2,k=4"] {
        for (parameters, flits) in &kinds {
            for (rate, hosts) in [(0.05, 1), (0.2, 2), (0.9, 1)] {
                let network = network(spec, hosts, parameters.clone()).unwrap();
                let rate = rate / f64::from(*flits);
                let list = random_list(network.wiring.hosts(), 60 * flits, rate, *flits, u64::from(*flits));
                let window = Window { from: 0, until: 1000 };
                let (log, ..) = run_list(&network, list.clone(), window);
                assert_eq!(log, reference(&network, &list), "{spec} {rate} {hosts} {parameters:?}");
                let far = distances(&network.wiring);
                let switch = |host: u32| network.wiring.switch_of(host) as usize;
                deflected += list
                    .iter()
                    .zip(&log)
                    .filter(|(packet, logged)| {
                        logged.hops > far[switch(packet.from)][network.wiring.switch_of(packet.to) as usize]
                    })
                    .count();
            }
        }
    }
    assert!(deflected > 1000, "{deflected}");
}

/// On every family, at a load above what it carries: all packets arrive, over no fewer cables than their distance; what
/// is sent is what arrives, cables carry a packet a slot at most, and Little's law holds exactly.
#[test]
fn no_packet_is_lost_on_any_family() {
    let fits: Vec<bool> = NETWORKS
        .par_iter()
        .enumerate()
        .map(|(index, spec)| {
            let port = if index % 2 == 0 { HostPort::Own } else { HostPort::Shared };
            let flits = 1 + index as u32 % 7;
            let parameters = Parameters {
                host_port: port,
                packet: flits,
                link_delay: 1 + index as u32 % 3,
                ..Parameters::default()
            };
            let Some(network) = network(spec, 0, parameters) else { return false };
            let wiring = &network.wiring;
            let window = Window { from: 100, until: 900 };
            let list = random_list(wiring.hosts(), 800, 0.7 / f64::from(flits), flits, index as u64);
            let (log, counts, engine) = run_list(&network, list.clone(), window);
            let far = distances(wiring);
            assert_eq!((log.len(), engine.inside()), (list.len(), 0), "{spec}");
            assert!(engine.is_drained(), "{spec}");
            let (mut passages, mut stays, mut most) = (0, 0, 0);
            for (packet, logged) in list.iter().zip(&log) {
                assert_eq!(packet.id, logged.id);
                let (from, to) = (wiring.switch_of(packet.from), wiring.switch_of(packet.to));
                let distance = far[from as usize][to as usize];
                assert!(logged.hops >= distance, "{spec}: {logged:?} over a distance of {distance}");
                assert_eq!(logged.tail - logged.head + 1, packet.flits, "{spec}");
                assert!(logged.injected >= packet.created, "{spec}");
                passages += u64::from(packet.flits) * (u64::from(logged.hops) + 1);
                stays += window.after(logged.injected) as i64 - window.after(logged.tail) as i64;
                if window.has(packet.created) {
                    most = logged.hops.max(most);
                }
            }
            assert_eq!((counts.passages, counts.inside, counts.most_hops), (passages, stays, most), "{spec}");
            let accepted: u64 = engine.accepted().into_iter().map(u64::from).sum();
            assert_eq!(accepted, counts.flits_accepted, "{spec}");
            let cables = engine.arc_flits();
            assert_eq!(cables.iter().copied().map(u64::from).sum::<u64>(), counts.cable_flits, "{spec}");
            assert!(cables.iter().all(|&flits| flits <= window.cycles()), "{spec}");
            // A host takes one packet a slot, and so does the shared port of a switch.
            let mut heads = HashMap::<(u32, u32), u32>::new();
            for (packet, logged) in list.iter().zip(&log) {
                let port = if port == HostPort::Own { packet.to } else { wiring.switch_of(packet.to) };
                *heads.entry((port, logged.head)).or_default() += 1;
            }
            assert!(heads.values().all(|&count| count == 1), "{spec}");
            // The packet with the most hops gets nearer with each hop, so that a packet waits for those before it only.
            let diameter = far.iter().flatten().copied().filter(|&hops| hops < u32::MAX).max().unwrap();
            let places = wiring.topology.graph.arcs() as u32 * network.hop_slots();
            assert!(counts.most_hops <= diameter * (places + 1), "{spec}: {} hops", counts.most_hops);
            true
        })
        .collect();
    // Generalised de Bruijn graphs lose parallel cables, so that switches have more cables in than out.
    let unfit: Vec<&str> = NETWORKS.iter().zip(&fits).filter(|(_, fits)| !**fits).map(|(spec, _)| *spec).collect();
    println!("{unfit:?}");
    assert!(unfit.len() <= 2, "{unfit:?}");
    for spec in ["imase_itoh:n=20,d=3", "kautz:d=2,k=3", "mddp_directed:n=20,d=3", "random_directed:n=20,d=3"] {
        assert!(!unfit.contains(&spec), "{spec}");
    }
}

fn measured(
    network: &DeflectionNetwork,
    to: Arc<Destinations>,
    load: f64,
    mode: Mode,
    cycles: [u32; 2],
    seed: u64,
) -> Outcome {
    let [warmup, measure] = cycles;
    let trial = Trial { to, process: Process::Bernoulli, load, seed, mode, warmup, measure, threads: 1 };
    network.run(&trial).unwrap()
}

/// Accepted traffic and hops of an independent model of the same rules (Python, 1,500 slots, four hosts on a switch), to
/// 2 %: degree, load, accepted, hops.
const ROWS: [(u32, f64, f64, f64); 10] = [
    (6, 0.02, 0.0201, 2.9517),
    (6, 0.1, 0.1002, 3.5162),
    (6, 0.2, 0.2009, 5.2876),
    (6, 0.3, 0.2286, 6.5601),
    (6, 1.0, 0.2283, 6.5689),
    (8, 0.02, 0.02, 2.8471),
    (8, 0.1, 0.1001, 3.131),
    (8, 0.2, 0.2005, 3.686),
    (8, 0.3, 0.3, 5.0039),
    (8, 1.0, 0.3242, 6.1683),
];

#[test]
fn accepted_traffic_and_hops_are_those_of_an_independent_model() {
    ROWS.par_iter().for_each(|&(degree, load, accepted, hops)| {
        // Hops of one slot, and packets that a host creates with the probability `load` in a slot.
        for packet in [1, 6] {
            let parameters = Parameters { packet, vc_buffer: 8, ..Parameters::default() };
            let network = network(&format!("mddp_directed:n=256,d={degree},seed=1"), 4, parameters).unwrap();
            assert_eq!(network.hop_slots(), if packet == 1 { 5 } else { 1 });
            let to = Arc::new(Destinations::Evenly(Evenly { endpoints: 1024, with_self: false }));
            let cycles = [400 * packet, 1100 * packet];
            let found = measured(&network, to, load, Mode::Throughput, cycles, 7);
            assert!((found.accepted / accepted - 1.0).abs() < 0.02, "{degree} {load}: {}", found.accepted);
            let ours = found.hops_mean.unwrap();
            assert!((ours / hops - 1.0).abs() < 0.02, "{degree} {load}: {ours} hops, and {hops}");
        }
    });
}

/// Little's law on a steady run to 1 %, and the mean load of cables as accepted traffic times hops.
#[test]
fn littles_law_holds_without_buffers() {
    let parameters = Parameters { packet: 5, ..Parameters::default() };
    let network = network("imase_itoh:n=64,d=4", 1, parameters).unwrap();
    let found = measured(&network, uniform(&network.wiring), 0.4, Mode::Latency, [2000, 20_000], 1);
    assert!(!found.saturated);
    let rate = found.accepted * 64.0 / 5.0;
    let product = rate * found.network_latency_mean.unwrap();
    assert!((found.packets_inside / product - 1.0).abs() < 0.01, "{} and {product}", found.packets_inside);
    let cables = network.wiring.topology.graph.arcs() as f64;
    let hops = found.cable_load_mean * cables / (found.accepted * 64.0);
    assert!((hops / found.hops_mean.unwrap() - 1.0).abs() < 0.01, "{hops}");
    assert!(found.deflections_mean.unwrap() > 0.01);
}

/// A lone packet takes its delays, with hops rounded up to whole slots.
#[test]
fn a_packet_alone_takes_the_slots_of_its_hops() {
    let parameters = Parameters { packet: 4, ..Parameters::default() };
    let network = network("kautz:d=2,k=3", 1, parameters).unwrap();
    // A hop takes 5 cycles, that is 2 slots of 4. Created in cycle 2 and at the switch in 4, the head enters with the slot
    // that begins there; then 16 cycles for 2 hops, 5 to the host, 3 more to the tail.
    let far = distances(&network.wiring);
    let to = (0..12).find(|&to| far[0][to as usize] == 2).unwrap();
    let list = vec![ListedPacket { id: 0, from: 0, to, created: 2, flits: 4 }];
    let (log, ..) = run_list(&network, list, Window { from: 0, until: 100 });
    assert_eq!(log, [Logged { id: 0, injected: 2, head: 25, tail: 28, hops: 2 }]);
    assert!((network.zero_load_latency(2.0) - (26.0 + 1.5)).abs() < 1e-12);
}

/// The same seed yields the same packets, another one others.
#[test]
fn a_run_repeats() {
    let network = network("torus:4x4", 1, Parameters::default()).unwrap();
    let run = |seed: u64| measured(&network, uniform(&network.wiring), 0.5, Mode::Throughput, [100, 1000], seed);
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
