//! Flags: none is silently ignored, and messages about one name it and the way out.

use crate::support::cli::{Folder, MESSAGE, assert_80_columns};

const STUDY: &str = "title = 'T'\n[[networks]]\ntopology = 'ring:4'\n[[workloads]]\ntrace = 't.ti'\n";

/// `--np`: the trace has a line that belongs to another rank, and its reader warns of that.
fn with_foreign_line() -> Folder {
    let folder = Folder::new();
    folder.write("list", "r0\nr1\n");
    folder.write("r0", "0 init\n1 compute 5\n0 compute 100\n0 finalize\n");
    folder.write("r1", "1 init\n1 compute 100\n1 finalize\n");
    folder
}

#[test]
fn flags_that_say_nothing_here_are_refused() {
    let folder = Folder::with_trace(MESSAGE);
    for (arguments, parts) in [
        (&["export", "ring:4", "--to", "dot", "--link-bandwidth", "5"][..], &["--link-bandwidth", "--to dot"][..]),
        (&["export", "ring:4", "--to", "json", "--routing", "bfs"], &["--routing", "--to json"]),
        (&["export", "ring:4", "--to", "json", "--format", "json"], &["--format", "--to"]),
        (&["topology", "--fit", "hosts=16,radix=8", "--routing", "bfs"], &["--routing"]),
        (&["workload", "-o", "x.ti"], &["<NAME>"]),
        (&["workload", "--ranks", "2"], &["<NAME>"]),
        (&["workload", "-p", "a=1"], &["<NAME>"]),
    ] {
        folder.refuse(arguments, 2, parts);
    }
    assert_eq!(folder.names(), ["t.ti"]);
}

#[test]
fn a_shard_says_that_it_writes_no_report() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", STUDY);
    let shard = ["compare", "s.toml", "--shard", "1/2", "--results", "a", "--json", "o.json", "--format", "json"];
    let run = folder.run(&shard).success().stdout("");
    run.stderr(predicates::str::contains(
        "warning: a shard has no report: what --json, --format asks for is written by `mopsim merge`",
    ));
    assert!(!folder.path("o.json").exists());
}

#[test]
fn what_a_reader_passes_over_is_said_by_all_that_read() {
    let folder = with_foreign_line();
    folder.run(&["trace", "diff", "list", "list"]).success().stderr(predicates::str::contains("warning: "));
    let run = folder.run(&["workload", "npb/ep", "--class", "S", "--ranks", "2", "--calibrate", "list"]).success();
    run.stderr(predicates::str::contains("warning: "));
}

#[test]
fn numbers_below_zero_are_no_flags() {
    let folder = Folder::with_trace(MESSAGE);
    for arguments in [
        &["replay", "t.ti", "--topology", "ring:2", "--ranks", "-1"][..],
        &["replay", "t.ti", "--topology", "ring:2", "--seed", "-1"],
        &["collectives", "bcast", "--ranks", "4", "--size", "-5"],
        &["compare", "s.toml", "--threads", "-1"],
        &["trace", "scale", "t.ti", "--compute", "-1", "-o", "x.ti"],
        &["throughput", "ring:4", "--packet-bytes", "-1"],
        &["topology", "ring:4", "--hosts-per-switch", "-1"],
        &["topology", "ring:4", "--route", "0", "-1"],
        &["workload", "npb/ep", "--ranks", "2", "--max-steps", "-1"],
    ] {
        let run = folder.run(arguments).code(2).stdout("");
        let said = String::from_utf8(run.get_output().stderr.clone()).expect("text");
        assert!(said.contains("-1") || said.contains("-5"), "{said}");
        assert!(!said.contains("unexpected argument") && !said.contains("invalid digit"), "{arguments:?}: {said}");
    }
}

#[test]
fn messages_tell_the_truth_and_the_way_out() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", STUDY);
    folder.output(&["export", "ring:4", "--to", "simgrid", "-o", "p.xml"]);
    folder.write("run.star", "def main(rank, size, params):\n    for i in range(10):\n        compute(1)\n");
    let replay = ["replay", "t.ti", "--topology", "ring:4"];
    for (arguments, code, parts) in [
        (&["export", "--platform", "no.json", "--to", "dot"][..], 3, &["no.json", "cannot be read"][..]),
        (&["export", "--platform", "p.xml", "--to", "dot"], 2, &["lists links and routes"]),
        (&["replay", "t.ti", "--platform", "p.xml", "--duplex", "full"], 2, &["`duplex` does not go with"]),
        (&["workload", "npb/ep", "--class", "S", "--ranks", "1073741824"], 2, &["class S has 256 batches"]),
        (
            &["workload", "npb/lu", "--ranks", "4294967295"],
            2,
            &["MPI has numbers for 2147483647", "no number of ranks"],
        ),
        (&["workload", "run.star", "--ranks", "2", "--max-steps", "1"], 2, &["runs away", "help: ", "--max-steps N"]),
        (&["workload", "npb/lu", "--ranks", "4", "--max-steps", "1"], 2, &["runs away", "help: ", "--max-steps N"]),
        (&["workload", "npb/lu", "--ranks", "4", "--max-actions", "1"], 2, &["help: --max-actions N"]),
        (&["topology", "ft.dot"], 2, &["`ft.dot` is the name of a file", "edges:path=\"ft.dot\""]),
        (&["topology", "./bin"], 2, &["does not identify the format"]),
        (
            &["merge", "s.toml", "t.ti"],
            2,
            &["t.ti:1: the first line is not the header of a results file: it is no JSON object", "help: "],
        ),
        (
            &[&replay[..], &["--cable-delay", "5ns", "--switches-per-cabinet", "0"]].concat(),
            2,
            &["`switches_per_cabinet` is 0, but a cabinet has to hold at least one switch"],
        ),
        (&[&replay[..], &["--host-speed", "fast"]].concat(), 2, &["--host-speed `fast`", "100 Gflop/s"]),
    ] {
        folder.refuse(arguments, code, parts);
    }
    let scaled = folder.run(&["trace", "scale", "t.ti", "--compute", "1e308", "-o", "x.ti"]).success();
    scaled.stderr(predicates::str::contains("6 actions of 2 ranks"));
    folder.write("big.ti", "0 init\n0 compute 1e10\n0 finalize\n");
    let scaled = ["trace", "scale", "big.ti", "--compute", "1e308", "-o", "y.ti"];
    folder.refuse(&scaled, 2, &["big.ti: --compute", "1e10 flops times 1e308", "help: give a smaller factor"]);
    assert!(!folder.path("y.ti").exists());
    folder
        .run(&["trace", "convert", "big.ti", "-o", "one.ti"])
        .success()
        .stderr("one.ti: 3 actions of 1 rank, as time-independent trace\n");
}

#[test]
fn options_stand_below_their_headings() {
    let folder = Folder::new();
    let heading_of = |verb: &str, option: &str| {
        let help = folder.output(&[verb, "--help"]);
        let at = help.lines().position(|line| line.trim_start().starts_with(option)).expect(option);
        let lines: Vec<&str> = help.lines().take(at).collect();
        lines.into_iter().rfind(|line| line.ends_with(':') && !line.starts_with(' ')).expect("a heading").to_owned()
    };
    for (verb, option, heading) in [
        ("replay", "--mapping", "Network:"),
        ("replay", "--seed", "Network:"),
        ("replay", "--host-link-bandwidth", "Network:"),
        ("replay", "--switches-per-cabinet", "Floor plan:"),
        ("replay", "--timing", "Options:"),
        ("replay", "--timeline ", "Options:"),
        ("compare", "--no-explain", "Options:"),
        ("compare", "--threads", "Options:"),
        ("compare", "--mapping", "Network:"),
        ("compare", "--model", "Model:"),
        ("export", "--seed", "Network:"),
        ("merge", "[FILE]...", "Arguments:"),
        ("topology", "--floor-svg", "Options:"),
    ] {
        assert_eq!(heading_of(verb, option), heading, "{verb} {option}");
    }
    for verb in ["replay", "compare", "merge", "export", "topology", "workload", "collectives", "trace"] {
        let help = folder.output(&[verb, "--help"]);
        let below = help.find("Example").expect("examples");
        assert_80_columns(&help[below..]);
    }
    assert!(folder.output(&["--help"]).contains("`trace check` found an error"));
}

#[test]
fn the_number_of_ranks_has_one_name_and_an_alias() {
    let folder = Folder::with_trace(MESSAGE);
    for name in ["--ranks", "--np"] {
        folder.run(&["replay", "t.ti", "--topology", "ring:4", name, "2"]).success();
        folder.run(&["workload", "npb/ep", "--class", "S", name, "4"]).success();
        folder.run(&["collectives", "bcast", name, "4", "--size", "8"]).success();
        for verb in [&["info", "t.ti"][..], &["check", "t.ti"], &["diff", "t.ti", "t.ti"]] {
            folder.run(&[&["trace"][..], verb, &[name, "2"]].concat()).success();
        }
    }
    // The ranks of a part are a list.
    folder.run(&["trace", "cut", "t.ti", "--np", "2", "--ranks", "0-1", "-o", "part.ti"]).success();
}
