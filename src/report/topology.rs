//! What is reported of a topology.

use crate::cost::{Bill, Prices};
use crate::layout::latency::{self, Choice, Latency};
use crate::layout::{FloorOptions, FloorPlan, LayoutError};
use crate::routing::{self, RoutingError};
use crate::topology::metrics::bisection::{self, Counting, Method};
use crate::topology::metrics::{Metrics, bounds, connectivity, distances, symmetry};
use crate::topology::{Topology, TopologyError};
use serde::Serialize;

mod route;

pub use route::RouteReport;

/// Most arcs of a graph whose bisection is searched unasked.
const QUICK_ARCS: usize = 1 << 20;
/// Largest product of switches and arcs for which a search from every switch is made unasked.
const QUICK_SEARCHES: usize = 1 << 28;
/// Largest product of switches, degree and arcs for which the edge connectivity is computed unasked.
const QUICK_FLOWS: usize = 1 << 31;
/// Seeds of METIS where none are asked for.
const SEEDS: usize = 5;

/// What to measure and with which numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct TopologyOptions {
    /// Number of switches to sample distances from; exact distances if left out.
    pub aspl_samples: Option<usize>,
    /// Seed of that sample, and of random routings.
    pub seed: u64,
    /// Seeds of METIS; if left out 5, and no bisection of very large networks. 0: no bisection.
    pub bisection_seeds: Option<usize>,
    /// Whether to take the time for what is left out of large networks: latencies, ways, edge connectivity.
    pub full: bool,
    /// The floor plan, and compute nodes at each switch.
    pub floor: FloorOptions,
    /// Delay of a switch, in seconds.
    pub switch_delay: f64,
    /// Delay of a cable, in seconds for each metre.
    pub cable_delay: f64,
    /// Prices.
    pub prices: Prices,
    /// A route to show: the rule, from, to.
    pub route: Option<(String, u32, u32)>,
}

impl Default for TopologyOptions {
    /// One compute node a switch, the grid, 60 ns a switch and 5 ns a metre, the preset prices.
    fn default() -> Self {
        Self {
            aspl_samples: None,
            seed: 1,
            bisection_seeds: None,
            full: false,
            floor: FloorOptions { endpoints_per_switch: 1, ..FloorOptions::default() },
            switch_delay: latency::SWITCH_DELAY,
            cable_delay: latency::CABLE_DELAY,
            prices: Prices::default(),
            route: None,
        }
    }
}

/// Why a topology cannot be reported on.
#[derive(Debug, thiserror::Error)]
pub enum TopologyReportError {
    /// It cannot be measured.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// It cannot be placed on a floor.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// It does not take the routing.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// A switch of a route does not exist, or there is no way.
    #[error("{0}")]
    Route(String),
}

/// Sizes, degrees and distances of a topology, its cables, what it costs and draws.
///
/// What was too dear to compute unasked is `None`, and so is what does not exist in a disconnected network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopologyReport {
    /// Canonical specification.
    pub topology: String,
    /// Seed of a random family.
    pub seed: Option<u64>,
    /// Number of switches.
    pub n: usize,
    /// Whether cables are one-way.
    pub directed: bool,
    /// Two-way cables; `None` where cables are one-way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<usize>,
    /// One-way cables; `None` where cables are two-way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arcs: Option<usize>,
    /// Smallest degree; of one-way cables the smaller of in- and out-degree.
    pub min_degree: usize,
    /// Largest degree; of one-way cables the larger of in- and out-degree.
    pub max_degree: usize,
    /// Largest distance in hops; `None` if some switch cannot reach another, or if distances were sampled.
    pub diameter: Option<usize>,
    /// Average shortest path length in hops; `None` if some switch cannot reach another.
    pub aspl: Option<f64>,
    /// SHA-256 of the sorted edge list.
    pub edge_sha256: String,
    /// Whether every switch reaches every other.
    pub connected: bool,
    /// Ordered pairs at distance 1, 2, ...; of a sample, those from its switches.
    pub distance_histogram: Option<Vec<u64>>,
    /// Switches that distances were sampled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspl_samples: Option<usize>,
    /// The true average is within this of `aspl` with 95 % confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspl_error: Option<f64>,
    /// The diameter is at least this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diameter_at_least: Option<usize>,
    /// No network of this size and degree has a smaller average.
    pub aspl_lower_bound: f64,
    /// Most switches that a network of this degree and diameter could have, if they can be counted.
    pub moore_bound: Option<u64>,
    /// Switches as a share of that.
    pub moore_share: Option<f64>,
    /// Cables (one-way: arcs) whose loss can disconnect the network.
    pub edge_connectivity: Option<usize>,
    /// Mean number of neighbours through which a shortest path leads.
    pub path_diversity: Option<f64>,
    /// Cables between halves; one-way: arcs, either way. An upper bound unless `bisection_method` is `exact`.
    pub bisection: Option<u64>,
    /// The same with arcs in both directions between two switches counted once; one-way networks only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bisection_merged: Option<u64>,
    /// `exact`, or `metis` with the number of seeds.
    pub bisection_method: Option<String>,
    /// Cables between two arcs of consecutive switches, at best.
    pub semicircle_cut: Option<u64>,
    /// Cables between 20 random halves, at best.
    pub random_halves_cut: Option<u64>,
    /// Bisection as a share of all links, `B_r = 2B / (nK)` with the mean degree K.
    pub bisection_share_of_links: Option<f64>,
    /// Bisection as a share of all links and endpoints, `b_r = B_r K / (K + 2p)`.
    pub bisection_share_of_all: Option<f64>,
    /// Where the switches stand.
    pub floor: FloorReport,
    /// What they cost; `None` if the price list has no such routers.
    pub cost: Option<CostReport>,
    /// A route, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteReport>,
}

/// Cabinets and cables between switches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FloorReport {
    /// Name of the model.
    pub plan: &'static str,
    /// Cabinets.
    pub cabinets: usize,
    /// Rows of cabinets.
    pub rows: usize,
    /// Cabinets in a row.
    pub columns: usize,
    /// Cables that stay in a cabinet.
    pub cables_within_cabinets: usize,
    /// Length of all cables, in metres.
    pub cable_metres: f64,
    /// Mean length, in metres.
    pub average_cable_metres: f64,
    /// Longest cable, in metres.
    pub longest_cable_metres: f64,
    /// Cables of up to 5, 10, 15, ... metres.
    pub cables_by_5_metres: Vec<u64>,
    /// Delay of a switch, in nanoseconds.
    pub switch_delay_ns: f64,
    /// Delay of a metre of cable, in nanoseconds.
    pub cable_delay_ns_per_metre: f64,
    /// Largest latency between switches on the fastest ways, in nanoseconds.
    pub max_latency_ns: Option<f64>,
    /// Mean latency on the fastest ways, in nanoseconds.
    pub mean_latency_ns: Option<f64>,
}

/// Dollars and watts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostReport {
    /// Name of the price list.
    pub prices: String,
    /// Rate of a link, in Gb/s.
    pub link_rate_gbps: f64,
    /// Compute nodes.
    pub endpoints: u64,
    /// Ports of a router.
    pub ports: u64,
    /// Copper cables.
    pub copper_cables: u64,
    /// Fibre cables.
    pub fibre_cables: u64,
    /// Dollars for cables.
    pub cable_dollars: f64,
    /// Dollars for routers.
    pub router_dollars: f64,
    /// Dollars in all.
    pub dollars: f64,
    /// Dollars for each compute node.
    pub dollars_per_endpoint: Option<f64>,
    /// Watts.
    pub watts: f64,
    /// Watts for each compute node.
    pub watts_per_endpoint: Option<f64>,
}

impl TopologyReport {
    /// Measures a topology.
    ///
    /// # Errors
    /// If it is too large for exact distances, does not fit the floor plan or the routing.
    pub fn of(topology: &Topology, options: &TopologyOptions) -> Result<Self, TopologyReportError> {
        let graph = &*topology.graph;
        let alike = symmetry::vertex_transitive(&topology.spec);
        let (metrics, sampled) = match options.aspl_samples {
            // Where all switches are alike, the exact distances are cheaper than any sample.
            Some(samples) if !alike => {
                let sampled = match distances::sampled(graph, samples, options.seed) {
                    Err(TopologyError::Disconnected { .. }) => None,
                    other => Some(other?),
                };
                (Metrics::without_distances(graph), sampled)
            }
            _ => (Metrics::of_topology(topology)?, None),
        };
        let degrees = metrics.degrees;
        let (n, directed, max_degree) = (metrics.switches, metrics.directed, degrees.max_out.max(degrees.max_in));
        let shown = metrics.distances.as_ref().or(sampled.as_ref().map(|sampled| &sampled.distances));
        let diameter = metrics.distances.as_ref().map(|distances| distances.diameter());
        let moore = diameter.map(|k| bounds::moore(max_degree as u64, k as u64, directed));
        let quick = |work: usize, limit: usize| options.full || work <= limit;
        let searches = n.saturating_mul(graph.arcs());
        let flows = searches.saturating_mul(degrees.min_out.min(degrees.min_in));
        let mut report = Self {
            topology: topology.name(),
            seed: topology.seed(),
            n,
            directed,
            edges: (!directed).then_some(metrics.cables),
            arcs: directed.then_some(metrics.cables),
            min_degree: degrees.min_out.min(degrees.min_in),
            max_degree,
            diameter,
            aspl: shown.map(|distances| distances.aspl),
            edge_sha256: metrics.edge_sha256.clone(),
            connected: shown.is_some(),
            distance_histogram: shown.map(|distances| distances.histogram.clone()),
            aspl_samples: sampled.as_ref().map(|sampled| sampled.samples),
            aspl_error: sampled.as_ref().map(|sampled| sampled.error),
            diameter_at_least: sampled.as_ref().map(|sampled| sampled.distances.diameter()),
            aspl_lower_bound: bounds::aspl_lower_bound(n as u64, max_degree.max(1) as u64, directed),
            moore_bound: moore.and_then(|bound| u64::try_from(bound).ok()),
            moore_share: moore.map(|bound| n as f64 / bound as f64),
            edge_connectivity: None,
            path_diversity: None,
            bisection: None,
            bisection_merged: None,
            bisection_method: None,
            semicircle_cut: None,
            random_halves_cut: None,
            bisection_share_of_links: None,
            bisection_share_of_all: None,
            floor: floor(topology, options, shown.is_some() && quick(searches, QUICK_SEARCHES))?,
            cost: cost(topology, options)?,
            route: options.route.as_ref().map(|route| RouteReport::of(topology, options, route)).transpose()?,
        };
        if sampled.is_none() && (alike || matches!(diameter, None | Some(..=2)) || quick(flows, QUICK_FLOWS)) {
            report.edge_connectivity = connectivity::edge_connectivity(graph, diameter, alike).ok();
        }
        if shown.is_some() && quick(searches, QUICK_SEARCHES) {
            report.path_diversity = connectivity::path_diversity(graph);
        }
        let seeds = options.bisection_seeds.unwrap_or(if quick(graph.arcs(), QUICK_ARCS) { SEEDS } else { 0 });
        if seeds > 0 {
            report.bisect(topology, seeds, f64::from(options.floor.endpoints_per_switch));
        }
        Ok(report)
    }

    fn bisect(&mut self, topology: &Topology, seeds: usize, endpoints: f64) {
        let graph = &*topology.graph;
        let found = bisection::best(graph, Counting::Arcs, seeds);
        self.bisection_method = Some(match found.method {
            Method::Metis { seeds } => format!("metis, best of {seeds} seeds"),
            _ => "exact".into(),
        });
        self.bisection = Some(found.cut);
        self.bisection_merged = graph.is_directed().then(|| bisection::best(graph, Counting::Merged, seeds).cut);
        self.semicircle_cut = Some(bisection::semicircle(graph, Counting::Arcs).cut);
        self.random_halves_cut = Some(bisection::random_halves(graph, Counting::Arcs, 20, 1).0.cut);
        // Each end of a cable counts; an arc is half a link, as it is one direction of two.
        let links = if graph.is_directed() { graph.arcs() as f64 / 2.0 } else { graph.cables() as f64 };
        if links > 0.0 {
            let degree = 2.0 * links / self.n as f64;
            let cut = if graph.is_directed() { found.cut / 2 } else { found.cut };
            self.bisection_share_of_links = Some(bounds::bisection_share_of_links(cut, self.n, degree));
            self.bisection_share_of_all = Some(bounds::bisection_share_of_all(cut, self.n, degree, endpoints));
        }
    }
}

fn floor(
    topology: &Topology,
    options: &TopologyOptions,
    with_latency: bool,
) -> Result<FloorReport, TopologyReportError> {
    let plan = FloorPlan::new(topology, &options.floor)?;
    let cables = plan.cables(&topology.graph);
    let (switch, cable) = (options.switch_delay, options.cable_delay);
    let latency = |lengths| latency::latencies(&topology.graph, lengths, switch, cable, Choice::Fastest);
    let latency: Option<Latency> = with_latency.then(|| latency(cables.lengths())).transpose()?;
    // Latencies are sums of picoseconds; more digits are rounding.
    let nanoseconds = |seconds: f64| (seconds * 1e15).round() / 1e6;
    Ok(FloorReport {
        plan: plan.model.name(),
        cabinets: plan.cabinets,
        rows: plan.rows,
        columns: plan.columns,
        cables_within_cabinets: cables.within_cabinets,
        cable_metres: cables.total,
        average_cable_metres: cables.average(),
        longest_cable_metres: cables.longest,
        cables_by_5_metres: cables.histogram(5.0),
        switch_delay_ns: nanoseconds(switch),
        cable_delay_ns_per_metre: nanoseconds(cable),
        max_latency_ns: latency.map(|latency| nanoseconds(latency.max)),
        mean_latency_ns: latency.map(|latency| nanoseconds(latency.mean)),
    })
}

fn cost(topology: &Topology, options: &TopologyOptions) -> Result<Option<CostReport>, TopologyReportError> {
    let plan = FloorPlan::new(topology, &options.floor)?;
    let Ok(bill) = Bill::new(&topology.graph, &plan, &plan.cables(&topology.graph), &options.prices) else {
        return Ok(None);
    };
    Ok(Some(CostReport {
        prices: options.prices.name.clone(),
        link_rate_gbps: options.prices.link_rate_gbps,
        endpoints: bill.endpoints,
        ports: bill.ports,
        copper_cables: bill.copper_cables,
        fibre_cables: bill.fibre_cables,
        cable_dollars: bill.cable_dollars,
        router_dollars: bill.router_dollars,
        dollars: bill.dollars(),
        dollars_per_endpoint: bill.dollars_per_endpoint(),
        watts: bill.watts,
        watts_per_endpoint: (bill.endpoints > 0).then(|| bill.watts / bill.endpoints as f64),
    }))
}
