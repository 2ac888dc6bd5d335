//! `mopsim export` as a user runs it.

use crate::support::cli::{Folder, MESSAGE, assert_80_columns, number};

#[test]
fn an_exported_platform_replays_as_the_topology_does() {
    let folder = Folder::with_trace(MESSAGE);
    for network in [
        vec!["--topology", "imase-itoh:n=8,d=2"],
        vec!["--topology", "torus:3x3", "--duplex", "shared", "--hosts-per-switch", "2"],
        vec!["--topology", "mesh:2x2", "--host-link-bandwidth", "7 GB/s", "--link-latency", "123 ns", "--cores", "2"],
    ] {
        let export = [
            &["export", network[1], "--to", "simgrid", "-o", "p.xml", "--hostfile", "h.txt", "--force"],
            &network[2..],
        ];
        assert_eq!(folder.output(&export.concat()), "");
        let ours = folder.json(&[&["replay", "t.ti"], &network[..]].concat());
        let read = folder.json(&["replay", "t.ti", "--platform", "p.xml", "--hostfile", "h.txt"]);
        for member in ["simulated_seconds", "messages", "bytes"] {
            assert_eq!(number(&ours, member).to_bits(), number(&read, member).to_bits(), "{network:?}: {member}");
        }
    }
}

#[test]
fn graphs_come_back_with_the_same_digest() {
    let folder = Folder::new();
    for spec in ["torus:4x4", "imase-itoh:n=12,d=3", "star:5"] {
        let digest = |spec: &str| folder.json(&["topology", spec])["edge_sha256"].clone();
        for format in ["graphml", "json", "edges"] {
            let file = format!("g.{format}");
            assert_eq!(folder.output(&["export", spec, "--to", format, "-o", &file, "--force"]), "");
            assert_eq!(digest(&file), digest(spec), "{spec} as {format}");
        }
    }
    assert!(folder.output(&["export", "ring:3", "--to", "dot"]).contains("  0 -- 1;\n"));
    // A graph needs no way between its switches.
    folder.write("apart.edges", "# n=4\n0 1\n");
    assert_eq!(folder.output(&["export", "apart.edges", "--to", "edges"]), "# undirected n=4\n0 1\n");
}

#[test]
fn files_are_replaced_only_when_asked_and_never_half() {
    let folder = Folder::new();
    let file = folder.write("out.xml", "mine");
    folder.refuse(
        &["export", "ring:4", "--to", "simgrid", "-o", "out.xml"],
        2,
        &["out.xml: a file of that name already exists", "--force"],
    );
    folder.refuse(&["export", "ring:5000", "--to", "simgrid", "-o", "out.xml", "--force"], 2, &["5000 hosts", "4096"]);
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "mine");
    let entries = std::fs::read_dir(file.parent().expect("a folder")).expect("listed").count();
    assert_eq!(entries, 1, "only it is there");
    folder.refuse(&["export", "ring:4", "--to", "dot", "-o", "no/such/folder"], 3, &["cannot write"]);
}

#[test]
#[cfg(unix)]
fn links_and_pipes_stay_what_they_are() {
    let folder = Folder::new();
    let real = folder.write("real.txt", "old");
    std::os::unix::fs::symlink(&real, folder.path("link.txt")).expect("a link");
    folder.output(&["export", "ring:4", "--to", "edges", "-o", "link.txt", "--force"]);
    assert!(folder.path("link.txt").is_symlink());
    let expected = folder.output(&["export", "ring:4", "--to", "edges"]);
    assert_eq!(std::fs::read_to_string(&real).expect("the file"), expected);
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).expect("what was written")
    });
    folder.output(&["export", "ring:4", "--to", "edges", "-o", "pipe", "--force"]);
    assert_eq!(reader.join().expect("a reader"), expected);
    assert!(!std::fs::metadata(&pipe).expect("still there").is_file());
}

#[test]
fn what_does_not_fit_is_explained() {
    let folder = Folder::new();
    folder.output(&["export", "ring:4", "--to", "simgrid", "-o", "p.xml"]);
    folder.refuse(&["export", "--platform", "p.xml", "--to", "dot"], 2, &["has no graph of switches", "--to simgrid"]);
    folder.refuse(&["export", "ring:4", "--to", "dot", "--hostfile", "h"], 2, &["which has no hosts"]);
    folder.refuse(&["export", "ring:4", "--to", "simgrid", "--mapping", "block"], 2, &["--mapping"]);
    folder.refuse(&["export", "ring:4"], 2, &["--to"]);
    folder.write("p.toml", "topology = \"ring:5\"\n");
    assert!(folder.output(&["export", "--platform", "p.toml", "--to", "edges"]).starts_with("# undirected n=5\n"));
    assert_eq!(folder.output(&["export", "--platform", "p.xml", "--to", "simgrid"]).matches("<route ").count(), 12);
    assert_80_columns(folder.output(&["export", "--help"]).split("Examples:").nth(1).expect("examples"));
}

#[test]
fn what_was_written_is_told_in_the_format_of_results() {
    let folder = Folder::new();
    let told = folder.json(&["export", "random:n=8,d=3", "--to", "edges", "-o", "g.txt"]);
    assert_eq!(
        (&told["schema"], &told["topology"]),
        (&"mopsim.export/1".into(), &"random_regular:n=8,d=3,seed=1".into())
    );
    assert_eq!((&told["cables"], &told["seed"], &told["directed"]), (&12.into(), &1.into(), &false.into()));
    assert_eq!((&told["to"], &told["file"], &told["n"]), (&"edges".into(), &"g.txt".into(), &8.into()));
    // Two directions of four cables and of four host links, and the loopback.
    let told = folder.json(&["export", "ring:4", "--to", "simgrid", "-o", "p.xml"]);
    assert_eq!((&told["hosts"], &told["links"], &told["file"]), (&4.into(), &17.into(), &"p.xml".into()));
    let bare = ["export", "ring:4", "--to", "simgrid", "-o", "b.xml", "--host-link-bandwidth", "none"];
    assert_eq!(folder.json(&bare)["links"], 9);
    let csv = folder.output(&["export", "ring:4", "--to", "dot", "-o", "g.dot", "--format", "csv"]);
    assert!(csv.starts_with("topology,to,file,") && csv.contains("ring:n=4,dot,g.dot,"), "{csv}");
    folder.refuse(&["export", "ring:4", "--to", "edges", "--format", "json"], 2, &["--format", "-o FILE"]);
    folder.refuse(&["export", "ring:4", "--to", "edges", "--format", "json", "-o", "-"], 2, &["--format", "-o FILE"]);
    // A generated trace is reported as well.
    let told = folder.json(&["workload", "npb/is", "--ranks", "4", "--class", "S", "-o", "is.ti"]);
    assert_eq!((&told["schema"], &told["ranks"]), (&"mopsim.workload/1".into(), &4.into()));
    assert_eq!(folder.output(&["workload", "npb/is", "--ranks", "4", "--class", "S", "-o", "is.ti", "--force"]), "");
}
