//! How ranks are placed, as a user says it.

use super::StudyError;
use super::choice::ChoiceError;
use super::network::NetworkUnderTest;
use crate::mpi::mapping::Mapping;
use crate::platform::{PlatformError, hostfile, rankfile};
use crate::routing::DEFAULT_SEED;
use std::path::{Path, PathBuf};

/// How ranks are placed, as a user says it: by a rule, or by a file that names hosts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// Name of a rule.
    pub rule: Option<String>,
    /// A host file.
    pub hostfile: Option<PathBuf>,
    /// A rank file.
    pub rankfile: Option<PathBuf>,
}

impl Placement {
    /// Whether anything is said.
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Whether more than one thing is said.
    pub fn is_ambiguous(&self) -> bool {
        let said = [self.rule.is_some(), self.hostfile.is_some(), self.rankfile.is_some()];
        said.into_iter().filter(|&said| said).count() > 1
    }

    /// The mapping for a network. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`StudyError`] if there is no such rule, or if a file cannot be read or names hosts that the network does not
    /// have.
    pub fn mapping(&self, network: &NetworkUnderTest, folder: &Path, seed: Option<u64>) -> Result<Mapping, StudyError> {
        let platform = &network.platform;
        let in_network = |error: PlatformError| StudyError::Network {
            network: network.info.name.clone(),
            error: Box::new(error.into()),
        };
        match (&self.hostfile, &self.rankfile) {
            (Some(file), _) => hostfile::load(&folder.join(file), platform).map(Mapping::Hosts).map_err(in_network),
            (None, Some(file)) => rankfile::load(&folder.join(file), platform).map(Mapping::Ranks).map_err(in_network),
            (None, None) => Ok(mapping(self.rule.as_deref(), seed)?),
        }
    }
}

/// The mapping of that name.
///
/// # Errors
/// If there is none.
pub fn mapping(name: Option<&str>, seed: Option<u64>) -> Result<Mapping, ChoiceError> {
    match name {
        None => Ok(Mapping::default()),
        Some(name) => Mapping::by_name(name, seed.unwrap_or(DEFAULT_SEED))
            .ok_or_else(|| ChoiceError::unknown("mapping", name, &Mapping::NAMES)),
    }
}
