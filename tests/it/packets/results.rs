//! Long sweeps in pieces: results files, resuming, shards, kill -9, damaged files. Whatever happens on the way, the report
//! has the same bytes.

use crate::support::cli::Folder;
use crate::support::lines::{killed, pseudo_random, wait_for_lines, whole_lines};
use mopsim::ledger::checked_line;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

const SWEEP: [&str; 15] = [
    "packets",
    "torus:4x4",
    "mesh:4x4",
    "--pattern",
    "uniform,transpose",
    "--load",
    "0.1:0.9:0.4",
    "--seeds",
    "2",
    "--warmup",
    "200",
    "--measure",
    "300",
    "--routing",
    "escape",
];
/// Points of the curves: 2 networks, 2 patterns, 3 loads, 2 seeds.
const CURVES: usize = 2 * 2 * 3 * 2;
const FORMATS: [&str; 4] = ["text", "json", "csv", "markdown"];

/// Returns the report with these arguments.
fn report(folder: &Folder, arguments: &[&str], format: &str) -> String {
    folder.output(&[arguments, &["-q", "--format", format]].concat())
}

fn swept<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SWEEP[..], more].concat()
}

/// Returns a line with the checksum of its content.
fn line(content: &Value) -> String {
    checked_line::write(content)
}

/// Returns the content of a line without its checksum.
fn content(line: &str) -> Value {
    let mut value: Value = serde_json::from_str(line).expect("JSON");
    value.as_object_mut().and_then(|object| object.remove("check")).expect("a checksum");
    value
}

/// The page without the command that wrote it.
fn without_command(page: &str) -> String {
    page.lines().filter(|line| !line.starts_with("<pre><code>mopsim")).collect()
}

#[test]
fn resumed_sharded_and_unsplit_sweeps_report_the_same_bytes() {
    let folder = Folder::new();
    for format in FORMATS {
        let unsplit = report(&folder, &swept(&["--threads", "1", "--html", "page.html"]), format);
        let page = folder.read("page.html");
        let kept = format!("{format}.jsonl");
        let keep = swept(&["--results", &kept, "--threads", "2", "--html", "page.html"]);
        assert_eq!(report(&folder, &keep, format), unsplit);
        assert_eq!(folder.read("page.html"), page);
        let text = folder.read(&kept);
        let lines = whole_lines(&text);
        assert!(lines.len() > 1 + CURVES + 4, "{} lines", lines.len());
        // State of a killed run: part of the lines, in another order and followed by a torn one.
        let part = [lines[0], lines[lines.len() - 1], lines[9], lines[3], lines[20], &lines[5][..40]].concat();
        folder.write("part.jsonl", part);
        let resume = swept(&["--resume", "--results", "part.jsonl", "--html", "page.html"]);
        assert_eq!(report(&folder, &resume, format), unsplit);
        assert_eq!(folder.read("page.html"), page);
        assert_eq!(whole_lines(&folder.read("part.jsonl")).len(), lines.len());
        // A finished sweep is only reported.
        assert_eq!(report(&folder, &resume, format), unsplit);
        let whole = ["merge", "part.jsonl", "--html", "page.html", "--json", "page.json", "--csv", "page.csv"];
        assert_eq!(report(&folder, &whole, format), unsplit);
        assert_eq!(without_command(&folder.read("page.html")), without_command(&page));
        let mut files = Vec::new();
        for k in 1..=5 {
            let (shard, file) = (format!("{k}/5"), format!("{format}-{k}.jsonl"));
            folder.run(&swept(&["--shard", &shard, "--results", &file, "-q"])).success().stdout("");
            files.push(file);
        }
        let of_shards: usize = files.iter().map(|file| whole_lines(&folder.read(file)).len() - 1).sum();
        assert_eq!(of_shards, lines.len() - 1, "no run is in two shards");
        files.reverse();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(report(&folder, &[&["merge"], &files[..]].concat(), format), unsplit);
    }
    assert_eq!(folder.read("page.json"), report(&folder, &SWEEP, "json"));
    assert_eq!(folder.read("page.csv"), report(&folder, &SWEEP, "csv"));
}

#[test]
fn shards_share_all_points_without_a_search_and_whole_series_with_it() {
    let folder = Folder::new();
    for (more, shards) in [(&["--no-saturation"][..], 7), (&["--mode", "throughput"], 3)] {
        let ask = swept(more);
        let unsplit = report(&folder, &ask, "json");
        let mut files = Vec::new();
        for k in 1..=shards {
            let (shard, file) = (format!("{k}/{shards}"), format!("{shards}-{k}.jsonl"));
            folder.run(&[&ask[..], &["--shard", &shard, "--results", &file, "-q"]].concat()).success();
            let runs = whole_lines(&folder.read(&file)).len() - 1;
            assert!(runs >= CURVES / shards, "{runs} runs in shard {shard}");
            files.push(file);
        }
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(report(&folder, &[&["merge"], &files[..]].concat(), "json"), unsplit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_lines_of_a_file_resume_to_the_same_bytes(kept in prop::collection::vec(any::<bool>(), 100), cut in 0_usize..500, rotation in 0_usize..100) {
        let folder = Folder::new();
        let ask = ["packets", "ring:8", "--load", "0.1:0.5:0.1", "--warmup", "100", "--measure", "200", "--seeds", "2"];
        let unsplit = report(&folder, &[&ask[..], &["--results", "whole.jsonl"]].concat(), "json");
        let text = folder.read("whole.jsonl");
        let lines = whole_lines(&text);
        let mut part: Vec<&str> = lines[1..].iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| *line).collect();
        if !part.is_empty() {
            let count = part.len();
            part.rotate_left(rotation % count);
        }
        let last = lines.iter().skip(1).zip(&kept).find(|(_, kept)| !**kept).map_or("", |(line, _)| *line);
        let torn = &last[..cut.min(last.len().saturating_sub(1))];
        folder.write("part.jsonl", [lines[0], &part.concat(), torn].concat());
        let resume = [&ask[..], &["--results", "part.jsonl", "--resume"]].concat();
        prop_assert_eq!(report(&folder, &resume, "json"), unsplit);
        let text = folder.read("part.jsonl");
        let (mut resumed, mut expected) = (whole_lines(&text), lines);
        resumed.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(resumed, expected);
    }
}

#[test]
fn kill_9_at_any_moment_loses_no_finished_run() {
    let folder = Folder::new();
    let unsplit = report(&folder, &SWEEP, "json");
    let resume = swept(&["--results", "r.jsonl", "--resume"]);
    let arguments = swept(&["--results", "r.jsonl", "--resume", "--threads", "2", "-q"]);
    let midway = killed(&folder, &arguments, 1 + CURVES, || assert_eq!(report(&folder, &resume, "json"), unsplit));
    assert!(midway >= 3, "{midway} of 20 kills came after a line and before the last one");
    assert_eq!(report(&folder, &resume, "json"), unsplit);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_cleanly_and_says_how_to_go_on() {
    let folder = Folder::new();
    let long = |more: &[&'static str]| {
        let ask = ["packets", "torus:8x8", "--load", "0.05:0.8:0.05", "--measure", "5000"];
        [&ask[..], more].concat()
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_mopsim"))
        .current_dir(folder.path(""))
        .args(long(&["--results", "r.jsonl", "--threads", "1"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Once there is a line the program listens.
    assert!(wait_for_lines(&folder, "r.jsonl", 2, &mut child), "it ended before there were two lines");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{errors}");
    assert!(output.stdout.is_empty());
    let text = folder.read("r.jsonl");
    let runs = whole_lines(&text).len() - 1;
    assert!(text.ends_with('\n') && (1..16).contains(&runs), "{runs}");
    let so_far = format!("interrupted: {runs} runs are in r.jsonl");
    for part in ["waiting for what runs", &so_far, "--resume"] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let resumed = report(&folder, &long(&["--results", "r.jsonl", "--resume"]), "json");
    assert_eq!(resumed, report(&folder, &long(&[]), "json"));
}

#[test]
fn results_of_another_sweep_are_refused_and_the_setting_is_named() {
    let folder = Folder::new();
    folder.write("g.edges", "0 1\n1 2\n2 3\n3 0\n");
    folder.write("m.txt", "source destination weight\n0 1 1\n1 2 1\n2 3 1\n3 0 1\n");
    let ask =
        ["packets", "ring:4", "g.edges", "--pattern", "uniform,matrix:m.txt", "--warmup", "50", "--load", "0.1,0.2"];
    let resume = ["--results", "r.jsonl", "--resume", "--measure", "100"];
    let ask = |more: &[&'static str]| [&ask[..], &resume, more].concat();
    folder.output(&ask(&[]));
    let before = folder.read("r.jsonl");
    let changes: [(&[&'static str], &str); 8] = [
        (&["--no-saturation"], "saturation is on there and off here"),
        (&["--vc-buffer", "9"], "vc_buffer is 8 there and 9 here"),
        (&["--seed", "2"], "pattern_seed is 1 there and 2 here"),
        (&["--routing", "amin"], "routings is [] there and [\"amin\"] here"),
        (&["--process", "periodic"], "process is `bernoulli` there and `periodic` here"),
        (&["--vcs", "5"], "vcs is not set there and 5 here"),
        (
            &["--hosts-per-switch", "2"],
            "series 1 (ring:n=4, dimension-order, uniform) has other switches, cables or hosts there",
        ),
        (&["--cycle-ns", "2"], "cycle_ns is 2.56 there and 2.0 here"),
    ];
    let another = "r.jsonl:1: these are results of another sweep: ";
    for (change, part) in changes {
        folder.refuse(&ask(change), 2, &[&format!("{another}{part}"), "help: "]);
    }
    // Files of the same names with other content.
    folder.write("m.txt", "source destination weight\n0 1 1\n1 2 1\n2 3 1\n3 1 1\n");
    folder.refuse(&ask(&[]), 2, &[another, "has other destinations there"]);
    folder.write("m.txt", "source destination weight\n0 1 1\n1 2 1\n2 3 1\n3 0 1\n");
    folder.write("g.edges", "0 1\n1 3\n3 2\n2 0\n");
    folder.refuse(&ask(&[]), 2, &[another, "g.edges", "has other switches, cables or hosts there"]);
    folder.write("g.edges", "0 1\n1 2\n2 3\n3 0\n");
    folder.output(&ask(&[]));
    assert_eq!(folder.read("r.jsonl"), before, "a refused file is left alone");
    // Another version of the program, whose first line may have other keys.
    let lines = whole_lines(&before);
    let mut first = content(lines[0]);
    first["program"] = "0.0.1".into();
    for extended in [false, true] {
        if extended {
            first["sweep"]["colour"] = "green".into();
        }
        folder.write("v.jsonl", [&line(&first), lines[1]].concat());
        let version = ["v.jsonl:1: ", "the version of the program (0.0.1 there, "];
        folder.refuse(
            &ask(&[]).iter().map(|word| if *word == "r.jsonl" { "v.jsonl" } else { word }).collect::<Vec<_>>(),
            2,
            &version,
        );
        folder.refuse(&["merge", "v.jsonl"], 2, &version);
    }
    folder.refuse(&["merge", "r.jsonl", "v.jsonl"], 2, &["v.jsonl:1: ", "the version of the program"]);
}

/// Loads and seeds are added, twice and before the first was done, without a run that the file has being repeated.
#[test]
fn sweeps_grow_by_loads_and_seeds() {
    let folder = Folder::new();
    let sweep = |results: &'static str, more: &[&'static str]| -> Vec<&'static str> {
        let ask = ["packets", "ring:5", "mesh:2x2", "--warmup", "50", "--measure", "100", "--results", results];
        [&ask[..], more].concat()
    };
    let grown: [&[&str]; 4] = [
        &["--load", "0.3,0.6", "--no-saturation"],
        &["--load", "0.3,0.6"],
        &["--load", "0.2,0.3,0.5,0.6", "--seeds", "2"],
        &["--load", "0.1:0.8:0.1", "--seeds", "3"],
    ];
    for (step, more) in grown.iter().enumerate() {
        let before = if step == 0 { String::new() } else { folder.read("r.jsonl") };
        let continued = report(&folder, &[&sweep("r.jsonl", more)[..], &["--resume"]].concat(), "json");
        let after = folder.read("r.jsonl");
        let complete = before.rfind('\n').map_or(0, |end| end + 1);
        assert!(after.starts_with(&before[..complete]) && after.len() > before.len(), "runs are only added");
        let new = format!("new{step}.jsonl");
        let fresh: Vec<&str> =
            sweep("new.jsonl", more).into_iter().map(|w| if w == "new.jsonl" { &new } else { w }).collect();
        assert_eq!(continued, report(&folder, &fresh, "json"));
        assert_eq!(continued, report(&folder, &["merge", "r.jsonl"], "json"));
        // Nothing is left to do, and the first line is not written once more.
        report(&folder, &[&sweep("r.jsonl", more)[..], &["--resume"]].concat(), "json");
        assert_eq!(folder.read("r.jsonl"), after);
        if step == 2 {
            // Only a part of the new runs, the last line torn.
            let lines = whole_lines(&after);
            let old = whole_lines(&before).len();
            folder.write("r.jsonl", [&lines[..old + 3].concat(), &lines[old + 3][..30]].concat());
        }
    }
    // A run may not be left out, and shards do not grow.
    let whole = folder.read("r.jsonl");
    for (fewer, setting) in
        [(["--load", "0.1:0.8:0.1", "--seeds", "2"], "seeds is"), (["--load", "0.1", "--seeds", "3"], "loads is")]
    {
        let ask = sweep("r.jsonl", &fewer);
        folder.refuse(&[&ask[..], &["--resume"]].concat(), 2, &["another sweep: ", setting, "may be added"]);
    }
    let shard = ["--shard", "1/2", "--load", "0.3"];
    folder.output(&sweep("s.jsonl", &shard));
    let more = [&sweep("s.jsonl", &["--shard", "1/2", "--load", "0.3,0.4"])[..], &["--resume"]].concat();
    folder.refuse(&more, 2, &["s.jsonl:1: these are results of another sweep: loads is"]);
    // A line that makes another sweep of the file.
    let first = whole_lines(&whole)[0].split(",\"check\"").next().expect("a line");
    let other = first.replace("\"measure\":100", "\"measure\":101");
    let check = crc32fast::hash(other.as_bytes());
    folder.write("r.jsonl", format!("{whole}{other},\"check\":\"{check:08x}\"}}\n"));
    let at = format!("r.jsonl:{}: it does not extend the sweep", whole_lines(&whole).len() + 1);
    folder.refuse(&["merge", "r.jsonl"], 2, &[&at]);
}

/// A finished sweep of one series in `r.jsonl`, and the arguments that resume `t.jsonl`.
fn finished() -> (Folder, Vec<&'static str>) {
    let folder = Folder::new();
    let ask = ["packets", "ring:8", "--load", "0.1,0.5", "--warmup", "100", "--measure", "200", "-q"];
    folder.output(&[&ask[..], &["--results", "r.jsonl", "--threads", "1"]].concat());
    (folder, [&ask[..], &["--results", "t.jsonl", "--resume"]].concat())
}

#[test]
fn no_flipped_bit_changes_a_report() {
    let (folder, _) = finished();
    let bytes = folder.read("r.jsonl").into_bytes();
    let merge = ["merge", "t.jsonl", "--format", "json"];
    let mut random: u64 = 3;
    for _ in 0..200 {
        let bit = pseudo_random(&mut random) as usize % (8 * bytes.len());
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        folder.write("t.jsonl", &damaged);
        let output = folder.command(&merge).output().expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "bit {bit}: {errors}");
        // If the end of the last line is damaged, its run counts as not written.
        let number = bytes[..bit / 8].iter().filter(|&&byte| byte == b'\n').count() + 1;
        let named = errors.contains(&format!("t.jsonl:{number}: ")) || damaged.last() != Some(&b'\n');
        // A file that does not begin as results do is taken for a study.
        assert!(named || (bit < 8 && errors.contains("t.jsonl")), "bit {bit}, line {number}: {errors}");
    }
}

#[test]
fn files_that_were_tampered_with_are_refused_with_the_line() {
    let (folder, resume) = finished();
    let text = folder.read("r.jsonl");
    let lines = whole_lines(&text);
    let refuse = |content: String, parts: &[&str]| {
        folder.write("t.jsonl", &content);
        folder.refuse(&resume, 2, parts);
        folder.refuse(&["merge", "t.jsonl"], 2, parts);
        assert_eq!(folder.read("t.jsonl"), content, "a refused file is left alone");
    };
    let point = content(lines[1]);
    assert_eq!((&point["series"], &point["run"]), (&json!(1), &json!("curve")));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut changed = point.clone();
        change(&mut changed);
        [lines[0], &line(&changed), &lines[2..].concat()].concat()
    };
    refuse([lines[0], lines[1], "x\n", lines[2]].concat(), &["t.jsonl:3: the line is no run: it is no JSON object"]);
    refuse(
        [lines[0], lines[1], lines[2], lines[1]].concat(),
        &["t.jsonl:4: ring:n=8, dimension-order, uniform: load 0.1, seed 1 is also in line 2"],
    );
    refuse(
        [lines[0], &lines[1].replace("\"accepted\":0", "\"accepted\":1")].concat(),
        &["t.jsonl:2: the line was changed"],
    );
    refuse([lines[0], &format!("{}\n", point)].concat(), &["t.jsonl:2: the line has no checksum at its end"]);
    refuse(lines[1..].concat(), &["t.jsonl:1: the first line is not the header of a results file: "]);
    type Change<'a> = (&'a dyn Fn(&mut Value), &'a str);
    let changes: [Change<'_>; 12] = [
        (&|r| r["series"] = 2.into(), "the sweep has no such run"),
        (&|r| r["series"] = 0.into(), "the sweep has no such run"),
        (&|r| r["network"] = "ring:n=9".into(), "the sweep has no such run"),
        (&|r| r["load"] = 0.2.into(), "the sweep has no such run of series 1 at load 0.2"),
        (&|r| r["seed"] = 3.into(), "the sweep has no such run"),
        (&|r| r["outcome"]["load"] = 0.2.into(), "`outcome` is of load 0.2, seed 1"),
        (&|r| r["outcome"]["accepted"] = (-1).into(), "`accepted` is -1"),
        (&|r| r["outcome"]["accepted_least"] = 0.9.into(), "are not in order"),
        (&|r| r["outcome"]["fairness"] = 1.5.into(), "are not in order"),
        (&|r| r["outcome"]["latency_p50"] = 999_999.into(), "are not in order"),
        (&|r| r["outcome"]["saturated"] = true.into(), "it has a latency"),
        (&|r| drop(r.as_object_mut().unwrap().remove("outcome")), "it has neither `outcome` nor `failure`"),
    ];
    for (change, part) in changes {
        refuse(with(change), &["t.jsonl:2: ", part]);
    }
    // First lines that no sweep has, on which a report would rely.
    let header = content(lines[0]);
    let changes: [Change<'_>; 6] = [
        (&|first| first["sweep"]["seeds"] = json!([]), "`seeds` is empty"),
        (&|first| first["sweep"]["patterns"] = json!([]), "`patterns` is empty"),
        (&|first| first["sweep"]["loads"] = json!([0.5, 0.1]), "not in ascending order"),
        (&|first| first["sweep"]["loads"] = json!([0.5, 1.5]), "not from 0 to 1"),
        (&|first| first["series"] = json!([]), "`series` are not those of all networks"),
        (&|first| first["cycle_ns"] = json!(0.0), "`cycle_ns` is not above 0"),
    ];
    for (change, part) in changes {
        let mut header = header.clone();
        change(&mut header);
        refuse([&*line(&header), &lines[1..].concat()].concat(), &["t.jsonl:1: ", part]);
    }
    // A step that no search comes to.
    let mut searched = content(lines.iter().find(|line| line.contains("\"search\"")).expect("a step of a search"));
    (searched["load"], searched["outcome"]["load"]) = (0.123.into(), 0.123.into());
    refuse(
        [&text, &*line(&searched)].concat(),
        &["load 0.123 of the search for saturation, seed 1: the sweep has no such run"],
    );
    // The advice of the help line works.
    folder.write("t.jsonl", [lines[0], &lines[2..].concat()].concat());
    let expected = folder.output(&["merge", "r.jsonl", "-q"]);
    assert_eq!(folder.output(&resume), expected);
    // A torn first line was written by a killed run.
    folder.write("t.jsonl", &lines[0][..50]);
    assert_eq!(folder.output(&resume), expected);
    let fresh: Vec<&str> = resume.iter().copied().filter(|word| *word != "--resume").collect();
    folder.refuse(&fresh, 2, &["t.jsonl already exists", "--resume"]);
    folder.refuse(&["packets", "ring:8", "--resume"], 2, &["--results"]);
    folder.refuse(&["packets", "ring:8", "--results", "no/t.jsonl"], 3, &["cannot write into no: "]);
}

#[test]
fn overlapping_missing_and_other_files_are_refused_by_name() {
    let folder = Folder::new();
    for (shard, file) in [("1/3", "1.jsonl"), ("2/3", "2.jsonl"), ("3/3", "3.jsonl"), ("1/2", "half.jsonl")] {
        folder.run(&swept(&["--shard", shard, "--results", file, "--no-saturation", "-q"])).success();
    }
    let [one, two, three] = ["1.jsonl", "2.jsonl", "3.jsonl"];
    let first = "the first are torus:dims=4x4, escape, uniform: load 0.1, seed 2; ";
    folder.refuse(
        &["merge", one, three],
        2,
        &["8 of 24 runs are missing: there is no file of shard 2/3; ", first, "and 3 more"],
    );
    folder.refuse(&["merge", one, two, three, one], 2, &["1.jsonl (shard 1/3) and 1.jsonl (shard 1/3) overlap"]);
    folder.refuse(
        &["merge", one, "half.jsonl"],
        2,
        &["half.jsonl (shard 1/2) and 1.jsonl (shard 1/3) overlap: both hold torus"],
    );
    let text = folder.read(two);
    folder.write("cut.jsonl", whole_lines(&text)[..7].concat());
    folder.refuse(
        &["merge", one, "cut.jsonl", three],
        2,
        &["2 of 24 runs are missing: cut.jsonl (shard 2/3) is not finished"],
    );
    folder.refuse(&["merge", one, "nope.jsonl"], 3, &["nope.jsonl: "]);
    folder.refuse(&["merge", "nope.jsonl"], 3, &["nope.jsonl: "]);
    let other = swept(&["--shard", "2/3", "--results", one, "--resume", "--no-saturation"]);
    folder.refuse(&other, 2, &["1.jsonl holds shard 1/3, not shard 2/3"]);
    for shard in ["0/3", "4/3", "x", "1/0"] {
        folder.refuse(&swept(&["--shard", shard, "--results", "n.jsonl"]), 2, &["is not a shard"]);
    }
    // A merge takes its settings from the files.
    folder.refuse(
        &["merge", one, two, three, "--seed", "2"],
        2,
        &["--seed has no effect on results of `mopsim packets`"],
    );
    folder.refuse(&["merge", one, two, three, "--html", one], 2, &["this file is read"]);
    folder.write("t.ti", crate::support::cli::MESSAGE);
    folder.write("s.toml", "title = 'x'\n[[networks]]\ntopology = 'ring:4'\n[[workloads]]\ntrace = 't.ti'\n");
    folder.output(&["compare", "s.toml", "--results", "study.jsonl", "-q"]);
    folder.refuse(&["merge", "study.jsonl"], 2, &["study.jsonl:1: schema `mopsim.results/2`", "give the study first"]);
    folder.refuse(&["merge", "s.toml"], 2, &["no results file follows the study"]);
    folder.refuse(&["merge", "s.toml", one], 2, &["1.jsonl:1: the first line is not the header of a results file: "]);
}

/// A run that fails does so each time, so its failure is a result.
#[test]
fn failures_of_runs_are_kept() {
    let (folder, resume) = finished();
    let text = folder.read("r.jsonl");
    let lines = whole_lines(&text);
    let mut point = content(lines[1]);
    point.as_object_mut().unwrap().remove("outcome");
    point["failure"] = json!({ "deadlock": { "cycle": 500, "waiting": "cable 0->1 VC 0 waits for itself" } });
    folder.write("t.jsonl", [lines[0], &line(&point)].concat());
    folder.refuse(&resume, 1, &["deadlock at cycle 500: cable 0->1 VC 0 waits for itself"]);
    assert_eq!(whole_lines(&folder.read("t.jsonl")).len(), 3, "the other point is there, and no search");
    folder.refuse(&["merge", "t.jsonl"], 1, &["deadlock at cycle 500"]);
}

#[test]
fn job_scripts_run_as_they_stand() {
    let folder = Folder::new();
    let unsplit = report(&folder, &SWEEP, "json");
    folder.run(&swept(&["--html", "c.html", "--slurm", "the jobs", "--shards", "3"])).success().stdout("");
    let shell = |script: &str, variable: &str, task: &str, arguments: &[&str]| {
        folder.script(script, (variable, task), arguments)
    };
    shell("the jobs/array.slurm", "SLURM_ARRAY_TASK_ID", "1", &[]);
    shell("the jobs/array.slurm", "SLURM_ARRAY_TASK_ID", "2", &[]);
    // A task that is started again has nothing left to do.
    shell("the jobs/array.slurm", "SLURM_ARRAY_TASK_ID", "2", &[]);
    shell("the jobs/array.hq.sh", "HQ_TASK_ID", "3", &[]);
    assert_eq!(shell("the jobs/merge.sh", "X", "", &["--format", "json"]), unsplit);
    assert!(folder.read("c.html").contains("torus"), "the merge has --html");
    // A sweep has no more tasks than pieces, and a list of packets has none.
    folder.run(&swept(&["--slurm", "many", "--shards", "5000"])).success();
    assert!(folder.read("many/array.slurm").contains("#SBATCH --array=1-16\n"), "{}", folder.read("many/array.slurm"));
    folder.refuse(&["packets", "ring:4", "--packets", "p.txt", "--slurm", "d"], 2, &["--slurm"]);
}

#[test]
fn notes_name_the_networks_that_they_are_on() {
    let folder = Folder::new();
    let run =
        ["packets", "dragonfly:a=4,h=2", "ring:16", "--routing", "static:bfs", "--load", "0.05", "--allow-deadlock"];
    let text = report(&folder, &run, "text");
    assert!(text.contains("Note: On 2: "), "{text}");
}
