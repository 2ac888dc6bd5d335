//! Bad input and bad arguments: every message names the place, the value and the rule, and the exit code distinguishes
//! bad input (2) from file errors (3).

use crate::support::cli::{Folder, MESSAGE};
use std::io::Write;

const RING: [&str; 4] = ["replay", "t.ti", "--topology", "ring:4"];

#[test]
fn unknown_actions_have_a_place_and_the_nearest_name() {
    Folder::refuse_trace("0 init\n0 isned 3 1 1\n", 2, &["t.ti:2:3:", "unknown", "`isned`", "did you mean `isend`?"]);
}

#[test]
fn counts_are_checked() {
    for (text, place, value, rule) in [
        ("0 send 1 0 -5 6\n1 init\n", "t.ti:1:12:", "`-5`", "negative"),
        ("0 send 1 0 2147483648 6\n1 init\n", "t.ti:1:12:", "`2147483648`", "above 2147483647"),
        ("0 send 1 0 99999999999999999999 6\n1 init\n", "t.ti:1:12:", "`99999999999999999999`", "above 2147483647"),
        ("0 compute -5\n", "t.ti:1:11:", "`-5`", "negative"),
        ("0 compute nan\n", "t.ti:1:11:", "`nan`", "not finite"),
        ("0 compute 1e999\n", "t.ti:1:11:", "`1e999`", "not finite"),
        ("0 send 1 0 5 99\n1 init\n", "t.ti:1:14:", "`99`", "not the id of a datatype"),
    ] {
        Folder::refuse_trace(text, 2, &[place, value, rule, "help: "]);
    }
}

#[test]
fn truncated_lines_are_refused() {
    Folder::refuse_trace("0 send 1\n1 init\n", 2, &["t.ti:1:9:", "tag of send is missing", "cut off"]);
    Folder::refuse_trace("0 init\n0 send 1 0 1", 2, &["t.ti:2:", "no line end", "cut off"]);
    Folder::refuse_trace("\u{feff}0 init\n", 2, &["t.ti: ", "byte order mark", "without a mark"]);
}

#[test]
fn ranks_are_checked() {
    Folder::refuse_trace("0 send 7 0 5 6\n1 init\n", 2, &["t.ti:1:8:", "destination", "number of ranks, 2", "`7`"]);
    Folder::refuse_trace("0 bcast 5 9 6\n1 bcast 5 9 6\n", 2, &["t.ti:1:11:", "root", "number of ranks, 2", "`9`"]);
    Folder::refuse_trace("0 init\n2 init\n", 2, &["t.ti:", "rank 1 of 3 has no line"]);
    Folder::refuse_trace("99999999999 init\n", 2, &["t.ti:1:1:", "at most 4194304 ranks"]);
    let folder = Folder::with_trace(MESSAGE);
    folder.refuse(&[&RING[..], &["--ranks", "1"]].concat(), 2, &["t.ti:2:1:", "number of ranks, 1"]);
}

#[test]
fn count_vectors_of_the_wrong_length_are_refused() {
    let short = "0 alltoallv 5 1\n1 alltoallv 5 1 2 5 1 2\n";
    Folder::refuse_trace(short, 2, &["t.ti:1:16:", "send count of each rank of alltoallv is missing"]);
    let long = "0 alltoallv 5 1 2 5 1 2\n1 alltoallv 9 1 2 3 9 1 2 3 6 6\n";
    Folder::refuse_trace(
        long,
        2,
        &["t.ti:2:29:", "more arguments than it takes with 2 ranks", "one count for each rank"],
    );
    // Counts of 12 ranks, read as if there were 2, would soon be an unknown datatype or a root beyond all ranks.
    let counts = ["100"; 12].join(" ");
    let rank = |action: &str| (0..12).map(|rank| format!("{rank} {action}\n")).collect::<String>();
    for (action, surplus) in [
        (format!("alltoallv 9 {counts} 9 {counts}"), 9),
        (format!("gatherv 9 {counts} 0 6 6"), 7),
        (format!("scatterv {counts} 9 0 6 6"), 7),
        (format!("reducescatter {counts} 0 6"), 5),
    ] {
        let name = action.split(' ').next().unwrap_or_default();
        let column = 3 + action.match_indices(' ').nth(surplus - 1).map_or(0, |blank| blank.0 + 1);
        let folder = Folder::with_trace(&rank(&action));
        folder.refuse(
            &[&RING[..], &["--ranks", "2"]].concat(),
            2,
            &[&format!("t.ti:1:{column}:"), &format!("{name} has more arguments than it takes with 2 ranks")],
        );
    }
}

#[test]
fn files_that_are_no_traces_are_refused() {
    Folder::refuse_trace("", 2, &["t.ti: the trace is empty"]);
    Folder::refuse_trace("\n\n", 2, &["t.ti: the trace is empty"]);
    let folder = Folder::new();
    folder.write("t.ti", [0x7f, b'E', b'L', b'F', 0, 1, 2, 0xff, b'\n']);
    folder.refuse(&RING, 2, &["t.ti:1:1: this is not text"]);
}

#[test]
fn files_that_cannot_be_read_are_io_failures() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("folder.d/x", "");
    let cases: [&[&str]; 8] = [
        &["replay", "nope.ti", "--topology", "ring:4"],
        &["replay", "t.ti", "--topology", "nope.json"],
        &["replay", "t.ti", "--platform", "nope.json"],
        &["replay", "t.ti", "--platform", "nope.toml"],
        &["replay", "t.ti", "--platform", "folder.d"],
        &["replay", "t.ti", "--topology", "ring:4", "--hostfile", "nope"],
        &["compare", "nope.toml"],
        &["compare", "folder.d"],
    ];
    for arguments in cases {
        let name = arguments.iter().find(|a| a.starts_with("nope") || a.starts_with("folder")).expect("a name");
        folder.refuse(arguments, 3, &["error: ", name, "help: check the "]);
    }
    let of_ranks = ["folder.d: this is a folder", "help: give a file in it", "write a list of these files"];
    folder.refuse(&["replay", "folder.d", "--topology", "ring:4"], 3, &of_ranks);
}

#[test]
fn damaged_archives_are_refused() {
    // Noise between the lines, so that the packed text is long enough to be cut in the middle.
    let text: String = (0..5000u64).map(|i| format!("0 compute {}\n", i * i * 2_654_435_761 % 1_000_003)).collect();
    let zstd = zstd::encode_all(text.as_bytes(), 1).expect("packed");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("packed");
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).expect("an encoder");
    xz.write_all(text.as_bytes()).expect("packed");
    let folder = Folder::new();
    let packed = [("zstd", zstd), ("gzip", gzip.finish().expect("packed")), ("xz", xz.finish().expect("packed"))];
    for (format, whole) in packed {
        folder.write("t.ti", &whole);
        folder.run(&RING).success();
        folder.write("t.ti", &whole[..whole.len() / 2]);
        folder.refuse(&RING, 2, &[&format!("t.ti: the {format} data are damaged, cut off"), "help: "]);
    }
}

#[test]
fn archives_made_to_exhaust_the_reader_end_early() {
    let folder = Folder::new();
    // 4 GiB of text, as one line without end and as lines without end. Frames may follow each other, so that a small
    // one is packed once.
    let bomb = |text: String| zstd::encode_all(text.as_bytes(), 1).expect("packed").repeat(342);
    folder.write("t.ti", bomb("0".repeat(12 << 20)));
    folder.refuse(&RING, 2, &["t.ti:1:1: the line is longer than"]);
    folder.write("t.ti", bomb("0 compute 1\n".repeat(1 << 20)));
    folder.refuse(&RING, 2, &["t.ti: ", "unpack to more than 1000 times their size", "unpack it first"]);
    let limited = [&RING[..], &["--max-unpacked-bytes", "1000"]].concat();
    folder.refuse(&limited, 2, &["unpacks to more than 1000 bytes", "--max-unpacked-bytes"]);
}

#[test]
fn a_line_of_100_megabytes_is_refused() {
    let folder = Folder::new();
    folder.write("t.ti", ["0 compute ".as_bytes(), &vec![b'1'; 100_000_000], b"\n"].concat());
    folder.refuse(&RING, 2, &["t.ti:1:1:", "longer than", "`0 compute 1..."]);
}

#[test]
fn very_deep_files_are_refused() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("a.json", "[".repeat(1_000_000));
    folder.write("b.json", "{\"n\":".repeat(1_000_000));
    folder.write("a.xml", format!("<platform version='4.1'>{}", "<zone id='a' routing='Full'>".repeat(100_000)));
    folder.write("a.toml", format!("title = {}", "[".repeat(1_000_000)));
    for file in ["a.json", "b.json", "a.xml", "a.toml"] {
        folder.refuse(&["replay", "t.ti", "--platform", file], 2, &[&format!("{file}:1:")]);
    }
    folder.refuse(&["topology", "a.json"], 2, &["a.json:1:", "help: a graph is"]);
    folder.refuse(&["topology", "b.json"], 2, &["b.json:1:"]);
    folder.refuse(&["compare", "a.toml"], 2, &["a.toml:1:"]);
}

#[test]
fn disconnected_topologies_are_refused() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("edges.txt", "0 1\n1 2\n4 5\n");
    let arguments = ["replay", "t.ti", "--topology", "edges.txt"];
    folder.refuse(&arguments, 2, &["edges.txt", "disconnected", "switch 0", "switch 3", "help: add cables"]);
}

#[test]
fn platform_values_are_checked_in_flags_and_files_alike() {
    let folder = Folder::with_trace(MESSAGE).pinned();
    for (option, value, rule) in [
        ("link-bandwidth", "40Gb", "there is no unit `Gb`"),
        ("link-bandwidth", "nan", "not a bandwidth"),
        ("link-bandwidth", "-4 Gbit/s", "must be between 1e-6 and 1e30"),
        ("link-bandwidth", "0", "must be between 1e-6 and 1e30"),
        ("link-latency", "100 mm", "there is no unit `mm`"),
        ("link-latency", "-1ns", "zero or more"),
        ("link-latency", "inf", "not a time"),
        ("host-speed", "100 GHz", "there is no unit `GHz`"),
    ] {
        let flag = format!("--{option}");
        folder.refuse(&[&RING[..], &[&flag, value]].concat(), 2, &[&flag, &format!("`{value}`"), rule]);
        let key = option.replace('-', "_");
        folder.write("p.toml", format!("topology = 'ring:4'\n[parameters]\n{key} = '{value}'\n"));
        let place = format!("p.toml:3:{}:", key.len() + 4);
        folder.refuse(&["replay", "t.ti", "--platform", "p.toml"], 2, &[&place, &format!("`{value}`"), rule]);
    }
    folder.write("p.toml", "topology = 'ring:4'\n[parameters]\nlink_bandwidth = nan\n");
    folder.refuse(&["replay", "t.ti", "--platform", "p.toml"], 2, &["p.toml:3:18:", "`NaN`"]);
    let cases: [(&[&str], &str); 5] = [
        (&["--hosts-per-switch", "0"], "at least one host"),
        (&["--hosts-per-switch", "4000000000"], "at most 16777216 hosts"),
        (&["--cores", "0"], "at least one core"),
        (&["--host-link-latency", "5ns"], "without `host_link_bandwidth`"),
        (&["--timing-precision", "-1"], "from 0 to 0.001"),
    ];
    for (flags, rule) in cases {
        folder.refuse(&[&RING[..], flags].concat(), 2, &[rule, "help: "]);
    }
}

#[test]
fn names_that_do_not_exist_are_answered_with_the_nearest() {
    let folder = Folder::with_trace(MESSAGE);
    for (flag, value, wrong, nearest) in [
        ("--topology", "tours:4x4", "`tours`", "`torus`"),
        ("--topology", "random:n=8,deg=3", "`deg`", "`d`"),
        ("--routing", "bsf", "`bsf`", "did you mean `bfs`?"),
        ("--duplex", "ful", "`ful`", "`full`"),
        ("--model", "smp", "`smp`", "`smpi`"),
        ("--network-model", "smp", "`smp`", "`smpi`"),
        ("--collectives", "mvapich", "`mvapich`", "`mvapich2`"),
        ("--collective", "alltoal=bruck", "`alltoal`", "`alltoall`"),
        ("--collective", "alltoall=bruk", "\"bruk\"", "\"bruck\""),
        ("--sharing", "exakt", "`exakt`", "`exact`"),
        ("--crosstraffic", "maybe", "'maybe'", "write on, off, or a share such as 0.03"),
        ("--format", "xml", "'xml'", "possible values: text, json, csv"),
    ] {
        let topology: &[&str] = if flag == "--topology" { &[] } else { &["--topology", "ring:4"] };
        let arguments = [&["replay", "t.ti", flag, value], topology].concat();
        folder.refuse(&arguments, 2, &[wrong, nearest]);
    }
    folder.refuse(&[&RING[..], &["--hostfil", "x"]].concat(), 2, &["--hostfil", "--hostfile"]);
}

#[test]
fn values_of_a_model_are_refused_in_words() {
    let folder = Folder::with_trace(MESSAGE);
    for (text, part) in [
        ("detached_below = '64KiB'", "m.toml:1:18: `64KiB` is text; write a whole number without quotes and unit"),
        ("envelope = -1", "m.toml:1:12: `-1` is out of range; write a whole number, 0 or more"),
        ("rendezvous_trips = 256", "m.toml:1:20: `256` is out of range; write a whole number, from 0 to 255"),
        ("network_model = 3", "m.toml:1:17: `3` is not accepted here; write text in quotes"),
        ("crosstraffic = 1e308", "crosstraffic: `1e308` is not a share"),
        ("weight_s = 1e300", "weight-s: `1e300` is not between"),
        ("timing_precision = -1e300", "timing-precision: `-1e300` is not a number of seconds from 0"),
    ] {
        folder.write("m.toml", text);
        folder.refuse(&[&RING[..], &["--model", "m.toml"]].concat(), 2, &[part]);
    }
}

#[test]
fn an_algorithm_is_given_once() {
    let folder = Folder::with_trace(MESSAGE);
    let twice = ["--collective", "alltoall=bruck", "--collective", "alltoall=ring"];
    folder.refuse(&[&RING[..], &twice].concat(), 2, &["--collective alltoall is there twice", "`bruck` and `ring`"]);
}

#[test]
fn a_network_is_needed_once() {
    let folder = Folder::with_trace(MESSAGE);
    folder.refuse(&["replay", "t.ti"], 2, &["neither is given", "--topology SPEC or --platform FILE"]);
    folder.refuse(&[&RING[..], &["--platform", "p.xml"]].concat(), 2, &["--topology", "--platform", "cannot be used"]);
}
