//! Failures as written, and the state of a network in a setting.

use serde::Deserialize;

/// Cables and switches that fail, as written in a study: one entry of `failures`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureChoice {
    /// Cables: a number, or a share such as `1 %`.
    pub(super) cables: Option<toml::Value>,
    /// Switches, with their cables and hosts.
    pub(super) switches: Option<toml::Value>,
    /// Number of seeds, from that of the study on; default: 10.
    pub(super) seeds: Option<u32>,
    /// `remade` (default) or `repaired`.
    pub(super) routes: Option<String>,
}

/// Cables that become slower, as written in a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DegradedChoice {
    /// Cables: a number, or a share such as `2 %`.
    pub(super) cables: toml::Value,
    /// Remaining share of their bandwidth, such as `50 %`.
    pub(super) bandwidth: toml::Value,
    /// Number of seeds, if the study has no `failures`; default: 10.
    pub(super) seeds: Option<u32>,
    /// `remade` (default) or `repaired`, if the study has no `failures`.
    pub(super) routes: Option<String>,
}

/// State of a network in a setting of a study with failures.
#[derive(Debug, Clone, PartialEq)]
pub enum Failed {
    /// The network without failures.
    Intact,
    /// The network with failures, which are described in words.
    Damaged(String),
    /// The network with all cables slower by the same loss; the failures of the damaged network are described in words.
    Even(String),
}

impl Failed {
    /// Returns the name for reports.
    pub fn name(&self) -> String {
        match self {
            Self::Intact => "intact".to_owned(),
            Self::Damaged(level) => level.clone(),
            Self::Even(level) => format!("evenly {level}"),
        }
    }
}
