//! Arguments for networks and models that several verbs share.

use super::whole;
use clap::{Args, ValueEnum};
use mopsim::study::choice::CrossTraffic;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct Network {
    /// Routing rule, e.g. bfs (shortest, lowest numbers first), dimension-order, d-mod-k, ecmp, balanced, split,
    /// valiant, adaptive, ugal:k=4; an unknown rule lists them all, and docs/reference/routing.md says what they do [default: that of
    /// the family: dimension-order for tori, meshes, hypercubes and HyperX, d-mod-k for trees, dragonfly for Dragonflies,
    /// balanced for irregular networks, hashed where that takes long]
    #[arg(long, value_name = "RULE")]
    pub routing: Option<String>,
    /// Leave out what failed: cables by their two switches and switches by number, e.g. 3-7,12. Routes are made for what is
    /// left; with --routing repaired only those that crossed it change
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub without: Option<String>,
    /// Whether the directions of a two-way cable have a capacity each: full or shared [default: full]
    #[arg(long, value_name = "MODE")]
    pub duplex: Option<String>,
    /// Hosts on each switch that bears hosts (in trees: on each leaf) [default: those of the topology, mostly 1]
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Speed of a core; a bare number is in flop/s [default: 100 Gflop/s]
    #[arg(long, allow_hyphen_values = true, value_name = "SPEED")]
    pub host_speed: Option<String>,
    /// Cores of a host [default: 1]
    #[arg(long, value_name = "N")]
    pub cores: Option<u32>,
    /// Bandwidth of a link, e.g. "5 GB/s"; a bare number is in bytes a second [default: 100 Gbit/s]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub link_bandwidth: Option<String>,
    /// Latency of a link, without switch and cable; a bare number is in seconds [default: 0]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub link_latency: Option<String>,
    /// Delay of a switch, e.g. "60 ns" [default: 100 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay of a metre of cable between switches, by the floor plan [default: 5 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    /// Bandwidth of the link between a host and its switch, each way; or none: hosts have no links, and those of one
    /// switch communicate as within a host [default: that of the other links]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub host_link_bandwidth: Option<String>,
    /// Latency of the link between a host and its switch [default: that of the other links]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub host_link_latency: Option<String>,
    /// How ranks are placed on hosts: one-each; block (each host takes as many neighbouring ranks as it has cores, and
    /// an equal share where there are more ranks than cores); round-robin; random (round-robin over hosts in random
    /// order); bisection (ranks that send each other much near each other) [default: one-each]
    #[arg(long, value_name = "RULE")]
    pub mapping: Option<String>,
    /// Seed of random topologies, routings and mappings that have none of their own [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub defaults: Defaults,
    #[command(flatten)]
    pub floor: Floor,
}

#[derive(Debug, Args)]
pub struct Defaults {
    /// Version of the defaults of all options, for results that are to be repeated: 0.1 or 0.2 (docs/reference/platforms.md lists
    /// their values) [default: 0.2]
    #[arg(long, value_name = "VERSION")]
    pub defaults: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Floor plan")]
pub struct Floor {
    /// Model of cabinets and cables: grid, slim-fly or equality [default: grid]
    #[arg(long, value_name = "MODEL")]
    pub floor_plan: Option<String>,
    /// Switches in a cabinet of the grid models [default: what the family says, else 16]
    #[arg(long, value_name = "N")]
    pub switches_per_cabinet: Option<u32>,
    /// Hosts in a cabinet of their own beside those of switches, for the grid models [default: hosts take no room]
    #[arg(long, value_name = "N")]
    pub hosts_per_cabinet: Option<u32>,
    /// Order in which switches fill cabinets: vertex, or supernode-major for DSN-F [default: vertex]
    #[arg(long, value_name = "ORDER")]
    pub placement: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct PlacementFiles {
    /// Host of each rank, in order: a file with a host name on each line, `name:k` for k ranks. It begins again where
    /// there are more ranks than lines
    #[arg(long, value_name = "FILE", conflicts_with = "mapping")]
    pub hostfile: Option<PathBuf>,
    /// Host of each rank, by number: a file with lines `RANK HOST` or `rank RANK=HOST slot=N`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mapping", "hostfile"])]
    pub rankfile: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct Model {
    /// Network model: ordered, tcp, ideal, packet, smpi, lv08, cm02, loggops, or a file with constants of one
    ///
    /// The file is TOML with the keys of the table `[model]` of studies (docs/reference/studies.md): `network_model`,
    /// `bandwidth_factor`, `latency_factor`, `send_overhead`, `async_below` and others. Other flags override it. What the
    /// `config` of a SimGrid platform says holds where nothing else is said. `packet` sends messages as packets through the
    /// buffers of switches; `packet:routing=amin,vcs=6` sets constants of it (docs/packets.md). [default: ordered; smpi with --compat simgrid]
    #[arg(long, value_name = "NAME|FILE", visible_alias = "network-model")]
    pub model: Option<String>,
    /// Table that chooses the algorithm of each collective: mvapich2, ompi, mpich or default [default: mvapich2]
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// One algorithm for all calls of an operation, e.g. alltoall=bruck (may be repeated); `mopsim collectives` lists
    /// them
    #[arg(long, value_name = "KIND=ALGORITHM")]
    pub collective: Vec<String>,
    /// How links are shared: exact, the max-min fair solution at every instant; simgrid-lazy, SimGrid's incremental
    /// solver with its stale rates; or simgrid-full, exact with SimGrid's rounding errors, slow [default: exact]
    #[arg(long, value_name = "RULE")]
    pub sharing: Option<String>,
    /// Events closer than this many seconds happen together [default: 1e-12]
    #[arg(long, value_name = "SECONDS")]
    pub timing_precision: Option<f64>,
    /// simgrid: give the numbers of SimGrid's default settings; the same as --sharing simgrid-lazy --timing-precision
    /// 1e-9 --smp-setup on
    #[arg(long, value_name = "TOOL")]
    pub compat: Option<String>,
    /// Acknowledgements: the share of its rate that a flow also takes on the way back; on is 0.05 [default: that of the
    /// network model]
    #[arg(long, value_name = "ON|OFF|SHARE")]
    pub crosstraffic: Option<CrossTraffic>,
    /// Whether the first collective pays for finding out who shares a host, as in SimGrid's SMPI [default: on]
    #[arg(long, value_name = "ON|OFF")]
    pub smp_setup: Option<Switch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}
