//! Network that carries the traffic: switches, hosts, capacities, delays.

use super::ThroughputError;
use super::rails::{NetworkPlane, PortRail, attached};
use crate::defaults::Version;
use crate::floorplan::latency::arc_delays;
use crate::floorplan::{FloorOptions, FloorPlan};
use crate::platform::{CheckedParameters, Duplex, HostsPerSwitch, PlatformParameters, RailPolicy};
use crate::topology::{ArcId, Hosts, Topology};
use std::sync::Arc;

/// Speeds and delays common to all networks of a question.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speeds {
    /// Bandwidth of a link between switches in bytes per second.
    pub link: f64,
    /// Bandwidth of the link between a host and its switch, in each direction; `None` if hosts are not limited.
    pub host: Option<f64>,
    /// Duplex of cables: whether their directions share the capacity.
    pub duplex: Duplex,
    /// Delay of a switch in seconds.
    pub switch_delay: f64,
    /// Delay of cables in seconds per metre.
    pub cable_delay: f64,
    /// Packet size in bytes, for queues.
    pub packet: f64,
    /// Policy by which hosts with several ports choose one.
    pub rail: RailPolicy,
    /// Version of the defaults that were used.
    pub defaults: Version,
}

impl Default for Speeds {
    /// Returns the current defaults.
    fn default() -> Self {
        Self::of(Version::default())
    }
}

impl Speeds {
    /// Returns the speeds of a version of the defaults.
    pub fn of(version: Version) -> Self {
        let speeds = version.values().design;
        Self {
            link: speeds.link_bandwidth,
            host: speeds.host_links.then_some(speeds.link_bandwidth),
            duplex: Duplex::Full,
            switch_delay: speeds.switch_delay,
            cable_delay: speeds.cable_delay,
            packet: version.values().packet_bytes,
            rail: RailPolicy::default(),
            defaults: version,
        }
    }
}

/// Network, with the hosts that take part.
#[derive(Clone, Debug)]
pub struct Network {
    /// Name for reports.
    pub name: String,
    /// Switches and cables.
    pub topology: Arc<Topology>,
    /// Switch of the first port of each host that takes part, in ascending order.
    pub host_switch: Vec<u32>,
    /// Number of hosts, those that do not take part included.
    pub hosts: u32,
    /// Planes; one, unless hosts have several ports.
    pub planes: Vec<NetworkPlane>,
    /// Ports of the hosts that take part; one rail, unless hosts have several ports.
    pub rails: Vec<PortRail>,
    /// Speeds and delays.
    pub speeds: Speeds,
    /// Delay of every arc in seconds: its cable and the switch that it enters.
    pub delays: Vec<f64>,
    /// Delay of every arc in seconds, without its cable: the switch that it enters.
    pub bare_delays: Vec<f64>,
    /// Link of each arc, if the directions of a cable share it; otherwise arc and link have the same number.
    pub link_of_arc: Option<Vec<u32>>,
    /// Number of links between switches.
    pub links: usize,
}

impl Network {
    /// Attaches hosts to a topology. `hosts` is the number on each switch, `endpoints` the number of them that take
    /// part: the first ones.
    ///
    /// # Errors
    /// [`ThroughputError`] if there is no host, if hosts cannot reach each other, or if the numbers do not fit.
    pub fn new(
        topology: impl Into<Arc<Topology>>,
        hosts: Option<HostsPerSwitch>,
        endpoints: Option<u32>,
        speeds: Speeds,
        floor: &FloorOptions,
    ) -> Result<Self, ThroughputError> {
        let topology: Arc<Topology> = topology.into();
        let graph = &topology.graph;
        let per_switch = match &hosts {
            Some(HostsPerSwitch::Uniform(count)) => Some(*count),
            _ => None,
        };
        if per_switch == Some(0) {
            return Err(ThroughputError::NoHosts(topology.name()));
        }
        if graph.slowest_share() < 1.0 {
            return Err(ThroughputError::UnequalCables(topology.name()));
        }
        let parameters = PlatformParameters { hosts_per_switch: hosts, ..PlatformParameters::default() };
        let checked: CheckedParameters = parameters.check()?;
        let (planes, mut rails) = attached(&topology, &checked)?;
        let hosts = rails[0].switches.len() as u32;
        if hosts == 0 {
            return Err(ThroughputError::NoHosts(topology.name()));
        }
        match endpoints {
            Some(wanted) if wanted == 0 || wanted > hosts => {
                return Err(ThroughputError::Invalid {
                    parameter: "endpoints",
                    value: wanted.to_string(),
                    rule: format!("topology `{}` has {hosts} hosts", topology.name()),
                });
            }
            Some(wanted) => rails.iter_mut().for_each(|rail| rail.truncate(wanted as usize)),
            None => {}
        }
        for rail in &rails {
            let plane = &planes[rail.plane];
            if let Some((from, to)) = plane.topology.graph.unreachable_pair(rail.bearing(plane).into_iter()) {
                let [from, to] = [from, to].map(|switch| plane.first_switch + switch.0);
                return Err(ThroughputError::Disconnected { topology: topology.name(), from, to });
            }
        }
        let floor = FloorOptions { endpoints_per_switch: per_switch.or(floor.endpoints_per_switch), ..*floor };
        let plan = FloorPlan::new(&topology, &floor)?;
        let lengths = plan.cables(graph);
        let link_of_arc = (speeds.duplex == Duplex::Shared)
            .then(|| (0..graph.arcs() as u32).map(|arc| graph.cable(ArcId(arc)).0).collect());
        Ok(Self {
            name: topology.name(),
            host_switch: rails[0].switches.clone(),
            hosts,
            planes,
            rails,
            speeds,
            delays: arc_delays(graph, lengths.lengths(), speeds.switch_delay, speeds.cable_delay),
            bare_delays: arc_delays(graph, lengths.lengths(), speeds.switch_delay, 0.0),
            links: if link_of_arc.is_some() { graph.cables() } else { graph.arcs() },
            link_of_arc,
            topology,
        })
    }

    /// Returns the number of hosts that take part.
    pub fn endpoints(&self) -> u32 {
        self.host_switch.len() as u32
    }

    /// Returns the capacity of a host's link in units of a link between switches; `None` if hosts have no links besides
    /// those of the graph, such as hosts that are vertices with cables of their own.
    pub fn host_capacity(&self) -> Option<f64> {
        let has_cables = matches!(self.topology.graph.hosts(), Hosts::Vertices(_));
        self.speeds.host.filter(|_| !has_cables).map(|host| host / self.speeds.link)
    }

    /// Returns the link of an arc.
    #[inline]
    pub fn link(&self, arc: ArcId) -> u32 {
        match &self.link_of_arc {
            Some(links) => links[arc.index()],
            None => arc.0,
        }
    }

    /// Returns the name of a link, as in platforms.
    pub fn link_name(&self, link: usize) -> String {
        let graph = &self.topology.graph;
        let ends = |arc: ArcId| (graph.tail(arc), graph.head(arc));
        match &self.link_of_arc {
            None => {
                let (from, to) = ends(ArcId(link as u32));
                format!("{from}->{to}")
            }
            Some(links) => {
                let arc = links.iter().position(|&of| of as usize == link).unwrap_or(0);
                let (from, to) = ends(ArcId(arc as u32));
                format!("{from}{}{to}", if graph.is_directed() { "->" } else { "--" })
            }
        }
    }
}
