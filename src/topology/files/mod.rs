//! Graphs from files, one source file per format.

pub(super) mod anynet;
pub(super) mod edges;
pub(super) mod graphml;
pub(super) mod ibnet;
pub(super) mod json;

/// Remedy for a cable that is not allowed.
const CABLE_HELP: &str = "a cable joins two different switches, and switches have the numbers 0 to n-1";
