//! Errors of building and running studies.

use super::choice::ChoiceError;
use super::jobs::JobsError;
use super::network::NetworkError;
use super::procurement::PriceListError;
use super::results::ResultsError;
use super::toml_file::{Place, TomlError};
use crate::engine::ReplayError;
use crate::mpi::mapping::MappingError;
use crate::routing::RoutingError;
use crate::throughput::ThroughputError;
use crate::trace::TraceError;
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
