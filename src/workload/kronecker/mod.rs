//! Breadth-first searches in Kronecker graphs: the messages between ranks, level by level, as in Graph500.
//!
//! A graph that fits ([`LARGEST_BUILT`]) is built, with the edges that the reference code of Graph500 2.1.4 generates
//! from the same seeds, and searched from its roots. A larger one is drawn from the distribution of its edges
//! ([`sampled`]). Graphs are created before the ranks run, and the ranks only read them.

mod edges;
mod exact;
mod noise;
mod random;
mod sampled;
mod search;
pub(super) mod words;

use super::stuck::AtWork;
use search::{SearchLevel, Spec};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest number of edges of a graph that is built: scale 22 with 16 edges per vertex. Building it takes 1.1 GB.
pub const LARGEST_BUILT: u64 = 1 << 26;
/// Largest number of graphs per workload, which are in memory together.
const MOST_GRAPHS: usize = 2;

/// A graph with its searches.
#[derive(Debug)]
pub enum KroneckerGraph {
    /// Built edge by edge.
    Built(exact::Built),
    /// Drawn from the distribution.
    Sampled(Box<sampled::Sampled>),
}

impl KroneckerGraph {
    fn new(spec: &Spec) -> Result<Self, String> {
        if spec.edges() <= LARGEST_BUILT {
            exact::Built::new(spec).map(Self::Built)
        } else {
            sampled::Sampled::new(spec).map(|graph| Self::Sampled(Box::new(graph)))
        }
    }

    /// Returns the number of edges that a search traverses: those with reached ends, each counted once.
    pub fn edges(&self, search: usize) -> f64 {
        match self {
            Self::Built(graph) => graph.edges(search),
            Self::Sampled(graph) => graph.edges(search),
        }
    }

    /// Returns the edges that a rank sends and receives in each level of a search.
    pub fn messages(&self, search: usize, rank: u32, ranks: u32) -> Vec<SearchLevel> {
        match self {
            Self::Built(graph) => graph.messages(search, rank, ranks),
            Self::Sampled(graph) => graph.messages(search, rank),
        }
    }

    /// Returns the number of edges that a rank inspects in each level of a search from the bottom up.
    pub fn looks(&self, search: usize, rank: u32, ranks: u32) -> Vec<f64> {
        match self {
            Self::Built(graph) => graph.looks(search, rank, ranks),
            Self::Sampled(graph) => graph.looks(search),
        }
    }
}

/// The graphs of a workload: each is created once, and identified by a number.
#[derive(Debug, Default)]
pub struct KroneckerGraphs(Mutex<Vec<(Spec, Arc<KroneckerGraph>)>>);

impl KroneckerGraphs {
    /// Returns the number of a graph, which is created if it is new. The error is the reason why it cannot be created.
    pub fn number(&self, spec: &Spec) -> Result<usize, String> {
        let _at_work = AtWork::begin();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known.iter().position(|(other, _)| other == spec) {
            return Ok(number);
        }
        if known.len() == MOST_GRAPHS {
            return Err(format!("a workload has at most {MOST_GRAPHS} Kronecker graphs"));
        }
        known.push((*spec, Arc::new(KroneckerGraph::new(spec)?)));
        Ok(known.len() - 1)
    }

    /// Returns the graph of that number.
    pub fn get(&self, number: usize) -> Option<(Spec, Arc<KroneckerGraph>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(number).cloned()
    }
}
