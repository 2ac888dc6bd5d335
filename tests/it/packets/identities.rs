//! Invariants of every network and rule, whatever the parameters.

use mopsim::packets::Setup;
use mopsim::packets::cycle::CycleEngine;
use mopsim::packets::deadlock;
use mopsim::packets::destinations::Destinations;
use mopsim::packets::parameters::{HostPort, Parameters, Switching};
use mopsim::packets::routing;
use mopsim::packets::run::{Mode, PacketNetwork, Trial};
use mopsim::packets::source::{ListedPacket, PacketList, PacketSource, Process};
use mopsim::packets::statistics::Window;
use mopsim::packets::{PacketError, Wiring};
use mopsim::platform::HostsPerSwitch;
use mopsim::topology;
use mopsim::topology::registry::FAMILIES;
use mopsim::traffic;
use rayon::prelude::*;
use std::sync::Arc;

/// A network of every family, one-way ones included.
pub const NETWORKS: &[&str] = &[
    "ring:6",
    "mesh:3x4",
    "torus:4x4",
    "hypercube:4",
    "hyperx:3x4",
    "flattened_butterfly:k=3,n=3",
    "ccc:3",
    "full_mesh:6",
    "star:6",
    "tree:k=2,h=3",
    "dln:n=16,x=4",
    "dln_random:n=16,x=4,y=1",
    "random_ring:n=16,y=2",
    "dsn:16",
    "dsnf:24",
    "equality:n=20,sa=[-1,1,7],sb=[6,10]",
    "random:n=20,d=4",
    "random_directed:n=20,d=3",
    "random_swapping:\"torus:4x4\",z=4",
    "skywalk:z=4,c=4,di=2,do=2",
    "imase_itoh:n=20,d=3",
    "imase_ab:n=20,d=3",
    "gen_de_bruijn:n=20,d=3",
    "de_bruijn:d=2,k=4",
    "kautz:d=2,k=3",
    "mddp_directed:n=20,d=3",
    "mddp_undirected:n=20,d=4",
    "slimfly:q=3",
    "polarity:q=3",
    "polarstar:q=2,k=0",
    "bundlefly:q=3,m=5",
    "spectralfly:p=3,q=5",
    "xpander:d=3,k=4",
    "hxmesh:a=2,b=2,x=2,y=2",
    "tofu:3x1x2,mesh=x",
    "dragonfly:a=3,h=1",
    "dragonfly:a=2,h=3,g=3,t=3,l=2",
    "dragonfly_plus:l=2,s=2,h=1",
    "hyperx:2x3,k=[2,1]",
    "dragonfly_fc:3,4",
    "damaged:base=torus:4x4,cables=2",
    "fat_tree2:4",
    "fat_tree2:k=6,ratio=2:1",
    "fat_tree3:4",
    "kary_ntree:k=2,n=3",
    "xgft:m=[2,3],w=[1,2]",
    "clos:m=3,n=2,r=3",
];

pub const RULES: &[&str] = &[
    "dimension-order",
    "static",
    "first-hop",
    "amin",
    "escape",
    "escape:free",
    "valiant",
    "ugal",
    "ugal-equality",
    "bgal",
    "dragonfly",
    "dragonfly-ugal",
    "hyperx-ugal",
    "dsnf",
];

fn wiring(spec: &str, port: HostPort) -> Arc<Wiring> {
    Arc::new(Wiring::new(Arc::new(topology::build(spec).unwrap()), None, port, 1).unwrap())
}

/// Returns the rule on the network with parameters that both need; `None` if it is for other families.
pub fn network(spec: &str, rule: &str, parameters: Parameters) -> Option<PacketNetwork> {
    let wiring = wiring(spec, parameters.host_port);
    let (rule, vcs) = match routing::build_with(rule, &wiring, None, 1) {
        Ok(built) => built,
        Err(PacketError::Unsuitable { .. }) => return None,
        Err(error) => panic!("{spec} {rule}: {error}"),
    };
    let escape = (0..vcs).any(|vc| !rule.is_escape(vc));
    let switching = match (escape, parameters.packet) {
        (false, _) => parameters.switching,
        (true, 1) => Switching::NotFull,
        (true, _) => Switching::CutThrough,
    };
    Some(PacketNetwork { wiring, rule: Arc::from(rule), parameters: Parameters { vcs, switching, ..parameters } })
}

pub fn uniform(wiring: &Wiring) -> Arc<Destinations> {
    let setting = traffic::PatternInput::new(&wiring.topology, wiring.host_switches());
    Arc::new(Destinations::new(&traffic::build("uniform", &setting).unwrap()).unwrap())
}

/// Kinds of switches: single flits, wormhole packets, cut-through, held switches, slow stages, two steps a cycle.
fn kinds() -> Vec<Parameters> {
    let base = Parameters::default();
    vec![
        base.clone(),
        Parameters { packet: 5, vc_buffer: 4, ..base.clone() },
        Parameters { packet: 5, vc_buffer: 10, switching: Switching::CutThrough, ..base.clone() },
        Parameters {
            packet: 5,
            vc_buffer: 5,
            switching: Switching::CutThrough,
            wait_for_tail_credit: true,
            hold_switch: true,
            ..base.clone()
        },
        Parameters {
            routing_delay: 4,
            vc_delay: 2,
            switch_delay: 2,
            crossing_delay: 3,
            link_delay: 5,
            host_delay: 2,
            credit_delay: 0,
            ..base.clone()
        },
        Parameters { speedup: 2, count_routed: true, ..base.clone() },
        // Allocations that began in both steps of a cycle end together.
        Parameters { speedup: 2, vc_delay: 2, switch_delay: 3, routing_delay: 2, ..base.clone() },
        Parameters { host_port: HostPort::Shared, packet: 2, ..base },
    ]
}

#[test]
fn the_list_of_networks_has_every_family() {
    // Graphs of files are of no family, and hosts with several ports have tests of their own.
    let others = ["json", "graphml", "gml", "edges", "ibnet", "anynet", "rails"];
    for family in FAMILIES.iter().filter(|family| !others.contains(&family.name)) {
        let own = |spec: &&&str| topology::build(spec).unwrap().spec.family().name == family.name;
        assert!(NETWORKS.iter().any(|spec| own(&spec)), "add a network of the family {} to NETWORKS", family.name);
    }
}

/// On every family and with every rule that fits it, in turn with each kind of switch: all packets arrive, flits sent
/// are flits arrived, all credits come back and no channel is owned at the end; the loads of cables add up to hops;
/// Little's law holds to 1 % and what the edges of the window cut off.
#[test]
fn every_rule_on_every_family_keeps_the_identities() {
    let kinds = kinds();
    let cases: Vec<(usize, &str, &str)> = NETWORKS
        .iter()
        .flat_map(|spec| RULES.iter().map(move |rule| (*spec, *rule)))
        .enumerate()
        .map(|(index, (spec, rule))| (index, spec, rule))
        .collect();
    let run: Vec<bool> = cases
        .par_iter()
        .map(|&(index, spec, rule)| {
            // Neighbouring cases have different kinds of switches, and so does a rule from family to family.
            let mut parameters = kinds[(index + index / RULES.len()) % kinds.len()].clone();
            if rule.starts_with("escape") {
                parameters.vc_buffer = parameters.vc_buffer.max(parameters.packet);
            }
            let Some(network) = network(spec, rule, parameters) else { return false };
            let name = format!("{spec} {rule} {:?}", network.parameters);
            deadlock::check(&network.wiring, &*network.rule, rule, &network.parameters).expect(&name);
            let (wiring, p) = (&network.wiring, &network.parameters);
            // Sources stop after the window: their packets are a list.
            let (from, until) = (200, 1200);
            let mut stream = mopsim::packets::random::Stream::new(index as u64, 0);
            let mut list = Vec::new();
            for created in 0..until {
                for source in 0..wiring.hosts() {
                    if stream.unit() < 0.04 / f64::from(p.packet) {
                        let to = stream.below(wiring.hosts());
                        list.push(ListedPacket { id: list.len() as u64, from: source, to, created, flits: p.packet });
                    }
                }
            }
            let packets = list.len() as u64;
            let list = Arc::new(PacketList::new(list, wiring.hosts()).unwrap());
            let mut engine = CycleEngine::new(
                Setup {
                    wiring: wiring.clone(),
                    rule: network.rule.clone(),
                    parameters: p.clone(),
                    packets: PacketSource::Listed(list),
                    seed: 1,
                    window: Window { from, until },
                    log: true,
                },
                1,
            )
            .expect(&name);
            engine.run_until_empty(packets).expect(&name);
            engine.run_to(engine.cycle() + 1000).unwrap();
            let (counts, log) = (engine.counts(), engine.log());
            assert!(engine.is_clean(), "{name}");
            assert_eq!((counts.entered, counts.left, log.len() as u64), (packets, packets, packets), "{name}");
            // Every flit passes the switches of its packet.
            let passed: u64 = log.iter().map(|packet| u64::from(p.packet) * (u64::from(packet.hops) + 1)).sum();
            assert_eq!(counts.passages, passed, "{name}");
            assert_eq!(engine.arc_flits().iter().map(|&flits| u64::from(flits)).sum::<u64>(), counts.cable_flits);
            assert_eq!(engine.accepted().map(u64::from).sum::<u64>(), counts.flits_accepted, "{name}");
            // Little: the integral of the packets inside is the sum of the parts of their stays within the window.
            let window = Window { from, until };
            let stays: u64 = log.iter().map(|packet| window.after(packet.injected) - window.after(packet.tail)).sum();
            assert_eq!(counts.inside, stays as i64, "{name}");
            assert!(log.iter().all(|packet| packet.injected < packet.head && packet.head <= packet.tail), "{name}");
            true
        })
        .collect();
    // amin, ugal and similar rules fit everything; the others fit their families.
    assert!(run.iter().filter(|&&run| run).count() > 7 * NETWORKS.len());
}

/// Little's law on a steady run: packets inside = packets accepted in a cycle * mean latency in the network, to 1 %.
#[test]
fn littles_law_holds() {
    for (spec, rule) in [("torus:8x8", "dimension-order"), ("random:n=32,d=5", "amin"), ("imase_itoh:n=32,d=4", "amin")]
    {
        let network = network(spec, rule, Parameters::default()).unwrap();
        let trial = Trial {
            to: uniform(&network.wiring),
            process: Process::Bernoulli,
            load: 0.2,
            seed: 1,
            mode: Mode::Latency,
            warmup: 2000,
            measure: 10_000,
            threads: 1,
        };
        let found = network.run(&trial).unwrap();
        let rate = found.accepted * f64::from(network.wiring.hosts());
        let product = rate * found.network_latency_mean.unwrap();
        assert!((found.packets_inside / product - 1.0).abs() < 0.01, "{spec}: {} and {product}", found.packets_inside);
        let cables = network.wiring.topology.graph.arcs() as f64;
        let hops = found.cable_load_mean * cables / rate;
        assert!((hops / found.hops_mean.unwrap() - 1.0).abs() < 0.01, "{spec}: {hops}");
    }
}

/// A lone packet takes `2 + 5 (h + 1) + S - 1` cycles over links of one cycle, plus any additional delays.
#[test]
fn a_packet_alone_takes_the_sum_of_its_delays() {
    for parameters in kinds().into_iter().filter(|p| p.speedup == 1) {
        for (spec, rule) in [("torus:5x5", "dimension-order"), ("kautz:d=2,k=3", "amin"), ("random:n=20,d=4", "static")]
        {
            let parameters = Parameters { vc_buffer: parameters.vc_buffer.max(20), ..parameters.clone() };
            let network = network(spec, rule, parameters).unwrap();
            let wiring = &network.wiring;
            let p = &network.parameters;
            let wiring = Arc::new(Wiring::new(wiring.topology.clone(), None, p.host_port, p.link_delay).unwrap());
            let packets = (0..wiring.hosts()).map(|to| ListedPacket {
                id: u64::from(to),
                from: 0,
                to,
                created: 1000 * to,
                flits: p.packet,
            });
            let list = Arc::new(PacketList::new(packets.collect(), wiring.hosts()).unwrap());
            let mut engine = CycleEngine::new(
                Setup {
                    wiring: wiring.clone(),
                    rule: network.rule.clone(),
                    parameters: p.clone(),
                    packets: PacketSource::Listed(list),
                    seed: 1,
                    window: Window { from: 0, until: 1 << 20 },
                    log: true,
                },
                1,
            )
            .unwrap();
            engine.run_until_empty(u64::from(wiring.hosts())).unwrap();
            for packet in engine.log() {
                let hops = f64::from(packet.hops);
                let expected = PacketNetwork { wiring: wiring.clone(), ..network.clone() }.zero_load_latency(hops);
                assert_eq!(f64::from(packet.tail - packet.injected), expected, "{spec} {rule} {packet:?} {p:?}");
                if p.link_delay == 1 && p.routing_delay == 1 && p.switch_delay == 1 {
                    assert_eq!(packet.tail - packet.injected, 2 + 5 * (packet.hops + 1) + p.packet - 1);
                }
            }
        }
    }
}

/// A list of packets of several sizes has the same log for any number of threads: what the log needs of a packet travels
/// with it to another thread.
#[test]
fn threads_do_not_change_logs() {
    let network = network("random:n=400,d=8", "amin", Parameters::default()).unwrap();
    let hosts = network.wiring.hosts();
    let packets = (0..20_000_u32).map(|id| ListedPacket {
        id: u64::from(id),
        from: id * 7 % hosts,
        to: (id * 13 + id / 50 + 1) % hosts,
        created: id / 50,
        flits: 1 + id % 4,
    });
    let list = Arc::new(PacketList::new(packets.collect(), hosts).unwrap());
    let run = |threads: usize| {
        let mut engine = CycleEngine::new(
            Setup {
                wiring: network.wiring.clone(),
                rule: network.rule.clone(),
                parameters: network.parameters.clone(),
                packets: PacketSource::Listed(list.clone()),
                seed: 1,
                window: Window { from: 0, until: 1 << 20 },
                log: true,
            },
            threads,
        )
        .unwrap();
        engine.run_until_empty(20_000).unwrap();
        engine.log()
    };
    let one = run(1);
    assert_eq!(one.len(), 20_000);
    assert!(one == run(2));
    assert!(one == run(3));
}

/// All counts are the same for any number of threads, which divide the switches into other batches, and with a log, for which
/// the engine runs other code. A switch of the full mesh has more than 64 ports. With 64 virtual channels, the state of the
/// last two networks is prefetched, and the last one has so many packets under way that they are prefetched as well.
#[test]
fn threads_and_logs_change_nothing() {
    for (spec, rule, packet, speedup, load, vcs) in [
        ("torus:16x16", "dimension-order", 1, 1, 0.3, None),
        ("torus:16x16", "dimension-order", 2, 2, 0.3, None),
        ("random:n=200,d=6", "amin", 3, 1, 0.3, None),
        ("imase_itoh:n=200,d=3", "amin", 1, 1, 0.3, None),
        ("kary_ntree:k=4,n=4", "static", 1, 1, 0.3, None),
        ("full_mesh:70", "amin", 1, 1, 0.3, None),
        ("random:n=512,d=8", "amin", 1, 2, 0.3, Some(64)),
        ("torus:32x32", "dimension-order", 1, 1, 0.9, Some(64)),
    ] {
        let parameters = Parameters { packet, speedup, ..Parameters::default() };
        let mut network = network(spec, rule, parameters).unwrap();
        network.parameters.vcs = vcs.unwrap_or(network.parameters.vcs);
        same_on_all_threads(spec, &network, load);
    }
}

/// Requires that counts do not depend on the number of threads, or on a log.
fn same_on_all_threads(name: &str, network: &PacketNetwork, load: f64) {
    let packet = network.parameters.packet;
    let run = |threads: usize, log: bool| {
        let mut engine = CycleEngine::new(
            Setup {
                wiring: network.wiring.clone(),
                rule: network.rule.clone(),
                parameters: network.parameters.clone(),
                packets: PacketSource::drawn(uniform(&network.wiring), load, packet, Process::Bernoulli),
                seed: 5,
                window: Window { from: 100, until: 600 },
                log,
            },
            threads,
        )
        .unwrap();
        engine.run_to(700).unwrap();
        assert_eq!(engine.inside() > 1 << 17, load > 0.5, "{name}");
        let mut counts = engine.counts();
        // The number of visits depends on how shards divide the switches.
        counts.visits = 0;
        (counts, engine.accepted().collect::<Vec<_>>(), engine.arc_flits())
    };
    let one = run(1, false);
    assert!(one.0.latency.count() > 1000);
    assert!(one == run(2, false), "{name}");
    assert!(one == run(3, true), "{name}");
    assert!(one == run(1, true), "{name}");
}

/// Hosts that share a port are those of their switch, wherever it is in a batch or a shard.
#[test]
fn shared_ports_are_the_same_on_all_threads() {
    let topology = Arc::new(topology::build("torus:10x16").unwrap());
    let hosts = Some(HostsPerSwitch::Uniform(3));
    let wiring = Arc::new(Wiring::new(topology, hosts, HostPort::Shared, 1).unwrap());
    let (rule, vcs) = routing::build_with("dimension-order", &wiring, None, 1).unwrap();
    let parameters = Parameters { vcs, host_port: HostPort::Shared, ..Parameters::default() };
    let network = PacketNetwork { wiring, rule: Arc::from(rule), parameters };
    same_on_all_threads("shared", &network, 0.06);
}
