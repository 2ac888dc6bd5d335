//! Arguments for networks and models that several verbs share.

use super::known::{
    Known, duplexes, floor_plans, mappings, models, orders, rails, routings, sharings, tables, versions,
};
use super::whole;
use clap::{Arg, Args, ValueEnum};
use mopsim::study::choice::CrossTraffic;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct NetworkFlags {
    /// Routing rule, e.g. ecmp [default: by family]
    ///
    /// The error for an unknown rule lists all rules, and docs/reference/routing.md describes them: bfs (shortest, lowest numbers first),
    /// d-mod-k, balanced, split, valiant, adaptive, ugal:k=4 and others. The defaults are dimension-order for tori,
    /// meshes, hypercubes and HyperX, d-mod-k for trees, dragonfly for Dragonflies, balanced for irregular networks, or
    /// hashed where balanced would take long.
    #[arg(long, value_name = "RULE", value_parser = Known(routings), hide_possible_values = true)]
    pub routing: Option<String>,
    #[command(flatten)]
    pub ports: Ports,
    /// Rail of a message where hosts have several ports: message, destination or striped [default: message]
    ///
    /// message: messages from one host to another take the rails in turn. destination: all messages to the same host take the same rail.
    /// striped: every message is divided equally over all rails.
    #[arg(long, value_name = "POLICY", hide_short_help = true, value_parser = Known(rails), hide_possible_values = true)]
    pub rail: Option<String>,
    /// Failed cables and switches, e.g. 3-7,12
    ///
    /// A cable is written as its two switches (3-7), a switch as its number (12). Routes are computed for what is left; with --routing
    /// repaired, only routes that crossed a failed part change.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, hide_short_help = true)]
    pub without: Option<String>,
    /// Bandwidth of two-way cables: full or shared [default: full]
    ///
    /// full: each direction has the full bandwidth. shared: both directions share it.
    #[arg(long, value_name = "MODE", value_parser = Known(duplexes), hide_possible_values = true)]
    pub duplex: Option<String>,
    /// Hosts on each switch [default: by topology]
    ///
    /// On each switch that has hosts; in trees, on each leaf. The default is usually 1.
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Speed of a core; a bare number is in flop/s [default: 100 Gflop/s]
    #[arg(long, allow_hyphen_values = true, value_name = "SPEED", hide_short_help = true)]
    pub host_speed: Option<String>,
    /// Cores per host [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub cores: Option<u32>,
    /// Bandwidth of a link [default: 100 Gbit/s]
    ///
    /// With a unit, e.g. "200 Gbit/s"; a bare number is in bytes per second.
    #[arg(long, allow_hyphen_values = true, value_name = "RATE")]
    pub link_bandwidth: Option<String>,
    /// Latency of a link, besides the delays of switch and cable [default: 0]
    ///
    /// A bare number is in seconds.
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", hide_short_help = true)]
    pub link_latency: Option<String>,
    /// Delay of a switch [default: 100 ns]
    ///
    /// With a unit, e.g. "60 ns"; a bare number is in seconds.
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay per metre of cable between switches; the floor plan has the lengths [default: 5 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", hide_short_help = true)]
    pub cable_delay: Option<String>,
    /// Bandwidth of host links in each direction, or none [default: that of the other links]
    ///
    /// With none, hosts have no links of their own, and hosts on the same switch communicate as ranks on one host do.
    #[arg(long, allow_hyphen_values = true, value_name = "RATE", hide_short_help = true)]
    pub host_link_bandwidth: Option<String>,
    /// Latency of host links [default: that of the other links]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", hide_short_help = true)]
    pub host_link_latency: Option<String>,
    /// Rank placement, e.g. block [default: one-each]
    ///
    /// one-each: one rank per host. round-robin: ranks are assigned to the hosts in turn. block: each host takes as many consecutive ranks as it has cores; if there are more ranks than
    /// cores, all hosts take equal shares. random: round-robin over hosts in random order. bisection: ranks that exchange many bytes are placed
    /// near each other.
    #[arg(long, value_name = "RULE", value_parser = Known(mappings), hide_possible_values = true)]
    pub mapping: Option<String>,
    /// Seed for everything random [default: 1]
    ///
    /// For random topologies, routing and mappings. It applies where a specification has no seed of its own.
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub defaults: Defaults,
    #[command(flatten)]
    pub floor: Floor,
}

#[derive(Debug, Args)]
pub struct Ports {
    /// Planes: a number of copies of the topology, or topologies separated by `;`
    ///
    /// Every host has a port in each plane. Switches are numbered plane by plane.
    #[arg(long, value_name = "N|SPECS", hide_short_help = true)]
    pub planes: Option<String>,
    /// Ports per host in each plane, each on a different switch [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub host_ports: Option<u32>,
    /// Switches of a host's additional ports: next or group [default: next]
    ///
    /// next: the next switches that have hosts. group: with k ports, every k consecutive switches form a group, and each host of
    /// the group has a port on each of these switches.
    #[arg(long, value_name = "RULE", hide_short_help = true, requires = "host_ports")]
    pub host_ports_at: Option<String>,
}

#[derive(Debug, Args)]
pub struct Defaults {
    /// Version of the defaults of all options: 0.1 or 0.2 [default: 0.2]
    ///
    /// An older version reproduces earlier results; docs/reference/platforms.md lists the values.
    #[arg(long, value_name = "VERSION", hide_short_help = true, value_parser = Known(versions), hide_possible_values = true)]
    pub defaults: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Floor plan")]
pub struct Floor {
    /// Model of cabinets and cables: grid, slim-fly or equality [default: grid]
    #[arg(long, value_name = "MODEL", hide_short_help = true, value_parser = Known(floor_plans), hide_possible_values = true)]
    pub floor_plan: Option<String>,
    /// Switches per cabinet, for the grid models [default: that of the family, else 16]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub switches_per_cabinet: Option<u32>,
    /// Hosts per cabinet, for the grid models [default: no cabinets for hosts]
    ///
    /// Hosts then have cabinets of their own next to those of switches.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub hosts_per_cabinet: Option<u32>,
    /// Order in which switches fill cabinets: vertex, or supernode-major for DSN-F [default: vertex]
    #[arg(long, value_name = "ORDER", hide_short_help = true, value_parser = Known(orders), hide_possible_values = true)]
    pub placement: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct PlacementFiles {
    /// File with the host of each rank, in order
    ///
    /// Each line has a host name, or `name:k` for k ranks, or numbers of hosts, from 0. If there are more ranks than entries, the entries are
    /// used again from the top.
    #[arg(long, value_name = "FILE", conflicts_with = "mapping", hide_short_help = true)]
    pub hostfile: Option<PathBuf>,
    /// File with the host of each rank, by number
    ///
    /// Lines are `RANK HOST` or `rank RANK=HOST slot=N`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mapping", "hostfile"], hide_short_help = true)]
    pub rankfile: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelFlags {
    /// Network model or model file [default: ordered]
    ///
    /// The models are ordered, tcp, ideal, packet, smpi, lv08, cm02 and loggops; with --compat simgrid the default is smpi.
    /// A file is TOML with the keys of the table `[model]` of studies (docs/reference/studies.md): `network_model`,
    /// `bandwidth_factor`, `latency_factor`, `send_overhead`, `async_below` and others. Other flags override it. The
    /// `config` of a SimGrid platform applies where neither file nor flag sets a value (but see --compat). `packet` sends
    /// messages as packets through the buffers of switches; `packet:routing=amin,vcs=6` sets its constants
    /// (docs/packets.md), and `loggops:L=1us,G=0.1ns` those of LogGOPS.
    #[arg(long, value_name = "NAME|FILE", visible_alias = "network-model", value_parser = Known(models), hide_possible_values = true)]
    pub model: Option<String>,
    /// Table of collective algorithms [default: mvapich2]
    ///
    /// mvapich2, ompi (Open MPI), mpich (3), mpich4 or default (SimGrid). ompi:FILE also follows a rule file of Open MPI's tuned module
    /// (`coll_tuned_dynamic_rules_filename`), classic or JSON.
    #[arg(long, value_name = "TABLE", value_parser = Known(tables), hide_possible_values = true)]
    pub collectives: Option<String>,
    /// One algorithm for all calls of an operation, e.g. alltoall=bruck (may be repeated)
    ///
    /// `mopsim collectives` lists the algorithms.
    #[arg(long, value_name = "KIND=ALGORITHM", hide_short_help = true)]
    pub collective: Vec<String>,
    /// How messages share links: exact, within:1%, proportional, simgrid-lazy or simgrid-full [default: exact]
    ///
    /// exact: the max-min fair solution at every instant. within:BOUND: fair within a bound from 0 to 10 %, and faster where
    /// thousands of messages share links with each other (docs/theory/sharing.md). proportional: the more links a message
    /// shares with others, the less bandwidth it gets, as with TCP; this rule is slower. simgrid-lazy: SimGrid's incremental solver with its stale rates.
    /// simgrid-full: exact with SimGrid's rounding errors, slow.
    #[arg(long, value_name = "RULE", hide_short_help = true, value_parser = Known(sharings), hide_possible_values = true)]
    pub sharing: Option<String>,
    /// Interval in seconds within which events count as simultaneous [default: 1e-12]
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub timing_precision: Option<f64>,
    /// simgrid: reproduce the numbers of `smpirun`, if both use the same collectives
    ///
    /// The same as --sharing simgrid-lazy --timing-precision 1e-9 --smp-setup on, with --model smpi as the default. The table of
    /// collectives stays mvapich2; that of `smpirun` is --collectives default. As with `smpirun`, `network/model` and
    /// `precision/timing` in the `config` of a platform have no effect.
    #[arg(long, value_name = "TOOL", hide_short_help = true, value_parser = Known(|| vec!["simgrid"]), hide_possible_values = true)]
    pub compat: Option<String>,
    /// Share of its rate that a flow uses on the return path, for acknowledgements [default: that of the network model]
    ///
    /// on means 0.05.
    #[arg(long, value_name = "ON|OFF|SHARE", hide_short_help = true)]
    pub crosstraffic: Option<CrossTraffic>,
    /// Simulate how the first collective determines which ranks share a host, as in SMPI [default: on with SimGrid's models, with its sharing rules and with --compat]
    #[arg(long, value_name = "ON|OFF", hide_short_help = true)]
    pub smp_setup: Option<OnOff>,
}

/// Hides options of networks and models in `-h` of a verb whose study file normally has them.
pub fn of_study(argument: Arg) -> Arg {
    let is_in_study = matches!(argument.get_help_heading(), Some("Network" | "Model"));
    if is_in_study { argument.hide_short_help(true) } else { argument }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    On,
    Off,
}
