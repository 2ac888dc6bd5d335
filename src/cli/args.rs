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
Examples:
  mopsim compare studies/uni-vs-bi.toml
  mopsim replay traces/cg.A.64.ti.zst --topology torus:8x8
  mopsim topology torus:8x8 random:n=64,d=6,seed=1

Exit codes: 0 done; 1 the replay itself failed (deadlock, unmatched messages);
2 bad arguments or bad input; 3 reading or writing failed."
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
    /// Show metrics, cables, cost and power of topologies, side by side
    Topology(Topology),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim compare studies/uni-vs-bi.toml --format csv > results.csv

A study file (file names are relative to it):
  title = \"Torus against random\"
  baseline = \"random\"            # the first network if left out
  mapping = \"one-each\"           # or block, round-robin, random
  [model]                        # as the flags of the same names
  collectives = \"mvapich2\"
  [network]                      # what all networks have in common
  parameters = { link_bandwidth = \"40 Gbit/s\", link_latency = \"100 ns\" }
  [[networks]]
  name = \"random\"
  topology = \"random:n=64,d=6,seed=1\"
  [[networks]]
  topology = \"torus:8x8\"
  parameters = { duplex = \"shared\" }
  [[workloads]]
  trace = \"../traces/cg.A.64.ti.zst\"

Flags come before what the study file says.")]
pub struct Compare {
    /// Study file: networks, workloads, baseline, model (TOML)
    pub study: PathBuf,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub model: Model,
    /// Number of replays that run at the same time; 0: one for each core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads())]
    pub threads: usize,
}

/// More threads than any machine has cores only cost memory, up to what it has.
fn threads() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(0..=4096)
}

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
  link_bandwidth = \"40 Gbit/s\"
  link_latency = \"100 ns\"
  duplex = \"full\"")]
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
    /// Number of ranks; found from the trace if 0 or left out
    #[arg(long, value_name = "N")]
    pub ranks: Option<usize>,
    /// Host of each rank: a file with a host name on each line, `name:k` for k ranks
    #[arg(long, value_name = "FILE", conflicts_with = "mapping")]
    pub hostfile: Option<PathBuf>,
    /// Most bytes that a trace may unpack to [default: 8 GiB, and a thousand times the size of the file]
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
  mopsim topology torus:8x8 random:n=64,d=6,seed=1 imase-itoh:n=64,d=6
  mopsim topology torus:8x8 --route 0 36 --routing dimension-order
  mopsim topology torus:4x8x8 --switches-per-cabinet 4 --floor-svg floor.svg

A price list is a TOML file; data/prices/equality.toml is the one built in.")]
pub struct Topology {
    /// Topology specifications or graph files
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Seed of random families whose specification gives none, of samples and of random routings
    #[arg(long)]
    pub seed: Option<u64>,
    /// Estimate distances from so many switches, with an error bound, instead of all
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub aspl_samples: Option<u32>,
    /// Bisection by METIS, best of so many seeds; 0: none [default: 5, and none beyond a million arcs]
    #[arg(long, value_name = "SEEDS", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub bisection: Option<u32>,
    /// Also what takes long in large networks: latencies, number of ways, edge connectivity, bisection
    #[arg(long)]
    pub full: bool,
    /// Show the route between two switches, and why it goes where it goes
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub route: Option<Vec<u32>>,
    /// How that route is chosen; an unknown rule lists them all [default: bfs]
    #[arg(long, value_name = "RULE", requires = "route")]
    pub routing: Option<String>,
    #[command(flatten)]
    pub floor: Floor,
    /// Compute nodes at each switch [default: 1]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub endpoints: Option<u32>,
    /// Delay of a switch, e.g. "20 ns" [default: 60 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay of a metre of cable [default: 5 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    /// Price list (TOML) instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Draw the floor with its cables (SVG); for one topology
    #[arg(long, value_name = "FILE")]
    pub floor_svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Floor plan")]
pub struct Floor {
    /// Model of cabinets and cables: grid, slim-fly or equality [default: grid]
    #[arg(long, value_name = "MODEL")]
    pub floor_plan: Option<String>,
    /// Switches in a cabinet of the grid models [default: what the family says, else 16]
    #[arg(long, value_name = "N")]
    pub switches_per_cabinet: Option<u32>,
    /// Order in which switches fill cabinets: vertex, or supernode-major for DSN-F [default: vertex]
    #[arg(long, value_name = "ORDER")]
    pub placement: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct Network {
    /// How routes are chosen: bfs (shortest, lowest numbers first), random-shortest, lowest-latency, ecmp, balanced, up-down,
    /// dimension-order, or that of a family: dsnf, polynomial (Imase), equality [default: bfs]
    #[arg(long, value_name = "RULE")]
    pub routing: Option<String>,
    /// Whether the directions of a two-way cable have a capacity each: full or shared [default: full]
    #[arg(long, value_name = "MODE")]
    pub duplex: Option<String>,
    /// Hosts on each switch [default: 1]
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Speed of a core; a bare number is in flop/s [default: 100 Gflop/s]
    #[arg(long, allow_hyphen_values = true, value_name = "SPEED")]
    pub host_speed: Option<String>,
    /// Cores of a host [default: 1]
    #[arg(long, value_name = "N")]
    pub cores: Option<u32>,
    /// Bandwidth of a link, e.g. "5 GB/s"; a bare number is in bytes a second [default: 40 Gbit/s]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub link_bandwidth: Option<String>,
    /// Latency of a link; a bare number is in seconds [default: 100 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub link_latency: Option<String>,
    /// Delay of a switch, e.g. "60 ns" [default: 0]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay of a metre of cable between switches, by the floor plan, e.g. "5 ns" [default: 0]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    #[command(flatten)]
    pub floor: Floor,
    /// Bandwidth of the link between a host and its switch; without it hosts add no link
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub host_link_bandwidth: Option<String>,
    /// Latency of the link between a host and its switch [default: that of the other links]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub host_link_latency: Option<String>,
    /// How ranks are placed on hosts: one-each, block, round-robin or random [default: one-each]
    #[arg(long, value_name = "RULE")]
    pub mapping: Option<String>,
    /// Seed of random topologies, routings and mappings that have none of their own
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct Model {
    /// Network model: smpi, lv08, cm02 or ideal [default: smpi]
    #[arg(long, value_name = "MODEL")]
    pub network_model: Option<String>,
    /// Table that chooses the algorithm of each collective: mvapich2 or default [default: mvapich2]
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// One algorithm for all calls of an operation, e.g. alltoall=bruck (may be repeated)
    #[arg(long, value_name = "KIND=ALGORITHM")]
    pub collective: Vec<String>,
    /// How links are shared: exact, the max-min fair solution at every instant [default: exact]
    #[arg(long, value_name = "RULE")]
    pub sharing: Option<String>,
    /// Events closer than this many seconds happen together [default: 1e-12]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    pub timing_precision: Option<f64>,
    /// Whether a flow also takes 5 % of its rate on the way back [default: that of the network model]
    #[arg(long, value_name = "ON|OFF")]
    pub crosstraffic: Option<Switch>,
    /// Whether the first collective pays for finding out who shares a host [default: off]
    #[arg(long, value_name = "ON|OFF")]
    pub smp_setup: Option<Switch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}
