//! Runs of packets in the results file of a study: a line with the settings of the table `[packets]`, and one for each run.
//!
//! Their settings are no part of the study's fingerprint, so files from before they were kept can be continued.

use super::built::Study;
use super::results::ResultsError;
use crate::ledger::sha256::of_bytes;
use crate::ledger::{LedgerError, Shard, parsed};
use crate::packets::outline::Outline;
use crate::packets::points::{Names, PointRecord, RunId};
use crate::packets::results::located;
use crate::packets::runs::Runs;
use crate::topology::input::{MAX_FILE_BYTES, read_bytes};
use crate::traffic;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Packet routing of records of a study that leaves it to each network.
const OF_NETWORK: &str = "default";

/// Line before the first run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SweepLine {
    packets: Outline,
    /// SHA-256 of the files of patterns.
    files: Vec<String>,
}

/// The runs of the sweep of a study.
#[derive(Debug, Clone)]
pub(super) struct SweepRuns {
    /// Runs of each series.
    pub runs: Runs,
    /// Names of the series: network by network, pattern by pattern.
    pub names: Vec<Names>,
    /// Number of replays, which are dealt out before.
    first_piece: usize,
}

impl SweepRuns {
    /// Returns the runs of the sweep of a study, if it has the table `[packets]`.
    pub fn of(study: &Study) -> Option<Self> {
        let settings = &study.sweep.as_ref()?.settings;
        let columns = study.swept_columns();
        let names = columns.iter().flat_map(|&column| {
            settings.patterns.iter().map(move |pattern| Names {
                network: study.plan.columns[column].info.name.clone(),
                routing: settings.routing.clone().unwrap_or_else(|| OF_NETWORK.to_owned()),
                pattern: pattern.clone(),
            })
        });
        Some(Self { runs: settings.conditions.runs(), names: names.collect(), first_piece: study.cells() })
    }

    /// Returns the number of the piece of a run, after those of replays.
    pub fn piece(&self, id: &RunId) -> Option<usize> {
        Some(self.first_piece + self.runs.piece(self.names.len(), id)?)
    }
}

/// Identity of the sweep of a study.
#[derive(Debug, Clone)]
pub(super) struct SweepIdentity {
    /// Line before its first run.
    pub line: SweepLine,
    /// Its runs.
    pub sweep: SweepRuns,
}

impl SweepIdentity {
    /// Returns the identity of the sweep of a study, if it has the table `[packets]`. Reads the files of patterns.
    pub fn of(study: &Study) -> Option<Self> {
        let (plan, sweep) = (study.sweep.as_ref()?, SweepRuns::of(study)?);
        let settings = &plan.settings;
        let columns = study.swept_columns();
        let networks = columns.iter().map(|&column| study.plan.columns[column].info.name.clone()).collect();
        let packets = Outline::of(&settings.sweep(Vec::new(), None, None, &plan.folder), networks);
        let digest = |pattern: &String| {
            let path = plan.folder.join(traffic::file_of(pattern)?);
            // A file that cannot be read is reported when its pattern is built.
            Some(read_bytes(&path, MAX_FILE_BYTES).map_or_else(|error| error.to_string(), |bytes| of_bytes(&bytes)))
        };
        let files = settings.patterns.iter().filter_map(digest).collect();
        Some(Self { line: SweepLine { packets, files }, sweep })
    }
}

/// Keys by which lines are recognised.
#[derive(Default, Deserialize)]
struct LineKeys {
    packets: Option<IgnoredAny>,
    series: Option<IgnoredAny>,
}

/// Lines of packets of a file.
#[derive(Debug, Default)]
pub(super) struct PacketLines {
    /// Line of the settings, if there is one.
    pub begun: Option<usize>,
    /// Runs, with their lines.
    pub records: Vec<(RunId, PointRecord, usize)>,
}

impl PacketLines {
    /// Reads a line; `false` if it is none of packets.
    ///
    /// # Errors
    /// [`ResultsError`].
    pub fn read(
        &mut self,
        path: &Path,
        line: (usize, &[u8]),
        sweep: Option<&SweepIdentity>,
        shard: Shard,
    ) -> Result<bool, ResultsError> {
        let (number, text) = line;
        if text.starts_with(b"{\"cell\":") {
            return Ok(false);
        }
        let kind: LineKeys = serde_json::from_slice(text).unwrap_or_default();
        let is_settings = kind.packets.is_some();
        if !is_settings && kind.series.is_none() {
            return Ok(false);
        }
        let malformed = |message: &str| LedgerError::malformed(path, number, message);
        let foreign = |difference: String| ResultsError::OtherSweep { file: path.to_owned(), line: number, difference };
        if is_settings {
            let found: SweepLine = parsed(path, line, false, "the line has no settings of packets")?;
            let Some(sweep) = sweep else {
                return Err(foreign("the study has no table [packets] here".to_owned()));
            };
            if let Some(difference) = difference(&found, &sweep.line) {
                return Err(foreign(difference));
            }
            if self.begun.replace(number).is_some() {
                return Err(malformed("the settings of packets are there twice").into());
            }
            return Ok(true);
        }
        let record: PointRecord = parsed(path, line, false, "the line is no run of packets")?;
        let Some(SweepIdentity { sweep, .. }) = sweep.filter(|_| self.begun.is_some()) else {
            return Err(malformed("a run of packets without their settings before it").into());
        };
        let id = located(&record, &sweep.runs, &sweep.names, sweep.first_piece, shard);
        self.records.push((id.map_err(|flaw| malformed(&flaw))?, record, number));
        Ok(true)
    }
}

/// Returns the first difference between settings, in words.
fn difference(there: &SweepLine, here: &SweepLine) -> Option<String> {
    let of_files = || (there.files != here.files).then(|| "the files of its patterns have other content".to_owned());
    there.packets.difference(&here.packets).or_else(of_files)
}
