//! A workload as written.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A workload as written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadEntry {
    /// Name for the report; default: that of the trace.
    pub name: Option<String>,
    /// Trace: a file, or a list of files.
    pub trace: Option<PathBuf>,
    /// Name of a built-in program, or a file that ends in `.star`; instead of a trace.
    pub workload: Option<String>,
    /// Number of ranks; default: that of the trace.
    pub ranks: Option<usize>,
    /// Weight in the means; default: 1.
    pub weight: Option<f64>,
    /// Class of a generated workload.
    pub class: Option<String>,
    /// Iterations of a generated workload.
    pub iterations: Option<u64>,
    /// Other parameters of a generated workload.
    #[serde(default)]
    pub parameters: BTreeMap<String, toml::Value>,
}

impl WorkloadEntry {
    /// Returns the name for messages before the workload is opened.
    pub fn label(&self) -> String {
        let trace = self.trace.as_ref().map(|trace| trace.display().to_string());
        self.name.clone().or(trace).or(self.workload.clone()).unwrap_or_default()
    }
}
