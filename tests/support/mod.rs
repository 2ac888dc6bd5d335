//! What the tests over reference data share.

#![allow(dead_code)] // Each test binary uses its part.

pub mod cli;

use std::path::{Path, PathBuf};

/// Folder of the reference data that is too large for the repository: `MOPSIM_SHARED`, or `../shared`. Where there is none,
/// it says so, and the test that asks is to skip itself.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("MOPSIM_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if folder.join("corpus/platforms").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no reference data in {} (set MOPSIM_SHARED)", folder.display());
    None
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
