//! Why a study cannot be built or run.

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

/// Why a study cannot be built or run.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The study file cannot be used.
    #[error(transparent)]
    File(#[from] TomlError),
    /// What stands at a place of the study file cannot be used.
    #[error("{}:{place}: {error}", .file.display())]
    At {
        /// The file.
        file: PathBuf,
        /// Where it is written.
        place: Place,
        /// Why.
        error: Box<StudyError>,
    },
    /// The study file says something that cannot be.
    #[error("{0}")]
    Contradiction(String),
    /// A choice that does not exist.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A routing rule of the study does not exist.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// A network cannot be built.
    #[error("network `{network}`: {error}")]
    Network {
        /// Its name or number.
        network: String,
        /// Why.
        error: Box<NetworkError>,
    },
    /// The synthetic traffic cannot be.
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
        /// The workload.
        workload: String,
        /// The network.
        network: String,
        /// Why.
        error: MappingError,
    },
    /// Jobs cannot run together.
    #[error(transparent)]
    Jobs(#[from] Box<JobsError>),
    /// A replay cannot go on.
    #[error("workload `{workload}` on network `{network}`: {error}")]
    Replay {
        /// Name of the workload.
        workload: String,
        /// Index of the workload in the study.
        index: usize,
        /// Of jobs that run together, the index of the one that fails even alone.
        job: Option<usize>,
        /// The network.
        network: String,
        /// Why.
        error: Box<ReplayError>,
    },
    /// A price list cannot be used.
    #[error(transparent)]
    Prices(#[from] Box<PriceListError>),
    /// A results file cannot be used.
    #[error(transparent)]
    Results(#[from] ResultsError),
}
