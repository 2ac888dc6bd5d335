//! `mopsim compare` as its users see it: results, formats, bad studies.

use crate::support;
use crate::support::cli::{Folder, MESSAGE, assert_80_columns, number};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

/// Two real traces over networks that differ, the baseline in the middle; file names are relative to the study.
fn real_study() -> Folder {
    let folder = Folder::new();
    for trace in ["is.S.16", "lu.S.4.it5"] {
        let file = format!("{trace}.ti.zst");
        let content = std::fs::read(support::data().join("corpus").join(&file)).expect("test data");
        folder.write(&format!("traces/{file}"), content);
    }
    folder.write("traces/is.S.16.toml", "operations = 1e6\n");
    folder.write("traces/edges.txt", (0..16).map(|i| format!("{i} {}\n", (i + 1) % 16)).collect::<String>());
    folder.write(
        "studies/s.toml",
        "title = 'Two traces'
         baseline = 'full mesh'
         [[networks]]
         topology = 'torus:4x4'
         parameters = { duplex = 'shared' }
         [[networks]]
         name = 'full mesh'
         topology = 'full_mesh:16'
         [[networks]]
         topology = 'random_directed:n=16,d=3,seed=2'
         [[networks]]
         name = 'ring'
         topology = '../traces/edges.txt'
         [[workloads]]
         trace = '../traces/is.S.16.ti.zst'
         [[workloads]]
         name = 'LU'
         trace = '../traces/lu.S.4.it5.ti.zst'
        ",
    );
    folder
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let folder = real_study();
    for format in ["text", "json", "csv"] {
        let run = |threads| folder.output(&["compare", "studies/s.toml", "--format", format, "--threads", threads]);
        let one = run("1");
        assert!(!one.is_empty());
        assert_eq!(one, run("2"), "{format}");
    }
}

#[test]
fn relative_values_and_means_are_right() {
    let result = real_study().json(&["compare", "studies/s.toml"]);
    let cells = result["cells"].as_array().expect("a list");
    assert_eq!(cells.len(), 8);
    for row in cells.chunks(4) {
        let baseline = row.iter().find(|c| c["topology"] == "full mesh").expect("a cell");
        assert_eq!(number(baseline, "relative"), 1.0);
        for cell in row {
            let ratio = number(baseline, "simulated_seconds") / number(cell, "simulated_seconds");
            assert!(support::relative_difference(number(cell, "relative"), ratio) < 1e-14);
        }
        assert!(number(&row[3], "relative") < 1.0, "a ring is slower than a full mesh");
    }
    assert!((number(&cells[0], "mops") * number(&cells[0], "simulated_seconds") - 1.0).abs() < 1e-12);
    assert!(cells[4]["mops"].is_null());
    for (n, mean) in result["means"].as_array().expect("a list").iter().enumerate() {
        let (a, b) = (number(&cells[n], "relative"), number(&cells[4 + n], "relative"));
        assert_eq!(mean["topology"], cells[n]["topology"]);
        assert!((number(mean, "arithmetic") - (a + b) / 2.0).abs() < 1e-12);
        assert!((number(mean, "geometric") - (a * b).sqrt()).abs() < 1e-12);
    }
}

#[test]
fn many_networks_and_long_names_stay_in_80_columns() {
    let folder = Folder::with_trace(MESSAGE);
    let name = "the name of a workload that somebody gave because it says so much ".repeat(3);
    let networks: String = (3..33).map(|n| format!("[[networks]]\ntopology = 'ring:{n}'\n")).collect();
    folder.write("s.toml", format!("title = 'x'\n{networks}[[workloads]]\nname = '{name}'\ntrace = 't.ti'\n"));
    let text = folder.output(&["compare", "s.toml"]);
    assert_80_columns(&text);
    assert!(text.contains(" AD "), "the thirtieth network is in a table");
}

#[test]
fn flags_come_before_the_study() {
    let folder = Folder::with_trace("0 compute 1e9\n1 compute 1e9\n2 compute 1e9\n");
    folder.write("s.toml", study("", NETWORK, WORKLOAD));
    let seconds = |more: &[&str]| {
        let result = folder.json(&[&["compare", "s.toml"], more].concat());
        number(&result["cells"][0], "simulated_seconds")
    };
    assert!((seconds(&[]) - 0.01).abs() < 1e-9);
    assert!((seconds(&["--host-speed", "50 Gflop/s"]) - 0.02).abs() < 1e-9);
    folder.write("s.toml", study("mapping = 'block'\n", "[[networks]]\ntopology = 'ring:2'\n", WORKLOAD));
    assert!((seconds(&[]) - 0.02).abs() < 1e-9);
    folder.refuse(&["compare", "s.toml", "--mapping", "one-each"], 2, &["3 ranks do not fit on 2 hosts"]);
}

#[test]
fn a_study_places_ranks_by_files_that_lie_beside_it() {
    let folder = Folder::with_trace("0 compute 1e9\n1 compute 1e9\n2 compute 1e9\n");
    folder.write("in/t.ti", "0 compute 1e9\n1 compute 1e9\n2 compute 1e9\n");
    folder.write("in/ranks", "0 h0\n1 h0\n2 h0\n");
    let networks = "[[networks]]\ntopology = 'ring:4'\n[[networks]]\ntopology = 'star:3'\n";
    let run = |head: &str, more: &[&str]| {
        folder.write("in/s.toml", study(head, networks, WORKLOAD));
        let result = folder.json(&[&["compare", "in/s.toml"], more].concat());
        (number(&result["cells"][1], "simulated_seconds"), result["mapping"].as_str().expect("text").to_owned())
    };
    let (seconds, mapping) = run("rankfile = 'ranks'\n", &[]);
    assert!((seconds - 0.03).abs() < 1e-9);
    assert_eq!(mapping, "rank file (3 ranks)");
    folder.write("in/hosts", "h1\nh2\n");
    assert!((run("hostfile = 'hosts'\n", &[]).0 - 0.02).abs() < 1e-9);
    // A command-line mapping replaces all of it, with names relative to the working directory.
    assert_eq!(run("hostfile = 'hosts'\n", &["--mapping", "one-each"]).1, "one-each");
    assert!((run("", &["--rankfile", "in/ranks"]).0 - 0.03).abs() < 1e-9);
    folder.write("in/s.toml", study("mapping = 'block'\nhostfile = 'hosts'\n", networks, WORKLOAD));
    folder.refuse(&["compare", "in/s.toml"], 2, &["only one of mapping, hostfile and rankfile"]);
    folder.write("in/hosts", "h0\nh3\n");
    folder.write("in/s.toml", study("hostfile = 'hosts'\n", networks, WORKLOAD));
    folder.refuse(&["compare", "in/s.toml"], 2, &["network `star:n=3`", "hosts:2:1:", "no host `h3`"]);
}

const NETWORK: &str = "[[networks]]\ntopology = 'ring:4'\n";
const WORKLOAD: &str = "[[workloads]]\ntrace = 't.ti'\n";

fn study(head: &str, networks: &str, workloads: &str) -> String {
    format!("title = 'x'\n{head}{networks}{workloads}")
}

/// A study over [`MESSAGE`] must be refused like this.
fn refuse(study: impl AsRef<[u8]>, code: i32, parts: &[&str]) {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", study);
    folder.refuse(&["compare", "s.toml"], code, parts);
}

#[test]
fn misspelt_keys_have_a_place_and_the_nearest_name() {
    refuse(study("base_line = 'a'\n", NETWORK, WORKLOAD), 2, &["s.toml:2:1:", "`base_line`", "`baseline`?"]);
    let network = "[[networks]]\ntopolgy = 'ring:4'\n";
    refuse(study("", network, WORKLOAD), 2, &["s.toml:3:1:", "`topolgy`", "`topology`?"]);
    let network = "[[networks]]\ntopology = 'ring:4'\nparameters = { link_bandwith = 1 }\n";
    refuse(study("", network, WORKLOAD), 2, &["s.toml:4:16:", "`link_bandwith`", "`link_bandwidth`?"]);
    refuse(study("", NETWORK, "[[workloads]]\ntrase = 't.ti'\n"), 2, &["s.toml:5:1:", "`trase`", "`trace`?"]);
    refuse(study("[model]\ncolectives = 'x'\n", NETWORK, WORKLOAD), 2, &["s.toml:3:1:", "`collectives`?"]);
}

#[test]
fn wrong_choices_name_the_study() {
    refuse(
        study("baseline = 'rign:n=4'\n", NETWORK, WORKLOAD),
        2,
        &["s.toml:2:12: baseline: `rign:n=4`", "`ring:n=4`"],
    );
    refuse(study("mapping = 'blok'\n", NETWORK, WORKLOAD), 2, &["s.toml:2:11: mapping: `blok`", "`block`?"]);
    let model = "[model]\ncollectives = 'mvapich'\n";
    refuse(study(model, NETWORK, WORKLOAD), 2, &["s.toml:3:15: collectives: `mvapich`", "`mvapich2`?"]);
    let model = "[model]\ntiming_precision = nan\n";
    refuse(study(model, NETWORK, WORKLOAD), 2, &["s.toml:3:20: timing-precision: `NaN`", "from 0 to 0.001"]);
    let network = "[[networks]]\nname = 'a'\ntopology = 'torsu:2x2'\n";
    refuse(study("", network, WORKLOAD), 2, &["s.toml:4:12: network `a`: there is no topology `torsu`", "`torus`?"]);
    let network = "[[networks]]\ntopology = 'torus:100000x100000'\n";
    refuse(
        study("", network, WORKLOAD),
        2,
        &["s.toml:3:12: network `torus:100000x100000`", "[100000,100000]", "at most 16777216"],
    );
    for hosts in ["0", "[0, 0, 0, 0]"] {
        let network = format!("{NETWORK}parameters = {{ hosts_per_switch = {hosts} }}\n");
        refuse(study("", &network, WORKLOAD), 2, &["s.toml:4:35: network `ring:4`", "at least one host"]);
    }
    // Settings for all networks, or for one platform, are reported at their own place, unless a network overrides them.
    let common = "[network]\nrouting = 'bsf'\n";
    refuse(study(common, NETWORK, WORKLOAD), 2, &["s.toml:3:11: network `ring:4`", "did you mean `bfs`?"]);
    let network = format!("{NETWORK}routing = 'esmp'\n");
    refuse(study(common, &network, WORKLOAD), 2, &["s.toml:6:11: network `ring:4`", "did you mean `ecmp`?"]);
    let platforms = "[[platforms]]\nname = 'a'\n[[platforms]]\nname = 'b'\nparameters = { cores = 0 }\n";
    refuse(study(platforms, NETWORK, WORKLOAD), 2, &["s.toml:6:24: network `ring:4`", "at least one core"]);
    // The file of a platform has its own place, behind that of the study.
    let folder = Folder::with_trace(MESSAGE);
    folder.write("p.toml", "topology = 'ring:4'\nrouting = 'bsf'\n");
    folder.write("s.toml", study("", "[[networks]]\nplatform = 'p.toml'\n", WORKLOAD));
    folder.refuse(
        &["compare", "s.toml"],
        2,
        &["s.toml:3:12: network `number 1`: p.toml:2:11: ", "did you mean `bfs`?"],
    );
    folder.write("s.toml", study("hostfile = 'none'\n", NETWORK, WORKLOAD));
    folder.refuse(&["compare", "s.toml"], 3, &["s.toml:2:12: network `ring:n=4`: ", "none"]);
    let network = format!("{NETWORK}parameters = {{ hosts_per_switch = -1 }}\n");
    refuse(study("", &network, WORKLOAD), 2, &["s.toml:4:35:", "hosts_per_switch must be a number"]);
}

#[test]
fn a_study_needs_networks_and_workloads_with_names_of_their_own() {
    refuse("", 2, &["s.toml:1:1: missing field `title`"]);
    refuse(study("", NETWORK, ""), 2, &["s.toml:", "[[workloads]] or [[jobs]]"]);
    refuse(study("workloads = []\n", NETWORK, ""), 2, &["s.toml: ", "[[networks]]", "[[workloads]]"]);
    refuse(study("", "", WORKLOAD), 2, &["s.toml:", "[[networks]]", "--topology"]);
    refuse(study("", &NETWORK.repeat(2), WORKLOAD), 2, &["s.toml:4:1: two networks are called `ring:n=4`"]);
    // One of the command line is in no file.
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", study("", NETWORK, WORKLOAD));
    folder.refuse(&["compare", "s.toml", "--topology", "ring:4"], 2, &["s.toml: two networks are called `ring:n=4`"]);
    refuse(study("", NETWORK, &WORKLOAD.repeat(2)), 2, &["s.toml:6:1: two workloads are called `t`"]);
    refuse(study("", "[[networks]]\nname = 'a'\n", WORKLOAD), 2, &["network `a`", "neither is given"]);
}

#[test]
fn a_missing_trace_is_an_io_failure() {
    refuse(
        study("", NETWORK, "[[workloads]]\ntrace = 'nope.ti'\n"),
        3,
        &["s.toml:5:9: nope.ti: the file cannot be opened"],
    );
}

#[test]
fn files_that_are_no_studies_are_bad_input() {
    refuse([b't', 0xff, b'\n'], 2, &["s.toml:1: not UTF-8 text"]);
    refuse(MESSAGE, 2, &["s.toml:1:3:"]);
    refuse(vec![b'#'; 20 << 20], 2, &["s.toml: larger than 16777216 bytes"]);
}

#[test]
fn the_number_of_threads_is_checked() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", study("", NETWORK, WORKLOAD));
    for verb in [["compare", "s.toml"], ["throughput", "ring:4"]] {
        let asked = [&verb[..], &["--threads", "100000000"]].concat();
        folder.refuse(&asked, 2, &["100000000", "--threads", "it must be a number from 0 to 4096"]);
    }
}

#[test]
fn a_failed_replay_names_workload_network_and_place() {
    let folder = Folder::with_trace("0 recv 1 7 50 6\n1 compute 5\n");
    folder.write("s.toml", study("", NETWORK, WORKLOAD));
    let parts = ["t on ring:n=4: deadlock", "rank 0, ", "t.ti:1", "a message from rank 1 with tag 7"];
    folder.refuse(&["compare", "s.toml"], 1, &parts);
    // Messages that were never received spoil a comparison, but it is made.
    let folder = Folder::with_trace("0 isend 1 7 50 6\n1 compute 5\n");
    folder.write("s.toml", study("", NETWORK, WORKLOAD));
    let message = "1 message was sent and never received";
    folder.run(&["compare", "s.toml"]).code(1).stdout(contains("geometric mean")).stderr(contains(message));
}

#[test]
fn warnings_of_traces_are_shown() {
    let folder = Folder::with_trace("r0.ti\nr1.ti\n");
    folder.write("r0.ti", "0 init\n1 init\n");
    folder.write("r1.ti", "1 init\n");
    folder.write("s.toml", study("", NETWORK, WORKLOAD));
    folder.run(&["compare", "s.toml"]).success().stderr(contains("warning: ").and(contains("r0.ti")));
    folder.run(&["compare", "s.toml", "-q"]).success().stderr("");
}
