//! Totals of a recording, without converting it to a trace.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::layout::Op;
use super::stream::{CallRecord, NO_ROOM, Next, RecordStream};
use crate::trace::error::TraceError;
use crate::trace::options::Options;
use crate::trace::source::Source;

/// Totals of the recording of a program.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Summary {
    /// Number of ranks of the program.
    pub ranks: u32,
    /// The ranks that have a file.
    pub recorded: Vec<RecordedRank>,
    /// The MPI library, as it names itself.
    pub library: String,
    /// Hosts by name, with their processors and the ranks that they recorded.
    pub hosts: BTreeMap<String, RecordedHost>,
    /// Calls that are in the files by name only: total of all ranks, and the rank of the first. [`is_slept`] tells those
    /// that can be replayed.
    pub not_recorded: BTreeMap<String, (u64, u32)>,
    /// Errors of files that cannot be read completely or at all, each with the name of its file in the folder, and its place.
    pub damaged: Vec<String>,
}

/// Returns `true` for a call that is in the files by name only, but is replayed as a sleep of as long as it took.
pub fn is_slept(call: &str) -> bool {
    call.starts_with("MPI_File_")
}

/// Host of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecordedHost {
    /// Number of its processors.
    pub processors: u32,
    /// Number of ranks with a file that ran on it.
    pub ranks: u32,
}

/// Totals of the recording of a rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RecordedRank {
    /// Number of the rank.
    pub rank: u32,
    /// Number of calls in the file.
    pub calls: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// `true` if the file is complete.
    pub is_whole: bool,
    /// `true` if recording stopped: the disk was full, or a limit of the size of files was reached.
    pub had_no_room: bool,
    /// Number of calls that began while another thread was in one.
    pub overlapped: u64,
    /// Seconds from the first call to the last.
    pub seconds: f64,
}

/// Reads the files of a folder and computes their totals. A rank without a file, or with a damaged one, is left out.
///
/// # Errors
/// [`TraceError`] if the folder cannot be read.
pub fn summary(folder: &Path) -> Result<Summary, TraceError> {
    let mut summary = Summary::default();
    let mut ranks = 0;
    let mut files: Vec<_> = fs::read_dir(folder)
        .map_err(|error| TraceError::whole(folder, crate::trace::TraceErrorKind::Read(error)))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "mrec"))
        .collect();
    files.sort();
    for file in &files {
        match rank(file, &mut summary, &mut ranks) {
            Ok(recorded) => summary.recorded.push(recorded),
            // One file is no reason to drop all others.
            Err(error) => {
                // The folder may be renamed.
                let name = file.file_name().unwrap_or_default().into();
                summary.damaged.push(TraceError { file: name, ..error }.to_string());
            }
        }
    }
    summary.ranks = ranks;
    Ok(summary)
}

/// Computes the totals of the file of a rank.
fn rank(file: &Path, summary: &mut Summary, ranks: &mut u32) -> Result<RecordedRank, TraceError> {
    let budget = &mut Options::default().budget();
    let (mut stream, header) = RecordStream::open(Source::open(file)?, budget)?;
    *ranks = (*ranks).max(header.ranks);
    let bytes = fs::metadata(file).map_or(0, |data| data.len());
    let had_no_room = header.flags & NO_ROOM != 0;
    let mut recorded =
        RecordedRank { rank: header.rank, calls: 0, bytes, is_whole: false, had_no_room, overlapped: 0, seconds: 0.0 };
    let mut record = CallRecord::default();
    let (mut names, mut ticks) = (Vec::new(), 0u64);
    loop {
        match stream.next(&mut record)? {
            Next::Record => {
                ticks = ticks.saturating_add(record.gap).saturating_add(record.duration);
                recorded.calls += match record.op {
                    Op::Polls => record.numbers[1] as u64,
                    Op::Enter | Op::Leave => 0,
                    _ => 1,
                };
                if record.op == Op::Other {
                    if !record.text.is_empty() {
                        names.push(record.text.clone());
                    }
                    if let Some(name) = names.get(record.numbers[0] as usize) {
                        summary.not_recorded.entry(name.clone()).or_insert((0, header.rank)).0 += 1;
                    }
                }
            }
            Next::End { overlapped } => {
                (recorded.is_whole, recorded.overlapped) = (true, overlapped);
                break;
            }
            Next::Early(byte) => {
                recorded.bytes = byte;
                break;
            }
        }
    }
    recorded.seconds = ticks as f64 / header.ticks_per_second;
    summary.library = header.library;
    let host = summary.hosts.entry(header.host).or_default();
    (host.processors, host.ranks) = (header.processors, host.ranks + 1);
    Ok(recorded)
}
