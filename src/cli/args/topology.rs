//! Arguments of `topology`.

use super::network::{Defaults, Floor};
use super::whole;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = super::families::help())]
pub struct Topology {
    /// Topology specifications or graph files
    #[arg(required_unless_present = "fit", value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Which families join so many hosts with switches of so many ports, e.g. hosts=4096,radix=36
    #[arg(long, value_name = "hosts=N,radix=R", conflicts_with_all = [
        "specs", "routing", "seed", "aspl_samples", "bisection", "full", "route", "floor_plan", "switches_per_cabinet", "hosts_per_cabinet",
        "placement", "hosts_per_switch", "without", "switch_delay", "cable_delay", "defaults", "floor_svg",
    ])]
    pub fit: Option<String>,
    /// Seed of random families whose specification gives none, of samples and of random routings [default: 1]
    #[arg(long, value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    /// Leave out what failed: cables by their two switches and switches by number, e.g. 3-7,12
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub without: Option<String>,
    /// Estimate distances from so many switches, with an error bound, instead of all
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub aspl_samples: Option<u32>,
    /// Bisection by METIS, best of so many seeds; 0: none [default: 5, and none beyond a million arcs]
    #[arg(long, value_name = "SEEDS", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub bisection: Option<u32>,
    /// Also what takes long in large networks: latencies, number of ways, edge connectivity, bisection
    #[arg(long)]
    pub full: bool,
    /// Show the route between two switches, and why it goes where it goes
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub route: Option<Vec<u32>>,
    /// How that route is chosen; an unknown rule lists them all [default: that of the family, see docs/reference/routing.md]
    #[arg(long, value_name = "RULE", requires = "route")]
    pub routing: Option<String>,
    /// Hosts on each switch that bears hosts (in trees: on each leaf) [default: those of the topology, mostly 1]
    #[arg(long, alias = "endpoints", value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub hosts_per_switch: Option<u32>,
    /// Delay of a switch, e.g. "20 ns" [default: 100 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay of a metre of cable [default: 5 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    /// Price list (TOML) instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Draw the floor with its cables (SVG); for one topology
    #[arg(long, value_name = "FILE")]
    pub floor_svg: Option<PathBuf>,
    /// Also replace a file that is not a mopsim report
    #[arg(long, requires = "floor_svg")]
    pub force: bool,
    #[command(flatten)]
    pub defaults: Defaults,
    #[command(flatten)]
    pub floor: Floor,
}
