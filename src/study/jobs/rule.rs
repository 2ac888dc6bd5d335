//! Rules that select the hosts of a job, as batch systems have them.

use super::mix::JobsError;
use std::fmt;
use std::str::FromStr;

/// Rule that selects the hosts of a job among free ones.
///
/// A job gets whole hosts; its ranks fill the cores of one host after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AllocationRule {
    /// The first free hosts.
    #[default]
    Contiguous,
    /// Random free hosts.
    Random,
    /// All free hosts of a group, then those of another one; groups in random order. The parameter is the number of
    /// hosts per group; `None` for the groups of a Dragonfly and the cabinets of other networks.
    RandomGroups(Option<u32>),
    /// One free host of each group in turn; the parameter is that of [`RandomGroups`](Self::RandomGroups).
    Striped(Option<u32>),
}

impl AllocationRule {
    /// Names of the rules.
    pub const NAMES: [&'static str; 4] = ["contiguous", "random", "random-groups", "striped"];

    /// Returns `true` if the rule depends on a seed.
    pub fn is_random(self) -> bool {
        matches!(self, Self::Random | Self::RandomGroups(_))
    }
}

impl FromStr for AllocationRule {
    type Err = JobsError;

    fn from_str(text: &str) -> Result<Self, JobsError> {
        let wrong = || JobsError::Allocation { text: text.to_owned() };
        let (name, size) = match text.split_once(':') {
            None => (text, None),
            Some((name, size)) => (name, Some(size.parse().ok().filter(|&size| size > 0).ok_or_else(wrong)?)),
        };
        match (name.trim().to_lowercase().replace('_', "-").as_str(), size) {
            ("contiguous", None) => Ok(Self::Contiguous),
            ("random", None) => Ok(Self::Random),
            ("random-groups", size) => Ok(Self::RandomGroups(size)),
            ("striped", size) => Ok(Self::Striped(size)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for AllocationRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contiguous => f.write_str("contiguous"),
            Self::Random => f.write_str("random"),
            Self::RandomGroups(None) => f.write_str("random-groups"),
            Self::RandomGroups(Some(size)) => write!(f, "random-groups:{size}"),
            Self::Striped(None) => f.write_str("striped"),
            Self::Striped(Some(size)) => write!(f, "striped:{size}"),
        }
    }
}
