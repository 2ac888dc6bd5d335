//! What is reported of a topology.

use crate::topology::metrics::Metrics;
use crate::topology::{Topology, TopologyError};
use serde::Serialize;

/// Sizes, degrees and distances of a topology.
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
    /// Largest distance in hops; `None` if some switch cannot reach another.
    pub diameter: Option<usize>,
    /// Average shortest path length in hops; `None` if some switch cannot reach another.
    pub aspl: Option<f64>,
    /// SHA-256 of the sorted edge list.
    pub edge_sha256: String,
}

impl TopologyReport {
    /// Measures a topology.
    ///
    /// # Errors
    /// If it is too large for exact distances.
    pub fn of(topology: &Topology) -> Result<Self, TopologyError> {
        let metrics = Metrics::of(&topology.graph)?;
        let degrees = metrics.degrees;
        Ok(Self {
            topology: topology.name(),
            seed: topology.seed(),
            n: metrics.switches,
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
