//! Plan of a sweep of packets over the networks of a study.

use crate::packets::choice::Settings;
use std::path::PathBuf;

/// Sweep over the networks of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPlan {
    /// Loads, patterns, seeds, switches.
    pub settings: Settings,
    /// Folder of relative file names in patterns.
    pub folder: PathBuf,
}
