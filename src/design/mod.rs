//! Help in choosing a network before it exists: bounds, networks that fit, hops for Equality, growing a DSN-F.
//!
//! Nothing here simulates. [`bounds`] has the closed forms, [`fit`] lists families for a number of hosts and ports,
//! [`space`] more networks of these families for a search, [`equality`] searches hops, [`dsnf`] lists the cables that an expansion touches.

pub mod bounds;
pub mod dsnf;
pub mod equality;
pub mod fit;
pub mod space;

use crate::topology::TopologyError;
use crate::user_error::UserError;

/// Reason why a design cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DesignError {
    /// A number breaks a rule.
    #[error("{parameter} is {value}: {constraint}")]
    InvalidParameter {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value as given.
        value: String,
        /// Rule that it breaks.
        constraint: String,
    },
    /// A topology cannot be built.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

impl UserError for DesignError {
    fn help(&self) -> String {
        match self {
            Self::InvalidParameter { .. } => "give a value that the rule above allows".into(),
            Self::Topology(error) => error.help(),
        }
    }
}

fn invalid<T>(parameter: &'static str, value: impl ToString, constraint: impl Into<String>) -> Result<T, DesignError> {
    Err(DesignError::InvalidParameter { parameter, value: value.to_string(), constraint: constraint.into() })
}
