//! Arguments of `workload`.

use super::{GoalTable, whole};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  mopsim workload                                 # which there are
  mopsim workload npb/lu --help                   # what one is and takes
  mopsim workload npb/lu --class A --ranks 64     # what the trace has in it
  mopsim workload npb/lu --class A --ranks 64 --iterations 10 -o lu.A.64.ti.zst
  mopsim workload my.star --ranks 100 -p side=32

A program is Starlark, a dialect of Python without files, network or clock;
docs/guide/workloads.md tells how to write one."
)]
pub struct Workload {
    /// A built-in program, or a file that ends in .star; all built-in ones are listed if none is given
    pub name: Option<String>,
    /// Show this, or with NAME what the program is and which parameters it has
    #[arg(long, short)]
    pub help: bool,
    /// Show what the program is and which parameters it has, in the --format asked for
    #[arg(long, requires = "name")]
    pub parameters: bool,
    /// Print the program itself, to copy and change it
    #[arg(long, conflicts_with = "parameters", requires = "name")]
    pub source: bool,
    /// Number of ranks
    #[arg(long, visible_alias = "np", value_name = "N", requires = "name")]
    pub ranks: Option<u32>,
    /// Problem class: the same as -p class=CLASS
    #[arg(long, value_name = "CLASS", requires = "name")]
    pub class: Option<String>,
    /// Iterations: the same as -p iterations=N
    #[arg(long, value_name = "N", requires = "name")]
    pub iterations: Option<String>,
    /// A parameter of the program (may be repeated)
    #[arg(short, long = "parameter", value_name = "NAME=VALUE", requires = "name")]
    pub p: Vec<String>,
    /// Write the trace: TI text, or what its name ends in (.mtrace, .goal); packed by .zst, .gz or .xz behind that;
    /// `-`: TI text on standard output
    #[arg(long, short, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, requires = "output")]
    pub force: bool,
    #[command(flatten)]
    pub table: GoalTable,
    /// Scale amounts of computation so that their sum is that of a recorded trace of the same size
    #[arg(long, value_name = "TRACE", requires = "name")]
    pub calibrate: Option<PathBuf>,
    /// Most actions of all ranks together
    #[arg(long, value_name = "N", requires = "name", value_parser = whole::<u64>)]
    pub max_actions: Option<u64>,
    /// Most calls and loop iterations of a rank
    #[arg(long, value_name = "N", requires = "name", value_parser = whole::<u64>)]
    pub max_steps: Option<u64>,
}
