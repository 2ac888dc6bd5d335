//! Formats and transformations of traces.

mod goal_collectives;
mod goal_schedules;
mod long_traces;
mod otf2_library;
