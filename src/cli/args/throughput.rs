//! Arguments of `throughput`.

use super::known::{Known, bounds, duplexes, families, patterns, rails, routings, tables};
use super::network::{Defaults, Floor};
use super::threads;
use clap::Args;
use mopsim::report::wrap::broken;
use mopsim::traffic::PATTERNS;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct Throughput {
    /// Topologies, e.g. torus:8x8 random:n=64,d=6, or a study file (TOML)
    #[arg(required = true, value_name = "SPEC", value_parser = Known(families), hide_possible_values = true)]
    pub specs: Vec<String>,
    /// Traffic patterns, e.g. tornado [default: uniform]
    ///
    /// Separated by commas, e.g. transpose,tornado:k=8. May be repeated.
    #[arg(long, value_name = "PATTERN", value_parser = Known(patterns), hide_possible_values = true)]
    pub pattern: Vec<String>,
    /// File with a traffic matrix as another pattern
    ///
    /// Rows of numbers, or lines `source destination weight` below a heading of these words.
    #[arg(long, value_name = "FILE")]
    pub matrix: Vec<PathBuf>,
    /// Messages of a trace as another pattern
    ///
    /// Rank r is on host r.
    #[arg(long, value_name = "TRACE")]
    pub from_trace: Vec<PathBuf>,
    /// Table of collective algorithms for --from-trace [default: mvapich2]
    ///
    /// mvapich2, ompi, mpich, mpich4 or default.
    #[arg(long, hide_short_help = true, value_name = "TABLE", value_parser = Known(tables), hide_possible_values = true)]
    pub collectives: Option<String>,
    /// Static routing, e.g. split [default: by family]
    ///
    /// May be repeated. split divides traffic evenly over all shortest paths; docs/reference/routing.md describes the rules.
    #[arg(long, value_name = "RULE", value_parser = Known(routings), hide_possible_values = true)]
    pub routing: Vec<String>,
    /// Failed cables and switches, e.g. 3-7,12
    ///
    /// Cables are named by their two switches, switches by number.
    #[arg(long, hide_short_help = true, value_name = "LIST", allow_hyphen_values = true)]
    pub without: Option<String>,
    /// Hosts on each switch [default: by topology]
    ///
    /// On each switch that has hosts; in trees, on each leaf. The default is usually 1.
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Number of hosts that take part: the first N [default: all]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub endpoints: Option<u32>,
    /// Seed for everything random [default: 1]
    ///
    /// For random topologies, patterns and routing. It applies where a specification has no seed of its own.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Bound on what any routing could reach: auto, quick, lp or flow [default: auto]
    ///
    /// lp solves a linear program. quick solves none. auto is lp where that takes only seconds. flow computes a lower and an upper value, for
    /// larger networks.
    #[arg(long, value_name = "METHOD", value_parser = Known(bounds), hide_possible_values = true)]
    pub bound: Option<String>,
    /// Relative gap between the two values of --bound flow [default: 0.01]
    #[arg(long, hide_short_help = true, value_name = "FRACTION", allow_hyphen_values = true)]
    pub bound_gap: Option<f64>,
    /// Number of bottleneck links to show [default: 5]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub links: Option<usize>,
    /// Number of threads; 0: one per core [default: 0]
    ///
    /// The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub speeds: SpeedFlags,
    #[command(flatten)]
    pub defaults: Defaults,
    #[command(flatten)]
    pub floor: Floor,
    #[command(flatten)]
    pub files: ThroughputFiles,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Speeds")]
pub struct SpeedFlags {
    /// Bandwidth of a link between switches [default: 100 Gbit/s]
    #[arg(long, allow_hyphen_values = true, value_name = "RATE")]
    pub link_bandwidth: Option<String>,
    /// Bandwidth of host links, or none [default: that of the other links]
    #[arg(long, hide_short_help = true, allow_hyphen_values = true, value_name = "RATE")]
    pub host_link_bandwidth: Option<String>,
    /// Two-way cables: full or shared [default: full]
    ///
    /// full: each direction has the full bandwidth. shared: both directions share it. Host links always have the full bandwidth in each direction.
    #[arg(long, value_name = "MODE", value_parser = Known(duplexes), hide_possible_values = true)]
    pub duplex: Option<String>,
    /// Delay of a switch, e.g. "20 ns" [default: 100 ns]
    #[arg(long, hide_short_help = true, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay per metre of cable [default: 5 ns]
    #[arg(long, hide_short_help = true, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    /// Packet size, for the estimate of latency under load [default: 1056]
    #[arg(long, hide_short_help = true, value_name = "BYTES")]
    pub packet_bytes: Option<u32>,
    /// Rail of a message where hosts have several ports: message, destination or striped [default: message]
    ///
    /// As in `replay`. In steady traffic, `message` puts an equal part of each flow on each rail.
    #[arg(long, value_name = "POLICY", hide_short_help = true, value_parser = Known(rails), hide_possible_values = true)]
    pub rail: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct ThroughputFiles {
    /// Write the report as one self-contained HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Draw saturation and latency under load (SVG)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also replace files that are not mopsim reports
    #[arg(long, hide_short_help = true)]
    pub force: bool,
}

/// Examples, and the list of patterns.
fn help() -> String {
    let mut text = String::from(
        "\
Examples:
  mopsim throughput torus:8x8 --pattern transpose --pattern tornado:k=8
  mopsim throughput torus:16x16 hypercube:8 --hosts-per-switch 8 --routing split
  mopsim throughput random:n=64,d=6 --from-trace traces/lu.A.64.it10.ti.zst
  mopsim throughput studies/throughput-256.toml --svg throughput.svg

Injection is what every source sends, in units of a link's bandwidth. At
saturation the first link is full. docs/throughput.md describes the method.

Patterns:
",
    );
    for kind in PATTERNS {
        let parameters = kind.parameters.iter().map(|name| format!("[{name}]")).collect::<Vec<_>>().join(",");
        let name = if parameters.is_empty() { kind.name.to_owned() } else { format!("{}:{parameters}", kind.name) };
        // A name that is too long has a line of its own.
        text.push_str(&if name.len() > 25 { format!("  {name}\n{:28}", "") } else { format!("  {name:<26}") });
        text.push_str(&broken(kind.help, 28, 28));
        text.push('\n');
    }
    text.pop();
    text
}
