//! Writing traces: the interface of all writers, and writing with one of them.

use std::io::{self, Write};

use super::event_trace::Trace;
use crate::steps::Steps;

/// Reason why a trace cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Writing to the output failed.
    #[error("{0}")]
    Output(#[from] io::Error),
    /// The format cannot express an action.
    #[error("rank {rank}, action {}: {format} cannot express `{action}`", .index + 1)]
    Inexpressible {
        /// Name of the format.
        format: &'static str,
        /// Rank of the action.
        rank: usize,
        /// Index of the action, from 0.
        index: usize,
        /// Text of the action, as TI text.
        action: String,
    },
    /// The format needs all ranks together.
    #[error("{format} is written as a whole, not rank by rank")]
    InParts {
        /// Name of the format.
        format: &'static str,
    },
    /// The trace cannot be a graph, for the reason in words.
    #[error("{0}")]
    NoGraph(String),
}

/// Writes traces in a format, a few ranks at a time.
pub trait Writer: Sync {
    /// Writes the part before the first rank. `notes` are remarks to keep with the trace, if the format supports
    /// them.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn head(&self, ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError>;

    /// Writes the ranks of `part`, whose first one has number `first` in a trace of `ranks`. All parts have the same
    /// communicators. A step is an action.
    ///
    /// # Errors
    /// If writing to `out` fails, or if the format cannot express an action.
    fn part(
        &self,
        part: &Trace,
        first: usize,
        ranks: usize,
        out: &mut dyn Write,
        steps: &Steps,
    ) -> Result<(), WriteError>;

    /// Writes the part after the last rank; `actions` is the number of actions of all ranks.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn tail(&self, ranks: usize, actions: u64, out: &mut dyn Write) -> Result<(), WriteError>;

    /// Returns `true` if collectives have to be passed as their messages
    /// ([`Goal::with_rounds`](super::goal::Goal::with_rounds)).
    fn needs_rounds(&self) -> bool {
        false
    }

    /// Returns `true` if the format can express graphs of operations.
    fn writes_graphs(&self) -> bool {
        false
    }

    /// Returns `true` if every rank needs an action.
    fn needs_actions(&self) -> bool {
        false
    }
}

/// Writes a whole trace.
///
/// # Errors
/// [`WriteError`] if writing to `out` fails, or if the format cannot express it.
pub fn write(trace: &Trace, writer: &dyn Writer, out: &mut dyn Write) -> Result<(), WriteError> {
    write_watched(trace, writer, out, &Steps::default())
}

/// Writes a whole trace, with progress; a step is an action.
///
/// # Errors
/// The same errors as [`write()`].
pub fn write_watched(trace: &Trace, writer: &dyn Writer, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
    steps.expect(trace.total_actions());
    let notes: Vec<String> = trace.warnings.iter().map(ToString::to_string).collect();
    writer.head(trace.ranks(), &notes, out)?;
    writer.part(trace, 0, trace.ranks(), out, steps)?;
    writer.tail(trace.ranks(), trace.total_actions(), out)
}
