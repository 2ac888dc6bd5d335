//! Arguments of `replay`.

use super::network::{Model, Network, PlacementFiles};
use super::whole;
use clap::Args;
use mopsim::study::jobs::{JobEntry, Rule};
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
    /// Trace: a file of any format of docs/reference/traces.md, a list of files (one a rank), or `-` for standard input; plain,
    /// xz, zstd or gzip. Several traces are jobs that run at the same time
    #[arg(value_name = "TRACE", required_unless_present_any = ["job", "jobs"])]
    pub traces: Vec<PathBuf>,
    /// Topology, e.g. torus:8x8, random:n=64,d=6,seed=1, imase-itoh:n=64,d=6, graph.json, edges.txt
    #[arg(long, value_name = "SPEC")]
    pub topology: Option<String>,
    /// Platform file instead of a topology: explicit JSON, SimGrid XML, or TOML
    #[arg(long, value_name = "FILE", conflicts_with = "topology")]
    pub platform: Option<PathBuf>,
    /// Number of ranks; found from the trace if 0 or left out
    #[arg(long, visible_alias = "np", value_name = "N", value_parser = whole::<usize>)]
    pub ranks: Option<usize>,
    /// Most bytes that a trace may unpack to [default: 8 GiB, and a thousand times the size of the file]
    #[arg(long, value_name = "BYTES", value_parser = whole::<u64>)]
    pub max_unpacked_bytes: Option<u64>,
    /// Let a list of trace files name files outside its own folder
    #[arg(long)]
    pub files_anywhere: bool,
    /// Put the simulator's own wall time and speed into the result, too (they differ from run to run)
    #[arg(long)]
    pub timing: bool,
    /// Say also for how long links were full, and what the critical path through ranks and messages is made of
    #[arg(long)]
    pub explain: bool,
    /// Write what each rank does when, as Chrome trace events for ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Most events that the timeline may have; what comes later is left out
    #[arg(long, value_name = "N", default_value_t = 2_000_000, requires = "timeline", value_parser = whole::<u64>)]
    pub timeline_events: u64,
    /// Also replace a file that is not a mopsim report
    #[arg(long, requires = "timeline")]
    pub force: bool,
    #[command(flatten)]
    pub several: SeveralJobs,
    #[command(flatten)]
    pub placement: PlacementFiles,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub model: Model,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Several jobs")]
pub struct SeveralJobs {
    /// One more job, e.g. "cg.ti,start=2 ms,allocation=random" or "traffic=uniform,load=0.3" (may be repeated)
    ///
    /// A trace, or `traffic=PATTERN` with `load=SHARE` or `rate=BANDWIDTH`, then keys of docs/guide/jobs.md: name, ranks,
    /// hostfile, hosts=0+1+2, allocation, start, delay_flops, repeat, message, seed.
    #[arg(long, value_name = "JOB")]
    pub job: Vec<JobEntry>,
    /// Jobs of a file: TOML with `[[jobs]]`, or SimGrid's description of instances or of a workload
    #[arg(long, value_name = "FILE")]
    pub jobs: Option<PathBuf>,
    /// Hosts of a job that names none: contiguous, random, random-groups[:N] or striped[:N], for groups of N hosts
    /// [default: contiguous; groups: cabinets]
    #[arg(long, value_name = "RULE", conflicts_with_all = ["mapping", "hostfile"])]
    pub allocation: Option<Rule>,
    /// Let hosts have more ranks of several jobs than cores
    #[arg(long)]
    pub share_hosts: bool,
    /// Replay jobs alone and all together, but not in pairs
    #[arg(long)]
    pub no_pairs: bool,
}

impl SeveralJobs {
    /// Returns `true` if any of these flags is present.
    pub fn is_given(&self) -> bool {
        !self.job.is_empty() || self.jobs.is_some() || self.allocation.is_some() || self.share_hosts || self.no_pairs
    }
}
