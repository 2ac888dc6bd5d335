//! All routings of packets, and their rules from text.
//!
//! A new routing is one file and one line of [`ROUTINGS`].

use super::deflection::Deflection;
use super::planes::{PlaneRules, texts};
use super::rule::{Request, Rule};
use super::{
    amin, deflection, dimension_order, dragonfly, dsnf, escape, first_hop, hyperx, static_routes, ugal, ugal_equality,
    valiant, widened,
};
use crate::packets::PacketError;
use crate::packets::parameters::{MAX_VCS, Switching};
use crate::packets::wiring::Wiring;
use crate::routing::grid::Grid;
use crate::similar::nearest;
use crate::topology::Topology;
use crate::topology::rails::text_of_planes;
use std::sync::Arc;

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
    RoutingKind { name: "amin", aliases: &["adaptive-minimal"], help: "the least loaded of the shortest next hops, the lowest of equals (amin:random: any); hop i on VC i", build: Buffered(amin::build) },
    RoutingKind { name: "escape", aliases: &["min_adapt", "duato"], help: "all shortest next hops, escape by up*/down* or dimension order on VC 0; escape:free may return", build: Buffered(escape::build) },
    RoutingKind { name: "valiant", aliases: &[], help: "via a random switch; on grids by dimension order, else minimal adaptive", build: Buffered(valiant::build) },
    RoutingKind { name: "ugal", aliases: &["ugal-l", "ugalv"], help: "minimal or via a random switch, whichever has the smaller load times hops; ugal:T adds T to the detour", build: Buffered(ugal::build) },
    RoutingKind { name: "ugal-equality", aliases: &["ugaleq"], help: "at the first switch shortest or sub-shortest by load times hops, then amin", build: Buffered(ugal_equality::build) },
    RoutingKind { name: "bgal", aliases: &[], help: "ugal-equality unless more than 2 (bgal:N) shortest next hops exist", build: Buffered(ugal_equality::bgal) },
    RoutingKind { name: "dragonfly", aliases: &["dragonfly-minimal"], help: "minimal: within the group, to the other group, within that; dragonflies", build: Buffered(dragonfly::minimal) },
    RoutingKind { name: "dragonfly-ugal", aliases: &[], help: "minimal or via a random group, by load; dragonfly-ugal:T adds T flits, :booksim goes via a random switch; dragonflies", build: Buffered(dragonfly::ugal) },
    RoutingKind { name: "hyperx-ugal", aliases: &["flattened-butterfly-ugal"], help: "minimal or via a random switch within the differing dimensions, by load; HyperX", build: Buffered(hyperx::build) },
    RoutingKind { name: "dsnf", aliases: &["dsn-f"], help: "the routing of DSN-F, by super-nodes and levels, on four classes of VCs; dsnf", build: Buffered(dsnf::build) },
    RoutingKind { name: "deflection", aliases: &["hot-potato"], help: "without buffers: each packet moves in every slot, by a wrong output if the right ones are taken; only if every switch has as many cables out as in", build: Build::Deflection(deflection::build) },
];

/// Splits the text of a rule without a star into its name and its argument.
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
        let known = ROUTINGS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        PacketError::UnknownRouting { name: name.into(), nearest: nearest(&wanted, names).map(Into::into), known }
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

/// Returns the default rule of a network; those of its planes, separated by semicolons, if they differ.
pub fn default_of(topology: &Topology) -> String {
    match &topology.rails {
        None => default_for(topology).to_owned(),
        Some(rails) => text_of_planes(rails.planes.iter().map(|plane| default_for(&plane.topology).to_owned())),
    }
}

/// Returns the default rule of a network whose hosts have one port: dimension order on grids, an escape on other
/// networks with cables in both directions, adaptive minimal on the rest.
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

/// Rules that are ready.
pub enum Ready {
    /// Rules for switches with buffers.
    Buffered(PlaneRules),
    /// Deflection.
    Deflection(Deflection),
}

/// Checks the names of the rules of a text: one for all planes, or one for each, separated by semicolons.
///
/// # Errors
/// [`PacketError::UnknownRouting`], [`PacketError::Invalid`] for a star without a number.
pub fn check(text: &str) -> Result<(), PacketError> {
    text.split(';').try_for_each(|rule| find(split(widened::split(rule)?.0).0).map(drop))
}

/// Builds the rules of all planes of a network, deflection included: as [`build_with`] for each.
///
/// # Errors
/// As [`build_with`]; also for another number of rules than planes.
pub fn ready(text: &str, wiring: &Arc<Wiring>, vcs: Option<u32>, seed: u64) -> Result<Ready, PacketError> {
    check(text)?;
    let planes = wiring.topology.rails.as_ref().map_or(1, |rails| rails.planes.len());
    let texts = texts(text, planes)?;
    for text in &texts {
        let (name, argument) = split(widened::split(text)?.0);
        let kind = find(name)?;
        if let Build::Deflection(build) = kind.build {
            let request = Request { name: kind.name, argument, wiring, vcs: 0, seed };
            if wiring.ports.is_some() {
                let instead = "`amin` and `static` have buffers, and fit all networks";
                return Err(request.unsuitable("its hosts have several ports", instead));
            }
            return build(&request).map(Ready::Deflection);
        }
    }
    PlaneRules::new(texts, wiring, vcs, seed).map(Ready::Buffered)
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

/// Builds the rule of a text such as `amin`, `static:ecmp`, `bgal:3` or `amin*2`.
///
/// # Errors
/// [`PacketError`] for an unknown name, an unsuitable network, fewer virtual channels than the rule needs, or deflection,
/// which has no buffers.
pub fn build(text: &str, wiring: &Arc<Wiring>, vcs: u32, seed: u64) -> Result<Box<dyn Rule>, PacketError> {
    let (plain, width) = widened::split(text)?;
    let (name, argument) = split(plain);
    let kind = find(name)?;
    let Buffered(build) = kind.build else { return Err(PacketError::NoBuffers { routing: kind.name }) };
    let rule = build(&Request { name: kind.name, argument, wiring, vcs: (vcs / width).max(1), seed })?;
    let rule = widened::widened(rule, text, width)?;
    let needed = rule.vcs_needed();
    if needed > vcs {
        let (routing, topology) = (text.to_owned(), wiring.topology.name());
        return Err(PacketError::TooFewVcs { routing, topology, needed, vcs });
    }
    Ok(rule)
}
