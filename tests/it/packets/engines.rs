//! The packet engine against the cycle engine with held switches: packet by packet.

use super::booksim;
use super::identities::{NETWORKS, RULES, network, uniform};
use mopsim::packets::parameters::{Parameters, Switching};
use mopsim::packets::random::Stream;
use mopsim::packets::run::PacketNetwork;
use mopsim::packets::source::{ListedPacket, PacketList, PacketSource, Process};
use mopsim::packets::statistics::{Counts, Logged, Window};
use mopsim::packets::{Setup, cycle, events};
use rayon::prelude::*;
use std::sync::Arc;

fn held(packet: u32) -> Parameters {
    Parameters {
        packet,
        vc_buffer: packet,
        switching: Switching::CutThrough,
        wait_for_tail_credit: true,
        hold_switch: true,
        ..Parameters::default()
    }
}

const WINDOW: Window = Window { from: 300, until: 1500 };

type Run = (Vec<Logged>, Counts, Vec<u32>);

fn by_cycles(network: &PacketNetwork, packets: PacketSource, until: u32) -> Run {
    let mut engine = cycle::CycleEngine::new(
        Setup {
            wiring: network.wiring.clone(),
            rule: network.rule.clone(),
            parameters: network.parameters.clone(),
            packets,
            seed: 3,
            window: WINDOW,
            log: true,
        },
        1,
    )
    .unwrap();
    engine.run_to(until).unwrap();
    (engine.log(), engine.counts(), engine.accepted().collect())
}

fn by_events(network: &PacketNetwork, packets: PacketSource, until: u32) -> Run {
    let mut engine = events::PacketEngine::new(Setup {
        wiring: network.wiring.clone(),
        rule: network.rule.clone(),
        parameters: network.parameters.clone(),
        packets,
        seed: 3,
        window: WINDOW,
        log: true,
    })
    .unwrap();
    engine.run_to(until);
    (engine.log(), engine.counts().clone(), engine.accepted().to_vec())
}

#[test]
fn both_engines_agree_on_every_packet() {
    let cases: Vec<(usize, &str, &str)> = NETWORKS
        .iter()
        .flat_map(|spec| RULES.iter().map(move |rule| (*spec, *rule)))
        .enumerate()
        .map(|(index, (spec, rule))| (index, spec, rule))
        .collect();
    let compared: usize = cases
        .par_iter()
        .map(|&(index, spec, rule)| {
            // Packets of several sizes, links and headers of several lengths.
            let base = held([1, 3, 9, 33][index % 4]);
            let parameters = Parameters {
                routing_delay: [1, 1, 4][index % 3],
                link_delay: [1, 3][index % 2],
                crossing_delay: [1, 2][index / 2 % 2],
                ..base
            };
            let Some(network) = network(spec, rule, parameters) else { return 0 };
            let flits = network.parameters.packet;
            let mut stream = Stream::new(index as u64, 1);
            let (hosts, mut list) = (network.wiring.hosts(), Vec::new());
            for created in 0..1500 {
                for from in 0..hosts {
                    if stream.unit() < 0.15 / f64::from(flits) {
                        list.push(ListedPacket {
                            id: list.len() as u64,
                            from,
                            to: stream.below(hosts),
                            created,
                            flits,
                        });
                    }
                }
            }
            let packets = PacketSource::Listed(Arc::new(PacketList::new(list, hosts).unwrap()));
            let (log, counts, accepted) = by_cycles(&network, packets.clone(), 20_000);
            let (other, others, taken) = by_events(&network, packets, 20_000);
            let name = format!("{spec} {rule} {:?}", network.parameters);
            let differ = log.iter().zip(&other).find(|(one, two)| one != two);
            assert!(differ.is_none() && log.len() == other.len(), "{name}: {} {} {differ:?}", log.len(), other.len());
            assert_eq!(counts.left, counts.entered, "{name}");
            assert_eq!(
                (&counts.latency, counts.hops, counts.inside),
                (&others.latency, others.hops, others.inside),
                "{name}"
            );
            assert_eq!(accepted, taken, "{name}");
            log.len()
        })
        .sum();
    assert!(compared > 100_000, "{compared}");
}

/// Both draw the same packets from the same seed, and saturated hosts delay them in the same way.
#[test]
fn both_engines_agree_beyond_saturation() {
    for (spec, rule) in [("torus:4x4", "dimension-order"), ("random:n=32,d=4", "amin"), ("imase_itoh:n=20,d=3", "ugal")]
    {
        let network = network(spec, rule, held(5)).unwrap();
        let packets = PacketSource::drawn(uniform(&network.wiring), 0.9, 5, Process::Bernoulli);
        let (_, counts, accepted) = by_cycles(&network, packets.clone(), 2000);
        let (_, others, taken) = by_events(&network, packets, 2000);
        assert!(
            counts.flits_accepted > 1000 && counts.flits_accepted < u64::from(network.wiring.hosts()) * 1200 * 9 / 10
        );
        assert_eq!((accepted, counts.flits_accepted), (taken, others.flits_accepted), "{spec} {rule}");
    }
}

#[test]
fn logs_of_held_switches_are_equal_packet_by_packet() {
    let mut compared = 0;
    for (name, network, list, expected) in booksim::logs().filter(|log| log.1.parameters.hold_switch) {
        let (log, ..) = by_events(&network, PacketSource::Listed(Arc::new(list)), 1 << 20);
        assert_eq!(log, expected, "{name}");
        compared += log.len();
    }
    assert_eq!(compared, 646);
}

#[test]
fn other_switches_are_refused() {
    let mut network = network("torus:4x4", "dimension-order", held(5)).unwrap();
    network.parameters.hold_switch = false;
    let packets = PacketSource::drawn(uniform(&network.wiring), 0.1, 5, Process::Bernoulli);
    let setup = Setup {
        wiring: network.wiring.clone(),
        rule: network.rule.clone(),
        parameters: network.parameters.clone(),
        packets,
        seed: 1,
        window: WINDOW,
        log: false,
    };
    let error = events::PacketEngine::new(setup).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("needs held switches"), "{error}");
}
