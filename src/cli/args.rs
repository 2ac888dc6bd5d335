//! The arguments, as `--help` shows them.

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use mopsim::study::shard::Shard;
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
  mopsim collectives allreduce --ranks 64 --size 4096

Exit codes: 0 done; 1 the replay itself failed (deadlock, unmatched messages);
2 bad arguments or bad input; 3 reading or writing failed; 130 interrupted."
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
    /// Tables in Markdown
    Markdown,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the algorithms of collectives, with their messages, and which one each table picks why
    Collectives(Collectives),
    /// Replay workloads on several networks and compare them with a baseline
    Compare(Compare),
    /// Report on a study from the results files of its shards
    Merge(Merge),
    /// Record what a real MPI program does, as a trace
    Record(super::record::Record),
    /// Replay one trace on one network
    Replay(Replay),
    /// Write a topology or platform for other programs: SimGrid XML, GraphML, Graphviz, JSON, edge list
    Export(Export),
    /// Show what networks carry under synthetic traffic: saturation, fair rates, latency, bounds on any routing
    Throughput(super::throughput::Throughput),
    /// Show metrics, cables, cost and power of topologies, side by side; or which ones fit
    Topology(Topology),
    /// Generate the trace of an application at any size; or list the applications
    Workload(Workload),
    /// Show, check, convert, cut, scale and compare traces
    Trace(super::trace_args::TraceVerb),
    /// Help in choosing a network: hops for Equality, growing a DSN-F, numbers of switches
    Design(Design),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim compare studies/uni-vs-bi.toml --html report.html --csv results.csv

A study file (file names are relative to it):
  title = \"Torus against random\"
  baseline = \"random\"            # the first network if left out
  mapping = \"one-each\"           # or block, round-robin, random; or instead
                                 # hostfile = \"FILE\", rankfile = \"FILE\"
  [model]                        # as the flags of the same names
  collectives = \"mvapich2\"       # or ompi, mpich, default
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

Flags come before what the study file says. docs/studies.md has all keys: seeds
and repetitions, several mappings, tables and platforms, weights, a budget.

A long study, in pieces or on a cluster:
  mopsim compare S.toml --results s.jsonl            # Ctrl-C stops it cleanly
  mopsim compare S.toml --results s.jsonl --resume   # and this goes on
  mopsim compare S.toml --shard 1/2 --results a.jsonl
  mopsim compare S.toml --shard 2/2 --results b.jsonl
  mopsim merge S.toml a.jsonl b.jsonl                # the same as in one run
  mopsim compare S.toml --slurm DIR --shards 16      # job scripts for that")]
pub struct Compare {
    #[command(flatten)]
    pub study: StudyFlags,
    #[command(flatten)]
    pub results: ResultsFlags,
    #[command(flatten)]
    pub cluster: ClusterFlags,
    /// Number of replays that run at the same time; 0: one for each core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads())]
    pub threads: usize,
}

/// What makes a study: the same flags give the same study.
#[derive(Debug, Args)]
pub struct StudyFlags {
    /// Study file: networks, workloads, baseline, model (TOML)
    pub study: PathBuf,
    #[command(flatten)]
    pub placement: PlacementFiles,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub model: Model,
    #[command(flatten)]
    pub perturbation: Perturbation,
    /// Leave out for how long links were full, and critical paths; saves a third of the time
    #[arg(long)]
    pub no_explain: bool,
    #[command(flatten)]
    pub files: CompareFiles,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct CompareFiles {
    /// Write a report for readers, too: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Which cell the timeline of the HTML report shows, by names [default: of the workload on which networks differ
    /// most, the fastest]
    #[arg(long, value_name = "WORKLOAD@NETWORK", requires = "html")]
    pub timeline_cell: Option<String>,
    /// Pattern of synthetic traffic that the HTML report says the throughput for, e.g. uniform (may be repeated; a study
    /// names its own under [throughput])
    #[arg(long, value_name = "PATTERN", requires = "html")]
    pub pattern: Vec<String>,
    /// Write the results as JSON, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as CSV, too
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Ranking stability")]
pub struct Perturbation {
    /// Repeat the study with bandwidth, latency and compute speed varied by up to this much, and say how often each ranking
    /// holds; e.g. 10%
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    pub perturb: Option<String>,
    /// Number of these repetitions: a Latin hypercube, drawn from --seed
    #[arg(long, value_name = "N", default_value_t = 20, requires = "perturb", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub samples: u32,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Results file")]
pub struct ResultsFlags {
    /// File that keeps each replay as soon as it is done (JSON lines)
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Continue the results file if it is there
    #[arg(long, requires = "results")]
    pub resume: bool,
    /// Run only part K of N; `mopsim merge` puts the results files together
    #[arg(long, value_name = "K/N", requires = "results", allow_hyphen_values = true)]
    pub shard: Option<Shard>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterFlags {
    /// Run nothing, but write job scripts into this folder: an array for Slurm, one for HyperQueue, and the merge
    #[arg(long, value_name = "DIR", conflicts_with_all = ["results", "resume", "shard"])]
    pub slurm: Option<PathBuf>,
    /// Number of array tasks, each of which runs one shard
    #[arg(long, value_name = "N", default_value_t = 16, requires = "slurm", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub shards: u32,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim merge study.toml shard-1.jsonl shard-2.jsonl --format json

Give the flags that the shards were run with: they are part of the study.")]
pub struct Merge {
    #[command(flatten)]
    pub study: StudyFlags,
    /// Results files of all shards
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
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
    /// Trace: a file of any format of docs/traces.md, a list of files (one a rank), or `-` for standard input; plain, xz, zstd
    /// or gzip
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
    #[command(flatten)]
    pub placement: PlacementFiles,
    /// Most bytes that a trace may unpack to [default: 8 GiB, and a thousand times the size of the file]
    #[arg(long, value_name = "BYTES")]
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
    #[arg(long, value_name = "N", default_value_t = 2_000_000, requires = "timeline")]
    pub timeline_events: u64,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub model: Model,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim export torus:4x4 --to simgrid -o torus.xml --hostfile hosts.txt
  mopsim export random:n=64,d=6,seed=1 --to dot | neato -Tsvg > random.svg
  mopsim export --platform cluster.xml --to simgrid    # all routes written out

SimGrid gets two links for a cable (--duplex full) or one (--duplex shared), and
a route for each ordered pair of hosts, so that it takes exactly our routes. The
other formats hold switches and cables only, and can be read back as topologies:
mopsim topology graph.graphml")]
pub struct Export {
    /// Topology, e.g. torus:8x8, random:n=64,d=6,seed=1, graph.json
    #[arg(value_name = "SPEC", required_unless_present = "platform")]
    pub spec: Option<String>,
    /// Platform file instead of a topology: explicit JSON, SimGrid XML, or TOML
    #[arg(long, value_name = "FILE", conflicts_with = "spec")]
    pub platform: Option<PathBuf>,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// File to write instead of standard output; never half a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// With --to simgrid: host file to write, too, a host a line in the order of ranks
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub network: Network,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Platform for SimGrid 3.32 (XML 4.1)
    Simgrid,
    /// Graph as GraphML
    Graphml,
    /// Graph for Graphviz
    Dot,
    /// Graph as JSON
    Json,
    /// Graph as lines `u v`
    Edges,
}

#[derive(Debug, Args)]
#[command(after_help = super::families::help())]
pub struct Topology {
    /// Topology specifications or graph files
    #[arg(required_unless_present = "fit", value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Which families join so many hosts with switches of so many ports, e.g. hosts=4096,radix=36
    #[arg(long, value_name = "hosts=N,radix=R", conflicts_with_all = [
        "specs", "seed", "aspl_samples", "bisection", "full", "route", "floor_plan", "switches_per_cabinet", "placement",
        "endpoints", "switch_delay", "cable_delay", "prices", "floor_svg",
    ])]
    pub fit: Option<String>,
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
    /// How that route is chosen; an unknown rule lists them all [default: bfs; d_mod_k for trees]
    #[arg(long, value_name = "RULE", requires = "route")]
    pub routing: Option<String>,
    #[command(flatten)]
    pub floor: Floor,
    /// Hosts on each switch that bears hosts (in trees: on each leaf) [default: those of the topology, mostly 1]
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
#[command(after_help = "\
Examples:
  mopsim collectives --ranks 64 --size 4096
  mopsim collectives allreduce bcast --ranks 100 --size 65536 --collectives ompi")]
pub struct Collectives {
    /// Operations, e.g. allreduce, with the sizes at which tables change their choice; all operations if none is given
    #[arg(value_name = "KIND")]
    pub kinds: Vec<String>,
    /// Number of ranks, P
    #[arg(long, value_name = "P")]
    pub ranks: u32,
    /// Size in bytes, n: of the message or vector, or of a block where every rank has one for each
    #[arg(long, value_name = "BYTES")]
    pub size: u32,
    /// Ranks on each host, in a row
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub ranks_per_host: u32,
    /// The table whose crossovers are shown, and that combined algorithms use in turn: mvapich2, ompi, mpich or default
    /// [default: crossovers of all, mvapich2]
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// Whether the calls pay for finding out who shares a host [default: off]
    #[arg(long, value_name = "ON|OFF")]
    pub smp_setup: Option<Switch>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct Network {
    /// How routes are chosen: bfs (shortest, lowest numbers first), random-shortest, lowest-latency, ecmp, balanced, up-down,
    /// dimension-order, d-mod-k (trees), or that of a family: dsnf, polynomial (Imase), equality [default: bfs; d-mod-k for
    /// trees and Clos networks]
    #[arg(long, value_name = "RULE")]
    pub routing: Option<String>,
    /// Whether the directions of a two-way cable have a capacity each: full or shared [default: full]
    #[arg(long, value_name = "MODE")]
    pub duplex: Option<String>,
    /// Hosts on each switch that bears hosts (in trees: on each leaf) [default: those of the topology, mostly 1]
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
    /// How ranks are placed on hosts: one-each; block (each host takes as many neighbouring ranks as it has cores, and
    /// an equal share where there are more ranks than cores); round-robin; random (round-robin over hosts in random
    /// order) [default: one-each]
    #[arg(long, value_name = "RULE")]
    pub mapping: Option<String>,
    /// Seed of random topologies, routings and mappings that have none of their own
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct PlacementFiles {
    /// Host of each rank, in order: a file with a host name on each line, `name:k` for k ranks. It begins again where
    /// there are more ranks than lines
    #[arg(long, value_name = "FILE", conflicts_with = "mapping")]
    pub hostfile: Option<PathBuf>,
    /// Host of each rank, by number: a file with lines `RANK HOST` or `rank RANK=HOST slot=N`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mapping", "hostfile"])]
    pub rankfile: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct Model {
    /// Network model: smpi, lv08, cm02 or ideal [default: smpi]
    #[arg(long, value_name = "MODEL")]
    pub network_model: Option<String>,
    /// Table that chooses the algorithm of each collective: mvapich2, ompi, mpich or default [default: mvapich2]
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// One algorithm for all calls of an operation, e.g. alltoall=bruck (may be repeated); `mopsim collectives` lists them
    #[arg(long, value_name = "KIND=ALGORITHM")]
    pub collective: Vec<String>,
    /// How links are shared: exact, the max-min fair solution at every instant; simgrid-lazy, SimGrid's incremental
    /// solver with its stale rates; or simgrid-full, exact with SimGrid's rounding errors, slow [default: exact]
    #[arg(long, value_name = "RULE")]
    pub sharing: Option<String>,
    /// Events closer than this many seconds happen together [default: 1e-12]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    pub timing_precision: Option<f64>,
    /// simgrid: give the numbers of SimGrid's default settings; the same as --sharing simgrid-lazy --timing-precision 1e-9
    #[arg(long, value_name = "TOOL")]
    pub compat: Option<String>,
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

/// What `--help` of a verb says.
pub fn help(verb: &str) -> String {
    let mut all = Arguments::command();
    all.build();
    all.find_subcommand_mut(verb).map(|verb| verb.render_long_help().to_string()).unwrap_or_default()
}

#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  mopsim workload                                        # which there are
  mopsim workload npb/lu --help                          # what one is and takes
  mopsim workload npb/lu --class A --ranks 64            # what the trace has in it
  mopsim workload npb/lu --class A --ranks 64 --iterations 10 -o lu.A.64.ti.zst
  mopsim workload my.star --ranks 100 -p side=32

A program is Starlark, a dialect of Python without files, network or clock;
docs/workloads.md tells how to write one."
)]
pub struct Workload {
    /// A built-in program, or a file that ends in .star; all built-in ones are listed if none is given
    pub name: Option<String>,
    /// Show this, or with NAME what the program is and which parameters it has
    #[arg(long, short)]
    pub help: bool,
    /// Show what the program is and which parameters it has, in the --format asked for
    #[arg(long)]
    pub parameters: bool,
    /// Print the program itself, to copy and change it
    #[arg(long, conflicts_with = "parameters")]
    pub source: bool,
    /// Number of ranks
    #[arg(long, value_name = "N")]
    pub ranks: Option<u32>,
    /// Problem class: the same as -p class=CLASS
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// Iterations: the same as -p iterations=N
    #[arg(long, value_name = "N")]
    pub iterations: Option<String>,
    /// A parameter of the program (may be repeated)
    #[arg(short, long = "parameter", value_name = "NAME=VALUE")]
    pub p: Vec<String>,
    /// Write the trace: TI text, or the compact form if the name ends in .mtrace; packed if it ends in .zst, .gz or .xz
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Scale amounts of computation so that their sum is that of a recorded trace of the same size
    #[arg(long, value_name = "TRACE")]
    pub calibrate: Option<PathBuf>,
    /// Most actions of all ranks together
    #[arg(long, value_name = "N")]
    pub max_actions: Option<u64>,
    /// Most calls and loop iterations of a rank
    #[arg(long, value_name = "N")]
    pub max_steps: Option<u64>,
}

#[derive(Debug, Args)]
pub struct Design {
    #[command(subcommand)]
    pub what: DesignWhat,
}

#[derive(Debug, Subcommand)]
pub enum DesignWhat {
    /// Search hops of an Equality network with short paths
    Equality(DesignEquality),
    /// List the cables that the expansion of a DSN-F network adds, moves and removes
    Dsnf(DesignDsnf),
    /// Bound the number of switches between compute nodes
    Switches(DesignSwitches),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim design equality --n 256 --degree 9 --generations 200 --state eq.json

A genetic search: the product of average distance and diameter gets smaller. The
same seed gives the same network, in one run or in several that share a state
file.")]
pub struct DesignEquality {
    /// Number of switches, even
    #[arg(long)]
    pub n: u32,
    /// Cables at a switch, from 2 to n/2
    #[arg(long)]
    pub degree: u32,
    /// Generations at most; it ends early after 100 without progress
    #[arg(long, value_name = "G", default_value_t = 500)]
    pub generations: u32,
    /// Seed of the search
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Odd hops beside -1 and 1 that must be there, e.g. 3,9
    #[arg(long, value_name = "HOPS", value_delimiter = ',')]
    pub odd: Vec<u32>,
    /// Even hops that must be there, e.g. 4
    #[arg(long, value_name = "HOPS", value_delimiter = ',')]
    pub even: Vec<u32>,
    /// File that keeps the search: saved every second, and continued if it is there
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim design dsnf --from n=24,p=3 --to n=160,p=5 --format csv > cables.csv")]
pub struct DesignDsnf {
    /// The network to begin with: parameters of `dsnf`
    #[arg(long, value_name = "n=N,p=P")]
    pub from: String,
    /// The network to reach
    #[arg(long, value_name = "n=N,p=P")]
    pub to: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim design switches --nodes 1000 --ports 24")]
pub struct DesignSwitches {
    /// Number of compute nodes, more than 2
    #[arg(long)]
    pub nodes: u64,
    /// Ports of a switch, more than 2
    #[arg(long)]
    pub ports: u64,
    /// Ports of a compute node
    #[arg(long, default_value_t = 1)]
    pub node_ports: u64,
}
