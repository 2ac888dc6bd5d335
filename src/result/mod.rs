//! Observers that explain the duration of a replay.

pub mod critical;
pub mod explain;
pub mod lanes;
pub mod saturation;
pub mod sizes;
pub mod time_split;
