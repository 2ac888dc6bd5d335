//! Routing rules on the command line: their effect on replays, and their reports in studies.

use crate::support::cli::{Folder, number};
use serde_json::Value;

/// Eight hosts of one leaf of a tree send 10 MB each to the eight of another leaf; ranks are in the order of hosts.
fn leaf_to_leaf() -> String {
    let mut text: String = (0..16).map(|rank| format!("{rank} init\n")).collect();
    for rank in 0..8 {
        let partner = rank + 8;
        text += &format!("{rank} send {partner} 0 10000000 6\n{partner} recv {rank} 0 10000000 6\n");
    }
    text
}

fn seconds(folder: &Folder, routing: &str) -> f64 {
    let fast = ["--link-bandwidth", "100 Gbit/s", "--host-link-bandwidth", "100 Gbit/s"];
    let arguments = ["replay", "t.ti", "--topology", "kary_ntree:8,2", "--routing", routing, "--model", "smpi"];
    number(&folder.json(&[&arguments[..], &fast].concat()), "simulated_seconds")
}

#[test]
fn hosts_of_a_leaf_spread_over_its_uplinks() {
    let folder = Folder::with_trace(&leaf_to_leaf());
    // All eight flows on one uplink, and each on its own.
    let (one, own) = (seconds(&folder, "bfs"), seconds(&folder, "d-mod-k"));
    assert!((one - 6.808e-3).abs() < 1e-6 && (own - 0.855e-3).abs() < 1e-6, "{one} {own}");
    assert_eq!(seconds(&folder, "ecmp:by=switches"), one);
    assert_eq!(seconds(&folder, "balanced"), own);
    // Each flow has an eighth of every uplink, so all have the whole.
    assert!((seconds(&folder, "split") / own - 1.0).abs() < 1e-9);
    // Eight balls in eight bins: the fullest has two to four of them in all but a few cases in a hundred, so 1.7 to 3.4
    // ms; for the seed that is the default it is two.
    let expected = [("ecmp", 2.0), ("random-shortest", 2.0), ("hashed", 3.0), ("adaptive", 3.0)];
    for (routing, flows) in expected {
        let ratio = seconds(&folder, routing) / own;
        assert!((ratio - flows).abs() < 0.02, "{routing}: {ratio}");
    }
    for routing in ["ecmp:by=flow", "up-down", "ugal"] {
        let ratio = seconds(&folder, routing) / own;
        assert!((1.0..4.1).contains(&ratio), "{routing}: {ratio}");
    }
}

/// Rank 0 fills the cable from 0 to 1 of a full mesh; later rank 2, on the same switch, sends the same way.
const LATER: &str = "0 send 4 0 10000000 6\n4 recv 0 0 10000000 6\n\
                     2 sleep 0.0001\n2 send 5 0 10000000 6\n5 recv 2 0 10000000 6\n\
                     1 init\n3 init\n";

#[test]
fn a_message_avoids_what_is_loaded_when_it_starts() {
    // Two switches of four hosts each, joined by two paths of two hops over 2 and 3.
    let mut folder = Folder::with_trace(LATER).pinned();
    folder.write("square.txt", "# undirected n=4 hosts=4,4,0,0\n0 2\n2 1\n0 3\n3 1\n");
    let run = |folder: &Folder, routing: &str| {
        let arguments =
            ["replay", "t.ti", "--topology", "square.txt", "--routing", routing, "--network-model", "ideal"];
        number(&folder.json(&arguments), "simulated_seconds")
    };
    // 10 MB at 40 Gbit/s take 2 ms. Both on one path end after 4 ms, since all is sent by then; apart, the second ends
    // after 2.1 ms.
    let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
    close(run(&folder, "bfs"), 4e-3);
    close(run(&folder, "adaptive"), 2.1e-3);
    close(run(&folder, "adaptive:knowledge=local"), 2.1e-3);
    close(run(&folder, "ugal"), 2.1e-3);
    // A full mesh has no other minimal path, but detours.
    folder = Folder::with_trace(LATER).pinned();
    folder.write("square.txt", "# undirected n=4 hosts=4,4,0,0\n0 1\n0 2\n2 1\n0 3\n3 1\n2 3\n");
    close(run(&folder, "adaptive"), 4e-3);
    close(run(&folder, "ugal"), 2.1e-3);
}

#[test]
fn adaptive_replays_are_the_same_for_any_number_of_threads_and_differ_by_seed() {
    let folder = Folder::new();
    let traces = concat!(env!("CARGO_MANIFEST_DIR"), "/traces");
    let study = format!(
        "title = 'x'\nroutings = ['adaptive', 'ugal', 'ecmp:by=flow']\n\
         [[networks]]\ntopology = 'dragonfly:a=4,h=2,p=2'\n[[networks]]\ntopology = 'random:n=64,d=5,seed=2'\n\
         [[workloads]]\ntrace = '{traces}/is.A.64.ti.zst'\n"
    );
    folder.write("s.toml", study);
    let run = |threads: &str, format: &str| {
        let arguments = ["compare", "s.toml", "--quiet", "--no-explain", "--threads", threads, "--format", format];
        folder.output(&arguments)
    };
    for format in ["json", "markdown"] {
        assert_eq!(run("1", format), run("3", format), "{format}");
    }
    let seconds = |seed: &str| {
        let trace = format!("{traces}/is.A.64.ti.zst");
        let arguments = ["replay", &trace, "--topology", "torus:4x4x4", "--routing", "adaptive", "--seed", seed];
        number(&folder.json(&arguments), "simulated_seconds")
    };
    assert_eq!(seconds("1"), seconds("1"));
    assert_ne!(seconds("1"), seconds("2"));
}

#[test]
fn dimension_order_halves_the_ties_of_a_torus() {
    let folder = Folder::new().pinned();
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/traces/ft.A.64.ti.zst");
    let seconds = |routing: &str| {
        let arguments = ["replay", trace, "--topology", "torus:4x4x4", "--routing", routing];
        number(&folder.json(&arguments), "simulated_seconds")
    };
    let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
    close(seconds("bfs"), 21.948e-3);
    close(seconds("dimension-order:ties=up"), 9.529e-3);
    close(seconds("dimension-order"), 8.219e-3);
}

#[test]
fn every_rule_of_sharing_has_loads() {
    let folder = Folder::with_trace(LATER).pinned();
    folder.write("square.txt", "# undirected n=4 hosts=4,4,0,0\n0 2\n2 1\n0 3\n3 1\n");
    for sharing in ["exact", "within:1%", "simgrid-lazy", "simgrid-full"] {
        let arguments = ["replay", "t.ti", "--topology", "square.txt", "--routing", "adaptive", "--sharing", sharing];
        let seconds = number(&folder.json(&arguments), "simulated_seconds");
        assert!((2e-3..2.6e-3).contains(&seconds), "{sharing}: {seconds}");
    }
}

const STUDY: &str = "title = 'x'\nroutings = ['bfs', 'D-mod-k']\n\
                     [[networks]]\nname = 'tree'\ntopology = 'kary_ntree:8,2'\n\
                     [[networks]]\nname = 'mesh'\ntopology = 'full_mesh:2'\nparameters = { hosts_per_switch = 8, link_bandwidth = '120 Gbit/s' }\n\
                     [[workloads]]\ntrace = 't.ti'\n";

/// The tree takes 16 ms for 80 MB at 40 Gbit/s over one uplink, 2 ms over eight; the mesh 5.3 ms over its only cable of 120
/// Gbit/s, whatever the rule.
#[test]
fn a_study_shows_what_the_rules_do_to_the_order() {
    let folder = Folder::with_trace(&leaf_to_leaf()).pinned();
    folder.write("s.toml", STUDY);
    let json = folder.json(&["compare", "s.toml"]);
    let effect = &json["routings"][0];
    assert_eq!(effect["order_holds"], false, "{effect}");
    let flip = &effect["flips"][0];
    assert_eq!((&flip["topology"], &flip["other"]), (&"tree".into(), &"mesh".into()));
    assert_eq!((&flip["ahead_with"], &flip["behind_with"]), (&"d_mod_k".into(), &"bfs".into()));
    let tree = &effect["networks"][0];
    assert_eq!(tree["best"], "d_mod_k");
    // The baseline with its best rule is 1; with the other it is eight times as slow.
    assert_eq!(number(&tree["geometric"], "d_mod_k"), 1.0);
    assert!((number(&tree["geometric"], "bfs") - 0.125).abs() < 1e-3, "{tree}");
    let columns: Vec<&Value> = json["topologies"].as_array().unwrap().iter().map(|n| &n["column"]).collect();
    let settings: Vec<&Value> = columns.iter().map(|column| &column["routing_setting"]).collect();
    assert_eq!(settings, ["bfs", "bfs", "d_mod_k", "d_mod_k"]);
    for format in ["text", "markdown"] {
        let text = folder.output(&["compare", "s.toml", "--format", format]).replace('\n', " ");
        let text = text.replace('\\', "");
        assert!(text.contains("The ranking of the networks changes with the routing rule"), "{text}");
        assert!(text.contains("static routing bfs") && text.contains("Each with its best rule"), "{text}");
    }
    let csv = folder.output(&["compare", "s.toml", "--format", "csv"]);
    assert!(
        csv.lines().next().unwrap().contains("collectives,routing_setting,routing,routing_kind,duplex,link_bandwidth,"),
        "{csv}"
    );
    assert!(csv.contains(",d_mod_k,d_mod_k,static"), "{csv}");
    folder.output(&["compare", "s.toml", "--html", "r.html"]);
    let html = folder.read("r.html");
    assert!(html.contains("The ranking of the networks changes") && html.contains("static routing d_mod_k"));
    // One rule of the command line takes the place of the list.
    let json = folder.json(&["compare", "s.toml", "--routing", "ecmp"]);
    assert!(json["routings"].is_null() && json["topologies"].as_array().unwrap().len() == 2, "{json}");
}

#[test]
fn lists_of_rules_are_checked_where_they_are_written() {
    let folder = Folder::with_trace("0 init\n");
    let refuse = |routings: &str, network: &str, parts: &[&str]| {
        let study =
            format!("title = 'x'\nroutings = {routings}\n[[networks]]\n{network}\n[[workloads]]\ntrace = 't.ti'\n");
        folder.write("s.toml", study);
        folder.refuse(&["compare", "s.toml"], 2, parts);
    };
    let ring = "topology = 'ring:4'";
    refuse("['bfs', 'esmp']", ring, &["s.toml:2:20: ", "did you mean `ecmp`?"]);
    refuse("['ugal:k=0']", ring, &["s.toml:2:13: ", "from 1 to 64"]);
    refuse("[]", ring, &["s.toml:2:12: ", "empty list"]);
    refuse("['bfs', 'shortest']", ring, &["s.toml:2:20: ", "`bfs` is in routings twice"]);
    refuse("['bfs', 'equality']", ring, &["s.toml:2:20: network `ring:4`", "does not fit"]);
    // `default` is what a network has without the list, also where that is its own rule.
    let study = "title = 'x'\nroutings = ['default', 'ecmp']\n[[networks]]\ntopology = 'ring:4'\nrouting = 'split'\n\
                 [[workloads]]\ntrace = 't.ti'\n";
    folder.write("s.toml", study);
    let json = folder.json(&["compare", "s.toml"]);
    let rules: Vec<&Value> = json["topologies"].as_array().unwrap().iter().map(|n| &n["routing"]).collect();
    assert_eq!(rules, ["split", "ecmp"]);
}

#[test]
fn reports_say_static_or_adaptive() {
    let folder = Folder::with_trace(crate::support::cli::MESSAGE);
    for (routing, kind, words) in [
        ("split", "static", "static routing split"),
        ("ugal:k=2", "adaptive", "adaptive routing ugal:k=2 (seed 1)"),
        ("ecmp:by=flow", "static", "static routing ecmp:by=flow (seed 1)"),
    ] {
        let run = |format: &str| {
            folder.output(&["replay", "t.ti", "--topology", "ring:4", "--routing", routing, "--format", format])
        };
        assert!(run("text").contains(words) && run("markdown").contains(&words.replace('_', "\\_")), "{}", run("text"));
        let csv = run("csv");
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[0].contains(",core_flops,routing_kind,"), "{csv}");
        assert!(lines[1].contains(&format!(",100000000000,{kind},")), "{csv}");
        let json: Value = serde_json::from_str(&run("json")).unwrap();
        assert_eq!((&json["model"]["routing"], &json["model"]["routing_kind"]), (&routing.into(), &kind.into()));
    }
    let text = folder.output(&["throughput", "ring:8", "--routing", "split"]);
    assert!(text.contains("static routing split") || text.contains("split, static"), "{text}");
    folder.refuse(
        &["throughput", "ring:8", "--routing", "adaptive"],
        2,
        &["`adaptive` does not fit", "chooses a path per message", "`split` and `valiant-split`"],
    );
}
