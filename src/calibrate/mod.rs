//! Constants of a network model from measured message times.
//!
//! Benchmarks between two hosts show how long a message of each size takes (ping-pong), how fast messages follow each other
//! (a stream), and what both directions carry together. [`read`](fn@read) takes them from the output of the usual programs, [`fit`](fn@fit)
//! makes constants of them, and [`Fitted::toml`] writes these for `--model FILE`. [`HostSpeed`] is how fast a host computes.

mod check;
mod fit;
mod host;
mod imb;
mod model_file;
mod netpipe;
mod osu;
mod own;
mod table;

use crate::topology::input::{ReadError, read_text};
use crate::user_error::UserError;
use std::path::{Path, PathBuf};

pub use check::{Residual, errors, in_words, residuals};
pub use fit::{FitError, Fitted, Rendezvous, Route, Section, fit};
pub use host::{Compared, HOST_MARK, HOST_PROGRAM, HOST_PROGRAM_NAME, HostSpeed, Rate, processor};
pub use model_file::MARK;
pub use own::{PROGRAM, PROGRAM_NAME};

/// Largest file of measurements in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Most rows of one file.
const MAX_ROWS: usize = 100_000;

/// Quantity that a series measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Time of one message there, as half of the time there and back.
    PingPong,
    /// Time of one message among many that follow each other in one direction.
    Stream,
    /// Time of one message among many in each of both directions: two messages take as long as one here, if they do not disturb
    /// each other.
    BothWays,
}

impl Kind {
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
    pub kind: Kind,
    /// The program, with its version where the file has it.
    pub program: String,
    /// File that it was read from.
    pub file: PathBuf,
    /// Message size in bytes and seconds, in the order of the file.
    pub points: Vec<(u32, f64)>,
}

/// Why a file of measurements cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A line is not as it should be.
    #[error("{}:{line}: {message}", .file.display())]
    Malformed {
        /// File with the error.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Description of the error.
        message: String,
    },
    /// A file does not describe the speed of a host.
    #[error("{}:{line}:{column}: {message}", .file.display())]
    Host {
        /// File with the error.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// Description of the error.
        message: String,
    },
    /// No program that is known has written it.
    #[error("{}: there are no measurements that are known in it", .file.display())]
    Unknown {
        /// File without measurements.
        file: PathBuf,
    },
}

impl UserError for CalibrateError {
    fn help(&self) -> String {
        let help = match self {
            Self::Read(_) => "check the path, its permissions and the disk",
            Self::Host { .. } => "give a file that `mopsim calibrate --host -o FILE` wrote",
            Self::Malformed { .. } => "give the output of the benchmark as the program printed it",
            Self::Unknown { .. } => {
                "give the output of osu_latency, osu_bw or osu_bibw, of IMB-MPI1 PingPong, Uniband or Biband, or of NetPIPE, or run \
                 `mopsim calibrate --run -- mpirun ...`"
            }
        };
        help.to_owned()
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Read(error) if error.is_io())
    }
}

/// Series of a file: kind, program, and sizes with their seconds.
type Readings = Vec<(Kind, String, Vec<(u32, f64)>)>;

/// A line that is not as it should be: its number from 0, and the reason.
type Flaw = (usize, String);

/// Reads the measurements of a file, whatever known program wrote it.
type Reader = fn(&[&str]) -> Result<Readings, Flaw>;

/// The programs; each reader returns nothing for the output of another one.
const READERS: [Reader; 4] = [osu::read, imb::read, own::read, netpipe::read];

/// Reads all series of a file.
///
/// # Errors
/// [`CalibrateError`].
pub fn read(file: &Path) -> Result<Vec<Series>, CalibrateError> {
    let text = read_text(file, MAX_BYTES)?;
    read_from(&text, file)
}

/// Reads all series of a text; `file` names it in errors.
///
/// # Errors
/// [`CalibrateError`].
pub fn read_from(text: &str, file: &Path) -> Result<Vec<Series>, CalibrateError> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for reader in READERS {
        let found = reader(&lines).map_err(|(line, message)| CalibrateError::Malformed {
            file: file.to_owned(),
            line: line + 1,
            message,
        })?;
        if !found.is_empty() {
            let series = |(kind, program, points)| Series { kind, program, file: file.to_owned(), points };
            return Ok(found.into_iter().map(series).collect());
        }
    }
    Err(CalibrateError::Unknown { file: file.to_owned() })
}

#[cfg(test)]
mod tests;
