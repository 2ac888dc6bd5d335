//! Writing graphs: a schedule stays a schedule, in the text or in the binary form.

use std::io::{self, Write};

use super::binary::{MAGIC, OPERATION};
use super::graph::NANOSECONDS;
use crate::steps::Steps;
use crate::trace::options::DEFAULT_RECORDED_SPEED;
use crate::trace::schedule::{Graph, Operation, OperationKind, Schedule};
use crate::trace::write::WriteError;

/// Bytes before the table of positions: the number of ranks, and the largest numbers of cores and cards. Positions in
/// the file count from the first of them.
const HEAD: u64 = 6;

/// Returns the nanoseconds of a calculation as the format counts them: on a host of 100 Gflop/s.
fn nanoseconds(schedule: &Schedule, rank: usize, number: usize, operation: &Operation) -> Result<u64, WriteError> {
    let factor = schedule.flops_per_nanosecond / (DEFAULT_RECORDED_SPEED / NANOSECONDS);
    // Most schedules are written as they were read, so that numbers above 2^53 stay exact.
    if operation.kind != OperationKind::Calculate || factor == 1.0 {
        return Ok(operation.size);
    }
    let scaled = (operation.size as f64 * factor).round();
    if scaled < u64::MAX as f64 {
        return Ok(scaled as u64);
    }
    let action = format!("calc {scaled:e}");
    Err(WriteError::Inexpressible { format: "GOAL", rank, index: number, action })
}

/// Writes the ranks of a schedule as text. Each edge follows the later of its two operations, as the format requires.
pub(super) fn text(schedule: &Schedule, first: usize, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    for (rank, graph) in (first..).zip(&schedule.ranks) {
        writeln!(out, "\nrank {rank} {{")?;
        let mut edges = edges(graph).into_iter().peekable();
        for (number, operation) in (0..).zip(graph.operations()) {
            let size = nanoseconds(schedule, rank, number as usize, operation)?;
            write!(out, "l{}: ", number + 1)?;
            match operation.kind {
                OperationKind::Send => write!(out, "send {size}b to {}", operation.peer)?,
                OperationKind::Receive => write!(out, "recv {size}b from {}", operation.peer)?,
                OperationKind::Calculate => write!(out, "calc {size}")?,
            }
            if operation.kind != OperationKind::Calculate {
                write!(out, " tag {}", operation.tag)?;
            }
            if operation.stream > 0 {
                write!(out, " cpu {}", operation.stream)?;
            }
            if operation.card > 0 {
                write!(out, " nic {}", operation.card)?;
            }
            writeln!(out)?;
            while let Some(Edge { later, earlier, on_start, .. }) = edges.next_if(|edge| edge.place == number) {
                let verb = if on_start { "irequires" } else { "requires" };
                writeln!(out, "l{} {verb} l{}", later + 1, earlier + 1)?;
            }
        }
        writeln!(out, "}}")?;
        steps.did(graph.len() as u64);
    }
    Ok(out.flush()?)
}

/// An edge of a rank, in the order in which edges are written.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    /// The operation after which it is written: the one with the larger number.
    place: u32,
    later: u32,
    earlier: u32,
    on_start: bool,
}

fn edges(graph: &Graph) -> Vec<Edge> {
    let mut edges = Vec::new();
    for earlier in 0..graph.len() as u32 {
        edges.extend(graph.dependants(earlier).iter().map(|dependant| {
            let later = dependant.operation();
            Edge { place: later.max(earlier), later, earlier, on_start: dependant.on_start() }
        }));
    }
    edges.sort_unstable();
    edges
}

/// Writes a schedule in the binary form, which begins with a table of the positions of all ranks.
pub(super) fn binary(schedule: &Schedule, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let ranks = schedule.ranks.len() as u64;
    let operations = || schedule.ranks.iter().flat_map(Graph::operations);
    let largest = |number: fn(&Operation) -> u8| operations().map(number).max().unwrap_or(0);
    out.write_all(&MAGIC)?;
    out.write_all(&(ranks as u32).to_le_bytes())?;
    out.write_all(&[largest(|operation| operation.stream), largest(|operation| operation.card)])?;
    let mut start = HEAD + 16 * ranks;
    let waits: Vec<Vec<u32>> = schedule.ranks.iter().map(Graph::waits).collect();
    for (graph, waits) in schedule.ranks.iter().zip(&waits) {
        let edges: u64 = waits.iter().map(|&waits| u64::from(waits)).sum();
        let end = start + 8 + 4 * roots(waits).count() as u64 + OPERATION * graph.len() as u64 + 4 * edges;
        out.write_all(&start.to_le_bytes())?;
        out.write_all(&end.to_le_bytes())?;
        start = end;
    }
    for (rank, (graph, waits)) in schedule.ranks.iter().zip(&waits).enumerate() {
        out.write_all(&(graph.len() as u32).to_le_bytes())?;
        out.write_all(&(roots(waits).count() as u32).to_le_bytes())?;
        for root in roots(waits) {
            out.write_all(&root.to_le_bytes())?;
        }
        let mut listed = 0;
        for (number, operation) in (0..).zip(graph.operations()) {
            let kind = match operation.kind {
                OperationKind::Send => 1,
                OperationKind::Receive => 2,
                OperationKind::Calculate => 3_u8,
            };
            let size = nanoseconds(schedule, rank, number as usize, operation)?;
            out.write_all(&waits[number as usize].to_le_bytes())?;
            out.write_all(&[kind])?;
            out.write_all(&operation.peer.to_le_bytes())?;
            out.write_all(&size.to_le_bytes())?;
            out.write_all(&operation.tag.to_le_bytes())?;
            out.write_all(&[operation.stream, operation.card])?;
            for on_start in [false, true] {
                let edges = graph.dependants(number).iter().filter(|edge| edge.on_start() == on_start).count() as u32;
                out.write_all(&edges.to_le_bytes())?;
                out.write_all(&u32::to_le_bytes(listed))?;
                listed += edges;
            }
        }
        for number in 0..graph.len() as u32 {
            for on_start in [false, true] {
                for edge in graph.dependants(number).iter().filter(|edge| edge.on_start() == on_start) {
                    out.write_all(&edge.operation().to_le_bytes())?;
                }
            }
        }
        steps.did(graph.len() as u64);
    }
    Ok(out.flush()?)
}

/// Returns the operations without requirements, by the number of requirements of each.
fn roots(waits: &[u32]) -> impl Iterator<Item = u32> {
    (0..).zip(waits).filter(|&(_, &waits)| waits == 0).map(|(number, _)| number)
}
