//! One cell of a study, replayed again to see what its ranks do over time.

use super::comparison::Comparison;
use super::{Silent, Study, StudyError};
use crate::result::critical::CriticalPathFinder;
use crate::result::lanes::Lanes;

/// Number of time steps, unless there are too many ranks.
const STEPS: usize = 320;

/// Largest product of ranks and time steps: 48 MB.
const MOST_LANES: usize = 4 << 20;

/// A cell that was observed.
#[derive(Debug)]
pub struct Timeline {
    /// Index of the workload.
    pub workload: usize,
    /// Index of the network.
    pub network: usize,
    /// States of the ranks over time.
    pub lanes: Lanes,
    /// Critical path of the run.
    pub path: CriticalPathFinder,
}

impl Timeline {
    /// Replays a cell again and observes its ranks.
    ///
    /// # Errors
    /// [`StudyError::Replay`].
    pub fn replay(study: &Study, c: &Comparison, workload: usize, network: usize) -> Result<Self, StudyError> {
        let ranks = c.workloads[workload].ranks;
        let steps = (MOST_LANES / ranks.max(1)).clamp(16, STEPS);
        // The first repetition is replayed, which may take longer than the mean.
        let first = c.runs.iter().find(|run| run.workload == workload && run.network == network);
        let seconds = first.map_or(c.cell(workload, network).simulated_seconds, |run| run.record.replayed_seconds());
        let mut watching = (Lanes::new(ranks, seconds, steps), CriticalPathFinder::new(ranks));
        if let Some(cell) = study.cell_of(workload, network) {
            study.watch_cell(cell, &Silent, &mut watching)?;
        }
        let (lanes, path) = watching;
        Ok(Self { workload, network, lanes, path })
    }

    /// Returns the default cell of the timeline: of the workload for which networks differ most, the fastest network. A
    /// timeline shows one application, so combined jobs are not chosen.
    pub fn choose(c: &Comparison) -> Option<(usize, usize)> {
        let alone = |&w: &usize| c.runs.iter().all(|run| run.workload != w || run.record.jobs.is_none());
        let times = |w: usize| (0..c.networks.len()).map(move |n| c.cell(w, n).simulated_seconds);
        let spread = |w: usize| times(w).fold(0.0, f64::max) / times(w).fold(f64::INFINITY, f64::min);
        let workload = (0..c.workloads.len()).filter(alone).reduce(|a, b| if spread(b) > spread(a) { b } else { a })?;
        let time = |n: usize| c.cell(workload, n).simulated_seconds;
        let network = (0..c.networks.len()).reduce(|a, b| if time(b) < time(a) { b } else { a })?;
        Some((workload, network))
    }
}
