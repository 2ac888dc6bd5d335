//! Formats and transformations of traces.

mod goal_collectives;
mod long_traces;
mod otf2_library;
