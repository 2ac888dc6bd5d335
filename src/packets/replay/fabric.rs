//! Network of replays: its planes, each with wires, a routing rule and buffers. It is built once and shared by all replays
//! of a study.

use super::plane::{Plane, PlaneGround};
use crate::ids::{HostId, LinkId, SwitchId};
use crate::network::model::PacketLevel;
use crate::packets::parameters::{MAX_VCS, Parameters};
use crate::packets::routing::{self, Rule};
use crate::packets::{PacketError, Wiring};
use crate::platform::{Duplex, Platform};
use crate::routing::RoutingSpec;
use crate::topology::rails::{Places, text_of_planes};
use crate::topology::{ArcId, Rails, Topology};
use std::sync::Arc;

/// Bytes of a flit: the unit of loads that adaptive rules compare (256 bit, as in the papers on these networks).
pub const FLIT: u32 = 32;
/// Most packets that a virtual channel holds by default, however long the cables are.
pub(super) const MOST_BUFFERED: u32 = 4096;

/// Number of a port on a switch that failed.
const LOST: u32 = u32::MAX;

/// Inputs of a fabric.
pub struct Ground<'a> {
    /// Switches and cables.
    pub topology: &'a Arc<Topology>,
    /// Hosts, speeds and latencies; it must have been built from the topology.
    pub platform: &'a Platform,
    /// Duplex of the cables.
    pub duplex: Duplex,
    /// The network's own routing rules, one for each plane.
    pub routings: &'a [RoutingSpec],
    /// Seed of random routes and choices.
    pub seed: u64,
}

/// Network that carries the packets of replays: a plane, or several, each of them with a port of every host or with some.
pub struct Fabric {
    pub(super) planes: Vec<Plane>,
    /// Ports of hosts, where a host has several.
    pub(super) rails: Vec<Rail>,
}

/// Port of every host: the plane that it is in, and its number there.
pub(super) struct Rail {
    pub plane: usize,
    /// Number of each host's port among the ports of the plane; [`LOST`] on a switch that failed.
    pub numbers: Vec<u32>,
}

impl std::fmt::Debug for Fabric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fabric").field("routing", &self.routing()).field("vcs", &self.vcs()).finish_non_exhaustive()
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
pub(super) type Named = (Box<dyn Rule>, String, u32);

/// Builds the packet routing that matches a network's own rule, or is nearest to it.
pub(super) fn matching(
    spec: &RoutingSpec,
    wiring: &Arc<Wiring>,
    vcs: Option<u32>,
    seed: u64,
) -> Result<Named, PacketError> {
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

/// Returns the text of the packet routing that replays use for a network with a rule of its own, for synthetic traffic.
/// A rule with a fixed number of channels for each hop gets as many as keep its cables busy with packets of few flits;
/// if `vcs` limits their number, as many as that allows.
///
/// # Errors
/// [`PacketError`] if it does not fit.
pub fn packet_routing(
    spec: &RoutingSpec,
    wiring: &Arc<Wiring>,
    vcs: Option<u32>,
    seed: u64,
    parameters: &Parameters,
) -> Result<String, PacketError> {
    let (rule, name, _) = matching(spec, wiring, vcs, seed)?;
    let enough = if parameters.speedup > 1 { 1 } else { (parameters.packet + 2).div_ceil(parameters.packet) };
    let possible = vcs.unwrap_or(MAX_VCS) / rule.vcs_needed();
    Ok(match enough.min(possible) {
        channels @ 2.. if rule.channels_of_a_hop() == Some(1) => format!("{name}*{channels}"),
        _ => name,
    })
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
        if let Some(error) = Self::refusal(topology, platform, ground.duplex) {
            return Err(error);
        }
        if let Some((name, value, rule)) = out_of_range(level) {
            return Err(PacketError::invalid(name, value, format!("that {rule}")));
        }
        let Some(rails) = &topology.rails else {
            let switches = platform.hosts.iter().map(|host| host.switch.expect("hosts of a topology have switches"));
            let plane = PlaneGround {
                topology,
                platform,
                link_of_arc: links_of_arcs(topology, ground.duplex),
                ports_on: ports_on(switches, topology.graph.switches()),
                port_links: hosts(platform).map(|host| platform.routes.host_links(host)).collect(),
                routing: &ground.routings[0],
                seed: ground.seed,
            };
            return Ok(Self { planes: vec![Plane::new(plane, level)?], rails: Vec::new() });
        };
        Self::of_planes(ground, rails, level)
    }

    /// Builds a fabric whose hosts have several ports.
    fn of_planes(ground: &Ground<'_>, rails: &Rails, level: &PacketLevel) -> Result<Self, PacketError> {
        let (topology, platform) = (ground.topology, ground.platform);
        let ports: Vec<Vec<Port>> = hosts(platform).map(|host| ports_of(platform, host)).collect();
        let planes_of_rails = rails.planes.iter().flat_map(|plane| std::iter::repeat_n(plane, rails.ports as usize));
        let switches = planes_of_rails
            .enumerate()
            .map(|(rail, plane)| ports.iter().map(|ports| SwitchId(ports[rail].0.0 - plane.first_switch)).collect());
        let mut places = rails.places_on(switches.collect());
        let mut all_ports_on = rails.ports_on(&places);
        leave_out_lost(rails, &mut places, &mut all_ports_on);
        let link_of_arc = links_of_arcs(topology, ground.duplex);
        let mut planes = Vec::with_capacity(rails.planes.len());
        for (number, plane) in rails.planes.iter().enumerate() {
            let (switch, arc) = (plane.first_switch as usize, plane.first_arc as usize);
            let on = &all_ports_on[switch..switch + plane.homes.len()];
            let mut port_links = vec![[None; 2]; on.iter().sum::<u32>() as usize];
            for (rail, places) in places.iter().enumerate().filter(|(_, places)| places.plane == number) {
                for (ports, &own) in ports.iter().zip(&places.numbers) {
                    if let Some(links) = port_links.get_mut(own as usize) {
                        *links = ports[rail].1;
                    }
                }
            }
            let ground = PlaneGround {
                topology: &Arc::new(plane.topology.clone()),
                platform,
                link_of_arc: link_of_arc[arc..arc + plane.topology.graph.arcs()].to_vec(),
                ports_on: on.to_vec(),
                port_links,
                routing: &ground.routings[number],
                seed: ground.seed,
            };
            planes.push(Plane::new(ground, level)?);
        }
        let rails = places.into_iter().map(|places| Rail { plane: places.plane, numbers: places.numbers }).collect();
        Ok(Self { planes, rails })
    }

    /// Returns the packet routing as text; that of each plane, if they differ.
    pub fn routing(&self) -> String {
        text_of_planes(self.planes.iter().map(|plane| plane.routing.clone()))
    }

    /// Returns the number of virtual channels of each link as text; that of each plane, if they differ.
    pub fn vcs(&self) -> String {
        text_of_planes(self.planes.iter().map(|plane| plane.vcs.to_string()))
    }

    /// Returns the number of full packets that each virtual channel of an input holds, as text; that of each plane, if they
    /// differ.
    pub fn vc_buffer(&self) -> String {
        text_of_planes(self.planes.iter().map(|plane| plane.vc_buffer.to_string()))
    }
}

/// Port of a host: its switch, and the links to it and back.
type Port = (SwitchId, [Option<LinkId>; 2]);

fn hosts(platform: &Platform) -> impl Iterator<Item = HostId> + use<> {
    (0..platform.hosts.len() as u32).map(HostId)
}

fn ports_of(platform: &Platform, host: HostId) -> Vec<Port> {
    let switch = platform.hosts[host.index()].switch.expect("hosts of a topology have switches");
    let mut ports = vec![(switch, platform.routes.host_links(host))];
    ports.extend(platform.routes.further_ports(host));
    ports
}

/// Leaves out the ports on switches that failed, which no message takes: their number is [`LOST`], and the others of the
/// plane are numbered without them.
fn leave_out_lost(rails: &Rails, places: &mut [Places], ports_on: &mut [u32]) {
    for (number, plane) in rails.planes.iter().enumerate().filter(|(_, plane)| !plane.failed.is_empty()) {
        let on = &mut ports_on[plane.first_switch as usize..][..plane.homes.len()];
        // Ports on failed switches before each switch.
        let mut lost_before = vec![0; on.len()];
        let mut lost = 0;
        for (switch, count) in on.iter_mut().enumerate() {
            lost_before[switch] = lost;
            if plane.failed[switch] {
                lost += std::mem::take(count);
            }
        }
        for places in places.iter_mut().filter(|places| places.plane == number) {
            for (port, switch) in places.numbers.iter_mut().zip(&places.switches) {
                *port = if plane.failed[switch.index()] { LOST } else { *port - lost_before[switch.index()] };
            }
        }
    }
}

/// Returns the link of each arc.
fn links_of_arcs(topology: &Topology, duplex: Duplex) -> Vec<LinkId> {
    let link = |arc: u32| match duplex {
        Duplex::Full => LinkId(arc),
        Duplex::Shared => LinkId(topology.graph.cable(ArcId(arc)).0),
    };
    (0..topology.graph.arcs() as u32).map(link).collect()
}

/// Returns how many of these ports each switch has.
fn ports_on(ports: impl Iterator<Item = SwitchId>, switches: usize) -> Vec<u32> {
    let mut counts = vec![0; switches];
    ports.for_each(|switch| counts[switch.index()] += 1);
    counts
}
