//! One name for one thing: networks have the same keys and columns in all verbs.

use crate::support::cli::Folder;
use serde_json::Value;
use std::collections::BTreeMap;

const SPEC: &str = "torus:dims=3x4";

/// Returns the columns of the first row of CSV output; none of its cells is quoted.
fn row(csv: &str) -> BTreeMap<String, String> {
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
    let (names, values) = (lines.next().expect("a heading"), lines.next().expect("a row"));
    assert_eq!(names.len(), values.len(), "{csv}");
    let row: BTreeMap<String, String> = names.iter().cloned().zip(values).collect();
    assert_eq!(row.len(), names.len(), "a name is there twice: {names:?}");
    row
}

fn assert_named(document: &Value, wanted: &[(&str, &str)]) {
    for (key, value) in wanted {
        assert_eq!(document[key].as_str(), Some(*value), "{key} in {document}");
    }
}

#[test]
fn networks_specifications_and_families_have_one_name() {
    let folder = Folder::with_trace("0 init\n1 init\n0 send 1 7 1000000 6\n1 recv 0 7 1000000 6\n");
    folder.write(
        "study.toml",
        format!("title = 'x'\n[[networks]]\nname = 'grid'\ntopology = '{SPEC}'\n[[workloads]]\ntrace = 't.ti'\n"),
    );
    let of_spec = [("spec", SPEC), ("family", "torus")];
    let of_network = [&[("network", SPEC)], &of_spec[..]].concat();
    let named = [&[("network", "grid")], &of_spec[..]].concat();
    let replay: &[&str] = &["replay", "t.ti", "--topology", SPEC];
    let topology: &[&str] = &["topology", SPEC];
    let throughput: &[&str] = &["throughput", SPEC];
    let packets: &[&str] =
        &["packets", SPEC, "--load", "0.1", "--warmup", "50", "--measure", "50", "--no-saturation", "--quiet"];
    let compare: &[&str] = &["compare", "study.toml", "--quiet"];
    for (verb, wanted) in [
        (replay, &of_network),
        (topology, &of_network),
        (throughput, &of_network),
        (packets, &of_network),
        (compare, &named),
    ] {
        let row = row(&folder.output(&[verb, &["--format", "csv"]].concat()));
        for (name, value) in wanted.iter().chain(&[("hosts", "12")]) {
            assert_eq!(row.get(*name).map(String::as_str), Some(*value), "{name} of {verb:?}");
        }
    }
    assert_named(&folder.json(replay), &of_network);
    assert_named(&folder.json(topology), &of_network);
    assert_named(&folder.json(throughput)["cells"][0], &of_network);
    assert_named(&folder.json(packets)["points"][0], &of_network);
    assert_named(&folder.json(packets)["series"][0], &of_network);
    let compared = folder.json(compare);
    assert_named(&compared["topologies"][0], &named);
    assert_named(&compared["cells"][0], &[("network", "grid")]);
    // What version 1 had is still there, a name in one document and a specification in the other.
    assert_named(&compared["cells"][0], &[("topology", "grid")]);
    assert_named(&compared["topologies"][0], &[("topology", SPEC)]);
    assert_eq!(folder.json(topology)["cost"]["price"], folder.json(topology)["cost"]["dollars"]);
    let columns = |verb: &[&str]| row(&folder.output(&[verb, &["--format", "csv"]].concat()));
    assert_eq!(columns(topology)["price"], columns(topology)["dollars"]);
    assert_eq!(columns(throughput)["duplex"], "full");
    assert_eq!(columns(&[throughput, &["--duplex", "shared"]].concat())["duplex"], "shared");
    // The trace takes its name from its file in both verbs; its shares of time are one whole.
    let replayed = columns(replay);
    assert_eq!(columns(&["trace", "info", "t.ti"])["trace"], replayed["trace"]);
    let shares = ["compute_share", "latency_share", "bandwidth_share", "waiting_share"];
    let whole: f64 = shares.iter().map(|name| replayed[*name].parse::<f64>().expect("a number")).sum();
    assert!((whole - 1.0).abs() < 1e-12, "{replayed:?}");
    let fits = folder.json(&["topology", "--fit", "hosts=12,radix=6"]);
    let fits = fits["fits"].as_array().expect("a list");
    assert!(!fits.is_empty());
    for fit in fits {
        let (spec, family) = (fit["spec"].as_str().expect("a text"), fit["family"].as_str().expect("a text"));
        assert!(spec.starts_with(family) && fit["topology"] == fit["spec"], "{fit}");
        assert!(fit["network"] == fit["spec"] && fit["price"] == fit["dollars"], "{fit}");
        assert!(fit["cable_metres"] == fit["metres"] && fit["metres"].is_number(), "{fit}");
    }
}
