//! Studies: which workloads run on which networks, and how their results compare.
//!
//! Everything exists twice here, as written ([`mod@file`], [`choice`], [`network::NetworkChoice`]) and as checked and built
//! ([`Study`]); only the checked form runs.

pub mod cell;
pub mod choice;
pub mod comparison;
pub mod file;
pub mod mean;
pub mod network;
mod run;
pub mod toml_file;
pub mod workload;

pub use run::{Overrides, Placement, Progress, Silent, Study, StudyError, mapping};
