//! The result of a comparison: all cells, relative to a baseline, and their averages.

use super::cell::CellResult;
use super::choice::ModelDescription;
use super::mean;
use crate::result::explain::Explanation;

/// A network as the report names it.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkInfo {
    /// Name given in the study, or the specification.
    pub name: String,
    /// Topology specification or platform file.
    pub topology: String,
    /// Seed of a random family.
    pub seed: Option<u64>,
    /// `full` or `shared`; `None` where a platform file lists its links.
    pub duplex: Option<String>,
    /// Routing rule; `None` where a platform file lists its routes.
    pub routing: Option<String>,
    /// Number of hosts.
    pub hosts: usize,
}

/// A workload as the report names it.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkloadInfo {
    /// Name of the trace.
    pub name: String,
    /// What it is, where a side file says so.
    pub title: Option<String>,
    /// Number of ranks.
    pub ranks: usize,
    /// Actions of all ranks.
    pub actions: u64,
    /// Its number of operations, where known.
    pub operations: Option<f64>,
    /// Where that number comes from.
    pub formula: Option<String>,
}

/// One workload on one network.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Index of the workload.
    pub workload: usize,
    /// Index of the network.
    pub network: usize,
    /// Seconds from the common start to the end of the last rank.
    pub simulated_seconds: f64,
    /// Millions of operations per second, where the count is known.
    pub mops: Option<f64>,
    /// Time on the baseline over time here: above 1 is faster than the baseline.
    pub relative: f64,
    /// Why it takes as long as it does.
    pub explanation: Explanation,
}

/// All cells of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Title of the study.
    pub title: String,
    /// Index of the network that the others are compared with.
    pub baseline: usize,
    /// The networks, in the order of the study.
    pub networks: Vec<NetworkInfo>,
    /// The workloads, in the order of the study.
    pub workloads: Vec<WorkloadInfo>,
    /// Workload by workload, network by network.
    pub cells: Vec<Cell>,
    /// How ranks are placed.
    pub mapping: String,
    /// How traces turn into time.
    pub model: ModelDescription,
    /// What the reader should know: unmatched sends, substituted algorithms.
    pub notes: Vec<String>,
    /// Whether in some replay messages were left that nobody received.
    pub unmatched: bool,
}

impl Comparison {
    /// Puts the results of all cells (workload by workload, network by network) into relation to the baseline.
    ///
    /// # Panics
    /// If there is not one result for each pair.
    pub fn new(
        title: String,
        baseline: usize,
        networks: Vec<NetworkInfo>,
        workloads: Vec<WorkloadInfo>,
        results: &[CellResult],
        mapping: String,
        model: ModelDescription,
    ) -> Self {
        assert_eq!(results.len(), networks.len() * workloads.len(), "a result for each pair");
        let mut cells = Vec::with_capacity(results.len());
        let mut notes: Vec<String> = Vec::new();
        for (w, row) in results.chunks(networks.len()).enumerate() {
            let reference = row[baseline].outcome.simulated_seconds;
            for (n, result) in row.iter().enumerate() {
                let seconds = result.outcome.simulated_seconds;
                cells.push(Cell {
                    workload: w,
                    network: n,
                    simulated_seconds: seconds,
                    mops: result.mops,
                    // Two runs that take no time at all are equally fast.
                    relative: if seconds == reference { 1.0 } else { reference / seconds },
                    explanation: result.explanation.clone(),
                });
                for note in result.notes() {
                    let note = format!("{}: {note}", workloads[w].name);
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                }
            }
        }
        let unmatched = results.iter().any(|result| !result.outcome.unmatched_sends.is_empty());
        Self { title, baseline, networks, workloads, cells, mapping, model, notes, unmatched }
    }

    /// The cell of a workload on a network.
    pub fn cell(&self, workload: usize, network: usize) -> &Cell {
        &self.cells[workload * self.networks.len() + network]
    }

    fn relative_of(&self, network: usize) -> Vec<f64> {
        (0..self.workloads.len()).map(|w| self.cell(w, network).relative).collect()
    }

    /// Arithmetic mean over the workloads of the relative performance of a network; 1 without workloads.
    pub fn arithmetic_mean(&self, network: usize) -> f64 {
        mean::arithmetic(&self.relative_of(network)).unwrap_or(1.0)
    }

    /// Geometric mean over the workloads of the relative performance of a network; 1 without workloads.
    pub fn geometric_mean(&self, network: usize) -> f64 {
        mean::geometric(&self.relative_of(network)).unwrap_or(1.0)
    }
}
