//! Graphs from files, one file for each format.

pub(super) mod edges;
pub(super) mod graphml;
pub(super) mod json;

/// What to do about a cable that a file may not have.
const CABLE_HELP: &str = "a cable joins two different switches, and switches have the numbers 0 to n-1";
