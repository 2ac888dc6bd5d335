//! The network that traffic is put on: switches, where hosts hang, capacities, delays.

use super::ThroughputError;
use crate::defaults::Version;
use crate::ids::SwitchId;
use crate::layout::latency::arc_delays;
use crate::layout::{FloorOptions, FloorPlan};
use crate::platform::{CheckedParameters, Duplex, HostsPerSwitch, PlatformParameters};
use crate::topology::{ArcId, Hosts, Topology};
use std::sync::Arc;

/// Speeds and delays that all networks of a question have in common.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speeds {
    /// Bandwidth of a link between switches in bytes a second.
    pub link: f64,
    /// Bandwidth of the link between a host and its switch, each way; `None` if hosts are held by nothing.
    pub host: Option<f64>,
    /// Whether the two directions of a cable have a capacity each.
    pub duplex: Duplex,
    /// Delay of a switch in seconds.
    pub switch_delay: f64,
    /// Delay of a metre of cable in seconds.
    pub cable_delay: f64,
    /// Size of a packet in bytes, for queues.
    pub packet: f64,
    /// Version of the defaults that were filled in.
    pub defaults: Version,
}

impl Default for Speeds {
    /// The current defaults.
    fn default() -> Self {
        Self::of(Version::default())
    }
}

impl Speeds {
    /// The speeds of a version of the defaults.
    pub fn of(version: Version) -> Self {
        let speeds = version.values().design;
        Self {
            link: speeds.link_bandwidth,
            host: speeds.host_links.then_some(speeds.link_bandwidth),
            duplex: Duplex::Full,
            switch_delay: speeds.switch_delay,
            cable_delay: speeds.cable_delay,
            packet: version.values().packet_bytes,
            defaults: version,
        }
    }
}

/// A network, and which hosts take part.
#[derive(Clone, Debug)]
pub struct Network {
    /// Name for reports.
    pub name: String,
    /// Switches and cables.
    pub topology: Arc<Topology>,
    /// The switch of each host that takes part, in ascending order.
    pub host_switch: Vec<u32>,
    /// Number of hosts, those that do not take part included.
    pub hosts: u32,
    /// The same for each switch.
    pub hosts_on: Vec<u32>,
    /// Speeds.
    pub speeds: Speeds,
    /// Delay of every arc in seconds: its cable and the switch that it enters.
    pub delays: Vec<f64>,
    /// The same without cables.
    pub bare_delays: Vec<f64>,
    /// The link of each arc, where the directions of a cable share it; else arc and link have the same number.
    pub link_of_arc: Option<Vec<u32>>,
    /// Number of links between switches.
    pub links: usize,
}

impl Network {
    /// Puts hosts on a topology. `hosts` is the number on each switch, `endpoints` how many of them take part: the
    /// first ones.
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
        let counts = CheckedParameters::hosts_on(&parameters.check()?, graph)?;
        let switches = (0..).zip(&counts).flat_map(|(s, &count)| std::iter::repeat_n(s, count as usize));
        let mut host_switch: Vec<u32> = switches.collect();
        let hosts = host_switch.len() as u32;
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
            Some(wanted) => host_switch.truncate(wanted as usize),
            None => {}
        }
        let mut bearing = host_switch.clone();
        bearing.dedup();
        if let Some((from, to)) =
            graph.unreachable_pair(bearing.into_iter().map(SwitchId).collect::<Vec<_>>().into_iter())
        {
            return Err(ThroughputError::Disconnected { topology: topology.name(), from: from.0, to: to.0 });
        }
        let floor = FloorOptions { endpoints_per_switch: per_switch.or(floor.endpoints_per_switch), ..*floor };
        let plan = FloorPlan::new(&topology, &floor)?;
        let lengths = plan.cables(graph);
        let link_of_arc = (speeds.duplex == Duplex::Shared)
            .then(|| (0..graph.arcs() as u32).map(|arc| graph.cable(ArcId(arc)).0).collect());
        Ok(Self {
            name: topology.name(),
            host_switch,
            hosts,
            hosts_on: counts,
            speeds,
            delays: arc_delays(graph, lengths.lengths(), speeds.switch_delay, speeds.cable_delay),
            bare_delays: arc_delays(graph, lengths.lengths(), speeds.switch_delay, 0.0),
            links: if link_of_arc.is_some() { graph.cables() } else { graph.arcs() },
            link_of_arc,
            topology,
        })
    }

    /// Number of hosts that take part.
    pub fn endpoints(&self) -> u32 {
        self.host_switch.len() as u32
    }

    /// Capacity of a host's link in units of a link between switches; `None` if hosts have no links beside those of the
    /// graph, as those that are vertices with cables of their own.
    pub fn host_capacity(&self) -> Option<f64> {
        let has_cables = matches!(self.topology.graph.hosts(), Hosts::Vertices(_));
        self.speeds.host.filter(|_| !has_cables).map(|host| host / self.speeds.link)
    }

    /// The link of an arc.
    #[inline]
    pub fn link(&self, arc: ArcId) -> u32 {
        match &self.link_of_arc {
            Some(links) => links[arc.index()],
            None => arc.0,
        }
    }

    /// Name of a link, as platforms have it.
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
