//! Arguments of `throughput`.

use super::network::{Defaults, Floor};
use super::threads;
use clap::Args;
use mopsim::report::wrap::broken;
use mopsim::traffic::PATTERNS;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct Throughput {
    /// Topologies, e.g. torus:8x8 random:n=64,d=6; or a study file (TOML) that names networks and patterns
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Who sends to whom, e.g. uniform, transpose, tornado:k=8, hotspot:nodes=[0,5] (may be repeated) [default:
    /// uniform]
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Vec<String>,
    /// Traffic matrix as one more pattern: rows of numbers, or lines `source destination weight` below such a heading
    #[arg(long, value_name = "FILE")]
    pub matrix: Vec<PathBuf>,
    /// What the ranks of a trace send to each other, as one more pattern; rank r is host r
    #[arg(long, value_name = "TRACE")]
    pub from_trace: Vec<PathBuf>,
    /// Table that says of which messages the collectives of a trace consist: mvapich2, ompi, mpich or default
    /// [default: mvapich2]
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// How messages find their way: a static routing rule, e.g. split (evenly over all shortest paths); may be repeated
    /// [default: that of the family, see docs/reference/routing.md]
    #[arg(long, value_name = "RULE")]
    pub routing: Vec<String>,
    /// Leave out what failed: cables by their two switches and switches by number, e.g. 3-7,12
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub without: Option<String>,
    /// Hosts on each switch that bears hosts (in trees: on each leaf) [default: those of the topology, mostly 1]
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Only the first so many hosts take part
    #[arg(long, value_name = "N")]
    pub endpoints: Option<u32>,
    /// Seed of random topologies, patterns and routings that have none of their own [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Bound on what any routing can: auto (linear program where it takes seconds), quick (no program), lp, or flow
    /// (encloses the value, for larger networks) [default: auto]
    #[arg(long, value_name = "METHOD")]
    pub bound: Option<String>,
    /// How near the two values of --bound flow are to be, e.g. 0.02 [default: 0.01]
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    pub bound_gap: Option<f64>,
    /// Number of bottleneck links to show [default: 5]
    #[arg(long, value_name = "N")]
    pub links: Option<usize>,
    /// Number of threads; 0: one for each core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub threads: usize,
    #[command(flatten)]
    pub speeds: Speeds,
    #[command(flatten)]
    pub defaults: Defaults,
    #[command(flatten)]
    pub floor: Floor,
    #[command(flatten)]
    pub files: ThroughputFiles,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Speeds")]
pub struct Speeds {
    /// Bandwidth of a link between switches [default: 100 Gbit/s]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub link_bandwidth: Option<String>,
    /// Bandwidth of the link between a host and its switch, or none [default: that of the other links]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub host_link_bandwidth: Option<String>,
    /// Whether the directions of a two-way cable between switches have a capacity each: full or shared; links of hosts
    /// always do [default: full]
    #[arg(long, value_name = "MODE")]
    pub duplex: Option<String>,
    /// Delay of a switch, e.g. "20 ns" [default: 100 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay of a metre of cable [default: 5 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    /// Size of a packet, for the estimate of latency under load [default: 1056]
    #[arg(long, value_name = "BYTES")]
    pub packet_bytes: Option<u32>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct ThroughputFiles {
    /// Write a report for readers, too: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Draw saturation and latency under load (SVG)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the results as JSON, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as CSV, too
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also replace files that are not mopsim reports
    #[arg(long)]
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
saturation the first link is full. docs/throughput.md tells how all is computed.

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
