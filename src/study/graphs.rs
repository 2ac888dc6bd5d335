//! Conversion of traces to graphs of operations, for the LogGOPS model, which replays nothing else.

use crate::mpi::collective::Selector;
use crate::mpi::collective::rounds::TraceRounds;
use crate::mpi::rank_map::RankMap;
use crate::trace::Trace;
use crate::trace::goal::{Goal, as_graph};

/// Converts a list to a graph: each action follows the previous one, and collectives become the messages of the
/// algorithms that the table selects. Computations are rounded to nanoseconds of a core of 100 Gflop/s.
///
/// # Errors
/// Reason why the conversion is impossible, in words.
pub(super) fn of_list(trace: &Trace, selector: &Selector, rank_map: &RankMap) -> Result<Trace, String> {
    let rounds = TraceRounds::new(trace, selector, rank_map).map_err(|error| error.to_string())?;
    as_graph(trace, &Goal::with_rounds(&rounds)).map_err(|error| error.to_string())
}
