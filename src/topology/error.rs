//! Errors of topologies.

use super::input::{Located, ReadError};
use crate::similar::did_you_mean;
use crate::user_error::UserError;

/// Reason why a topology cannot be built or measured.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// A parameter breaks a rule of the family. Raised before anything is allocated.
    #[error("topology `{topology}`: parameter `{parameter}` is {value}, but {constraint}")]
    InvalidParameter {
        /// Name of the family.
        topology: String,
        /// Name of the parameter.
        parameter: String,
        /// Value as given.
        value: String,
        /// The rule, as the end of a sentence: `it must be at least 2`.
        constraint: String,
    },
    /// The parameters are legal, but no usable graph was found.
    #[error("topology `{topology}` could not be built: {reason}")]
    Unbuildable {
        /// Canonical specification.
        topology: String,
        /// Cause of the failure, and the number of attempts.
        reason: String,
    },
    /// An operation needs a connected graph (a strongly connected one, if it is directed), and this graph is not
    /// connected.
    #[error("the topology is disconnected: there is no way from switch {from} to switch {to}")]
    Disconnected {
        /// Start of the missing path.
        from: u32,
        /// A switch that cannot be reached from `from`.
        to: u32,
    },
    /// An exact algorithm was requested beyond its stated limit.
    #[error("{what} is too large: {value}, and the limit is {limit}")]
    TooLarge {
        /// The requested quantity.
        what: String,
        /// The requested size.
        value: String,
        /// The largest supported size.
        limit: String,
    },
    /// No family has this name.
    #[error("there is no topology `{name}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownTopology {
        /// The name as given.
        name: String,
        /// The family whose name is nearest.
        nearest: Option<String>,
        /// Names of all families.
        known: String,
    },
    /// The name of a file does not determine the format of the graph.
    #[error("`{file}` is the name of a file, but its extension does not identify the format")]
    UnknownFormat {
        /// The name as given.
        file: String,
    },
    /// The family has no such parameter.
    #[error("topology `{topology}` has no parameter `{parameter}`{}; it has {known}", did_you_mean(.nearest.as_deref()))]
    UnknownParameter {
        /// Name of the family.
        topology: String,
        /// The name as given.
        parameter: String,
        /// The parameter whose name is nearest.
        nearest: Option<String>,
        /// All parameters of the family.
        known: String,
    },
    /// The specification cannot be read.
    #[error("topology `{spec}`, column {column}: {reason}")]
    Syntax {
        /// Specification as given.
        spec: String,
        /// Start of the offending part, counted in characters from 1.
        column: usize,
        /// Description of the error.
        reason: String,
    },
    /// A graph file breaks a rule.
    #[error(transparent)]
    File(#[from] Located),
    /// A graph file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl UserError for TopologyError {
    fn help(&self) -> String {
        match self {
            Self::InvalidParameter { .. } => "see `mopsim topology --help` for the parameters".into(),
            Self::Unbuildable { reason, .. } if reason.contains("--memory") => {
                "take a smaller network, or raise the limit with --memory if there is as much memory".into()
            }
            Self::Unbuildable { .. } => {
                "try another seed, or a larger degree; for deterministic families, other parameters".into()
            }
            Self::Disconnected { .. } => {
                "add the missing cables; a directed network needs a way in each direction".into()
            }
            Self::TooLarge { .. } => "measure a smaller network of the same family".into(),
            Self::UnknownTopology { known, .. } => {
                format!(
                    "the families are {known}; a file needs one of the extensions .json, .graphml, .gml, .txt, .edges, .ibnet, .anynet"
                )
            }
            Self::UnknownFormat { file } => format!(
                "graphs are read from .json, .graphml, .gml, .txt, .edges, .ibnet and .anynet; say json:, graphml:, gml:, ibnet:, anynet: or edges:path=\"{file}\" for other names"
            ),
            Self::UnknownParameter { .. } | Self::Syntax { .. } => {
                "write a topology as `family:parameter=value,...`, e.g. `torus:8x8` or `imase_itoh:n=64,d=6`".into()
            }
            Self::File(located) => located.help.clone(),
            Self::Read(read) => read.help(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Read(error) if error.is_io())
    }
}
