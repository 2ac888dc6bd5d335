//! Speeds of the hosts and links of a platform, stated in every report.

use super::{CheckedParameters, Link, LinkKind, Platform, SharingPolicy};
use crate::floorplan::Placement;
use crate::topology::Topology;
use serde::{Serialize, Serializer};

/// Range of values, or one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Values {
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub greatest: f64,
}

impl Values {
    /// Returns the range of the values; `None` if there are no values.
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        values.fold(None, |so_far: Option<Self>, value| {
            let Self { least, greatest } = so_far.unwrap_or(Self { least: value, greatest: value });
            Some(Self { least: least.min(value), greatest: greatest.max(value) })
        })
    }

    /// Returns the text for reports, a range if there are several values.
    pub fn text(&self, text: impl Fn(f64) -> String) -> String {
        let Self { least, greatest } = *self;
        if least == greatest { text(least) } else { format!("{} to {}", text(least), text(greatest)) }
    }
}

impl Serialize for Values {
    /// Writes a number, or a list of two.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.least == self.greatest {
            serializer.serialize_f64(self.least)
        } else {
            [self.least, self.greatest].serialize(serializer)
        }
    }
}

/// Speeds of a platform, in bytes, flops and seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlatformSpeeds {
    /// Speed of a core in flop/s.
    pub core_flops: Option<Values>,
    /// Number of cores per host.
    pub cores: Option<Values>,
    /// Bandwidth of the links between switches, in bytes per second.
    pub link_bandwidth: Option<Values>,
    /// Latency of the links between switches in seconds, including the delay of a switch.
    pub link_latency: Option<Values>,
    /// Bandwidth of links that belong to one host, in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_link_bandwidth: Option<Values>,
    /// Latency of those links, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_link_latency: Option<Values>,
    /// Number of links between switches.
    #[serde(skip)]
    pub links: usize,
    /// Number of links that belong to one host.
    #[serde(skip)]
    pub host_links: usize,
}

impl PlatformSpeeds {
    /// Returns the speeds of a platform.
    pub fn of(platform: &Platform) -> Self {
        let shared = || platform.links.iter().filter(|link| link.policy == SharingPolicy::Shared);
        let between = || shared().filter(|link| link.kind != LinkKind::OfHost);
        let of_hosts = || shared().filter(|link| link.kind == LinkKind::OfHost);
        let (bandwidth, latency) = (|link: &Link| link.bandwidth, |link: &Link| link.latency);
        Self {
            core_flops: Values::of(platform.hosts.iter().map(|host| host.speed)),
            cores: Values::of(platform.hosts.iter().map(|host| f64::from(host.cores))),
            link_bandwidth: Values::of(between().map(bandwidth)),
            link_latency: Values::of(between().map(latency)),
            host_link_bandwidth: Values::of(of_hosts().map(bandwidth)),
            host_link_latency: Values::of(of_hosts().map(latency)),
            links: between().count(),
            host_links: of_hosts().count(),
        }
    }
}

/// Ports of hosts that have several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostPorts {
    /// Number of planes.
    pub planes: usize,
    /// Number of ports per host, over all planes.
    pub host_ports: usize,
    /// Rule by which messages are assigned to ports.
    pub rail: &'static str,
}

/// Parameters of a platform that was built from a topology, with all defaults filled in: in bytes, flops and seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Resolved {
    /// Version of the defaults.
    pub defaults: &'static str,
    /// Speed of a core.
    pub core_flops: f64,
    /// Number of cores per host.
    pub cores: u32,
    /// Bandwidth of a link between switches.
    pub link_bandwidth: f64,
    /// Latency of a link, without switches and cables.
    pub link_latency: f64,
    /// Delay of a switch.
    pub switch_delay: f64,
    /// Delay per metre of cable.
    pub cable_delay: f64,
    /// Name of the floor plan for cable lengths.
    pub floor_plan: &'static str,
    /// Order in which switches fill the cabinets.
    pub placement: &'static str,
    /// Number of switches per cabinet, if specified.
    pub switches_per_cabinet: Option<u32>,
    /// Bandwidth of the link between a host and its switch; `None` if there is none.
    pub host_link_bandwidth: Option<f64>,
    /// Latency of that link, without the switch.
    pub host_link_latency: Option<f64>,
    /// `true` if hosts are vertices of the graph, with cables of their own.
    pub hosts_are_vertices: bool,
    /// Ports of hosts, if they have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rails: Option<HostPorts>,
    /// Bandwidth between two ranks of a host.
    pub loopback_bandwidth: f64,
    /// Latency between two ranks of a host.
    pub loopback_latency: f64,
}

impl Resolved {
    /// Returns the parameters of a platform on a topology with `hosts_on` hosts on each switch.
    pub fn new(parameters: &CheckedParameters, topology: &Topology, hosts_on: &[u32]) -> Self {
        let graph = &topology.graph;
        let host_link = parameters.host_link_on(graph, hosts_on);
        let placement = Placement::NAMES.iter().find(|(_, placement)| *placement == parameters.floor.placement);
        Self {
            defaults: parameters.defaults.name(),
            core_flops: parameters.host_speed.value(),
            cores: parameters.cores,
            link_bandwidth: parameters.link_bandwidth.value(),
            link_latency: parameters.link_latency.value(),
            switch_delay: parameters.switch_delay.value(),
            cable_delay: parameters.cables.as_ref().map_or(0.0, |(delay, _)| delay.value()),
            floor_plan: parameters.floor.model.name(),
            placement: placement.map_or("", |(name, _)| name),
            switches_per_cabinet: parameters.floor.switches_per_cabinet,
            host_link_bandwidth: host_link.map(|(bandwidth, _)| bandwidth.value()),
            host_link_latency: host_link.map(|(_, latency)| latency.value()),
            hosts_are_vertices: graph.switch_vertices() < graph.switches(),
            rails: topology.rails.as_ref().map(|rails| HostPorts {
                planes: rails.planes.len(),
                host_ports: rails.count(),
                rail: parameters.rail.name(),
            }),
            loopback_bandwidth: parameters.loopback.bandwidth.value(),
            loopback_latency: parameters.loopback.latency.value(),
        }
    }
}
