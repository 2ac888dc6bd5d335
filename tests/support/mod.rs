//! What the tests over reference data share.

#![allow(dead_code)] // Each test binary uses its part.

pub mod cli;

use std::path::{Path, PathBuf};

/// Folder of the reference data that is too large for the repository: `MOPSIM_SHARED`, or `../shared`. Tests that ask
/// for it are ignored where `build.rs` has not found it.
pub fn shared() -> PathBuf {
    let folder = std::env::var_os("MOPSIM_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    assert!(folder.is_dir(), "there is no reference data in {}: set MOPSIM_SHARED", folder.display());
    folder
}

/// Folder of the test data in the repository.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// The reference values of topologies, which an independent generator computed.
pub fn topology_reference() -> serde_json::Value {
    let packed: &[u8] = include_bytes!("../data/topology.json.zst");
    let text = zstd::decode_all(packed).expect("the reference file is packed by zstd");
    serde_json::from_slice(&text).expect("the reference file is JSON")
}

/// |a - b| over the larger of them.
pub fn relative_difference(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()) }
}

/// Seconds that processors have worked for this process; elsewhere than on Linux, seconds that have passed. Only
/// differences mean something. What else runs on the machine does not count, so that a busy one fails no test.
pub fn processor_seconds() -> f64 {
    seconds_of("/proc/self/stat")
}

/// The same for this thread.
pub fn processor_seconds_of_thread() -> f64 {
    seconds_of("/proc/thread-self/stat")
}

fn seconds_of(stat: &str) -> f64 {
    static BEGIN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    // The name of the program stands in brackets, and may have blanks and brackets in it.
    let ticks = std::fs::read_to_string(stat).ok().and_then(|text| {
        let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
        Some(fields.next()?? + fields.next()??)
    });
    // Ticks are hundredths of a second on every Linux.
    ticks.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |ticks| ticks as f64 / 100.0)
}

/// The middle of a sorted list.
pub fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// The specification of an entry of the reference values.
pub fn spec(entry: &serde_json::Value) -> String {
    let parameters = entry["params"].as_object().expect("parameters").iter();
    let written = parameters.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    });
    format!("{}:{}", entry["topology"].as_str().expect("a name"), written.collect::<Vec<_>>().join(","))
}

/// The topology of an entry of the reference values.
pub fn topology(entry: &serde_json::Value) -> mopsim::topology::Topology {
    let spec = spec(entry);
    mopsim::topology::build(&spec).unwrap_or_else(|error| panic!("{spec}: {error}"))
}
