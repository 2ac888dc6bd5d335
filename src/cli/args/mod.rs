//! Command-line arguments, as shown by `--help`: those of each verb in a separate file.

mod calibrate;
mod collectives;
mod design;
mod design_search;
#[cfg(unix)]
mod emulate;
mod export;
mod families;
mod goal;
mod known;
mod later;
mod model;
mod network;
mod packets;
mod record;
mod replay;
mod shell;
mod study;
mod throughput;
mod topology;
mod trace;
mod workload;

pub use calibrate::Calibrate;
pub use collectives::Collectives;
pub use design::{Design, DesignDsnf, DesignEquality, DesignSwitches, DesignWhat};
pub use design_search::DesignSearch;
#[cfg(unix)]
pub use emulate::{Cables, Emulate, EmulateCounters, EmulateDown, EmulateRun, EmulateUp, EmulateValidate, EmulateWhat};
pub use export::Export;
pub use goal::GoalTable;
pub use model::ModelVerb;
pub use network::{ModelFlags, NetworkFlags, OnOff, PlacementFiles, Ports};
pub use packets::{PacketSwitch, Packets};
pub use record::Record;
pub use replay::Replay;
pub use shell::{CompletedShell, Completions, Doctor, Man};
pub use study::{Compare, CompareFiles, Merge, StudyFlags};
pub use throughput::{Throughput, ThroughputFiles};
pub use topology::Topology;
pub use trace::{
    ForTool, Reading, ReadingLimits, Target, Trace, TraceCheck, TraceConvert, TraceCut, TraceDiff, TraceInfo,
    TraceScale, TraceWhat,
};
pub use workload::Workload;

use crate::cli::options::MOST_THREADS;
use crate::cli::site::Site;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, CommandFactory, Parser, Subcommand};
use later::Later;
use mopsim::report::{FORMATS, Reporter};
use std::str::FromStr;

/// Predicts how fast MPI applications run on an interconnect that nobody has built yet.
#[derive(Debug, Parser)]
#[command(
    name = "mopsim",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "All options, examples and exit codes: mopsim --help",
    after_long_help = "\
Examples:
  mopsim compare studies/uni-vs-bi.toml
  mopsim replay traces/cg.A.64.ti.zst --topology torus:8x8
  mopsim topology torus:8x8 random:n=64,d=6,seed=1
  mopsim collectives allreduce --ranks 64 --size 4096

Exit codes: 0 done; 1 the replay itself failed (deadlock, unmatched messages),
`trace check` found an error, or `trace diff` a difference; 2 bad arguments or
bad input; 3 reading or writing failed; 130 interrupted."
)]
pub struct Arguments {
    #[command(flatten)]
    pub output: Output,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Args)]
pub struct Output {
    /// Output format
    ///
    /// Verbs that print no report refuse formats other than text.
    #[arg(long, global = true, display_order = 900, default_value = FORMATS[0].name(), value_parser = one_of(FORMATS, |format| (format.name(), format.help())))]
    pub format: &'static dyn Reporter,
    /// Print errors only, no progress and no warnings
    #[arg(long, short, global = true, display_order = 901)]
    pub quiet: bool,
    /// Limit on the memory for a network and for the process, e.g. 8GB [default: half of the memory for a network; all of it for the process]
    ///
    /// The memory is that of the machine, or the limit of the process's control group (cgroup) if that is lower.
    #[arg(long, global = true, value_name = "SIZE", value_parser = crate::cli::memory::size, help_heading = "Limits", hide_short_help = true)]
    pub memory: Option<u64>,
    /// Ignore the config file and the environment variables MOPSIM_*
    ///
    /// Reports name every value taken from them (docs/reference/config.md).
    #[arg(long, global = true, hide_short_help = true, display_order = 903)]
    pub no_config: bool,
    /// Defaults of the site; none until the command line reads them.
    #[arg(skip)]
    pub site: Site,
}

impl Output {
    /// Returns `true` if the result is for reading in a terminal.
    pub fn is_text(&self) -> bool {
        self.format.name() == FORMATS[0].name()
    }
}

/// Parses the name of a format of a table; `of` returns the name and the help text of a format.
fn one_of<T: Copy + Send + Sync>(
    formats: &'static [T],
    of: fn(&T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = T> {
    let values = formats.iter().map(of).map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values)
        .map(move |name| *formats.iter().find(|format| of(format).0 == name).expect("it is one of these values"))
}

/// The verbs. What one takes is worked out only once it is the one ([`Later`]).
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List collective algorithms, and what each MPI library chooses
    Collectives(Later<Collectives>),
    /// Replay workloads on several networks, relative to a baseline
    Compare(Later<Compare>),
    /// Join the results files of shards, and report on the study or packet sweep
    Merge(Later<Merge>),
    /// Record a run of an MPI program as a trace
    Record(Later<Record>),
    /// Replay a trace on a network
    Replay(Later<Replay>),
    /// Show the time of a message under each network model, by size
    Model(Later<ModelVerb>),
    /// Fit the constants of a network model to measured message times
    Calibrate(Later<Calibrate>),
    /// Write a topology or platform for SimGrid, Graphviz and other programs
    Export(Later<Export>),
    /// Compute saturation, fair rates and bounds under synthetic traffic
    Throughput(Later<Throughput>),
    /// Simulate packets cycle by cycle: latency under load, saturation
    Packets(Later<Packets>),
    /// Show metrics, cables, cost and power of topologies side by side
    Topology(Later<Topology>),
    /// Generate the trace of a known application at any size
    Workload(Later<Workload>),
    /// Show, check, convert, cut, scale and compare traces
    Trace(Later<Trace>),
    /// Design networks: by speed and cost, Equality, DSN-F; bounds on switches
    Design(Later<Design>),
    /// Build networks on this Linux machine, and measure MPI programs on them
    #[cfg(unix)]
    Emulate(Later<Emulate>),
    /// Show which optional parts are found, and what each is for
    Doctor(Later<Doctor>),
    /// Print the completion script for a shell
    Completions(Later<Completions>),
    /// Print manual pages, or write them to a folder
    Man(Later<Man>),
}

impl Verb {
    /// `true` if it works whatever the config file has in it: it computes nothing.
    pub fn needs_no_site(&self) -> bool {
        matches!(self, Self::Doctor(_) | Self::Completions(_) | Self::Man(_))
    }

    /// Name of the verb and what to do instead of giving `--format`, if it prints no report.
    pub fn without_report(&self) -> Option<(&'static str, &'static str)> {
        const BY_NAME: &str = "leave it out; the end of the name of -o chooses the format of the trace, and \
                               `mopsim trace info FILE --format ...` reports on it";
        const SCRIPTS: &str = "leave it out; the written merge.sh takes it: merge.sh --format ...";
        const LEAVE_OUT: &str = "leave it out";
        match self {
            Self::Compare(verb) => verb.cluster.slurm.as_ref().map(|_| ("compare --slurm", SCRIPTS)),
            Self::Packets(verb) => verb.cluster.slurm.as_ref().map(|_| ("packets --slurm", SCRIPTS)),
            Self::Trace(verb) => match verb.what {
                TraceWhat::Convert(_) => Some(("trace convert", BY_NAME)),
                TraceWhat::Cut(_) => Some(("trace cut", BY_NAME)),
                TraceWhat::Scale(_) => Some(("trace scale", BY_NAME)),
                TraceWhat::Info(_) | TraceWhat::Check(_) | TraceWhat::Diff(_) => None,
            },
            #[cfg(unix)]
            Self::Emulate(verb) => {
                let runs = matches!(verb.what, EmulateWhat::Run(_));
                runs.then_some(("emulate run", "leave it out; `emulate counters` and `emulate validate` print reports"))
            }
            Self::Record(_) => {
                Some(("record", "leave it out; `mopsim trace info` of the recording prints a report in any format"))
            }
            Self::Workload(verb) if verb.source => Some(("workload --source", LEAVE_OUT)),
            Self::Completions(_) => Some(("completions", LEAVE_OUT)),
            Self::Man(_) => Some(("man", LEAVE_OUT)),
            _ => None,
        }
    }

    /// `true` if it runs a command of the user, which would inherit limits of the process.
    pub fn runs_commands(&self) -> bool {
        match self {
            Self::Record(_) => true,
            #[cfg(unix)]
            Self::Emulate(_) => true,
            _ => false,
        }
    }
}

/// Parses a number of threads.
fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|threads| *threads <= MOST_THREADS);
    number.ok_or_else(|| format!("it must be a number from 0 to {MOST_THREADS}"))
}

/// Returns the whole command line. Negative numbers are values of options everywhere: an option that does not accept
/// one reports it, and `-1` is not interpreted as a flag.
pub fn command() -> Command {
    with_negative_numbers(Arguments::command())
}

fn with_negative_numbers(command: Command) -> Command {
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let command = command.mut_args(|argument| {
        let is_option = argument.get_action().takes_values() && !argument.is_positional();
        if is_option { argument.allow_negative_numbers(true) } else { argument }
    });
    verbs.into_iter().fold(command, |command, verb| command.mut_subcommand(verb, with_negative_numbers))
}

/// Parses an integer, for options whose type has no limits that a message could name.
fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "it must be a whole number, 0 or more".to_owned())
}

/// Returns the text of `--help` for a verb, or of `-h`.
pub fn help(verb: &str, is_long: bool) -> String {
    let mut all = command();
    all.build();
    let text = |verb: &mut Command| if is_long { verb.render_long_help() } else { verb.render_help() };
    all.find_subcommand_mut(verb).map(|verb| text(verb).to_string()).unwrap_or_default()
}
