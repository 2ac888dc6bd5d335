//! Arguments of `export`.

use super::known::{Known, families};
use super::network::NetworkFlags;
use super::one_of;
use clap::Args;
use mopsim::export::{FORMATS, Format};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim export torus:4x4 --to simgrid -o torus.xml --hostfile hosts.txt
  mopsim export random:n=64,d=6,seed=1 --to dot | neato -Tsvg > random.svg
  mopsim export --platform cluster.xml --to simgrid    # all routes written out

The file for SimGrid has two links per cable (--duplex full) or one (--duplex
shared), and a route for each ordered pair of hosts, so SimGrid uses the same
routes as mopsim. `platform` is JSON with the same content; --platform reads it.
The other formats have only switches, cables and the hosts of each switch.
GraphML, JSON and edges can be read back as topologies (mopsim topology
graph.graphml); Graphviz is for drawing.")]
pub struct Export {
    /// Topology, e.g. torus:8x8, random:n=64,d=6,seed=1, graph.json
    #[arg(value_name = "SPEC", required_unless_present_any = ["platform", "planes"], value_parser = Known(families), hide_possible_values = true)]
    pub spec: Option<String>,
    /// Platform file instead of a topology: explicit JSON, SimGrid XML, or TOML
    #[arg(long, value_name = "FILE", conflicts_with = "spec")]
    pub platform: Option<PathBuf>,
    /// Format of the export
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS, |format| (format.name, format.help)))]
    pub to: Format,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write a host file, one host per line in the order of ranks (--to simgrid)
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub network: NetworkFlags,
}
