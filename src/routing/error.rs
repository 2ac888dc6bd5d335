//! Errors of routings. The help lists all rules, so its `impl UserError` is in `mod.rs`, with their table.

use crate::similar::did_you_mean;
use crate::topology::Topology;

/// Reason why there is no such routing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutingError {
    /// No routing has this name.
    #[error("there is no routing rule `{name}`{}", did_you_mean(.nearest.as_deref()))]
    Unknown {
        /// Name as given.
        name: String,
        /// Routing with the nearest name.
        nearest: Option<String>,
    },
    /// An option is unknown or has an invalid value.
    #[error("routing `{routing}` does not take `{option}`: {reason}")]
    Option {
        /// Name of the routing.
        routing: &'static str,
        /// Option as given.
        option: String,
        /// The rule that it breaks.
        reason: String,
    },
    /// The number of rules is not that of the planes.
    #[error("{rules} routings are given for {planes} {}", if *.planes == 1 { "plane" } else { "planes" })]
    Planes {
        /// Number of rules.
        rules: usize,
        /// Number of planes.
        planes: usize,
    },
    /// The routing is for other topologies.
    #[error("routing `{routing}` does not fit topology `{topology}`: {reason}")]
    Unsuitable {
        /// Name of the routing.
        routing: String,
        /// Name of the topology.
        topology: String,
        /// Property that it lacks.
        reason: String,
    },
}

impl RoutingError {
    pub(super) fn unsuitable(routing: &str, topology: &Topology, reason: &str) -> Self {
        Self::Unsuitable { routing: routing.into(), topology: topology.name(), reason: reason.into() }
    }
}
