//! `mopsim workload` and `mopsim trace diff` as users run them.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn mopsim() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mopsim"))
}

/// A program in a folder of its own.
fn program(text: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.star");
    fs::write(&file, text).unwrap();
    (folder, file)
}

/// What a program is refused for.
fn refused(text: &str) -> String {
    let (_folder, file) = program(text);
    let output = mopsim().arg("workload").arg(&file).args(["--ranks", "2", "--max-steps", "2000000"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    said
}

#[test]
fn programs_are_listed_and_described() {
    mopsim().arg("workload").assert().success().stdout(contains("npb/lu").and(contains("himeno")));
    let lu = mopsim().args(["workload", "npb/lu", "--parameters"]).assert().success();
    lu.stdout(contains("class").and(contains("a power of two")).and(contains("iterations")));
    mopsim().args(["workload", "npb/lo"]).assert().code(2).stderr(contains("did you mean `npb/lu`"));
}

#[test]
fn a_summary_is_json_with_a_schema() {
    let run = ["workload", "npb/cg", "--class", "S", "--ranks", "4", "--format", "json"];
    let output = mopsim().args(run).output().unwrap();
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sheet["schema"], "mopsim.workload/1");
    assert_eq!(sheet["name"], "cg.S.4");
    assert_eq!(sheet["ranks"], 4);
}

#[test]
fn wrong_parameters_are_refused() {
    let base = ["workload", "npb/lu", "--ranks", "64"];
    mopsim().args(base).args(["--class", "Z"]).assert().code(2).stderr(contains("S, W, A, B, C, D, E"));
    mopsim().args(base).args(["-p", "colour=red"]).assert().code(2).stderr(contains("no parameter `colour`"));
    mopsim().args(base).args(["--iterations", "0"]).assert().code(2).stderr(contains("1 to 1000000"));
    mopsim().args(base).args(["-p", "class"]).assert().code(2).stderr(contains("NAME=VALUE"));
}

#[test]
fn an_illegal_number_of_ranks_names_the_nearest_legal_ones() {
    let lu = mopsim().args(["workload", "npb/lu", "--ranks", "60"]).assert().code(2);
    lu.stderr(contains("32 and 64"));
    let bt = mopsim().args(["workload", "npb/bt", "--ranks", "60"]).assert().code(2);
    bt.stderr(contains("49 and 64"));
}

#[test]
fn a_syntax_error_has_its_line_and_column() {
    let said = refused("x = 1\ndef main(rank, size, params):\n    compute(1.0))\n");
    assert!(said.contains("mine.star:3:17"), "{said}");
}

#[test]
fn an_error_while_it_runs_has_its_line() {
    let said = refused("def main(rank, size, params):\n    compute(1.0)\n    send(7, 1)\n");
    assert!(said.contains("mine.star:3:5"), "{said}");
    assert!(said.contains("there is no rank 7"), "{said}");
    let said = refused("def main(rank, size, params):\n    wait(3)\n");
    assert!(said.contains("mine.star:2:5") && said.contains("no such request"), "{said}");
}

#[test]
fn a_runaway_program_is_ended_with_its_line() {
    let text = "def main(rank, size, params):\n    for i in range(10000):\n        for j in range(10000):\n            x = i\n";
    let said = refused(text);
    assert!(said.contains("mine.star:") && said.contains("2000000"), "{said}");
}

#[test]
fn deep_recursion_is_ended() {
    let said = refused("def f(n):\n    return f(n + 1)\ndef main(rank, size, params):\n    f(0)\n");
    assert!(said.contains("mine.star:2"), "{said}");
    let deep = format!("x = {}1{}\ndef main(rank, size, params):\n    pass\n", "(".repeat(5000), ")".repeat(5000));
    assert!(refused(&deep).contains("brackets"));
}

#[test]
fn memory_bombs_are_ended() {
    let main = "def main(rank, size, params):\n";
    for body in [
        "    x = [0] * 1000000000\n",
        "    x = 1000000000 * \"x\"\n",
        "    x = list(range(2000000000))\n",
        "    x = [1]\n    for i in range(60):\n        x = x + x\n",
        "    x = [1]\n    for i in range(60):\n        x.extend(x)\n",
        "    x = [1]\n    x *= 1000000000\n",
        "    x = \"aa\".replace(\"a\", \"aa\")\n",
        "    repeat(2000000000, compute, 1.0)\n    repeat(2000000000, compute, 1.0)\n    repeat(2000000000, compute, 1.0)\n",
    ] {
        let said = refused(&format!("{main}{body}"));
        assert!(said.contains("mine.star:"), "{body}: {said}");
    }
}

#[test]
fn files_outside_the_folder_are_not_loaded() {
    for path in ["../other.star", "/etc/passwd", "a/../../b.star"] {
        let said = refused(&format!("load(\"{path}\", \"f\")\ndef main(rank, size, params):\n    pass\n"));
        assert!(said.contains("outside"), "{said}");
    }
    let (folder, file) = program("load(\"help.star\", \"f\")\ndef main(rank, size, params):\n    compute(f())\n");
    fs::write(folder.path().join("help.star"), "def f():\n    return 2.0 * 3\n").unwrap();
    mopsim()
        .arg("workload")
        .arg(&file)
        .args(["--ranks", "2"])
        .assert()
        .success()
        .stdout(contains("flops computed     12"));
}

#[test]
fn a_trace_is_written_whole_and_can_be_replayed() {
    let folder = TempDir::new().unwrap();
    for (name, text) in [("a.ti", true), ("a.ti.zst", false), ("a.ti.gz", false), ("a.ti.xz", false)] {
        let file = folder.path().join(name);
        let run = ["workload", "npb/lu", "--class", "S", "--ranks", "4", "--iterations", "2", "-o"];
        mopsim().args(run).arg(&file).assert().success();
        mopsim().args(run).arg(&file).assert().code(2).stderr(contains("--force"));
        mopsim().args(run).arg(&file).arg("--force").assert().success();
        if text {
            assert!(fs::read_to_string(&file).unwrap().starts_with("0 init\n"));
        }
        mopsim().args(["replay", "--topology", "torus:2x2"]).arg(&file).assert().success();
        mopsim().args(["trace", "diff"]).arg(folder.path().join("a.ti")).arg(&file).assert().success();
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "no parts are left");
}

#[test]
fn a_difference_is_shown_by_call_and_pair() {
    let folder = TempDir::new().unwrap();
    let (a, b) = (folder.path().join("a.ti"), folder.path().join("b.ti"));
    fs::write(&a, "0 init\n0 send 1 0 10 6\n0 finalize\n1 init\n1 recv 0 0 10 6\n1 finalize\n").unwrap();
    fs::write(&b, "0 init\n0 send 1 0 20 6\n0 finalize\n1 init\n1 recv 0 0 20 6\n1 finalize\n").unwrap();
    let output = mopsim().args(["trace", "diff", "--format", "json"]).args([&a, &b]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sheet["schema"], "mopsim.trace-diff/1");
    assert_eq!(sheet["different_pairs"], 1);
    assert_eq!(sheet["different_pairs_list"][0]["second_bytes"], 20);
}

#[test]
fn a_study_generates_its_workloads() {
    let folder = TempDir::new().unwrap();
    let study = folder.path().join("study.toml");
    let text = "title = \"t\"\n[[networks]]\ntopology = \"torus:2x2\"\n[[workloads]]\nworkload = \"npb/ep\"\nclass = \"S\"\nranks = 4\n";
    fs::write(&study, text).unwrap();
    mopsim().arg("compare").arg(&study).assert().success().stdout(contains("ep.S.4"));
    fs::write(&study, text.replace("ranks = 4\n", "")).unwrap();
    mopsim().arg("compare").arg(&study).assert().code(2).stderr(contains("needs `ranks = N`"));
}

#[test]
fn every_built_in_program_runs_as_a_user_program_too() {
    let folder = TempDir::new().unwrap();
    for builtin in mopsim::workload::catalogue::ALL {
        let file = folder.path().join(format!("{}.star", builtin.name.replace('/', "-")));
        fs::write(&file, builtin.source).unwrap();
        let ranks = if builtin.name == "npb/dt" { "21" } else { "16" };
        let own = mopsim().args(["workload", builtin.name, "--ranks", ranks, "--format", "json"]).output().unwrap();
        let copy = mopsim().arg("workload").arg(&file).args(["--ranks", ranks, "--format", "json"]).output().unwrap();
        assert!(own.status.success(), "{}: {}", builtin.name, String::from_utf8_lossy(&own.stderr));
        assert!(copy.status.success(), "{}: {}", builtin.name, String::from_utf8_lossy(&copy.stderr));
        let read = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
        let (own, copy) = (read(&own.stdout), read(&copy.stdout));
        assert_eq!(own["actions"], copy["actions"], "{}", builtin.name);
        assert_eq!(own["bytes"], copy["bytes"], "{}", builtin.name);
    }
}
