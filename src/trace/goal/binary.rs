//! The binary form of GOAL: a table of places, then for each rank its operations and what waits for them.
//!
//! Little-endian, as on the computers that make it. Behind the magic all places count from byte 8. A rank has the numbers of
//! its operations and of those that wait for nothing, the latter's indices, the operations in 39 bytes each, and a list of
//! indices in which each operation has a range of those that wait for its end and one of those that wait for its start.

use std::path::Path;

use super::schedule::{Graph, Kind, MOST_OPERATIONS, Operation, Schedule, trace};
use crate::trace::Trace;
use crate::trace::calls::{At, located};
use crate::trace::error::{TraceError, TraceErrorKind};
use crate::trace::format::{Input, MOST_RANKS};

/// First bytes of a file: the number 4223.
pub(super) const MAGIC: [u8; 8] = 4223u64.to_le_bytes();

/// Bytes of an operation.
const OPERATION: usize = 39;

/// Largest file. The places in it are not in order, so that it has to be in memory as a whole.
const LARGEST: usize = 4 << 30;

struct Bytes<'a> {
    bytes: &'a [u8],
    file: &'a Path,
}

impl Bytes<'_> {
    fn error(&self, at: usize, problem: impl Into<String>) -> TraceError {
        let help = "the file is cut off or damaged; make it again with txt2bin";
        let kind = TraceErrorKind::format("GOAL binary", problem, help);
        located(self.file, At::Byte(at as u64), kind)
    }

    fn take<const N: usize>(&self, at: usize) -> Result<[u8; N], TraceError> {
        let piece = at.checked_add(N).and_then(|end| self.bytes.get(at..end));
        match piece {
            Some(piece) => Ok(piece.try_into().expect("that many bytes")),
            None => Err(self.error(self.bytes.len().min(at), "the file ends here, and more is announced")),
        }
    }

    fn u32(&self, at: usize) -> Result<u32, TraceError> {
        self.take(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Result<u64, TraceError> {
        self.take(at).map(u64::from_le_bytes)
    }
}

pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { mut source, budget, name, options, .. } = input;
    let file = source.file().to_path_buf();
    let mut all = Vec::new();
    let mut piece = vec![0; 1 << 18];
    loop {
        match source.read(&mut piece, budget)? {
            0 => break,
            length => all.extend_from_slice(&piece[..length]),
        }
        if all.len() > LARGEST {
            let bytes = Bytes { bytes: &all, file: &file };
            return Err(bytes.error(all.len(), format!("the file is larger than {LARGEST} bytes")));
        }
    }
    drop(source);
    let bytes = Bytes { bytes: &all, file: &file };
    let ranks = bytes.u32(8)? as usize;
    if !(1..=MOST_RANKS).contains(&ranks) {
        return Err(bytes.error(8, format!("{ranks} ranks; a trace has 1 to {MOST_RANKS}")));
    }
    // Two bytes with the largest numbers of cores and cards, then the places of the ranks.
    let table = 14;
    if all.len() < table + 16 * ranks {
        return Err(bytes.error(all.len(), "the file ends within the places of the ranks"));
    }
    let mut schedule = Schedule::new(ranks, At::Byte);
    for rank in 0..ranks {
        schedule.put(rank, graph(&bytes, table + 16 * rank, ranks)?);
    }
    trace(schedule, name, &file, options)
}

fn graph(bytes: &Bytes<'_>, entry: usize, ranks: usize) -> Result<Graph, TraceError> {
    let place = |at: usize| -> Result<usize, TraceError> {
        let place = bytes.u64(at)?.checked_add(8).and_then(|place| usize::try_from(place).ok());
        place
            .filter(|&place| place <= bytes.bytes.len())
            .ok_or_else(|| bytes.error(bytes.bytes.len(), "a rank is said to begin or end behind the end of the file"))
    };
    let (start, end) = (place(entry)?, place(entry + 8)?);
    let (operations, free) = (bytes.u32(start)? as usize, bytes.u32(start + 4)? as usize);
    let first = start + 8 + 4 * free;
    let list = first + OPERATION * operations;
    if free > operations || list > end || operations > MOST_OPERATIONS {
        return Err(bytes.error(start, format!("{operations} operations do not fit between bytes {start} and {end}")));
    }
    let mut graph = Graph::default();
    graph.operations.reserve_exact(operations);
    for index in 0..operations {
        let at = first + OPERATION * index;
        let kind = match bytes.take::<1>(at + 4)?[0] {
            1 => Kind::Send,
            2 => Kind::Receive,
            3 => Kind::Calculate,
            other => return Err(bytes.error(at + 4, format!("there is no operation {other}"))),
        };
        let (peer, size, tag) = (bytes.u32(at + 5)?, bytes.u64(at + 9)?, bytes.u32(at + 17)?);
        if kind != Kind::Calculate && (peer as usize >= ranks || tag == u32::MAX) {
            let problem = match peer {
                u32::MAX => "a receive from any source cannot be replayed".to_owned(),
                _ if tag == u32::MAX => "a receive of any tag cannot be replayed".to_owned(),
                peer => format!("there is no rank {peer} of {ranks}"),
            };
            return Err(bytes.error(at + 5, problem));
        }
        let cpu = bytes.take::<1>(at + 21)?[0];
        graph.operations.push(Operation { kind, cpu, peer, tag, size, at: at as u64 });
        for (offset, on_start) in [(23, false), (31, true)] {
            let (number, from) = (bytes.u32(at + offset)? as usize, bytes.u32(at + offset + 4)? as usize);
            if list + 4 * (from + number) > end {
                return Err(bytes.error(at + offset, format!("{number} dependants do not fit before byte {end}")));
            }
            for i in 0..number {
                let later = bytes.u32(list + 4 * (from + i))?;
                if later as usize >= operations {
                    return Err(bytes.error(list + 4 * (from + i), format!("there is no operation with index {later}")));
                }
                graph.edges.push((later, index as u32, on_start));
                // Ranges may overlap in a forged file; honest ones name each edge once.
                if graph.edges.len() > (end - list) / 4 {
                    return Err(bytes.error(at + offset, "more dependants are named than there are"));
                }
            }
        }
    }
    Ok(graph)
}
