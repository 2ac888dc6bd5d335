//! Results files: ledgers of which the first line identifies the study and the shard, and each other one is a completed
//! cell.
//!
//! The values of a record are checked against the ranges that a replay can produce (`ranges`), since reports rely on
//! them. Files of `mopsim.results/1` had no checksums; they can be read and continued, and appended lines have checksums.

use super::digest::Fingerprint;
use super::packet_results::{PacketLines, SweepIdentity, SweepLine, SweepRuns};
use super::plan::{CellPosition, Plan};
use super::ranges;
use super::record::CellRecord;
pub use super::results_error::ResultsError;
use crate::excerpt::excerpt;
use crate::ledger::{self, LedgerError, LedgerFile, Lines, Shard, checked_line, parsed, unfinished};
use crate::packets::points::{PointRecord, Points};
use crate::packets::results;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Name and version of the format.
const SCHEMA: &str = "mopsim.results/2";

/// Name and version of the format without checksums.
const UNCHECKED: &str = "mopsim.results/1";

/// First line of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyHeader {
    schema: String,
    title: String,
    /// SHA-256 of all parts of the study.
    study: String,
    parts: Fingerprint,
    /// Number of cells of the whole study.
    cells: usize,
    shard: Shard,
}

/// Identity of a study for results files.
#[derive(Debug, Clone)]
pub struct Identity<'a> {
    plan: &'a Plan,
    places: &'a [CellPosition],
    fingerprint: Fingerprint,
    sweep: Option<SweepIdentity>,
}

/// Records of a study.
#[derive(Debug, Default)]
pub struct Kept {
    /// Replays.
    pub records: Vec<CellRecord>,
    /// Runs of packets.
    pub points: Points,
}

/// Records of a study from several files.
#[derive(Debug)]
pub struct Merged {
    /// Replays, in the order of the study.
    pub records: Vec<CellRecord>,
    /// Runs of packets.
    pub points: Points,
    /// Files.
    pub files: Vec<PathBuf>,
    /// Shard of each file.
    pub shards: Vec<Shard>,
}

/// Contents of a file.
struct Contents {
    shard: Shard,
    records: Vec<CellRecord>,
    packets: PacketLines,
    /// Length in bytes up to the end of the last complete line.
    length: usize,
}

impl<'a> Identity<'a> {
    /// Creates the identity of a study, with the place of each of its cells.
    pub(super) fn new(
        plan: &'a Plan,
        places: &'a [CellPosition],
        fingerprint: Fingerprint,
        sweep: Option<SweepIdentity>,
    ) -> Self {
        Self { plan, places, fingerprint, sweep }
    }

    fn header(&self, shard: Shard) -> String {
        let header = StudyHeader {
            schema: SCHEMA.to_owned(),
            title: self.plan.title.clone(),
            study: self.fingerprint.digest(),
            parts: self.fingerprint.clone(),
            cells: self.places.len(),
            shard,
        };
        checked_line::write(&header)
    }

    fn words(&self, cell: usize) -> String {
        let name = self.plan.name(cell, self.places[cell]);
        let seed = name.seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
        let sample = if name.sample > 0 { format!(", perturbation {}", name.sample) } else { String::new() };
        format!("cell {cell} ({} on {}{seed}{sample})", name.workload, name.network)
    }

    /// Reads the lines of a file.
    fn read(&self, path: &Path, lines: Lines<'_>) -> Result<Contents, ResultsError> {
        let malformed = |line, message: String| LedgerError::malformed(path, line, message);
        let length = lines.length();
        let mut lines = lines.numbered();
        let first_line = lines.next().unwrap_or((1, b""));
        let first: StudyHeader = parsed(path, first_line, true, "the first line is not the header of a results file")?;
        let is_checked = match first.schema.as_str() {
            SCHEMA => true,
            UNCHECKED => false,
            other => {
                return Err(malformed(1, format!("schema `{}`, where `{SCHEMA}` should be", excerpt(other))).into());
            }
        };
        parsed::<StudyHeader>(path, first_line, !is_checked, "the first line is not a header of this version")?;
        if first.study != self.fingerprint.digest() || first.parts != self.fingerprint {
            let differences = self.fingerprint.differences(&first.parts);
            return Err(ResultsError::Foreign { file: path.to_owned(), title: first.title, differences });
        }
        if first.cells != self.places.len() {
            let message = format!("`cells` is {}, and the study has {}", first.cells, self.places.len());
            return Err(malformed(1, message).into());
        }
        let mut line_of_cell = vec![0; self.places.len()];
        let (mut records, mut packets) = (Vec::new(), PacketLines::default());
        for (line, text) in lines {
            if packets.read(path, (line, text), self.sweep.as_ref(), first.shard)? {
                continue;
            }
            let record: CellRecord = parsed(path, (line, text), !is_checked, "the line is no cell")?;
            let cell = record.cell;
            if cell >= self.places.len() || !record.is(&self.plan.name(cell, self.places[cell])) {
                return Err(malformed(line, format!("the study has no such cell {cell}")).into());
            }
            if !first.shard.has(cell) {
                return Err(malformed(line, format!("{} is not of shard {}", self.words(cell), first.shard)).into());
            }
            if line_of_cell[cell] > 0 {
                let message = format!("{} is in line {} as well", self.words(cell), line_of_cell[cell]);
                return Err(malformed(line, message).into());
            }
            if let Some(flaw) = ranges::flaw(&record, &self.plan.replayed(self.places[cell])) {
                return Err(malformed(line, format!("{}: {flaw}", self.words(cell))).into());
            }
            line_of_cell[cell] = line;
            records.push(record);
        }
        Ok(Contents { shard: first.shard, records, packets, length })
    }

    /// Merges the records of several files, in the order of the study.
    ///
    /// # Errors
    /// [`ResultsError`]; also if cells are missing or duplicate.
    pub fn merge(&self, files: &[PathBuf]) -> Result<Merged, ResultsError> {
        let mut points = Points::default();
        let mut found: Vec<Option<(usize, CellRecord)>> = vec![None; self.places.len()];
        let mut shards = Vec::new();
        for (index, path) in files.iter().enumerate() {
            let bytes = ledger::read(path)?;
            let Contents { shard, mut records, mut packets, .. } = self.read(path, Lines::of(path, &bytes)?)?;
            // Threads finish in any order, but messages about the file should not depend on it.
            records.sort_by_key(|record| record.cell);
            shards.push(shard);
            packets.records.sort_by_key(|(id, ..)| *id);
            self.collect(&mut points, packets, &files[..=index], &shards)?;
            for record in records {
                let cell = record.cell;
                if let Some((earlier, _)) = found[cell] {
                    let overlap = LedgerError::Overlap {
                        first: files[earlier].clone(),
                        first_shard: shards[earlier],
                        second: path.clone(),
                        second_shard: shard,
                        item: self.words(cell),
                    };
                    return Err(overlap.into());
                }
                found[cell] = Some((index, record));
            }
        }
        let missing: Vec<usize> = (0..found.len()).filter(|&cell| found[cell].is_none()).collect();
        if let Some(&first) = missing.first() {
            return Err(ResultsError::Missing {
                missing: missing.len(),
                cells: found.len(),
                whose: unfinished(&missing, files, &shards),
                first: self.words(first),
            });
        }
        let records = found.into_iter().flatten().map(|(_, record)| record).collect();
        Ok(Merged { records, points, files: files.to_vec(), shards })
    }

    /// Adds the runs of packets of the last of some files.
    fn collect(
        &self,
        points: &mut Points,
        packets: PacketLines,
        files: &[PathBuf],
        shards: &[Shard],
    ) -> Result<(), LedgerError> {
        let Some(sweep) = &self.sweep else { return Ok(()) };
        let SweepRuns { runs, names, .. } = &sweep.sweep;
        results::collect(points, (runs, names), packets.records, files, shards)
    }
}

/// A results file that is open for writing.
#[derive(Debug)]
pub struct ResultsFile {
    file: LedgerFile,
    /// Line to write before the first run of packets.
    before_packets: Mutex<Option<SweepLine>>,
}

impl ResultsFile {
    /// Opens a file for a shard, and returns its existing records. With `resume` there may be records; otherwise the
    /// file must be new or empty.
    ///
    /// # Errors
    /// [`ResultsError`].
    pub fn open(
        path: &Path,
        identity: &Identity<'_>,
        shard: Shard,
        resume: bool,
    ) -> Result<(Self, Kept), ResultsError> {
        let (file, bytes) = LedgerFile::open(path, resume)?;
        let header = identity.header(shard);
        let mut kept = Kept::default();
        let mut before_packets = identity.sweep.as_ref().map(|sweep| sweep.line.clone());
        match Lines::continued(path, &bytes, &header)? {
            Some(lines) => {
                let Contents { shard: there, records, packets, length } = identity.read(path, lines)?;
                if there != shard {
                    return Err(LedgerError::OtherShard { file: path.to_owned(), there, here: shard }.into());
                }
                kept.records = records;
                before_packets = before_packets.filter(|_| packets.begun.is_none());
                identity.collect(&mut kept.points, packets, &[path.to_owned()], &[shard])?;
                if length < bytes.len() {
                    file.cut(length)?;
                }
            }
            None => file.begin(&header)?,
        }
        Ok((Self { file, before_packets: Mutex::new(before_packets) }, kept))
    }

    /// Appends a record, which is on the disk when this returns.
    ///
    /// # Errors
    /// [`ResultsError`] if it cannot be written; nothing can be appended after that.
    pub fn append(&self, record: &CellRecord) -> Result<(), ResultsError> {
        Ok(self.file.append(record)?)
    }

    /// Appends a run of packets, which is on the disk when this returns.
    ///
    /// # Errors
    /// [`LedgerError::Io`] if it cannot be written; nothing can be appended after that.
    pub fn append_run(&self, record: &PointRecord) -> Result<(), LedgerError> {
        let mut before = self.before_packets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = before.take() {
            self.file.append(&settings)?;
        }
        drop(before);
        self.file.append(record)
    }
}
