//! Damaged results files: no report may come of a line that was changed.

use crate::support::cli::{Folder, MESSAGE};
use serde_json::Value;

const MERGE: [&str; 5] = ["merge", "s.toml", "t.jsonl", "--format", "json"];
const RESUME: [&str; 6] = ["compare", "s.toml", "--results", "t.jsonl", "--resume", "-q"];

/// A finished study of two cells, in `r.jsonl`.
fn finished() -> Folder {
    let folder = Folder::with_trace(&MESSAGE.replace("1 recv", "1 compute 1e6\n1 recv"));
    folder.write("t.toml", "operations = 1e6\n");
    folder.write(
        "s.toml",
        "title = 'Damaged'\n[[networks]]\ntopology = 'ring:4'\n[[networks]]\ntopology = 'torus:2x2'\n[[workloads]]\ntrace = 't.ti'\n",
    );
    // One thread, so that the lines are in the order of the cells.
    folder.output(&["compare", "s.toml", "--results", "r.jsonl", "-q", "--threads", "1"]);
    folder
}

/// The results file as versions before checksums wrote it.
fn without_checksums(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut object: Value = serde_json::from_str(line).expect("JSON");
        let object = object.as_object_mut().expect("an object");
        assert!(object.remove("check").is_some(), "each line has a checksum: {line}");
        let cut = line.rfind(",\"check\"").expect("at the end");
        format!("{}}}\n", &line[..cut]).replace("mopsim.results/2", "mopsim.results/1")
    });
    lines.collect()
}

#[test]
fn no_flipped_bit_changes_a_report() {
    let folder = finished();
    let bytes = std::fs::read(folder.path("r.jsonl")).expect("a file");
    folder.write("t.jsonl", &bytes);
    let expected = folder.output(&MERGE);
    let mut random: u64 = 3;
    for _ in 0..200 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bit = (random >> 33) as usize % (8 * bytes.len());
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        folder.write("t.jsonl", &damaged);
        let output = folder.command(&MERGE).output().expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "bit {bit}: {errors}");
        // If the end of the last line is damaged, its cell counts as not written.
        assert!(errors.contains("t.jsonl"), "bit {bit}: {errors}");
        let line = bytes[..bit / 8].iter().filter(|&&byte| byte == b'\n').count() + 1;
        assert!(
            errors.contains(&format!("t.jsonl:{line}: ")) || damaged.last() != Some(&b'\n'),
            "bit {bit}, line {line}: {errors}"
        );
    }
    folder.write("t.jsonl", &bytes);
    assert_eq!(folder.output(&MERGE), expected);
}

#[test]
fn a_damaged_line_is_named_by_merge_and_resume_and_replayed_once_removed() {
    let folder = finished();
    let text = folder.read("r.jsonl");
    let expected = folder.output(&["merge", "s.toml", "r.jsonl", "-q"]);
    let damaged = text.replacen("\"simulated_seconds\":0", "\"simulated_seconds\":3", 1);
    assert_ne!(damaged, text);
    folder.write("t.jsonl", &damaged);
    let parts = ["t.jsonl:2: the line was changed: its checksum is that of another one", "help: "];
    folder.refuse(&MERGE, 2, &parts);
    folder.refuse(&RESUME, 2, &parts);
    assert_eq!(folder.read("t.jsonl"), damaged, "a refused file is left alone");
    // The advice of the help line works.
    let lines: Vec<&str> = damaged.split_inclusive('\n').collect();
    folder.write("t.jsonl", [lines[0], lines[2]].concat());
    assert_eq!(folder.output(&RESUME), expected);
    // A line without its checksum is not of this format.
    let bare = without_checksums(lines[2]);
    folder.write("t.jsonl", [lines[0], &bare].concat());
    folder.refuse(&RESUME, 2, &["t.jsonl:2: the line has no checksum at its end"]);
}

#[test]
fn files_of_before_checksums_are_gone_on_with_but_their_values_are_checked() {
    let folder = finished();
    let text = folder.read("r.jsonl");
    let expected = folder.output(&["merge", "s.toml", "r.jsonl", "-q"]);
    let old = without_checksums(&text);
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    folder.write("t.jsonl", &old);
    assert_eq!(folder.output(&["merge", "s.toml", "t.jsonl", "-q"]), expected);
    folder.write("t.jsonl", lines[..2].concat());
    assert_eq!(folder.output(&RESUME), expected);
    let resumed = folder.read("t.jsonl");
    assert!(resumed.starts_with(&lines[..2].concat()) && resumed.ends_with("\"}\n"), "{resumed}");
    assert_eq!(folder.output(&["merge", "s.toml", "t.jsonl", "-q"]), expected);
    // An existing checksum is verified, whatever the first line contains.
    folder.write("t.jsonl", resumed.replace("\"cell\":1,", "\"cell\":1 ,"));
    folder.refuse(&RESUME, 2, &["t.jsonl:3: the line was changed"]);

    let record: Value = serde_json::from_str(lines[1]).expect("JSON");
    let seconds = record["simulated_seconds"].as_f64().expect("a number");
    let with = |change: &dyn Fn(&mut Value)| {
        let mut record = record.clone();
        change(&mut record);
        [lines[0], &record.to_string(), "\n", lines[2]].concat()
    };
    type Change<'a> = (&'a dyn Fn(&mut Value), &'a str);
    let sizes = |seconds: f64| serde_json::json!([{"up_to": 128, "messages": 1, "mean_seconds": seconds}]);
    let changes: [Change<'_>; 11] = [
        (&|r| r["simulated_seconds"] = (-seconds).into(), "`simulated_seconds` is -"),
        (&|r| r["simulated_seconds"] = 0.into(), "`times` add up to"),
        (&|r| r["simulated_seconds"] = 1e308.into(), "`times` add up to"),
        (&|r| r["simulated_seconds"] = (0.7 * seconds).into(), "`times` add up to"),
        (&|r| r["mops"] = 7.into(), "`mops` is 7"),
        (&|r| r["actions"] = 8.into(), "`actions` is 8"),
        (&|r| r["times"]["waiting"] = (-1).into(), "`times.waiting` is -1"),
        (&|r| r["explanation"]["time_shares"]["compute"] = 2.into(), "`time_shares.compute` is 2"),
        (&|r| r["explanation"]["busiest_links"][0]["utilisation"] = 9.into(), "`utilisation` is 9"),
        (&|r| r["explanation"]["awaited_sizes"] = sizes(-1.0), "`mean_seconds` is -1"),
        (&|r| r["explanation"]["awaited_sizes"] = sizes(1e308), "`mean_seconds` is 1"),
    ];
    for (change, part) in changes {
        folder.write("t.jsonl", with(change));
        let parts = ["t.jsonl:2: cell 0 (t on ring:n=4): ", part];
        folder.refuse(&MERGE, 2, &parts);
        folder.refuse(&RESUME, 2, &parts);
    }
    // A number beyond the range of floats is invalid JSON.
    folder.write("t.jsonl", old.replacen("\"simulated_seconds\":", "\"simulated_seconds\":1e999,\"x\":", 1));
    folder.refuse(&MERGE, 2, &["t.jsonl:2: the line is no cell: "]);
}

/// Returns a line with a changed value and the right checksum.
fn changed(line: &str, change: impl Fn(&mut Value)) -> String {
    let mut object: Value = serde_json::from_str(line).expect("JSON");
    object.as_object_mut().expect("an object").remove("check");
    change(&mut object);
    mopsim::ledger::checked_line::write(&object)
}

#[test]
fn a_header_with_another_number_of_cells_is_refused() {
    let folder = finished();
    let text = folder.read("r.jsonl");
    let (first, rest) = text.split_once('\n').expect("lines");
    folder.write("t.jsonl", changed(first, |header| header["cells"] = 3.into()) + rest);
    folder.refuse(&MERGE, 2, &["t.jsonl:1: `cells` is 3, and the study has 2"]);
}

#[test]
fn rates_that_no_run_of_packets_has_are_refused() {
    let folder = Folder::new();
    let sweep =
        ["packets", "ring:4", "--load", "0.1", "--warmup", "20", "--measure", "50", "-q", "--results", "r.jsonl"];
    folder.output(&sweep);
    let text = folder.read("r.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for key in ["accepted_most", "packets_inside"] {
        assert!(lines[1].contains(key), "{}", lines[1]);
        folder.write("t.jsonl", [lines[0], &changed(lines[1], |run| run["outcome"][key] = 1e308.into())].concat());
        folder.refuse(&["merge", "t.jsonl"], 2, &["t.jsonl:2: ", &format!("`{key}` is 1e308, and not from 0 to")]);
    }
}

#[cfg(unix)]
#[test]
fn devices_are_refused_before_they_fill_the_memory() {
    let folder = finished();
    folder.refuse(&["merge", "s.toml", "/dev/zero"], 2, &["/dev/zero:1: byte 0 is zero"]);
    for arguments in [
        &["packets", "ring:4", "--packets", "/dev/zero"][..],
        &["throughput", "ring:4", "--matrix", "/dev/zero"],
        &["replay", "t.ti", "--topology", "ring:4", "--hostfile", "/dev/zero"],
        &["topology", "edges:path=/dev/zero"],
    ] {
        folder.refuse(arguments, 2, &["/dev/zero:1: not text: byte 0 is zero"]);
    }
}
