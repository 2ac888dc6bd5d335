//! Properties of a graph without a floor plan: sizes, degrees, distances, bounds, cuts, and a digest of its cables.
//!
//! [`Metrics`] has the properties that are always quick; others have functions of their own: [`bisection`],
//! `connectivity`.

use sha2::{Digest, Sha256};

use super::Topology;
use super::error::TopologyError;
use super::families::damaged;
use super::graph::Graph;
use crate::ids::SwitchId;
use crate::steps::Steps;

pub mod bisection;
pub mod bounds;
pub(crate) mod connectivity;
pub mod distances;
pub(crate) mod symmetry;

pub use distances::{Distances, MAX_DISTANCE_WORK, Sampled, distances};

/// Sizes, degrees, distances and digest of a graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Metrics {
    /// Number of switches.
    pub switches: usize,
    /// Number of cables: edges of an undirected graph, arcs of a directed one.
    pub cables: usize,
    /// `true` if cables are one-way.
    pub directed: bool,
    /// Smallest and largest degree.
    pub degrees: Degrees,
    /// Distances, unless the graph is disconnected.
    pub distances: Option<Distances>,
    /// Digest of the cables, see [`edge_sha256`].
    pub edge_sha256: String,
}

/// Smallest and largest degrees. In an undirected graph in-degree and out-degree are both the degree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Degrees {
    /// Smallest number of arcs out of a switch.
    pub min_out: usize,
    /// Largest number of arcs out of a switch.
    pub max_out: usize,
    /// Smallest number of arcs into a switch.
    pub min_in: usize,
    /// Largest number of arcs into a switch.
    pub max_in: usize,
}

impl Metrics {
    /// Measures a graph.
    ///
    /// # Errors
    /// [`TopologyError::TooLarge`] if the distances would take more than [`MAX_DISTANCE_WORK`] steps.
    pub fn of(graph: &Graph) -> Result<Self, TopologyError> {
        Self::watched(graph, &Steps::default())
    }

    /// Measures a graph, with progress; a step is the search for distances from one switch.
    ///
    /// # Errors
    /// As for [`Metrics::of`].
    pub fn watched(graph: &Graph, steps: &Steps) -> Result<Self, TopologyError> {
        Self::with_distances(graph, distances::watched(graph, steps))
    }

    /// Measures the graph of a topology; if all its switches are equivalent, one search yields all distances.
    ///
    /// # Errors
    /// As [`Metrics::of`], but only for families whose switches are not equivalent.
    pub fn of_topology(topology: &Topology, steps: &Steps) -> Result<Self, TopologyError> {
        let graph = &*topology.graph;
        // A failed switch is not part of the network, and cannot be reached.
        if let Some(left) = damaged::remaining(topology)? {
            return Ok(Self { edge_sha256: edge_sha256(graph), ..Self::watched(&left.graph, steps)? });
        }
        let alike = symmetry::vertex_transitive(&topology.spec);
        if alike { Self::with_distances(graph, distances::of_transitive(graph)) } else { Self::watched(graph, steps) }
    }

    /// Measures everything except the distances.
    pub fn without_distances(graph: &Graph) -> Self {
        Self {
            switches: graph.switches(),
            cables: graph.cables(),
            directed: graph.is_directed(),
            degrees: degrees(graph),
            distances: None,
            edge_sha256: edge_sha256(graph),
        }
    }

    fn with_distances(graph: &Graph, distances: Result<Distances, TopologyError>) -> Result<Self, TopologyError> {
        let distances = match distances {
            Ok(distances) => Some(distances),
            Err(TopologyError::Disconnected { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { distances, ..Self::without_distances(graph) })
    }
}

/// Returns the smallest and largest degrees.
pub fn degrees(graph: &Graph) -> Degrees {
    let start = Degrees { min_out: usize::MAX, max_out: 0, min_in: usize::MAX, max_in: 0 };
    (0..graph.switches() as u32).map(SwitchId).fold(start, |d, switch| {
        let (out, into) = (graph.out_degree(switch), graph.in_degree(switch));
        Degrees {
            min_out: d.min_out.min(out),
            max_out: d.max_out.max(out),
            min_in: d.min_in.min(into),
            max_in: d.max_in.max(into),
        }
    })
}

/// Returns the SHA-256, in hexadecimal, over the lines `u v` of all cables in ascending order, each ended by a newline.
/// For two-way cables the smaller switch is first. Two graphs with the same digest have the same cables.
pub fn edge_sha256(graph: &Graph) -> String {
    let mut hash = Sha256::new();
    let mut line = Vec::new();
    for (u, v) in graph.cable_ends() {
        use std::io::Write;
        line.clear();
        writeln!(line, "{u} {v}").expect("writing to memory succeeds");
        hash.update(&line);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_by_hand() {
        // 0 - 1 - 2: four ordered pairs at distance 1, two at distance 2; 8 hops over 6 pairs.
        let path = Graph::undirected(3, vec![(0, 1), (1, 2)]).unwrap();
        let metrics = Metrics::of(&path).unwrap();
        let distances = metrics.distances.unwrap();
        assert_eq!((distances.histogram.as_slice(), distances.sum, distances.diameter()), (&[4, 2][..], 8, 2));
        assert!((distances.aspl - 4.0 / 3.0).abs() < 1e-15);
        assert_eq!(metrics.degrees, Degrees { min_out: 1, max_out: 2, min_in: 1, max_in: 2 });
    }
}
