//! What there is to say of a network beside its results. What is unknown is left out of the report.

use crate::platform::{Link, LinkKind, Platform, SharingPolicy};
use crate::report::number::{grouped, seconds};
use crate::report::{TopologyOptions, TopologyReport};
use crate::study::network::NetworkUnderTest;

/// A network as the report describes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// Number of switches.
    pub switches: Option<usize>,
    /// Number of cables, and whether they are one-way.
    pub cables: Option<(usize, bool)>,
    /// Directions in which cables carry something: a two-way cable counts twice.
    pub lanes: Option<usize>,
    /// Smallest and largest degree.
    pub degrees: Option<(usize, usize)>,
    /// Largest distance in hops.
    pub diameter: Option<usize>,
    /// Average distance in hops.
    pub aspl: Option<f64>,
    /// Digest of the cables.
    pub edge_sha256: Option<String>,
    /// Metres of cable, where a floor plan is known.
    pub metres: Option<f64>,
    /// Price, where prices are known.
    pub dollars: Option<f64>,
    /// Power, where it is known.
    pub watts: Option<f64>,
    /// Hosts, links and their speeds in words.
    pub parameters: Vec<(&'static str, String)>,
}

impl Facts {
    /// Of a network that takes part in a study. Distances of very large networks are left out.
    pub fn of(network: &NetworkUnderTest) -> Self {
        let parameters = parameters(&network.platform);
        // Bisection and latencies take long, and the report does not show them.
        let options = TopologyOptions { bisection_seeds: Some(0), floor: network.floor, ..TopologyOptions::default() };
        let Some(report) = network.topology.as_ref().and_then(|t| TopologyReport::of(t, &options).ok()) else {
            return Self { parameters, ..Self::default() };
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
            metres: report.cost.as_ref().map(|_| report.floor.cable_metres),
            dollars: report.cost.as_ref().map(|cost| cost.dollars),
            watts: report.cost.as_ref().map(|cost| cost.watts),
            parameters,
        }
    }
}

/// A bandwidth in Gbit/s.
fn bandwidth(value: f64) -> String {
    format!("{} Gbit/s", (value * 8.0 / 1e9 * 1e6).round() / 1e6)
}

/// All values that occur, as a range where there are several.
fn values(values: impl Iterator<Item = f64> + Clone, text: impl Fn(f64) -> String) -> Option<String> {
    let least = values.clone().reduce(f64::min)?;
    let most = values.reduce(f64::max)?;
    Some(if least == most { text(least) } else { format!("{} to {}", text(least), text(most)) })
}

fn parameters(platform: &Platform) -> Vec<(&'static str, String)> {
    let of_host = |link: &&Link| link.kind == LinkKind::OfHost;
    let shared = || platform.links.iter().filter(|l| l.policy == SharingPolicy::Shared);
    let between = || shared().filter(|l| !of_host(l));
    let host_links = || shared().filter(of_host);
    let speed = |flops: f64| format!("{} Gflop/s", (flops / 1e9 * 1e6).round() / 1e6);
    let mut out = vec![("hosts", grouped(platform.hosts.len() as u64))];
    let mut add = |name, value: Option<String>| out.extend(value.map(|v| (name, v)));
    add("speed of a core", values(platform.hosts.iter().map(|h| h.speed), speed));
    add("cores of a host", values(platform.hosts.iter().map(|h| f64::from(h.cores)), |c| c.to_string()));
    add("links between switches", Some(grouped(between().count() as u64)));
    add("their bandwidth", values(between().map(|l| l.bandwidth), bandwidth));
    add("their latency, switch included", values(between().map(|l| l.latency), seconds));
    if host_links().next().is_some() {
        add("links of hosts", Some(grouped(host_links().count() as u64)));
        add("bandwidth of host links", values(host_links().map(|l| l.bandwidth), bandwidth));
        add("latency of host links", values(host_links().map(|l| l.latency), seconds));
    }
    if let Some(loopback) = platform.loopback {
        let link = &platform.links[loopback.index()];
        add("within a host", Some(format!("{}, {}", bandwidth(link.bandwidth), seconds(link.latency))));
    }
    out
}
