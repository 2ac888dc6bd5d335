//! `mopsim throughput` as its users see it.

use crate::support;
use crate::support::cli::{Folder, assert_80_columns, number};

#[test]
fn the_least_fair_rate_is_the_saturation_and_no_cut_is_below_it() {
    let folder = Folder::new();
    let ask = ["throughput", "torus:4x4", "--pattern", "transpose"];
    let json = folder.json(&ask);
    let cell = &json["cells"][0];
    // The least fair level is the saturation, since flows count in proportion to their demands.
    assert!((number(cell, "saturation") - number(&cell["fair"]["level"], "min")).abs() < 1e-12);
    assert!(number(&cell["bounds"], "cut") >= number(cell, "saturation"));
}

/// As `packets` takes them.
#[test]
fn commas_separate_patterns() {
    let folder = Folder::new().pinned();
    let ask = |patterns: &[&str]| folder.output(&[&["throughput", "torus:4x4", "--bound", "quick"], patterns].concat());
    let one_by_one = ask(&["--pattern", "transpose", "--pattern", "tornado:k=4,m=2", "--pattern", "uniform"]);
    assert_eq!(ask(&["--pattern", "transpose,tornado:k=4,m=2,uniform"]), one_by_one);
}

#[test]
fn what_is_full_first_is_named() {
    let folder = Folder::new().pinned();
    // A host sends to the next one, over links that no other host uses.
    for (host_links, held) in [
        ("96 Gbit/s", "host links and links between switches at once"),
        ("97 Gbit/s", "a link between switches first"),
        ("95 Gbit/s", "the host links first"),
        ("none", "a link between switches first"),
    ] {
        let text =
            folder.output(&["throughput", "ring:4", "--pattern", "neighbour", "--host-link-bandwidth", host_links]);
        let told = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(&format!("for each host; {held} fair sharing")), "{host_links}: {text}");
    }
}

#[test]
fn several_stand_side_by_side_in_80_columns() {
    let folder = Folder::new();
    let mut ask =
        vec!["throughput", "torus:4x4", "hypercube:4", "random:n=16,d=4", "--routing", "ecmp", "--routing", "split"];
    let one = folder.output(&ask);
    assert_80_columns(&one);
    assert!(
        one.contains("uniform: what a host can send") && one.contains("F  random_regular:n=16,d=4,seed=1"),
        "{one}"
    );
    ask.extend(["--pattern", "uniform", "--pattern", "shuffle", "--pattern", "hotspot:nodes=[0,5,9],rates=[1,2,1]"]);
    let text = folder.output(&ask);
    assert_80_columns(&text);
    assert!(text.contains("geometric mean") && text.contains("Saturation"), "{text}");
    let svg = folder.path("t.svg");
    let svg = svg.to_str().expect("text");
    ask.extend(["--svg", svg, "--csv", "t.csv", "--json", "t.json", "--html", "t.html"]);
    let again = folder.output(&[&ask[..], &["--threads", "1"]].concat());
    assert_eq!(again, text, "threads and side files change nothing");
    let drawing = folder.read("t.svg");
    let document = roxmltree::Document::parse(&drawing).expect("XML");
    let curves = document.descendants().filter(|node| node.has_tag_name("polyline")).count();
    assert_eq!(curves, 18);
    // Curves differ without colour, and the page replaces the white ground and each colour by those of its scheme.
    let dashes: std::collections::BTreeSet<_> =
        document.descendants().filter_map(|node| node.attribute("stroke-dasharray")).collect();
    assert_eq!((dashes.len(), document.root_element().attribute("role")), (6, Some("img")));
    let page = folder.read("t.html");
    assert!(page.contains("geometric mean") && page.contains(drawing.trim()) && page.contains("mopsim.throughput/2"));
    // What it concludes, what its words mean, and what made it.
    for part in
        ["Under uniform traffic, ", " of a link, ", "<dt>lowest bound</dt>", "<dt>hotspot</dt>", "Made with mopsim "]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains(".drawing [fill=\"#0072b2\"] { fill: var(--net0); }"));
    assert!(page.contains("<pre><code>mopsim throughput ") && !page.contains("--threads"));
    assert_eq!(
        (folder.read("t.csv").lines().count(), folder.read("t.json").contains("mopsim.throughput/2")),
        (19, true)
    );
}

#[test]
fn seeds_are_in_the_result() {
    let folder = Folder::new();
    let cell = |arguments: &[&str]| {
        folder.json(&[&["throughput", "random:n=16,d=3", "--routing", "ecmp"], arguments].concat())["cells"][0].clone()
    };
    let one = cell(&["--pattern", "random_permutation", "--seed", "5"]);
    assert_eq!((&one["topology_seed"], &one["pattern_seed"], &one["routing_seed"]), (&5.into(), &5.into(), &5.into()));
    assert_eq!(one["pattern"], "random_permutation:seed=5");
    assert_eq!(one, cell(&["--pattern", "random_permutation", "--seed", "5"]));
    let own = cell(&["--pattern", "random_permutation:seed=7", "--seed", "5"]);
    assert_eq!((&own["pattern_seed"], own == one), (&7.into(), false));
    assert_eq!(cell(&[])["pattern_seed"], serde_json::Value::Null);
}

#[test]
fn a_matrix_and_a_trace_are_patterns() {
    let folder = Folder::with_trace(support::cli::MESSAGE);
    folder.write("m.csv", "source,destination,weight\n0,2,8\n1,2,4\n");
    let json = folder.json(&[
        "throughput",
        "ring:4",
        "--matrix",
        "m.csv",
        "--from-trace",
        "t.ti",
        "--host-link-bandwidth",
        "none",
    ]);
    let cells = json["cells"].as_array().expect("cells");
    // Host 0 sends all it can to 2 by way of 1 (the lower neighbour first), host 1 half as much: 1.5 on link 1->2.
    assert!((number(&cells[0], "saturation") - 1.0 / 1.5).abs() < 1e-12, "{}", cells[0]);
    assert!(cells[0]["pattern"].as_str().expect("a name").ends_with("m.csv"));
    assert_eq!((&cells[1]["flows"], &cells[1]["senders"]), (&1.into(), &1.into()));
    assert!((number(&cells[1], "saturation") - 1.0).abs() < 1e-12);
}

#[test]
fn a_study_file_names_networks_and_patterns() {
    let folder = Folder::new();
    let study = "title = 'Two'\npatterns = ['uniform', 'mirror']\nhosts_per_switch = 2\nbound = 'quick'\n\
                 [[networks]]\nname = 'ring'\ntopology = 'ring:6'\n\
                 [[networks]]\ntopology = 'edges.txt'\nroutings = ['split']\nhosts_per_switch = 1\n";
    folder.write("s/study.toml", study);
    folder.write("s/edges.txt", "0 1\n1 2\n2 0\n");
    let json = folder.json(&["throughput", "s/study.toml"]);
    let cells = json["cells"].as_array().expect("cells");
    assert_eq!((&json["title"], cells.len()), (&"Two".into(), 4));
    assert_eq!(
        (&cells[0]["network"], &cells[0]["endpoints"], &cells[0]["routing"]),
        (&"ring".into(), &12.into(), &"dimension_order".into())
    );
    assert_eq!((&cells[2]["endpoints"], &cells[2]["routing"]), (&3.into(), &"split".into()));
    // Flags override the file.
    let flags = folder.json(&[
        "throughput",
        "s/study.toml",
        "--pattern",
        "neighbour",
        "--hosts-per-switch",
        "1",
        "--routing",
        "ecmp",
    ]);
    let cells = flags["cells"].as_array().expect("cells");
    assert_eq!((cells.len(), &cells[0]["endpoints"], &cells[1]["routing"]), (2, &6.into(), &"ecmp".into()));
    folder.write("s/study.toml", "patterns = ['uniform']\nnetwork = []\n");
    folder.refuse(
        &["throughput", "s/study.toml"],
        2,
        &["study.toml:2:1: unknown key `network`; did you mean `networks`?"],
    );
    folder.write("s/study.toml", "patterns = ['uniform']\n");
    folder.refuse(&["throughput", "s/study.toml"], 2, &["study.toml: `networks` is an empty list"]);
    folder.refuse(&["throughput", "s/none.toml"], 3, &["none.toml"]);
}

#[test]
fn bad_input_is_refused() {
    let folder = Folder::new();
    let refuse = |arguments: &[&str], parts: &[&str]| folder.refuse(&[&["throughput"], arguments].concat(), 2, parts);
    refuse(
        &["ring:4", "--pattern", "transpse"],
        &["there is no pattern `transpse` (did you mean `transpose`?)", "help: the patterns are"],
    );
    refuse(
        &["ring:6", "--pattern", "shuffle"],
        &["ring:6: pattern", "a number of hosts that is a power of two, but there are 6", "help: "],
    );
    refuse(&["ring:8", "--pattern", "transpose"], &["4, 16, 64, ... hosts (an even power of two), but there are 8"]);
    refuse(&["rnig:8"], &["there is no topology `rnig` (did you mean `ring`?)"]);
    refuse(&["ring:8", "--routing", "splitt"], &["there is no routing rule `splitt`", "`split` divides traffic"]);
    refuse(&["ring:8", "--hosts-per-switch", "0"], &["has no host that could send"]);
    refuse(&["ring:8", "--endpoints", "9"], &["`endpoints` is 9, but topology `ring:n=8` has 8 hosts"]);
    refuse(&["ring:8", "--bound", "best"], &["`bound` is `best`", "auto, quick, lp, flow"]);
    refuse(&["ring:8", "--bound-gap", "2"], &["more than 0 and less than 1"]);
    refuse(&["ring:8", "--link-bandwidth", "-1"], &["--link-bandwidth"]);
    refuse(&["ring:8", "--packet-bytes", "0"], &["at least one byte"]);
    refuse(&["ring:8", "--floor-plan", "cube"], &["no floor plan `cube`"]);
    refuse(&["ring:8", "--pattern", "matrix"], &["the name of the file is missing"]);
    folder.write("apart.txt", "0 1\n2 3\n");
    refuse(&["apart.txt"], &["is disconnected: hosts on switch 0 cannot reach hosts on switch 2", "help: "]);
    folder.write("m.csv", "0 1\n1 0 1\n");
    refuse(
        &["ring:2", "--matrix", "m.csv"],
        &["m.csv:2:5: row 1 has 3 values, and there are 2 hosts", "help: give a row"],
    );
    folder.refuse(&["throughput", "ring:4", "--matrix", "none.csv"], 3, &["none.csv"]);
    folder.refuse(&["throughput", "ring:4", "--from-trace", "none.ti"], 3, &["none.ti"]);
    folder.refuse(&["throughput", "ring:4", "--svg", "no/such/file.svg"], 3, &["no/such"]);
    refuse(&["random:n=4096,d=3", "--hosts-per-switch", "4100"], &["hosts"]);
    refuse(&["torus:128x128", "--routing", "dimension_order"], &["is too much: all pairs of 16384 switches"]);
}

#[test]
fn hosts_in_great_numbers_are_counted() {
    // 2 * 65,536 hosts are 2^34 pairs; a cable carries half of what 65,536 hosts send.
    let ask = ["throughput", "full_mesh:2", "--hosts-per-switch", "65536"];
    let json = Folder::new().json(&ask);
    let cell = &json["cells"][0];
    assert_eq!(number(cell, "flows"), 2f64.powi(34));
    assert!((number(cell, "saturation") * 32768.0 - 1.0).abs() < 1e-12, "{cell}");
}

#[test]
fn flows_that_nothing_holds_do_not_lower_the_mean() {
    // The transpose of a hypercube of 16 has 4 hosts that send to themselves; the others get half a link at most and at
    // least.
    let ask = ["throughput", "hypercube:4", "--pattern", "transpose", "--routing", "dimension-order"];
    let json = Folder::new().json(&[&ask[..], &["--host-link-bandwidth", "none"]].concat());
    let fair = &json["cells"][0]["fair"];
    assert_eq!((number(fair, "accepted"), number(fair, "unbound")), (0.5, 4.0));
}

#[test]
fn a_pattern_that_does_not_fit_loses_no_answers() {
    let folder = Folder::new();
    let ask = ["throughput", "torus:4x4", "torus:5x5", "--pattern", "transpose", "--csv", "t.csv"];
    let run = folder.run(&ask).code(2);
    let text = String::from_utf8(run.get_output().stdout.clone()).expect("text");
    assert!(text.contains("no result for torus:5x5") && text.contains("0.5000"), "{text}");
    assert_eq!(folder.read("t.csv").lines().count(), 2);
    folder.refuse(&["throughput", "torus:5x5", "--pattern", "transpose"], 2, &["torus:5x5", "transpose"]);
    // Neither does a file that cannot be written.
    let full = folder.run(&["throughput", "torus:4x4", "--html", "/dev/full"]).code(3);
    assert!(full.get_output().stdout.len() > 500);
}

#[test]
fn networks_are_told_apart_by_name_and_files_are_found() {
    let folder = Folder::new();
    folder.refuse(&["throughput", "torus:4x4", "torus:4x4"], 2, &["torus:4x4", "different names"]);
    folder.write("m.csv", "source destination weight\n0 1 1\n");
    std::fs::create_dir(folder.path("sub")).expect("a folder");
    folder.write("sub/s.toml", "[[networks]]\ntopology = 'ring:4'\n");
    folder.write("g.txt", "0 1\n1 2\n2 0\n");
    // Names on the command line are relative to the working directory, even with a study from elsewhere.
    let text =
        folder.output(&["throughput", "sub/s.toml", "edges:g.txt", "--pattern", "matrix:m.csv", "--routing", "Split"]);
    assert!(text.contains("g.txt") && text.contains("static routing split"), "{text}");
    folder.write("sub/h.toml", "host_link_bandwidth = '10 Gbit/s'\n[[networks]]\ntopology = 'ring:4'\n");
    folder.output(&["throughput", "sub/h.toml", "--host-link-bandwidth", "none"]);
    folder.write("sub/h.toml", "host_links = false\n[[networks]]\ntopology = 'ring:4'\n");
    folder.output(&["throughput", "sub/h.toml", "--host-link-bandwidth", "10 Gbit/s"]);
}

#[test]
fn help_lists_the_patterns_in_80_columns() {
    let help = Folder::new().output(&["throughput", "--help"]);
    let (_, patterns) = help.split_once("Patterns:").expect("the list");
    assert_80_columns(patterns);
    for name in ["bit_complement", "hotspot:[nodes],[rates]", "worst_case", "trace:[path]"] {
        assert!(patterns.contains(name), "{name}: {patterns}");
    }
}
