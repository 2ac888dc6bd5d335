//! Parts and other speeds of schedules, whose ranks are graphs. They stay graphs: as lists they would lose their
//! parallel operations.

use std::sync::Arc;

use crate::trace::Trace;
use crate::trace::schedule::{OperationKind, Schedule};

/// An amount of computation that is too large after scaling.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// Amount of computation of a list.
    #[error("{flops:e} flops times {factor:e} are more than the largest number, 1.8e308")]
    Flops {
        /// Amount of computation in the trace.
        flops: f64,
        /// Factor by which it was to be multiplied.
        factor: f64,
    },
    /// Calculation of a graph.
    #[error("{nanoseconds} ns times {factor:e} are more than 584 years, the longest calculation of a graph")]
    Nanoseconds {
        /// Length of the calculation in the schedule.
        nanoseconds: u64,
        /// Factor by which it was to be multiplied.
        factor: f64,
    },
}

/// From here on, nanoseconds do not fit 64 bits.
const TOO_LONG: f64 = u64::MAX as f64;

/// Multiplies the calculations of the graphs of a trace, if it has any; on errors the trace stays as it is.
pub(super) fn scale(trace: &mut Trace, factor: f64) -> Result<(), ScaleError> {
    let Some(schedule) = &mut trace.schedule else { return Ok(()) };
    // Lengths above 2^53 are not exact as floating-point numbers.
    if factor == 1.0 {
        return Ok(());
    }
    let calculations = schedule.ranks.iter().flat_map(|graph| graph.operations());
    let mut lengths = calculations.filter(|o| o.kind == OperationKind::Calculate).map(|operation| operation.size);
    if let Some(nanoseconds) = lengths.find(|&size| (size as f64 * factor).round() >= TOO_LONG) {
        return Err(ScaleError::Nanoseconds { nanoseconds, factor });
    }
    for graph in &mut Arc::make_mut(schedule).ranks {
        for operation in graph.operations_mut().iter_mut().filter(|o| o.kind == OperationKind::Calculate) {
            operation.size = (operation.size as f64 * factor).round() as u64;
        }
    }
    Ok(())
}

/// Graphs of some ranks.
pub(super) struct CutGraphs {
    /// The graphs.
    pub schedule: Schedule,
    /// Number of sends whose receive is outside.
    pub sends: u64,
    /// Number of receives whose send is outside.
    pub receives: u64,
}

/// Returns the graphs of some ranks, given their new numbers. A message with another rank becomes a calculation of no
/// length on the same stream: the operations that require it still wait for those that it requires, and the number of
/// edges does not grow.
pub(super) fn cut(schedule: &Schedule, kept: &[u32], renumbered: &[Option<u32>]) -> CutGraphs {
    let ranks = kept.iter().map(|&rank| schedule.ranks[rank as usize].clone()).collect();
    let schedule = Schedule { ranks, flops_per_nanosecond: schedule.flops_per_nanosecond };
    let mut found = CutGraphs { schedule, sends: 0, receives: 0 };
    for operation in found.schedule.ranks.iter_mut().flat_map(|graph| graph.operations_mut()) {
        let count = match operation.kind {
            OperationKind::Calculate => continue,
            OperationKind::Send => &mut found.sends,
            OperationKind::Receive => &mut found.receives,
        };
        match renumbered[operation.peer as usize] {
            Some(peer) => operation.peer = peer,
            None => {
                *count += 1;
                (operation.kind, operation.size) = (OperationKind::Calculate, 0);
                (operation.peer, operation.tag, operation.card) = (0, 0, 0);
            }
        }
    }
    found
}
