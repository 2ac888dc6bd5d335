//! A specification that has been read.

use super::family::{Arguments, Family, canonical};
use std::fmt;

/// A specification that has been read: a family, and arguments of the right kinds.
#[derive(Clone, Debug)]
pub struct Spec {
    pub(super) arguments: Arguments,
    pub(super) seed_given: bool,
}

impl Spec {
    /// Returns the family that is specified.
    pub fn family(&self) -> &'static Family {
        self.arguments.family
    }

    /// Returns the arguments, defaults filled in.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Returns `true` if the graph is read from a file.
    pub fn is_file(&self) -> bool {
        self.family().parameters.iter().any(|parameter| parameter.name == "path")
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical(&self.arguments))
    }
}
