//! One plane of a network: switches whose hosts have one port each, with a routing rule and buffers.

use super::fabric::{MOST_BUFFERED, matching};
use crate::ids::LinkId;
use crate::network::model::PacketLevel;
use crate::packets::deadlock;
use crate::packets::parameters::{HostPort, Parameters, Switching};
use crate::packets::routing::{self, Rule};
use crate::packets::wiring::MAX_PLACES;
use crate::packets::{PacketError, Wiring};
use crate::platform::{HostsPerSwitch, Platform};
use crate::routing::RoutingSpec;
use crate::topology::Topology;
use std::sync::Arc;

/// Inputs of a plane.
pub(super) struct PlaneGround<'a> {
    pub topology: &'a Arc<Topology>,
    pub platform: &'a Platform,
    /// Link of each arc.
    pub link_of_arc: Vec<LinkId>,
    /// Number of ports of hosts on each switch.
    pub ports_on: Vec<u32>,
    /// Links of each port, to the switch and back. Ports are numbered switch by switch.
    pub port_links: Vec<[Option<LinkId>; 2]>,
    pub routing: &'a RoutingSpec,
    pub seed: u64,
}

/// Network of switches that carries the packets of replays.
pub(super) struct Plane {
    pub wiring: Arc<Wiring>,
    pub rule: Arc<dyn Rule>,
    pub level: PacketLevel,
    pub vcs: u32,
    /// Full packets that each virtual channel of an input holds.
    pub vc_buffer: u32,
    /// The packet routing as text.
    pub routing: String,
    pub seed: u64,
    pub link_of_arc: Vec<LinkId>,
    pub port_links: Vec<[Option<LinkId>; 2]>,
}

impl Plane {
    /// Builds a plane.
    ///
    /// # Errors
    /// [`PacketError`]: a routing that does not fit or can deadlock, fewer virtual channels than it needs, too many ports.
    pub fn new(ground: PlaneGround<'_>, level: &PacketLevel) -> Result<Self, PacketError> {
        let PlaneGround { topology, platform, link_of_arc, ports_on, port_links, routing, seed } = ground;
        let arcs = topology.graph.arcs();
        let mut wiring = Wiring::new(topology.clone(), Some(HostsPerSwitch::Each(ports_on)), HostPort::Own, 1)?;
        let link = |arc: usize| &platform.links[link_of_arc[arc].index()];
        wiring.route_delays = (0..arcs).map(|arc| link(arc).latency).collect();
        let wiring = Arc::new(wiring);
        let (rule, routing, vcs) = match &level.routing {
            None => matching(routing, &wiring, level.vcs, seed)?,
            Some(name) => {
                let (rule, vcs) = routing::build_with(name, &wiring, level.vcs, seed)?;
                (rule, name.clone(), vcs)
            }
        };
        let most = (0..wiring.switches() as u32).map(|s| wiring.inputs(s).max(wiring.outputs(s))).max().unwrap_or(0);
        if most as usize * vcs as usize > MAX_PLACES {
            let reason = format!("a switch has {most} ports with {vcs} virtual channels each");
            return Err(PacketError::TooLarge { topology: topology.name(), reason });
        }
        // Full rate needs one packet on each link of the round trip and one in the switch.
        let packet = f64::from(level.mtu) + f64::from(level.header);
        let in_flight = (0..arcs).map(|arc| 2.0 * link(arc).latency * link(arc).bandwidth / packet);
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
        deadlock::check(&wiring, &*rule, &routing, &parameters)?;
        Ok(Self {
            wiring,
            rule: Arc::from(rule),
            level: level.clone(),
            vcs,
            vc_buffer,
            routing,
            seed,
            link_of_arc,
            port_links,
        })
    }
}
