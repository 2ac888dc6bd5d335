//! Network of replays: wires, routing rule, buffers. It is built once and shared by all replays of a study.

use super::time::PS;
use crate::ids::{HostId, LinkId};
use crate::network::model::PacketLevel;
use crate::packets::deadlock::{self, Freedom};
use crate::packets::parameters::{HostPort, MAX_VCS, Parameters, Switching};
use crate::packets::routing::{self, Rule};
use crate::packets::wiring::MAX_PLACES;
use crate::packets::{PacketError, Wiring};
use crate::platform::{Duplex, HostsPerSwitch, Platform};
use crate::routing::RoutingSpec;
use crate::topology::{ArcId, Topology};
use std::sync::Arc;

/// Bytes of a flit: the unit of loads that adaptive rules compare (256 bit, as in the papers on these networks).
pub const FLIT: u32 = 32;
/// Most packets that a virtual channel holds by default, however long the cables are.
const MOST_BUFFERED: u32 = 4096;

/// Inputs of a fabric.
pub struct Ground<'a> {
    /// Switches and cables.
    pub topology: &'a Arc<Topology>,
    /// Hosts, speeds and latencies; it must have been built from the topology.
    pub platform: &'a Platform,
    /// Duplex of the cables.
    pub duplex: Duplex,
    /// The network's own routing rule.
    pub routing: &'a RoutingSpec,
    /// Seed of random routes and choices.
    pub seed: u64,
}

/// Network that carries the packets of replays.
pub struct Fabric {
    pub(super) wiring: Arc<Wiring>,
    pub(super) rule: Arc<dyn Rule>,
    pub(super) level: PacketLevel,
    /// Virtual channels of each link.
    pub vcs: u32,
    /// Full packets that each virtual channel of an input holds.
    pub vc_buffer: u32,
    /// The packet routing as text.
    pub routing: String,
    /// Reason why it cannot deadlock.
    pub freedom: String,
    /// Remarks of the routing rule.
    pub note: Option<String>,
    pub(super) seed: u64,
    /// Link of each arc.
    pub(super) link_of_arc: Vec<LinkId>,
}

impl std::fmt::Debug for Fabric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fabric")
            .field("topology", &self.wiring.topology.name())
            .field("routing", &self.routing)
            .field("vcs", &self.vcs)
            .finish_non_exhaustive()
    }
}

/// Returns a constant that is out of range, its value, and the rule that it breaks, as the end of a sentence about it.
pub fn out_of_range(level: &PacketLevel) -> Option<(&'static str, u32, String)> {
    if !(1..=1 << 24).contains(&level.mtu) {
        return Some(("mtu", level.mtu, "is not a number of bytes from 1 to 16777216".into()));
    }
    if level.header > level.mtu {
        let rule = format!("is a header of more bytes than the largest payload, {}", level.mtu);
        return Some(("header", level.header, rule));
    }
    let counts = [("vcs", level.vcs, MAX_VCS), ("buffer", level.vc_buffer, 65_536), ("window", level.window, u32::MAX)];
    counts.into_iter().find_map(|(name, value, most)| {
        let value = value.filter(|value| !(1..=most).contains(value))?;
        Some((name, value, format!("is not from 1 to {most}")))
    })
}

/// Returns the packet routing that matches a rule of flows, or is nearest to it.
fn routing_for(spec: &RoutingSpec) -> String {
    match spec.kind.name {
        "adaptive" | "split" => "amin".into(),
        "ugal" => "ugal".into(),
        _ => format!("static:{spec}"),
    }
}

/// Packet routing, its name, and its number of virtual channels.
type Named = (Box<dyn Rule>, String, u32);

/// Builds the packet routing that matches a network's own rule, or is nearest to it.
fn matching(spec: &RoutingSpec, wiring: &Arc<Wiring>, vcs: Option<u32>, seed: u64) -> Result<Named, PacketError> {
    let build = |name: String| {
        let (rule, vcs) = routing::build_with(&name, wiring, vcs, seed)?;
        Ok((rule, name, vcs))
    };
    match build(routing_for(spec)) {
        // With channels by hop, long routes need more channels than are possible.
        Err(PacketError::TooFewVcs { needed, .. }) if needed > vcs.unwrap_or(MAX_VCS) => {
            build(routing::default_for(&wiring.topology).into())
        }
        other => other,
    }
}

/// Returns the name of the packet routing that replays use for a network with a rule of its own.
///
/// # Errors
/// [`PacketError`] if it does not fit.
pub fn packet_routing(
    spec: &RoutingSpec,
    wiring: &Arc<Wiring>,
    vcs: Option<u32>,
    seed: u64,
) -> Result<String, PacketError> {
    matching(spec, wiring, vcs, seed).map(|(_, name, _)| name)
}

/// Builds the routing rule, and returns it with its name and number of virtual channels.
fn rule_of(ground: &Ground<'_>, level: &PacketLevel, wiring: &Arc<Wiring>) -> Result<Named, PacketError> {
    let Some(name) = &level.routing else {
        return matching(ground.routing, wiring, level.vcs, ground.seed);
    };
    let (rule, vcs) = routing::build_with(name, wiring, level.vcs, ground.seed)?;
    Ok((rule, name.clone(), vcs))
}

impl Fabric {
    /// Returns the reason why packets cannot model a network, if any.
    pub fn refusal(topology: &Topology, platform: &Platform, duplex: Duplex) -> Option<PacketError> {
        let shared_host = |host: u32| {
            let [up, down] = platform.routes.host_links(HostId(host));
            up.is_some() && up == down
        };
        let what = if duplex == Duplex::Shared && !topology.graph.is_directed() {
            "cables whose directions share their bandwidth (duplex = `shared`)"
        } else if (0..platform.hosts.len() as u32).any(shared_host) {
            "links of hosts whose directions share their bandwidth (duplex = `shared`)"
        } else {
            return None;
        };
        Some(PacketError::NotModelled {
            network: topology.name(),
            what: what.into(),
            instead: "set duplex = \"full\", or leave the packet model to other networks",
        })
    }

    /// Builds a fabric.
    ///
    /// # Errors
    /// [`PacketError`]: cables whose directions share their bandwidth, a routing that does not fit or can deadlock, fewer
    /// virtual channels than it needs, constants out of range.
    pub fn new(ground: &Ground<'_>, level: &PacketLevel) -> Result<Self, PacketError> {
        let (topology, platform) = (ground.topology, ground.platform);
        let graph = &topology.graph;
        if let Some(error) = Self::refusal(topology, platform, ground.duplex) {
            return Err(error);
        }
        if let Some((name, value, rule)) = out_of_range(level) {
            return Err(PacketError::invalid(name, value, format!("that {rule}")));
        }
        let mut counts = vec![0; graph.switches()];
        for host in &platform.hosts {
            counts[host.switch.expect("hosts of a topology have switches").index()] += 1;
        }
        let mut wiring = Wiring::new(topology.clone(), Some(HostsPerSwitch::Each(counts)), HostPort::Own, 1)?;
        let link_of_arc: Vec<LinkId> = (0..graph.arcs() as u32)
            .map(|arc| match ground.duplex {
                Duplex::Full => LinkId(arc),
                Duplex::Shared => LinkId(graph.cable(ArcId(arc)).0),
            })
            .collect();
        let link = |arc: usize| &platform.links[link_of_arc[arc].index()];
        wiring.latency = (0..graph.arcs()).map(|arc| (link(arc).latency * PS).round() as u32).collect();
        let wiring = Arc::new(wiring);
        let (rule, routing, vcs) = rule_of(ground, level, &wiring)?;
        let most = (0..wiring.switches() as u32).map(|s| wiring.inputs(s).max(wiring.outputs(s))).max().unwrap_or(0);
        if most as usize * vcs as usize > MAX_PLACES {
            let reason = format!("a switch has {most} ports with {vcs} virtual channels each");
            return Err(PacketError::TooLarge { topology: topology.name(), reason });
        }
        // Full rate needs one packet on each link of the round trip and one in the switch.
        let packet = f64::from(level.mtu) + f64::from(level.header);
        let in_flight = (0..graph.arcs()).map(|arc| 2.0 * link(arc).latency * link(arc).bandwidth / packet);
        let vc_buffer = level
            .vc_buffer
            .unwrap_or_else(|| (in_flight.fold(0.0, f64::max).ceil().min(f64::from(MOST_BUFFERED)) as u32 + 2).max(4));
        let parameters = Parameters {
            vcs,
            packet: 2,
            vc_buffer: 2,
            switching: Switching::CutThrough,
            hold_switch: true,
            ..Parameters::default()
        };
        let freedom = match deadlock::check(&wiring, &*rule, &routing, &parameters)? {
            Freedom::Ascending => "hop number i travels on virtual channel i".into(),
            Freedom::Acyclic { channels, dependencies } => {
                format!("{dependencies} dependencies of {channels} channels without a cycle")
            }
            Freedom::Proven(proof) => proof.into(),
            Freedom::Unchecked => "not checked".into(),
        };
        let note = rule.note();
        Ok(Self {
            wiring,
            rule: Arc::from(rule),
            level: level.clone(),
            vcs,
            vc_buffer,
            routing,
            freedom,
            note,
            seed: ground.seed,
            link_of_arc,
        })
    }
}
