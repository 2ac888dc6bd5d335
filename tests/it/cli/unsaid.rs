//! What was accepted, changed or taken from elsewhere without a word: it is refused, warned of, or stated.

use crate::support::cli::{Folder, MESSAGE, number};
use predicates::str::contains;

/// A folder with a trace of 16 ranks, whose side file has its operations.
fn with_program() -> Folder {
    let folder = Folder::new();
    folder.output(&["workload", "npb/is", "--class", "S", "--ranks", "16", "-o", "is.ti"]);
    folder
}

fn study(lines: &str) -> String {
    format!(
        "title = \"s\"\n{lines}\n[[networks]]\nname = \"A\"\ntopology = \"torus:4x4\"\n[[workloads]]\ntrace = \"is.ti\"\n"
    )
}

fn warns(folder: &Folder, arguments: &[&str], parts: &[&str]) {
    let mut run = folder.run(arguments).success();
    for part in parts {
        run = run.stderr(contains(*part));
    }
}

#[test]
fn policies_of_ports_need_ports() {
    let folder = Folder::with_trace(MESSAGE);
    let refused = ["--rail chooses among the ports of a host", "planes=2"];
    folder.refuse(&["replay", "t.ti", "--topology", "ring:4", "--rail", "striped"], 2, &refused);
    folder.refuse(&["throughput", "ring:4", "--rail", "striped"], 2, &refused);
    let two = "rails:base=ring:4,planes=2";
    folder.output(&["replay", "t.ti", "--topology", two, "--rail", "striped"]);
    folder.output(&["throughput", two, "--rail", "striped"]);
}

#[test]
fn keys_without_effect_are_refused() {
    let folder = with_program();
    for (lines, part) in [
        ("allocation = \"random\"", "s.toml:2:14: allocation is for [[jobs]]"),
        ("share_hosts = true", "s.toml:2:15: share_hosts is for [[jobs]]"),
        ("[budget]\nenergy_price = 0.2\nyears = 5\npue = 0.5", "s.toml:5:7: budget: pue = 0.5 is not 1 or more"),
        ("[budget]\nenergy_price = 0.2\nyears = 5\nsupport = 15", "s.toml:5:11: budget: support = 15 is not up to 1"),
    ] {
        folder.write("s.toml", study(lines));
        folder.refuse(&["compare", "s.toml"], 2, &[part]);
    }
    for weight in ["1e308", "5e-324", "-1", "nan"] {
        folder.write("s.toml", study("") + &format!("weight = {weight}\n"));
        folder.refuse(&["compare", "s.toml"], 2, &["weight", "of workload `is.ti` is not from 1e-9 to 1e9"]);
    }
    let equality = ["topology", "torus:4x4", "--floor-plan", "equality", "--switches-per-cabinet", "4"];
    folder.refuse(&equality, 2, &["switches_per_cabinet", "cabinets of 42 units"]);
    let precision = ["replay", "is.ti", "--topology", "torus:4x4", "--timing-precision", "1"];
    folder.refuse(&precision, 2, &["timing-precision", "from 0 to 0.001"]);
    folder.refuse(&["workload", "npb/is", "--parameters", "-o", "x.ti"], 2, &["--parameters", "--output"]);
    let events = ["packets", "torus:4x4", "--engine", "events", "--packet", "8", "--switching", "wormhole"];
    folder.refuse(&events, 2, &["switching is `wormhole`, but the packet engine needs `cut-through`"]);
}

/// A check of some iterations is a check, whether or not `packets` is there as well.
#[test]
fn iterations_of_a_check_switch_it_on() {
    let folder = Folder::new();
    folder.output(&["workload", "npb/cg", "--class", "S", "--ranks", "4", "-o", "is.ti"]);
    folder.write("s.toml", study("[check]\niterations = 2"));
    assert!(folder.output(&["compare", "s.toml"]).contains("packets"));
}

#[test]
fn ranks_that_share_cores_are_named() {
    let folder = with_program();
    let note = "16 ranks share 4 cores, and compute more slowly";
    let replay = folder.output(&["replay", "is.ti", "--topology", "torus:2x2", "--mapping", "block"]);
    assert!(replay.replace("\n      ", " ").contains(&format!("on torus:dims=2x2, {note}")), "{replay}");
    let own = "[[networks]]\nname = \"small\"\ntopology = \"torus:2x2\"\n";
    folder.write("s.toml", study("mapping = \"block\"") + own);
    let text = folder.output(&["compare", "s.toml"]);
    assert!(text.contains("on small, 16 ranks share 4 cores"), "{text}");
    let cores = "parameters = { cores = 4 }\n";
    folder.write("s.toml", study("mapping = \"block\"") + own + cores);
    assert!(!folder.output(&["compare", "s.toml"]).contains("ranks share"));
}

#[test]
fn times_without_a_unit_are_warned_of() {
    let folder = with_program();
    folder.write("s.toml", study("[model]\nmessage_latency = 24"));
    warns(&folder, &["compare", "s.toml"], &["message_latency is up to 24 seconds", "\"24 us\""]);
    folder.write("s.toml", study("[model]\nmessage_latency = \"24 us\""));
    let run = folder.run(&["compare", "s.toml"]).success();
    assert!(!String::from_utf8_lossy(&run.get_output().stderr).contains("warning"));
}

#[test]
fn exports_of_adaptive_rules_say_what_they_hold() {
    let folder = Folder::new();
    let export =
        |rule: &'static str| ["export", "torus:4x4", "--to", "simgrid", "--routing", rule, "-o", "x.xml", "--force"];
    warns(&folder, &export("ugal"), &["warning: ugal chooses routes by load", "one route for each pair of hosts"]);
    let run = folder.run(&export("bfs")).success();
    assert!(!String::from_utf8_lossy(&run.get_output().stderr).contains("warning"));
}

#[test]
fn parts_of_traces_do_not_get_the_operations_of_the_whole() {
    let folder = with_program();
    let cut = ["trace", "cut", "is.ti", "--window", "10%-60%", "-o", "is.mtrace"];
    folder.refuse(&cut, 2, &["is.mtrace would get the title and the operations of is.toml", "help:"]);
    folder.refuse(&["trace", "scale", "is.ti", "--compute", "3", "-o", "is.goal"], 2, &["has other computations"]);
    warns(&folder, &[&cut[..], &["--force"]].concat(), &["warning: is.mtrace would get the title"]);
    folder.output(&["trace", "cut", "is.ti", "--window", "10%-60%", "-o", "part.mtrace"]);
    // Mistakes of the command line come before those of files.
    folder.refuse(
        &["trace", "scale", "is.ti", "--compute", "-1", "-o", "is.ti"],
        2,
        &["must be finite, and 0 or more"],
    );
    folder.output(&["trace", "scale", "is.ti", "--compute", "0", "-o", "fast.ti"]);
    let replayed = folder.json(&["replay", "fast.ti", "--topology", "torus:4x4"]);
    assert!(number(&replayed, "simulated_seconds") > 0.0 && replayed["mops"].is_null());
}

#[test]
fn one_job_has_its_performance() {
    let folder = with_program();
    let mops = |more: &[&'static str]| {
        let replayed = folder.json(&[&["replay", "is.ti", "--topology", "torus:4x4"], more].concat());
        number(&replayed, "mops")
    };
    assert_eq!(mops(&["--no-pairs"]), mops(&[]));
}

#[test]
fn damaged_networks_with_several_seeds_are_specified_without_one() {
    let folder = with_program();
    folder.write("s.toml", study("failures = { cables = 2, seeds = 3 }"));
    let csv = folder.output(&["compare", "s.toml", "--format", "csv"]);
    let damaged: Vec<&str> = csv.lines().filter(|line| line.contains("damaged:")).collect();
    assert_eq!(damaged.len(), 3, "{csv}");
    for line in damaged {
        assert!(line.contains("\"damaged:base=torus:dims=4x4,cables=2\""), "{line}");
    }
    folder.write("s.toml", study("failures = { cables = 2, seeds = 1 }"));
    assert!(folder.output(&["compare", "s.toml", "--format", "csv"]).contains("cables=2,seed=1\""));
}

/// The torus loses its rule with a cable, and the comparison is not one of failures alone.
#[test]
fn failures_say_when_a_rule_changes() {
    let folder = with_program();
    let balanced = "[[networks]]\nname = \"B\"\ntopology = \"torus:4x4\"\nrouting = \"balanced\"\n";
    folder.write("s.toml", study("failures = { cables = 1, seeds = 3 }") + balanced);
    let text = folder.output(&["compare", "s.toml"]).replace('\n', " ");
    assert!(text.contains("Failures change the routing rule of A from dimension_order to balanced."), "{text}");
    assert!(text.contains("The order also reflects the change of rule."), "{text}");
    assert!(!text.contains("overlap"), "{text}");
    folder.write("s.toml", study("failures = { cables = 1, seeds = 3, routes = \"repaired\" }") + balanced);
    let text = folder.output(&["compare", "s.toml"]).replace('\n', " ");
    assert!(!text.contains("Failures change") && text.contains("overlap"), "{text}");
}

/// A difference of slowdowns is no per cent: with slow links it is larger than the network is slower.
#[test]
fn more_than_an_even_loss_is_a_ratio() {
    let folder = Folder::new();
    let program = ["workload", "npb/cg", "--class", "S", "--ranks", "16", "--iterations", "2", "-o", "is.ti"];
    folder.output(&program);
    let slow = "[network]\nrouting = \"balanced\"\nparameters = { link_bandwidth = \"2 Gbit/s\" }\n";
    folder.write("s.toml", study("failures = { cables = \"20 %\", seeds = 2 }") + slow);
    let text = folder.output(&["compare", "s.toml"]).replace('\n', " ");
    let json = folder.json(&["compare", "s.toml"]);
    let own = &json["failures"][0]["networks"][0];
    let (failed, even) = (number(&own["geometric"], "mean"), number(own, "geometric_even"));
    // Two seeds have a wide interval.
    let more = 100.0 * (failed / even - 1.0);
    let expected = format!("evenly reduced network, but within the interval: A ({more:+.1} %)");
    assert!(failed / even > 1.005 && text.contains(&expected), "{expected}: {text}");
}

#[test]
fn files_of_models_are_read_where_a_study_names_them() {
    let folder = with_program();
    folder.write("fabric/own.toml", "network_model = \"ordered\"\nmessage_latency = \"3 us\"\n");
    let seconds = |lines: &str, more: &str| -> Vec<f64> {
        folder.write("s.toml", study(lines) + more);
        let json = folder.json(&["compare", "s.toml"]);
        let cells = json["cells"].as_array().expect("cells");
        cells.iter().map(|cell| number(cell, "simulated_seconds")).collect()
    };
    let plain = seconds("", "")[0];
    let expected = seconds("[model]\nmessage_latency = \"3 us\"", "")[0];
    assert!(expected > plain * 1.5);
    assert_eq!(seconds("model = \"fabric/own.toml\"", ""), [expected]);
    assert_eq!(seconds("[model]\nfile = \"fabric/own.toml\"", ""), [expected]);
    assert_eq!(seconds("models = [\"ordered\", \"fabric/own.toml\"]", ""), [plain, expected]);
    let other = "[[networks]]\nname = \"B\"\ntopology = \"torus:4x4\"\nmodel = \"fabric/own.toml\"\n";
    assert_eq!(seconds("", other), [plain, expected]);
    // What the study states itself goes first.
    assert_eq!(seconds("[model]\nfile = \"fabric/own.toml\"\nmessage_latency = \"0 s\"", ""), [plain]);
    for (lines, code, parts) in [
        ("models = [\"ordered\", \"no.toml\"]", 3, ["s.toml:2:22: ", "no.toml"]),
        ("[model]\nfile = \"no.toml\"", 3, ["s.toml:3:8: ", "no.toml"]),
        ("models = [\"bad.toml\"]", 2, ["s.toml:2:11: ", "bad.toml:1:17: network-model: `orderd`"]),
        ("models = [\"nested.toml\"]", 2, ["s.toml:2:11: ", "cannot name another one"]),
    ] {
        folder.write("bad.toml", "network_model = \"orderd\"\n");
        folder.write("nested.toml", "file = \"bad.toml\"\n");
        folder.write("s.toml", study(lines));
        folder.refuse(&["compare", "s.toml"], code, &parts);
    }
}

#[test]
fn graph_files_are_commented_on() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("twice.txt", "0 1\n1 0\n1 2\n");
    warns(&folder, &["replay", "t.ti", "--topology", "twice.txt"], &["1 cable of the file repeats another"]);
    let fabric = "Switch 36 \"S-1\" # \"leaf\"\n[1] \"H-1\"[1](1) # \"n1\" lid 3 4xHDR\n[2] \"S-2\"[9] # \"leaf\" lid 2 4xHDR\n\
                  Switch 36 \"S-2\"\n[1] \"H-2\"[1]\n";
    folder.write("fabric.ibnet", fabric);
    folder.write("fabric.out", fabric);
    let said = "all cables are 4xHDR: set link_bandwidth to 200 Gbit/s";
    warns(&folder, &["replay", "t.ti", "--topology", "fabric.ibnet"], &[said]);
    assert!(folder.output(&["topology", "ibnet:fabric.out"]).contains(said));
    folder.write("b.anynet", "router 0 node 0 router 1 4\nrouter 1 node 1\n");
    warns(&folder, &["replay", "t.ti", "--topology", "b.anynet"], &["4 cycles in the file, are set by options"]);
    folder.write("b.txt", folder.read("b.anynet"));
    folder.refuse(&["topology", "b.txt"], 2, &["b.txt:1:", "a network of BookSim", "anynet:path=\"b.txt\""]);
}

#[test]
fn expansions_name_the_filling() {
    let folder = Folder::new();
    let ask = ["design", "dsnf", "--from", "n=8,p=2", "--to", "n=40,p=3"];
    assert_eq!(folder.json(&ask)["fill"], "balanced");
    assert!(folder.output(&ask).contains("Both networks have fill=balanced"));
    let same = ["design", "dsnf", "--from", "n=24,p=3", "--to", "n=40,p=3"];
    assert_eq!(folder.json(&same)["fill"], "sequential");
    assert!(!folder.output(&same).contains("fill="));
}
