//! Errors of building and running studies.

use super::choice_error::ChoiceError;
use super::jobs::JobsError;
use super::model_file::ModelFileError;
use super::network::NetworkError;
use super::procurement::PriceListError;
use super::results_error::ResultsError;
use super::toml_file::{Place, TomlError};
use crate::engine::ReplayError;
use crate::mpi::mapping::MappingError;
use crate::packets::PacketError;
use crate::routing::RoutingError;
use crate::throughput::ThroughputError;
use crate::trace::TraceError;
use crate::user_error::{BAD_INPUT, UserError};
use crate::workload::WorkloadError;
use std::path::PathBuf;

/// Reason why a study cannot be built or run.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The study file cannot be used.
    #[error(transparent)]
    File(#[from] TomlError),
    /// An entry of the study file, at a known place, is invalid.
    #[error("{}:{place}: {error}", .file.display())]
    At {
        /// Path of the study file.
        file: PathBuf,
        /// Place of the entry.
        place: Place,
        /// Cause of the error.
        error: Box<StudyError>,
    },
    /// The study file contains a contradiction.
    #[error("{0}")]
    Contradiction(String),
    /// A choice does not exist.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The file of a network model cannot be used.
    #[error(transparent)]
    ModelFile(#[from] Box<ModelFileError>),
    /// A routing rule of the study does not exist.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// A network cannot be built.
    #[error("network `{network}`: {error}")]
    Network {
        /// Name or number of the network.
        network: String,
        /// Cause of the error.
        error: Box<NetworkError>,
    },
    /// The synthetic traffic is impossible.
    #[error(transparent)]
    Traffic(#[from] Box<ThroughputError>),
    /// The table `[packets]` is impossible.
    #[error(transparent)]
    Packets(#[from] Box<PacketError>),
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A workload cannot be generated.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The ranks of a workload cannot be placed on a network.
    #[error("workload `{workload}` on network `{network}`: {error}")]
    Mapping {
        /// Name of the workload.
        workload: String,
        /// Name of the network.
        network: String,
        /// Cause of the error.
        error: MappingError,
    },
    /// Jobs cannot run together.
    #[error(transparent)]
    Jobs(#[from] Box<JobsError>),
    /// A replay cannot continue.
    #[error("workload `{workload}` on network `{network}`: {error}")]
    Replay {
        /// Name of the workload.
        workload: String,
        /// Index of the workload in the study.
        index: usize,
        /// Index of the job that fails even alone, among jobs that run together.
        job: Option<usize>,
        /// Name of the network.
        network: String,
        /// Cause of the error.
        error: Box<ReplayError>,
    },
    /// A price list cannot be used.
    #[error(transparent)]
    Prices(#[from] Box<PriceListError>),
    /// A results file cannot be used.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

impl StudyError {
    /// Returns the error that is the cause of this one and has the same exit code and advice; `None` if it stands for itself.
    fn cause(&self) -> Option<&dyn UserError> {
        match self {
            Self::File(error) => Some(error),
            Self::At { error, .. } => Some(&**error),
            Self::Choice(error) => Some(error),
            Self::ModelFile(error) => Some(&**error),
            Self::Routing(error) => Some(error),
            Self::Network { error, .. } => Some(&**error),
            Self::Traffic(error) => Some(&**error),
            Self::Packets(error) => Some(&**error),
            Self::Trace(error) => Some(error),
            Self::Workload(error) => Some(error),
            Self::Jobs(error) => Some(&**error),
            Self::Replay { error, .. } => Some(&**error),
            Self::Prices(error) => Some(&**error),
            Self::Results(error) => Some(error),
            Self::Contradiction(_) | Self::Mapping { .. } => None,
        }
    }
}

impl UserError for StudyError {
    fn help(&self) -> String {
        match self {
            Self::File(error) if error.is_io() => "check the path and its permissions".to_owned(),
            Self::File(TomlError::Wrong { .. }) | Self::Contradiction(_) => {
                "`mopsim compare --help` shows a study file, docs/reference/studies.md has all keys".to_owned()
            }
            _ => self.cause().map_or(String::new(), UserError::help),
        }
    }

    fn is_io(&self) -> bool {
        self.cause().is_some_and(UserError::is_io)
    }

    fn exit_code(&self) -> u8 {
        self.cause().map_or(BAD_INPUT, UserError::exit_code)
    }
}
