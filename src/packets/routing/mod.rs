//! Routing of packets: the outputs and virtual channels that the head of a packet may request.
//!
//! A rule is called when a head is routed, and sees the load of the outputs of its switch as of the beginning of that
//! cycle. A new rule is one file and one line of [`ROUTINGS`].

use super::PacketError;
use super::parameters::{MAX_VCS, Switching};
use super::wiring::Wiring;
use crate::routing::grid::Grid;
use crate::similar::nearest;
use crate::topology::Topology;
use std::sync::Arc;

mod amin;
mod deflection;
mod dimension_order;
mod dragonfly;
mod dsnf;
mod escape;
mod first_hop;
mod hyperx;
mod shortest;
mod static_routes;
mod ugal;
mod ugal_equality;
mod valiant;

pub use deflection::Deflection;
use shortest::Shortest;

/// Output, and a range of its virtual channels, that a packet may request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Candidate {
    /// Output port.
    pub output: u16,
    /// Lowest virtual channel.
    pub lowest: u8,
    /// Highest virtual channel.
    pub highest: u8,
    /// Candidates with a higher priority are taken first.
    pub priority: u8,
}

/// Packet whose head is to be routed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Head {
    /// Destination host.
    pub to: u32,
    /// Switch of that host.
    pub target: u32,
    /// Cables passed so far, up to 255.
    pub hops: u32,
    /// Cycle of creation.
    pub created: u32,
    /// 24 bits that the rule keeps with the packet.
    pub note: u32,
    /// Five bits that the rule keeps with the packet; 0 when it enters the network. Bit 0 is [`Head::DETOUR`].
    pub phase: u32,
}

impl Head {
    /// Phase bit of packets on their way to an intermediate switch: they pass through the switch of their destination.
    pub const DETOUR: u32 = 1;
}

/// Position of a head, and the state that it sees.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Switch that the head is at.
    pub switch: u32,
    /// Cable that it arrived by, among those into the switch; `None` if it came from a host.
    pub cable: Option<u32>,
    /// Virtual channel of the input; the input port, if it came from a host.
    pub vc: u32,
    /// Load of each output in flits: sent and not credited; with `count_routed` also those routed and not sent.
    pub loads: &'a [u32],
    /// Seed of random choices.
    pub seed: u64,
}

impl At<'_> {
    /// Returns random bits for this packet at this switch; equal calls return equal bits.
    #[inline]
    pub fn random(&self, head: &Head) -> u64 {
        let place = u64::from(self.switch) << 32 | u64::from(self.cable.map_or(self.vc | 1 << 31, |cable| cable));
        let packet = u64::from(head.created) << 32 | u64::from(head.to);
        super::random::mixed(super::random::mixed(self.seed ^ place).wrapping_add(packet))
    }
}

/// Routing rule on a network.
pub trait Rule: Send + Sync {
    /// Returns the candidate of a head, and adds further ones to `more`. May change the note and the phase of the
    /// packet.
    ///
    /// It is not called at the switch of the destination, unless [`Rule::delivers`] or the packet is on a detour.
    fn route(&self, at: &At<'_>, head: &mut Head, more: &mut Vec<Candidate>) -> Candidate;

    /// Calls `visit` with each candidate that [`Rule::route`] may return, whatever the loads and random choices are,
    /// and with the packet as it would move on. For the check of channel dependencies.
    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let (mut head, mut more) = (*head, Vec::new());
        let first = self.route(at, &mut head, &mut more);
        visit(first, head);
        more.into_iter().for_each(|candidate| visit(candidate, head));
    }

    /// `true` if the rule uses the loads of outputs.
    fn reads_loads(&self) -> bool {
        true
    }

    /// `true` if the rule also chooses the channel to the destination host, at its switch.
    fn delivers(&self) -> bool {
        false
    }

    /// Returns the number of virtual channels that the rule needs on this network.
    fn vcs_needed(&self) -> u32;

    /// Sets the number of virtual channels, if it was not known when the rule was built.
    fn set_vcs(&mut self, _vcs: u32) {}

    /// Returns the largest number of candidates that [`Rule::route`] returns in one call.
    fn candidates(&self) -> usize {
        1
    }

    /// `true` if every hop takes a higher virtual channel than the one before, which excludes cycles.
    fn ascending(&self) -> bool {
        false
    }

    /// Returns a proof that no cycle exists on networks of any size, if there is one.
    fn proof(&self) -> Option<&'static str> {
        None
    }

    /// `true` if packets are never stuck as long as those on this virtual channel are not. True for all channels of
    /// rules without an escape.
    fn is_escape(&self, _vc: u32) -> bool {
        true
    }

    /// `true` if a packet may leave the escape channels again; then it may own a channel only if it can move into it.
    fn returns_from_escape(&self) -> bool {
        false
    }

    /// Returns remarks for reports.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Network, number of virtual channels and argument for which a rule is built.
pub struct Request<'a> {
    /// Name of the rule as requested.
    pub name: &'static str,
    /// Text after the colon.
    pub argument: Option<&'a str>,
    /// Switches, cables and hosts.
    pub wiring: &'a Arc<Wiring>,
    /// Number of virtual channels.
    pub vcs: u32,
    /// Seed of random static routes.
    pub seed: u64,
}

impl Request<'_> {
    fn unsuitable(&self, reason: &str, instead: &str) -> PacketError {
        PacketError::Unsuitable {
            routing: self.name.into(),
            topology: self.wiring.topology.name(),
            reason: reason.into(),
            instead: instead.into(),
        }
    }

    fn no_argument(&self) -> Result<(), PacketError> {
        match self.argument {
            None => Ok(()),
            Some(text) => {
                Err(PacketError::invalid("routing", format!("`{}:{text}`", self.name), "this rule takes no argument"))
            }
        }
    }

    fn number_or(&self, default: u32) -> Result<u32, PacketError> {
        let Some(text) = self.argument else { return Ok(default) };
        text.parse().map_err(|_| {
            PacketError::invalid("routing", format!("`{}:{text}`", self.name), "a number must follow the colon")
        })
    }
}

/// Entry of the table of packet routings.
#[derive(Clone, Copy, Debug)]
pub struct RoutingKind {
    /// Name on the command line.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// Builds the rule.
    pub build: Build,
}

/// Builder of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// A rule that selects virtual channels of buffers.
    Buffered(fn(&Request<'_>) -> Result<Box<dyn Rule>, PacketError>),
    /// Deflection, which has no buffers, and an engine of its own: [`crate::packets::deflection`].
    Deflection(fn(&Request<'_>) -> Result<Deflection, PacketError>),
}

use Build::Buffered;

/// All routings of packets.
#[rustfmt::skip]
pub const ROUTINGS: &[RoutingKind] = &[
    RoutingKind { name: "dimension-order", aliases: &["dor", "dim_order"], help: "one dimension after another, with datelines on rings; grids", build: Buffered(dimension_order::build) },
    RoutingKind { name: "static", aliases: &[], help: "static routes, e.g. static:bfs; hop i on VC i", build: Buffered(static_routes::build) },
    RoutingKind { name: "first-hop", aliases: &["hopvc"], help: "at each switch the first hop of its own breadth-first tree; hop i on VC i", build: Buffered(first_hop::build) },
    RoutingKind { name: "amin", aliases: &["adaptive-minimal"], help: "of the shortest next hops the least loaded; hop i on VC i", build: Buffered(amin::build) },
    RoutingKind { name: "escape", aliases: &["min_adapt", "duato"], help: "all shortest next hops, escape by up*/down* or dimension order on VC 0; escape:free may return", build: Buffered(escape::build) },
    RoutingKind { name: "valiant", aliases: &[], help: "by a random switch; on grids by dimension order, else minimal adaptive", build: Buffered(valiant::build) },
    RoutingKind { name: "ugal", aliases: &["ugal-l", "ugalv"], help: "minimal or by a random switch, whichever has the smaller load times hops; ugal:T adds T", build: Buffered(ugal::build) },
    RoutingKind { name: "ugal-equality", aliases: &["ugaleq"], help: "at the first switch shortest or sub-shortest by load times hops, then amin", build: Buffered(ugal_equality::build) },
    RoutingKind { name: "bgal", aliases: &[], help: "ugal-equality unless more than 2 (bgal:N) shortest next hops exist", build: Buffered(ugal_equality::bgal) },
    RoutingKind { name: "dragonfly", aliases: &["dragonfly-minimal"], help: "within the group, to the other group, within it; dragonflies", build: Buffered(dragonfly::minimal) },
    RoutingKind { name: "dragonfly-ugal", aliases: &[], help: "minimal or by a random group, by load; dragonflies; dragonfly-ugal:booksim by a switch of it", build: Buffered(dragonfly::ugal) },
    RoutingKind { name: "hyperx-ugal", aliases: &["flattened-butterfly-ugal"], help: "minimal or by a random switch within the differing dimensions, by load; HyperX", build: Buffered(hyperx::build) },
    RoutingKind { name: "dsnf", aliases: &["dsn-f"], help: "that of DSN-F, by super-nodes and levels, on four classes of VCs; dsnf", build: Buffered(dsnf::build) },
    RoutingKind { name: "deflection", aliases: &["hot-potato"], help: "without buffers: each packet moves in every slot, by a wrong output if the right ones are taken; as many cables out as in", build: Build::Deflection(deflection::build) },
];

/// Splits the text of a rule into its name and its argument.
fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once(':').map_or((text, None), |(name, argument)| (name, Some(argument)))
}

fn normalised(name: &str) -> String {
    name.trim().to_lowercase().replace('_', "-")
}

/// Returns the routing with this name or alias.
///
/// # Errors
/// [`PacketError::UnknownRouting`].
pub fn find(name: &str) -> Result<&'static RoutingKind, PacketError> {
    let wanted = normalised(name);
    let named =
        |kind: &&RoutingKind| kind.name == wanted || kind.aliases.iter().any(|alias| normalised(alias) == wanted);
    ROUTINGS.iter().find(named).ok_or_else(|| {
        let names = ROUTINGS.iter().flat_map(|kind| [kind.name].into_iter().chain(kind.aliases.iter().copied()));
        PacketError::UnknownRouting { name: name.into(), nearest: nearest(&wanted, names).map(Into::into) }
    })
}

/// Returns the routing with this name or alias, if it is for switches with buffers.
///
/// # Errors
/// [`PacketError::UnknownRouting`], [`PacketError::NoBuffers`].
pub fn find_buffered(name: &str) -> Result<&'static RoutingKind, PacketError> {
    let kind = find(name)?;
    match kind.build {
        Buffered(_) => Ok(kind),
        Build::Deflection(_) => Err(PacketError::NoBuffers { routing: kind.name }),
    }
}

/// Virtual channels where neither the user nor the rule requires more.
pub const DEFAULT_VCS: u32 = 4;

/// Returns the default rule: dimension order on grids, an escape on other networks with cables in both directions,
/// adaptive minimal on the rest.
pub fn default_for(topology: &Topology) -> &'static str {
    match (Grid::of(topology), topology.graph.is_directed()) {
        (Some(_), _) => "dimension-order",
        (None, false) => "escape",
        (None, true) => "amin",
    }
}

/// Returns the default condition for a packet of `flits` flits to take a virtual channel: as soon as no other packet
/// owns it, unless `rule` has escape channels, which need room in them.
pub fn switching_for(rule: &dyn Rule, vcs: u32, flits: u32) -> Switching {
    // Without an escape every channel is one.
    let has_escape = (0..vcs).any(|vc| !rule.is_escape(vc));
    match (has_escape, flits) {
        (false, _) => Switching::Wormhole,
        (true, 1) => Switching::NotFull,
        (true, _) => Switching::CutThrough,
    }
}

/// Rule that is ready, with its number of virtual channels.
pub enum Ready {
    /// Rule for switches with buffers.
    Buffered(Box<dyn Rule>, u32),
    /// Deflection.
    Deflection(Deflection),
}

/// As [`build_with`], deflection included.
///
/// # Errors
/// As [`build_with`].
pub fn ready(text: &str, wiring: &Arc<Wiring>, vcs: Option<u32>, seed: u64) -> Result<Ready, PacketError> {
    let (name, argument) = split(text);
    let kind = find(name)?;
    match kind.build {
        Buffered(_) => build_with(text, wiring, vcs, seed).map(|(rule, vcs)| Ready::Buffered(rule, vcs)),
        Build::Deflection(build) => {
            build(&Request { name: kind.name, argument, wiring, vcs: 0, seed }).map(Ready::Deflection)
        }
    }
}

/// As [`build`], where `vcs` is `None` with the number of virtual channels that the rule needs, and at least
/// [`DEFAULT_VCS`]; returns also their number.
///
/// # Errors
/// As [`build`]; [`PacketError::Invalid`] if the rule needs more than [`MAX_VCS`].
pub fn build_with(
    text: &str,
    wiring: &Arc<Wiring>,
    vcs: Option<u32>,
    seed: u64,
) -> Result<(Box<dyn Rule>, u32), PacketError> {
    if let Some(vcs) = vcs {
        return Ok((build(text, wiring, vcs, seed)?, vcs));
    }
    let mut rule = build(text, wiring, MAX_VCS, seed)?;
    let vcs = rule.vcs_needed().max(DEFAULT_VCS);
    rule.set_vcs(vcs);
    Ok((rule, vcs))
}

/// Builds the rule of a text such as `amin`, `static:ecmp` or `bgal:3`.
///
/// # Errors
/// [`PacketError`] for an unknown name, an unsuitable network, fewer virtual channels than the rule needs, or deflection,
/// which has no buffers.
pub fn build(text: &str, wiring: &Arc<Wiring>, vcs: u32, seed: u64) -> Result<Box<dyn Rule>, PacketError> {
    let (name, argument) = split(text);
    let kind = find(name)?;
    let Buffered(build) = kind.build else { return Err(PacketError::NoBuffers { routing: kind.name }) };
    let rule = build(&Request { name: kind.name, argument, wiring, vcs, seed })?;
    let needed = rule.vcs_needed();
    if needed > vcs {
        let (routing, topology) = (text.to_owned(), wiring.topology.name());
        return Err(PacketError::TooFewVcs { routing, topology, needed, vcs });
    }
    Ok(rule)
}

/// Returns the ranges of virtual channels below and above a dateline. An odd channel belongs to the lower range.
fn halves(vcs: u32) -> [(u8, u8); 2] {
    let upper = vcs / 2;
    [(0, (vcs - upper).max(1) as u8 - 1), ((vcs - upper).min(vcs - 1) as u8, vcs as u8 - 1)]
}
