//! Errors of throughput questions.

use crate::floorplan::FloorplanError;
use crate::platform::PlatformError;
use crate::routing::RoutingError;
use crate::topology::TopologyError;
use crate::traffic::TrafficError;
use crate::user_error::UserError;

/// Reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ThroughputError {
    /// A parameter breaks a rule.
    #[error("`{parameter}` is {value}, but {rule}")]
    Invalid {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value as given.
        value: String,
        /// Rule that it breaks.
        rule: String,
    },
    /// No host takes part.
    #[error("topology `{0}` has no host that could send")]
    NoHosts(String),
    /// Cables have different bandwidths.
    #[error("topology `{0}` has degraded cables, and capacity limits need cables of one bandwidth")]
    UnequalCables(String),
    /// Hosts have lost ports.
    #[error(
        "hosts of topology `{0}` have lost ports with their switches, and traffic is divided equally over all ports"
    )]
    LostPorts(String),
    /// Two switches with hosts have no way between them.
    #[error("topology `{topology}` is disconnected: hosts on switch {from} cannot reach hosts on switch {to}")]
    Disconnected {
        /// Name of the topology.
        topology: String,
        /// Switch with a host.
        from: u32,
        /// Switch with a host that cannot be reached from there.
        to: u32,
    },
    /// The question is too large for the method.
    #[error("{what} is too much: {value}, and the limit is {limit}")]
    TooLarge {
        /// Quantity that is too large.
        what: String,
        /// Size of the question.
        value: String,
        /// Largest supported size.
        limit: String,
    },
    /// A linear program was not solved.
    #[error("the linear program of topology `{topology}` was not solved: {reason}")]
    Solver {
        /// Name of the topology.
        topology: String,
        /// Message of the solver.
        reason: String,
    },
    /// The topology cannot be built.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The numbers of hosts do not fit.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The routing does not exist, or does not fit.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// The floor plan does not exist.
    #[error(transparent)]
    FloorPlan(#[from] FloorplanError),
    /// The traffic pattern does not exist, or does not fit.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
}

impl UserError for ThroughputError {
    fn help(&self) -> String {
        match self {
            Self::Invalid { .. } => "give a value that the rule above allows".into(),
            Self::LostPorts(_) => {
                "let cables fail instead, or replay an application, whose messages take the other ports".into()
            }
            Self::UnequalCables(_) => "leave out `degraded` (cables and switches may fail); read a fabric with cables of two speeds with speeds=false".into(),
            Self::NoHosts(_) => "give --hosts-per-switch a number of at least 1".into(),
            Self::Disconnected { .. } => {
                "add cables, or put hosts only on switches that reach each other in both directions".into()
            }
            Self::TooLarge { .. } => {
                "take a permutation instead of a pattern of all pairs, or a smaller network".into()
            }
            Self::Solver { .. } => "take --bound flow, which needs no linear program".into(),
            Self::Topology(error) => error.help(),
            Self::Platform(error) => error.help(),
            Self::Routing(error) => format!("{}; `split` divides traffic over all shortest paths", error.help()),
            Self::FloorPlan(_) => "see the floor plan options in --help".into(),
            Self::Traffic(error) => error.help(),
        }
    }

    fn is_io(&self) -> bool {
        match self {
            Self::Topology(error) => error.is_io(),
            Self::Platform(error) => error.is_io(),
            Self::Traffic(error) => error.is_io(),
            _ => false,
        }
    }
}
