//! Records of replays: everything that reports need, and nothing that grows with the number of ranks or links.
//!
//! A comparison depends only on these records, whether they are from memory or from results files, so both lead to the
//! same bytes. Numbers are written as the shortest text that reads back as the same number.

use super::cell::{CellResult, WHOLE_RUN};
use super::jobs::Interference;
use super::steady::{Extrapolation, Steady};
use crate::engine::RankTimes;
use crate::result::explain::Explanation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Record of a replayed cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellRecord {
    /// Number of the cell in the study.
    pub cell: usize,
    /// Name of the workload.
    pub workload: String,
    /// Name of the network, with its setting if there are several.
    pub network: String,
    /// Seed of the repetition.
    pub seed: Option<u64>,
    /// Number of the perturbation; 0 is the study as stated.
    pub sample: usize,
    /// Seconds from the common start to the end of the last rank.
    pub simulated_seconds: f64,
    /// Millions of operations per second, if the count is known.
    pub mops: Option<f64>,
    /// Number of actions of all ranks.
    pub actions: u64,
    /// Number of point-to-point messages, including those of collectives.
    pub messages: u64,
    /// Payload of these messages in bytes.
    pub bytes: u64,
    /// Mean times of a rank.
    pub times: MeanTimes,
    /// Explanation of the time.
    pub explanation: Explanation,
    /// Interference between jobs, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Interference>,
    /// Estimate of the time from some iterations, if it is one. Messages, links and parts of the time are then those of the
    /// replayed part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrapolation: Option<Extrapolation>,
    /// Notes for readers of the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// `true` if some messages were never received.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmatched: bool,
}

/// Seconds of a rank, averaged over the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeanTimes {
    /// Time of computation.
    pub compute: f64,
    /// Time of waiting for messages in transit.
    pub communication: f64,
    /// Time of waiting for partners.
    pub waiting: f64,
}

/// Name of a replay of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct CellName<'a> {
    /// Number of the cell in the study.
    pub cell: usize,
    /// Name of the workload.
    pub workload: &'a str,
    /// Name of the network, with its setting if there are several.
    pub network: &'a str,
    /// Seed of the repetition.
    pub seed: Option<u64>,
    /// Number of the perturbation; 0 is the study as stated.
    pub sample: usize,
}

impl CellRecord {
    /// Creates the record of a result.
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
            extrapolation: result.steady.as_ref().and_then(Steady::extrapolation).copied(),
            notes: result.notes(),
            unmatched: !outcome.unmatched_sends.is_empty(),
        }
    }

    /// Returns the simulated seconds that were replayed.
    pub fn replayed_seconds(&self) -> f64 {
        self.extrapolation.map_or(self.simulated_seconds, |found| found.replayed_seconds)
    }

    /// Returns `true` if this is the record of that replay.
    pub fn is(&self, name: &CellName<'_>) -> bool {
        self.cell == name.cell
            && self.workload == name.workload
            && self.network == name.network
            && self.seed == name.seed
            && self.sample == name.sample
    }
}

/// Returns the notes of all replays, each once. `own` has the replays of the study as stated, the rest are variations.
///
/// A workload may be extrapolated on some networks and replayed as a whole on others: notes on that name the networks.
pub(super) fn notes_of_replays(records: &[CellRecord], own: &[CellRecord]) -> Vec<String> {
    let mut known: Vec<(&str, &str)> = Vec::new();
    for record in records {
        let notes = record.notes.iter().map(|note| (record.workload.as_str(), note.as_str()));
        for entry in notes {
            if !known.contains(&entry) {
                known.push(entry);
            }
        }
    }
    let in_words = |(workload, note): (&str, &str)| {
        let has = |record: &CellRecord| record.notes.iter().any(|other| other == note);
        let place = match note.starts_with(WHOLE_RUN) {
            false => String::new(),
            true if own.iter().any(|record| record.workload == workload && has(record)) => {
                some_networks(own, workload, has)
            }
            true => " in variations".to_owned(),
        };
        format!("{workload}{place}: {note}")
    };
    known.into_iter().map(in_words).collect()
}

/// Names the networks with a property among all on which a workload was replayed, and the seeds if only some of a network's
/// replays have it: ` on torus, random (seeds 1, 3)`; empty if all replays have it.
fn some_networks(records: &[CellRecord], workload: &str, has: impl Fn(&CellRecord) -> bool) -> String {
    let own = || records.iter().filter(|record| record.workload == workload);
    if own().all(&has) {
        return String::new();
    }
    // Each setting has records of all networks.
    let mut networks: Vec<&str> = Vec::new();
    for record in own().filter(|record| has(record)) {
        if !networks.contains(&record.network.as_str()) {
            networks.push(&record.network);
        }
    }
    let in_words = |network: &&str| {
        let of_network = || own().filter(|record| record.network == *network);
        let seeds: BTreeSet<u64> = of_network().filter(|record| has(record)).filter_map(|record| record.seed).collect();
        let listed = seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        match seeds.len() {
            // Without seeds, the replays of a network differ by setting.
            len if len == 0 || of_network().all(&has) => (*network).to_owned(),
            1 => format!("{network} (seed {listed})"),
            _ => format!("{network} (seeds {listed})"),
        }
    };
    format!(" on {}", networks.iter().map(in_words).collect::<Vec<_>>().join(", "))
}

/// Returns a note on each workload some of whose times are estimates: from how many iterations.
pub(super) fn notes_of_estimates(records: &[CellRecord]) -> Vec<String> {
    let mut all: Vec<(&str, usize, usize, usize)> = Vec::new();
    for record in records {
        let Some(found) = &record.extrapolation else { continue };
        let replayed = found.replayed_iterations;
        match all.iter_mut().find(|(name, ..)| *name == record.workload) {
            Some((_, least, most, _)) => (*least, *most) = ((*least).min(replayed), (*most).max(replayed)),
            None => all.push((&record.workload, replayed, replayed, found.iterations)),
        }
    }
    let note = |(name, least, most, of): (&str, usize, usize, usize)| {
        let replayed = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let networks = some_networks(records, name, |record| record.extrapolation.is_some());
        format!(
            "{name}{networks}: times are extrapolated from {replayed} of {of} iterations, and messages, links, and parts of the time \
             are those of the replayed part"
        )
    };
    all.into_iter().map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(network: &str, seed: Option<u64>, is_whole: bool) -> CellRecord {
        CellRecord {
            cell: 0,
            workload: "jitter".to_owned(),
            network: network.to_owned(),
            seed,
            sample: 0,
            simulated_seconds: 1.0,
            mops: None,
            actions: 1,
            messages: 1,
            bytes: 1,
            times: MeanTimes { compute: 0.0, communication: 0.0, waiting: 0.0 },
            explanation: Explanation::default(),
            jobs: None,
            extrapolation: None,
            notes: if is_whole { vec![format!("{WHOLE_RUN}: it varies")] } else { Vec::new() },
            unmatched: false,
        }
    }

    #[test]
    fn notes_name_the_seeds_of_a_network_that_differ() {
        let note = |records: &[CellRecord]| notes_of_replays(records, records).join("; ");
        let random = [(1, false), (2, true), (3, false), (4, true)].map(|(s, whole)| record("random", Some(s), whole));
        let all = [&[record("torus", None, false), record("fat", None, true)][..], &random].concat();
        assert_eq!(note(&all), format!("jitter on fat, random (seeds 2, 4): {WHOLE_RUN}: it varies"));
        assert_eq!(note(&random[..2]), format!("jitter on random (seed 2): {WHOLE_RUN}: it varies"));
        assert_eq!(note(&all[1..2]), format!("jitter: {WHOLE_RUN}: it varies"));
        // In two settings, of which the second one has another result for one network.
        let settings = [&all[..], &[record("torus", None, true), record("fat", None, true)], &random].concat();
        assert_eq!(note(&settings), format!("jitter on fat, random (seeds 2, 4), torus: {WHOLE_RUN}: it varies"));
    }
}
