//! Placements of ranks, as specified by users.

use super::StudyError;
use super::choice_error::ChoiceError;
use super::network::NetworkUnderTest;
use super::workload::Workload;
use crate::ids::{HostId, Rank, SwitchId};
use crate::mpi::bisection::{self, Affinity};
use crate::mpi::mapping::Mapping;
use crate::mpi::rank_map::RankMap;
use crate::platform::{PlatformError, hostfile, rankfile};
use crate::routing::DEFAULT_SEED;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Placement of ranks, as specified by a user: by a rule, or by a file of hosts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// Name of the rule.
    pub rule: Option<String>,
    /// Path of the host file.
    pub hostfile: Option<PathBuf>,
    /// Path of the rank file.
    pub rankfile: Option<PathBuf>,
}

impl Placement {
    /// Returns `true` if a placement is specified.
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Returns `true` if more than one placement is specified.
    pub fn is_ambiguous(&self) -> bool {
        let said = [self.rule.is_some(), self.hostfile.is_some(), self.rankfile.is_some()];
        said.into_iter().filter(|&said| said).count() > 1
    }

    /// Returns the mapping for a network. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`StudyError`] if there is no such rule, or if a file cannot be read or names unknown hosts.
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

/// Returns the mapping of that name.
///
/// # Errors
/// [`ChoiceError`] if there is none.
pub fn mapping(name: Option<&str>, seed: Option<u64>) -> Result<Mapping, ChoiceError> {
    match name {
        None => Ok(Mapping::default()),
        Some(name) => Mapping::by_name(name, seed.unwrap_or(DEFAULT_SEED))
            .ok_or_else(|| ChoiceError::unknown("mapping", name, &Mapping::NAMES)),
    }
}

/// Assigns places to ranks by recursive bisection: places in an order in which near switches are neighbours, halved at
/// switches; ranks by their communication volume.
pub(super) fn bisected(workload: &Workload, network: &NetworkUnderTest, places: &RankMap) -> RankMap {
    let hosts = &network.platform.hosts;
    let of = |host: HostId| hosts[host.index()].switch.map_or(u32::MAX, |switch| switch.0);
    let mut places: Vec<HostId> = (0..places.ranks()).map(|rank| places.host(Rank(rank))).collect();
    // Switches with hosts, in the order of their hosts, and the cables between them. Trees have no cables between
    // leaves, whose order then stays unchanged.
    let mut switches: Vec<u32> = Vec::new();
    let mut number: BTreeMap<u32, u32> = BTreeMap::new();
    for &host in &places {
        number.entry(of(host)).or_insert_with(|| {
            switches.push(of(host));
            switches.len() as u32 - 1
        });
    }
    let cables = network.topology.iter().flat_map(|topology| {
        let graph = &topology.graph;
        let number = &number;
        let known = move |switch: &u32| (*switch as usize) < graph.switches();
        switches.iter().copied().filter(known).flat_map(move |switch| {
            let ends = graph.heads_of(SwitchId(switch)).iter();
            ends.filter_map(move |end| Some((number[&switch], *number.get(end)?, 1)))
        })
    });
    let order = bisection::order(&Affinity::new(switches.len(), cables.collect::<Vec<_>>()));
    let mut at = vec![0_u32; order.len()];
    order.iter().zip(0..).for_each(|(&switch, place)| at[switch as usize] = place);
    places.sort_by_key(|&host| (at[number[&of(host)] as usize], host));
    let groups: Vec<u32> = places.iter().map(|&host| of(host)).collect();
    let of_ranks = bisection::place(workload.affinity(), &groups);
    RankMap::new(of_ranks.iter().map(|&place| places[place as usize]).collect())
}
