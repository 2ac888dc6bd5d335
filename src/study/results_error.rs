//! Errors of results files.

use crate::ledger::LedgerError;
use crate::user_error::UserError;
use std::path::PathBuf;

/// Reason why a results file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file cannot be used, whatever study it is of.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The results are those of another study.
    #[error("{} holds results of another study (`{title}`): not the same are {differences}", .file.display())]
    Foreign {
        /// Path of the file.
        file: PathBuf,
        /// Title of that study.
        title: String,
        /// Differences, in words.
        differences: String,
    },
    /// The runs of packets are those of other settings.
    #[error("{}:{line}: these are results of another sweep: {difference}", .file.display())]
    OtherSweep {
        /// Path of the file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// First setting that differs, in words.
        difference: String,
    },
    /// Runs of packets are missing.
    #[error("{missing} runs of packets are missing: {whose}; the first are {first}")]
    MissingRuns {
        /// Number of missing runs, as text.
        missing: String,
        /// Shards to which the missing runs belong.
        whose: String,
        /// Descriptions of the first missing runs.
        first: String,
    },
    /// Cells are missing.
    #[error("{missing} of {cells} cells are missing: {whose}; the first is {first}")]
    Missing {
        /// Number of missing cells.
        missing: usize,
        /// Number of all cells.
        cells: usize,
        /// Shards to which the missing cells belong.
        whose: String,
        /// Description of the first missing cell.
        first: String,
    },
}

impl UserError for ResultsError {
    fn help(&self) -> String {
        match self {
            Self::Ledger(error) => error.help(),
            Self::Foreign { .. } => "use the study and the flags of that file, or give another file".to_owned(),
            Self::OtherSweep { .. } => "use the table [packets] of that file, or give another file".to_owned(),
            Self::Missing { .. } | Self::MissingRuns { .. } => {
                "give the files of all shards; finish one with `mopsim compare STUDY --shard K/N --results FILE --resume`"
                    .to_owned()
            }
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Ledger(error) if error.is_io())
    }
}
