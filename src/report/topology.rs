//! Reports on topologies.

use crate::cost::{Bill, CostError, PriceList, Prices};
use crate::defaults::Version;
use crate::ids::SwitchId;
use crate::layout::latency::{self, Choice, Latency};
use crate::layout::{FloorOptions, FloorPlan};
use crate::routing;
use crate::steps::Steps;
use crate::topology::families::clos::nonblocking;
use crate::topology::families::damaged;
use crate::topology::metrics::bisection::{self, Counting, Method};
use crate::topology::metrics::distances::{self, Distances};
use crate::topology::metrics::{Metrics, bounds, connectivity, degrees, edge_sha256, symmetry};
use crate::topology::{GENERATOR, Graph, Hosts, Topology, TopologyError};
use serde::Serialize;

mod error;
mod planes;
mod route;
pub(super) mod shown;

pub use error::TopologyReportError;
pub use planes::PlaneReport;
pub use route::RouteReport;

/// Largest number of arcs of a graph whose bisection is searched by default.
const QUICK_ARCS: usize = 1 << 20;
/// Largest product of switches and arcs for which a search from every switch is made by default.
const QUICK_SEARCHES: usize = 1 << 28;
/// Largest product of switches, degree and arcs for which the edge connectivity is computed by default.
const QUICK_FLOWS: usize = 1 << 31;
/// Default number of seeds for METIS.
const SEEDS: usize = 5;

/// Selection of expensive properties: latencies, path diversity, edge connectivity, distances between hosts and
/// bisection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// None of these properties.
    Least,
    /// Properties that take seconds; others are omitted for large networks.
    Quick,
    /// All of these properties.
    Full,
}

impl Effort {
    /// Returns `true` if the effort includes work of this size, where work up to the limit is quick.
    fn suffices(self, work: usize, limit: usize) -> bool {
        match self {
            Self::Least => false,
            Self::Quick => work <= limit,
            Self::Full => true,
        }
    }
}

/// Options of a report.
#[derive(Clone, PartialEq, Debug)]
pub struct TopologyOptions {
    /// Number of switches in a sample for distances; default: exact distances.
    pub aspl_samples: Option<usize>,
    /// Seed of the sample.
    pub seed: u64,
    /// Seed of random routings; default: see [`routing::seed_for`].
    pub routing_seed: Option<u64>,
    /// Number of seeds for METIS; default: 5, and no bisection of very large networks. 0 for no bisection.
    pub bisection_seeds: Option<usize>,
    /// Selection of expensive properties.
    pub effort: Effort,
    /// Options of the floor plan, and compute nodes on each switch.
    pub floor: FloorOptions,
    /// Delay of a switch, in seconds.
    pub switch_delay: f64,
    /// Delay of a cable, in seconds per metre.
    pub cable_delay: f64,
    /// Prices of parts.
    pub prices: Prices,
    /// Note of the price list.
    pub prices_note: Option<String>,
    /// A route to show: its rule (default: that of the network), start and end.
    pub route: Option<(Option<String>, u32, u32)>,
    /// Version of the defaults, for the rule of the route.
    pub defaults: Version,
    /// Counter of searches from switches.
    pub steps: Steps,
}

impl Default for TopologyOptions {
    /// Returns the options with the current defaults.
    fn default() -> Self {
        Self::of(Version::default())
    }
}

impl TopologyOptions {
    /// Returns the default options: hosts of the family, the grid, delays of a version of the defaults, the preset
    /// prices.
    pub fn of(version: Version) -> Self {
        let speeds = version.values().design;
        Self {
            aspl_samples: None,
            seed: 1,
            routing_seed: None,
            bisection_seeds: None,
            effort: Effort::Quick,
            floor: FloorOptions::default(),
            switch_delay: speeds.switch_delay,
            cable_delay: speeds.cable_delay,
            prices: Prices::default(),
            prices_note: PriceList::default().note,
            route: None,
            defaults: version,
            steps: Steps::default(),
        }
    }
}

/// Sizes, degrees and distances of a topology, its cables, its cost and power.
///
/// Properties that are too expensive by default are `None`, as are those that do not exist in a disconnected network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopologyReport {
    /// Canonical specification.
    pub topology: String,
    /// Seed of a random family.
    pub seed: Option<u64>,
    /// Name of the generator that the seed is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<&'static str>,
    /// Number of vertices: switches, and hosts if the source of the family counts them, as for trees.
    pub n: usize,
    /// Number of switches.
    pub switches: usize,
    /// Number of hosts: those of the family, unless specified by the user.
    pub hosts: u64,
    /// Number of ports per host, if hosts have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_ports: Option<usize>,
    /// Planes of the network, if hosts have several ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planes: Option<Vec<PlaneReport>>,
    /// `true` if cables are one-way.
    pub directed: bool,
    /// Number of two-way cables; `None` if cables are one-way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<usize>,
    /// Number of one-way cables; `None` if cables are two-way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arcs: Option<usize>,
    /// Smallest degree; for one-way cables the smaller of in- and out-degree.
    pub min_degree: usize,
    /// Largest degree; for one-way cables the larger of in- and out-degree.
    pub max_degree: usize,
    /// Largest distance in hops; `None` if some switch cannot reach another, or if distances were sampled.
    pub diameter: Option<usize>,
    /// Average shortest path length in hops; `None` if some switch cannot reach another.
    pub aspl: Option<f64>,
    /// Sum of the distances of all ordered pairs; `None` if `aspl` is `None`, or if distances were sampled.
    pub distance_sum: Option<u64>,
    /// Largest distance between hosts in cables, if hosts are vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_diameter_links: Option<usize>,
    /// Average distance between hosts in cables, if hosts are vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_aspl_links: Option<f64>,
    /// Largest number of switches that a message from host to host crosses.
    pub host_diameter_switches: Option<usize>,
    /// Average number of switches over all pairs of hosts.
    pub host_aspl_switches: Option<f64>,
    /// SHA-256 of the sorted edge list.
    pub edge_sha256: String,
    /// `true` if every switch reaches every other.
    pub connected: bool,
    /// Number of ordered pairs at distance 1, 2, ...; for a sample, of those from its switches.
    pub distance_histogram: Option<Vec<u64>>,
    /// Number of switches in the sample for distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspl_samples: Option<usize>,
    /// The true average is within this of `aspl` with 95 % confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspl_error: Option<f64>,
    /// Lower bound of the diameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diameter_at_least: Option<usize>,
    /// Lower bound of the average for this size and degree; `None` if no such network is connected.
    pub aspl_lower_bound: Option<f64>,
    /// Largest number of switches that a network of this degree and diameter could have, if it fits in the type.
    pub moore_bound: Option<u64>,
    /// Number of switches as a share of that bound.
    pub moore_share: Option<f64>,
    /// Smallest number of cables (one-way: arcs) whose loss can disconnect the network.
    pub edge_connectivity: Option<usize>,
    /// Mean number of neighbours through which a shortest path leads.
    pub path_diversity: Option<f64>,
    /// Number of cables between halves; one-way: arcs, in either direction. An upper bound unless `bisection_method` is
    /// `exact`.
    pub bisection: Option<u64>,
    /// `bisection` with arcs in both directions between two switches counted once; one-way networks only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bisection_merged: Option<u64>,
    /// `exact`, or `metis` with the number of seeds.
    pub bisection_method: Option<String>,
    /// Smallest number of cables between two arcs of consecutive switches.
    pub semicircle_cut: Option<u64>,
    /// Smallest number of cables between halves, among 20 random halves.
    pub random_halves_cut: Option<u64>,
    /// Mean number of cables between halves, over 20 random halves.
    pub random_halves_mean: Option<f64>,
    /// Bisection as a share of all links, `B_r = 2B / (nK)` with the mean degree K.
    pub bisection_share_of_links: Option<f64>,
    /// Bisection as a share of all links and endpoints, `b_r = B_r K / (K + 2p)`.
    pub bisection_share_of_all: Option<f64>,
    /// Mean degree per host on a switch, `K/p`; `None` for trees and if hosts are vertices.
    pub links_per_host: Option<f64>,
    /// Links per host and hop of an average path, `K / (p ASPL)`: below 1, hosts that send to random others need
    /// more than all links can carry.
    pub links_per_host_and_hop: Option<f64>,
    /// Guarantee of a Clos network of a free path for a circuit: `strictly`, `rearrangeable` (if others may be moved)
    /// or `no`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonblocking: Option<&'static str>,
    /// Floor plan of the switches.
    pub floor: FloorReport,
    /// Cost of the network; `None` if the price list has no such routers.
    pub cost: Option<CostReport>,
    /// Reason for an unknown cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_cost: Option<String>,
    /// Number of repeated cables in a file, which count once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicates_merged: Option<usize>,
    /// Route, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteReport>,
}

/// Cabinets, and cables between switches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FloorReport {
    /// Name of the model.
    pub plan: &'static str,
    /// Number of cabinets.
    pub cabinets: usize,
    /// Number of rows of cabinets.
    pub rows: usize,
    /// Number of cabinets per row.
    pub columns: usize,
    /// Number of cables within a cabinet.
    pub cables_within_cabinets: usize,
    /// Length of all cables, in metres.
    pub cable_metres: f64,
    /// Mean length, in metres.
    pub average_cable_metres: f64,
    /// Longest cable, in metres.
    pub longest_cable_metres: f64,
    /// Number of cables of up to 5, 10, 15, ... metres.
    pub cables_by_5_metres: Vec<u64>,
    /// Version of the defaults.
    pub defaults: &'static str,
    /// Delay of a switch, in nanoseconds.
    pub switch_delay_ns: f64,
    /// Delay per metre of cable, in nanoseconds.
    pub cable_delay_ns_per_metre: f64,
    /// Largest latency between switches on the fastest paths, in nanoseconds.
    pub max_latency_ns: Option<f64>,
    /// Mean latency on the fastest paths, in nanoseconds.
    pub mean_latency_ns: Option<f64>,
    /// Largest latency on the fastest of the paths with the fewest hops, in nanoseconds.
    pub nearest_max_latency_ns: Option<f64>,
    /// Mean latency on these paths, in nanoseconds.
    pub nearest_mean_latency_ns: Option<f64>,
}

/// Cost in dollars, and power in watts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostReport {
    /// Name of the price list.
    pub prices: String,
    /// Note of the price list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices_note: Option<String>,
    /// Rate of a link, in Gb/s.
    pub link_rate_gbps: f64,
    /// Number of compute nodes.
    pub endpoints: u64,
    /// Number of ports per router.
    pub ports: u64,
    /// Number of copper cables.
    pub copper_cables: u64,
    /// Number of fibre cables.
    pub fibre_cables: u64,
    /// Dollars for cables.
    pub cable_dollars: f64,
    /// Dollars for routers.
    pub router_dollars: f64,
    /// Dollars for adapters of hosts, if the price list has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_dollars: Option<f64>,
    /// Total in dollars.
    pub dollars: f64,
    /// Dollars per compute node.
    pub dollars_per_endpoint: Option<f64>,
    /// Total power in watts.
    pub watts: f64,
    /// Watts per compute node.
    pub watts_per_endpoint: Option<f64>,
}

impl TopologyReport {
    /// Measures a topology.
    ///
    /// # Errors
    /// [`TopologyReportError`] if it is too large for exact distances, or does not fit the floor plan or the routing.
    pub fn of(topology: &Topology, options: &TopologyOptions) -> Result<Self, TopologyReportError> {
        if let Some(rails) = &topology.rails {
            return planes::report(topology, rails, options);
        }
        // A failed switch cannot be reached: metrics are those of the remaining switches.
        let left = damaged::remaining(topology)?;
        let measured = left.as_ref().unwrap_or(topology);
        let switches = &*measured.graph;
        // Trees are measured with the hosts, as in their sources.
        let whole = switches.with_host_vertices()?;
        let graph = whole.as_ref().map_or(switches, |(graph, _)| &**graph);
        let alike = symmetry::vertex_transitive(&topology.spec);
        let (metrics, sampled) = match options.aspl_samples {
            // If all switches are equivalent, the exact distances are cheaper than any sample.
            Some(samples) if !alike => {
                let sampled = match distances::sampled(graph, samples, options.seed, &options.steps) {
                    Err(TopologyError::Disconnected { .. }) => None,
                    other => Some(other?),
                };
                (Metrics::without_distances(graph), sampled)
            }
            _ if whole.is_some() => (Metrics::watched(graph, &options.steps)?, None),
            _ => (Metrics::of_topology(measured, &options.steps)?, None),
        };
        let between_hosts = match &whole {
            Some((graph, hosts)) if options.aspl_samples.is_none() && options.effort != Effort::Least => {
                let on_each: Vec<u32> = (0..graph.switches()).map(|vertex| u32::from(vertex < *hosts)).collect();
                distances::between_hosts(graph, &on_each).map(|between| between.hops())
            }
            _ => None,
        };
        let plan = FloorPlan::new(topology, &options.floor)?;
        let quick = |work, limit| options.effort.suffices(work, limit);
        let searches = switches.switches().saturating_mul(switches.arcs());
        let crossed = match &whole {
            // The number of cables between hosts is one more than that of switches.
            Some(_) => between_hosts.map(|(largest, mean)| (largest - 1, mean - 1.0)),
            None => {
                let plan = FloorPlan::new(measured, &options.floor)?;
                let on: Vec<u32> = plan.switches().map(|switch| plan.hosts_on(switch)).collect();
                crossed(switches, &on, metrics.distances.as_ref(), quick(searches, QUICK_SEARCHES))
            }
        };
        let all_degrees = metrics.degrees;
        let (n, directed, max_degree) =
            (metrics.switches, metrics.directed, all_degrees.max_out.max(all_degrees.max_in));
        let shown = metrics.distances.as_ref().or(sampled.as_ref().map(|sampled| &sampled.distances));
        let diameter = metrics.distances.as_ref().map(|distances| distances.diameter());
        let moore = diameter.and_then(|k| bounds::moore(max_degree as u64, k as u32, directed));
        let cost = cost(topology, &plan, options);
        let mut report = Self {
            topology: topology.name(),
            seed: topology.seed(),
            generator: topology.seed().map(|_| GENERATOR),
            n,
            switches: switches.switch_vertices(),
            hosts: plan.endpoints(),
            host_diameter_links: between_hosts.map(|(largest, _)| largest),
            host_aspl_links: between_hosts.map(|(_, mean)| mean),
            host_diameter_switches: crossed.map(|(largest, _)| largest),
            host_aspl_switches: crossed.map(|(_, mean)| mean),
            host_ports: None,
            planes: None,
            directed,
            edges: (!directed).then_some(metrics.cables),
            arcs: directed.then_some(metrics.cables),
            min_degree: all_degrees.min_out.min(all_degrees.min_in),
            max_degree,
            diameter,
            aspl: shown.map(|distances| distances.aspl),
            distance_sum: metrics.distances.as_ref().and_then(|distances| u64::try_from(distances.sum).ok()),
            edge_sha256: if left.is_some() { edge_sha256(&topology.graph) } else { metrics.edge_sha256.clone() },
            connected: shown.is_some(),
            distance_histogram: shown.map(|distances| distances.histogram.clone()),
            aspl_samples: sampled.as_ref().map(|sampled| sampled.samples),
            aspl_error: sampled.as_ref().map(|sampled| sampled.error),
            diameter_at_least: sampled.as_ref().map(|sampled| sampled.distances.diameter()),
            aspl_lower_bound: bounds::aspl(n as u64, max_degree as u64, directed),
            moore_bound: moore.and_then(|bound| u64::try_from(bound).ok()),
            moore_share: moore.map(|bound| n as f64 / bound as f64),
            edge_connectivity: None,
            path_diversity: None,
            bisection: None,
            bisection_merged: None,
            bisection_method: None,
            semicircle_cut: None,
            random_halves_cut: None,
            random_halves_mean: None,
            bisection_share_of_links: None,
            bisection_share_of_all: None,
            links_per_host: None,
            links_per_host_and_hop: None,
            nonblocking: nonblocking(&topology.spec),
            floor: floor(topology, &plan, options, shown.is_some() && quick(searches, QUICK_SEARCHES))?,
            no_cost: cost.as_ref().err().map(CostError::to_string),
            cost: cost.ok(),
            // Families may generate a cable twice, which is not an error of the user.
            duplicates_merged: Some(switches.duplicates_merged()).filter(|&count| topology.spec.is_file() && count > 0),
            route: options.route.as_ref().map(|route| RouteReport::of(topology, options, route)).transpose()?,
        };
        // Connectivity of the switches; hosts that are vertices of the graph would count as paths.
        if !matches!(switches.hosts(), Hosts::Vertices(_)) {
            let degrees = degrees(switches);
            // In a tree, neither the mean degree nor the distances are those of a switch with hosts.
            if whole.is_none() {
                report.balance(switches);
            }
            // For a tree only the diameter with its hosts is known; it is only relevant whether it exists, and exceeds
            // 2.
            let diameter = diameter.map(|diameter| if whole.is_some() { diameter.max(3) } else { diameter });
            let easy = alike || matches!(diameter, None | Some(..=2));
            let flows = if easy { 0 } else { searches.saturating_mul(degrees.min_out.min(degrees.min_in)) };
            if sampled.is_none() && quick(flows, QUICK_FLOWS) {
                report.edge_connectivity = connectivity::edge_connectivity(switches, diameter, alike).ok();
            }
            if shown.is_some() && quick(searches, QUICK_SEARCHES) {
                report.path_diversity = connectivity::path_diversity(switches);
            }
        }
        let seeds = options.bisection_seeds.unwrap_or(if quick(graph.arcs(), QUICK_ARCS) { SEEDS } else { 0 });
        if seeds > 0 {
            report.bisect(graph, switches, seeds);
        }
        Ok(report)
    }

    /// Computes the links available per host; nothing without hosts or links.
    fn balance(&mut self, switches: &Graph) {
        if self.hosts == 0 || switches.arcs() == 0 {
            return;
        }
        let of_a_switch = |count: f64| count / switches.switches() as f64;
        // A link has two directions, so an arc is half a link.
        let (degree, endpoints) = (of_a_switch(switches.arcs() as f64), of_a_switch(self.hosts as f64));
        self.links_per_host = Some(degree / endpoints);
        self.links_per_host_and_hop = self.aspl.map(|aspl| bounds::links_per_host_and_hop(degree, endpoints, aspl));
    }

    /// Computes the bisection of `graph`, which includes the hosts of a tree as vertices; `switches` does not.
    fn bisect(&mut self, graph: &Graph, switches: &Graph, seeds: usize) {
        let found = bisection::best(graph, Counting::Arcs, seeds);
        self.bisection_method = Some(match found.method {
            Method::Metis { seeds } => format!("metis, best of {seeds} seeds"),
            _ => "exact".into(),
        });
        self.bisection = Some(found.cut);
        self.bisection_merged = graph.is_directed().then(|| bisection::best(graph, Counting::Merged, seeds).cut);
        self.semicircle_cut = Some(bisection::semicircle(graph, Counting::Arcs).cut);
        let (halves, mean) = bisection::random_halves(graph, Counting::Arcs, 20, 1);
        (self.random_halves_cut, self.random_halves_mean) = (Some(halves.cut), Some(mean));
        // A link has two directions, so an arc is half a link. Cables to hosts are not links between switches.
        let (vertices, hosts) = (switches.switch_vertices(), self.hosts as f64);
        let to_hosts = if let Hosts::Vertices(count) = switches.hosts() {
            (0..*count).map(SwitchId).map(|host| switches.out_degree(host) + switches.in_degree(host)).sum::<usize>()
                / 2
        } else {
            0
        };
        let (links, cut) = match switches.is_directed() {
            true => ((switches.arcs() - 2 * to_hosts) as f64 / 2.0, found.cut as f64 / 2.0),
            false => ((switches.cables() - to_hosts) as f64, found.cut as f64),
        };
        let degree = 2.0 * links / vertices as f64;
        if links > 0.0 {
            self.bisection_share_of_links = Some(bounds::bisection_share_of_links(cut, vertices, degree));
        }
        // A single switch has no links: its hosts are divided, with half of them on each side.
        let cut = if links == 0.0 && vertices == 1 { hosts / 2.0 } else { cut };
        if links > 0.0 || cut > 0.0 {
            let share = bounds::bisection_share_of_all(cut, vertices, degree, hosts / vertices as f64);
            self.bisection_share_of_all = Some(share);
        }
    }
}

fn floor(
    topology: &Topology,
    plan: &FloorPlan,
    options: &TopologyOptions,
    with_latency: bool,
) -> Result<FloorReport, TopologyReportError> {
    let cables = plan.cables(&topology.graph);
    let (switch, cable) = (options.switch_delay, options.cable_delay);
    let latency = |choice| {
        let latency = || latency::latencies(&topology.graph, cables.lengths(), switch, cable, choice, &options.steps);
        with_latency.then(latency).transpose()
    };
    let (fastest, nearest): (Option<Latency>, _) = (latency(Choice::Fastest)?, latency(Choice::Nearest)?);
    // Latencies are sums of picoseconds; further digits are rounding errors.
    let nanoseconds = |seconds: f64| (seconds * 1e15).round() / 1e6;
    Ok(FloorReport {
        plan: plan.model.name(),
        cabinets: plan.cabinets,
        rows: plan.rows,
        columns: plan.columns,
        cables_within_cabinets: cables.within_cabinets,
        cable_metres: cables.total + 0.0,
        average_cable_metres: cables.average(),
        longest_cable_metres: cables.longest,
        cables_by_5_metres: cables.histogram(5.0),
        defaults: options.defaults.name(),
        switch_delay_ns: nanoseconds(switch),
        cable_delay_ns_per_metre: nanoseconds(cable),
        max_latency_ns: fastest.map(|latency| nanoseconds(latency.max)),
        mean_latency_ns: fastest.map(|latency| nanoseconds(latency.mean)),
        nearest_max_latency_ns: nearest.map(|latency| nanoseconds(latency.max)),
        nearest_mean_latency_ns: nearest.map(|latency| nanoseconds(latency.mean)),
    })
}

/// Returns the largest and mean number of switches that a message between hosts crosses. If all switches have the same
/// number of hosts attached, known distances suffice; otherwise this needs a search from each switch, which is made
/// only if it is `quick`.
fn crossed(switches: &Graph, hosts: &[u32], distances: Option<&Distances>, quick: bool) -> Option<(usize, f64)> {
    let between = match distances {
        Some(distances) if hosts.iter().all(|&count| count == hosts[0]) => {
            distances.between_hosts_everywhere(hosts.len(), hosts[0])
        }
        _ if quick => distances::between_hosts(switches, hosts),
        _ => None,
    };
    between.map(|between| between.switches())
}

fn cost(topology: &Topology, plan: &FloorPlan, options: &TopologyOptions) -> Result<CostReport, CostError> {
    let switches = &*topology.graph;
    let mut bill = Bill::new(switches, plan, &plan.cables(switches), &options.prices)?;
    if let Some(rails) = &topology.rails {
        // An adapter and a cable for each port.
        bill.add_hosts(bill.endpoints * rails.count() as u64, true, &options.prices);
        return Ok(CostReport::of(&bill, options));
    }
    let placed = bill.endpoints != plan.switches().map(|switch| u64::from(plan.hosts_on(switch))).sum::<u64>()
        || !plan.endpoint_lengths().is_empty();
    bill.add_hosts(bill.endpoints, !placed, &options.prices);
    Ok(CostReport::of(&bill, options))
}

impl CostReport {
    fn of(bill: &Bill, options: &TopologyOptions) -> Self {
        Self {
            prices: options.prices.name.clone(),
            prices_note: options.prices_note.clone(),
            link_rate_gbps: options.prices.link_rate_gbps,
            endpoints: bill.endpoints,
            ports: bill.ports,
            copper_cables: bill.copper_cables,
            fibre_cables: bill.fibre_cables,
            cable_dollars: bill.cable_dollars,
            router_dollars: bill.router_dollars,
            host_dollars: options.prices.host.as_ref().map(|_| bill.host_dollars),
            dollars: bill.dollars(),
            dollars_per_endpoint: bill.dollars_per_endpoint(),
            watts: bill.watts,
            watts_per_endpoint: (bill.endpoints > 0).then(|| bill.watts / bill.endpoints as f64),
        }
    }
}
