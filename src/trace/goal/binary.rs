//! The binary form of GOAL: a table of positions, then for each rank its operations and their dependents.
//!
//! Little-endian, like the computers that write it. All positions count from byte 8, after the magic. A rank has the
//! number of its operations and of those without requirements, the latter's indices, the operations in 39 bytes each,
//! and a list of indices in which each operation has a range of those that wait for its end and one of those that wait
//! for its start.

use std::path::Path;

use super::graph::{GraphOperation, MOST, NO_WILDCARDS};
use super::paged::Paged;
use super::schedule::{Schedule, trace};
use crate::trace::Trace;
use crate::trace::calls::{FilePosition, located};
use crate::trace::error::{TraceError, TraceErrorKind};
use crate::trace::format::{Input, MOST_RANKS};
use crate::trace::schedule::OperationKind;

/// First bytes of a file: the number 4223.
pub(super) const MAGIC: [u8; 8] = 4223u64.to_le_bytes();

/// Bytes of an operation.
pub(super) const OPERATION: u64 = 39;

/// Bytes of an operation of LogGOPSim2, whose files begin with the same magic: of its program (src/simulator/Parser.hpp),
/// and of its tests (tests/testsim).
const OPERATIONS_2: [u64; 2] = [104, 56];

/// Remedy for files of LogGOPSim2.
const FROM_TEXT: &str = "if the text has only send, recv and calc, give the text, or make the file again with txt2bin of LogGOPSim; \
                         write one-sided operations as these three";

/// The file, whose positions are not in order.
struct PagedBytes<'a> {
    bytes: Paged,
    file: &'a Path,
}

impl PagedBytes<'_> {
    fn error(&self, at: u64, problem: impl Into<String>) -> TraceError {
        self.error_with(at, problem, "the file is cut off or damaged; make it again with txt2bin")
    }

    fn error_with(&self, at: u64, problem: impl Into<String>, help: &'static str) -> TraceError {
        located(self.file, FilePosition::Byte(at), TraceErrorKind::format(super::BINARY_NAME, problem, help))
    }

    fn take<const N: usize>(&mut self, at: u64) -> Result<[u8; N], TraceError> {
        let length = self.bytes.len();
        match at.checked_add(N as u64) {
            Some(end) if end <= length => Ok(self.bytes.get(at)),
            _ => Err(self.error(length.min(at), "the file ends here, and more is announced")),
        }
    }

    fn u32(&mut self, at: u64) -> Result<u32, TraceError> {
        self.take(at).map(u32::from_le_bytes)
    }

    /// Reads a position from the file.
    fn place(&mut self, at: u64) -> Result<u64, TraceError> {
        let length = self.bytes.len();
        let place = u64::from_le_bytes(self.take(at)?).checked_add(8);
        place
            .filter(|&place| place <= length)
            .ok_or_else(|| self.error(length, "a rank begins or ends beyond the end of the file"))
    }
}

pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { mut source, budget, name, options, .. } = input;
    let file = source.file().to_path_buf();
    let mut bytes = PagedBytes { bytes: Paged::new(options.actions_in_memory.saturating_mul(8)), file: &file };
    let mut piece = vec![0; 1 << 18];
    loop {
        match source.read(&mut piece, budget)? {
            0 => break,
            length => bytes.bytes.extend(&piece[..length]),
        }
    }
    drop(source);
    let ranks = bytes.u32(8)? as usize;
    if !(1..=MOST_RANKS).contains(&ranks) {
        return Err(bytes.error(8, format!("{ranks} ranks; a trace has 1 to {MOST_RANKS}")));
    }
    // Two bytes with the largest numbers of cores and cards, then the positions of the ranks.
    let table = 14;
    let length = bytes.bytes.len();
    if length < table + 16 * ranks as u64 {
        return Err(bytes.error(length, "the file ends within the places of the ranks"));
    }
    if of_version_2(&mut bytes, table, ranks)? {
        let problem = "this is the binary form of LogGOPSim2, another version, which is not read: its operations include one-sided \
                       ones (put, tput, append, test)";
        return Err(bytes.error_with(0, problem, FROM_TEXT));
    }
    let mut schedule = Schedule::new(options, FilePosition::Byte);
    schedule.set_ranks(ranks);
    let mut told = 0;
    for rank in 0..ranks {
        let entry = table + 16 * rank as u64;
        let (start, end) = (bytes.place(entry)?, bytes.place(entry + 8)?);
        // A forged file could use the same bytes for all ranks, and be many times as large.
        told += end.saturating_sub(start);
        if told > length {
            return Err(bytes.error(entry, "the ranks have more bytes than the file"));
        }
        graph(&mut bytes, start, end, &mut schedule)?;
        schedule.close(rank);
    }
    trace(schedule, name, &file, options)
}

/// Returns `true` if operations have the size of those of LogGOPSim2. The file does not contain this information: but
/// with the size of LogGOPSim, the list of a rank would end in the middle of a number, or before its start.
fn of_version_2(bytes: &mut PagedBytes<'_>, table: u64, ranks: usize) -> Result<bool, TraceError> {
    for rank in 0..ranks as u64 {
        let (start, end) = (bytes.place(table + 16 * rank)?, bytes.place(table + 16 * rank + 8)?);
        let (operations, free) = (bytes.u32(start)?, bytes.u32(start + 4)?);
        if operations == 0 {
            continue;
        }
        let body = |size: u64| end.checked_sub(start + 8 + 4 * u64::from(free) + size * u64::from(operations));
        // The numbers of dependents of an operation are at the same position in both.
        let first = start + 8 + 4 * u64::from(free);
        let edges = |size: u64, bytes: &mut PagedBytes<'_>| {
            (0..u64::from(operations)).try_fold(0_u64, |sum, index| {
                let at = first + size * index;
                let [later, on_start] = [bytes.u32(at + 23).ok()?, bytes.u32(at + 31).ok()?].map(u64::from);
                sum.checked_add(later + on_start)
            })
        };
        let fits = |size: u64, bytes: &mut PagedBytes<'_>| {
            body(size).is_some_and(|left| edges(size, bytes).and_then(|edges| edges.checked_mul(4)) == Some(left))
        };
        return Ok(!fits(OPERATION, bytes) && OPERATIONS_2.into_iter().any(|size| fits(size, bytes)));
    }
    Ok(false)
}

/// Reads the operations and edges of a rank at a position.
fn graph(bytes: &mut PagedBytes<'_>, start: u64, end: u64, schedule: &mut Schedule) -> Result<(), TraceError> {
    let ranks = schedule.ranks();
    let (operations, free) = (bytes.u32(start)?, bytes.u32(start + 4)?);
    let first = start + 8 + 4 * u64::from(free);
    let list = first + OPERATION * u64::from(operations);
    if free > operations || list > end || u64::from(operations) > MOST {
        return Err(bytes.error(start, format!("{operations} operations do not fit between bytes {start} and {end}")));
    }
    for index in 0..operations {
        let at = first + OPERATION * u64::from(index);
        let kind = match bytes.take::<1>(at + 4)?[0] {
            1 => OperationKind::Send,
            2 => OperationKind::Receive,
            3 => OperationKind::Calculate,
            other => return Err(bytes.error(at + 4, format!("there is no operation {other}"))),
        };
        let (peer, size, tag) = (bytes.u32(at + 5)?, bytes.take(at + 9)?, bytes.u32(at + 17)?);
        if kind != OperationKind::Calculate && (peer as usize >= ranks || tag == u32::MAX) {
            let any = match (peer, tag) {
                (u32::MAX, _) => Some((at + 5, "a receive from any source cannot be replayed")),
                (_, u32::MAX) => Some((at + 17, "a receive of any tag cannot be replayed")),
                _ => None,
            };
            return Err(match any {
                Some((at, problem)) => bytes.error_with(at, problem, NO_WILDCARDS),
                None => bytes.error(at + 5, format!("there is no rank {peer} of {ranks}")),
            });
        }
        // A computation has none; the field is ignored.
        let (peer, tag) = if kind == OperationKind::Calculate { (0, 0) } else { (peer, tag) };
        let [cpu, nic] = bytes.take(at + 21)?;
        schedule.push(&GraphOperation { kind, cpu, nic, peer, tag, size: u64::from_le_bytes(size), at });
        for (offset, on_start) in [(23, false), (31, true)] {
            let (number, from) = (bytes.u32(at + offset)?, bytes.u32(at + offset + 4)?);
            if list + 4 * (u64::from(from) + u64::from(number)) > end {
                return Err(bytes.error(at + offset, format!("{number} dependants do not fit before byte {end}")));
            }
            for i in 0..number {
                let place = list + 4 * (u64::from(from) + u64::from(i));
                let later = bytes.u32(place)?;
                if later >= operations {
                    return Err(bytes.error(place, format!("there is no operation with index {later}")));
                }
                // Ranges may overlap in a forged file; honest ones name each edge once.
                if schedule.edges() >= (end - list) / 4 || !schedule.edge(later, index, on_start) {
                    return Err(bytes.error(at + offset, "more dependants are named than there are"));
                }
            }
        }
    }
    Ok(())
}
