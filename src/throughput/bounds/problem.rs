//! Maximum concurrent flow: the problem for some traffic on a network, and the interval that contains its value.

use crate::throughput::{Demand, Network};
use crate::topology::ArcId;
use serde::Serialize;

/// The throughput of the topology over all paths, between two values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Concurrent {
    /// A routing reaches at least this.
    pub lower: f64,
    /// No routing exceeds this.
    pub upper: f64,
    /// Method that found it.
    pub method: &'static str,
}

/// Switches, links and demands between switches, as the bounds need them.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Number of switches.
    pub switches: usize,
    /// Ends of each arc.
    pub arcs: Vec<(u32, u32)>,
    /// Link of each arc.
    pub link: Vec<u32>,
    /// Number of links; each has capacity 1.
    pub links: usize,
    /// Demands of each source to other switches at injection 1.
    pub rows: Vec<(u32, Vec<(u32, f64)>)>,
}

impl Problem {
    /// Returns the problem of some traffic on a network.
    pub fn new(network: &Network, demand: &Demand) -> Self {
        let graph = &network.topology.graph;
        let arcs = (0..graph.arcs() as u32).map(ArcId);
        Self {
            switches: graph.switches(),
            arcs: arcs.clone().map(|arc| (graph.tail(arc).0, graph.head(arc).0)).collect(),
            link: arcs.map(|arc| network.link(arc)).collect(),
            links: network.links,
            rows: demand.between_switches(),
        }
    }

    /// Reverses all arcs and demands if that leaves fewer sources; the throughput is the same.
    pub fn with_fewer_sources(self) -> Self {
        let pairs = self.turned();
        let rows: Vec<(u32, Vec<(u32, f64)>)> = pairs
            .chunk_by(|a, b| a.0 == b.0)
            .map(|row| (row[0].0, row.iter().map(|&(_, to, demand)| (to, demand)).collect()))
            .collect();
        if rows.len() >= self.rows.len() {
            return self;
        }
        Self { arcs: self.arcs.iter().map(|&(tail, head)| (head, tail)).collect(), rows, ..self }
    }

    /// Returns destination, source and demand, by destination.
    pub(super) fn turned(&self) -> Vec<(u32, u32, f64)> {
        let mut pairs: Vec<(u32, u32, f64)> =
            self.rows.iter().flat_map(|(from, row)| row.iter().map(|&(to, demand)| (to, *from, demand))).collect();
        pairs.sort_by_key(|pair| (pair.0, pair.1));
        pairs
    }

    /// Returns `true` if no switch has a demand to another one.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
