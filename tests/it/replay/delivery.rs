//! In-order delivery and the constants of models, as users choose them.

use crate::support::cli::Folder;
use crate::support::relative_difference;
use serde_json::Value;

/// Rank 0 sends two messages to rank 1 and one to rank 2, which answers.
const MESSAGES: &str = "0 init\n1 init\n2 init\n0 isend 1 1 1000\n0 isend 1 2 3000\n0 isend 2 1 2000\n0 irecv 2 5 100000\n\
                        0 waitall\n1 recv 0 1 1000\n1 recv 0 2 3000\n2 recv 0 1 2000\n2 send 0 5 100000\n\
                        0 finalize\n1 finalize\n2 finalize\n";

fn seconds(report: &Value) -> f64 {
    report["simulated_seconds"].as_f64().expect("seconds")
}

fn ring(folder: &Folder, file: &str, flags: &[&str]) -> Value {
    let network = ["--topology", "ring:4", "--defaults", "0.1", "--link-bandwidth", "1 GB/s", "--link-latency", "1 us"];
    folder.json(&[&["replay", "-q", file], &network[..], flags].concat())
}

#[test]
fn graphs_and_lists_take_the_same_time_in_order() {
    let folder = Folder::new();
    folder.write("t.ti", MESSAGES);
    folder.run(&["trace", "convert", "t.ti", "-o", "t.goal"]).success();
    for model in ["tcp", "ideal"] {
        let [list, graph] = ["t.ti", "t.goal"].map(|file| seconds(&ring(&folder, file, &["--model", model])));
        assert!(relative_difference(list, graph) < 1e-12, "{model}: {list} {graph}");
    }
}

#[test]
fn times_are_those_of_the_formula_and_explained() {
    // Rank 0 to rank 1: 1000 bytes, then 3000, on one connection. 1 us of link, 5 us of message, 0.8 of the rate.
    let folder = Folder::new();
    folder.write(
        "t.ti",
        "0 init\n1 init\n0 isend 1 1 1000\n0 isend 1 2 3000\n0 waitall\n1 irecv 0 2 3000\n1 recv 0 1 1000\n\
                          1 compute 4e5\n1 waitall\n0 finalize\n1 finalize\n",
    );
    let model = "network_model = 'ideal'\ndelivery = 'in-order'\nmessage_latency = '5 us'\npacket_payload = 800\n\
                 packet_overhead = 200\n";
    folder.write("m.toml", model);
    let report = ring(&folder, "t.ti", &["--model", "m.toml", "--explain"]);
    // 6 us, 1.25 us, and 4 us of computation, within which the second message arrives: at 11 us.
    assert!(relative_difference(seconds(&report), 11.25e-6) < 1e-9, "{report}");
    let path = &report["critical_path"];
    let sum: f64 = ["compute_seconds", "latency_seconds", "bandwidth_seconds"]
        .iter()
        .map(|part| path[*part].as_f64().unwrap_or_else(|| panic!("{report}")))
        .sum();
    assert!(relative_difference(sum, 11.25e-6) < 1e-9, "{path}");
    let parameters = &report["model"]["parameters"];
    assert_eq!(parameters["delivery"], "in-order", "{report}");
    assert_eq!(parameters["packet-payload"], "800");
    // Side by side the first message arrives after 6 + 2.5 us.
    folder.write("m.toml", model.replace("in-order", "concurrent"));
    let report = ring(&folder, "t.ti", &["--model", "m.toml"]);
    assert!(relative_difference(seconds(&report), 12.5e-6) < 1e-9, "{report}");
}

#[test]
fn the_time_of_a_message_depends_on_its_size() {
    let folder = Folder::new();
    folder.write(
        "t.ti",
        "0 init\n1 init\n0 send 1 1 1000\n0 send 1 2 1001\n1 recv 0 1 1000\n1 recv 0 2 1001\n0 finalize\n1 finalize\n",
    );
    // 1 us of link and 1 us for each 1000 bytes besides 5 us, or 9 us above 1000 bytes; the second one waits for the first.
    folder.write("m.toml", "network_model = 'ideal'\nmessage_latency = '0:5 us; 1000:9 us'\ndetached_below = 1\n");
    let report = ring(&folder, "t.ti", &["--model", "m.toml"]);
    assert!(relative_difference(seconds(&report), 18.001e-6) < 1e-9, "{report}");
    assert_eq!(report["model"]["parameters"]["message-latency"], "0:5e-6 s;1000:9e-6 s");
    folder.write("m.toml", "network_model = 'ideal'\nmessage_latency = '0:5 us;x:9 us'\n");
    folder.refuse(
        &["replay", "t.ti", "--topology", "ring:4", "--model", "m.toml"],
        2,
        &["m.toml:2:", "`x` is not a size"],
    );
}

#[test]
fn jobs_have_connections_of_their_own() {
    let folder = Folder::new();
    folder.write("t.ti", "0 init\n1 init\n0 send 1 1 50000\n1 recv 0 1 50000\n0 finalize\n1 finalize\n");
    let jobs = ["--job", "t.ti,hosts=0+1,name=first", "--job", "t.ti,hosts=0+1,name=second"];
    let network = ["--topology", "ring:4", "--defaults", "0.1", "--link-bandwidth", "1 GB/s", "--link-latency", "1 us"];
    folder.write("m.toml", "network_model = 'ideal'\ndelivery = 'in-order'\n");
    let arguments = [&["replay", "-q", "--model", "m.toml", "--cores", "2"], &jobs[..], &network[..]].concat();
    let report = folder.json(&arguments);
    for job in report["jobs"].as_array().expect("jobs") {
        // Alone 1 + 50 us; ranks of two jobs share the link, though their hosts are the same.
        assert!(relative_difference(job["alone_seconds"].as_f64().unwrap(), 51e-6) < 1e-9, "{job}");
        assert!(relative_difference(job["together_seconds"].as_f64().unwrap(), 101e-6) < 1e-9, "{job}");
    }
    assert_eq!(report, folder.json(&arguments));
}

#[test]
fn wrong_constants_are_refused_with_their_place() {
    let folder = Folder::new();
    folder.write("t.ti", MESSAGES);
    let replay = |model: &str| {
        folder.write("m.toml", model);
        ["replay", "t.ti", "--topology", "ring:4", "--model", "m.toml"]
    };
    for (line, place, part) in [
        ("delivery = 'inorder'", "m.toml:2:12", "did you mean `in-order`?"),
        ("crosstraffic = 1.5", "m.toml:2:16", "not a share of the rate"),
        ("crosstraffic = 1", "m.toml:2:16", "not a share of the rate"),
        ("crosstraffic = 'on'", "m.toml:2:16", "true, false, or a share of the rate"),
        ("rendezvous_trips = 3", "m.toml:2:20", "2 (the sender's request-to-send as well)"),
        ("packet_payload = 0", "m.toml:2:18", "from 1 to"),
        ("packet_overhead = -1", "m.toml:2:19", "-1"),
        ("message_latency = '24 km'", "m.toml:2:19", "24 km"),
        ("message_latency = '20 Ms'", "m.toml:2:", ""),
        ("envelope = 2000000000", "m.toml:2:12", "from 0 to"),
        ("bandwidth_factor = '0:0'", "m.toml:2:20", "never arrive"),
        ("weight_s = -1", "m.toml:2:12", "-1"),
        ("sharing = 'simgrid-lazy'\ndelivery = 'in-order'", "m.toml:3:12", "choose sharing `exact`"),
        ("deliver = 'in-order'", "m.toml:2:1", "did you mean `delivery`?"),
    ] {
        folder.refuse(&replay(&format!("network_model = 'ideal'\n{line}\n")), 2, &[place, part]);
    }
    folder.refuse(
        &["replay", "t.ti", "--topology", "ring:4", "--model", "tcp", "--compat", "simgrid"],
        2,
        &["delivery: `in-order` is not possible with sharing `simgrid-lazy`"],
    );
    folder.write("p.toml", "topology = 'ring:4'\n[model]\nnetwork_model = 'tcp'\ndelivery = 'fifo'\n");
    folder.refuse(&["replay", "t.ti", "--platform", "p.toml"], 2, &["p.toml:4:12", "in-order, concurrent"]);
    for (share, part) in [("1.5", "not a share"), ("nan", "not a share")] {
        folder.refuse(&["replay", "t.ti", "--topology", "ring:4", "--crosstraffic", share], 2, &[part]);
    }
}

#[test]
fn a_share_of_cross_traffic_slows_the_way_back() {
    // Both directions of a cable simultaneously: 1 / (1 + share) of the rate for each.
    let folder = Folder::new();
    folder.write(
        "t.ti",
        "0 init\n1 init\n0 isend 1 1 50000\n0 recv 1 1 50000\n1 isend 0 1 50000\n1 recv 0 1 50000\n\
                          0 waitall\n1 waitall\n0 finalize\n1 finalize\n",
    );
    for (share, slower) in [("off", 1.0), ("0", 1.0), ("0.25", 1.25), ("on", 1.05)] {
        let report = ring(&folder, "t.ti", &["--model", "ideal", "--crosstraffic", share, "--duplex", "full"]);
        let expected = 1e-6 + 50e-6 * slower;
        assert!(relative_difference(seconds(&report), expected) < 1e-9, "{share}: {report}");
    }
}
