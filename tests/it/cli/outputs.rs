//! Files that the program writes: never over one that it reads, nor over each other.

use crate::support::cli::{Folder, MESSAGE};
use std::process::Command;

const STUDY: &str = "title = 'T'\n[[networks]]\ntopology = 'edges:path=\"net.txt\"'\n[[networks]]\nplatform = 'p.toml'\n\
                     [[workloads]]\ntrace = 't.ti'\n";
const TRIANGLE: &str = "# undirected n=3\n0 1\n0 2\n1 2\n";

fn folder() -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", STUDY);
    folder.write("net.txt", TRIANGLE);
    folder.write("p.toml", "topology = 'net.txt'\n");
    folder.write("list", "t.ti\n");
    folder.write("flows.toml", "patterns = ['matrix:m.txt']\n[[networks]]\ntopology = 'net.txt'\n");
    folder.write("FLOWS.TOML", "[[networks]]\ntopology = 'net.txt'\n");
    folder.write("m.txt", "0 1 0\n0 0 1\n1 0 0\n");
    folder.write("r.jsonl", "");
    folder
}

#[test]
fn nothing_that_is_read_is_written_over() {
    let folder = folder();
    std::fs::hard_link(folder.path("t.ti"), folder.path("hard")).expect("a link");
    #[cfg(unix)]
    std::os::unix::fs::symlink("s.toml", folder.path("soft")).expect("a link");
    for (arguments, file) in [
        (&["compare", "s.toml", "--json", "s.toml"][..], "s.toml"),
        (&["compare", "s.toml", "--html", "soft"], "s.toml"),
        (&["compare", "s.toml", "--csv", "./t.ti"], "t.ti"),
        (&["compare", "s.toml", "--csv", "hard"], "t.ti"),
        (&["compare", "s.toml", "--json", "net.txt"], "net.txt"),
        (&["compare", "s.toml", "--json", "p.toml"], "p.toml"),
        (&["compare", "s.toml", "--results", "s.toml"], "s.toml"),
        (&["merge", "s.toml", "r.jsonl", "--json", "r.jsonl"], "r.jsonl"),
        (&["replay", "t.ti", "--topology", "ring:2", "--timeline", "t.ti"], "t.ti"),
        (&["replay", "list", "--topology", "ring:2", "--timeline", "t.ti"], "t.ti"),
        (&["replay", "t.ti", "--topology", "net.txt", "--timeline", "net.txt"], "net.txt"),
        (&["replay", "t.ti", "--platform", "p.toml", "--timeline", "net.txt"], "net.txt"),
        (&["trace", "info", "t.ti", "--svg", "t.ti"], "t.ti"),
        (&["trace", "convert", "t.ti", "-o", "t.ti", "--force"], "t.ti"),
        (&["topology", "net.txt", "--floor-svg", "net.txt"], "net.txt"),
        (&["export", "net.txt", "--to", "dot", "-o", "net.txt", "--force"], "net.txt"),
        (&["throughput", "net.txt", "--svg", "net.txt"], "net.txt"),
        (&["throughput", "flows.toml", "--json", "m.txt"], "m.txt"),
        (&["throughput", "flows.toml", "--json", "flows.toml"], "flows.toml"),
        (&["throughput", "FLOWS.TOML", "--json", "FLOWS.TOML"], "FLOWS.TOML"),
        (&["workload", "npb/ep", "--ranks", "2", "--calibrate", "t.ti", "-o", "t.ti", "--force"], "t.ti"),
    ] {
        let before = folder.read(file);
        folder.refuse(arguments, 2, &["this file is read", "would be lost", "help: "]);
        assert_eq!(folder.read(file), before, "{arguments:?}");
    }
}

/// For example, studies from `<(...)`.
#[cfg(unix)]
#[test]
fn what_comes_from_a_pipe_is_read_once() {
    let folder = folder();
    let pipe = folder.path("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let study = STUDY.replace("[[networks]]\nplatform = 'p.toml'\n", "");
    let [flows, platform] = ["flows.toml", "p.toml"].map(|file| folder.read(file));
    for (text, arguments) in [
        (&study, &["compare", "pipe.toml"][..]),
        (&study, &["compare", "pipe.toml", "--json", "a.json"]),
        (&flows, &["throughput", "pipe.toml"]),
        (&flows, &["throughput", "pipe.toml", "--json", "b.json"]),
        (&platform, &["replay", "t.ti", "--platform", "pipe.toml", "--timeline", "c.json"]),
    ] {
        // Opening the pipe for writing blocks until a reader opens it.
        let (text, pipe) = (text.clone(), pipe.clone());
        let writer = std::thread::spawn(move || std::fs::write(pipe, text));
        folder.output(arguments);
        writer.join().expect("a writer").expect("all is read");
    }
}

#[test]
fn two_outputs_do_not_share_a_file() {
    let folder = folder();
    let before = folder.names().len();
    for arguments in [
        &["compare", "s.toml", "--json", "x1", "--csv", "x1"][..],
        &["compare", "s.toml", "--html", "h", "--json", "./h"],
        &["compare", "s.toml", "--results", "new.jsonl", "--json", "new.jsonl"],
        &["export", "torus:2x2", "--to", "simgrid", "-o", "x.xml", "--hostfile", "x.xml"],
        &["throughput", "torus:2x2", "--json", "o", "--csv", "o"],
        &["trace", "info", "t.ti", "--svg", "o", "--csv", "o"],
    ] {
        folder.refuse(arguments, 2, &["writes this file, too", "help: give each of them"]);
    }
    assert_eq!(folder.names().len(), before);
}

#[test]
fn a_folder_is_no_place_for_a_result() {
    let folder = folder();
    for arguments in [
        &["trace", "info", "t.ti", "--svg", "."][..],
        &["topology", "net.txt", "--floor-svg", "."],
        &["trace", "convert", "t.ti", "-o", "."],
        &["export", "net.txt", "--to", "dot", "-o", "."],
    ] {
        folder.refuse(arguments, 2, &["a folder, not a file"]);
    }
    folder.refuse(&["topology", "net.txt", "--floor-svg", "nowhere/x.svg"], 3, &["cannot write into nowhere"]);
}

#[cfg(unix)]
#[test]
fn devices_take_what_they_are_given() {
    let folder = folder();
    folder.command(&["trace", "convert", "t.ti", "-o", "/dev/null"]).assert().success();
    folder.command(&["trace", "info", "t.ti", "--svg", "/dev/null", "--csv", "/dev/null"]).assert().success();
}

/// Limits of a shell are reported like any file error; a temporary file that cannot grow is not needed.
#[cfg(unix)]
#[test]
fn files_may_be_limited() {
    let folder = Folder::new();
    let calls: String = (0..20_000).map(|call| format!("0 compute {call}\n")).collect();
    folder.write("t.ti", format!("0 init\n{calls}0 finalize\n"));
    let limited = |arguments: &str| {
        let script = format!("ulimit -f 64; exec \"$0\" {arguments}");
        let mut command = Command::new("sh");
        command
            .args(["-c", &script, env!("CARGO_BIN_EXE_mopsim")])
            .current_dir(folder.path(""))
            .output()
            .expect("a shell")
    };
    let output = limited("trace convert t.ti -o big.ti");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && said.contains("big.ti"), "{:?}: {said}", output.status);
    assert_eq!(folder.names(), ["t.ti"]);
    assert!(limited("trace info t.ti").status.success());
}

/// With `-o -`, a verb writes the same as to a file, or as without `-o` to standard output.
#[test]
fn a_dash_is_standard_output() {
    let folder = folder();
    let to = |arguments: &[&str], file: &str| {
        folder.command(&[arguments, &["-o", file]].concat()).assert().success().get_output().clone()
    };
    let change = ["trace", "convert", "t.ti"];
    to(&change, "there.ti");
    let said = to(&change, "-");
    assert_eq!(String::from_utf8_lossy(&said.stdout), folder.read("there.ti"));
    assert!(String::from_utf8_lossy(&said.stderr).starts_with("standard output: "), "{said:?}");
    assert_eq!(to(&["trace", "cut", "t.ti", "--ranks", "0-1"], "-").stdout, said.stdout);
    assert_eq!(to(&["trace", "scale", "t.ti", "--compute", "2"], "-").stdout, said.stdout);
    let workload = ["workload", "npb/ep", "--class", "S", "--ranks", "2"];
    to(&workload, "ep.ti");
    assert_eq!(String::from_utf8_lossy(&to(&workload, "-").stdout), folder.read("ep.ti"));
    let export = ["export", "net.txt", "--to", "edges"];
    assert_eq!(String::from_utf8_lossy(&to(&export, "-").stdout), folder.output(&export));
    assert!(folder.names().iter().all(|name| !name.starts_with('-')), "{:?}", folder.names());
    // A file of that name is possible, and does not interfere.
    to(&change, "./-");
    assert_eq!(folder.read("-"), folder.read("there.ti"));
    assert_eq!(to(&change, "-").stdout, said.stdout);
}

#[test]
fn a_dash_is_refused_where_standard_output_is_taken() {
    let folder = folder();
    folder.write("s.toml", "title = 'T'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 't.ti'\n");
    for (arguments, option) in [
        (&["compare", "s.toml", "--json", "-"][..], "--json -"),
        (&["compare", "s.toml", "--html", "-"], "--html -"),
        (&["compare", "s.toml", "--results", "-"], "--results -"),
        (&["compare", "s.toml", "--slurm", "-"], "--slurm -"),
        (&["merge", "s.toml", "r.jsonl", "--csv", "-"], "--csv -"),
        (&["replay", "t.ti", "--topology", "ring:2", "--timeline", "-"], "--timeline -"),
        (&["trace", "info", "t.ti", "--csv", "-"], "--csv -"),
        (&["throughput", "net.txt", "--svg", "-"], "--svg -"),
        (&["topology", "net.txt", "--floor-svg", "-"], "--floor-svg -"),
        (&["export", "net.txt", "--to", "simgrid", "--hostfile", "-"], "--hostfile -"),
        (&["design", "equality", "--n", "16", "--degree", "4", "--state", "-"], "--state -"),
        (&["record", "-o", "-", "--", "true"], "--output -"),
    ] {
        folder.refuse(arguments, 2, &[option, "help: "]);
        assert!(!folder.path("-").exists(), "{arguments:?}");
    }
}

/// `mopsim ... -o - | head`, and a disk that is full.
#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_goes_away_is_no_error_and_a_full_disk_is() {
    let folder = folder();
    let workload = |output: &str| {
        let mut shell = Command::new("sh");
        let run = "\"$0\" -q workload npb/lu --class S --ranks 4 --iterations 50 -o - ";
        shell.current_dir(folder.path("")).args(["-c", &format!("{run}{output}"), env!("CARGO_BIN_EXE_mopsim")]);
        shell.output().expect("sh")
    };
    let gone = workload("2>errors | head -c 100");
    assert_eq!((gone.stdout.len(), folder.read("errors").as_str()), (100, ""));
    let full = workload(">/dev/full");
    assert_eq!(full.status.code(), Some(3), "{full:?}");
    assert!(String::from_utf8_lossy(&full.stderr).contains("cannot write standard output"), "{full:?}");
}
