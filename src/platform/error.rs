//! Errors of platforms.

use crate::routing::RoutingError;
use crate::topology::TopologyError;
use crate::topology::input::{Located, ReadError};
use crate::user_error::UserError;

/// Reason why a platform cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// A parameter breaks a rule.
    #[error("platform parameter `{parameter}` is {value}, but {constraint}")]
    InvalidParameter {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value as given.
        value: String,
        /// Broken rule, as the end of a sentence.
        constraint: String,
    },
    /// The platform would exceed the memory limit.
    #[error("the platform of `{name}` has {links} links between switches and {hosts} hosts, but {rule}")]
    TooLarge {
        /// Name of the topology or file.
        name: String,
        /// Number of links between switches.
        links: usize,
        /// Number of hosts.
        hosts: u128,
        /// Required memory and limit, as text.
        rule: String,
    },
    /// There is no path between two switches that have hosts.
    #[error("topology `{topology}` is disconnected: hosts on switch {from} cannot reach hosts on switch {to}{pairs}")]
    Disconnected {
        /// Name of the topology.
        topology: String,
        /// Switch with a host.
        from: u32,
        /// Switch with a host that cannot be reached from `from`.
        to: u32,
        /// Number of such pairs and the first of them, as the end of the sentence; empty if there is only one.
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

impl UserError for PlatformError {
    fn help(&self) -> String {
        match self {
            Self::InvalidParameter { .. } => "docs/reference/platforms.md lists all parameters".into(),
            Self::TooLarge { .. } => {
                "take a smaller network, or raise the limit with --memory if there is as much memory".into()
            }
            Self::Disconnected { topology, .. } if only_named(topology) => {
                "keep cables or switches that connect the hosts".into()
            }
            Self::Disconnected { topology, .. } if topology.starts_with("damaged:") => {
                "let fewer cables and switches fail, or take another seed of the failures".into()
            }
            Self::Disconnected { .. } => {
                "add cables, or put hosts only on switches that reach each other in both directions".into()
            }
            Self::File(located) | Self::Unsupported(located) => located.help.clone(),
            Self::Read(read) => read.help(),
            Self::Topology(error) => error.help(),
            Self::Routing(error) => error.help(),
        }
    }

    fn is_io(&self) -> bool {
        match self {
            Self::Read(error) => error.is_io(),
            Self::Topology(error) => error.is_io(),
            _ => false,
        }
    }
}

/// `true` for a damaged network none of whose failures are drawn by chance.
fn only_named(topology: &str) -> bool {
    let drawn = ["cables=", "switches=", "cabinets="];
    topology.starts_with("damaged:") && topology.contains("without=") && !drawn.iter().any(|key| topology.contains(key))
}
