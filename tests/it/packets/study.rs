//! The table `[packets]` of a study: the sweep of `mopsim packets` on the study's networks, in every format.

use crate::support::cli::{Folder, MESSAGE, number};
use crate::support::html::{check_validity, elements, parse};
use serde_json::Value;
use std::collections::HashSet;

/// Writes a study of these networks with this table.
fn study(networks: &str, table: &str) -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", format!("title = 'T'\n{networks}\n[packets]\n{table}\n[[workloads]]\ntrace = 't.ti'\n"));
    folder
}

const TWO: &str =
    "baseline = 'net B'\n[[networks]]\ntopology = 'torus:4x4'\n[[networks]]\nname = 'net B'\ntopology = 'mesh:4x4'";
const SHORT: &str = "load = '0.1,0.3,0.9'\nwarmup = 200\nmeasure = 500\n";
const FLAGS: [&str; 6] = ["--load", "0.1,0.3,0.9", "--warmup", "200", "--measure", "500"];

fn list<'a>(value: &'a Value, member: &str) -> &'a Vec<Value> {
    value[member].as_array().unwrap_or_else(|| panic!("no list {member} in {value}"))
}

#[test]
fn a_study_has_the_results_of_the_verb_relative_to_its_baseline() {
    let folder =
        study(TWO, &format!("{SHORT}patterns = ['uniform', 'transpose']\nrouting = 'escape'\nseeds = 2\nseed = 7"));
    let json = folder.json(&["compare", "s.toml", "-q"]);
    let verb = ["packets", "mesh:4x4", "torus:4x4", "--routing", "escape", "--pattern", "uniform,transpose"];
    let verb = folder.json(&[&verb[..], &["--seeds", "2", "--seed", "7"], &FLAGS].concat());
    let section = &json["packets"];
    assert_eq!((&section["seeds"], number(section, "measure")), (&serde_json::json!([7, 8]), 500.0));
    // The command line comes before the file.
    let other = folder.json(&["compare", "s.toml", "-q", "--seed", "9"]);
    assert_eq!(other["packets"]["seeds"], serde_json::json!([9, 10]));
    assert!(list(section, "left_out").is_empty());
    let networks = list(section, "networks");
    let names: Vec<&str> = networks.iter().map(|network| network["topology"].as_str().unwrap()).collect();
    assert_eq!(names, ["torus:dims=4x4", "net B"]);
    let mut points = 0;
    for (network, spec) in networks.iter().zip(["torus:dims=4x4", "mesh:dims=4x4"]) {
        assert_eq!(number(network, "cycle_ns"), number(&verb, "cycle_ns"));
        for series in list(network, "series") {
            let same = |other: &&Value| other["topology"] == spec && other["pattern"] == series["pattern"];
            let other = list(&verb, "series").iter().find(same).expect("a series");
            for key in [
                "saturation",
                "accepted_at_full_load",
                "latency_at_lowest_load",
                "latency_at_lowest_load_ns",
                "saturation_ratio",
                "latency_ratio",
                "vcs",
                "freedom_from_deadlock",
            ] {
                assert_eq!(series[key], other[key], "{key} of {spec}");
            }
            assert_eq!(series["packet_routing"], "escape");
            let of_verb: Vec<&Value> = list(&verb, "points").iter().filter(same).collect();
            assert_eq!(list(series, "points").len(), of_verb.len());
            for (point, other) in list(series, "points").iter().zip(of_verb) {
                for key in [
                    "load",
                    "seed",
                    "accepted",
                    "latency_mean",
                    "latency_p99",
                    "hops_mean",
                    "fairness",
                    "cable_load_max",
                ] {
                    assert_eq!(point[key], other[key], "{key}");
                }
                points += 1;
            }
        }
    }
    assert_eq!(points, 2 * 2 * 3 * 2);
    // The baseline is the second network.
    assert_eq!(number(&list(&networks[1], "series")[0], "saturation_ratio"), 1.0);
    let of_uniform = |at: usize, key: &str| number(&list(&networks[at], "series")[0], key);
    let ratio = of_uniform(0, "saturation") / of_uniform(1, "saturation");
    assert!(ratio > 1.0 && of_uniform(0, "saturation_ratio") == ratio, "{ratio}");
}

#[test]
fn the_section_is_in_every_format_and_the_same_for_any_number_of_threads() {
    let folder = study(TWO, &format!("{SHORT}patterns = ['uniform', 'transpose']"));
    let ask = ["compare", "s.toml", "-q", "--html", "out.html"];
    let text = folder.output(&[&ask[..], &["--threads", "1"]].concat());
    let one = folder.read("out.html");
    assert_eq!(text, folder.output(&[&ask[..], &["--threads", "2"]].concat()));
    assert_eq!(one, folder.read("out.html"));
    let json = folder.json(&["compare", "s.toml", "-q", "--threads", "2"]);
    let markdown = folder.output(&["compare", "s.toml", "-q", "--format", "markdown"]);
    check_validity(&one);
    let elements = elements(&parse(&one));
    let shown: HashSet<u64> = elements
        .iter()
        .filter(|e| e.0 == "data")
        .map(|e| e.1["value"].parse::<f64>().expect("a number").to_bits())
        .collect();
    assert!(elements.iter().any(|e| e.0 == "a" && e.1["href"] == "#packets"));
    let delays = "In ns, with the delays of the table [packets], not those of the study";
    assert!(elements.iter().any(|e| e.0 == "th" && e.2 == delays));
    for title in ["latency-0-t", "accepted-0-t", "latency-1-t", "accepted-1-t"] {
        assert!(elements.iter().any(|e| e.0 == "title" && e.1.get("id").is_some_and(|id| id == title)), "{title}");
    }
    for network in list(&json["packets"], "networks") {
        for series in list(network, "series") {
            let saturation = format!("{:.3}", number(series, "saturation"));
            assert!(text.contains(&saturation) && markdown.contains(&format!("| {saturation} |")), "{saturation}");
            for key in ["saturation", "accepted_at_full_load_ratio", "latency_ratio", "latency_at_lowest_load_ns"] {
                assert!(shown.contains(&number(series, key).to_bits()), "{key} of {series}");
            }
            for point in list(series, "points") {
                assert!(shown.contains(&number(point, "accepted").to_bits()));
                if let Some(cycles) = point["latency_mean"].as_f64() {
                    let ns = format!("{:.1}", cycles * number(network, "cycle_ns"));
                    assert!(text.contains(&ns) && markdown.contains(&format!("| {ns} |")), "{ns}: {text}");
                }
            }
        }
    }
    // A study without the table has no section.
    folder.write("s.toml", folder.read("s.toml").replace("[packets]", "[throughput]").replace(SHORT, ""));
    let without = folder.output(&ask);
    assert!(!without.contains("Packets under") && !folder.read("out.html").contains("id=\"packets\""));
    assert!(folder.json(&["compare", "s.toml", "-q"]).get("packets").is_none());
    assert!(without.lines().count() > 10 && without.lines().all(|line| text.contains(line)), "{without}");
}

#[test]
fn a_network_has_the_routing_of_the_packet_model() {
    for routing in ["adaptive", "ugal", "ecmp"] {
        let networks = format!("[network]\nrouting = '{routing}'\n[[networks]]\ntopology = 'random:n=16,d=4,seed=3'");
        let folder = study(&networks, &format!("{SHORT}saturation = false"));
        let swept = folder.json(&["compare", "s.toml", "-q"]);
        let own = &list(&list(&swept["packets"], "networks")[0], "series")[0]["packet_routing"];
        let model = folder.json(&["compare", "s.toml", "-q", "--model", "packet"]);
        // Synthetic traffic gets several channels per hop.
        let (rule, _) = own.as_str().unwrap().split_once('*').expect("a star");
        let note = format!("packet-routing {rule}");
        assert!(list(&model, "notes").iter().any(|other| other.as_str().unwrap().contains(&note)), "{note}: {model}");
        assert!(list(&list(&swept["packets"], "networks")[0], "series")[0]["saturation"].is_null());
    }
}

/// A curve is of one instance, and holds for all mappings; notes are on some networks.
#[test]
fn sentences_name_the_networks_that_they_are_about() {
    let networks = "repetitions = 2\nmappings = ['one-each', 'random']\n[[networks]]\nname = 'drawn'\n\
                    topology = 'random:n=16,d=4'\n[[networks]]\ntopology = 'torus:4x4'\n\
                    [[networks]]\ntopology = 'kautz:d=2,k=4'";
    let folder = study(networks, "load = 0.1\nmeasure = 100\nwarmup = 50\nsaturation = false\nrouting = 'deflection'");
    let text = folder.output(&["compare", "s.toml", "-q"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Of networks with several seeds, the first instance: A1 (seed 1).",
        "so curves hold for several columns: A1 for A2; B1 for B2; C1 for C2.",
        "Note: deflection: no buffers",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Loads may be a list; without several mappings there is nothing to say about them.
    let others = networks.replace("'kautz:d=2,k=4'", "'mesh:4x4'").replace("mappings = ['one-each', 'random']\n", "");
    let folder =
        study(&others, "load = [0.1, 0.2]\nmeasure = 100\nwarmup = 50\nsaturation = false\npatterns = ['transpose']");
    assert_eq!(folder.json(&["compare", "s.toml", "-q"])["packets"]["loads"], serde_json::json!([0.1, 0.2]));
    let text = folder.output(&["compare", "s.toml", "-q"]);
    assert!(!text.contains("curves hold for several columns"), "{text}");
}

/// In two settings a network has two curves, of two colours.
#[test]
fn curves_of_all_settings_differ() {
    let folder = study(&format!("routings = ['balanced', 'ecmp']\n{TWO}"), &format!("{SHORT}saturation = false"));
    let json = folder.json(&["compare", "s.toml", "-q", "--html", "out.html"]);
    assert_eq!(list(&json["packets"], "networks").len(), 4);
    let page = folder.read("out.html");
    let chart = page.split_once("<title id=\"accepted-0-t\">").expect("a chart").1.split("</svg>").next().unwrap();
    let colours: HashSet<&str> =
        chart.split("<path d=").filter_map(|path| path.split_once("class=\"curve ")?.1.split('"').next()).collect();
    assert_eq!(colours.len(), 4, "{colours:?}");
    for letter in ["A1", "B1", "A2", "B2"] {
        assert!(page.contains(&format!("</svg><b>{letter}</b>")), "{letter}");
    }
}

/// A cycle of the faster network is half as long, so all in flits and cycles is equal.
#[test]
fn networks_of_other_speeds_are_compared_in_seconds_and_bytes() {
    let networks = "[[networks]]\nname = 'slow'\ntopology = 'torus:4x4'\n\
                    parameters = { link_bandwidth = '100 Gbit/s', host_link_bandwidth = '100 Gbit/s' }\n\
                    [[networks]]\nname = 'fast'\ntopology = 'torus:4x4'\n\
                    parameters = { link_bandwidth = '200 Gbit/s', host_link_bandwidth = '200 Gbit/s' }\n\
                    [[networks]]\nname = 'uneven'\ntopology = 'torus:4x4'\n\
                    parameters = { link_bandwidth = '200 Gbit/s', host_link_bandwidth = '100 Gbit/s' }\n";
    let folder = study(networks, SHORT);
    let json = folder.json(&["compare", "s.toml", "-q", "--html", "out.html"]);
    let networks = list(&json["packets"], "networks");
    let [slow, fast] = [0, 1].map(|at: usize| &list(&networks[at], "series")[0]);
    assert_eq!([0, 1].map(|at: usize| number(&networks[at], "cycle_ns")), [2.56, 1.28]);
    assert_eq!((&slow["saturation"], &slow["points"]), (&fast["saturation"], &fast["points"]));
    let ratios = ["saturation_ratio", "accepted_at_full_load_ratio"];
    assert_eq!(ratios.map(|key| number(fast, key)), [2.0, 2.0]);
    // Delays are cycles, so the switches of the fast network would be faster as well.
    assert!(fast["latency_ratio"].is_null() && slow["latency_ratio"] == 1.0, "{fast}");
    let text = folder.output(&["compare", "s.toml", "-q"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("latencies of networks with different cycles are not compared"), "{text}");
    let left = list(&json["packets"], "left_out");
    assert!(
        left.len() == 1 && left[0].as_str().unwrap().starts_with("uneven: packets do not model links of"),
        "{left:?}"
    );
    // Flits and cycles are not comparable here, so the charts have other units.
    let page = folder.read("out.html");
    assert!(page.contains("accepted, Gbit/s per host</text>") && page.contains("mean latency, ns</text>"));
    assert!(!page.contains("mean latency, cycles</text>"));
    // A cycle of a stated length is the same on all of them, and so is what a flit in each of them carries.
    folder.write("s.toml", folder.read("s.toml").replace("[packets]\n", "[packets]\ncycle_ns = 1000\n"));
    let json = folder.json(&["compare", "s.toml", "-q"]);
    let fast = &list(&list(&json["packets"], "networks")[1], "series")[0];
    assert_eq!([ratios[0], ratios[1], "latency_ratio"].map(|key| number(fast, key)), [1.0; 3]);
    let text = folder.output(&["compare", "s.toml", "-q"]);
    // 32 bytes in a microsecond are 0.256 Gbit/s.
    let carried = format!("{:.1}", number(fast, "saturation") * 0.256);
    let row =
        text.lines().skip_while(|line| !line.contains("carried")).find(|line| line.contains(" B ")).expect("a row");
    assert_eq!(row.split_whitespace().filter(|word| *word == carried).count(), 1, "{row}");
    assert!(text.contains("A cycle takes 1000.000 ns on all networks"), "{text}");
}

#[test]
fn networks_and_patterns_that_packets_do_not_model_are_left_out_with_a_note() {
    let networks = "baseline = 'shared'\n[[networks]]\nname = 'shared'\ntopology = 'torus:4x4'\nparameters = { duplex = 'shared' }\n\
                    [[networks]]\nname = 'twelve'\ntopology = 'torus:3x4'\n[[networks]]\nname = 'sixteen'\ntopology = 'torus:4x4'";
    let folder = study(networks, &format!("{SHORT}patterns = ['transpose', 'uniform']"));
    let json = folder.json(&["compare", "s.toml", "-q", "--html", "out.html"]);
    let section = &json["packets"];
    let patterns: Vec<Vec<&str>> = list(section, "networks")
        .iter()
        .map(|network| list(network, "series").iter().map(|series| series["pattern"].as_str().unwrap()).collect())
        .collect();
    assert_eq!(patterns, [vec!["uniform"], vec!["transpose", "uniform"]]);
    let left: Vec<&str> = list(section, "left_out").iter().map(|reason| reason.as_str().unwrap()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left[0].starts_with("shared: packets do not model cables whose directions share"), "{left:?}");
    assert!(left[1].starts_with("twelve, transpose: ") && left[1].contains("power of two"), "{left:?}");
    // Nothing to compare with.
    assert!(list(&list(section, "networks")[1], "series")[0]["saturation_ratio"].is_null());
    let text = folder.output(&["compare", "s.toml", "-q"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for reason in left {
        assert!(text.contains(reason), "{reason}: {text}");
    }
    check_validity(&folder.read("out.html"));
    // With no network at all there is still a report.
    let folder = study("[[networks]]\ntopology = 'torus:4x4'\nparameters = { duplex = 'shared' }", SHORT);
    let text = folder.output(&["compare", "s.toml", "-q", "--html", "out.html"]);
    assert!(text.contains("Left out: torus:dims=4x4"), "{text}");
    let page = folder.read("out.html");
    check_validity(&page);
    assert!(page.contains("Left out: torus:dims=4x4"));
}

#[test]
fn the_first_hosts_take_part_in_patterns() {
    let networks = "[[networks]]\ntopology = 'torus:4x4'\n[[networks]]\ntopology = 'ring:20'";
    let folder = study(networks, &format!("{SHORT}patterns = ['transpose']\nendpoints = 16"));
    let json = folder.json(&["compare", "s.toml", "-q"]);
    assert!(list(&json["packets"], "left_out").is_empty(), "{}", json["packets"]);
    let networks = list(&json["packets"], "networks");
    let hosts: Vec<f64> = networks.iter().map(|network| number(&list(network, "series")[0], "hosts")).collect();
    assert_eq!(hosts, [16.0, 16.0]);
}

#[test]
fn merged_shards_have_the_section_of_the_whole_study() {
    let folder = study(TWO, SHORT);
    folder.write("b.ti", MESSAGE.replace("1e6", "2e6"));
    folder.write("s.toml", format!("{}[[workloads]]\nname = 'b'\ntrace = 'b.ti'\n", folder.read("s.toml")));
    let whole = folder.output(&["compare", "s.toml", "-q", "--format", "json"]);
    for (shard, file) in [("1/2", "1.jsonl"), ("2/2", "2.jsonl")] {
        assert_eq!(folder.output(&["compare", "s.toml", "-q", "--shard", shard, "--results", file]), "");
    }
    assert_eq!(folder.output(&["merge", "s.toml", "1.jsonl", "2.jsonl", "-q", "--format", "json"]), whole);
    folder.output(&["compare", "s.toml", "-q", "--results", "w.jsonl"]);
    let resumed = folder.output(&["compare", "s.toml", "-q", "--results", "w.jsonl", "--resume", "--format", "json"]);
    assert_eq!(resumed, whole);
    assert!(whole.contains("\"packets\""));
}

#[test]
fn without_networks_there_is_no_table() {
    let folder = Folder::with_trace("0 compute 1e9\n");
    folder.write(
        "s.toml",
        "title = 'T'\n[[networks]]\ntopology = 'torus:4x4'\n[[workloads]]\ntrace = 't.ti'\n[packets]\nvcs = 1\n",
    );
    for format in ["text", "markdown"] {
        let text = folder.output(&["compare", "-q", "s.toml", "--format", format]);
        assert!(text.contains("no network is modelled") && text.contains("Left out: "), "{text}");
        assert!(!text.contains("\n| on |"), "{text}");
    }
}

#[test]
fn wrong_keys_and_values_have_line_column_and_a_way_out() {
    for (line, expected) in [
        ("lod = '0.1'", "s.toml:9:1: unknown key `lod`; did you mean `load`?"),
        ("measure = 'x'", "s.toml:9:11: `x` is text; write a whole number without quotes and unit"),
        ("vcs = -1", "s.toml:9:7: "),
        ("load = '0.1:2'", "s.toml:9:8: load is `0.1:2`"),
        ("load = 1.5", "s.toml:9:8: load is `1.5`, but a load must be from 0 to 1"),
        ("load = [0.1, -0.5]", "s.toml:9:8: load is `0.1,-0.5`"),
        ("load = []", "s.toml:9:8: load is ``"),
        ("load = true", "s.toml:9:8: `true` is not accepted here; write loads: a number, a list of numbers, or a text"),
        ("load = ['0.1']", "s.toml:9:"),
        ("load = '1.5'", "s.toml:9:8: load is `1.5`, but a load must be from 0 to 1"),
        ("measure = 0", "s.toml:9:11: measure is 0"),
        ("vcs = 65", "s.toml:9:7: vcs is 65, but it must be from 1 to 64"),
        ("vc_buffer = 0", "s.toml:9:13: vc-buffer is 0"),
        ("routing = 'amim'", "s.toml:9:11: there is no packet routing rule `amim` (did you mean `amin`?)"),
        ("patterns = ['tranpose']", "s.toml:9:12: "),
        ("patterns = []", "s.toml:9:12: patterns is an empty list"),
        ("preset = 'booksim'", "s.toml:9:10: preset is `booksim`, but the presets are dsnf"),
        ("mode = 'fast'", "s.toml:9:8: mode is `fast`, but it must be `latency` or `throughput`"),
        ("switching = 'x'", "s.toml:9:13: switching is `x`, but it must be `wormhole` or `not-full` or `cut-through`"),
        ("host_port = 'x'", "s.toml:9:13: host-port is `x`"),
        ("seeds = 0", "s.toml:9:9: seeds is 0, but it must be from 1 to 1000"),
        ("cycle_ns = 0.0", "s.toml:9:12: cycle-ns is 0"),
    ] {
        study(TWO, line).refuse(&["compare", "s.toml"], 2, &[expected]);
    }
    let missing = study(TWO, "patterns = ['uniform', 'matrix:missing.txt']");
    missing.refuse(&["compare", "s.toml"], 3, &["s.toml:9:24: ", "missing.txt: cannot be read"]);
}
