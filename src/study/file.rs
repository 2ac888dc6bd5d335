//! The study file: TOML, unknown keys refused.
//!
//! ```toml
//! title = "Uni- against bi-directional"
//! baseline = "random"
//!
//! [model]                      # as the flags of the same names
//! collectives = "mvapich2"
//!
//! [network]                    # what all networks have in common
//! parameters = { link_bandwidth = "200 Gbit/s" }
//!
//! [[networks]]
//! name = "random"
//! topology = "random:n=64,d=6,seed=1"
//!
//! [[networks]]
//! topology = "torus:8x8"
//! parameters = { duplex = "shared" }
//!
//! [[workloads]]
//! trace = "../traces/cg.A.64.ti.zst"
//! ```
//!
//! Instead of `trace`, a workload can be generated: `workload = "npb/lu"` or the name of a `.star` file, with `ranks`,
//! and `class`, `iterations` or a table `parameters` as the program takes them.
//!
//! File names are relative to the study file. `docs/reference/studies.md` has all keys.

use super::assumptions::SensitivityChoice;
use super::choice::ModelChoice;
use super::failures::DegradedChoice;
use super::jobs::JobEntry;
use super::network::NetworkChoice;
use super::procurement::BudgetChoice;
use super::traffic::TrafficChoice;
use crate::defaults::Version;
use crate::platform::PlatformParameters;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A study as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Heading of the report.
    pub title: String,
    /// Name of the network that the others are compared with; the first one if left out.
    pub baseline: Option<String>,
    /// Version of the defaults, e.g. `0.1`; the current one if left out.
    pub defaults: Option<Version>,
    /// How traces turn into time.
    #[serde(default)]
    pub model: ModelChoice,
    /// How ranks are placed: `one-each`, `block`, `round-robin` or `random`.
    pub mapping: Option<String>,
    /// Instead of `mapping`: several rules; every network is compared with the baseline under each of them.
    pub mappings: Option<Vec<String>>,
    /// Instead of `mapping`: a host file, whose names every network must have.
    pub hostfile: Option<PathBuf>,
    /// Instead of `mapping`: a rank file, whose names every network must have.
    pub rankfile: Option<PathBuf>,
    /// Seed of random topologies, routings and mappings, where nothing else gives one.
    pub seed: Option<u64>,
    /// Several of them: what is random runs once for each.
    pub seeds: Option<Vec<u64>>,
    /// The same with this number of seeds, from `seed` on, or from 1.
    pub repetitions: Option<u32>,
    /// Several routing rules; every network is compared with the baseline under each of them. `default` is the rule that a
    /// network has without this list.
    pub routings: Option<Vec<String>>,
    /// Several tables of collectives; every network is compared with the baseline under each of them.
    pub collectives: Option<Vec<String>>,
    /// Cables and switches that fail: a table with the keys of [`FailureChoice`](super::failures::FailureChoice), or a list
    /// of them. Every network is also compared with itself.
    pub failures: Option<toml::Value>,
    /// Cables that become slower, in addition to `failures` or alone.
    pub degraded: Option<DegradedChoice>,
    /// Several network models, e.g. `["smpi", "packet"]`; every network is compared with the baseline under each of them.
    pub models: Option<Vec<String>>,
    /// Checks of the study's own answer.
    pub check: Option<CheckChoice>,
    /// Assumptions to change one at a time.
    pub sensitivity: Option<SensitivityChoice>,
    /// Limits and prices.
    pub budget: Option<BudgetChoice>,
    /// Several sets of parameters; every network is compared with the baseline under each of them.
    pub platforms: Option<Vec<PlatformEntry>>,
    /// What all networks have in common.
    #[serde(default)]
    pub network: NetworkChoice,
    /// What the networks carry under synthetic traffic, for the HTML report.
    pub throughput: Option<TrafficChoice>,
    /// The networks.
    #[serde(default)]
    pub networks: Vec<NetworkChoice>,
    /// The workloads.
    #[serde(default)]
    pub workloads: Vec<WorkloadEntry>,
    /// Jobs that run at the same time: one more workload, behind the others.
    #[serde(default)]
    pub jobs: Vec<JobEntry>,
    /// Rule that gives hosts to jobs without hosts and rule of their own; `contiguous` if left out.
    pub allocation: Option<String>,
    /// Whether hosts may have more ranks of several jobs than cores.
    #[serde(default)]
    pub share_hosts: bool,
}

/// Checks as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckChoice {
    /// `true` to repeat every replay with packets and compare the two answers.
    #[serde(default)]
    pub packets: bool,
    /// Iterations of each workload that are replayed for that, from the first on; whole runs if left out.
    pub iterations: Option<usize>,
}

/// A set of parameters as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformEntry {
    /// Name for the report.
    pub name: String,
    /// Hosts, speeds and latencies; those that a network gives itself come first.
    #[serde(default)]
    pub parameters: PlatformParameters,
}

/// A workload as written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadEntry {
    /// Name for the report; that of the trace if left out.
    pub name: Option<String>,
    /// The trace: a file, or a list of files.
    pub trace: Option<PathBuf>,
    /// Instead of a trace: the name of a built-in program, or a file that ends in `.star`.
    pub workload: Option<String>,
    /// Number of ranks; found from the trace if left out.
    pub ranks: Option<usize>,
    /// How much it counts in the means; 1 if left out.
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
    /// What messages call it before it is opened.
    pub fn label(&self) -> String {
        let trace = self.trace.as_ref().map(|trace| trace.display().to_string());
        self.name.clone().or(trace).or(self.workload.clone()).unwrap_or_default()
    }
}
