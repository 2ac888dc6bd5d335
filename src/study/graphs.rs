//! Traces as graphs of operations, for the LogGOPS model, which replays nothing else.

use crate::mpi::collective::Selector;
use crate::mpi::collective::rounds::TraceRounds;
use crate::mpi::layout::Layout;
use crate::trace::goal::Goal;
use crate::trace::{Options, Trace, read_from, write};

/// Makes a graph of a list: each action follows the one before, and collectives become the messages of the algorithms
/// that the table chooses. Computations are rounded to nanoseconds of a core of 100 Gflop/s.
///
/// # Errors
/// Why it cannot be one, in words.
pub(super) fn of_list(trace: &Trace, selector: &Selector, layout: &Layout) -> Result<Trace, String> {
    let rounds = TraceRounds::new(trace, selector, layout).map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    write(trace, &Goal::with_rounds(&rounds), &mut text).map_err(|error| error.to_string())?;
    let how = Options { keep_graphs: true, ..Options::default() };
    let graph = read_from(&text[..], &trace.name, &how).map_err(|error| error.to_string())?;
    Ok(Trace { name: trace.name.clone(), side: trace.side.clone(), ..graph })
}
