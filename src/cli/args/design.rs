//! Arguments of `design`.

use super::{DesignSearch, whole};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Design {
    #[command(subcommand)]
    pub what: DesignWhat,
}

#[derive(Debug, Subcommand)]
pub enum DesignWhat {
    /// Find networks with the most speed for their price and power
    Search(DesignSearch),
    /// Search for hops that give an Equality network short paths
    Equality(DesignEquality),
    /// List the cables to add, move and remove when a DSN-F network grows
    Dsnf(DesignDsnf),
    /// Bound the number of switches that compute nodes need
    Switches(DesignSwitches),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim design equality --n 256 --degree 9 --generations 200 --state eq.json

The search is genetic, and minimises the product of mean distance and diameter.
The same seed results in the same network, in one run or in several that share a
state file.")]
pub struct DesignEquality {
    /// Number of switches, even
    #[arg(long)]
    pub n: u32,
    /// Cables per switch, from 2 to n/2
    #[arg(long)]
    pub degree: u32,
    /// Maximum number of generations; the search stops after 100 without progress
    #[arg(long, value_name = "G", default_value_t = 500)]
    pub generations: u32,
    /// Seed of the search
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    pub seed: u64,
    /// Odd hops that the network must have besides -1 and 1, e.g. 3,9
    #[arg(long, value_name = "HOPS", value_delimiter = ',')]
    pub odd: Vec<u32>,
    /// Even hops that the network must have, e.g. 4
    #[arg(long, value_name = "HOPS", value_delimiter = ',')]
    pub even: Vec<u32>,
    /// State of the search: saved every second, and continued if the file exists
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim design dsnf --from n=24,p=3 --to n=160,p=5 --format csv > cables.csv")]
pub struct DesignDsnf {
    /// The present network: parameters of `dsnf`
    #[arg(long, value_name = "n=N,p=P")]
    pub from: String,
    /// The network after the expansion: parameters of `dsnf`
    #[arg(long, value_name = "n=N,p=P")]
    pub to: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim design switches --nodes 1000 --ports 24")]
pub struct DesignSwitches {
    /// Number of compute nodes, more than 2
    #[arg(long, value_parser = whole::<u64>)]
    pub nodes: u64,
    /// Ports of a switch, more than 2
    #[arg(long, value_parser = whole::<u64>)]
    pub ports: u64,
    /// Ports of a compute node
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    pub node_ports: u64,
}
