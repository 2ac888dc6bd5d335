//! What is kept of a replay: all that reports say about it, and nothing that grows with the number of ranks or links.
//!
//! A comparison is made of these records alone, whether they come from memory or from results files; so both give the
//! same bytes. Numbers are written as the shortest text that reads back as the same number.

use super::cell::CellResult;
use super::jobs::Interference;
use crate::engine::RankTimes;
use crate::result::explain::Explanation;
use serde::{Deserialize, Serialize};

/// One cell of a study, replayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellRecord {
    /// Its number in the study.
    pub cell: usize,
    /// Name of the workload.
    pub workload: String,
    /// Name of the network, with its setting where there are several.
    pub network: String,
    /// Seed of the repetition.
    pub seed: Option<u64>,
    /// Number of the perturbation; 0 is the study as it stands.
    pub sample: usize,
    /// Seconds from the common start to the end of the last rank.
    pub simulated_seconds: f64,
    /// Millions of operations per second, where the count is known.
    pub mops: Option<f64>,
    /// Actions of all ranks.
    pub actions: u64,
    /// Point-to-point messages, those of collectives included.
    pub messages: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// Where the time of a rank went.
    pub times: MeanTimes,
    /// Why it took as long as it did.
    pub explanation: Explanation,
    /// What the jobs cost each other, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Interference>,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether messages were left that nobody received.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmatched: bool,
}

/// Seconds of a rank, on average over the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeanTimes {
    /// Computing.
    pub compute: f64,
    /// Waiting for messages under way.
    pub communication: f64,
    /// Waiting for partners.
    pub waiting: f64,
}

/// Which replay of a study it is.
#[derive(Debug, Clone, PartialEq)]
pub struct CellName<'a> {
    /// Its number in the study.
    pub cell: usize,
    /// Name of the workload.
    pub workload: &'a str,
    /// Name of the network, with its setting where there are several.
    pub network: &'a str,
    /// Seed of the repetition.
    pub seed: Option<u64>,
    /// Number of the perturbation; 0 is the study as it stands.
    pub sample: usize,
}

impl CellRecord {
    /// What is kept of a result.
    pub fn new(name: CellName<'_>, result: &CellResult) -> Self {
        let outcome = &result.outcome;
        let ranks = outcome.ranks.len().max(1) as f64;
        let mean = |time: fn(&RankTimes) -> f64| outcome.ranks.iter().map(time).sum::<f64>() / ranks;
        Self {
            cell: name.cell,
            workload: name.workload.to_owned(),
            network: name.network.to_owned(),
            seed: name.seed,
            sample: name.sample,
            simulated_seconds: outcome.simulated_seconds,
            mops: result.mops,
            actions: outcome.actions,
            messages: outcome.messages,
            bytes: outcome.bytes,
            times: MeanTimes {
                compute: mean(|r| r.compute),
                communication: mean(|r| r.communication),
                waiting: mean(|r| r.waiting),
            },
            explanation: result.explanation.clone(),
            jobs: result.jobs.clone(),
            notes: result.notes(),
            unmatched: !outcome.unmatched_sends.is_empty(),
        }
    }

    /// Whether it is the replay of that name.
    pub fn is(&self, name: &CellName<'_>) -> bool {
        self.cell == name.cell
            && self.workload == name.workload
            && self.network == name.network
            && self.seed == name.seed
            && self.sample == name.sample
    }
}
