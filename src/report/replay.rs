//! Reports of single replays.

use crate::network::PacketCounts;
use crate::network::sharing::Rule;
use crate::result::explain::Explanation;
use crate::result::time_split::TimeSplit;
use crate::study::cell::CellResult;
use crate::study::choice::ModelDescription;
use crate::study::jobs::Interference;
use crate::study::network::NetworkInfo;
use crate::study::steady::Steady;
use crate::study::workload::WorkloadInfo;

/// Result of a replay, with the trace, the network and the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayReport {
    /// Description of the trace.
    pub workload: WorkloadInfo,
    /// Description of the network.
    pub network: NetworkInfo,
    /// Number of hosts with ranks.
    pub hosts_used: usize,
    /// Placement of ranks.
    pub mapping: String,
    /// Description of the model.
    pub model: ModelDescription,
    /// Seconds from the common start to the end of the last rank.
    pub simulated_seconds: f64,
    /// Millions of operations per second, if the count is known.
    pub mops: Option<f64>,
    /// Number of point-to-point messages.
    pub messages: u64,
    /// Payload of these messages in bytes.
    pub bytes: u64,
    /// Parts of the ranks' time.
    pub times: TimeSplit,
    /// Time in seconds at which each rank ended.
    pub ends: Vec<f64>,
    /// Explanation of the time.
    pub explanation: Explanation,
    /// Counts of packets, if messages were packets.
    pub packets: Option<PacketCounts>,
    /// Interference between jobs, if there are several.
    pub jobs: Option<Interference>,
    /// Estimate from some iterations, if that was requested. Messages, links and parts of the time are then those of the
    /// replayed part.
    pub steady: Option<Steady>,
    /// Notes for readers of the result.
    pub notes: Vec<String>,
    /// Run time of the simulator in seconds; only if the user requested it, since it differs from run to run.
    pub wall_seconds: Option<f64>,
}

impl ReplayReport {
    /// Returns the predicted time over the measured time of the recorded program.
    pub fn predicted_over_measured(&self) -> Option<f64> {
        self.workload.measured_seconds.map(|measured| self.simulated_seconds / measured)
    }

    /// Returns the simulated seconds that were replayed.
    pub fn replayed_seconds(&self) -> f64 {
        super::steady::extrapolation(self.steady.as_ref())
            .map_or(self.simulated_seconds, |found| found.replayed_seconds)
    }

    /// Returns the number of actions that were replayed.
    pub fn replayed_actions(&self) -> u64 {
        super::steady::extrapolation(self.steady.as_ref()).map_or(self.workload.actions, |found| found.replayed_actions)
    }

    /// Creates the report of a completed replay.
    pub fn new(
        workload: WorkloadInfo,
        network: NetworkInfo,
        mapping: String,
        model: ModelDescription,
        result: &CellResult,
    ) -> Self {
        let outcome = &result.outcome;
        let mut notes = super::steady::notes(result.steady.as_ref());
        notes.extend(result.notes());
        let explained = result.explanation.critical_path.is_some();
        if explained && Rule::from_name(&model.sharing).is_some_and(Rule::is_simgrid) {
            notes.push("SimGrid's rules of sharing do not report for how long links are full".into());
        }
        notes.extend(outcome.packets.as_ref().map(super::cross_check::of_packets));
        notes.extend(result.explanation.head_of_line.as_ref().map(super::cross_check::of_blocking));
        Self {
            workload,
            network,
            hosts_used: result.hosts_used,
            mapping,
            model,
            simulated_seconds: outcome.simulated_seconds,
            mops: result.mops,
            messages: outcome.messages,
            bytes: outcome.bytes,
            times: TimeSplit::of(outcome),
            ends: outcome.ranks.iter().map(|rank| rank.end).collect(),
            explanation: result.explanation.clone(),
            packets: outcome.packets,
            jobs: result.jobs.clone(),
            steady: result.steady.clone(),
            notes,
            wall_seconds: None,
        }
    }
}
