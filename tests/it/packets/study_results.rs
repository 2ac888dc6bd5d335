//! The table `[packets]` of a study in results files: a run of packets is a line, as a replay is.

use crate::support::cli::{Folder, MESSAGE};
use crate::support::lines::{wait_for_lines, whole_lines};
use mopsim::ledger::checked_line;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Two networks, two workloads: 4 replays. Two patterns, two loads, two seeds: 16 points of curves, and 4 searches.
const STUDY: &str =
    "title = 'T'\n[[networks]]\ntopology = 'torus:4x4'\n[[networks]]\nname = 'net B'\ntopology = 'mesh:4x4'
[packets]\nload = '0.1,0.7'\nwarmup = 100\nmeasure = 300\nseeds = 2\npatterns = ['uniform', 'matrix:m.txt']
[[workloads]]\ntrace = 't.ti'\n[[workloads]]\nname = 'b'\ntrace = 'b.ti'\n";
const CELLS: usize = 4;
const FORMATS: [&str; 3] = ["text", "json", "markdown"];
const RESUME: [&str; 5] = ["compare", "s.toml", "--resume", "--results", "t.jsonl"];

fn study() -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("b.ti", MESSAGE.replace("100", "2000"));
    folder.write("s.toml", STUDY);
    folder.write("m.txt", matrix(1));
    folder
}

/// Each host sends to another one.
fn matrix(distance: usize) -> String {
    let rows: String = (0..16).map(|host| format!("{host} {} 1\n", (host + distance) % 16)).collect();
    format!("source destination weight\n{rows}")
}

fn report(folder: &Folder, arguments: &[&str], format: &str) -> String {
    folder.output(&[arguments, &["-q", "--format", format]].concat())
}

/// Returns the lines of a finished study: the study, replays, settings of packets, runs.
fn finished(folder: &Folder) -> Vec<String> {
    folder.output(&["compare", "s.toml", "-q", "--results", "r.jsonl", "--threads", "1"]);
    let text = folder.read("r.jsonl");
    let lines: Vec<String> = whole_lines(&text).into_iter().map(str::to_owned).collect();
    assert!(lines[1 + CELLS].starts_with("{\"packets\":{"), "{}", lines[1 + CELLS]);
    assert!(lines.len() > 2 + CELLS + 16 + 4, "{} lines", lines.len());
    lines
}

/// Returns a line with changed content.
fn changed(line: &str, change: impl Fn(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(line).expect("JSON");
    value.as_object_mut().and_then(|object| object.remove("check")).expect("a checksum");
    change(&mut value);
    checked_line::write(&value)
}

#[test]
fn resumed_and_sharded_studies_report_the_same_packets() {
    let folder = study();
    let lines = finished(&folder);
    for format in FORMATS {
        let unsplit = report(&folder, &["compare", "s.toml", "--threads", "1", "--html", "page.html"], format);
        let page = folder.read("page.html");
        // State of a killed run, and of one that was resumed several times.
        let some: Vec<&str> = lines.iter().step_by(3).map(String::as_str).collect();
        let settings = lines[1 + CELLS].as_str();
        let parts = [
            [&lines[0], settings, &lines[lines.len() - 1], &lines[9], &lines[2], &lines[7][..40]].concat(),
            [&[lines[0].as_str(), settings], &some[1..]].concat().concat(),
            lines[..3].concat(),
            lines[..=CELLS].concat(),
            lines[..2 + CELLS].concat(),
            lines.concat(),
        ];
        for part in parts {
            folder.write("t.jsonl", part);
            assert_eq!(report(&folder, &[&RESUME[..], &["--html", "page.html"]].concat(), format), unsplit);
            assert_eq!(folder.read("page.html"), page);
            let text = folder.read("t.jsonl");
            let (mut found, mut expected) = (whole_lines(&text), lines.iter().map(String::as_str).collect::<Vec<_>>());
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "no line is there twice");
        }
        let mut files = Vec::new();
        for k in 1..=5 {
            let (shard, file) = (format!("{k}/5"), format!("{format}-{k}.jsonl"));
            folder.run(&["compare", "s.toml", "-q", "--shard", &shard, "--results", &file]).success().stdout("");
            let text = folder.read(&file);
            assert!(text.contains("\"run\":\"curve\""), "shard {k} has its part of the packets");
            files.push(file);
        }
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(report(&folder, &[&["merge", "s.toml"], &files[..]].concat(), format), unsplit);
    }
    let said = folder.run(&["compare", "s.toml", "--shard", "2/4", "--results", "2.jsonl"]).success();
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    let runs = whole_lines(&folder.read("2.jsonl")).len() - 3;
    assert!(said.contains(&format!("shard 2/4: 1 of 1 replays and {runs} runs of packets are in 2.jsonl")), "{said}");
}

/// Files of versions that did not keep runs of packets have only replays, some of them without checksums.
#[test]
fn files_without_packets_are_continued() {
    let folder = study();
    let lines = finished(&folder);
    let unsplit = report(&folder, &["compare", "s.toml"], "json");
    let bare = |line: &String| {
        let cut = line.rfind(",\"check\"").expect("a checksum");
        format!("{}}}\n", &line[..cut]).replace("mopsim.results/2", "mopsim.results/1")
    };
    folder.write("t.jsonl", lines[..=CELLS].iter().map(bare).collect::<String>());
    folder.refuse(
        &["merge", "s.toml", "t.jsonl"],
        2,
        &["at least 16 runs of packets are missing: t.jsonl (shard 1/1) is not finished", "--resume"],
    );
    assert_eq!(report(&folder, &RESUME, "json"), unsplit);
    assert_eq!(report(&folder, &["merge", "s.toml", "t.jsonl"], "json"), unsplit);
    assert_eq!(whole_lines(&folder.read("t.jsonl")).len(), lines.len());
}

#[test]
fn other_settings_of_packets_are_refused_with_file_and_line() {
    let folder = study();
    let lines = finished(&folder);
    let text = lines.concat();
    let place = format!("t.jsonl:{}: these are results of another sweep: ", 2 + CELLS);
    let refuse = |part: &str| {
        folder.write("t.jsonl", &text);
        folder.refuse(&RESUME, 2, &[&place, part, "help: "]);
        folder.refuse(&["merge", "s.toml", "t.jsonl"], 2, &[&place, part]);
        assert_eq!(folder.read("t.jsonl"), text, "a refused file is left alone");
    };
    for (from, to, part) in [
        ("measure = 300", "measure = 301", "measure is 300 there and 301 here"),
        ("seeds = 2", "seeds = 3", "seeds is [1,2] there and [1,2,3] here"),
        ("warmup = 100", "warmup = 100\nvcs = 6", "vcs is not set there and 6 here"),
        ("warmup = 100", "warmup = 100\nrouting = 'amin'", "routings is [] there and [\"amin\"] here"),
    ] {
        folder.write("s.toml", STUDY.replace(from, to));
        refuse(part);
    }
    let table = STUDY.find("[packets]").expect("a table")..STUDY.find("[[workloads]]").expect("a table");
    folder.write("s.toml", [&STUDY[..table.start], &STUDY[table.end..]].concat());
    refuse("the study has no table [packets] here");
    folder.write("s.toml", STUDY);
    folder.write("m.txt", matrix(2));
    refuse("the files of its patterns have other content");
    folder.write("m.txt", matrix(1));
    // What changes only the report does not matter.
    folder.write("s.toml", STUDY.replace("warmup = 100", "warmup = 100\ncycle_ns = 2.0"));
    assert!(report(&folder, &RESUME, "json").contains("\"cycle_ns\": 2.0"));
}

#[test]
fn damaged_missing_and_doubled_lines_of_packets_are_refused_by_name() {
    let folder = study();
    let lines = finished(&folder);
    let first = 2 + CELLS;
    let refuse = |text: String, parts: &[&str]| {
        folder.write("t.jsonl", &text);
        folder.refuse(&RESUME, 2, parts);
        folder.refuse(&["merge", "s.toml", "t.jsonl"], 2, parts);
    };
    let with = |number: usize, line: &str| {
        let mut all = lines.clone();
        all[number] = line.to_owned();
        all.concat()
    };
    let place = format!("t.jsonl:{}: ", first + 1);
    refuse(with(first, &lines[first].replace("\"accepted\":0", "\"accepted\":1")), &[&place, "the line was changed"]);
    let other = changed(&lines[first], |run| run["network"] = "net C".into());
    refuse(with(first, &other), &[&place, "the sweep has no such run of series 1"]);
    let other = changed(&lines[first], |run| run["outcome"]["fairness"] = 2.into());
    refuse(with(first, &other), &[&place, "torus:dims=4x4, default, uniform: load 0.1, seed 1: ", "not in order"]);
    refuse([&lines.concat(), &*lines[first]].concat(), &["is also in line"]);
    refuse([&lines.concat(), &*lines[first - 1]].concat(), &["the settings of packets are there twice"]);
    refuse([&lines[0], &*lines[first]].concat(), &["t.jsonl:2: a run of packets without their settings before it"]);
    let step = lines.iter().rfind(|line| line.contains("\"run\":\"search\"")).expect("a step");
    let step = changed(step, |run| (run["load"], run["outcome"]["load"]) = (0.123.into(), 0.123.into()));
    refuse(
        [&lines.concat(), &*step].concat(),
        &["load 0.123 of the search for saturation, seed 1: the sweep has no such run"],
    );
    folder.write("t.jsonl", lines[..lines.len() - 1].concat());
    let parts = ["at least 1 runs of packets are missing: t.jsonl (shard 1/1) is not finished; the first are "];
    folder.refuse(&["merge", "s.toml", "t.jsonl"], 2, &parts);
    for shard in ["1/2", "2/2"] {
        let file = format!("{}.jsonl", &shard[..1]);
        folder.output(&["compare", "s.toml", "-q", "--shard", shard, "--results", &file]);
    }
    folder.refuse(&["merge", "s.toml", "1.jsonl"], 2, &["cells are missing", "there is no file of shard 2/2"]);
    let text = folder.read("2.jsonl");
    let kept: String = whole_lines(&text).into_iter().filter(|line| !line.contains("\"seed\":2")).collect();
    folder.write("2.jsonl", kept);
    folder.refuse(
        &["merge", "s.toml", "1.jsonl", "2.jsonl"],
        2,
        &["runs of packets are missing: 2.jsonl (shard 2/2) is not finished"],
    );
}

/// A network on which a run fails is left out, in a resumed study as well.
#[test]
fn failures_of_runs_are_kept() {
    let folder = study();
    let lines = finished(&folder);
    let mut all = lines.clone();
    all[2 + CELLS] = changed(&lines[2 + CELLS], |run| {
        run.as_object_mut().unwrap().remove("outcome");
        run["failure"] = json!({ "deadlock": { "cycle": 500, "waiting": "cable 0->1 VC 0 waits for itself" } });
    });
    folder.write("t.jsonl", all.concat());
    let expected = "torus:dims=4x4: deadlock at cycle 500: cable 0->1 VC 0 waits for itself";
    for ask in [&RESUME[..], &["merge", "s.toml", "t.jsonl", "-q"]] {
        let json = folder.json(ask);
        let left: Vec<&str> =
            json["packets"]["left_out"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        assert!(left.len() == 1 && left[0].starts_with(expected), "{left:?}");
        assert_eq!(json["packets"]["networks"].as_array().unwrap().len(), 1);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn kill_9_and_ctrl_c_keep_the_packets_that_are_done() {
    let folder = study();
    let slow = STUDY.replace("measure = 300", "measure = 8000").replace("0.1,0.7", "0.1:0.8:0.1");
    folder.write("s.toml", &slow);
    let unsplit = report(&folder, &["compare", "s.toml"], "json");
    let spawn = || {
        Command::new(env!("CARGO_BIN_EXE_mopsim"))
            .current_dir(folder.path(""))
            .args(["compare", "s.toml", "--results", "r.jsonl", "--resume", "--threads", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    };
    let mut child = spawn();
    assert!(wait_for_lines(&folder, "r.jsonl", 2 + CELLS + 3, &mut child), "it ended before");
    child.kill().expect("SIGKILL");
    child.wait().expect("it is gone");
    let text = folder.read("r.jsonl");
    let before = whole_lines(&text).len();
    let mut child = spawn();
    assert!(wait_for_lines(&folder, "r.jsonl", before + 2, &mut child), "it ended before");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{errors}");
    let runs = whole_lines(&folder.read("r.jsonl")).len() - 2 - CELLS;
    let so_far = format!("interrupted: 4 of 4 replays and {runs} runs of packets are in r.jsonl");
    assert!(errors.contains(&so_far) && errors.contains("--resume"), "{errors}");
    assert!(runs < 2 * 2 * 8 * 2, "{runs}");
    assert_eq!(report(&folder, &["compare", "s.toml", "--results", "r.jsonl", "--resume"], "json"), unsplit);
}
