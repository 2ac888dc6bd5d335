//! What can be wrong with a platform.

use crate::routing::RoutingError;
use crate::topology::TopologyError;
use crate::topology::input::{Located, ReadError};

/// Why there is no platform.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// A parameter breaks a rule.
    #[error("platform parameter `{parameter}` is {value}, but {constraint}")]
    InvalidParameter {
        /// Name of the parameter.
        parameter: &'static str,
        /// What was given.
        value: String,
        /// The rule, as the end of a sentence.
        constraint: String,
    },
    /// It would take more memory than it may.
    #[error("the platform of `{name}` has {links} links between switches and {hosts} hosts, but {rule}")]
    TooLarge {
        /// The topology, or the file.
        name: String,
        /// Links between switches.
        links: usize,
        /// Hosts.
        hosts: u128,
        /// What it takes, and the limit.
        rule: String,
    },
    /// Two switches with hosts have no way between them.
    #[error("topology `{topology}` is disconnected: hosts on switch {from} cannot reach hosts on switch {to}{pairs}")]
    Disconnected {
        /// The topology.
        topology: String,
        /// A switch with a host.
        from: u32,
        /// A switch with a host that cannot be reached from `from`.
        to: u32,
        /// The number of such pairs and the first ones, as the end of the sentence; empty if there is one.
        pairs: String,
    },
    /// A file breaks a rule of its format.
    #[error(transparent)]
    File(Located),
    /// A file uses a part of its format that mopsim does not simulate.
    #[error(transparent)]
    Unsupported(Located),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The topology cannot be built.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The routing does not exist or does not fit.
    #[error(transparent)]
    Routing(#[from] RoutingError),
}

impl PlatformError {
    /// One line on what to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::InvalidParameter { .. } => "change the parameter so that the rule holds".into(),
            Self::TooLarge { .. } => {
                "take a smaller network, or raise the limit with --memory if there is as much memory".into()
            }
            Self::Disconnected { topology, .. } if topology.starts_with("damaged:") => {
                "let fewer cables and switches fail, or take another seed of the failures".into()
            }
            Self::Disconnected { .. } => {
                "add cables, or put hosts only on switches that reach each other in both directions".into()
            }
            Self::File(located) | Self::Unsupported(located) => located.help.clone(),
            Self::Read(read) => read.help().into(),
            Self::Topology(error) => error.help(),
            Self::Routing(error) => error.help(),
        }
    }

    /// Whether reading failed, rather than what was read.
    pub fn is_io(&self) -> bool {
        match self {
            Self::Read(ReadError::Io { .. }) => true,
            Self::Topology(error) => error.is_io(),
            _ => false,
        }
    }
}
