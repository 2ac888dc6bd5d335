//! Arguments of `compare` and `merge`.

use super::known::{Known, families, patterns};
use super::network::{ModelFlags, NetworkFlags, PlacementFiles, of_study};
use super::threads;
use clap::{Arg, Args};
use mopsim::ledger::Shard;
use mopsim::study::steady::within;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    mut_args(of_study),
    after_help = "\
Example:
  mopsim compare studies/uni-vs-bi.toml --html report.html --csv results.csv

A study file (file names are relative to it):
  title = \"Torus against random\"
  baseline = \"random\"            # the first network if left out
  mapping = \"one-each\"           # or block, round-robin, random, bisection;
                                 # or hostfile = \"FILE\", rankfile = \"FILE\"
  [model]                        # as the flags of the same names
  collectives = \"mvapich2\"       # or ompi, mpich4, ...
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
  mopsim compare S.toml --results s.jsonl --resume   # this continues it
  mopsim compare S.toml --shard 1/2 --results a.jsonl
  mopsim compare S.toml --shard 2/2 --results b.jsonl
  mopsim merge S.toml a.jsonl b.jsonl                # the same as in one run
  mopsim compare S.toml --slurm DIR --shards 16      # job scripts for that"
)]
pub struct Compare {
    /// Replays to run at once; 0: one per core [default: 0]
    ///
    /// The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
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
    /// Another topology besides those of the study
    ///
    /// May be repeated. The settings that the study has for all networks apply to it.
    #[arg(long, value_name = "SPEC", value_parser = Known(families), hide_possible_values = true)]
    pub topology: Vec<String>,
    /// Another network, from a platform file
    ///
    /// May be repeated.
    #[arg(long, value_name = "FILE")]
    pub platform: Vec<PathBuf>,
    /// Skip the analysis of full links and critical paths
    ///
    /// This saves a third of the time.
    #[arg(long, hide_short_help = true)]
    pub no_explain: bool,
    #[command(flatten)]
    pub placement: PlacementFiles,
    #[command(flatten)]
    pub network: NetworkFlags,
    #[command(flatten)]
    pub model: ModelFlags,
    #[command(flatten)]
    pub perturbation: Perturbation,
    /// Show how far each assumption moves the result
    ///
    /// Takes about 20 times as long. One assumption is changed at a time: routing, host links, mapping, collectives, model, speeds. The table
    /// [sensitivity] of the study selects the assumptions.
    #[arg(long)]
    pub sensitivity: bool,
    /// Repeat all replays with packets, and compare
    ///
    /// Equivalent to `packets = true` in the table [check] of a study. The estimated duration is printed first.
    #[arg(long)]
    pub cross_check: bool,
    /// Cross-check only the first N iterations of each workload
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub check_iterations: Option<usize>,
    /// Replay iterations until their mean time is known to within 1 %
    ///
    /// The times of whole runs are then extrapolated, with 95 % confidence intervals; `--until-steady=0.5%` requires 0.5 % instead of 1 %.
    /// The same as `until_steady = "1%"` in a study. docs/guide/long-runs.md describes the method.
    #[arg(long, hide_short_help = true, value_name = "WITHIN", num_args = 0..=1, require_equals = true, default_missing_value = "1%", value_parser = within)]
    pub until_steady: Option<f64>,
    #[command(flatten)]
    pub prices: PriceFlags,
    #[command(flatten)]
    pub files: CompareFiles,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Cost")]
pub struct PriceFlags {
    /// Price list (TOML), to report performance for the money
    ///
    /// Overrides `prices` in [budget]. data/prices/example.toml is an example.
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct CompareFiles {
    /// Write the report as one self-contained HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Replay shown as the timeline of the HTML report [default: the fastest of the workload on which networks differ most]
    #[arg(long, hide_short_help = true, value_name = "WORKLOAD@NETWORK", requires = "html")]
    pub timeline_cell: Option<String>,
    /// Synthetic traffic whose throughput the HTML report shows, e.g. uniform (may be repeated)
    ///
    /// A study names its own patterns under [throughput].
    #[arg(long, value_name = "PATTERN", requires = "html", hide_short_help = true, value_parser = Known(patterns), hide_possible_values = true)]
    pub pattern: Vec<String>,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also replace files that are not mopsim reports, and edited job scripts
    #[arg(long, hide_short_help = true)]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Ranking stability")]
pub struct Perturbation {
    /// Vary speeds by at most, e.g., 10% to test the ranking
    ///
    /// Repeats the study with bandwidth, latency and compute speed varied, and counts how often each ranking holds. message=20% instead delays each message by up
    /// to a fifth of its time, at random.
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    pub perturb: Option<String>,
    /// Number of repetitions for --perturb: samples of a Latin hypercube, drawn with --seed
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 20, requires = "perturb", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub samples: u32,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Results file")]
pub struct ResultsFlags {
    /// Save each replay to this file when it is done
    ///
    /// In the format JSON Lines.
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Continue the run that the file is from, if it exists
    #[arg(long, requires = "results")]
    pub resume: bool,
    /// Run part K of N only; `mopsim merge` joins the files
    #[arg(long, value_name = "K/N", requires = "results", allow_hyphen_values = true)]
    pub shard: Option<Shard>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterFlags {
    /// Write scripts for Slurm and HyperQueue, and run nothing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["results", "resume", "shard"])]
    pub slurm: Option<PathBuf>,
    /// Number of array tasks, each of which runs one shard
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 16, requires = "slurm", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub shards: u32,
}

#[derive(Debug, Args)]
#[command(
    mut_args(of_merge),
    after_help = "\
Examples:
  mopsim merge study.toml shard-1.jsonl shard-2.jsonl --format json
  mopsim merge packets-1.jsonl packets-2.jsonl --html curves.html

Give the flags that the shards of a study were run with: they are part of the
study. Results files of `mopsim packets` contain all settings."
)]
pub struct Merge {
    #[command(flatten)]
    pub study: StudyFlags,
    /// Results files of all shards
    #[arg(value_name = "FILE", help_heading = None)]
    pub files: Vec<PathBuf>,
}

/// Changes arguments of studies for `merge`, whose first file may be one of `mopsim packets`.
fn of_merge(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "study" => argument.value_name("STUDY|FILE").help("Study file, or the first results file of `mopsim packets`"),
        _ => of_study(argument),
    }
}
