//! Synthetic traffic where hosts have several ports: against networks of one plane, packet by packet.

use crate::support::cli::{Folder, number};
use mopsim::packets::cycle::CycleEngine;
use mopsim::packets::parameters::{HostPort, Parameters, Switching};
use mopsim::packets::random::Stream;
use mopsim::packets::routing::{self, Ready};
use mopsim::packets::source::{ListedPacket, MAX_CYCLES, PacketList, PacketSource};
use mopsim::packets::statistics::{Logged, Window};
use mopsim::packets::{Setup, Wiring};
use std::fmt::Write as _;
use std::sync::Arc;

fn wiring(spec: &str) -> Arc<Wiring> {
    let topology = Arc::new(mopsim::topology::build(spec).expect(spec));
    Arc::new(Wiring::new(topology, None, HostPort::Own, 2).expect(spec))
}

/// Returns the log of packets of 3 flits, in the order of their numbers.
fn log(wiring: &Arc<Wiring>, rule: &str, packets: Vec<ListedPacket>) -> Vec<Logged> {
    let Ready::Buffered(rules) = routing::ready(rule, wiring, Some(16), 1).expect(rule) else { panic!("{rule}") };
    let parameters =
        Parameters { vcs: 16, packet: 3, vc_buffer: 6, switching: Switching::CutThrough, ..Parameters::default() };
    rules.check(&parameters).expect(rule);
    let count = packets.len() as u64;
    let setup = Setup {
        wiring: wiring.clone(),
        rule: rules.rule(),
        parameters,
        packets: PacketSource::Listed(Arc::new(PacketList::new(packets, wiring.hosts()).expect(rule))),
        seed: 7,
        window: Window { from: 0, until: MAX_CYCLES },
        log: true,
    };
    let mut engine = CycleEngine::new(setup, 1).expect(rule);
    engine.run_until_empty(count).expect(rule);
    engine.run_to(engine.cycle() + 1000).expect(rule);
    assert!(engine.is_clean(), "{rule}: credits and channels");
    let (counts, log) = (engine.counts(), engine.log());
    let passed: u64 = log.iter().map(|packet| 3 * (u64::from(packet.hops) + 1)).sum();
    assert_eq!((counts.entered, counts.left, counts.passages), (count, count, passed), "{rule}");
    log
}

/// Busy traffic from port to port of a rail, by the numbers of a plane: source, destination, cycle.
fn traffic(ports: u32, seed: u64) -> Vec<(u32, u32, u32)> {
    let mut stream = Stream::new(seed, 0);
    (0..600).map(|_| (stream.below(ports), stream.below(ports), stream.below(400))).collect()
}

fn listed(packets: &[(u32, u32, u32)], first_port: u32, first_id: u64) -> Vec<ListedPacket> {
    let of = |(at, &(from, to, created)): (u64, &(u32, u32, u32))| ListedPacket {
        id: first_id + at,
        from: first_port + from,
        to: first_port + to,
        created,
        flits: 3,
    };
    (0..).zip(packets).map(of).collect()
}

/// Planes share nothing: each moves its packets as it does alone, whatever the others carry.
#[test]
fn every_plane_is_a_network_of_its_own() {
    for (spec, rule) in [
        ("rails:base=mesh:4x4,planes=2", "dimension-order"),
        ("rails:base=torus:4x4,planes=3", "static:bfs"),
        ("rails:base=\"torus:4x4;random_regular:n=16,d=4,seed=3\"", "amin"),
        ("rails:base=\"dragonfly:a=4,h=1,p=1;mesh:4x5\"", "dragonfly; escape"),
        ("rails:base=\"imase_itoh:n=12,d=3\",ports=2", "amin"),
    ] {
        let all = wiring(spec);
        let planes = all.planes();
        let own: Vec<_> = (1..).zip(&planes).map(|(seed, plane)| traffic(plane.wiring.hosts(), seed)).collect();
        let mut together = Vec::new();
        for (plane, packets) in planes.iter().zip(&own) {
            together.extend(listed(packets, plane.first_port, together.len() as u64));
        }
        let whole = log(&all, rule, together);
        let rules: Vec<&str> = rule.split(';').map(str::trim).collect();
        let mut first = 0;
        for (number, (plane, packets)) in planes.iter().zip(&own).enumerate() {
            let rule = rules[if rules.len() == 1 { 0 } else { number }];
            let alone = log(&plane.wiring, rule, listed(packets, 0, first));
            let among: Vec<Logged> =
                whole.iter().filter(|packet| (first..first + 600).contains(&packet.id)).copied().collect();
            assert_eq!(among, alone, "{spec} {rule}, plane {number}");
            assert!(alone.iter().any(|packet| packet.hops > 1), "{spec}");
            first += 600;
        }
    }
}

const LOAD: [&str; 3] = ["--load", "0.2", "--no-saturation"];

fn run(folder: &Folder, spec: &str, more: &[&str]) -> serde_json::Value {
    folder.json(&[&["packets", spec, "--measure", "2000"], &LOAD[..], more].concat())
}

#[test]
fn one_plane_is_the_plane_itself() {
    let folder = Folder::new();
    for pattern in ["uniform", "tornado:k=4,m=2", "hotspot:nodes=[3,5]"] {
        let plain = run(&folder, "torus:4x4", &["--pattern", pattern]);
        for rail in ["message", "striped", "destination"] {
            let one = run(&folder, "rails:base=torus:4x4,planes=1", &["--pattern", pattern, "--rail", rail]);
            for key in ["accepted", "packets", "hops_mean", "cable_load_max"] {
                // By destination, each port has a list of its destinations, from which others are drawn.
                if rail == "destination" && pattern == "uniform" {
                    let of = |json: &serde_json::Value| number(&json["points"][0], key);
                    assert!((of(&one) / of(&plain) - 1.0).abs() < 0.1, "{pattern} {rail} {key}");
                    continue;
                }
                assert_eq!(one["points"][0][key], plain["points"][0][key], "{pattern} {rail} {key}");
            }
        }
    }
}

#[test]
fn two_planes_carry_twice_as_much_and_say_so() {
    let folder = Folder::new();
    let two = "rails:base=torus:4x4,planes=2";
    let json = folder.json(&["packets", "torus:4x4", two, "--load", "0.1", "--pattern", "tornado:k=4,m=2"]);
    let [one, both] = [0, 1].map(|at| &json["series"][at]);
    assert_eq!((&one["ports_per_host"], &both["ports_per_host"]), (&1.into(), &2.into()));
    assert_eq!((number(both, "hosts"), number(both, "switches")), (16.0, 32.0));
    assert!((number(one, "saturation") / number(both, "saturation") - 1.0).abs() < 0.03, "{json}");
    assert!((number(both, "saturation_ratio") - 2.0).abs() < 0.06, "{json}");
    let text = folder.output(&["packets", two, "--load", "0.1", "--no-saturation"]);
    assert!(text.contains("hosts have 2 ports; loads and accepted traffic are per port"), "{text}");
}

/// Every packet to a host arrives by the port of its rail; a permutation sends half of the hosts' traffic by each.
#[test]
fn packets_by_destination_take_one_rail() {
    let folder = Folder::new();
    let two = "rails:base=torus:4x4,planes=2";
    let json = run(&folder, two, &["--pattern", "mirror", "--rail", "destination"]);
    let point = &json["points"][0];
    // Of two ports of a host, one sends: that of the rail of its only destination.
    assert!((number(point, "accepted") - 0.1).abs() < 0.01, "{point}");
    assert_eq!(number(point, "accepted_least"), 0.0);
    assert_eq!(json["rail"], "destination");
    let uniform = run(&folder, two, &["--pattern", "all_to_all", "--rail", "destination"]);
    // Host 0 sends to 7 even and 8 odd hosts.
    let accepted = number(&uniform["points"][0], "accepted");
    assert!((accepted - 0.2 * 7.5 / 8.0).abs() < 0.006, "{accepted}");
}

/// Who sends less than the busiest lacks nothing: ports by destination, and hosts of a trace.
#[test]
fn unequal_senders_are_not_saturated() {
    let folder = Folder::new();
    let carried = |spec: &str, more: &[&'static str]| {
        let json = folder.json(&[&["packets", spec, "--load", "0.1"], more].concat());
        assert_eq!(json["points"][0]["saturated"], false, "{spec}");
        number(&json["series"][0], "saturation")
    };
    let by_destination = ["--rail", "destination"];
    for spec in ["rails:base=torus:4x4,planes=3", "rails:base=torus:3x3,planes=2"] {
        let saturation = carried(spec, &by_destination);
        assert!(saturation > 0.35, "{spec}: {saturation}");
    }
    let three = ["--rail", "destination", "--endpoints", "3"];
    assert!(carried("rails:base=torus:4x4,planes=2", &three) > 0.4);
    let mut trace = String::new();
    for rank in 0..4 {
        let bytes = |rank: u32| if rank == 0 { 100_000 } else { 50_000 };
        let (before, after) = ((rank + 3) % 4, (rank + 1) % 4);
        writeln!(
            trace,
            "{rank} init\n{rank} irecv {before} 0 {}\n{rank} send {after} 0 {}\n{rank} wait {before} {rank} 0\n{rank} finalize",
            bytes(before),
            bytes(rank)
        )
        .expect("a rank");
    }
    folder.write("ring.ti", &trace);
    assert!(carried("ring:4", &["--pattern", "trace:ring.ti"]) > 0.5);
}

/// A host with one destination uses one of its ports, so two planes carry no more than one.
#[test]
fn ratios_are_those_of_hosts() {
    let folder = Folder::new();
    let two = "rails:base=torus:4x4,planes=2";
    let ask = ["packets", "torus:4x4", two, "--pattern", "tornado:k=4,m=2", "--load", "0.1", "--measure", "1000"];
    let ratio = |rail: &'static str| {
        let json = folder.json(&[&ask[..], &["--rail", rail]].concat());
        number(&json["series"][1], "saturation_ratio")
    };
    assert!((ratio("message") - 2.0).abs() < 0.1);
    assert!((ratio("destination") - 1.0).abs() < 0.3, "{}", ratio("destination"));
    folder.output(&[&ask[..], &["--rail", "destination", "--html", "c.html"]].concat());
    assert!(!folder.read("c.html").contains("2.00 times the baseline"));
    let lost = ["packets", "rails:base=ring:4,planes=2", "--without", "0-1,1-2"];
    folder.refuse(&lost, 2, &["hosts that a plane does not connect (plane 0: switch 0 cannot reach switch 1)"]);
}

#[test]
fn lists_patterns_and_engines_know_several_ports() {
    let folder = Folder::new();
    let two = "rails:base=\"mesh:4;full_mesh:4\"";
    let mut list = String::new();
    for cycle in 0..4 {
        writeln!(list, "0 3 {cycle}").expect("a line");
    }
    folder.write("list.txt", &list);
    let hops = |rail: &str| -> Vec<f64> {
        let json = folder.json(&["packets", two, "--packets", "list.txt", "--rail", rail, "--routing", "static"]);
        json["packets"].as_array().expect("a list").iter().map(|packet| number(packet, "hops")).collect()
    };
    // Three cables on the line, one in the full mesh; the first packet from host 0 to host 3 takes the second plane.
    assert_eq!(hops("message"), [1.0, 3.0, 1.0, 3.0]);
    assert_eq!(hops("striped"), [1.0, 3.0, 1.0, 3.0]);
    assert_eq!(hops("destination"), [1.0; 4]);
    let events = run(&folder, two, &["--engine", "events", "--routing", "static"]);
    let held = ["--hold-switch", "--wait-for-tail-credit", "--switching", "cut-through", "--vc-buffer", "1"];
    let cycles = run(&folder, two, &[&held[..], &["--routing", "static"]].concat());
    assert_eq!(events["points"], cycles["points"]);
    let few = run(&folder, "rails:base=torus:4x4,planes=2", &["--endpoints", "8", "--pattern", "bit_complement"]);
    assert_eq!(number(&few["series"][0], "hosts"), 8.0);
}

#[test]
fn what_does_not_fit_is_named() {
    let folder = Folder::new();
    let two = "rails:base=torus:4x4,planes=2";
    folder.refuse(&["packets", "torus:4x4", "--rail", "striped"], 2, &["--rail chooses among the ports", "planes=2"]);
    folder.refuse(&["packets", two, "--routing", "deflection"], 2, &["its hosts have several ports", "`amin`"]);
    folder.refuse(&["packets", two, "--routing", "amin;escape;amin"], 2, &["these are 3 for 2 planes"]);
    folder.refuse(&["packets", two, "--routing", "amin;deflection"], 2, &["deflection", "help:"]);
    folder.refuse(&["packets", "torus:4x4", "--routing", "amin;amin"], 2, &["these are 2 for 1 plane"]);
    folder.refuse(&["packets", two, "--without", "3"], 2, &["lost a port", "--model packet"]);
    folder.refuse(&["packets", two, "--endpoints", "17"], 2, &["has 16 hosts"]);
}

/// Results on several threads, in shards, and after an interruption are the same.
#[test]
fn results_files_have_the_ports() {
    let folder = Folder::new();
    let ask =
        ["packets", "rails:base=ring:6,planes=2", "--load", "0.1,0.2", "--measure", "500", "--rail", "destination"];
    let with = |more: &[&'static str]| folder.json(&[&ask[..], more].concat());
    let whole = with(&["--threads", "1"]);
    assert_eq!(with(&["--results", "r.jsonl", "--threads", "2"]), whole);
    assert_eq!(with(&["--results", "r.jsonl", "--resume"]), whole);
    assert_eq!(folder.json(&["merge", "r.jsonl"]), whole);
    let other = [&ask[..6], &["--rail", "message", "--results", "r.jsonl", "--resume"]].concat();
    folder.refuse(&other, 2, &["rail is", "help:"]);
}
