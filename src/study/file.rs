//! The study file: TOML in which unknown keys are refused.
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
//! Instead of reading a `trace`, a workload can be generated: `workload = "npb/lu"` or the name of a `.star` file,
//! with `ranks`, and `class`, `iterations` or a table `parameters` for the program.
//!
//! File names are relative to the study file. `docs/reference/studies.md` has all keys.

use super::assumptions::SensitivityChoice;
use super::choice::ModelChoice;
use super::failure_choice::DegradedChoice;
use super::jobs::JobEntry;
use super::model_file;
use super::network::NetworkChoice;
use super::procurement::BudgetChoice;
use super::traffic::TrafficChoice;
use super::workload_entry::WorkloadEntry;
use crate::defaults::Version;
use crate::packets::choice::SweepChoice;
use crate::platform::PlatformParameters;
use crate::share;
use serde::Deserialize;
use std::path::PathBuf;

/// A study as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Heading of the report.
    pub title: String,
    /// Name of the baseline network; default: the first one.
    pub baseline: Option<String>,
    /// Version of the defaults, e.g. `0.1`; default: the current one.
    pub defaults: Option<Version>,
    /// Model that converts traces to time.
    #[serde(default, deserialize_with = "model_file::table_or_file")]
    pub model: ModelChoice,
    /// Rule for the placement of ranks: `one-each`, `block`, `round-robin` or `random`.
    pub mapping: Option<String>,
    /// Several rules, instead of `mapping`; every network is compared with the baseline under each of them.
    pub mappings: Option<Vec<String>>,
    /// Host file, instead of `mapping`; every network must have its names.
    pub hostfile: Option<PathBuf>,
    /// Rank file, instead of `mapping`; every network must have its names.
    pub rankfile: Option<PathBuf>,
    /// Seed of random topologies, routings and mappings that have none of their own.
    pub seed: Option<u64>,
    /// Several seeds: everything random runs once for each.
    pub seeds: Option<Vec<u64>>,
    /// Number of seeds, from `seed` on, or from 1: everything random runs once for each.
    pub repetitions: Option<u32>,
    /// Several routing rules; every network is compared with the baseline under each of them. `default` is the rule
    /// that a network has without this list.
    pub routings: Option<Vec<String>>,
    /// Several tables of collectives; every network is compared with the baseline under each of them.
    pub collectives: Option<Vec<String>>,
    /// Cables and switches that fail: a table with the keys of [`FailureChoice`](super::failure_choice::FailureChoice), or a
    /// list of such tables. Every network is also compared with its intact state.
    pub failures: Option<toml::Value>,
    /// Cables that become slower, in addition to `failures` or alone.
    pub degraded: Option<DegradedChoice>,
    /// Several network models, e.g. `["smpi", "packet"]`; every network is compared with the baseline under each of
    /// them.
    pub models: Option<Vec<String>>,
    /// Checks of the study's own conclusions.
    pub check: Option<CheckChoice>,
    /// Relative half width of the time per iteration at which replays end early, such as `1%`; default: whole replays.
    #[serde(default, deserialize_with = "share::text")]
    pub until_steady: Option<String>,
    /// Assumptions that are changed one at a time.
    pub sensitivity: Option<SensitivityChoice>,
    /// Limits and prices.
    pub budget: Option<BudgetChoice>,
    /// Several sets of parameters; every network is compared with the baseline under each of them.
    pub platforms: Option<Vec<PlatformEntry>>,
    /// Settings common to all networks.
    #[serde(default)]
    pub network: NetworkChoice,
    /// Synthetic traffic on the networks, for the HTML report.
    pub throughput: Option<TrafficChoice>,
    /// Packets on the networks under synthetic traffic: curves of latency, and saturation.
    pub packets: Option<SweepChoice>,
    /// Networks of the study.
    #[serde(default)]
    pub networks: Vec<NetworkChoice>,
    /// Workloads of the study.
    #[serde(default)]
    pub workloads: Vec<WorkloadEntry>,
    /// Jobs that run simultaneously: one more workload, after the others.
    #[serde(default)]
    pub jobs: Vec<JobEntry>,
    /// Rule that assigns hosts to jobs without hosts or a rule of their own; default: `contiguous`.
    pub allocation: Option<String>,
    /// `true` if the ranks of several jobs on a host may exceed its cores.
    #[serde(default)]
    pub share_hosts: bool,
}

/// Checks as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckChoice {
    /// `true` to repeat every replay with packets and compare the conclusions; `false` for no check, even if `iterations`
    /// is set.
    pub packets: Option<bool>,
    /// Number of leading iterations of each workload that are replayed for the comparison; default: whole runs.
    pub iterations: Option<usize>,
}

/// A set of parameters as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformEntry {
    /// Name for the report.
    pub name: String,
    /// Hosts, speeds and latencies; those of a network itself override them.
    #[serde(default)]
    pub parameters: PlatformParameters,
}
