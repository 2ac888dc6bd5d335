//! Arguments of `topology`.

use super::known::{Known, families, routings};
use super::network::{Defaults, Floor, Ports};
use super::whole;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = super::families::help())]
pub struct Topology {
    /// Topology specifications or graph files
    #[arg(required_unless_present_any = ["fit", "planes"], value_name = "SPEC", value_parser = Known(families), hide_possible_values = true)]
    pub specs: Vec<String>,
    /// List families that connect N hosts with radix-R switches, e.g. hosts=4096,radix=36
    #[arg(long, value_name = "hosts=N,radix=R", conflicts_with_all = [
        "specs", "routing", "seed", "aspl_samples", "bisection", "full", "route", "floor_plan", "switches_per_cabinet", "hosts_per_cabinet",
        "placement", "hosts_per_switch", "without", "planes", "host_ports", "switch_delay", "cable_delay", "defaults", "floor_svg",
    ])]
    pub fit: Option<String>,
    /// Seed for random families, samples and routing [default: 1]
    ///
    /// It applies where a specification has no seed of its own.
    #[arg(long, value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub ports: Ports,
    /// Failed cables and switches, e.g. 3-7,12
    ///
    /// Cables are named by their two switches, switches by number.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub without: Option<String>,
    /// Estimate distances from K sampled switches instead of all, with an error bound
    #[arg(long, hide_short_help = true, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub aspl_samples: Option<u32>,
    /// Number of METIS runs for the bisection; 0: no bisection [default: 5; 0 beyond a million links]
    #[arg(long, hide_short_help = true, value_name = "SEEDS", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub bisection: Option<u32>,
    /// Compute all metrics, even those that take long: latencies, paths, connectivity, bisection
    #[arg(long)]
    pub full: bool,
    /// Show the route between two switches, and the reason for each hop
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub route: Option<Vec<u32>>,
    /// Routing rule for --route [default: that of the family]
    ///
    /// An unknown rule lists them all; docs/reference/routing.md describes them.
    #[arg(long, value_name = "RULE", requires = "route", value_parser = Known(routings), hide_possible_values = true)]
    pub routing: Option<String>,
    /// Hosts on each switch [default: that of the topology, usually 1]
    ///
    /// On each switch that has hosts; in trees, on each leaf.
    #[arg(long, alias = "endpoints", value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub hosts_per_switch: Option<u32>,
    /// Delay of a switch, e.g. "20 ns" [default: 100 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay per metre of cable [default: 5 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    /// Price list (TOML) [default: built-in, data/prices/equality.toml]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Rate of the links, which selects the prices in the list [default: the list's first rate]
    #[arg(long, allow_hyphen_values = true, value_name = "RATE")]
    pub link_bandwidth: Option<String>,
    /// Draw the floor plan with its cables (SVG); only for one topology
    #[arg(long, value_name = "FILE")]
    pub floor_svg: Option<PathBuf>,
    /// Also replace a file that is not a mopsim report
    #[arg(long, hide_short_help = true, requires = "floor_svg")]
    pub force: bool,
    #[command(flatten)]
    pub defaults: Defaults,
    #[command(flatten)]
    pub floor: Floor,
}
