//! Measured times of messages: a series, and as the reader of a program returns it.

use std::path::PathBuf;

/// Most rows of one file.
pub(super) const MAX_ROWS: usize = 100_000;

/// Words in the name of a program whose ranks ran on one host, before the name of the host.
pub(super) const BOTH_RANKS_ON: &str = ", both ranks on ";

/// Quantity that a series measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesKind {
    /// Time of one message there, as half of the time there and back.
    PingPong,
    /// Time of one message among many that follow each other in one direction.
    Stream,
    /// Time of one message among many in each of both directions: two messages take as long as one here, if they do not disturb
    /// each other.
    BothWays,
}

impl SeriesKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::PingPong, Self::Stream, Self::BothWays];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PingPong => "ping-pong",
            Self::Stream => "stream",
            Self::BothWays => "both ways",
        }
    }
}

/// Measured times of messages between two hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Quantity that was measured.
    pub kind: SeriesKind,
    /// The program, with its version where the file has it.
    pub program: String,
    /// File that it was read from.
    pub file: PathBuf,
    /// Message size in bytes and seconds, in the order of the file.
    pub points: Vec<(u32, f64)>,
}

/// Series of a file: kind, program, and sizes with their seconds.
pub(super) type Readings = Vec<(SeriesKind, String, Vec<(u32, f64)>)>;

/// A line that is not as it should be: its number from 0, and the reason.
pub(super) type Flaw = (usize, String);
