//! Errors of files of measurements.

use crate::engine::ReplayError;
use crate::topology::input::ReadError;
use crate::user_error::UserError;
use std::path::PathBuf;

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
    /// No model has the constants that fit the measurements.
    #[error("the measurements lead to constants that no model can have: {0}")]
    NoModel(String),
    /// A message cannot be replayed under the fitted model.
    #[error("the measurements cannot be replayed: {0}")]
    Replay(#[from] ReplayError),
    /// No program that is known has written it.
    #[error("{}:1: none of the {lines} lines begins measurements in a known format", .file.display())]
    Unknown {
        /// File without measurements.
        file: PathBuf,
        /// Number of its lines.
        lines: usize,
    },
}

impl UserError for CalibrateError {
    fn help(&self) -> String {
        let help = match self {
            Self::Read(_) => "check the path, its permissions and the disk",
            Self::Host { .. } => "give a file that `mopsim calibrate --host -o FILE` wrote",
            Self::Malformed { .. } => "give the output of the benchmark as the program printed it",
            Self::NoModel(_) => "look for a measurement that is wrong by orders of magnitude",
            Self::Replay(error) => return error.help(),
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
