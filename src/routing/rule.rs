//! Routing rules: routes between switches, and an entry of the table of rules.

use super::error::RoutingError;
use super::spec::{RoutingSpec, RuleParameter};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology, derived_seed};

/// Routing that fits every network.
pub(super) const PLAIN: &str = "bfs";

/// Default seed of random routings and mappings.
pub const DEFAULT_SEED: u64 = 1;

/// Returns the seed of a random routing: the requested one, otherwise that of the topology, otherwise [`DEFAULT_SEED`].
pub fn seed_for(asked: Option<u64>, topology: &Topology) -> u64 {
    asked.or(topology.seed()).unwrap_or(DEFAULT_SEED)
}

/// The two ends of a message: hosts and their switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ends {
    /// Switch of the sender.
    pub from: SwitchId,
    /// Switch of the receiver.
    pub to: SwitchId,
    /// Number of the sending host. Hosts are numbered over the whole network, in the order of their switches.
    pub source: u32,
    /// Number of the receiving host.
    pub destination: u32,
}

impl Ends {
    /// Returns the pair of hosts as one number, for hashes.
    pub(super) fn pair(&self) -> u64 {
        u64::from(self.source) << 32 | u64::from(self.destination)
    }
}

/// Identity of a message, for rules that choose a route for each message or flow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Message {
    /// Flow of the message: equal for all messages from one rank to another.
    pub stream: u64,
    /// Number of earlier messages from its source host to its destination host.
    pub sequence: u64,
}

/// Full load of a link: the loads in [`Routing::choose`] are multiples of 1 / `FULL_LOAD` of the capacity.
///
/// Loads are sums of floating-point rates. Rounded to about a millionth, sums in another order are equal, so that equal
/// loads tie.
pub const FULL_LOAD: u32 = 1 << 20;

/// Time at which the route of a message is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// Once for a pair of hosts: a static route.
    Once,
    /// Once for a pair of hosts, and each message is divided over several paths ([`Routing::parts`]).
    Split,
    /// When a message starts, by [`Routing::choose`], whatever the loads.
    PerMessage,
    /// When a message starts, by [`Routing::choose`], which depends on the loads of links.
    ByLoad,
}

/// Routes between the switches of a topology.
pub trait Routing: Send + Sync {
    /// Appends the arcs of the route, in order; none if `from` and `to` are equal. If a rule distinguishes hosts, it is
    /// the route between the first hosts of the two switches; if it decides message by message, the route of a first
    /// message without load.
    ///
    /// Returns `false`, and leaves `arcs` unchanged, if there is no path.
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool;

    /// Appends the arcs of the route between two hosts. Rules whose [`Scope`] is the pair of switches return the same
    /// route for all hosts of a switch.
    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.route(ends.from, ends.to, arcs)
    }

    /// Returns the time at which the route of a message is decided.
    fn chosen(&self) -> Chosen {
        Chosen::Once
    }

    /// Appends the arcs that a message is divided over ([`Chosen::Split`]), each once and with its part of the message,
    /// in the order of their distance from the source.
    ///
    /// Returns `false`, and leaves `parts` unchanged, if there is no path.
    fn parts(&self, ends: &Ends, parts: &mut Vec<(ArcId, f64)>) -> bool {
        let mut arcs = Vec::new();
        let found = self.route_between(ends, &mut arcs);
        parts.extend(arcs.into_iter().map(|arc| (arc, 1.0)));
        found
    }

    /// Returns the largest sum of weights, one for each arc, on a path that a part of a message between one of these pairs of
    /// switches takes; 0 without pairs. Pairs without a path do not count. As it is here, it is for rules with one path for a pair.
    fn longest(&self, pairs: &[(SwitchId, SwitchId)], weights: &[f64]) -> f64 {
        let mut arcs = Vec::new();
        let sum = |&(from, to): &(SwitchId, SwitchId)| {
            arcs.clear();
            self.route(from, to, &mut arcs);
            arcs.iter().map(|arc| weights[arc.index()]).sum()
        };
        pairs.iter().map(sum).fold(0.0, f64::max)
    }

    /// Appends the arcs of the route of one message ([`Chosen::PerMessage`], [`Chosen::ByLoad`]). `load` returns the load
    /// of an arc in units of 1 / [`FULL_LOAD`] of its capacity.
    ///
    /// Returns `false`, and leaves `arcs` unchanged, if there is no path.
    fn choose(
        &self,
        ends: &Ends,
        _message: Message,
        _load: &mut dyn FnMut(ArcId) -> u32,
        arcs: &mut Vec<ArcId>,
    ) -> bool {
        self.route_between(ends, arcs)
    }

    /// Describes why the route takes each of its arcs, which are those from [`Routing::route`].
    fn reasons(&self, _from: SwitchId, _to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let left = |hop| arcs.len() - 1 - hop;
        let reason =
            |hop| format!("shortest path, {} hop{} to go after it", left(hop), if left(hop) == 1 { "" } else { "s" });
        (0..arcs.len()).map(reason).collect()
    }
}

/// Returns a hash of two switches, which chooses among parallel cables.
pub(crate) fn spread(from: u32, to: u32) -> u32 {
    (derived_seed(u64::from(from), u64::from(to)) >> 32) as u32
}

/// Input of a routing in addition to the topology.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options<'a> {
    /// Seed of random routings.
    pub seed: u64,
    /// Delay of each arc in seconds, if known: latency of the cable and of the switch that it enters. One for each arc
    /// of the graph, in order.
    pub arc_delays: Option<&'a [f64]>,
    /// Number of hosts on each switch; by default that of the topology.
    pub hosts: Option<&'a [u32]>,
}

/// Numbers of hosts by switch.
pub(super) struct HostNumbers {
    /// Number of the first host of each switch, or of the next one after it; at the end, the number of all hosts.
    pub(super) first: Vec<u32>,
}

impl HostNumbers {
    pub(super) fn new(topology: &Topology, options: &Options<'_>) -> Self {
        let default;
        let counts = match options.hosts {
            Some(counts) => counts,
            None => {
                default = topology.graph.default_hosts();
                &default[..]
            }
        };
        let mut next = 0_u32;
        let mut first = Vec::with_capacity(counts.len() + 1);
        for &count in counts {
            first.push(next);
            next = next.saturating_add(count);
        }
        first.push(next);
        Self { first }
    }

    /// Returns the number of hosts on a switch.
    pub(super) fn count(&self, switch: SwitchId) -> u32 {
        self.first[switch.index() + 1] - self.first[switch.index()]
    }

    /// Returns the ends of messages between the first hosts of two switches.
    pub(super) fn first_of(&self, from: SwitchId, to: SwitchId) -> Ends {
        Ends { from, to, source: self.first[from.index()], destination: self.first[to.index()] }
    }
}

/// Function that builds a routing for a topology, with the options of a specification.
pub type BuildRouting = fn(&Topology, &Options<'_>, &RoutingSpec) -> Result<Box<dyn Routing>, RoutingError>;

/// Ends of a message on which its route depends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// The switches alone.
    Switches,
    /// The switches and the receiving host.
    Destination,
    /// The switches and both hosts.
    Pair,
}

/// Entry of the table of routings.
#[derive(Clone, Copy, Debug)]
pub struct RoutingKind {
    /// Name on the command line.
    pub name: &'static str,
    /// Other names. In all names `-` and `_` are the same, and so are capital and small letters.
    pub aliases: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// `true` if the routes depend on a seed, which a report then has to state.
    pub random: bool,
    /// `true` if every route has the minimum number of hops.
    pub shortest: bool,
    /// `true` if routes depend on the loads of links.
    pub adaptive: bool,
    /// Ends on which a route depends.
    pub scope: Scope,
    /// Options in specifications.
    pub parameters: &'static [RuleParameter],
    /// Builds the routing for a topology; the seed is for random ones. A routing for some families rejects the others,
    /// and finds their parameters in the specification of the topology.
    pub build: BuildRouting,
}

impl PartialEq for RoutingKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl RoutingKind {
    /// Returns "static" or "adaptive", the terms of reports.
    pub fn nature(&self) -> &'static str {
        if self.adaptive { "adaptive" } else { "static" }
    }

    /// Returns `true` if routes follow from the numbers of switches, so that no cable may be missing.
    pub fn needs_whole_network(&self) -> bool {
        matches!(self.name, "dimension_order" | "dragonfly" | "dsnf" | "polynomial" | "equality")
    }

    /// A deterministic static rule along shortest paths; the lines of [`ROUTINGS`] state what differs.
    pub(super) const fn new(name: &'static str, help: &'static str, build: BuildRouting) -> Self {
        let (random, shortest, adaptive) = (false, true, false);
        Self { name, aliases: &[], help, random, shortest, adaptive, scope: Scope::Switches, parameters: &[], build }
    }

    pub(super) const fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(super) const fn random(self) -> Self {
        Self { random: true, ..self }
    }

    pub(super) const fn detours(self) -> Self {
        Self { shortest: false, ..self }
    }

    pub(super) const fn adaptive(self) -> Self {
        Self { adaptive: true, random: true, ..self }
    }

    pub(super) const fn by(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    pub(super) const fn with(self, parameters: &'static [RuleParameter]) -> Self {
        Self { parameters, ..self }
    }
}
