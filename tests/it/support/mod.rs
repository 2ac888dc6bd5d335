//! Helpers of several test modules. `tests/support` has those that other test executables use as well.

pub mod cli;
#[path = "../../support/clock.rs"]
mod clock;
#[cfg(target_os = "linux")]
pub mod hosts;
pub mod html;
pub mod lines;
pub mod programs;
#[path = "../../support/reference.rs"]
mod reference;
pub mod star;

pub use reference::topology_reference;
use std::path::{Path, PathBuf};

/// Folder of the reference data that is too large for the repository: `MOPSIM_SHARED`, or `../shared`. Tests that need
/// it are ignored if `build.rs` has not found it.
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

/// |a - b| over the larger of them.
pub fn relative_difference(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()) }
}

/// Processor time of this thread in seconds, without that of other tests. Only differences are meaningful.
pub fn processor_seconds_of_thread() -> f64 {
    clock::processor_seconds("/proc/thread-self/stat")
}

/// Returns the median of a sorted list.
pub fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Returns the specification of an entry of the reference values.
pub fn spec(entry: &serde_json::Value) -> String {
    let parameters = entry["params"].as_object().expect("parameters").iter();
    let written = parameters.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    });
    format!("{}:{}", entry["topology"].as_str().expect("a name"), written.collect::<Vec<_>>().join(","))
}

/// Returns the topology of an entry of the reference values.
pub fn topology(entry: &serde_json::Value) -> mopsim::topology::Topology {
    let spec = spec(entry);
    mopsim::topology::build(&spec).unwrap_or_else(|error| panic!("{spec}: {error}"))
}
