//! `mopsim collectives` as its users see it.

use crate::support::cli::{Folder, assert_80_columns};
use serde_json::Value;

fn named<'a>(list: &'a Value, key: &str, name: &str) -> &'a Value {
    let list = list.as_array().expect("a list");
    list.iter().find(|entry| entry[key] == name).unwrap_or_else(|| panic!("no {name} in {list:?}"))
}

#[test]
fn every_operation_with_its_amounts() {
    let folder = Folder::new();
    let report = folder.json(&["collectives", "--ranks", "8", "--size", "100"]);
    assert_eq!(report["schema"], "mopsim.collectives/1");
    assert_eq!((&report["ranks"], &report["size_bytes"]), (&8.into(), &100.into()));
    assert_eq!(report["collectives"].as_array().map(Vec::len), Some(15));
    let bcast = named(&report["collectives"], "collective", "bcast");
    let binomial = named(&bcast["algorithms"], "name", "binomial");
    assert_eq!((&binomial["messages"], &binomial["bytes"]), (&7.into(), &700.into()));
    assert_eq!(binomial["simgrid"][0], "binomial_tree");
    // 100 bytes on 8 ranks: the third entry of the row.
    let ompi = named(&bcast["choices"], "table", "ompi");
    assert_eq!((&ompi["algorithm"], &ompi["rule"]), (&"knomial".into(), &"8 <= P < 16, 64 <= n < 4096".into()));
    assert!(
        named(&bcast["algorithms"], "name", "knomial")["picked_by"]
            .as_array()
            .expect("tables")
            .contains(&"ompi".into())
    );
    // All to all: 8 * 7 messages.
    let alltoall = named(&report["collectives"], "collective", "alltoall");
    assert_eq!(named(&alltoall["algorithms"], "name", "ring")["messages"], 56);
    assert!(bcast.get("crossovers").is_none());
}

#[test]
fn crossovers_say_where_a_choice_changes() {
    let folder = Folder::new();
    let arguments = ["collectives", "allreduce", "--ranks", "16", "--size", "1000", "--collectives", "ompi"];
    let report = folder.json(&arguments);
    let crossovers = report["collectives"][0]["crossovers"].as_array().expect("crossovers").clone();
    let found: Vec<(u64, &str)> = crossovers
        .iter()
        .map(|c| (c["from_bytes"].as_u64().expect("bytes"), c["algorithm"].as_str().expect("a name")))
        .collect();
    assert_eq!(found, [(0, "ring-segmented"), (64, "rdb"), (4096, "rab-rdb")]);
    let text = folder.output(&arguments);
    assert!(text.contains("ompi: rdb (16 <= P < 32, 64 <= n < 4096)"), "{text}");
    assert_80_columns(&text);
    let csv = folder.output(&[&arguments[..], &["--format", "csv"]].concat());
    assert!(csv.starts_with("collective,line,table,algorithm,messages,bytes,from_bytes,why\n"), "{csv}");
    assert!(csv.contains("allreduce,crossover,ompi,rab-rdb,,,4096,"), "{csv}");
}

#[test]
fn mpich_4_has_rules_of_its_own() {
    let folder = Folder::new();
    let arguments =
        ["collectives", "allreduce", "alltoallv", "--ranks", "16", "--size", "1000", "--collectives", "mpich4"];
    let report = folder.json(&arguments);
    let crossovers: Vec<(u64, &str)> = report["collectives"][0]["crossovers"]
        .as_array()
        .expect("crossovers")
        .iter()
        .map(|c| (c["from_bytes"].as_u64().expect("bytes"), c["algorithm"].as_str().expect("a name")))
        .collect();
    // Up to 8 bytes as a whole; fewer elements than ranks cannot be halved either.
    assert_eq!(crossovers[crossovers.len() - 2..], [(1, "rdb"), (16, "rab-rdb")]);
    let alltoallv = named(&report["collectives"], "collective", "alltoallv");
    assert_eq!(named(&alltoallv["choices"], "table", "mpich4")["algorithm"], "scattered-nonempty");
    // On hosts with several ranks, messages stand in for shared memory, and the report says so.
    let text = folder.output(&[&arguments[..], &["--ranks-per-host", "4"]].concat());
    assert!(text.contains("rab-rdb among hosts") && text.contains("MPICH 4 shares memory"), "{text}");
    assert_80_columns(&text);
}

#[test]
fn node_aware_plans_are_told_in_words() {
    let folder = Folder::new();
    let arguments = ["collectives", "--ranks", "8", "--ranks-per-host", "2", "--size", "100"];
    let report = folder.json(&arguments);
    let allreduce = named(&report["collectives"], "collective", "allreduce");
    let mvapich2 = named(&allreduce["choices"], "table", "mvapich2");
    assert_eq!(mvapich2["algorithm"], "reduce linear on hosts, rdb among hosts, bcast binomial on hosts");
    let with = folder.json(&[&arguments[..], &["--smp-setup", "on"]].concat());
    let with = named(&with["collectives"], "collective", "allreduce");
    let messages = |operation: &Value| named(&operation["choices"], "table", "mvapich2")["messages"].as_u64();
    assert!(messages(with) > messages(allreduce));
}

#[test]
fn the_whole_list_fits_the_width() {
    let folder = Folder::new();
    let text = folder.output(&["collectives", "--ranks", "100", "--size", "1000000", "--smp-setup", "on"]);
    assert_80_columns(&text);
    let text =
        folder.output(&["collectives", "bcast", "scatter", "--ranks", "48", "--ranks-per-host", "16", "--size", "8"]);
    assert_80_columns(&text);
}

#[test]
fn bad_arguments_are_refused() {
    let folder = Folder::new();
    let refuse = |arguments: &[&str], parts: &[&str]| folder.refuse(&[&["collectives"], arguments].concat(), 2, parts);
    refuse(&["--size", "1"], &["--ranks"]);
    refuse(&["alreduce", "--ranks", "4", "--size", "1"], &["no collective `alreduce`", "allreduce"]);
    refuse(&["--ranks", "0", "--size", "1"], &["--ranks 0 is not between 1 and 4096"]);
    refuse(&["--ranks", "5000", "--size", "1"], &["--ranks 5000", "counted one by one"]);
    refuse(&["--ranks", "6", "--ranks-per-host", "4", "--size", "1"], &["--ranks-per-host 4 does not divide"]);
    refuse(
        &["--ranks", "6", "--size", "1", "--collectives", "impi"],
        &["`impi` is a selector of SimGrid that is not simulated", "mvapich2, ompi, mpich"],
    );
    refuse(&["--ranks", "6", "--size", "99999999999"], &["--size", "at most 4294967295 bytes"]);
    refuse(&["--ranks", "6", "--size", "4 KB"], &["--size", "there is no unit `KB`; write it like `64 KiB`"]);
    let list = |size: &str| folder.output(&["collectives", "bcast", "--ranks", "6", "--size", size]);
    assert_eq!(list("4KiB"), list("4096"));
}
