//! What is reported of a topology.

use crate::ids::SwitchId;
use crate::topology::metrics::Metrics;
use crate::topology::{Graph, Topology, TopologyError};
use serde::Serialize;
use std::collections::VecDeque;

/// Sizes, degrees and distances of a topology.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopologyReport {
    /// Canonical specification.
    pub topology: String,
    /// Seed of a random family.
    pub seed: Option<u64>,
    /// Number of vertices: switches, and hosts where the source of the family counts them, as in trees.
    pub n: usize,
    /// Number of switches.
    pub switches: usize,
    /// Number of hosts unless the user says otherwise.
    pub hosts: u64,
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
    /// Largest distance in hops; `None` if some switch cannot reach another.
    pub diameter: Option<usize>,
    /// Average shortest path length in hops; `None` if some switch cannot reach another.
    pub aspl: Option<f64>,
    /// Largest distance between hosts in cables, where hosts are vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_diameter_links: Option<usize>,
    /// Average distance between hosts in cables, where hosts are vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_aspl_links: Option<f64>,
    /// SHA-256 of the sorted edge list.
    pub edge_sha256: String,
}

impl TopologyReport {
    /// Measures a topology.
    ///
    /// # Errors
    /// If it is too large for exact distances.
    pub fn of(topology: &Topology) -> Result<Self, TopologyError> {
        // Trees are measured as their sources draw them, with the hosts.
        let whole = topology.graph.with_host_vertices()?;
        let graph = whole.as_ref().map_or(&*topology.graph, |(graph, _)| &**graph);
        let metrics = Metrics::of(graph)?;
        let degrees = metrics.degrees;
        let between_hosts = whole.as_ref().map(|(graph, hosts)| host_distances(graph, *hosts));
        Ok(Self {
            topology: topology.name(),
            seed: topology.seed(),
            n: metrics.switches,
            switches: graph.switch_vertices(),
            hosts: topology.graph.default_hosts().iter().map(|&count| u64::from(count)).sum(),
            host_diameter_links: between_hosts.and_then(|between| between.map(|(largest, _)| largest)),
            host_aspl_links: between_hosts.and_then(|between| between.map(|(_, mean)| mean)),
            directed: metrics.directed,
            edges: (!metrics.directed).then_some(metrics.cables),
            arcs: metrics.directed.then_some(metrics.cables),
            min_degree: degrees.min_out.min(degrees.min_in),
            max_degree: degrees.max_out.max(degrees.max_in),
            diameter: metrics.distances.as_ref().map(|d| d.diameter()),
            aspl: metrics.distances.as_ref().map(|d| d.aspl),
            edge_sha256: metrics.edge_sha256,
        })
    }
}

/// Largest and average distance among the first `hosts` vertices; `None` if some of them cannot reach another, or if there
/// is only one.
fn host_distances(graph: &Graph, hosts: usize) -> Option<(usize, f64)> {
    let (mut largest, mut sum) = (0, 0_u64);
    let mut distance = vec![usize::MAX; graph.switches()];
    let mut queue = VecDeque::new();
    for host in 0..hosts {
        distance.fill(usize::MAX);
        distance[host] = 0;
        queue.push_back(SwitchId(host as u32));
        while let Some(vertex) = queue.pop_front() {
            for next in graph.neighbours(vertex) {
                if distance[next.index()] == usize::MAX {
                    distance[next.index()] = distance[vertex.index()] + 1;
                    queue.push_back(next);
                }
            }
        }
        for &far in &distance[..hosts] {
            largest = largest.max(far);
            sum += if far == usize::MAX { return None } else { far as u64 };
        }
    }
    (hosts > 1).then(|| (largest, sum as f64 / (hosts as f64 * (hosts - 1) as f64)))
}
