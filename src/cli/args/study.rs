//! Arguments of `compare` and `merge`.

use super::network::{Model, Network, PlacementFiles};
use super::threads;
use clap::Args;
use mopsim::study::shard::Shard;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim compare studies/uni-vs-bi.toml --html report.html --csv results.csv

A study file (file names are relative to it):
  title = \"Torus against random\"
  baseline = \"random\"            # the first network if left out
  mapping = \"one-each\"           # or block, round-robin, random, bisection;
                                 # or hostfile = \"FILE\", rankfile = \"FILE\"
  [model]                        # as the flags of the same names
  collectives = \"mvapich2\"       # or ompi, mpich, default
  [network]                      # what all networks have in common
  parameters = { link_bandwidth = \"200 Gbit/s\", switch_delay = \"90 ns\" }
  [[networks]]
  name = \"random\"
  topology = \"random:n=64,d=6,seed=1\"
  [[networks]]
  topology = \"torus:8x8\"
  parameters = { duplex = \"shared\" }
  [[workloads]]
  trace = \"../traces/cg.A.64.ti.zst\"

Flags override the study file. docs/reference/studies.md has all keys: seeds
and repetitions, several mappings, tables and platforms, weights, a budget.

One more candidate, without another study:
  mopsim compare S.toml --topology hypercube:6

A long study, in pieces or on a cluster:
  mopsim compare S.toml --results s.jsonl            # Ctrl-C stops it cleanly
  mopsim compare S.toml --results s.jsonl --resume   # and this goes on
  mopsim compare S.toml --shard 1/2 --results a.jsonl
  mopsim compare S.toml --shard 2/2 --results b.jsonl
  mopsim merge S.toml a.jsonl b.jsonl                # the same as in one run
  mopsim compare S.toml --slurm DIR --shards 16      # job scripts for that")]
pub struct Compare {
    /// Number of replays that run at the same time; 0: one for each core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub threads: usize,
    #[command(flatten)]
    pub study: StudyFlags,
    #[command(flatten)]
    pub results: ResultsFlags,
    #[command(flatten)]
    pub cluster: ClusterFlags,
}

/// What makes a study: the same flags give the same study.
#[derive(Debug, Args)]
pub struct StudyFlags {
    /// Study file: networks, workloads, baseline, model (TOML)
    pub study: PathBuf,
    /// Network to compare beside those of the study, the file or specification of a topology (may be repeated). It takes
    /// what the study says for all networks
    #[arg(long, value_name = "SPEC")]
    pub topology: Vec<String>,
    /// The same with a platform file (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub platform: Vec<PathBuf>,
    /// Leave out for how long links were full, and critical paths; saves a third of the time
    #[arg(long)]
    pub no_explain: bool,
    #[command(flatten)]
    pub placement: PlacementFiles,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub model: Model,
    #[command(flatten)]
    pub perturbation: Perturbation,
    /// Change one assumption at a time (routing, host links, mapping, collectives, model, speeds) and say how far that
    /// moves each network; [sensitivity] in the study says which. Takes about 20 times as long
    #[arg(long)]
    pub sensitivity: bool,
    /// Repeat every replay with packets, and say whether the answer holds ([check] packets = true in a study). The time it
    /// takes is said before
    #[arg(long)]
    pub cross_check: bool,
    /// The same on the first N iterations of each workload only, with packets and with flows
    #[arg(long, value_name = "N")]
    pub check_iterations: Option<usize>,
    #[command(flatten)]
    pub prices: PriceFlags,
    #[command(flatten)]
    pub files: CompareFiles,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Cost")]
pub struct PriceFlags {
    /// Price list (TOML) for performance per money; overrides `prices` in [budget]. data/prices/example.toml shows one
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
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
    /// Pattern of synthetic traffic that the HTML report says the throughput for, e.g. uniform (may be repeated; a
    /// study names its own under [throughput])
    #[arg(long, value_name = "PATTERN", requires = "html")]
    pub pattern: Vec<String>,
    /// Write the results as JSON, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as CSV, too
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also replace files that are not mopsim reports, and edited job scripts
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Ranking stability")]
pub struct Perturbation {
    /// Repeat the study with bandwidth, latency and compute speed varied by up to this much, and say how often each
    /// ranking holds; e.g. 10%. message=20% lets each message arrive late by up to a fifth of its time, at random
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
    #[arg(required = true, value_name = "FILE", help_heading = None)]
    pub files: Vec<PathBuf>,
}
