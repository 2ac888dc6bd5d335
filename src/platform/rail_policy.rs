//! Parameters of networks whose hosts have several ports: the policy that chooses one, and the hosts of each plane.

use super::error::PlatformError;
use super::parameters::{CheckedParameters, HostsPerSwitch, MAX_HOSTS};
use crate::topology::Rails;
use serde::{Deserialize, Serialize};

/// Rule by which messages are assigned to the ports of hosts that have several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RailPolicy {
    /// The messages of a pair of hosts take the rails in turn.
    #[default]
    Message,
    /// All messages to a host take the same rail.
    Destination,
    /// Every message is divided equally over all rails.
    Striped,
}

impl RailPolicy {
    /// Names, in the order of the values.
    pub const NAMES: [(&'static str, RailPolicy); 3] =
        [("message", RailPolicy::Message), ("destination", RailPolicy::Destination), ("striped", RailPolicy::Striped)];

    /// Returns the name that is in [`RailPolicy::NAMES`].
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, policy)| *policy == self).map_or("", |(name, _)| name)
    }

    /// Returns the rail of a message that is not divided, among `rails` rails; 0 if there is none. `sequence` is the number
    /// of earlier messages of the pair of hosts.
    pub fn rail(self, from: u32, to: u32, sequence: u64, rails: usize) -> usize {
        let rails = rails.max(1) as u64;
        let (source, destination) = (u64::from(from), u64::from(to));
        let turn = match self {
            Self::Destination => destination,
            Self::Message | Self::Striped => (source + source / rails + destination).wrapping_add(sequence),
        };
        (turn % rails) as usize
    }
}

impl std::str::FromStr for RailPolicy {
    type Err = PlatformError;

    fn from_str(text: &str) -> Result<Self, PlatformError> {
        let known = Self::NAMES.iter().find(|(name, _)| *name == text);
        known.map(|&(_, policy)| policy).ok_or_else(|| PlatformError::InvalidParameter {
            parameter: "rail",
            value: format!("`{text}`"),
            constraint: "it must be `message`, `destination` or `striped`".into(),
        })
    }
}

impl CheckedParameters {
    /// Returns the number of hosts at home on each switch of each plane.
    ///
    /// # Errors
    /// [`PlatformError::InvalidParameter`] if a list has another length, or if there are more than [`MAX_HOSTS`] hosts.
    pub fn homes_on(&self, rails: &Rails) -> Result<Vec<Vec<u32>>, PlatformError> {
        let refuse = |value: String, constraint: String| {
            Err(PlatformError::InvalidParameter { parameter: "hosts_per_switch", value, constraint })
        };
        let mut homes = rails.homes();
        match &self.hosts_per_switch {
            None => {}
            Some(HostsPerSwitch::Uniform(count)) => homes = rails.homes_with(Some(*count)),
            Some(HostsPerSwitch::Each(counts)) if homes.iter().all(|plane| plane.len() == counts.len()) => {
                homes.iter_mut().for_each(|plane| plane.clone_from(counts));
            }
            Some(HostsPerSwitch::Each(counts)) if counts.len() == rails.switches() => {
                homes.iter_mut().flatten().zip(counts).for_each(|(hosts, &count)| *hosts = count);
            }
            Some(HostsPerSwitch::Each(counts)) => {
                let rule = format!("the planes have {} switches in all", rails.switches());
                return refuse(format!("a list of {} numbers", counts.len()), rule);
            }
        }
        let total: u64 = homes[0].iter().map(|&count| u64::from(count)).sum();
        if total * rails.count() as u64 > MAX_HOSTS as u64 {
            let value = format!("{total} hosts with {} ports each", rails.count());
            return refuse(value, format!("a platform has at most {MAX_HOSTS} ports of hosts"));
        }
        if let Err(rule) = rails.places(&homes) {
            return refuse("given".into(), rule);
        }
        Ok(homes)
    }
}
