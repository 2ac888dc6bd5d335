//! What is reported of a single replay.

use crate::engine::Outcome;
use crate::network::PacketCounts;
use crate::network::sharing::Rule;
use crate::result::explain::Explanation;
use crate::study::cell::CellResult;
use crate::study::choice::ModelDescription;
use crate::study::jobs::Interference;
use crate::study::network::NetworkInfo;
use crate::study::workload::WorkloadInfo;
use serde::Serialize;

/// Smallest, mean and largest of the ranks' times, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Split {
    /// Smallest.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

/// How the ranks spent their time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeSplit {
    /// Computing.
    pub compute: Split,
    /// Blocked while the message is under way.
    pub communication: Split,
    /// The part of it that more bandwidth would not shorten: latency of messages, overheads of sends and receives.
    pub latency: Split,
    /// The rest of it: messages that drain through their links.
    pub bandwidth: Split,
    /// Blocked while the partner is not there, or idle at the end.
    pub waiting: Split,
}

/// The result of a replay with what was replayed on what.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayReport {
    /// The trace.
    pub workload: WorkloadInfo,
    /// The network.
    pub network: NetworkInfo,
    /// How ranks are placed.
    pub mapping: String,
    /// How the trace turns into time.
    pub model: ModelDescription,
    /// Seconds from the common start to the end of the last rank.
    pub simulated_seconds: f64,
    /// Millions of operations per second, where the count is known.
    pub mops: Option<f64>,
    /// Point-to-point messages.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
    /// How the ranks spent their time.
    pub times: TimeSplit,
    /// Why it takes as long as it does.
    pub explanation: Explanation,
    /// Counts of packets, where messages were packets.
    pub packets: Option<PacketCounts>,
    /// What the jobs cost each other, where there are several.
    pub jobs: Option<Interference>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Seconds that the simulator itself took; only where the user asked for it, since it differs from run to run.
    pub wall_seconds: Option<f64>,
}

fn split(values: impl Iterator<Item = f64> + Clone) -> Split {
    let count = values.clone().count().max(1);
    Split {
        min: values.clone().reduce(f64::min).unwrap_or(0.0),
        mean: values.clone().sum::<f64>() / count as f64,
        max: values.reduce(f64::max).unwrap_or(0.0),
    }
}

impl TimeSplit {
    /// Over all ranks of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        Self {
            compute: split(outcome.ranks.iter().map(|r| r.compute)),
            communication: split(outcome.ranks.iter().map(|r| r.communication)),
            latency: split(outcome.ranks.iter().map(|r| r.latency)),
            bandwidth: split(outcome.ranks.iter().map(|r| r.communication - r.latency)),
            waiting: split(outcome.ranks.iter().map(|r| r.waiting)),
        }
    }
}

impl ReplayReport {
    /// Predicted time over the time that was measured when the program was recorded.
    pub fn predicted_over_measured(&self) -> Option<f64> {
        self.workload.measured_seconds.map(|measured| self.simulated_seconds / measured)
    }

    /// Collects what is reported of a finished replay.
    pub fn new(
        workload: WorkloadInfo,
        network: NetworkInfo,
        mapping: String,
        model: ModelDescription,
        result: &CellResult,
    ) -> Self {
        let outcome = &result.outcome;
        let mut notes = result.notes();
        let explained = result.explanation.critical_path.is_some();
        if explained && ![Rule::Exact.name(), "packets"].contains(&model.sharing.as_str()) {
            notes.push("for how long links are full is known with exact sharing only".into());
        }
        notes.extend(outcome.packets.as_ref().map(super::cross_check::of_packets));
        notes.extend(result.explanation.head_of_line.as_ref().map(super::cross_check::of_blocking));
        Self {
            workload,
            network,
            mapping,
            model,
            simulated_seconds: outcome.simulated_seconds,
            mops: result.mops,
            messages: outcome.messages,
            bytes: outcome.bytes,
            times: TimeSplit::of(outcome),
            explanation: result.explanation.clone(),
            packets: outcome.packets,
            jobs: result.jobs.clone(),
            notes,
            wall_seconds: None,
        }
    }
}
