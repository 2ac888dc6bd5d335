//! Hosts with several ports: planes, host ports and the policies that choose among them.

use crate::support::cli::{Folder, assert_80_columns, number};
use serde_json::Value;

/// Four switches with a host each, 1 GB/s everywhere, no latency.
const PLAIN: [&str; 10] = [
    "--topology",
    "full_mesh:4",
    "--link-bandwidth",
    "1 GB/s",
    "--switch-delay",
    "0",
    "--cable-delay",
    "0",
    "--model",
    "ideal",
];

/// Messages of 10 MB between ranks, all sent at the start, and received by tag.
fn messages(pairs: &[(u32, u32)]) -> String {
    let mut text: String = (0..4).map(|rank| format!("{rank} init\n")).collect();
    let mut calls = [0; 4];
    for (tag, (from, to)) in pairs.iter().enumerate() {
        text += &format!("{from} isend {to} {tag} 10000000 6\n{to} irecv {from} {tag} 10000000 6\n");
        calls[*from as usize] += 1;
        calls[*to as usize] += 1;
    }
    let waits = (0..4).filter(|&rank| calls[rank] > 0).map(|rank| format!("{rank} waitall {}\n", calls[rank]));
    text + &waits.collect::<String>()
}

/// Returns the simulated milliseconds of messages on the plain network with more options.
fn milliseconds(pairs: &[(u32, u32)], more: &[&str]) -> f64 {
    let folder = Folder::with_trace(&messages(pairs));
    1e3 * number(&folder.json(&[&["replay", "t.ti"][..], &PLAIN, more].concat()), "simulated_seconds")
}

#[track_caller]
fn takes(pairs: &[(u32, u32)], more: &[&str], expected: f64) {
    let time = milliseconds(pairs, more);
    assert!((time / expected - 1.0).abs() < 1e-9, "{pairs:?} {more:?}: {time} ms instead of {expected}");
}

#[test]
fn two_planes_carry_two_messages_at_a_time() {
    // 10 MB at 1 GB/s take 10 ms; two of them on one link 20 ms.
    let (one, two) = (&[(0, 1)][..], &[(0, 1), (0, 1)][..]);
    takes(one, &[], 10.0);
    takes(two, &[], 20.0);
    takes(one, &["--planes", "2"], 10.0);
    takes(two, &["--planes", "2"], 10.0);
    takes(one, &["--planes", "2", "--rail", "striped"], 5.0);
    takes(two, &["--planes", "2", "--rail", "striped"], 10.0);
    // All messages to host 1 take one plane; those to hosts 1 and 2 one each.
    takes(two, &["--planes", "2", "--rail", "destination"], 20.0);
    takes(&[(0, 1), (0, 2)], &["--planes", "2", "--rail", "destination"], 10.0);
    takes(&[(0, 1), (0, 2)], &[], 20.0);
    // Five messages on four planes: one plane carries two of them.
    let five = &[(0, 1); 5][..];
    takes(five, &["--planes", "4"], 20.0);
    takes(five, &["--planes", "4", "--rail", "striped"], 12.5);
}

#[test]
fn striping_over_planes_of_half_the_speed_is_one_plane() {
    let half = ["replay", "t.ti", "--topology", "torus:2x2", "--link-bandwidth", "500 MB/s", "--model", "ideal"];
    let folder = Folder::with_trace(&messages(&[(0, 1), (0, 3), (2, 3), (1, 3)]));
    let whole = [&half[..4], &["--link-bandwidth", "1 GB/s", "--model", "ideal"]].concat();
    let striped = [&half[..], &["--planes", "2", "--rail", "striped"]].concat();
    let [whole, striped] = [whole, striped].map(|arguments| number(&folder.json(&arguments), "simulated_seconds"));
    assert!((striped / whole - 1.0).abs() < 1e-9, "{striped} {whole}");
}

#[test]
fn one_plane_is_the_network_itself() {
    let trace: String = (0..8).map(|rank| format!("{rank} init\n{rank} alltoall 30000 30000 0 6\n")).collect();
    let folder = Folder::with_trace(&trace);
    for topology in ["torus:2x4", "random:n=8,d=3", "fat_tree2:4", "imase_itoh:n=8,d=3"] {
        for policy in ["message", "destination", "striped"] {
            for routing in [&["--routing", "ecmp"][..], &["--routing", "adaptive"], &["--routing", "split"], &[]] {
                let run = |spec: &str, more: &[&str]| {
                    let arguments = [&["replay", "t.ti", "--topology", spec][..], routing, more].concat();
                    number(&folder.json(&arguments), "simulated_seconds").to_bits()
                };
                let rails = format!("rails:base=\"{topology}\"");
                let own = run(topology, &[]);
                assert_eq!(run(&rails, &["--rail", policy]), own, "{topology} {policy} {routing:?}");
                assert_eq!(run(topology, &["--planes", "1", "--rail", policy]), own, "{topology} {policy}");
            }
        }
    }
}

#[test]
fn further_ports_are_on_other_switches() {
    // Host 0 on switches 0 and 1, host 1 on 1 and 2. Two messages: from switch 0 to 1 and from 1 to 2.
    let two = &[(0, 1), (0, 1)][..];
    takes(two, &["--host-ports", "2"], 10.0);
    takes(two, &["--host-ports", "2", "--rail", "striped"], 10.0);
    takes(&[(0, 1)], &["--host-ports", "2", "--rail", "striped"], 5.0);
    // In groups of two: both within a switch. Between groups: from switch 0 to 2 and from 1 to 3.
    takes(two, &["--host-ports", "2", "--host-ports-at", "group"], 10.0);
    takes(&[(0, 2), (0, 2)], &["--host-ports", "2", "--host-ports-at", "group"], 10.0);
    takes(&[(0, 2); 4], &["--host-ports", "2", "--host-ports-at", "group"], 20.0);
    // Two ports in each of two planes.
    takes(&[(0, 1); 4], &["--planes", "2", "--host-ports", "2"], 10.0);
    takes(&[(0, 1)], &["--planes", "2", "--host-ports", "2", "--rail", "striped"], 2.5);
}

/// Hosts of a group are on its switches port by port, so one switch joins them on every rail.
#[test]
fn ports_of_a_group_are_aligned() {
    let folder = Folder::with_trace(&messages(&[(0, 1)]));
    for (spec, switches) in [
        ("rails:base=full_mesh:2,ports=2,at=group", 1.0),
        // Of 127 other hosts, 63 are in the group of eight leaves.
        ("rails:base=fat_tree2:k=16,ports=8,at=group", (63.0 + 64.0 * 3.0) / 127.0),
    ] {
        let found = number(&folder.json(&["topology", spec]), "host_aspl_switches");
        assert!((found - switches).abs() < 1e-12, "{spec}: {found}");
    }
    // As packets, too: the time of two packets through one switch, whatever the other leaves are.
    let options = ["replay", "t.ti", "--model", "packet", "--host-ports", "2", "--host-ports-at", "group"];
    let time =
        |topology| number(&folder.json(&[&options[..], &["--topology", topology]].concat()), "simulated_seconds");
    assert_eq!(time("full_mesh:4"), time("ring:4"));
}

#[test]
fn rails_that_do_not_join_two_hosts_are_not_used() {
    let two = &[(0, 1), (0, 1)][..];
    // Switch 0 of the first plane is missing: host 0 has one port left, and hosts 2 and 3 have both.
    takes(two, &["--planes", "2", "--without", "0"], 20.0);
    takes(&[(2, 3), (2, 3)], &["--planes", "2", "--without", "0"], 10.0);
    takes(&[(0, 1)], &["--planes", "2", "--without", "0", "--rail", "striped"], 10.0);
    // A plane in two halves: 0 and 1, 2 and 3.
    let halves = "0-2,0-3,1-2,1-3";
    takes(two, &["--planes", "2", "--without", halves], 10.0);
    takes(&[(0, 2), (0, 2)], &["--planes", "2", "--without", halves], 20.0);
    // Repaired routes, and routes made anew: a detour through one more switch takes as long.
    for routing in ["repaired", "balanced"] {
        takes(two, &["--planes", "2", "--without", "0-1", "--routing", routing], 10.0);
    }
    let folder = Folder::with_trace(&messages(two));
    let refuse = |without: &str, parts: &[&str]| {
        let arguments = [&["replay", "t.ti"][..], &PLAIN, &["--planes", "2", "--without", without]].concat();
        folder.refuse(&arguments, 2, parts);
    };
    refuse("0,4", &["hosts on switch 0 cannot reach", "no rail joins them", "help:"]);
    refuse("0,5", &["hosts on switch 0 cannot reach hosts on switch 1", "no rail joins them"]);
}

#[test]
fn the_slowest_rail_has_the_last_part() {
    // Two planes, one with a detour of one more switch of 1 us: 5 ms and the delay of two or three switches.
    let folder = Folder::with_trace(&messages(&[(0, 1)]));
    let run = |policy: &str, without: &[&str]| {
        let base = ["replay", "t.ti", "--topology", "ring:4", "--planes", "2", "--rail", policy, "--model", "ideal"];
        let plain = ["--link-bandwidth", "1 GB/s", "--switch-delay", "1 us", "--cable-delay", "0"];
        1e3 * number(&folder.json(&[&base[..], &plain, without].concat()), "simulated_seconds")
    };
    assert!((run("striped", &[]) - 5.002).abs() < 1e-9, "{}", run("striped", &[]));
    let late = run("striped", &["--without", "4-5"]);
    assert!((late - 5.004).abs() < 1e-9, "{late}");
}

#[test]
fn policies_and_rules_that_contradict_each_other_are_refused() {
    let folder = Folder::with_trace(&messages(&[(0, 1)]));
    let refuse = |more: &[&str], parts: &[&str]| {
        folder.refuse(&[&["replay", "t.ti"][..], &PLAIN, more].concat(), 2, parts);
    };
    refuse(&["--planes", "2", "--routing", "split"], &["`rail` is `message`", "divides every message", "striped"]);
    refuse(&["--planes", "2", "--routing", "adaptive", "--rail", "striped"], &["chooses one route", "message"]);
    refuse(&["--planes", "2", "--rail", "random"], &["`message`, `destination` or `striped`"]);
    refuse(&["--planes", "0"], &["planes = 0", "from 1 to 256"]);
    refuse(&["--planes", "300"], &["planes = 300"]);
    refuse(&["--planes", "2.5"], &["--planes `2.5`", "a whole number of copies"]);
    refuse(&["--planes", "ring:4;ring:4"], &["a list of planes and a topology are both given", "help:"]);
    refuse(&["--host-ports", "5"], &["has hosts on 4 switches"]);
    refuse(&["--host-ports", "2", "--host-ports-at", "far"], &["`next` or `group`"]);
    refuse(&["--host-ports", "1", "--host-ports-at", "next"], &["no further ports"]);
    refuse(&["--planes", "2", "--routing", "bfs;bfs;bfs"], &["3 routings are given for 2 planes", "help:"]);
    refuse(&["--planes", "2", "--model", "packet"], &["the argument '--model"]);
    let file = ["replay", "t.ti", "--platform", "p.json", "--planes", "2"];
    folder.write("p.json", "{}");
    folder.refuse(&file, 2, &["`planes` does not go with"]);
    let rails = ["replay", "t.ti", "--topology", "rails:base=ring:4,planes=2", "--planes", "2"];
    folder.refuse(&rails, 2, &["has planes or several ports per host already"]);
    let nested = format!("{}ring:4", "rails:base=".repeat(3000));
    folder.refuse(&["topology", &nested], 2, &["hosts have one port"]);
    folder.refuse(&["topology", "rails:base=damaged:base=rails:base=ring:4"], 2, &["hosts have one port"]);
    let split = ["throughput", "rails:base=ring:4,planes=2", "--routing", "bfs;split"];
    folder.refuse(&split, 2, &["some planes divide traffic, and others do not", "help:"]);
    for format in ["graphml", "json", "edges", "dot"] {
        folder.refuse(&["export", "ring:4", "--planes", "2", "--to", format], 2, &["several ports", "destination"]);
    }
    folder.refuse(
        &["export", "ring:4", "--planes", "2", "--to", "simgrid"],
        2,
        &["choose among several ports", "--rail destination"],
    );
}

#[test]
fn an_exported_network_of_several_planes_replays_alike() {
    let folder = Folder::with_trace(&messages(&[(0, 1), (0, 2), (3, 1), (2, 1)]));
    let network = ["--topology", "ring:4", "--planes", "2", "--rail", "destination"];
    let own = number(&folder.json(&[&["replay", "t.ti"][..], &network].concat()), "simulated_seconds");
    for (format, file) in [("simgrid", "p.xml"), ("platform", "p.json")] {
        let export = ["export", "ring:4", "--planes", "2", "--rail", "destination", "--to", format, "-o", file];
        folder.run(&export).success();
        let back = folder.json(&["replay", "t.ti", "--platform", file, "--model", "ordered"]);
        let back = number(&back, "simulated_seconds");
        assert!((back / own - 1.0).abs() < 1e-12, "{format}: {back} {own}");
    }
}

#[test]
fn studies_compare_planes_and_policies() {
    let trace: String = (0..8).map(|rank| format!("{rank} init\n{rank} alltoall 100000 100000 0 6\n")).collect();
    let folder = Folder::with_trace(&trace);
    let study = "title = 'planes'\nbaseline = 'one'\n[[networks]]\nname = 'one'\ntopology = 'ring:8'\n\
                 [[networks]]\nname = 'two'\ntopology = 'ring:8'\nplanes = 2\n\
                 [[networks]]\nname = 'striped'\ntopology = 'ring:8'\nplanes = 2\nparameters = { rail = 'striped' }\n\
                 [[networks]]\nname = 'unlike'\nplanes = ['ring:8', 'random:n=8,d=3']\n\
                 [[networks]]\nname = 'ports'\ntopology = 'ring:8'\nhost_ports = 2\nhost_ports_at = 'group'\n\
                 [[networks]]\nplatform = 'cluster.toml'\n[[workloads]]\ntrace = 't.ti'\n";
    folder.write("s.toml", study);
    folder
        .write("cluster.toml", "name = 'file'\ntopology = 'ring:8'\nplanes = 2\n[parameters]\nrail = 'destination'\n");
    let json = folder.json(&["compare", "s.toml"]);
    let networks = json["topologies"].as_array().unwrap();
    let rails = |number: usize| &networks[number]["parameters"]["rails"];
    assert_eq!(rails(0), &Value::Null);
    assert_eq!(
        (&rails(1)["planes"], &rails(1)["host_ports"], &rails(1)["rail"]),
        (&2.into(), &2.into(), &"message".into())
    );
    assert_eq!((&rails(4)["planes"], &rails(5)["rail"]), (&1.into(), &"destination".into()));
    assert_eq!(networks[3]["topology"], "rails:base=\"ring:n=8;random_regular:n=8,d=3,seed=1\"");
    // The same bytes for any number of threads.
    let text = folder.output(&["compare", "s.toml", "--threads", "1"]);
    assert_eq!(text, folder.output(&["compare", "s.toml", "--threads", "4"]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("2 ports per host in 2 planes, rail by striping"), "{text}");
    assert_80_columns(&text);
    for (key, wrong, rule) in [
        ("planes = 2", "planes = 'x'", "planes must be a number"),
        ("planes = 2", "planes = []", "the list of planes is empty"),
        ("host_ports = 2", "host_ports = 0", "from 1 to 256"),
        ("rail = 'striped'", "rail = 'stripes'", "unknown variant `stripes`"),
    ] {
        let changed = study.replacen(key, wrong, 1);
        let changed =
            if wrong == "planes = []" { changed.replacen("topology = 'ring:8'\nplanes", "planes", 1) } else { changed };
        folder.write("wrong.toml", changed);
        folder.refuse(&["compare", "wrong.toml"], 2, &["wrong.toml:", rule]);
    }
    // Failures of a network of several planes.
    folder.write("f.toml", format!("failures = {{ cables = '10 %', seeds = 2 }}\n{study}"));
    assert!(folder.output(&["compare", "f.toml"]).contains("without 10% of cables"));
}

#[test]
fn sizes_cables_and_prices_are_those_of_all_planes() {
    let folder = Folder::new();
    let json = folder.json(&["topology", "torus:8x8", "rails:base=torus:8x8,planes=2"]);
    let (one, two) = (&json["topologies"][0], &json["topologies"][1]);
    for member in ["switches", "edges", "bisection"] {
        assert_eq!(2.0 * number(one, member), number(two, member), "{member}");
    }
    for member in ["hosts", "diameter", "aspl", "host_aspl_switches", "max_degree"] {
        assert_eq!(number(one, member), number(two, member), "{member}");
    }
    assert_eq!(2.0 * number(&one["floor"], "cabinets"), number(&two["floor"], "cabinets"));
    assert_eq!(2.0 * number(&one["cost"], "router_dollars"), number(&two["cost"], "router_dollars"));
    assert_eq!((number(&two["cost"], "endpoints"), number(&two["cost"], "ports")), (64.0, 5.0));
    assert_eq!((number(two, "host_ports"), two["planes"].as_array().unwrap().len()), (2.0, 2));
    // Two leaves for each host: eight ports for hosts and four up instead of four and four. Hosts count as vertices.
    let json = folder.json(&["topology", "fat_tree2:8", "--host-ports", "2", "--host-ports-at", "group"]);
    let tree = json.get("topologies").map_or(&json, |list| &list[0]);
    assert_eq!((number(&tree["cost"], "ports"), number(tree, "edges")), (12.0, 32.0 + 64.0));
    assert_eq!((number(tree, "min_degree"), number(tree, "hosts")), (2.0, 32.0));
    folder.refuse(
        &["topology", "ring:4", "--planes", "2", "--route", "0", "1"],
        2,
        &["a route is within a plane", "one plane"],
    );
    folder.refuse(&["topology", "ring:4", "--planes", "2", "--floor-plan", "equality"], 2, &["use `grid`"]);
}
