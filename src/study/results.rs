//! Results files: JSON lines, of which the first identifies the study and the shard, and each other one is a completed
//! cell.
//!
//! A line is written by one call to a file opened for appending, and is on the disk (`fdatasync`) before the next cell
//! is reported as completed. A process that is killed at any moment thus leaves complete lines and at most the
//! beginning of one more, which has no line end. Such a torn line is therefore recognised, dropped, and cut off before
//! anything is appended. Any other irregularity was not written by this program, and is an error with its line. The
//! alternative, a new file and a rename for each cell, would be atomic as well, but rewrite the whole file for each of
//! its lines.
//!
//! Each line ends with a checksum of its own (`checked_line`), and the values of a record are checked against the
//! ranges that a replay can produce (`ranges`), since reports rely on them. Files of `mopsim.results/1` had no
//! checksums; they can be read and continued, and appended lines have checksums.
//!
//! The file is locked while it is written: two processes with one results file would do all work twice.

use super::checked_line::{self, Line};
use super::digest::Fingerprint;
use super::plan::{Place, Plan};
use super::ranges;
use super::record::CellRecord;
use super::shard::Shard;
use crate::topology::input::open;
use crate::user_error::UserError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Name and version of the format.
const SCHEMA: &str = "mopsim.results/2";

/// Name and version of the format without checksums.
const UNCHECKED: &str = "mopsim.results/1";

/// First line of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    schema: String,
    title: String,
    /// SHA-256 of all parts of the study.
    study: String,
    parts: Fingerprint,
    /// Number of cells of the whole study.
    cells: usize,
    shard: Shard,
}

/// Reason why a results file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// Reading or writing failed.
    #[error("{}: {error}", .file.display())]
    Io {
        /// Path of the file.
        file: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// A line is invalid.
    #[error("{}:{line}: {message}", .file.display())]
    Malformed {
        /// Path of the file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Description of the error.
        message: String,
    },
    /// The file already has results.
    #[error("{} is there already", .file.display())]
    Exists {
        /// Path of the file.
        file: PathBuf,
    },
    /// Another process writes the file.
    #[error("{} is being written by another process", .file.display())]
    Locked {
        /// Path of the file.
        file: PathBuf,
    },
    /// The results are those of another study.
    #[error("{} holds results of another study (`{title}`): not the same are {differences}", .file.display())]
    Foreign {
        /// Path of the file.
        file: PathBuf,
        /// Title of that study.
        title: String,
        /// Differences, in words.
        differences: String,
    },
    /// The results are those of another shard.
    #[error("{} holds shard {there}, not shard {here}", .file.display())]
    OtherShard {
        /// Path of the file.
        file: PathBuf,
        /// Shard of the file.
        there: Shard,
        /// Requested shard.
        here: Shard,
    },
    /// Two files have the same cell.
    #[error("{} (shard {second_shard}) and {} (shard {first_shard}) overlap: both hold {cell}", .second.display(), .first.display())]
    Overlap {
        /// Path of the first file.
        first: PathBuf,
        /// Shard of the first file.
        first_shard: Shard,
        /// Path of the second file.
        second: PathBuf,
        /// Shard of the second file.
        second_shard: Shard,
        /// Description of the cell.
        cell: String,
    },
    /// Cells are missing.
    #[error("{missing} of {cells} cells are missing: {whose}; the first is {first}")]
    Missing {
        /// Number of missing cells.
        missing: usize,
        /// Number of all cells.
        cells: usize,
        /// Shards to which the missing cells belong.
        whose: String,
        /// Description of the first missing cell.
        first: String,
    },
}

impl UserError for ResultsError {
    fn help(&self) -> String {
        let help = match self {
            Self::Io { .. } => "check the path, its permissions and the disk",
            Self::Malformed { .. } => {
                "the file was changed or damaged, or is no results file: give one of this study, or remove the line (if it is the first, the file), and --resume replays what is missing"
            }
            Self::Exists { .. } => "continue it with --resume, or give another --results FILE",
            Self::Locked { .. } => "wait for that process, or give another --results FILE",
            Self::Foreign { .. } => "use the study and the flags of that file, or give another file",
            Self::OtherShard { .. } => "give each shard a results file of its own",
            Self::Overlap { .. } => "give each shard once, all of the same number of shards",
            Self::Missing { .. } => {
                "give the files of all shards; finish one with `mopsim compare STUDY --shard K/N --results FILE --resume`"
            }
        };
        help.to_owned()
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}

/// Identity of a study for results files.
#[derive(Debug, Clone)]
pub struct Identity<'a> {
    plan: &'a Plan,
    places: &'a [Place],
    fingerprint: Fingerprint,
}

/// Contents of a file.
struct Contents {
    shard: Shard,
    records: Vec<CellRecord>,
    /// Length in bytes up to the end of the last complete line.
    length: usize,
}

impl<'a> Identity<'a> {
    /// Creates the identity of a study, with the place of each of its cells.
    pub(super) fn new(plan: &'a Plan, places: &'a [Place], fingerprint: Fingerprint) -> Self {
        Self { plan, places, fingerprint }
    }

    fn header(&self, shard: Shard) -> String {
        let header = Header {
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

    /// Reads a file; `None` if it is empty, or contains only the beginning of `header`.
    fn read(&self, path: &Path, bytes: &[u8], header: Option<&str>) -> Result<Option<Contents>, ResultsError> {
        let malformed = |line, message| ResultsError::Malformed { file: path.to_owned(), line, message };
        let length = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        if length == 0 {
            return match header {
                Some(header) if header.as_bytes().starts_with(bytes) => Ok(None),
                _ => Err(malformed(1, "there is no first line that says which study this is".to_owned())),
            };
        }
        // A newline ends each line; text after the last newline is a torn line.
        let mut lines = bytes[..length - 1].split(|&byte| byte == b'\n');
        let text = lines.next().unwrap_or_default();
        let first: Header =
            parsed(text, true).map_err(|flaw| malformed(1, flaw.describe("no first line of a results file")))?;
        let is_checked = match first.schema.as_str() {
            SCHEMA => true,
            UNCHECKED => false,
            other => return Err(malformed(1, format!("schema `{other}`, where `{SCHEMA}` should be"))),
        };
        parsed::<Header>(text, !is_checked).map_err(|flaw| malformed(1, flaw.describe("no first line")))?;
        if first.study != self.fingerprint.digest() || first.parts != self.fingerprint {
            let differences = self.fingerprint.differences(&first.parts);
            return Err(ResultsError::Foreign { file: path.to_owned(), title: first.title, differences });
        }
        let mut line_of_cell = vec![0; self.places.len()];
        let mut records = Vec::new();
        for (line, text) in lines.enumerate().map(|(index, text)| (index + 2, text)) {
            let record: CellRecord =
                parsed(text, !is_checked).map_err(|flaw| malformed(line, flaw.describe("no cell")))?;
            let cell = record.cell;
            if cell >= self.places.len() || !record.is(&self.plan.name(cell, self.places[cell])) {
                return Err(malformed(line, format!("the study has no such cell {cell}")));
            }
            if !first.shard.has(cell) {
                return Err(malformed(line, format!("{} is not of shard {}", self.words(cell), first.shard)));
            }
            if line_of_cell[cell] > 0 {
                let message = format!("{} stands in line {}, too", self.words(cell), line_of_cell[cell]);
                return Err(malformed(line, message));
            }
            if let Some(flaw) = ranges::flaw(&record, &self.plan.replayed(self.places[cell])) {
                return Err(malformed(line, format!("{}: {flaw}", self.words(cell))));
            }
            line_of_cell[cell] = line;
            records.push(record);
        }
        Ok(Some(Contents { shard: first.shard, records, length }))
    }

    /// Merges the records of several files, in the order of the study.
    ///
    /// # Errors
    /// [`ResultsError`]; also if cells are missing or duplicate.
    pub fn merge(&self, files: &[PathBuf]) -> Result<Vec<CellRecord>, ResultsError> {
        let mut found: Vec<Option<(usize, CellRecord)>> = vec![None; self.places.len()];
        let mut shards = Vec::new();
        for (index, path) in files.iter().enumerate() {
            let bytes = read(path).map_err(|error| ResultsError::Io { file: path.clone(), error })?;
            let contents = self.read(path, &bytes, None)?;
            let (shard, mut records) = contents.map_or((Shard::WHOLE, Vec::new()), |c| (c.shard, c.records));
            // Threads finish in any order, but messages about the file should not depend on it.
            records.sort_by_key(|record| record.cell);
            shards.push(shard);
            for record in records {
                let cell = record.cell;
                if let Some((earlier, _)) = found[cell] {
                    return Err(ResultsError::Overlap {
                        first: files[earlier].clone(),
                        first_shard: shards[earlier],
                        second: path.clone(),
                        second_shard: shard,
                        cell: self.words(cell),
                    });
                }
                found[cell] = Some((index, record));
            }
        }
        let missing: Vec<usize> = (0..found.len()).filter(|&cell| found[cell].is_none()).collect();
        if let Some(&first) = missing.first() {
            return Err(ResultsError::Missing {
                missing: missing.len(),
                cells: found.len(),
                whose: whose(&missing, files, &shards),
                first: self.words(first),
            });
        }
        Ok(found.into_iter().flatten().map(|(_, record)| record).collect())
    }
}

/// Returns the shards with missing cells: their files, or their numbers if there is no file.
fn whose(missing: &[usize], files: &[PathBuf], shards: &[Shard]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: String| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    let counts: Vec<usize> = shards.iter().map(|shard| shard.count()).collect();
    for &cell in missing {
        match shards.iter().position(|shard| shard.has(cell)) {
            Some(index) => add(format!("{} (shard {}) is not finished", files[index].display(), shards[index])),
            None if counts.windows(2).all(|pair| pair[0] == pair[1]) => {
                let count = counts.first().copied().unwrap_or(1);
                add(format!("there is no file of shard {}/{count}", cell % count + 1));
            }
            None => add("the files are of different numbers of shards".to_owned()),
        }
    }
    names.join("; ")
}

/// Reason why a line cannot be used.
enum Flaw {
    Damaged,
    NoChecksum,
    Content(serde_json::Error),
}

impl Flaw {
    /// Describes the reason, with `what` for a line of the wrong content.
    fn describe(&self, what: &str) -> String {
        match self {
            Self::Damaged => "the line was changed: its checksum is that of another one".to_owned(),
            Self::NoChecksum => "the line has no checksum at its end".to_owned(),
            Self::Content(error) => format!("{what}: {error}"),
        }
    }
}

/// Parses a line without its end; a line without a checksum is valid only if `unchecked`.
fn parsed<T: DeserializeOwned>(line: &[u8], unchecked: bool) -> Result<T, Flaw> {
    let content = match checked_line::read(line) {
        Line::Checked(content) => return serde_json::from_slice(&content).map_err(Flaw::Content),
        Line::Damaged => return Err(Flaw::Damaged),
        Line::Unchecked => serde_json::from_slice(line).map_err(Flaw::Content)?,
    };
    if unchecked { Ok(content) } else { Err(Flaw::NoChecksum) }
}

/// A results file that is open for writing.
#[derive(Debug)]
pub struct ResultsFile {
    path: PathBuf,
    /// `None` after a failed write, whose remainder must stay the last line.
    file: Mutex<Option<File>>,
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
    ) -> Result<(Self, Vec<CellRecord>), ResultsError> {
        let failed = |error| ResultsError::Io { file: path.to_owned(), error };
        // Opening a pipe would block, and devices have no end.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "this is a device or a pipe, not a file")));
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(ResultsError::Locked { file: path.to_owned() }),
            // File systems without locks are used without a lock.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| read_to(&mut file, &mut bytes)).map_err(failed)?;
        if !bytes.is_empty() && !resume {
            return Err(ResultsError::Exists { file: path.to_owned() });
        }
        let header = identity.header(shard);
        let records = match identity.read(path, &bytes, Some(&header))? {
            Some(contents) => {
                if contents.shard != shard {
                    let there = contents.shard;
                    return Err(ResultsError::OtherShard { file: path.to_owned(), there, here: shard });
                }
                if contents.length < bytes.len() {
                    file.set_len(contents.length as u64).and_then(|()| file.sync_all()).map_err(failed)?;
                }
                contents.records
            }
            None => {
                file.set_len(0).and_then(|()| file.write_all(header.as_bytes())).map_err(failed)?;
                file.sync_all().and_then(|()| sync_folder(path)).map_err(failed)?;
                Vec::new()
            }
        };
        Ok((Self { path: path.to_owned(), file: Mutex::new(Some(file)) }, records))
    }

    /// Appends a record, which is on the disk when this returns.
    ///
    /// # Errors
    /// [`ResultsError`] if it cannot be written; nothing can be appended after that.
    pub fn append(&self, record: &CellRecord) -> Result<(), ResultsError> {
        let failed = |error| ResultsError::Io { file: self.path.clone(), error };
        let mut guard = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(file) = guard.as_mut() else {
            return Err(failed(io::Error::other("an earlier write failed")));
        };
        let written = file.write_all(checked_line::write(record).as_bytes()).and_then(|()| file.sync_data());
        if written.is_err() {
            *guard = None;
        }
        written.map_err(failed)
    }
}

/// Largest results file in bytes, enough for several million cells.
const LONGEST: u64 = 1 << 32;

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_to(&mut open(path)?, &mut bytes)?;
    Ok(bytes)
}

/// Reads a file to its end, up to the length of the largest results file.
fn read_to(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = file.take(LONGEST + 1).read_to_end(bytes)?;
    if read as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {LONGEST} bytes are no results")));
    }
    Ok(())
}

/// Makes the name of a new file as durable as its content.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Not every system supports this for folders.
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) => Ok(()),
        result => result,
    }
}
