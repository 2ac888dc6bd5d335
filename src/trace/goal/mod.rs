//! GOAL schedules, the input of LogGOPSim: for each rank, operations and their dependencies.
//!
//! The text, and the binary form that `txt2bin` makes of it, are read and written. The grammar and the layout follow
//! the public sources of LogGOPSim (txt2bin.re, Parser.hpp). GOAL has no collectives: they are written as the messages
//! of an algorithm (`rounds.rs`). A rank of a schedule is a graph (`graph.rs`), a rank of a trace a list: `schedule.rs`
//! converts a graph to a list in an order in which it can run.

mod binary;
mod graph;
mod labels;
mod paged;
pub(crate) mod rounds;
mod schedule;
#[cfg(test)]
pub(super) mod tests;
mod text;
mod write;
mod write_graph;

pub use self::write::{Goal, GoalBinary, as_graph};

use super::format::Format;

/// The text format.
pub(super) static TEXT: Format = Format {
    name: "GOAL",
    extensions: &[".goal"],
    writer: Some(&Goal::PLAIN),
    recognises: text::recognises,
    read: text::read,
    read_files: None,
};

/// Name of the binary format.
pub const BINARY_NAME: &str = "GOAL binary";

/// The binary format.
pub(super) static BINARY: Format = Format {
    name: BINARY_NAME,
    extensions: &[".goal.bin"],
    writer: Some(&GoalBinary::PLAIN),
    recognises: |head| head.starts_with(&binary::MAGIC),
    read: binary::read,
    read_files: None,
};
