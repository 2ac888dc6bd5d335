//! Further runs of a study: changed assumptions, and a check on samples.

/// A changed assumption.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation {
    /// Name of the assumption: `routing`, `host links`, `mapping`, `collectives`, `model`, `latency`, `bandwidth` or
    /// `compute`.
    pub assumption: &'static str,
    /// New value.
    pub value: String,
    /// Columns of the first setting for which this is a change.
    pub columns: Vec<usize>,
}

/// Plan of a check on the first iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleCheck {
    /// Number of iterations of each workload that are replayed.
    pub iterations: usize,
    /// Part of each workload; `None` if it is replayed as a whole, since it has no more iterations or none are found.
    pub parts: Vec<Option<WorkloadPart>>,
    /// Columns of the first setting that run with flows, and those of them that run with packets.
    pub columns: [Vec<usize>; 2],
    /// Names of the two models.
    pub models: [String; 2],
}

/// Part of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadPart {
    /// Number of iterations of the whole workload.
    pub of: usize,
    /// Number of actions of all ranks in the part.
    pub actions: u64,
}
