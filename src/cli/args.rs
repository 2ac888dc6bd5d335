//! The arguments, as `--help` shows them.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Predicts how fast MPI applications run on an interconnect that nobody has built yet.
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
Example:
  mopsim compare studies/uni-vs-bi.toml
  mopsim replay traces/cg.A.64.ti.zst --topology torus:8x8

Exit codes: 0 done; 1 the replay itself failed (deadlock, unmatched messages); 2 bad arguments or bad input; 3 reading or
writing failed."
)]
pub struct Arguments {
    #[command(flatten)]
    pub output: Output,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Args)]
pub struct Output {
    /// Format of the result on standard output
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// No progress and no diagnostics on standard error, only errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people, in 80 columns
    Text,
    /// JSON with a schema version
    Json,
    /// CSV with a heading
    Csv,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Replay workloads on several networks and compare them with a baseline
    Compare(Compare),
    /// Replay one trace on one network
    Replay(Replay),
    /// Show sizes, degrees and distances of topologies, side by side
    Topology(Topology),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim compare studies/uni-vs-bi.toml --format csv > results.csv")]
pub struct Compare {
    /// Study file: networks, workloads, baseline, model (TOML)
    pub study: PathBuf,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub model: Model,
    /// Number of replays that run at the same time; 0: one for each core. The result does not depend on it
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim replay traces/lu.A.64.it10.ti.zst --topology imase-itoh:n=64,d=6")]
pub struct Replay {
    /// Trace: one file with the lines of all ranks, a list of files (one a rank), or `-` for standard input; plain, xz,
    /// zstd or gzip
    pub trace: PathBuf,
    /// Topology, e.g. torus:8x8, random:n=64,d=6,seed=1, imase-itoh:n=64,d=6, graph.json, edges.txt
    #[arg(long, value_name = "SPEC")]
    pub topology: Option<String>,
    /// Platform file instead of a topology: explicit JSON, SimGrid XML, or TOML
    #[arg(long, value_name = "FILE", conflicts_with = "topology")]
    pub platform: Option<PathBuf>,
    /// Number of ranks; found from the trace if left out
    #[arg(long)]
    pub ranks: Option<usize>,
    /// Host of each rank: a file with a host name on each line, `name:k` for k ranks
    #[arg(long, value_name = "FILE", conflicts_with = "mapping")]
    pub hostfile: Option<PathBuf>,
    /// Most bytes that a trace may unpack to
    #[arg(long, value_name = "BYTES")]
    pub max_unpacked_bytes: Option<u64>,
    /// Put the simulator's own wall time and speed into the result, too (they differ from run to run)
    #[arg(long)]
    pub timing: bool,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub model: Model,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim topology torus:8x8 random:n=64,d=6,seed=1 imase-itoh:n=64,d=6")]
pub struct Topology {
    /// Topology specifications or graph files
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Seed of random families whose specification gives none
    #[arg(long)]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct Network {
    /// How routes are chosen: bfs (shortest, lowest numbers first) or random-shortest
    #[arg(long, value_name = "RULE")]
    pub routing: Option<String>,
    /// Whether the directions of a two-way cable have a capacity each: full or shared
    #[arg(long, value_name = "MODE")]
    pub duplex: Option<String>,
    /// Hosts on each switch
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Speed of a core, e.g. "100 Gflop/s"
    #[arg(long, value_name = "SPEED")]
    pub host_speed: Option<String>,
    /// Cores of a host
    #[arg(long, value_name = "N")]
    pub cores: Option<u32>,
    /// Bandwidth of a link, e.g. "40 Gbit/s"
    #[arg(long, value_name = "BANDWIDTH")]
    pub link_bandwidth: Option<String>,
    /// Latency of a link, e.g. "100 ns"
    #[arg(long, value_name = "TIME")]
    pub link_latency: Option<String>,
    /// Delay of a switch, e.g. "60 ns"
    #[arg(long, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Bandwidth of the link between a host and its switch; without it hosts add no link
    #[arg(long, value_name = "BANDWIDTH")]
    pub host_link_bandwidth: Option<String>,
    /// Latency of the link between a host and its switch
    #[arg(long, value_name = "TIME")]
    pub host_link_latency: Option<String>,
    /// How ranks are placed on hosts: one-each (the default), block, round-robin or random
    #[arg(long, value_name = "RULE")]
    pub mapping: Option<String>,
    /// Seed of random topologies, routings and mappings
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct Model {
    /// Network model: smpi, lv08, cm02 or ideal
    #[arg(long, value_name = "MODEL")]
    pub network_model: Option<String>,
    /// Table that chooses the algorithm of each collective: mvapich2 or default
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// One algorithm for all calls of an operation, e.g. alltoall=bruck (may be repeated)
    #[arg(long, value_name = "KIND=ALGORITHM")]
    pub collective: Vec<String>,
    /// How links are shared: exact
    #[arg(long, value_name = "RULE")]
    pub sharing: Option<String>,
    /// Events closer than this many seconds happen together
    #[arg(long, value_name = "SECONDS")]
    pub timing_precision: Option<f64>,
    /// Whether a flow also takes 5 % of its rate on the way back
    #[arg(long, value_name = "ON|OFF")]
    pub crosstraffic: Option<Switch>,
    /// Whether the first collective pays for finding out who shares a host
    #[arg(long, value_name = "ON|OFF")]
    pub smp_setup: Option<Switch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}
