//! `mopsim trace` as users run it.

use crate::support::cli::{Folder, MESSAGE, assert_80_columns, number};
use predicates::str::contains;
use std::fs;

/// Twenty iterations of an exchange between neighbours on four ranks, with a reduction at the end of each.
fn stencil() -> String {
    let mut text = String::new();
    for rank in 0..4 {
        let (left, right) = ((rank + 3) % 4, (rank + 1) % 4);
        text += &format!("{rank} init\n{rank} bcast 4 0 6\n");
        for i in 0..20 {
            text += &format!("{rank} irecv {left} 1 100 0\n{rank} compute {}\n", 1_000_000 + i);
            text += &format!("{rank} send {right} 1 100 0\n{rank} wait {left} {rank} 1\n{rank} allreduce 1 1 0\n");
        }
        text += &format!("{rank} finalize\n");
    }
    text
}

#[test]
fn every_format_that_is_written_is_read_and_says_the_same() {
    let folder = Folder::with_trace(&stencil());
    for name in ["a.mtrace", "a.mtrace.zst", "a.mtrace.gz", "a.mtrace.xz", "a.ti", "a.ti.zst"] {
        folder.run(&["trace", "convert", "t.ti", "-o", name]).success();
        folder.run(&["trace", "diff", "t.ti", name]).success();
        let report =
            |file: &str| folder.json(&["-q", "replay", file, "--topology", "ring:4"])["simulated_seconds"].clone();
        assert_eq!(report(name), report("t.ti"), "{name}");
        folder.refuse(&["trace", "convert", "t.ti", "-o", name], 2, &["--force"]);
        folder.run(&["trace", "convert", "t.ti", "-o", name, "--force"]).success();
    }
    assert!(fs::read(folder.path("a.mtrace")).unwrap().starts_with(b"\x8dmtr"));
    // A copy of the compact form is the same file.
    folder.run(&["trace", "convert", "a.mtrace", "-o", "b.mtrace"]).success();
    assert_eq!(fs::read(folder.path("a.mtrace")).unwrap(), fs::read(folder.path("b.mtrace")).unwrap());
    assert!(folder.names().iter().all(|name| !name.ends_with(".part")));
}

#[test]
fn the_name_says_the_format_and_the_answer_repeats_it() {
    let folder = Folder::with_trace(&stencil());
    let convert = |name: &str| folder.run(&["trace", "convert", "t.ti", "-o", name]).success();
    for (name, format) in [
        ("a.mtrace.zst", "compact trace"),
        ("B.MTRACE.Zst", "compact trace"),
        ("lu.A.64", "time-independent trace"),
        ("a.goal", "GOAL"),
        ("b.Goal", "GOAL"),
        ("a.goal.bin", "GOAL binary"),
    ] {
        convert(name).stderr(predicates::str::contains(format!("as {format}\n")));
    }
    for (name, format) in [("a.bin", "DUMPI"), ("A.BIN", "DUMPI"), ("a.otf2", "OTF2"), ("a.mrec", "recording")] {
        let expected = [format, "is read, not written", ".mtrace"];
        folder.refuse(&["trace", "convert", "t.ti", "-o", name], 2, &expected);
        assert!(!folder.path(name).exists());
    }
    // Packed as well as written so, and named without what it ends in.
    assert!(fs::read(folder.path("B.MTRACE.Zst")).unwrap().starts_with(b"\x28\xb5\x2f\xfd"));
    assert_eq!(folder.json(&["trace", "info", "B.MTRACE.Zst"])["trace"], "B");
    folder.run(&["trace", "convert", "t.ti", "-o", "c.MTRACE"]).success();
    assert!(fs::read(folder.path("c.MTRACE")).unwrap().starts_with(b"\x8dmtr"));
}

#[test]
fn a_workload_is_written_in_the_format_of_its_name() {
    let folder = Folder::new();
    let run = ["workload", "npb/lu", "--class", "S", "--ranks", "4", "--iterations", "2", "-o"];
    for name in ["lu.ti", "lu.mtrace", "lu.mtrace.zst"] {
        folder.run(&[&run[..], &[name]].concat()).success();
        folder.run(&["trace", "diff", "lu.ti", name]).success();
    }
}

#[test]
fn goal_is_written_and_read() {
    let folder = Folder::with_trace("0 compute 1e6\n0 send 1 0 100 6\n1 recv 0 0 100 6\n1 compute 2e6\n");
    folder.run(&["trace", "convert", "t.ti", "-o", "t.goal"]).success();
    assert!(folder.read("t.goal").starts_with("num_ranks 2\n"));
    folder.run(&["trace", "diff", "t.ti", "t.goal"]).success();
    let time = |file: &str| number(&folder.json(&["-q", "replay", file, "--topology", "ring:4"]), "simulated_seconds");
    assert_eq!(time("t.ti"), time("t.goal"));
}

/// Whatever makes the trace, GOAL's messages are those of the table that is asked for.
#[test]
fn collectives_become_messages_of_a_table() {
    let folder = Folder::with_trace("0 compute 1\n0 allreduce 4000 0 6\n1 allreduce 4000 0 6\n2 allreduce 4000 0 6\n");
    let changes: [&[&str]; 3] = [&["convert"], &["cut", "--window", "0%-100%"], &["scale", "--compute", "2"]];
    for change in changes {
        for table in ["mvapich2", "default"] {
            let how = [&["trace"], change, &["t.ti", "-o", "t.goal", "--force", "--collectives", table]].concat();
            folder.run(&how).success();
            let second = folder.read("t.goal").lines().nth(1).map(str::to_owned);
            assert_eq!(second, Some(format!("// collectives as messages, by the table of {table}")), "{change:?}");
        }
        let how = [&["trace"], change, &["t.ti", "-o", "t.mtrace", "--collectives", "ompi"]].concat();
        folder.refuse(&how, 2, &["keeps collectives as they are"]);
    }
}

#[test]
fn info_fits_a_terminal_and_counts_right() {
    let folder = Folder::with_trace(&stencil());
    let text = folder.output(&["-q", "trace", "info", "t.ti", "--svg", "m.svg", "--csv", "m.csv"]);
    assert_80_columns(&text);
    assert!(text.contains("Bytes from rank (down) to rank (across)") && text.contains("█"), "{text}");
    let info = folder.json(&["-q", "trace", "info", "t.ti"]);
    assert_eq!(info["schema"], "mopsim.trace-info/1");
    for (name, value) in [("ranks", 4), ("actions", 4 * 103), ("messages", 80), ("bytes", 64_000), ("iterations", 20)] {
        assert_eq!(info[name], value, "{name}");
    }
    assert_eq!(info["pairs"].as_array().unwrap().len(), 4);
    // Numbers are numbers for programs, and have groups of digits for people.
    let actions = &info["totals"][1];
    assert_eq!((&actions["mean"], &actions["largest"]), (&103.0.into(), &103.0.into()));
    assert!(
        text.split("bytes in them").nth(1).unwrap().trim_start_matches([' ', '|']).starts_with("64,000 "),
        "{text}"
    );
    assert_eq!(
        folder.read("m.csv"),
        "from,to,messages,bytes,trace\n0,1,20,16000,t\n1,2,20,16000,t\n2,3,20,16000,t\n3,0,20,16000,t\n"
    );
    assert!(folder.read("m.svg").starts_with("<svg ") && folder.read("m.svg").contains("16000 bytes"));
    assert_eq!(folder.output(&["-q", "trace", "info", "t.ti", "--format", "csv"]), folder.read("m.csv"));
    assert!(folder.output(&["-q", "trace", "info", "t.ti", "--format", "markdown"]).contains("| allreduce |"));
}

#[test]
fn check_says_what_is_wrong_and_where() {
    let folder = Folder::with_trace(MESSAGE);
    assert!(folder.output(&["trace", "check", "t.ti"]).contains("no errors found"));
    folder.write("bad.ti", "0 init\n1 init\n0 send 1 0 100 6\n1 recv 0 0 10 6\n0 send 1 9 1 6\n1 recv 0 8 1 6\n");
    let run = folder.run(&["trace", "check", "bad.ti"]).code(1);
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert_80_columns(&text);
    for part in [
        "error: unmatched send\n  at rank 0, bad.ti:5\n",
        "error: unmatched receive\n  at rank 1, bad.ti:6\n",
        "error: truncated message\n  at rank 1, bad.ti:4\n  100 bytes",
        "error: deadlock\n  at rank 1, bad.ti:6\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = folder.run(&["trace", "check", "bad.ti", "--format", "json"]).code(1);
    let sheet: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!((&sheet["schema"], &sheet["errors"]), (&"mopsim.trace-check/1".into(), &4.into()));
    assert_eq!(sheet["findings"][0]["kind"], "unmatched-send");
    // Content that a format cannot store is also found.
    let goal = "num_ranks 1\nrank 0 {\ncalc 5 cpu 1\n}\n";
    folder.write("t.goal", goal);
    assert!(folder.output(&["trace", "check", "t.goal"]).contains("warning: approximated"));
}

#[test]
fn parts_are_programs_again() {
    let folder = Folder::with_trace(&stencil());
    for (arguments, name, actions) in [
        (&["--ranks", "0-1,3"][..], "ranks.ti", None),
        (&["--iterations", "3-5"], "some.ti", Some(4 * (3 * 5 + 2))),
        (&["--iterations", "20"], "last.ti", Some(4 * (5 + 2))),
        (&["--window", "25%-75%"], "window.mtrace", None),
    ] {
        folder.run(&[&["-q", "trace", "cut", "t.ti", "-o", name], arguments].concat()).success().stderr("");
        folder.run(&["trace", "check", name]).success();
        folder.run(&["-q", "replay", name, "--topology", "ring:4"]).success();
        if let Some(actions) = actions {
            assert_eq!(folder.json(&["-q", "trace", "info", name])["actions"], actions, "{name}");
        }
    }
    let told = folder.run(&["trace", "cut", "t.ti", "-o", "told.ti", "--ranks", "0,1"]).success();
    let told = String::from_utf8(told.get_output().stderr.clone()).unwrap();
    assert!(told.contains("20 sends whose receive is outside, 20 receives whose send is outside"), "{told}");
    let cut = ["trace", "cut", "t.ti", "-o", "x.ti"];
    folder.refuse(&cut, 2, &["nothing to cut"]);
    folder.refuse(&[&cut[..], &["--ranks", "0,9"]].concat(), 2, &["no rank 9", "0 to 3"]);
    folder.refuse(&[&cut[..], &["--ranks", "0,0"]].concat(), 2, &["--ranks 0,0: rank 0 is there twice"]);
    folder.refuse(&[&cut[..], &["--ranks", "1-3,2"]].concat(), 2, &["rank 2 is there twice"]);
    folder.run(&["trace", "cut", "t.ti", "-o", "told.mtrace", "--ranks", "0,1"]).success();
    let check = folder.output(&["trace", "check", "told.mtrace"]);
    assert!(check.contains("\nnote: about the trace\n") && !check.contains("note: noted"), "{check}");
    folder.refuse(&[&cut[..], &["--ranks", "3-1"]].concat(), 2, &["not a list of ranks"]);
    folder.refuse(&[&cut[..], &["--ranks", "0-4294967295"]].concat(), 2, &["not a list of ranks"]);
    folder.refuse(&[&cut[..], &["--iterations", "5-21"]].concat(), 2, &["there are 20 iterations"]);
    folder.refuse(&[&cut[..], &["--window", "80%-20%"]].concat(), 2, &["not a range of percentages"]);
}

#[test]
fn computation_is_scaled() {
    let folder = Folder::with_trace("0 compute 1e9\n");
    folder.run(&["trace", "scale", "t.ti", "-o", "half.mtrace", "--compute", "0.5"]).success();
    let time = |file: &str| number(&folder.json(&["-q", "replay", file, "--topology", "ring:4"]), "simulated_seconds");
    assert_eq!(time("half.mtrace"), time("t.ti") / 2.0);
    folder.refuse(&["trace", "scale", "t.ti", "-o", "x.ti", "--compute", "-1"], 2, &["0 or more"]);
    folder.run(&["trace", "scale", "t.ti", "-o", "per-cent.mtrace", "--compute", "50%"]).success();
    assert_eq!(time("per-cent.mtrace"), time("half.mtrace"));
    folder.refuse(&["trace", "scale", "t.ti", "-o", "x.ti", "--compute", "half"], 2, &["such as 0.5 or 50%"]);
}

#[test]
fn a_recorded_speed_needs_recorded_times() {
    let folder = Folder::with_trace("0 compute 1e9\n");
    folder.write("g.goal", "num_ranks 1\nrank 0 {\nl1: calc 1000\n}\n");
    let convert = |from: &'static str| ["trace", "convert", from, "-o", "x.ti", "--recorded-speed", "1Gf", "--force"];
    folder.refuse(&convert("t.ti"), 2, &["--recorded-speed: t.ti has no recorded times", "leave it out"]);
    folder.run(&["trace", "convert", "t.ti", "-o", "t.mtrace"]).success();
    folder.refuse(&convert("t.mtrace"), 2, &["t.mtrace has no recorded times"]);
    folder.run(&convert("g.goal")).success();
    assert!(folder.read("x.ti").contains("0 compute 1e3\n"), "{}", folder.read("x.ti"));
}

#[test]
fn damaged_files_are_refused_with_the_byte() {
    let folder = Folder::with_trace(&stencil());
    folder.run(&["trace", "convert", "t.ti", "-o", "a.mtrace"]).success();
    let whole = fs::read(folder.path("a.mtrace")).unwrap();
    folder.write("cut.mtrace", &whole[..whole.len() / 2]);
    let end = format!("byte {}: compact trace: the file ends", whole.len() / 2);
    folder.refuse(&["replay", "cut.mtrace", "--topology", "ring:4"], 2, &[&end, "truncated or modified"]);
    let mut changed = whole;
    changed[60] ^= 4;
    folder.write("changed.mtrace", changed);
    folder.refuse(&["trace", "info", "changed.mtrace"], 2, &["byte 40:", "checksum"]);
}

#[test]
fn lists_stay_in_their_folder() {
    let folder = Folder::new();
    folder.write("secret.ti", "0 init\n");
    folder.write("in/list", "../secret.ti\n");
    folder.refuse(&["trace", "info", "in/list"], 2, &["in/list:1:", "outside its own folder", "--files-anywhere"]);
    folder.refuse(&["replay", "in/list", "--topology", "ring:4"], 2, &["outside its own folder"]);
    folder.run(&["trace", "info", "in/list", "--files-anywhere"]).success();
    folder.run(&["replay", "in/list", "--topology", "ring:4", "--files-anywhere"]).success();
}

#[test]
fn bombs_stop_at_a_limit_that_a_flag_raises() {
    let folder = Folder::new();
    let text = "0 compute 1\n".repeat(4 << 20);
    folder.write("bomb.ti.zst", zstd::encode_all(text.as_bytes(), 3).unwrap());
    folder.refuse(&["trace", "info", "bomb.ti.zst"], 2, &["more than 1000 times their size"]);
    folder.run(&["-q", "trace", "info", "bomb.ti.zst", "--max-unpacked-bytes", "100000000"]).success();
    folder.refuse(
        &["trace", "info", "bomb.ti.zst", "--max-unpacked-bytes", "1000000"],
        2,
        &["more than 1000000 bytes"],
    );
}

/// Four ranks in two pairs that reduce while they compute, then communicate by puts.
const PAIRS: &str = "\
0 communicator 1 0 1\n0 communicator 2 2 3\n0 communicator 3 0 1 2 3\n0 init\n1 init\n2 init\n3 init
0 on 1 iallreduce 0 1000 10 6\n1 on 1 iallreduce 0 1000 10 6\n2 on 2 iallreduce 0 1000 10 6\n3 on 2 iallreduce 0 1000 10 6
0 compute 1e6\n1 compute 1e6\n2 compute 1e6\n3 compute 1e6
0 wait_request 0\n1 wait_request 0\n2 wait_request 0\n3 wait_request 0
0 on 3 put 2 500 6\n1 on 3 get 3 400 6\n0 on 3 fence\n1 on 3 fence\n2 on 3 fence\n3 on 3 fence
2 send 3 1 9 6\n3 probe 2 1\n3 recv 2 1 9 6
";

#[test]
fn communicators_go_through_all_commands() {
    let folder = Folder::with_trace(PAIRS);
    let report = |file: &str| folder.json(&["-q", "replay", file, "--topology", "ring:4"])["simulated_seconds"].clone();
    for name in ["a.mtrace", "b.ti", "c.mtrace.zst"] {
        folder.run(&["trace", "convert", "t.ti", "-o", name]).success();
        folder.run(&["trace", "diff", "t.ti", name]).success();
        assert_eq!(report(name), report("t.ti"), "{name}");
        let found = folder.json(&["-q", "trace", "check", name]);
        assert_eq!(found["findings"].as_array().map(Vec::len), Some(0), "{found}");
    }
    let text = folder.output(&["-q", "trace", "info", "t.ti"]);
    assert_80_columns(&text);
    assert!(text.contains("iallreduce") && text.contains("fence"), "{text}");
    folder.refuse(&["trace", "convert", "t.ti", "-o", "t.goal"], 2, &["GOAL cannot express `on 3 put 2 500 6`"]);
    folder.run(&["trace", "cut", "t.ti", "--ranks", "2-3", "-o", "cut.ti"]).success();
    assert!(folder.read("cut.ti").starts_with("0 communicator 1 0 1\n0 communicator 2 0 1\n0 init\n0 on 1 iallreduce"));
    folder.run(&["trace", "scale", "t.ti", "--compute", "2", "-o", "slow.ti"]).success();
    assert!(folder.read("slow.ti").contains("iallreduce 0 1000 20 6"));
    // Different members of a communicator are a difference.
    folder.write("other.ti", PAIRS.replace("communicator 2 2 3", "communicator 2 3 2"));
    folder.run(&["trace", "diff", "t.ti", "other.ti"]).code(1);
    // Timelines and explanations are of the ranks.
    let run = ["-q", "replay", "t.ti", "--topology", "ring:4", "--explain", "--timeline", "t.json"];
    assert!(folder.output(&run).contains("through 4 ranks, ending with rank 3"));
    let events: serde_json::Value = serde_json::from_str(&folder.read("t.json")).unwrap();
    let ranks = events["traceEvents"].as_array().unwrap().iter().filter_map(|event| event["tid"].as_u64());
    assert_eq!(ranks.max(), Some(3));
    std::fs::write(
        folder.path("stuck.ti"),
        PAIRS.replace("3 on 2 iallreduce 0 1000 10 6\n", "").replace("3 wait_request 0\n", ""),
    )
    .unwrap();
    folder.refuse(&["replay", "stuck.ti", "--topology", "ring:4"], 1, &["blocked in iallreduce on communicator 2"]);
}

#[test]
fn simgrid_gets_what_it_can_read() {
    let world = "0 communicator 1 0 1\n";
    let body =
        |rank: u32| format!("{rank} init\n{rank} on 1 barrier\n{rank} on 1 allreduce 8 1e6 6\n{rank} finalize\n");
    let folder = Folder::with_trace(&(world.to_owned() + &body(0) + &body(1)));
    let warning = "warning: SimGrid's replay does not read 4 collectives on other communicators";
    folder.run(&["trace", "convert", "t.ti", "-o", "plain.ti"]).success().stderr(contains(warning));
    folder.run(&["trace", "convert", "t.ti", "-o", "for.ti", "--for", "simgrid"]).success();
    let text = folder.read("for.ti");
    assert!(!text.contains("communicator") && !text.contains(" on "), "{text}");
    let seconds =
        |file: &str| folder.json(&["-q", "replay", file, "--topology", "ring:2"])["simulated_seconds"].clone();
    assert_eq!(seconds("for.ti"), seconds("t.ti"));

    // Actions without a counterpart are an error, or are left out and counted.
    folder.write("more.ti", "0 init\n0 put 1 100 6\n0 fence\n1 init\n1 fence\n0 ibarrier 1\n1 ibarrier 1\n");
    let convert = ["trace", "convert", "more.ti", "-o", "less.ti", "--for", "simgrid"];
    folder.refuse(
        &convert,
        2,
        &["2 non-blocking collectives, 1 one-sided operations, 2 one-sided sync", "--leave-out"],
    );
    folder.run(&[&convert[..], &["--leave-out"]].concat()).success().stderr(contains("warning: left out"));
    assert_eq!(folder.read("less.ti"), "0 init\n1 init\n");
    folder.refuse(&["trace", "convert", "t.ti", "-o", "a.mtrace", "--for", "simgrid"], 2, &["does not read", ".ti"]);
}

#[test]
fn a_measured_time_stays_with_its_trace() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("t.toml", "measured_seconds = 0.5\n");
    folder.run(&["trace", "convert", "t.ti", "-o", "other/u.mtrace"]).code(3);
    fs::create_dir(folder.path("other")).unwrap();
    folder.run(&["trace", "convert", "t.ti", "-o", "other/u.mtrace"]).success();
    assert_eq!(folder.read("other/u.toml"), "measured_seconds = 0.5\n");
    let replay = ["-q", "replay", "other/u.mtrace", "--topology", "ring:2"];
    let report = folder.json(&replay);
    assert_eq!(report["measured_seconds"], 0.5);
    let ratio = report["simulated_seconds"].as_f64().unwrap() / 0.5;
    let line = format!("measured time    500.000 ms when it was recorded; simulated / measured {ratio:.3}\n");
    folder.run(&replay).success().stdout(contains(line));
    // The facts of another trace are not replaced.
    folder.write("other/v.toml", "operations = 1e6\n");
    folder.refuse(&["trace", "convert", "t.ti", "-o", "other/v.mtrace"], 2, &["v.toml", "--force"]);
}

#[test]
fn different_collectives_fail_a_replay_as_they_fail_a_check() {
    let text = "0 init\n1 init\n0 bcast 100 0 6\n1 barrier\n0 finalize\n1 finalize\n";
    let folder = Folder::with_trace(text);
    folder.run(&["trace", "check", "t.ti"]).code(1);
    let parts = ["rank 1, t.ti:4", "collective number 1 is bcast, root 0, on rank 0, but barrier", "trace check"];
    folder.refuse(&["replay", "t.ti", "--topology", "ring:2"], 1, &parts);
}
