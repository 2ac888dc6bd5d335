//! Errors of ledgers.

use super::shard::Shard;
use crate::user_error::UserError;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Reading or writing failed.
    #[error("{}: {error}", .file.display())]
    Io {
        /// Path of the file.
        file: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// A line is invalid.
    #[error("{}:{line}: {message}", .file.display())]
    Malformed {
        /// Path of the file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Description of the error.
        message: String,
    },
    /// The file already has results.
    #[error("{} already exists", .file.display())]
    Exists {
        /// Path of the file.
        file: PathBuf,
    },
    /// Another process writes the file.
    #[error("{} is being written by another process", .file.display())]
    Locked {
        /// Path of the file.
        file: PathBuf,
    },
    /// The results are those of another shard.
    #[error("{} holds shard {there}, not shard {here}", .file.display())]
    OtherShard {
        /// Path of the file.
        file: PathBuf,
        /// Shard of the file.
        there: Shard,
        /// Requested shard.
        here: Shard,
    },
    /// Two files have the same record.
    #[error("{} (shard {second_shard}) and {} (shard {first_shard}) overlap: both hold {item}", .second.display(), .first.display())]
    Overlap {
        /// Path of the first file.
        first: PathBuf,
        /// Shard of the first file.
        first_shard: Shard,
        /// Path of the second file.
        second: PathBuf,
        /// Shard of the second file.
        second_shard: Shard,
        /// Description of the record.
        item: String,
    },
}

impl LedgerError {
    /// Creates the error of an invalid line, numbered from 1.
    pub fn malformed(file: &Path, line: usize, message: impl Into<String>) -> Self {
        Self::Malformed { file: file.to_owned(), line, message: message.into() }
    }

    pub(super) fn io(file: &Path, error: io::Error) -> Self {
        Self::Io { file: file.to_owned(), error }
    }
}

impl UserError for LedgerError {
    fn help(&self) -> String {
        let help = match self {
            Self::Io { .. } => "check the path, its permissions and the disk",
            Self::Malformed { .. } => {
                "the file was changed or damaged, or belongs to another command: give the right one; in a damaged file, remove the line, and --resume runs what is missing"
            }
            Self::Exists { .. } => "continue it with --resume, or give another --results FILE",
            Self::Locked { .. } => "wait for that process, or give another --results FILE",
            Self::OtherShard { .. } => "give each shard a results file of its own",
            Self::Overlap { .. } => "give each shard once, all of the same number of shards",
        };
        help.to_owned()
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}
