//! Arguments of `trace`.

use super::{GoalTable, whole};
use clap::{Args, Subcommand, ValueEnum};
use mopsim::share::share;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim trace info traces/lu.A.64.it10.ti.zst
  mopsim trace check traces/lu.A.64.it10.ti.zst
  mopsim trace convert traces/lu.A.64.it10.ti.zst -o lu.mtrace
  mopsim trace cut lu.mtrace --iterations 3-5 -o part.mtrace

A trace is a file in any of the formats of docs/reference/traces.md, recognised
by its content; `-` is standard input.")]
pub struct Trace {
    #[command(subcommand)]
    pub what: TraceWhat,
}

#[derive(Debug, Subcommand)]
pub enum TraceWhat {
    /// Show the calls, bytes, communication pairs and balance of a trace
    Info(TraceInfo),
    /// Find unmatched messages, wrong sizes and deadlocks
    Check(TraceCheck),
    /// Write a trace in another format
    Convert(TraceConvert),
    /// Write part of a trace: some ranks, some iterations, or a window
    Cut(TraceCut),
    /// Write a trace with more or less computation
    Scale(TraceScale),
    /// Compare two traces: calls, messages between each pair of ranks, collectives
    Diff(TraceDiff),
}

/// How traces are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct Reading {
    /// Number of ranks, for time-independent traces that do not state it
    #[arg(long = "ranks", visible_alias = "np", value_name = "N", value_parser = whole::<usize>)]
    pub number_of_ranks: Option<usize>,
    #[command(flatten)]
    pub limits: ReadingLimits,
}

/// Limits and choices of all readers of traces.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingLimits {
    /// Maximum total size of decompressed files [default: 8 GiB, and beyond 32 MiB 1,000 times the compressed size]
    #[arg(long, hide_short_help = true, value_name = "BYTES")]
    pub max_unpacked_bytes: Option<u64>,
    /// Let a list of trace files name files outside its own folder
    #[arg(long, hide_short_help = true)]
    pub files_anywhere: bool,
    /// Speed of the computer on which times were recorded, for formats with times [default: 100 Gflop/s]
    #[arg(long, hide_short_help = true, value_name = "SPEED")]
    pub recorded_speed: Option<String>,
    /// Skip and count calls that cannot be replayed, instead of refusing the trace
    #[arg(long)]
    pub leave_out: bool,
}

/// Where a new trace goes.
#[derive(Debug, Args)]
pub struct Target {
    /// New file: TI text, .mtrace, .goal or .goal.bin, compressed with .zst, .gz or .xz
    ///
    /// `-` is TI text on standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub table: GoalTable,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim trace info traces/lu.A.64.it10.ti.zst --svg matrix.svg

CSV on standard output is the list of pairs that exchange messages.")]
pub struct TraceInfo {
    /// Trace file
    pub trace: PathBuf,
    /// Draw the bytes between each pair of ranks (SVG)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the pairs of ranks as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also replace files that are not mopsim reports
    #[arg(long, hide_short_help = true)]
    pub force: bool,
    /// Speed of hosts, to convert computation to seconds [default: 100 Gflop/s]
    #[arg(long, value_name = "SPEED")]
    pub host_speed: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim trace check traces/lu.A.64.it10.ti.zst

Exit code 0 if the trace has no errors, 1 if it has. A possible deadlock is one
that does not happen as long as sends are buffered.")]
pub struct TraceCheck {
    /// Trace file
    pub trace: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim trace convert traces/lu.A.64.it10.ti.zst -o lu.A.64.it10.mtrace.zst
  mopsim trace convert recording -o app.ti --for simgrid")]
pub struct TraceConvert {
    /// Trace file
    pub trace: PathBuf,
    /// Write text that SimGrid's replay reads
    ///
    /// Communicators that consist of all ranks in order become MPI_COMM_WORLD. Calls that SimGrid cannot replay
    /// are an error, or are left out and counted with --leave-out.
    #[arg(long = "for", value_name = "TOOL")]
    pub reader: Option<ForTool>,
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    pub reading: Reading,
}

/// Programs that read traces and know less than this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ForTool {
    Simgrid,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim trace cut lu.mtrace --ranks 0-15 -o corner.mtrace
  mopsim trace cut lu.mtrace --iterations 3-5 -o some.mtrace
  mopsim trace cut lu.mtrace --window 25%-75% -o middle.mtrace

Messages and collectives that are only partly in the part that is cut are left
out and counted.")]
pub struct TraceCut {
    /// Trace file
    pub trace: PathBuf,
    #[command(flatten)]
    pub target: Target,
    /// Ranks to keep, counted from 0, e.g. 0-15,32; they are renumbered
    #[arg(long, value_name = "LIST")]
    pub ranks: Option<String>,
    /// Iterations to keep, counted from 1, e.g. 3-5; detected from calls that the ranks repeat
    #[arg(long, value_name = "FROM-TO", conflicts_with = "window")]
    pub iterations: Option<String>,
    /// Part of each rank's actions to keep, e.g. 25%-75%
    #[arg(long, value_name = "FROM-TO")]
    pub window: Option<String>,
    /// Number of ranks, for time-independent traces that do not state it
    #[arg(long = "np", value_name = "N", value_parser = whole::<usize>)]
    pub number_of_ranks: Option<usize>,
    #[command(flatten)]
    pub limits: ReadingLimits,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim trace scale lu.mtrace --compute 0.5 -o twice-as-fast.mtrace")]
pub struct TraceScale {
    /// Trace file
    pub trace: PathBuf,
    #[command(flatten)]
    pub target: Target,
    /// Factor for all computation, 0 or more, e.g. 0.5 or 50%
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub compute: f64,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim trace diff traces/lu.A.64.it10.ti.zst mine.ti

Of the computation, only the sum is compared. Exit code 0 if communication is
the same, 1 if it differs.")]
pub struct TraceDiff {
    /// Trace file
    pub first: PathBuf,
    /// Trace file to compare with
    pub second: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

fn factor(text: &str) -> Result<f64, String> {
    share(text).ok_or_else(|| "write a number or a percentage, such as 0.5 or 50%".to_owned())
}
