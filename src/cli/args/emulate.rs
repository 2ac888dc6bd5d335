//! Arguments of `emulate`.

use super::known::{Known, families, routings};
use super::whole;
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim emulate up torus:4x4 --rate 3mbit
  mopsim emulate run -- mpirun -n 16 ./app
  mopsim emulate counters
  mopsim emulate down
  mopsim emulate validate torus:4x4 imase-itoh:n=16,d=3 -- mpirun -n 16 ./app

All of these commands need root on a Linux machine, and iproute2. To run
programs, they also need Open MPI 4.
docs/guide/emulate.md explains what is real and what is not.")]
pub struct Emulate {
    #[command(subcommand)]
    pub what: EmulateWhat,
}

#[derive(Debug, Subcommand)]
pub enum EmulateWhat {
    /// Build a network: namespaces, cables with rates, routes
    Up(EmulateUp),
    /// Remove a network, and end the programs on it
    Down(EmulateDown),
    /// Run an MPI program on a network
    Run(EmulateRun),
    /// Show the bytes on each cable, measured and predicted
    Counters(EmulateCounters),
    /// Measure an MPI program on networks, and compare with its replay
    Validate(Box<EmulateValidate>),
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct Cables {
    /// Rate of each direction of a cable, e.g. 5mbit or "5 Mbit/s"
    #[arg(long, value_name = "RATE", default_value = "3mbit", allow_hyphen_values = true)]
    pub rate: String,
    /// Rate of host links; with none, hosts have no cables [default: that of the cables]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub host_rate: Option<String>,
    /// Delay of each link, e.g. "1 ms"; needs netem in the kernel [default: 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub delay: Option<String>,
    /// Bytes that can wait at the end of a cable; packets beyond that are dropped
    #[arg(long, hide_short_help = true, value_name = "BYTES", default_value_t = 4_000_000, value_parser = whole::<u64>)]
    pub queue: u64,
    /// Static routing rule, as in `mopsim replay` [default: that of the family]
    #[arg(long, value_name = "RULE", value_parser = Known(routings), hide_possible_values = true)]
    pub routing: Option<String>,
    /// Hosts on each switch [default: that of the topology, usually 1]
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Seed for random topologies and routing [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    /// Packets times hops per second that this machine can carry [default: 15,000 per core]
    ///
    /// A network whose rates could exceed this load is refused.
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = whole::<u64>)]
    pub packets: Option<u64>,
}

#[derive(Debug, Args)]
pub struct EmulateUp {
    /// Topology, e.g. torus:4x4, random:n=16,d=3,seed=1
    #[arg(value_name = "SPEC", value_parser = Known(families), hide_possible_values = true)]
    pub spec: String,
    /// First part of the names of all namespaces
    #[arg(long, value_name = "NAME", default_value = "mopsim")]
    pub prefix: String,
    #[command(flatten)]
    pub cables: Cables,
}

#[derive(Debug, Args)]
pub struct EmulateDown {
    /// Prefix of the network
    #[arg(long, value_name = "NAME", default_value = "mopsim")]
    pub prefix: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim emulate run -- mpirun -n 16 ./app input.dat

Rank r runs on host r; further ranks start again at host 0. The exit
code is that of the command.")]
pub struct EmulateRun {
    /// Prefix of the network
    #[arg(long, value_name = "NAME", default_value = "mopsim")]
    pub prefix: String,
    /// MPI compiler wrapper for C [default: $MPICC, or the mpicc next to mpirun]
    #[arg(long, hide_short_help = true, value_name = "CC")]
    pub mpicc: Option<PathBuf>,
    /// Command that runs the program
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim emulate run -- mpirun -n 16 ./app && mopsim emulate counters app.mrec

The counters show the bytes since the start of the last `emulate run`.")]
pub struct EmulateCounters {
    /// Trace of the program that ran: its replay predicts the bytes on each cable
    #[arg(value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// Prefix of the network
    #[arg(long, value_name = "NAME", default_value = "mopsim")]
    pub prefix: String,
    /// Model of the replay
    #[arg(long, value_name = "NAME|FILE", default_value = "tcp", requires = "trace")]
    pub model: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim emulate validate torus:4x4 imase-itoh:n=16,d=3 -- mpirun -n 16 ./app
  mopsim emulate validate ring:8 star:8 --model tcp --model smpi --commands programs.txt

Each program is recorded once on the first network, without limits of rates. It
is then measured on each network, and replayed on each under each model. The clock
runs from MPI_Init to MPI_Finalize; it starts after a barrier and a pause. The
networks are removed at the end.")]
pub struct EmulateValidate {
    /// Topologies; the first is the baseline
    #[arg(value_name = "SPEC", required = true, value_parser = Known(families), hide_possible_values = true)]
    pub specs: Vec<String>,
    /// Model of the replays (may be repeated) [default: tcp]
    #[arg(long, value_name = "NAME|FILE")]
    pub model: Vec<String>,
    /// Runs of each program on each network, of which the median is used
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,
    /// File with a program on each line, `NAME: mpirun ...`, instead of a command
    #[arg(long, value_name = "FILE", conflicts_with = "command", required_unless_present = "command")]
    pub commands: Option<PathBuf>,
    /// Folder of recordings: NAME.mrec is used if it is there, and otherwise recorded
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub recordings: Option<PathBuf>,
    /// Record CPU time, for programs with more ranks than this machine has cores
    #[arg(long)]
    pub cpu_time: bool,
    /// Leave the choice of collective algorithms to Open MPI; replays then use its table
    #[arg(long, hide_short_help = true)]
    pub library_collectives: bool,
    /// Size in bytes from which messages wait for their receive [default: 65,536, as in Open MPI]
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = whole::<u64>)]
    pub eager_limit: Option<u64>,
    /// Pause before the clock starts, in seconds
    #[arg(long, hide_short_help = true, value_name = "SECONDS", default_value_t = 0.3)]
    pub pause: f64,
    /// Seconds after which a run is killed
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = whole::<u64>)]
    pub timeout: u64,
    /// Prefix of the networks
    #[arg(long, value_name = "NAME", default_value = "mopsimv")]
    pub prefix: String,
    /// MPI compiler wrapper for C [default: $MPICC, or the mpicc next to mpirun]
    #[arg(long, hide_short_help = true, value_name = "CC")]
    pub mpicc: Option<PathBuf>,
    /// Command that runs the program
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    #[command(flatten)]
    pub cables: Cables,
}
