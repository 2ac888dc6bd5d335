//! Reader of the compact form.

use std::path::Path;
use std::sync::Arc;

use super::layout::{
    COMMUNICATORS, COMPUTE_LONG, COMPUTE_SHORT, END, END_BODY, ENTRIES, ENTRY_16, ENTRY_32, FILE_HEAD, MAGIC, NOTES,
    ONE_BYTE, RANK, SECTION_HEAD, VERSION, error,
};
use super::{communicators, entry};
use crate::trace::actions::Store;
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::format::{Input, MOST_RANKS};
use crate::trace::source::{Budget, Source};
use crate::trace::tables::Tables;
use crate::trace::varint::Cursor;
use crate::trace::{Action, Actions, Trace, TraceWarning};

/// Bytes per read; a length in the file does not cause a larger allocation than the data.
const STEP: usize = 1 << 20;

/// The bytes of a file, with their positions.
struct PositionedBytes<'a, 'r> {
    source: Source<'r>,
    budget: &'a mut Budget,
    /// Number of bytes read so far.
    at: u64,
}

impl PositionedBytes<'_, '_> {
    fn file(&self) -> &Path {
        self.source.file()
    }

    /// Reads exactly `length` bytes, replacing the previous ones.
    fn take(&mut self, length: u64, buffer: &mut Vec<u8>, what: &str) -> Result<(), TraceError> {
        let mut filled = 0;
        while (filled as u64) < length {
            let step = (length - filled as u64).min(STEP as u64) as usize;
            if buffer.len() < filled + step {
                buffer.resize(filled + step, 0);
            }
            match self.source.read(&mut buffer[filled..filled + step], self.budget)? {
                0 => {
                    let end = self.at + filled as u64;
                    return Err(error(self.file(), end, format!("the file ends within {what}")));
                }
                read => filled += read,
            }
        }
        buffer.truncate(filled);
        self.at += length;
        Ok(())
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let mut bytes = PositionedBytes { source: input.source, budget: input.budget, at: 0 };
    let mut buffer = Vec::new();
    let ranks = file_head(&mut bytes, &mut buffer)?;
    let store = input.options.store();
    let mut trace = Trace { name: input.name.to_owned(), ..Trace::default() };
    let mut tables = Tables::default();
    let mut entries = Vec::new();
    let mut polls = false;
    loop {
        let start = bytes.at;
        bytes.take(SECTION_HEAD as u64, &mut buffer, "the head of a section")?;
        if crc32fast::hash(&buffer[..SECTION_HEAD - 4]) != u32_at(&buffer, SECTION_HEAD - 4) {
            return Err(error(bytes.file(), start, "the head of a section is not what was written (checksum)"));
        }
        let (kind, length, checksum) = (buffer[0], u64_at(&buffer, 4), u32_at(&buffer, 12));
        let what = match kind {
            NOTES => "the notes",
            COMMUNICATORS => "the communicators",
            RANK => "the actions of a rank",
            END if length == END_BODY as u64 => "the last section",
            END => return Err(error(bytes.file(), start, format!("the last section has {length} bytes"))),
            other => return Err(error(bytes.file(), start, format!("there is no section {other}"))),
        };
        let body = bytes.at;
        bytes.take(length, &mut buffer, what)?;
        if crc32fast::hash(&buffer) != checksum {
            let problem = format!("{what}, {length} bytes from here, are not what was written (checksum)");
            return Err(error(bytes.file(), body, problem));
        }
        let here = |broken: BrokenSection| error(bytes.file(), body + broken.at as u64, broken.problem);
        match kind {
            NOTES => trace.warnings.extend(notes(&buffer, bytes.file()).map_err(here)?),
            COMMUNICATORS => communicators::decode(&buffer, ranks, &mut tables.communicators)
                .map_err(|(at, problem)| here(BrokenSection { at, problem }))?,
            RANK => {
                polls |=
                    section(&buffer, ranks, &store, &mut trace.actions, &mut tables, &mut entries).map_err(here)?;
            }
            _ => {
                let (said_ranks, said_actions) = (u32_at(&buffer, 0), u64_at(&buffer, 4));
                let actions = trace.total_actions();
                if said_ranks as usize != ranks || said_actions != actions {
                    let problem = format!(
                        "{ranks} ranks and {actions} actions were read, {said_ranks} and {said_actions} were written"
                    );
                    return Err(error(bytes.file(), body, problem));
                }
                break;
            }
        }
    }
    if bytes.source.read(&mut [0], bytes.budget)? > 0 {
        return Err(error(bytes.file(), bytes.at, "something follows the last section"));
    }
    if trace.actions.is_empty() {
        return Err(TraceError::whole(bytes.file(), Kind::Empty));
    }
    trace.actions.resize_with(ranks, Actions::default);
    (trace.sendrecvs, trace.collectives, trace.counts) = (tables.sendrecvs, tables.collectives, tables.counts);
    trace.communicators = tables.communicators;
    trace.known_polls = polls.into();
    Ok(trace)
}

/// Checks the head of the file and returns the number of ranks.
fn file_head(bytes: &mut PositionedBytes<'_, '_>, buffer: &mut Vec<u8>) -> Result<usize, TraceError> {
    bytes.take(FILE_HEAD as u64, buffer, "its head")?;
    if buffer[..8] != MAGIC {
        let problem = "the first bytes were changed, as by a transfer as text";
        return Err(error(bytes.file(), 0, problem));
    }
    if crc32fast::hash(&buffer[..FILE_HEAD - 4]) != u32_at(buffer, FILE_HEAD - 4) {
        return Err(error(bytes.file(), 0, "the head of the file is not what was written (checksum)"));
    }
    let version = u16::from_le_bytes([buffer[8], buffer[9]]);
    if version != VERSION {
        return Err(error(bytes.file(), 8, format!("version {version} is not read, only version {VERSION}")));
    }
    match u32_at(buffer, 12) as usize {
        ranks @ 1..=MOST_RANKS => Ok(ranks),
        ranks => Err(error(bytes.file(), 12, format!("{ranks} ranks; a trace has 1 to {MOST_RANKS}"))),
    }
}

/// A broken rule, at a byte of the body of a section.
struct BrokenSection {
    at: usize,
    problem: String,
}

impl BrokenSection {
    fn new(at: usize, problem: impl Into<String>) -> Self {
        Self { at, problem: problem.into() }
    }
}

fn notes(body: &[u8], file: &Path) -> Result<Vec<TraceWarning>, BrokenSection> {
    let mut bytes = Cursor::new(body);
    let mut notes = Vec::new();
    let short = |at| BrokenSection::new(at, "a note is cut off, or no text");
    for _ in 0..bytes.number().ok_or_else(|| short(0))? {
        let at = bytes.at();
        let mut text = || {
            let length = usize::try_from(bytes.number()?).ok()?;
            let note = bytes.rest().get(..length)?;
            bytes.skip(length);
            String::from_utf8(note.to_vec()).ok()
        };
        let text = text().ok_or_else(|| short(at))?;
        notes.push(TraceWarning::Noted { file: file.into(), text });
    }
    Ok(notes)
}

/// Reads some actions of a rank; returns whether one of them polls.
fn section(
    body: &[u8],
    ranks: usize,
    store: &Arc<Store>,
    all: &mut Vec<Actions>,
    tables: &mut Tables,
    entries: &mut Vec<Action>,
) -> Result<bool, BrokenSection> {
    let mut bytes = Cursor::new(body);
    let mut head = || Some((bytes.number()?, bytes.number()?, bytes.number()?));
    let (rank, actions, number) = head().ok_or_else(|| BrokenSection::new(0, "the head of a rank is cut off"))?;
    // Sections of one rank are consecutive, and ranks ascend; a rank may be missing.
    if rank >= ranks as u64 || rank + 1 < all.len() as u64 {
        return Err(BrokenSection::new(
            0,
            format!("rank {rank} is out of order, after {} of {ranks} ranks", all.len()),
        ));
    }
    let rank = rank as usize;
    entries.clear();
    for _ in 0..number {
        let at = bytes.at();
        let action = entry::decode(&mut bytes, rank as u32, ranks, tables).map_err(|p| BrokenSection::new(at, p))?;
        entries.push(action);
    }
    if actions > bytes.rest().len() as u64 {
        let problem = format!("{actions} actions are announced, more than bytes follow");
        return Err(BrokenSection::new(bytes.at(), problem));
    }
    all.resize_with(rank + 1, || Actions::in_store(store));
    let read = all[rank]
        .append(actions as usize, |stream| decode(bytes.rest(), entries, stream))
        .map_err(|broken| BrokenSection { at: broken.at + bytes.at(), ..broken })? as u64;
    if read != actions {
        return Err(BrokenSection::new(body.len(), format!("{read} actions are there, {actions} are announced")));
    }
    Ok(entries.iter().any(Action::polls))
}

/// Decodes codes into actions. This loop takes most of the time: a copy of 16 bytes for most bytes.
fn decode(codes: &[u8], entries: &[Action], stream: &mut Vec<Action>) -> Result<(), BrokenSection> {
    let frequent = &entries[..entries.len().min(ONE_BYTE)];
    let mut rest = codes;
    while let [code, tail @ ..] = rest {
        // Codes below that of the first entry wrap around to an index without an entry.
        if let Some(&action) = frequent.get(usize::from(code.wrapping_sub(ENTRIES))) {
            stream.push(action);
            rest = tail;
            continue;
        }
        if *code == COMPUTE_SHORT
            && let Some((bytes, tail)) = tail.split_first_chunk()
        {
            stream.push(Action::Compute { flops: f64::from(u32::from_le_bytes(*bytes)) });
            rest = tail;
            continue;
        }
        let Some((action, tail)) = rare(*code, tail, entries) else {
            return Err(BrokenSection::new(codes.len() - rest.len(), format!("code {code} has no meaning here")));
        };
        stream.push(action);
        rest = tail;
    }
    Ok(())
}

/// Reads an action of more than one byte.
#[inline(never)]
fn rare<'a>(code: u8, tail: &'a [u8], entries: &[Action]) -> Option<(Action, &'a [u8])> {
    match code {
        COMPUTE_LONG => {
            let (bytes, tail) = tail.split_first_chunk()?;
            let flops = f64::from_le_bytes(*bytes);
            (flops.is_finite() && flops >= 0.0).then_some((Action::Compute { flops }, tail))
        }
        ENTRY_16 => {
            let (bytes, tail) = tail.split_first_chunk()?;
            Some((*entries.get(usize::from(u16::from_le_bytes(*bytes)))?, tail))
        }
        ENTRY_32 => {
            let (bytes, tail) = tail.split_first_chunk()?;
            Some((*entries.get(u32::from_le_bytes(*bytes) as usize)?, tail))
        }
        _ => None,
    }
}
