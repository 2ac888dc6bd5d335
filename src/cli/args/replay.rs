//! Arguments of `replay`.

use super::known::{Known, families};
use super::network::{ModelFlags, NetworkFlags, PlacementFiles};
use super::whole;
use clap::Args;
use mopsim::study::jobs::{AllocationRule, JobEntry};
use mopsim::study::steady::within;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim replay traces/lu.A.64.it10.ti.zst --topology imase-itoh:n=64,d=6

A platform file in TOML:
  topology = \"torus:8x8\"
  routing = \"bfs\"
  [parameters]
  hosts_per_switch = 1
  host_speed = \"100 Gflop/s\"
  link_bandwidth = \"100 Gbit/s\"
  switch_delay = \"100 ns\"
  duplex = \"full\"")]
pub struct Replay {
    /// Trace; several traces are jobs on one network
    ///
    /// In any format of docs/reference/traces.md: a file, a list of files (one per rank), or `-` for standard input; plain or compressed with xz, zstd or gzip.
    #[arg(value_name = "TRACE", required_unless_present_any = ["job", "jobs"])]
    pub traces: Vec<PathBuf>,
    /// Topology, e.g. torus:8x8 or random:n=64,d=6
    ///
    /// A family with its parameters, or the path of a graph file. `mopsim topology --help` lists the families.
    #[arg(long, value_name = "SPEC", value_parser = Known(families), hide_possible_values = true)]
    pub topology: Option<String>,
    /// Platform file: explicit JSON, SimGrid XML or TOML
    ///
    /// Takes the place of a topology.
    #[arg(long, value_name = "FILE", conflicts_with = "topology")]
    pub platform: Option<PathBuf>,
    /// Number of ranks [default: that of the trace]
    #[arg(long, visible_alias = "np", value_name = "N", value_parser = whole::<usize>)]
    pub ranks: Option<usize>,
    /// Maximum total size of decompressed files [default: 8 GiB, and beyond 32 MiB 1,000 times the compressed size]
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = whole::<u64>)]
    pub max_unpacked_bytes: Option<u64>,
    /// Let a list of trace files name files outside its own folder
    #[arg(long, hide_short_help = true)]
    pub files_anywhere: bool,
    /// Add the simulator's own wall time and speed to the result
    ///
    /// They differ from run to run.
    #[arg(long, hide_short_help = true)]
    pub timing: bool,
    /// Report full links and the critical path
    ///
    /// States how long each link was full (at its whole capacity), and lists the critical path through ranks and messages.
    #[arg(long)]
    pub explain: bool,
    /// Replay iterations until their mean time is known to within 1 %
    ///
    /// The time of the whole run is then extrapolated from these iterations, with a 95 % confidence interval. `--until-steady=0.5%` requires 0.5 % instead of 1 %.
    /// A run without iterations, or with fewer than 20, is replayed whole. docs/guide/long-runs.md shows the method.
    #[arg(long, hide_short_help = true, value_name = "WITHIN", num_args = 0..=1, require_equals = true, default_missing_value = "1%", value_parser = within)]
    pub until_steady: Option<f64>,
    /// Write a timeline of all ranks, for ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Maximum number of events in the timeline; later ones are left out
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 2_000_000, requires = "timeline", value_parser = whole::<u64>)]
    pub timeline_events: u64,
    /// Also replace a file that is not a mopsim report
    #[arg(long, hide_short_help = true, requires = "timeline")]
    pub force: bool,
    #[command(flatten)]
    pub several: SeveralJobs,
    #[command(flatten)]
    pub placement: PlacementFiles,
    #[command(flatten)]
    pub network: NetworkFlags,
    #[command(flatten)]
    pub model: ModelFlags,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Several jobs")]
pub struct SeveralJobs {
    /// Another job, e.g. "cg.ti,start=2 ms"
    ///
    /// A job is a trace; `workload=NAME` with class, iterations and ranks; or background traffic, `traffic=PATTERN` with `load=SHARE` or
    /// `rate=BANDWIDTH`, e.g. "traffic=uniform,load=0.3". Further keys follow (docs/guide/jobs.md): name, ranks, hostfile, hosts=0+1+2, allocation, start, delay_flops, repeat,
    /// message, seed. May be repeated.
    #[arg(long, value_name = "JOB")]
    pub job: Vec<JobEntry>,
    /// File with jobs: TOML with `[[jobs]]`, or SimGrid's description of instances or of a workload
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub jobs: Option<PathBuf>,
    /// Hosts of jobs: contiguous, random, random-groups[:N] or striped[:N] [default: contiguous]
    ///
    /// Applies to jobs that name no hosts. N is the number of hosts in a group [default: those of a Dragonfly group, on other networks those of a cabinet].
    #[arg(long, hide_short_help = true, value_name = "RULE", conflicts_with_all = ["mapping", "hostfile"])]
    pub allocation: Option<AllocationRule>,
    /// Let jobs share hosts that have fewer cores than ranks
    #[arg(long, hide_short_help = true)]
    pub share_hosts: bool,
    /// Replay jobs alone and all together, but not in pairs
    #[arg(long, hide_short_help = true)]
    pub no_pairs: bool,
}

impl SeveralJobs {
    /// Returns `true` if any of these flags is present.
    pub fn is_given(&self) -> bool {
        !self.job.is_empty() || self.jobs.is_some() || self.allocation.is_some() || self.share_hosts || self.no_pairs
    }
}
