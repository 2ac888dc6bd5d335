//! Failures: damaged networks on the command line and in studies.

use crate::support::cli::{Folder, assert_80_columns, number};
use serde_json::Value;

/// Four ranks; 0 sends 10 MB to 1.
const TRACE: &str = "0 init\n1 init\n2 init\n3 init\n0 send 1 0 10000000 6\n1 recv 0 0 10000000 6\n";

/// Every rank of eight sends 1 MB to every other.
fn all_to_all() -> String {
    (0..8).map(|rank| format!("{rank} init\n{rank} alltoall 1000000 1000000 0 6\n")).collect()
}

fn study(failures: &str) -> String {
    format!(
        "title = 'broken'\n{failures}\n[[networks]]\nname = 'torus'\ntopology = 'torus:4x4'\n[[networks]]\nname = \
         'random'\ntopology = 'random:n=16,d=4'\n[[workloads]]\ntrace = 't.ti'\nname = 'all-to-all'\n"
    )
}

fn folder(failures: &str) -> Folder {
    let folder = Folder::with_trace(&all_to_all());
    folder.write("s.toml", study(failures));
    folder
}

#[test]
fn a_replay_goes_round_what_is_missing() {
    let folder = Folder::with_trace(TRACE);
    let replay = |more: &[&str]| {
        let base = ["replay", "t.ti", "--topology", "ring:4", "--network-model", "ideal", "--switch-delay", "1 us"];
        folder.json(&[&base[..], more].concat())
    };
    let (intact, broken) = (replay(&[]), replay(&["--without", "0-1"]));
    // Three hops instead of one: two more switches and cables.
    let later = number(&broken, "simulated_seconds") - number(&intact, "simulated_seconds");
    assert!((later - 2e-6).abs() < 1e-7, "{later}");
    assert_eq!(broken["topology"], "damaged:base=ring:n=4,without=0-1,seed=1");
    assert_eq!(
        number(&replay(&["--without", "0-1", "--routing", "repaired"]), "simulated_seconds"),
        number(&broken, "simulated_seconds")
    );
    // A switch that failed takes its host along: ranks need as many hosts as are left.
    folder.refuse(
        &["replay", "t.ti", "--topology", "ring:4", "--without", "3"],
        2,
        &["4 ranks", "3 hosts", "(a switch failed with its hosts)"],
    );
    // The hosts that are left keep their names; a host file that names the one that failed is still of use.
    folder.write("h.txt", "h2\nh3\nh1\nh0\n");
    let left = ["replay", "t.ti", "--topology", "ring:4", "--without", "3", "--hostfile", "h.txt", "--cores", "2"];
    assert_eq!(
        folder.json(&left)["notes"][0],
        "on damaged:base=ring:n=4,without=3,seed=1, failed switches took 1 host along; ranks run on the 3 that are left"
    );
    // Hosts that cannot reach each other are named.
    let cut = ["replay", "t.ti", "--topology", "ring:4", "--without", "0-1,2-3"];
    folder.refuse(&cut, 2, &["hosts on switch 0 cannot reach hosts on switch 1", "8 of 12 pairs", "0 to 2"]);
    for (list, parts) in [
        ("0-2", ["no cable joins switches 0 and 2", "help:"]),
        ("9", ["the switches are 0 to 3", "help:"]),
        ("-1", ["the switches are 0 to 3", "help:"]),
        ("x", ["must be a switch or two", "help:"]),
    ] {
        folder.refuse(&["replay", "t.ti", "--topology", "ring:4", "--without", list], 2, &parts);
    }
    // A platform file lists its links itself.
    folder.write("p.json", "{}");
    folder.refuse(&["replay", "t.ti", "--platform", "p.json", "--without", "0-1"], 2, &["`without` does not go with"]);
}

#[test]
fn other_verbs_take_what_is_missing() {
    let folder = Folder::new();
    let whole = folder.json(&["topology", "torus:4x4", "--without", "0-1,5"]);
    // 32 cables without one and four; metrics are those of the 15 switches that are left.
    assert_eq!(
        (&whole["n"], &whole["edges"], &whole["hosts"]),
        (&Value::from(15), &Value::from(27), &Value::from(15)),
        "{whole}"
    );
    assert_eq!(whole["connected"], true);
    let route = folder.output(&["topology", "torus:4x4", "--without", "0-1", "--route", "0", "1"]);
    assert!(route.contains("shortest"), "{route}");
    let repaired =
        folder.output(&["topology", "torus:4x4", "--without", "0-1", "--route", "0", "1", "--routing", "repaired"]);
    assert!(repaired.contains("detour"), "{repaired}");
    folder.run(&["throughput", "torus:4x4", "--without", "0-1,5", "-q"]).success();
    // Switch 0 is one like any other: rules that follow the structure of a family no longer hold.
    for topology in ["torus:4x4", "mesh:4x4", "hypercube:4", "hyperx:4x4", "dragonfly:a=4,h=2", "slim_fly:5"] {
        for options in [&[][..], &["--routing", "bfs"], &["--routing", "repaired"]] {
            let without = [&["throughput", topology, "--without", "0", "-q"][..], options].concat();
            folder.run(&without).success();
        }
    }
    let packets =
        ["packets", "fat_tree2:4", "--without", "1", "--load", "0.1", "--no-saturation", "--measure", "300", "-q"];
    folder.run(&packets).success();
    let slow = "damaged:base=torus:4x4,degraded=2,bandwidth=50%";
    folder.refuse(&["throughput", slow, "-q"], 2, &["degraded cables"]);
    folder.refuse(&["packets", slow, "-q"], 2, &["degraded cables"]);
    let seeded = |seed: &str| {
        folder.json(&["topology", "random:n=16,d=4", "--seed", seed, "--without", "3"])["edge_sha256"].clone()
    };
    assert_ne!(seeded("1"), seeded("2"));
}

#[test]
fn a_study_reports_the_slowdown_by_failures() {
    let folder = folder("failures = { cables = '10 %', seeds = 5 }");
    let result = folder.json(&["compare", "s.toml", "-q"]);
    let failures = &result["failures"][0];
    assert_eq!((&failures["failures"], &failures["seeds"]), (&Value::from("without 10% of cables"), &Value::from(5)));
    let cells = result["cells"].as_array().unwrap();
    // Intact, five seeds, evenly, on two networks.
    assert_eq!(cells.len(), 2 * (1 + 5 + 1));
    for network in failures["networks"].as_array().unwrap() {
        let name = network["topology"].as_str().unwrap();
        let times = |state: &str| -> Vec<f64> {
            let own = cells.iter().filter(|cell| cell["topology"] == name && cell["failures"] == state);
            own.map(|cell| number(cell, "simulated_seconds")).collect()
        };
        let (intact, failed, even) =
            (times("intact"), times("without 10% of cables"), times("evenly without 10% of cables"));
        assert_eq!((intact.len(), failed.len(), even.len()), (1, 5, 1), "{name}");
        let mean = failed.iter().map(|time| time / intact[0]).sum::<f64>() / 5.0;
        let workload = &network["workloads"][0];
        assert!((number(&workload["slowdown"], "mean") - mean).abs() < 1e-12);
        assert!((number(workload, "even") - even[0] / intact[0]).abs() < 1e-12);
        let interval = &workload["slowdown"]["interval"];
        assert!(interval[0].as_f64().unwrap() < mean && mean < interval[1].as_f64().unwrap());
        // An all-to-all of large messages is limited by bandwidth: nothing fails for free.
        assert!(mean > 1.0 && even[0] > intact[0], "{name}: {mean}");
    }
    let text = folder.output(&["compare", "s.toml", "-q"]);
    assert!(text.contains("Failures: time without 10% of cables over time on the intact network, 5 seeds"), "{text}");
    assert_80_columns(&text);
    for (format, part) in [("markdown", "Failures: time without 10% of cables"), ("csv", "without 10% of cables")] {
        assert!(folder.output(&["compare", "s.toml", "-q", "--format", format]).contains(part), "{format}");
    }
    folder.run(&["compare", "s.toml", "-q", "--html", "r.html"]).success();
    let page = folder.read("r.html");
    let (_, below) = page.split_once("Failures: time without 10% of cables").expect("a table");
    let below = below.split_once("</table>").expect("a table").1;
    assert!(below.split("<h3>").next().is_some_and(|notes| notes.contains("In brackets: the network whose cables")));
    assert!(
        page.contains("data-rests-on=\"weights networks workloads baseline settings\">Slowdown without 10% of cables")
    );
}

#[test]
fn threads_shards_and_merges_give_the_same_report() {
    let folder = folder(
        "repetitions = 2\nfailures = [{ cables = 2, seeds = 3 }, { cables = '20 %', routes = 'repaired', seeds = 3 }]",
    );
    let whole = folder.output(&["compare", "s.toml", "-q"]);
    assert_eq!(folder.output(&["compare", "s.toml", "-q", "--threads", "1"]), whole);
    for shard in ["1/2", "2/2"] {
        let file = format!("{}.jsonl", &shard[..1]);
        folder.run(&["compare", "s.toml", "-q", "--shard", shard, "--results", &file]).success();
    }
    assert_eq!(folder.output(&["merge", "s.toml", "1.jsonl", "2.jsonl", "-q"]), whole);
    // Resumed from a part of the results.
    assert_eq!(folder.output(&["compare", "s.toml", "-q", "--results", "whole.jsonl"]), whole);
    let part: String = folder.read("whole.jsonl").lines().take(5).flat_map(|line| [line, "\n"]).collect();
    folder.write("part.jsonl", part);
    assert_eq!(folder.output(&["compare", "s.toml", "-q", "--results", "part.jsonl", "--resume"]), whole);
    // Other failures are another study.
    folder.write("s.toml", study("repetitions = 2\nfailures = [{ cables = 3, seeds = 3 }, { cables = '20 %', routes = 'repaired', seeds = 3 }]"));
    folder.refuse(&["merge", "s.toml", "1.jsonl", "2.jsonl", "-q"], 2, &["networks"]);
}

#[test]
fn degraded_cables_and_repaired_routes() {
    let slow =
        folder("degraded = { cables = '25 %', bandwidth = '50 %', seeds = 3 }").json(&["compare", "s.toml", "-q"]);
    let level = &slow["failures"][0];
    assert_eq!(level["failures"], "with 25% of cables at 50% of their bandwidth");
    assert!(level["networks"].as_array().unwrap().iter().all(|network| number(&network["geometric"], "mean") > 1.0));
    let repaired =
        folder("failures = { cables = 2, seeds = 3, routes = 'repaired' }").json(&["compare", "s.toml", "-q"]);
    let routings: Vec<&str> =
        repaired["topologies"].as_array().unwrap().iter().filter_map(|network| network["routing"].as_str()).collect();
    assert!(routings.contains(&"repaired") && routings.contains(&"dimension_order"), "{routings:?}");
}

/// A network that lacks parts already is the intact one of its failures, with or without a name.
#[test]
fn failures_come_on_top_of_those_of_a_network() {
    let result = |network: &str| {
        let folder = folder("");
        folder.write(
            "s.toml",
            format!(
                "title = 'x'\nfailures = {{ cables = 2, seeds = 2 }}\n[[networks]]\n{network}\n[[networks]]\nname = 'cube'\n\
                 topology = 'hypercube:4'\n[[workloads]]\ntrace = 't.ti'\n"
            ),
        );
        let result = folder.json(&["compare", "s.toml", "-q"]);
        result["failures"][0]["networks"][0].clone()
    };
    let [named, unnamed] = ["name = 'torus'\n", ""].map(|name| {
        let network = result(&format!("{name}topology = 'torus:4x4'\nwithout = '0-1,5-6,9-10'"));
        (number(&network["workloads"][0]["slowdown"], "mean"), number(&network["workloads"][0], "even"))
    });
    assert_eq!(named, unnamed);
    // 29 of 32 cables were left, and 27 of these: the even network has 27/29 of the bandwidth, and not 27/32.
    assert!((named.1 - 29.0 / 27.0).abs() < 0.01, "{named:?}");
}

#[test]
fn mistakes_are_named_where_they_are_written() {
    for (text, parts) in [
        ("failures = {}", vec!["nothing fails"]),
        ("failures = { cables = '0 %' }", vec!["nothing fails"]),
        ("failures = []", vec!["0 entries"]),
        ("failures = 3", vec!["s.toml:2", "failures is a table"]),
        ("failures = { cable = 1 }", vec!["s.toml:2:12: failures: unknown key `cable`; did you mean `cables`?"]),
        ("failures = { cables = -1 }", vec!["s.toml:2", "a share from `0 %`"]),
        ("failures = { cables = '101 %' }", vec!["a share from `0 %`"]),
        ("failures = { cables = 1, seeds = 0 }", vec!["seeds = 0 is not from 1"]),
        ("failures = { cables = 1, routes = 'none' }", vec!["neither `remade` nor `repaired`"]),
        ("failures = [{ cables = 1 }, { cables = 1 }]", vec!["`without 1 cable` is given twice"]),
        ("failures = { cables = 33 }", vec!["only 32 of 32", "network `torus`"]),
        ("degraded = { cables = 1, bandwidth = 2 }", vec!["the share that is left"]),
        ("degraded = { cables = 0, bandwidth = '50 %' }", vec!["no cable becomes slower"]),
        ("degraded = { cables = 1 }", vec!["bandwidth"]),
        (
            "failures = { cables = 1 }\ndegraded = { cables = 1, bandwidth = '50 %', seeds = 3 }",
            vec!["seeds and routes are those of failures"],
        ),
        // Three of four cables: some seed cuts the network apart.
        ("failures = { cables = '75 %', seeds = 10 }", vec!["cannot reach", "pairs have no path", "seed=1"]),
    ] {
        folder(text).refuse(&["compare", "s.toml", "-q"], 2, &parts);
    }
    let adaptive = folder("failures = { cables = 1, routes = 'repaired' }\nroutings = ['ugal']");
    adaptive.refuse(&["compare", "s.toml", "-q"], 2, &["routes by `ugal` cannot be repaired"]);
}
