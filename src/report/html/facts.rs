//! Properties of networks for reports, in addition to their results. Unknown ones are omitted.

use crate::platform::Platform;
use crate::platform::speeds::Speeds;
use crate::report::findings::{host_links, host_ports};
use crate::report::number::{bandwidth, flops, grouped, seconds};
use crate::report::{Effort, TopologyOptions, TopologyReport};
use crate::study::network::NetworkUnderTest;
use crate::study::procurement::NetworkCost;

/// Properties of a network.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// Number of switches.
    pub switches: Option<usize>,
    /// Number of cables, and `true` if they are one-way.
    pub cables: Option<(usize, bool)>,
    /// Number of directions in which cables carry data: a two-way cable counts twice.
    pub lanes: Option<usize>,
    /// Smallest and largest degree.
    pub degrees: Option<(usize, usize)>,
    /// Largest distance in hops.
    pub diameter: Option<usize>,
    /// Average distance in hops.
    pub aspl: Option<f64>,
    /// Digest of the cables.
    pub edge_sha256: Option<String>,
    /// Total length of cables in metres, if a floor plan is known.
    pub metres: Option<f64>,
    /// Price, if prices are known.
    pub dollars: Option<f64>,
    /// Total cost of ownership, if it is computed.
    pub total: Option<f64>,
    /// Power in watts, if known.
    pub watts: Option<f64>,
    /// Descriptions of hosts, links and their speeds.
    pub parameters: Vec<(&'static str, String)>,
}

impl Facts {
    /// Returns the properties of a network in a study. Distances of very large networks are omitted.
    pub fn of(network: &NetworkUnderTest, cost: Option<NetworkCost>) -> Self {
        let parameters = parameters(network);
        // Properties that take long to compute are not part of the report.
        let options = TopologyOptions { effort: Effort::Least, floor: network.floor, ..TopologyOptions::default() };
        let Some(report) = network.topology.as_ref().and_then(|t| TopologyReport::of(t, &options).ok()) else {
            return Self { parameters, ..Self::priced(cost) };
        };
        let cables = report.edges.or(report.arcs).map(|count| (count, report.directed));
        Self {
            switches: Some(report.switches),
            cables,
            lanes: cables.map(|(count, one_way)| if one_way { count } else { 2 * count }),
            degrees: Some((report.min_degree, report.max_degree)),
            diameter: report.diameter,
            aspl: report.aspl,
            edge_sha256: Some(report.edge_sha256),
            parameters,
            ..Self::priced(cost)
        }
    }

    fn priced(cost: Option<NetworkCost>) -> Self {
        let NetworkCost { dollars, total, watts, metres, .. } = cost.unwrap_or_default();
        Self { dollars, total, watts, metres, ..Self::default() }
    }
}

fn parameters(network: &NetworkUnderTest) -> Vec<(&'static str, String)> {
    let (platform, speeds): (&Platform, &Speeds) = (&network.platform, &network.info.speeds);
    let mut out = vec![("hosts", grouped(platform.hosts.len() as u64))];
    let mut add = |name, value: Option<String>| out.extend(value.map(|v| (name, v)));
    add("speed of a core", speeds.core_flops.map(|v| v.text(flops)));
    add("cores of a host", speeds.cores.map(|v| v.text(|cores| cores.to_string())));
    add("links between switches", Some(grouped(speeds.links as u64)));
    add("their bandwidth", speeds.link_bandwidth.map(|v| v.text(bandwidth)));
    if let Some(p) = &network.info.parameters {
        add("their latency", Some(seconds(p.link_latency)));
        add("delay of a switch", Some(seconds(p.switch_delay)));
        add("delay of a metre of cable", Some(seconds(p.cable_delay)));
        add("floor plan", Some(p.floor_plan.to_owned()));
        add("links of hosts", Some(host_links(p)));
        add("ports of a host", p.rails.as_ref().map(host_ports));
    } else if speeds.host_links > 0 {
        add("links of hosts", Some(grouped(speeds.host_links as u64)));
        add("bandwidth of host links", speeds.host_link_bandwidth.map(|v| v.text(bandwidth)));
        add("latency of host links", speeds.host_link_latency.map(|v| v.text(seconds)));
    }
    add("latency of a link with switch and cable", speeds.link_latency.map(|v| v.text(seconds)));
    let defaults = network.info.parameters.as_ref().map(|p| p.defaults.to_owned());
    if let Some(loopback) = platform.loopback {
        let link = &platform.links[loopback.index()];
        add("within a host", Some(format!("{}, {}", bandwidth(link.bandwidth), seconds(link.latency))));
    }
    add("version of the defaults", defaults);
    out
}
