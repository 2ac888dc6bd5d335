//! Arguments of `workload`.

use super::known::{Known, workloads};
use super::{GoalTable, whole};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  mopsim workload                                 # list of programs
  mopsim workload npb/lu --help                   # description, parameters
  mopsim workload npb/lu --class A --ranks 64     # contents of the trace
  mopsim workload npb/lu --class A --ranks 64 --iterations 10 -o lu.A.64.ti.zst
  mopsim workload my.star --ranks 100 -p side=32

A program is Starlark, a dialect of Python without files, network or clock;
docs/guide/workloads.md describes how to write one."
)]
pub struct Workload {
    /// Built-in program, or a .star file; without it, the built-in programs are listed
    #[arg(value_parser = Known(workloads), hide_possible_values = true)]
    pub name: Option<String>,
    /// Print all options; with NAME, describe the program and its parameters
    #[arg(long, display_order = 902)]
    pub help: bool,
    /// Print a summary of the options
    #[arg(short = 'h', display_order = 902)]
    pub brief_help: bool,
    /// Describe the program and its parameters, in the format of --format
    #[arg(long, requires = "name", hide_short_help = true, conflicts_with_all = ["output", "force"])]
    pub parameters: bool,
    /// Print the source of the program, so that you can copy and change it
    #[arg(long, hide_short_help = true, conflicts_with_all = ["parameters", "output", "force"], requires = "name")]
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
    /// Parameter of the program (may be repeated)
    #[arg(short, long = "parameter", value_name = "NAME=VALUE", requires = "name")]
    pub p: Vec<String>,
    /// Write the trace: TI text, .mtrace or .goal, with .zst, .gz or .xz for compression
    ///
    /// `-` is TI text on standard output.
    #[arg(long, short, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, requires = "output")]
    pub force: bool,
    #[command(flatten)]
    pub table: GoalTable,
    /// Scale computation so that its total matches that of a recorded trace
    ///
    /// The trace must have the same number of ranks.
    #[arg(long, hide_short_help = true, value_name = "TRACE", requires = "name")]
    pub calibrate: Option<PathBuf>,
    /// Maximum number of actions of all ranks together
    #[arg(long, hide_short_help = true, value_name = "N", requires = "name", value_parser = whole::<u64>)]
    pub max_actions: Option<u64>,
    /// Maximum number of calls and loop iterations per rank
    #[arg(long, hide_short_help = true, value_name = "N", requires = "name", value_parser = whole::<u64>)]
    pub max_steps: Option<u64>,
}
