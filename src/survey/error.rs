//! Errors of surveys.

use crate::floorplan::FloorplanError;
use crate::routing::RoutingError;
use crate::topology::TopologyError;
use crate::user_error::UserError;

/// Reason why there is no survey of a topology.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The topology cannot be measured.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The floor plan does not fit the topology.
    #[error(transparent)]
    FloorPlan(#[from] FloorplanError),
    /// The routing does not fit the topology.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// A switch of a route does not exist, or there is no path.
    #[error("{0}")]
    Route(String),
    /// A route is requested in a network whose hosts have several ports.
    #[error("a route is within a plane, and the hosts of `{0}` have several ports")]
    SeveralPorts(String),
}

impl UserError for SurveyError {
    fn help(&self) -> String {
        match self {
            Self::Topology(error) => error.help(),
            Self::FloorPlan(_) => "see the floor plan options in --help".into(),
            Self::Routing(error) => error.help(),
            Self::SeveralPorts(_) => "show the route in the topology of one plane".into(),
            Self::Route(_) => "name two switches of the topology that are connected".into(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Topology(error) if error.is_io())
    }
}
