//! `mopsim replay` as its users see it: results, formats, exit codes.

use crate::support;
use crate::support::cli::{Folder, MESSAGE, assert_80_columns, number};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value;

const RING: [&str; 4] = ["replay", "t.ti", "--topology", "ring:4"];

#[test]
fn the_result_names_the_seed_of_a_random_topology() {
    let folder = Folder::with_trace(MESSAGE);
    let result = folder.json(&["replay", "t.ti", "--topology", "random:n=8,d=3,seed=5"]);
    assert_eq!((&result["topology"], &result["seed"]), (&"random_regular:n=8,d=3,seed=5".into(), &5.into()));
}

#[test]
fn wall_time_is_reported_on_request_only() {
    let folder = Folder::with_trace(MESSAGE);
    assert!(folder.json(&RING).get("simulator").is_none(), "it differs from run to run");
    let timed = folder.json(&[&RING[..], &["--timing"]].concat());
    assert!(number(&timed["simulator"], "wall_seconds") > 0.0);
}

#[test]
fn csv_is_a_heading_and_a_line_with_the_values_of_the_json() {
    let folder = Folder::with_trace(MESSAGE);
    let csv = folder.output(&[&RING[..], &["--format", "csv"]].concat());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 2);
    let values: Vec<&str> = lines[1].split(',').collect();
    let seconds: f64 = values[3].parse().expect("a number");
    // The JSON reader of the test rounds the last bit as it likes.
    assert!(support::relative_difference(seconds, number(&folder.json(&RING), "simulated_seconds")) < 1e-14);
    assert_eq!(values[4..9], ["", "2", "6", "1", "100"]);
}

#[test]
fn operations_come_from_the_side_file() {
    let folder = Folder::with_trace("0 compute 1e9\n");
    folder.write("t.toml", "operations = 5e8\n");
    let result = folder.json(&RING);
    // A host computes 100 Gflop/s.
    assert!((number(&result, "simulated_seconds") - 0.01).abs() < 1e-12);
    assert!((number(&result, "mops") - 5e4).abs() < 1e-6);
    folder.write("t.toml", "operatons = 5e8\n");
    folder.refuse(&RING, 2, &["t.toml:1:1:", "operatons", "`operations`"]);
}

#[test]
fn diagnostics_go_to_standard_error_and_can_be_left_out() {
    let folder = Folder::with_trace(MESSAGE);
    folder.run(&RING).success().stderr(contains("6 actions in"));
    folder.run(&[&RING[..], &["--quiet"]].concat()).success().stderr(is_empty());
}

#[test]
fn a_trace_comes_from_standard_input_too() {
    let folder = Folder::new();
    let arguments = ["replay", "-", "--topology", "ring:4", "--format", "csv"];
    folder.command(&arguments).write_stdin(MESSAGE).assert().success().stdout(contains("\nstdin,ring:n=4,"));
    let packed = zstd::encode_all(MESSAGE.as_bytes(), 1).expect("packed");
    folder.command(&arguments).write_stdin(packed).assert().success().stdout(contains("\nstdin,ring:n=4,"));
    folder.command(&arguments).write_stdin("").assert().code(2).stderr(contains("standard input: the trace is empty"));
}

#[test]
fn a_list_names_one_file_for_each_rank() {
    let folder = Folder::with_trace(MESSAGE);
    let rank = |rank: char| MESSAGE.lines().filter(move |l| l.starts_with(rank)).map(|l| format!("{l}\n"));
    folder.write("per/r0.ti", rank('0').collect::<String>());
    folder.write("per/r1.ti", rank('1').collect::<String>());
    folder.write("per/list", "r0.ti\nr1.ti\n");
    folder.write("per/from_here", "per/r0.ti\nper/r1.ti\n");
    folder.write("per/bad", "r0.ti\nr7.ti\n");
    let merged = number(&folder.json(&RING), "simulated_seconds");
    let listed = folder.json(&["replay", "per/list", "--topology", "ring:4"]);
    assert_eq!(number(&listed, "simulated_seconds"), merged);
    assert_eq!(listed["actions"], 6);
    // Paths may also be relative to the current directory.
    let from_here = folder.json(&["replay", "per/from_here", "--topology", "ring:4"]);
    assert_eq!((number(&from_here, "simulated_seconds"), &from_here["actions"]), (merged, &6.into()));
    folder.refuse(&["replay", "per/bad", "--topology", "ring:4"], 3, &["per/bad:2:", "cannot be opened", "`r7.ti`"]);
}

#[test]
fn ranks_are_placed_as_asked() {
    let folder = Folder::with_trace("0 compute 1e9\n1 compute 1e9\n2 compute 1e9\n3 compute 1e9\n");
    let seconds = |more: &[&str]| {
        let result = folder.json(&[&["replay", "t.ti", "--topology", "ring:2"], more].concat());
        number(&result, "simulated_seconds")
    };
    // Two ranks share each core.
    for rule in ["block", "round-robin", "random"] {
        assert!((seconds(&["--mapping", rule, "--seed", "3"]) - 0.02).abs() < 1e-9, "{rule}");
    }
    folder.write("hosts", "h0:3\nh1\n");
    assert!((seconds(&["--hostfile", "hosts"]) - 0.03).abs() < 1e-9);
    folder.write("hosts", "h0\nh7\n");
    let ring = ["replay", "t.ti", "--topology", "ring:2"];
    folder.refuse(&[&ring[..], &["--hostfile", "hosts"]].concat(), 2, &["hosts:2:1:", "no host `h7`", "`h0` to `h1`"]);
    folder.refuse(&ring, 2, &["4 ranks do not fit on 2 hosts", "--mapping block", "--hostfile FILE"]);
    folder.refuse(&[&ring[..], &["--mapping", "blok"]].concat(), 2, &["`blok`", "did you mean `block`?"]);
}

#[test]
fn a_rank_file_places_every_rank_once() {
    let folder = Folder::with_trace("0 compute 1e9\n1 compute 1e9\n2 compute 1e9\n");
    let run = ["replay", "t.ti", "--topology", "ring:4", "--rankfile", "ranks"];
    folder.write("ranks", "rank 1=h3 slot=0\nrank 0=h2 slot=0\n2 h3\n");
    let result = folder.json(&run);
    assert!((number(&result, "simulated_seconds") - 0.02).abs() < 1e-9);
    assert_eq!(result["mapping"], "rank file (3 ranks)");
    assert!(folder.output(&run).contains("mapping rank file (3 ranks)."));
    for (text, parts) in [
        ("0 h0\n1 h1\n", ["the rank file places 2 ranks, but there are 3", "every rank from 0 to 2"]),
        ("0 h0\n1 h1\n1 h2\n", ["ranks:3:1: rank 1 has a host already, in line 2", "one line"]),
        ("0 h0\n2 h1\n", ["ranks:2:1: rank 2 is placed, but rank 1 is not", "add a line for rank 1"]),
        ("0 h0\n1 h9\n2 h0\n", ["ranks:2:1:", "no host `h9`"]),
    ] {
        folder.write("ranks", text);
        folder.refuse(&run, 2, &parts);
    }
    folder.refuse(&[&run[..5], &["nope"]].concat(), 3, &["nope"]);
    folder.refuse(&[&run[..], &["--mapping", "block"]].concat(), 2, &["--mapping"]);
    folder.refuse(&[&run[..], &["--hostfile", "ranks"]].concat(), 2, &["--hostfile"]);
}

#[test]
fn blocks_fill_the_cores_of_a_host_first() {
    // Rank 0 sends to rank 1: within a host with two cores, between hosts with one.
    let folder = Folder::with_trace(MESSAGE).pinned();
    let messages_on_links = |cores: &str| {
        let arguments = ["replay", "t.ti", "--topology", "ring:4", "--mapping", "block", "--cores", cores];
        folder.json(&arguments)["busiest_links"].as_array().expect("a list").len()
    };
    assert_eq!((messages_on_links("1"), messages_on_links("2")), (1, 0));
}

#[test]
fn a_random_mapping_depends_on_its_seed_only() {
    // Rank 0 to rank 1 on a long ring: the time shows their distance.
    let folder = Folder::with_trace(&(2..40).fold(MESSAGE.to_owned(), |text, rank| text + &format!("{rank} init\n")));
    let seconds = |seed: &str| {
        let arguments = ["replay", "t.ti", "--topology", "ring:40", "--mapping", "random", "--seed", seed];
        number(&folder.json(&arguments), "simulated_seconds").to_bits()
    };
    assert_eq!(seconds("1"), seconds("1"));
    assert!((2..8).any(|seed| seconds(&seed.to_string()) != seconds("1")));
}

#[test]
fn a_platform_in_toml_is_its_topology_with_parameters() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write(
        "p.toml",
        "topology = 'ring:4'\nrouting = 'dimension-order'\n[parameters]\nlink_latency = '1 us'\nduplex = 'full'\n",
    );
    let by_file = folder.json(&["replay", "t.ti", "--platform", "p.toml"]);
    let by_flag = folder.json(&[&RING[..], &["--link-latency", "1us"]].concat());
    assert_eq!(by_file, by_flag);
    assert!(number(&by_file, "simulated_seconds") > 1e-6);
    // A flag overrides the file.
    let both = folder.json(&["replay", "t.ti", "--platform", "p.toml", "--link-latency", "0 ns"]);
    assert_eq!(both, folder.json(&RING));
    folder.write("p.toml", "topology = 'ring:4'\n[parameters]\nlink_latncy = 1\n");
    folder.refuse(&["replay", "t.ti", "--platform", "p.toml"], 2, &["p.toml:3:1:", "did you mean `link_latency`?"]);
}

#[test]
fn an_explicit_platform_gives_the_time_of_its_topology() {
    let folder = Folder::with_trace(MESSAGE).pinned();
    let platform = support::data().join("corpus/torus-16-A.json.zst");
    let platform = platform.to_str().expect("a path");
    let explicit = folder.json(&["replay", "t.ti", "--platform", platform]);
    let built = folder.json(&["replay", "t.ti", "--topology", "torus:4x4"]);
    assert_eq!(number(&explicit, "simulated_seconds"), number(&built, "simulated_seconds"));
    assert_eq!(explicit["topology"], "torus-16-A");
    let flag = ["replay", "t.ti", "--platform", platform, "--link-latency", "1ns"];
    folder.refuse(&flag, 2, &["does not go with platform file"]);
}

#[test]
fn sendrecv_between_two_ranks_is_a_message_each_way() {
    let folder = Folder::with_trace("0 sendRecv 5 1 7 1 6 6\n1 sendRecv 7 0 5 0 6 6\n");
    let result = folder.json(&RING);
    assert_eq!((&result["messages"], &result["bytes"]), (&2.into(), &12.into()));
}

#[test]
fn unmatched_sends_are_a_failure_that_still_has_a_result() {
    let folder = Folder::with_trace("0 isend 1 7 50 6\n1 compute 5\n");
    let failure = contains("1 message was sent and never received, the first from rank 0 to rank 1 with tag 7")
        .and(contains("help: "));
    folder.run(&RING).code(1).stdout(contains("simulated time")).stderr(failure);
    // Roots that differ would leave messages of the collective behind; its inner tags mean nothing to the user.
    let parts = ["bcast, root 0, on rank", "bcast, root 1, on rank", "help: "];
    Folder::with_trace("0 bcast 5 0 6\n1 bcast 5 1 6\n").refuse(&RING, 1, &parts);
}

#[test]
fn a_deadlock_names_ranks_places_and_partners() {
    let text = "0 init\n1 init\n0 recv 1 4 50 6\n1 recv 0 3 5 6\n2 recv 0 9 5 6\n3 compute 1\n";
    let rank_0 = "rank 0, t.ti:3: blocked in recv\n    waits for a message from rank 1 with tag 4; \
                  that rank is at t.ti:4";
    let rank_2 = "rank 2, t.ti:5: blocked in recv\n    waits for a message from rank 0 with tag 9; \
                  that rank is at t.ti:3";
    Folder::refuse_trace(text, 1, &["deadlock", "3 of 4 ranks", rank_0, rank_2, "help: check that every send"]);
    let ended = "waits for rank 1 to receive its message with tag 7; that rank has ended";
    Folder::refuse_trace("0 send 1 7 5000000 6\n1 compute 5\n", 1, &["1 of 2 ranks", "blocked in send", ended]);
    let barrier = "waits for rank 1 in the same collective";
    Folder::refuse_trace("0 barrier\n1 compute 5\n", 1, &["blocked in barrier", barrier]);
}

#[test]
fn a_receive_smaller_than_the_message_is_refused_where_it_stands() {
    let text = "0 send 1 0 50 6\n1 recv 0 0 5 6\n";
    Folder::refuse_trace(text, 1, &["rank 0 to rank 1 with tag 0", "50 bytes", "room for 5", "rank 1, t.ti:2"]);
}

#[test]
fn waiting_without_a_request_is_refused() {
    Folder::refuse_trace("0 wait 1 0 5\n1 init\n", 1, &["`wait`", "rank 0, t.ti:1"]);
}

#[test]
fn a_reader_of_the_output_may_go_away() {
    let folder = Folder::with_trace(MESSAGE);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_mopsim"))
        .args(["replay", "-", "--topology", "ring:4"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    // The pipe is closed before the program knows its trace, so that it certainly writes into a closed pipe.
    drop(child.stdout.take());
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), MESSAGE.as_bytes()).expect("taken");
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("error"));
    drop(folder);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_io_failure_even_if_nobody_can_be_told() {
    let folder = Folder::with_trace(MESSAGE);
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let path = folder.write("t.ti", MESSAGE);
    let run = |stderr: std::process::Stdio| {
        std::process::Command::new(env!("CARGO_BIN_EXE_mopsim"))
            .args(["replay", path.to_str().expect("a path"), "--topology", "ring:4"])
            .stdout(full())
            .stderr(stderr)
            .status()
            .expect("started")
            .code()
    };
    assert_eq!(run(std::process::Stdio::null()), Some(3));
    assert_eq!(run(full().into()), Some(3));
}

#[test]
fn the_timeline_is_a_json_of_trace_events() {
    let folder = Folder::with_trace(MESSAGE).pinned();
    let plain = folder.output(&RING);
    assert_eq!(folder.output(&[&RING[..], &["--timeline", "out.json"]].concat()), plain);
    let events: Value = serde_json::from_str(&folder.read("out.json")).expect("JSON");
    let events = events["traceEvents"].as_array().expect("a list");
    let of = |phase: &str| events.iter().filter(|e| e["ph"] == phase).collect::<Vec<_>>();
    let names: Vec<&Value> = of("M").iter().map(|e| &e["args"]["name"]).filter(|n| n.is_string()).collect();
    assert_eq!(names, ["t on ring:n=4", "rank 0", "rank 1"]);
    // The message leaves immediately and arrives after 230.035 ns; only the receiver waits for it.
    let slices = of("X");
    assert_eq!(slices.len(), 1);
    assert_eq!((&slices[0]["name"], &slices[0]["tid"]), (&"recv".into(), &1.into()));
    assert_eq!(number(slices[0], "ts"), 0.0);
    assert!((number(slices[0], "dur") - 0.230035).abs() < 1e-6);
    let ends: Vec<&Value> = of("s").into_iter().chain(of("f")).collect();
    assert_eq!((&ends[0]["tid"], &ends[1]["tid"], &ends[0]["id"]), (&0.into(), &1.into(), &ends[1]["id"]));
    let limited = [&RING[..], &["--timeline", "short.json", "--timeline-events", "0"]].concat();
    folder.run(&limited).success().stderr(contains("0 events are in it, and 3 more are left out; --timeline-events"));
    let short: Value = serde_json::from_str(&folder.read("short.json")).expect("JSON");
    assert_eq!(short["traceEvents"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_replay_that_fails_leaves_no_timeline() {
    let folder = Folder::with_trace("0 recv 1 0 100 6\n1 compute 1\n");
    folder.refuse(&[&RING[..], &["--timeline", "out.json"]].concat(), 1, &["deadlock", "rank 0"]);
    assert_eq!(folder.names(), ["t.ti"]);
}

#[test]
fn an_explained_replay_gives_the_same_time_and_a_critical_path_as_long_as_the_run() {
    let data = support::data().join("corpus/is.S.16.ti.zst");
    let folder = Folder::new();
    folder.write("is.ti.zst", std::fs::read(data).expect("test data"));
    let arguments = ["replay", "is.ti.zst", "--topology", "torus:4x4"];
    let (plain, explained) = (folder.json(&arguments), folder.json(&[&arguments[..], &["--explain"]].concat()));
    assert_eq!(plain["simulated_seconds"], explained["simulated_seconds"]);
    assert!(plain.get("critical_path").is_none());
    let path = &explained["critical_path"];
    let parts = ["compute_seconds", "latency_seconds", "bandwidth_seconds"].map(|part| number(path, part));
    let length: f64 = parts.iter().sum();
    assert!(support::relative_difference(length, number(&plain, "simulated_seconds")) < 1e-9);
    let shares = explained["time_shares"].as_object().expect("shares").values().filter_map(Value::as_f64);
    assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9);
    for link in explained["busiest_links"].as_array().expect("a list") {
        // A message takes at most the capacity of the link, so a link that is ever full is full for longer than its
        // load suggests.
        let [full, limiting] = ["saturated", "limiting"].map(|share| number(link, share));
        assert!((0.0..=1.0).contains(&full) && limiting <= full, "{link}");
    }
    let text = folder.output(&[&arguments[..], &["--explain"]].concat());
    assert!(text.contains("Critical path: compute") && text.contains("full |"), "{text}");
    // SimGrid's sharing does not report the states of links, and the reader learns that.
    let missing = "SimGrid's rules of sharing do not report for how long links are full";
    let lazy = folder.output(&[&arguments[..], &["--explain", "--compat", "simgrid"]].concat());
    assert!(lazy.contains(missing) && !lazy.contains("full |") && !text.contains(missing), "{lazy}");
    // Where no link is used there is nothing to miss.
    folder.write("alone.ti", "0 init\n0 compute 1e6\n0 finalize\n");
    let alone = folder.output(&["replay", "alone.ti", "--topology", "ring:4", "--explain"]);
    assert!(alone.contains("Critical path: compute") && !alone.contains(missing), "{alone}");
    assert_80_columns(&text);
}

/// A result is meaningless without the speeds that it assumes.
#[test]
fn every_format_states_the_platform() {
    let folder = Folder::with_trace(MESSAGE).pinned();
    let speeds = ["--link-bandwidth", "1 Gbit/s", "--host-speed", "5Gf", "--link-latency", "3us", "--cores", "2"];
    let arguments = [&RING[..], &["--routing", "dimension-order"], &speeds].concat();
    for format in ["text", "markdown"] {
        let text = folder.output(&[&arguments[..], &["--format", format]].concat()).replace("\n       ", " ");
        let platform = "Platform: links 1 Gbit/s, 3 us; switches 0 s; cables 0 s per metre; host links none (hosts on \
                        one switch communicate as within a host); within a host 80 Gbit/s, 0 s; 2 cores per host, 5 \
                        Gflop/s per core; defaults 0.1.";
        assert!(text.contains(platform), "{text}");
    }
    let json = folder.json(&arguments);
    let stated = &json["speeds"];
    assert_eq!((&stated["link_bandwidth"], &stated["link_latency"]), (&1.25e8.into(), &3e-6.into()));
    assert_eq!((&stated["core_flops"], &stated["cores"]), (&5e9.into(), &2.0.into()));
    let csv = folder.output(&[&arguments[..], &["--format", "csv"]].concat());
    assert!(csv.contains("duplex,routing,link_bandwidth,link_latency,core_flops"), "{csv}");
    assert!(csv.contains("full,dimension_order,125000000,0.000003,5000000000"), "{csv}");
    // Links that differ have a range; those of hosts are listed separately.
    folder.write(
        "e.json",
        r#"{"switches": 2, "hosts": [0, 1], "host_flops": [1e9, 2e9], "arcs": [[0,1,1e9,1e-6], [1,0,2e9,2e-6]],
            "routes": {"0-1": [0], "1-0": [1]}}"#,
    );
    let json = folder.json(&["replay", "t.ti", "--platform", "e.json"]);
    assert_eq!(json["speeds"]["link_bandwidth"], serde_json::json!([1e9, 2e9]));
    let text = folder.output(&["replay", "t.ti", "--platform", "e.json"]).replace("\n       ", " ");
    assert!(
        text.contains("Platform: links 8 Gbit/s to 16 Gbit/s, 1 us to 2 us; 1 Gflop/s to 2 Gflop/s per core."),
        "{text}"
    );
    let text = folder.output(&[&RING[..], &["--host-link-bandwidth", "10 Gbit/s"]].concat()).replace("\n       ", " ");
    assert!(text.contains("host links 10 Gbit/s, 100 ns;"), "{text}");
}

#[test]
fn a_platform_file_that_is_wrong_is_named() {
    let folder = Folder::with_trace(MESSAGE).pinned();
    for (content, place, part) in [
        ("", "platform file `p.toml`: ", "write one of the keys"),
        ("\ntopology = 'rung:4'\n", "p.toml:2:12: ", "did you mean `ring`"),
        ("topology = 'ring:4'\nrouting = 'foo'\n", "p.toml:2:11: ", "`foo`"),
        ("topology = 'ring:4'\nparameters = { cores = 0 }\n", "p.toml:2:24: ", "cores"),
        ("topology = 'ring:4'\n[parameters]\n\nhost_link_latency = '1us'\n", "p.toml:4:21: ", "no link of its own"),
        ("topology = 'ring:4'\nplatform = 'p.json'\n", "p.toml:2:12: ", "both are given"),
        ("name = 'x'\nplatform = 'q.toml'\n", "p.toml:2:12: ", "names another one"),
    ] {
        folder.write("p.toml", content);
        folder.refuse(&["replay", "t.ti", "--platform", "p.toml"], 2, &[place, part]);
    }
    // A mistake of the command line is not one of the file.
    folder.write("p.toml", "topology = 'ring:4'\n");
    let refused = folder.run(&["replay", "t.ti", "--platform", "p.toml", "--routing", "foo"]).code(2);
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(error.contains("`foo`") && !error.contains("p.toml"), "{error}");
    folder.write("p.toml", "topology = 'none.txt'\n");
    folder.refuse(&["replay", "t.ti", "--platform", "p.toml"], 3, &["p.toml:1:12: ", "none.txt"]);
}

/// A host that is slower than its links leaves the rest of a cable to other hosts; a bandwidth factor leaves nothing.
#[test]
fn a_rate_bound_leaves_the_rest_of_a_link() {
    let message = |from: u32| {
        let to = from + 2;
        format!("{from} send {to} 0 100000000 6\n{to} recv {from} 0 100000000 6\n")
    };
    let ranks = "0 init\n1 init\n2 init\n3 init\n";
    let folder = Folder::with_trace(&[ranks, &message(0), &message(1)].concat());
    folder.write("one.ti", [ranks, &message(0)].concat());
    folder.write("bound.toml", "network_model = 'ideal'\nrate_bound = '0:0.5;200000000:1'\n");
    folder.write("factor.toml", "network_model = 'ideal'\nbandwidth_factor = '0:0.5;200000000:1'\n");
    folder.write("both.toml", "network_model = 'ideal'\nrate_bound = 0.4\nbandwidth_factor = 0.8\n");
    folder.write("above.toml", "network_model = 'ideal'\nrate_bound = 0.9\nbandwidth_factor = 0.5\n");
    for sharing in ["exact", "within:1%", "proportional", "simgrid-full", "simgrid-lazy"] {
        let seconds = |trace: &str, model: &str| {
            let network = ["--topology", "mesh:2", "--hosts-per-switch", "2", "--link-bandwidth", "1 GB/s"];
            let exact = ["--link-latency", "0 s", "--switch-delay", "0 s", "--sharing", sharing, "-q"];
            let model = ["--model", model];
            number(&folder.json(&[&["replay", trace], &network[..], &exact, &model].concat()), "simulated_seconds")
        };
        for (trace, model, expected) in [
            ("one.ti", "bound.toml", 0.2),
            ("t.ti", "bound.toml", 0.2),
            ("one.ti", "factor.toml", 0.2),
            ("t.ti", "factor.toml", 0.4),
            ("one.ti", "both.toml", 0.25),
            ("t.ti", "both.toml", 0.25),
            ("one.ti", "above.toml", 0.2),
        ] {
            let found = seconds(trace, model);
            assert!((found / expected - 1.0).abs() < 1e-6, "{sharing}, {trace}, {model}: {found}");
        }
    }
    // A window limits the flow to 200 MB/s, whatever part of the bandwidth it may have.
    folder.write("window.toml", "network_model = 'ideal'\nrate_bound = 0.5\ntcp_gamma = 2000000\n");
    let slow =
        ["--topology", "mesh:2", "--hosts-per-switch", "2", "--link-bandwidth", "1 GB/s", "--link-latency", "5 ms"];
    let slow = [&["replay", "one.ti", "--switch-delay", "0 s", "-q", "--host-link-latency", "0 s"], &slow[..]].concat();
    let window = number(&folder.json(&[&slow[..], &["--model", "window.toml"]].concat()), "simulated_seconds");
    assert!((window - 0.505).abs() < 1e-3, "{window}");
    folder.write("zero.toml", "rate_bound = '0:0'\n");
    folder.refuse(
        &["replay", "t.ti", "--topology", "ring:4", "--model", "zero.toml"],
        2,
        &["rate-bound", "never arrive"],
    );
}

/// Constants of the model come from the file of `--model`, from a platform in TOML, from the settings of a SimGrid
/// platform, and flags override all of them.
#[test]
fn constants_of_the_model_come_from_files() {
    let folder = Folder::with_trace(MESSAGE).pinned();
    folder.write("m.toml", "network_model = 'cm02'\nlatency_factor = '10'\nsend_overhead = '0:1:0'\n");
    folder.write("p.toml", "topology = 'ring:2'\n[model]\nlatency_factor = '10'\nnetwork_model = 'cm02'\n");
    let xml = |settings: &str| {
        format!(
            "<platform version='4.1'><config>{settings}</config><zone id='z' routing='Full'><host id='a' speed='1f'/>\
             <host id='b' speed='1f'/><link id='l' bandwidth='1GBps' latency='1s'/>\
             <route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>"
        )
    };
    folder.write("p.xml", xml("<prop id='smpi/lat-factor' value='0:10'/><prop id='tracing' value='yes'/>"));
    let seconds = |flags: &[&str]| {
        let result = folder.json(&[&["replay", "t.ti", "-q"], flags].concat());
        (number(&result, "simulated_seconds"), result["model"].clone())
    };
    let ring = ["--topology", "ring:2", "--link-latency", "1s"];
    let (plain, _) = seconds(&[&ring[..], &["--model", "cm02"]].concat());
    // The rate is that of the TCP window either way; the latency is ten times as long, and the send takes a second.
    let (slow, model) = seconds(&[&ring[..], &["--model", "m.toml"]].concat());
    assert!((slow - plain - 10.0).abs() < 1e-9, "{plain} {slow}");
    assert_eq!((&model["network_model"], &model["parameters"]["latency-factor"]), (&"cm02".into(), &"10".into()));
    let flags = ["--platform", "p.toml", "--link-latency", "1s"];
    assert!((seconds(&flags).0 - plain - 9.0).abs() < 1e-9);
    folder.write("one.toml", "latency_factor = '1'\n");
    assert_eq!(seconds(&[&flags[..], &["--model", "one.toml"]].concat()).0, plain);
    // SimGrid's settings, which our flag overrides.
    let (xml_slow, model) = seconds(&["--platform", "p.xml"]);
    assert_eq!(model["parameters"]["latency-factor"], "0:10");
    let (xml_one, _) = seconds(&["--platform", "p.xml", "--model", "one.toml"]);
    assert!(xml_slow - xml_one > 8.0, "{xml_slow} {xml_one}");
    let said = folder.run(&["replay", "t.ti", "--platform", "p.xml"]).success();
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(said.contains("settings without effect on a replay: tracing"), "{said}");
    folder.write("bad.xml", xml("\n<prop id='network/model' value='IB'/>"));
    folder.refuse(
        &["replay", "t.ti", "--platform", "bad.xml"],
        2,
        &["bad.xml:2:7:", "`network/model`", "SMPI, LV08 and CM02"],
    );
    folder.write("bad.toml", "latency_factr = '1'\n");
    folder.refuse(
        &[&["replay", "t.ti", "--model", "bad.toml"], &ring[..]].concat(),
        2,
        &["bad.toml:1:1", "latency_factr"],
    );
    folder.refuse(&[&["replay", "t.ti", "--model", "none.toml"], &ring[..]].concat(), 3, &["none.toml"]);
    folder.write("zero.toml", "bandwidth_factor = '0:0'\n");
    folder.refuse(
        &[&["replay", "t.ti", "--model", "zero.toml"], &ring[..]].concat(),
        2,
        &["bandwidth-factor", "never arrive"],
    );
}
