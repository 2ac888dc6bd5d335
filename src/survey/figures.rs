//! Results of a survey: the figures of a topology, its floor plan and its cost.

use super::RouteSurvey;
use serde::Serialize;

/// Sizes, degrees and distances of a topology, its cables, its cost and power.
///
/// Properties that are too expensive by default are `None`, as are those that do not exist in a disconnected network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survey {
    /// Canonical specification.
    pub topology: String,
    /// The same, under the name that all verbs use for specifications.
    pub spec: String,
    /// Name of the network, as in all verbs: without a study, its specification.
    pub network: String,
    /// Name of the family.
    pub family: &'static str,
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
    pub planes: Option<Vec<PlaneSurvey>>,
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
    pub floor: FloorSurvey,
    /// Cost of the network.
    pub cost: CostSurvey,
    /// Number of repeated cables in a file, which count once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicates_merged: Option<usize>,
    /// Remarks of the reader of a graph file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Route, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteSurvey>,
}

/// Cabinets, and cables between switches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FloorSurvey {
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
    /// Largest latency on the fastest paths between two different switches that have hosts attached, in nanoseconds.
    pub max_latency_ns: Option<f64>,
    /// Mean latency on these paths, in nanoseconds: each pair of switches counts once, and hosts of one switch do not count.
    pub mean_latency_ns: Option<f64>,
    /// Largest latency on the fastest of the paths with the fewest hops, in nanoseconds.
    pub nearest_max_latency_ns: Option<f64>,
    /// Mean latency on these paths, in nanoseconds.
    pub nearest_mean_latency_ns: Option<f64>,
}

/// Cost in dollars, and power in watts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostSurvey {
    /// Name of the price list.
    pub prices: String,
    /// Currency of all amounts, as the price list has it: `USD` for dollars.
    pub currency: String,
    /// Note of the price list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices_note: Option<String>,
    /// Rate of a link, in Gb/s.
    pub link_rate_gbps: f64,
    /// Listed rate from which prices are scaled, in Gb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaled_from_gbps: Option<f64>,
    /// Number of compute nodes.
    pub endpoints: u64,
    /// Number of ports per router.
    pub ports: u64,
    /// Number of copper cables.
    pub copper_cables: u64,
    /// Number of fibre cables.
    pub fibre_cables: u64,
    /// Price of cables, in the currency of the list.
    pub cable_dollars: f64,
    /// Price of routers.
    pub router_dollars: f64,
    /// Price of adapters of hosts, if the price list has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_dollars: Option<f64>,
    /// Total price.
    pub dollars: f64,
    /// The same, under the name that all verbs use for the price of a network.
    pub price: f64,
    /// Price per compute node.
    pub dollars_per_endpoint: Option<f64>,
    /// Total power in watts.
    pub watts: f64,
    /// Watts per compute node.
    pub watts_per_endpoint: Option<f64>,
}

/// A plane of a network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlaneSurvey {
    /// Canonical specification.
    pub topology: String,
    /// Number of switches.
    pub switches: usize,
    /// Number of cables.
    pub cables: usize,
    /// Largest distance in hops; `None` if some switch cannot reach another, or if distances were sampled.
    pub diameter: Option<usize>,
    /// Average shortest path length in hops; `None` if some switch cannot reach another.
    pub aspl: Option<f64>,
}
