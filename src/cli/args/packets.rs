//! Arguments of `packets`.

use super::known::{Known, families, packet_routings, patterns, presets, rails};
use super::network::{Defaults, Floor};
use super::study::ClusterFlags;
use super::threads;
use clap::Args;
use mopsim::ledger::Shard;
use mopsim::packets::parameters::PRESETS;
use mopsim::packets::routing::ROUTINGS;
use mopsim::report::wrap::broken;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = help(), mut_arg("slurm", |slurm| slurm.hide_short_help(true)))]
pub struct Packets {
    /// Topologies, e.g. torus:8x8 mesh:8x8; the first is the baseline
    #[arg(required = true, value_name = "SPEC", value_parser = Known(families), hide_possible_values = true)]
    pub specs: Vec<String>,
    /// Traffic patterns, e.g. tornado
    ///
    /// As in `throughput`, separated by commas. May be repeated.
    #[arg(long, value_name = "PATTERN", default_value = "uniform", value_parser = Known(patterns), hide_possible_values = true)]
    pub pattern: Vec<String>,
    /// Offered loads, e.g. 0.1,0.25
    ///
    /// In flits per host and cycle: a list, or a range FROM:TO:STEP.
    #[arg(long, value_name = "LOADS", default_value = "0.1:0.9:0.1", allow_hyphen_values = true)]
    pub load: String,
    /// Packet routing, e.g. amin [default: by topology]
    ///
    /// The default is dimension-order on grids, amin on one-way networks, and escape on all others. May be repeated. Planes may have different rules, separated by semicolons. A suffix *N lets a rule with one virtual channel for
    /// each hop use N channels for each hop, e.g. amin*3.
    #[arg(long, value_name = "RULE", value_parser = Known(packet_routings), hide_possible_values = true)]
    pub routing: Vec<String>,
    /// How hosts with several ports choose one: message, destination or striped [default: message]
    ///
    /// message and striped both spread packets evenly over all ports.
    #[arg(long, value_name = "POLICY", hide_short_help = true, value_parser = Known(rails), hide_possible_values = true)]
    pub rail: Option<String>,
    /// Failed cables and switches, e.g. 3-7,12
    ///
    /// Cables are named by their two switches, switches by number.
    #[arg(long, hide_short_help = true, value_name = "LIST", allow_hyphen_values = true)]
    pub without: Option<String>,
    /// Hosts on each switch [default: by topology]
    ///
    /// The default is usually 1.
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Number of hosts that take part: the first N [default: all]
    #[arg(long, hide_short_help = true, value_name = "N", conflicts_with = "packets")]
    pub endpoints: Option<u32>,
    /// When a run ends: with latency, once all measured packets have arrived; with throughput, after the measured cycles
    #[arg(long, hide_short_help = true, value_name = "MODE", default_value = "latency", value_parser = ["latency", "throughput"])]
    pub mode: String,
    /// Number of cycles before the measured ones
    #[arg(long, value_name = "CYCLES", default_value_t = 1000)]
    pub warmup: u32,
    /// Number of measured cycles
    #[arg(long, value_name = "CYCLES", default_value_t = 3000)]
    pub measure: u32,
    /// Number of seeds
    ///
    /// With several seeds, means have confidence intervals.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub seeds: u32,
    /// First seed
    ///
    /// The first seed for hosts and routing, and the seed for random topologies and patterns.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Process by which hosts create packets
    #[arg(long, hide_short_help = true, value_name = "PROCESS", default_value = "bernoulli", value_parser = ["bernoulli", "periodic"])]
    pub process: String,
    /// List of packets to send, instead of a pattern
    ///
    /// Lines are `source destination cycle [flits]`. The output states when each packet arrives.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "pattern", "load", "seeds", "slurm", "shard", "warmup", "measure", "mode", "process", "no_saturation", "resume", "force",
    ])]
    pub packets: Option<PathBuf>,
    /// Engine: `cycles` moves flits, `events` whole packets, through switches held for them
    ///
    /// Both have the same results with --hold-switch, --wait-for-tail-credit, --switching cut-through and buffers of one
    /// packet, and `events` implies these settings. `events` is faster with long packets.
    #[arg(long, hide_short_help = true, value_name = "ENGINE", default_value = "cycles", value_parser = ["cycles", "events"], conflicts_with = "packets")]
    pub engine: String,
    /// Skip the search for saturation
    ///
    /// The run at a load of 1 is skipped as well.
    #[arg(long)]
    pub no_saturation: bool,
    /// Run a routing rule even if its channel dependency graph has a cycle
    #[arg(long, hide_short_help = true)]
    pub allow_deadlock: bool,
    /// Number of threads; 0: one per core [default: 0]
    ///
    /// The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub switch: PacketSwitch,
    /// Delay per metre of cable between switches, instead of --link-delay, e.g. "5 ns"
    ///
    /// The floor plan has the lengths of cables. The delay of each cable is a whole number of cycles, at least 2.
    #[arg(
        long,
        hide_short_help = true,
        help_heading = "Floor plan",
        allow_hyphen_values = true,
        value_name = "TIME",
        conflicts_with = "link_delay"
    )]
    pub cable_delay: Option<String>,
    #[command(flatten)]
    pub floor: Floor,
    #[command(flatten)]
    pub files: PacketFiles,
    #[command(flatten)]
    pub results: PointsFlags,
    #[command(flatten)]
    pub cluster: ClusterFlags,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct PointsFlags {
    /// Save each run to this file when it is done
    ///
    /// In the format JSON Lines.
    #[arg(long, value_name = "FILE", conflicts_with = "packets")]
    pub results: Option<PathBuf>,
    /// Continue the sweep that the file is from, if it exists
    ///
    /// The command may add loads and seeds to those in the file.
    #[arg(long, requires = "results")]
    pub resume: bool,
    /// Run part K of N only; `mopsim merge` joins the results files
    ///
    /// The search for the saturation of a network under a pattern is in the same part as the curve of its first seed, from which
    /// it starts.
    #[arg(long, hide_short_help = true, value_name = "K/N", requires = "results", allow_hyphen_values = true)]
    pub shard: Option<Shard>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct PacketFiles {
    /// Write a report with curves as one HTML file
    ///
    /// It needs no other file.
    #[arg(long, value_name = "FILE", conflicts_with = "packets")]
    pub html: Option<PathBuf>,
    /// Write the results as JSON
    #[arg(long, hide_short_help = true, value_name = "FILE", conflicts_with = "packets")]
    pub json: Option<PathBuf>,
    /// Write the points as CSV
    #[arg(long, hide_short_help = true, value_name = "FILE", conflicts_with = "packets")]
    pub csv: Option<PathBuf>,
    /// Also replace files that are not mopsim reports, and edited job scripts
    #[arg(long, hide_short_help = true)]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Switches and links (in cycles and flits)")]
pub struct PacketSwitch {
    /// Parameters from a paper; the other options override them
    #[arg(long, value_name = "NAME", value_parser = Known(presets), hide_possible_values = true)]
    pub preset: Option<String>,
    /// Virtual channels per link [default: what the rules need, at least 4]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub vcs: Option<u32>,
    /// Buffer depth of a virtual channel, in flits [default: 8, or the size of a packet if that is larger]
    #[arg(long, hide_short_help = true, value_name = "FLITS")]
    pub vc_buffer: Option<u32>,
    /// Flits per packet [default: 1]
    #[arg(long, hide_short_help = true, value_name = "FLITS")]
    pub packet: Option<u32>,
    /// When a packet may take a virtual channel: `wormhole`, `not-full` or `cut-through` [default: wormhole; what an
    /// escape needs]
    #[arg(long, hide_short_help = true, value_name = "KIND", value_parser = ["wormhole", "not-full", "cut-through"])]
    pub switching: Option<String>,
    /// Reassign a virtual channel only when its buffer is empty
    #[arg(long, hide_short_help = true)]
    pub wait_for_tail_credit: bool,
    /// Let a packet keep its path through a switch until its tail has passed
    #[arg(long, hide_short_help = true)]
    pub hold_switch: bool,
    /// Cycles to route a header [default: 1]
    #[arg(long, hide_short_help = true, value_name = "CYCLES")]
    pub routing_delay: Option<u32>,
    /// Cycles to allocate a virtual channel [default: 1]
    #[arg(long, hide_short_help = true, value_name = "CYCLES")]
    pub vc_delay: Option<u32>,
    /// Cycles to allocate the switch [default: 1]
    #[arg(long, hide_short_help = true, value_name = "CYCLES")]
    pub switch_delay: Option<u32>,
    /// Cycles to cross the switch [default: 1]
    #[arg(long, hide_short_help = true, value_name = "CYCLES")]
    pub crossing_delay: Option<u32>,
    /// Cycles on a link between switches [default: 1]
    #[arg(long, hide_short_help = true, value_name = "CYCLES")]
    pub link_delay: Option<u32>,
    /// Cycles on a host link [default: 1]
    #[arg(long, hide_short_help = true, value_name = "CYCLES")]
    pub host_delay: Option<u32>,
    /// Cycles from the arrival of a credit to its use [default: 1]
    #[arg(long, hide_short_help = true, value_name = "CYCLES")]
    pub credit_delay: Option<u32>,
    /// Speed-up of a switch: its steps per cycle, 1 or 2 [default: 1]
    #[arg(long, hide_short_help = true, value_name = "STEPS")]
    pub speedup: Option<u32>,
    /// Ports of hosts: `own`, or one `shared` by the hosts of a switch [default: own]
    #[arg(long, hide_short_help = true, value_name = "KIND", value_parser = ["own", "shared"])]
    pub host_port: Option<String>,
    /// Let adaptive rules also count flits that are routed but not yet sent
    #[arg(long, hide_short_help = true)]
    pub count_routed: bool,
    /// Nanoseconds per cycle [default: 2.56, a flit of 256 bits at 100 Gbit/s; in the presets 2.667, at 96 Gbit/s]
    #[arg(long, hide_short_help = true, value_name = "NS", allow_hyphen_values = true)]
    pub cycle_ns: Option<f64>,
    #[command(flatten)]
    pub defaults: Defaults,
}

/// Examples, and the lists of rules and presets.
fn help() -> String {
    let mut text = String::from(
        "\
Examples:
  mopsim packets torus:8x8 --load 0.1:0.5:0.1
  mopsim packets torus:8x8 random:n=64,d=4 --routing escape --pattern uniform,transpose
  mopsim packets equality:n=64,sa=[-1,1,9,23],sb=[14] --routing amin --hosts-per-switch 2
  mopsim packets torus:8x8 mesh:8x8 --html curves.html
  mopsim packets torus:4x4 --packets list.txt

A long sweep, in pieces or on several machines:
  mopsim packets SPEC... --results s.jsonl            # Ctrl-C stops it cleanly
  mopsim packets SPEC... --results s.jsonl --resume   # this continues it
  mopsim packets SPEC... --shard 1/2 --results a.jsonl
  mopsim packets SPEC... --shard 2/2 --results b.jsonl
  mopsim merge a.jsonl b.jsonl                        # the same as in one run

A cycle is the time of one flit on a link. docs/packets.md describes the model.

Routing rules:
",
    );
    let mut list = |name: &str, help: &str| {
        text.push_str(&format!("  {name:<18}{}", broken(help, 20, 20)));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    };
    for kind in ROUTINGS {
        list(kind.name, kind.help);
    }
    text.push_str("\nPresets:\n");
    for preset in PRESETS {
        text.push_str(&format!("  {:<18}{}", preset.name, broken(preset.help, 20, 20)));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}
