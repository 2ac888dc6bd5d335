//! `mopsim design search` as its users see it: the front of a small search is that of all candidates, replayed by `compare`.

use crate::support::cli::{Folder, assert_80_columns, number};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Workloads that compute and communicate, on slow links, with two seeds of what is random.
const STUDY: &str = "
title = 'A small search'
seeds = [1, 2]
baseline = 'tree'

[model]
collectives = 'mvapich2'

[network]
parameters = { host_speed = '5 Gflop/s', link_bandwidth = '1 Gbit/s' }

[[networks]]
name = 'tree'
topology = 'fat_tree2:k=6'

[[workloads]]
workload = 'npb/is'
class = 'S'
ranks = 16
iterations = 1

[[workloads]]
workload = 'stencil'
ranks = 16
weight = 2
";

const SEARCH: [&str; 9] = ["design", "search", "-q", "--hosts", "16", "--radix", "6", "--workloads", "s.toml"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("s.toml", STUDY);
    folder
}

fn rows<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().expect("a list")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("`{name}` is no text in {value}"))
}

fn names(found: &Value, member: &str, wanted: &str) -> BTreeSet<String> {
    let of = |row: &&Value| row[member] == wanted;
    rows(found, "networks").iter().filter(of).map(|row| text(row, "name").to_owned()).collect()
}

fn with(more: &[&'static str]) -> Vec<&'static str> {
    [&SEARCH[..], more].concat()
}

#[test]
fn the_front_is_that_of_all_candidates() {
    let folder = folder();
    let found = folder.json(&with(&["--replays", "1000"]));
    assert_eq!(found["schema"], "mopsim.design-search/2");
    let networks = rows(&found, "networks");
    for row in networks {
        for (name, older) in [("performance", "speed"), ("cable_metres", "metres"), ("total_cost", "total")] {
            assert_eq!(row[name], row[older], "{row}");
        }
    }
    let counted = |what: &str| {
        let row = rows(&found, "counts").iter().find(|row| text(row, "what").starts_with(what));
        number(row.unwrap_or_else(|| panic!("no {what}")), "number") as usize
    };
    let (replayed, excluded) = (names(&found, "fate", "replayed"), names(&found, "fate", "excluded"));
    assert_eq!(replayed.len() + excluded.len(), networks.len(), "all have a price, and there are replays enough");
    assert_eq!((counted("replayed"), counted("cannot be")), (replayed.len(), excluded.len()));
    // Both kinds of decisions are tested.
    assert!(excluded.len() > 3 && replayed.len() > 20, "{} and {}", excluded.len(), replayed.len());

    // All candidates in one study, every one of them replayed.
    let mut all = STUDY.to_owned();
    for row in networks.iter().filter(|row| row["candidate"] == true) {
        let _ = write!(all, "\n[[networks]]\nname = '{}'\ntopology = '{}'\n", text(row, "name"), text(row, "topology"));
        if let Some(hosts) = row["hosts_per_switch"].as_u64() {
            let _ = writeln!(all, "parameters = {{ hosts_per_switch = {hosts} }}");
        }
    }
    folder.write("all.toml", all);
    let compared = folder.json(&["compare", "-q", "--no-explain", "all.toml"]);
    let speeds: BTreeMap<&str, f64> =
        rows(&compared, "means").iter().map(|row| (text(row, "topology"), number(row, "geometric"))).collect();
    assert_eq!(speeds.len(), networks.len());
    let points: Vec<(&str, [f64; 3])> = networks
        .iter()
        .map(|row| (text(row, "name"), [speeds[text(row, "name")], -number(row, "price"), -number(row, "watts")]))
        .collect();
    let is_dominated = |own: &[f64; 3]| {
        points.iter().any(|(_, other)| other != own && other.iter().zip(own).all(|(other, own)| other >= own))
    };
    let front: BTreeSet<String> =
        points.iter().filter(|(_, own)| !is_dominated(own)).map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&found, "standing", "front"), front);
    for row in networks {
        let speed = speeds[text(row, "name")];
        if !row["speed"].is_null() {
            assert_eq!(number(row, "speed"), speed, "{row}");
        }
        // A bound is certain.
        if !row["highest"].is_null() {
            assert!(number(row, "highest") >= speed, "{row}: {speed}");
        }
        if let Some(by) = row["excluded_by"].as_str() {
            let other = networks.iter().find(|other| text(other, "name") == by).expect("one of them");
            assert!(speeds[by] >= speed && number(other, "price") <= number(row, "price"), "{row}");
        }
    }
}

/// A network of the study without a name has that of its topology, as candidates do: as written, if it is random and
/// repeated.
#[test]
fn a_candidate_that_the_study_has_is_replayed_once() {
    let folder = Folder::with_trace("0 init\n1 init\n0 send 1 7 1000000 6\n1 recv 0 7 1000000 6\n");
    let rows = |network: &str| {
        folder.write("own.toml", format!("title = 'x'\n[[networks]]\n{network}\n[[workloads]]\ntrace = 't.ti'\n"));
        let sizes = ["--hosts", "16", "--radix", "8", "--replays", "2"];
        let search = ["design", "search", "-q", "--workloads", "own.toml", "--format", "csv"];
        let csv = folder.output(&[&search[..], &sizes].concat());
        csv.lines().filter(|line| line.starts_with("torus:dims=4x4,")).count()
    };
    assert_eq!(rows("topology = 'torus:4x4'"), 1);
    assert_eq!(rows("name = 'own'\ntopology = 'torus:4x4'"), 1);
    folder.write("own.toml", "title = 'x'\nrepetitions = 2\n[[networks]]\ntopology = 'random_regular:n=16,d=4'\n[[workloads]]\ntrace = 't.ti'\n");
    let repeated =
        ["design", "search", "-q", "--workloads", "own.toml", "--hosts", "16", "--radix", "8", "--replays", "2"];
    folder.output(&repeated);
    // Networks of several ports are no candidates, and may be in the study.
    assert_eq!(rows("topology = 'torus:4x4'\nplanes = 2\nparameters = { rail = 'striped' }"), 1);
}

#[test]
fn a_search_in_pieces_finds_the_same() {
    let folder = folder();
    for format in ["text", "csv"] {
        let run = |more: &[&str]| folder.output(&[&SEARCH[..], &["--replays", "9", "--format", format], more].concat());
        let whole = run(&["--threads", "1"]);
        let kept = format!("{format}.jsonl");
        assert_eq!(run(&["--threads", "2", "--results", &kept]), whole);
        let lines = folder.read(&kept);
        let lines: Vec<&str> = lines.split_inclusive('\n').collect();
        assert!(lines.len() > 15, "{} lines", lines.len());
        // A killed run: some lines, in another order, and a torn one.
        folder.write("part.jsonl", [lines[0], lines[3], lines[9], lines[1], &lines[5][..30]].concat());
        assert_eq!(run(&["--results", "part.jsonl", "--resume"]), whole);
        if format == "text" {
            assert_80_columns(&whole);
            assert!(whole.contains("not tried"), "{whole}");
        }
        // A continued search may have more replays, and finds what one with as many does.
        let more = ["--replays", "14", "--format", format];
        let continued = folder.output(&[&SEARCH[..], &more, &["--results", &kept, "--resume"]].concat());
        assert_eq!(continued, folder.output(&[&SEARCH[..], &more].concat()));
        assert_ne!(continued, whole);
    }
}

#[test]
fn limits_leave_candidates_out() {
    let folder = folder();
    let found =
        folder.json(&with(&["--replays", "4", "--budget", "4000", "--power", "90", "--leave-out", "torus,hyperx"]));
    let over = names(&found, "fate", "over limit");
    assert!(!over.is_empty());
    for row in rows(&found, "networks").iter().filter(|row| row["candidate"] == true) {
        let is_over = number(row, "price") > 4000.0 || number(row, "watts") > 90.0;
        assert_eq!(over.contains(text(row, "name")), is_over, "{row}");
        assert!(!text(row, "name").starts_with("torus"), "{row}");
        assert!(is_over || number(row, "estimate") > 0.0, "{row}");
    }
    assert!(names(&found, "fate", "replayed").len() <= 5);
}

#[test]
fn what_is_found_is_a_study() {
    let folder = folder();
    let found = folder.json(&with(&["--replays", "6", "--write", "found.toml"]));
    assert!(folder.read("found.toml").starts_with(STUDY));
    let compared = folder.json(&["compare", "-q", "--no-explain", "found.toml"]);
    let means = rows(&compared, "means");
    let candidates = |row: &&Value| row["standing"] == "front" && row["candidate"] == true;
    let front: Vec<&Value> = rows(&found, "networks").iter().filter(candidates).collect();
    assert_eq!(means.len(), 1 + front.len());
    for row in front {
        let mean = means.iter().find(|mean| mean["topology"] == row["name"]).expect("one of them");
        assert_eq!(mean["geometric"], row["speed"]);
    }
    // Limits of the command line belong to the study that was written, and the rest of its text stays.
    folder.json(&with(&["--replays", "6", "--budget", "1e7", "--write", "limited.toml"]));
    let limited: toml::Table = folder.read("limited.toml").parse().expect("TOML");
    assert_eq!(limited["budget"]["dollars"].as_float(), Some(1e7));
    // A file of the user stays.
    folder.write("mine.toml", "title = 'mine'");
    folder.refuse(&with(&["--write", "mine.toml"]), 2, &["mine.toml", "--force"]);
    folder.refuse(&with(&["--write", "s.toml", "--force"]), 2, &["s.toml", "would be lost"]);
    assert_eq!((folder.read("mine.toml").as_str(), folder.read("s.toml").as_str()), ("title = 'mine'", STUDY));
    std::fs::create_dir(folder.path("other")).expect("a folder");
    folder.refuse(&with(&["--write", "other/found.toml"]), 2, &["other/found.toml", "folder of the study"]);
}

#[test]
fn bad_input_is_refused() {
    let folder = folder();
    let search = |hosts: &'static str, radix: &'static str, study: &'static str, more: &[&'static str]| {
        let flags = ["design", "search", "-q", "--hosts", hosts, "--radix", radix, "--workloads", study];
        [&flags[..], more].concat()
    };
    folder.refuse(&search("0", "6", "s.toml", &[]), 2, &["--hosts is 0", "from 2 to"]);
    folder.refuse(&search("16", "1", "s.toml", &[]), 2, &["--radix is 1", "from 3 to"]);
    folder.refuse(&search("16", "6", "s.toml", &["--budget", "0"]), 2, &["--budget 0", "more than 0"]);
    folder.refuse(&search("16", "6", "s.toml", &["--power", "-3"]), 2, &["--power -3", "more than 0"]);
    folder.refuse(
        &search("16", "6", "s.toml", &["--leave-out", "tours"]),
        2,
        &["--leave-out is `tours`", "no such family"],
    );
    folder.refuse(&search("16", "6", "no.toml", &[]), 3, &["no.toml"]);
    folder.refuse(&search("8", "6", "s.toml", &[]), 2, &["16 ranks", "hosts"]);
    folder.write("none.toml", "title = 'None'\n[[networks]]\ntopology = 'ring:4'\n");
    folder.refuse(&search("16", "6", "none.toml", &[]), 2, &["none.toml", "[[workloads]]"]);
    folder.write("nothing.toml", "title = 'None'\n[[workloads]]\nworkload = 'ring'\nranks = 4\n");
    folder.refuse(&search("16", "6", "nothing.toml", &[]), 2, &["nothing.toml has no [[networks]]", "add the network"]);
    folder.write("typing.toml", STUDY.replace("ranks = 16\niter", "rank = 16\niter"));
    folder.refuse(&search("16", "6", "typing.toml", &[]), 2, &["typing.toml:19:1", "rank"]);
    // Results of another search, and those that are there already.
    folder.output(&search("16", "6", "s.toml", &["--replays", "1", "--results", "r.jsonl"]));
    folder.refuse(&search("16", "6", "s.toml", &["--results", "r.jsonl"]), 2, &["r.jsonl already exists", "--resume"]);
    let other = search("16", "8", "s.toml", &["--results", "r.jsonl", "--resume"]);
    folder.refuse(&other, 2, &["r.jsonl holds results of another study", "its networks"]);
}

#[test]
fn a_search_needs_a_candidate() {
    let folder = folder();
    // One family after another: what one describes, another one may describe as well.
    let mut families: BTreeSet<String> = BTreeSet::from(["ring".into()]);
    for _ in 0..20 {
        let list = families.iter().cloned().collect::<Vec<_>>().join(",");
        let ask = [&SEARCH[..], &["--replays", "0", "--leave-out", &list, "--format", "json"]].concat();
        let run = folder.run(&ask);
        if run.get_output().status.code() == Some(2) {
            folder.refuse(&ask, 2, &["no network connects 16 hosts", "more ports"]);
            return;
        }
        let found: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
        let networks = rows(&found, "networks").iter().filter(|row| row["candidate"] == true);
        families.extend(networks.filter_map(|row| text(row, "topology").split(':').next()).map(str::to_owned));
    }
    panic!("{families:?}");
}

#[test]
fn bounds_are_stated_only_where_they_are_certain() {
    let folder = Folder::new();
    let ring = |wait: bool| {
        let rank = |rank: u32| {
            let (next, previous) = ((rank + 1) % 4, (rank + 3) % 4);
            let wait = if wait { format!("{rank} wait {previous} {rank} 0\n") } else { String::new() };
            format!(
                "{rank} init\n{rank} irecv {previous} 0 100000 6\n{rank} send {next} 0 100000 6\n{wait}{rank} compute 1e6\n{rank} finalize\n"
            )
        };
        (0..4).map(rank).collect::<String>()
    };
    folder.write("closed.ti", ring(true));
    folder.write("open.ti", ring(false));
    let bounds = |head: &str, trace: &str| {
        let study =
            format!("title = 'Bounds'\n{head}\n[[networks]]\ntopology = 'ring:4'\n[[workloads]]\ntrace = '{trace}'\n");
        folder.write("s.toml", study);
        let flags =
            ["design", "search", "-q", "--hosts", "4", "--radix", "4", "--workloads", "s.toml", "--replays", "2"];
        let found = folder.json(&flags);
        let candidates: Vec<Value> =
            rows(&found, "networks").iter().filter(|row| row["candidate"] == true).cloned().collect();
        let stated = candidates.iter().filter(|row| !row["highest"].is_null()).count();
        // Without bounds there are replays all the same, and nothing is excluded.
        let (replayed, excluded) = (names(&found, "fate", "replayed"), names(&found, "fate", "excluded"));
        assert!(stated > 0 || (replayed.len() == 3 && excluded.is_empty()), "{found}");
        (stated, candidates.len())
    };
    let (stated, candidates) = bounds("", "closed.ti");
    assert!(stated == candidates && candidates > 10);
    assert_eq!(bounds("", "open.ti").0, 0, "a message may arrive after the end of the run");
    assert_eq!(bounds("model = { network_model = 'packet' }", "closed.ti").0, 0);
    assert_eq!(bounds("model = { sharing = 'simgrid-lazy' }", "closed.ti").0, 0);
    assert_eq!(bounds("until_steady = '1%'", "closed.ti").0, 0);
}
