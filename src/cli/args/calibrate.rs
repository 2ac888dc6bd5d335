//! Arguments of `calibrate`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim calibrate osu_latency.txt osu_bw.txt osu_bibw.txt -o fabric.toml
  mopsim calibrate --run -o fabric.toml -- mpirun -n 2 --host node1,node2
  mopsim compare study.toml --model fabric.toml
  mopsim calibrate --host -o here.toml           # how fast this host computes
  mopsim calibrate --host new.toml --relative-to here.toml

Files are the output of osu_latency, osu_bw and osu_bibw (OSU), of IMB-MPI1
PingPong, Uniband and Biband (Intel), or of NetPIPE, measured between two hosts.
docs/guide/calibrate.md explains which constant follows from which measurement.")]
pub struct Calibrate {
    /// Output of benchmarks (OSU, IMB-MPI1, NetPIPE), or a file that `--host -o` wrote
    #[arg(value_name = "FILE", required_unless_present_any = ["run", "host"])]
    pub files: Vec<PathBuf>,
    /// Take the measurements: compile a small MPI program, and start it with the command after `--`
    #[arg(long)]
    pub run: bool,
    /// Measure how fast this host computes; with FILE, show an earlier result
    ///
    /// FILE is the output of an earlier `--host -o FILE`. The benchmarks are a matrix product in cache and a triad in main memory, each on one core and on all cores. They are C programs, compiled by `cc` (or by `$CC`).
    #[arg(long, conflicts_with_all = ["run", "link_bandwidth", "link_latency", "svg", "html", "measurements", "mpicc", "command"])]
    pub host: bool,
    /// Compare --host with the host of a recording
    ///
    /// Suggests the --host-speed of replays.
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "host")]
    pub relative_to: Option<PathBuf>,
    /// Bandwidth of the slowest link between the two hosts [default: the largest measured]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub link_bandwidth: Option<String>,
    /// Sum of the latencies of the links between the two hosts
    ///
    /// Use the latencies of the platform on which you will replay. Without this option, the fitted latency of a message includes
    /// those of the measured links, and a replay adds the latencies of its own links.
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub link_latency: Option<String>,
    /// Write the fitted model to this file, or with --host the speed of the host
    ///
    /// Other verbs use a model file with --model FILE.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Plot measured and modelled bandwidth against message size (SVG)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write an HTML page of measured and modelled times
    ///
    /// The page also shows their ratios, the constants, and what the measurements do not determine.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Keep the output of the benchmark that --run starts
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "run")]
    pub measurements: Option<PathBuf>,
    /// MPI compiler wrapper for C [default: $MPICC, or the mpicc next to mpirun]
    #[arg(long, hide_short_help = true, value_name = "CC", requires = "run")]
    pub mpicc: Option<PathBuf>,
    /// Also replace files that mopsim did not write
    #[arg(long, hide_short_help = true)]
    pub force: bool,
    /// Command that starts the benchmark on two hosts, e.g. `mpirun -n 2 --host a,b`
    #[arg(last = true, requires = "run", value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
