//! Placement of ranks on hosts.

use crate::ids::HostId;
use crate::mpi::rank_map::RankMap;
use crate::printable::counted;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Rule that places ranks on hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mapping {
    /// Rank r on host r; there must be a host for every rank.
    #[default]
    OneEach,
    /// Neighbouring ranks together, host after host: one rank per core. With more ranks than cores, hosts are filled to
    /// the smallest common number that makes room for all; on hosts of one core, ceil(ranks / hosts).
    Block,
    /// Rank r on host r mod hosts.
    RoundRobin,
    /// Like round-robin, over the hosts in a random order.
    Random {
        /// Seed of the order.
        seed: u64,
    },
    /// Ranks that exchange much data near each other, by recursive bisection (`mpi/bisection.rs`). The places
    /// are those of [`Block`](Self::Block); the assignment of ranks to them depends on the trace and on the network.
    Bisection,
    /// Rank r on entry r mod length of a list, as read from a host file.
    Hosts(Vec<HostId>),
    /// Rank r on entry r of a list that has one for every rank, as read from a rank file.
    Ranks(Vec<HostId>),
}

/// Reason why ranks cannot be placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// More ranks than hosts, and no rule for sharing hosts.
    #[error(
        "{ranks} ranks do not fit on {hosts} hosts, one each{}; let ranks share hosts with --mapping block, \
         --mapping round-robin or --hostfile FILE, or give the platform more hosts",
        by_failures(*.lost)
    )]
    TooManyRanks {
        /// Number of ranks.
        ranks: usize,
        /// Number of hosts.
        hosts: usize,
        /// Number of switches that failed together with their hosts.
        lost: usize,
    },
    /// A rank file is for a different number of ranks.
    #[error(
        "the rank file places {placed} ranks, but there are {ranks}; give every rank from 0 to {last} one line",
        last = .ranks.saturating_sub(1)
    )]
    OtherRanks {
        /// Number of ranks.
        ranks: usize,
        /// Number of ranks in the file.
        placed: usize,
    },
    /// The platform or the list has no hosts.
    #[error("there is no host to place {ranks} ranks on")]
    NoHosts {
        /// Number of ranks.
        ranks: usize,
    },
}

impl MappingError {
    /// Adds the number of switches that failed together with their hosts, if that explains the error.
    #[must_use]
    pub fn after_failures(self, lost: usize) -> Self {
        match self {
            Self::TooManyRanks { ranks, hosts, .. } => Self::TooManyRanks { ranks, hosts, lost },
            other => other,
        }
    }
}

/// Returns the part of a message that explains missing hosts by failures; empty if no switch with hosts failed.
pub(crate) fn by_failures(lost: usize) -> String {
    match lost {
        0 => String::new(),
        1 => " (a switch failed with its hosts)".to_owned(),
        lost => format!(" ({lost} switches failed with their hosts)"),
    }
}

impl Mapping {
    /// The names that [`by_name`](Self::by_name) knows.
    pub const NAMES: [&'static str; 5] = ["one-each", "block", "round-robin", "random", "bisection"];

    /// Returns the rule of a name; `seed` is that of the random one.
    pub fn by_name(name: &str, seed: u64) -> Option<Self> {
        match name {
            "one-each" => Some(Self::OneEach),
            "block" => Some(Self::Block),
            "round-robin" => Some(Self::RoundRobin),
            "random" => Some(Self::Random { seed }),
            "bisection" => Some(Self::Bisection),
            _ => None,
        }
    }

    /// Returns a description of the rule, for results.
    pub fn describe(&self) -> String {
        match self {
            Self::OneEach => "one-each".to_owned(),
            Self::Block => "block".to_owned(),
            Self::RoundRobin => "round-robin".to_owned(),
            Self::Bisection => "bisection".to_owned(),
            Self::Random { seed } => format!("random (seed {seed})"),
            Self::Hosts(list) => format!("host file ({})", counted(list.len() as u64, "place")),
            Self::Ranks(list) => format!("rank file ({})", counted(list.len() as u64, "rank")),
        }
    }

    /// Places `ranks` ranks on `hosts` hosts of one core.
    ///
    /// # Errors
    /// [`MappingError`] if there is no place for some rank.
    pub fn rank_map(&self, ranks: usize, hosts: usize) -> Result<RankMap, MappingError> {
        self.rank_map_on_cores(ranks, &vec![1; hosts])
    }

    /// Places `ranks` ranks on hosts with these numbers of cores; with [`Bisection`](Self::Bisection) in their order,
    /// as if they sent nothing.
    ///
    /// # Errors
    /// [`MappingError`] if there is no place for some rank.
    pub fn rank_map_on_cores(&self, ranks: usize, cores: &[u32]) -> Result<RankMap, MappingError> {
        let hosts = cores.len();
        let all = || (0..hosts).map(HostId::new);
        let list: Vec<HostId> = match self {
            Self::OneEach if ranks > hosts => return Err(MappingError::TooManyRanks { ranks, hosts, lost: 0 }),
            Self::OneEach | Self::RoundRobin => all().collect(),
            Self::Block | Self::Bisection => {
                let least = common_number(ranks, cores);
                let on = |host: HostId| (cores[host.index()] as usize).max(least);
                all().flat_map(|host| std::iter::repeat_n(host, on(host))).take(ranks).collect()
            }
            Self::Random { seed } => {
                let mut order: Vec<HostId> = all().collect();
                order.shuffle(&mut Pcg64::seed_from_u64(*seed));
                order
            }
            Self::Hosts(list) => list.clone(),
            Self::Ranks(list) if list.len() != ranks => {
                return Err(MappingError::OtherRanks { ranks, placed: list.len() });
            }
            Self::Ranks(list) => list.clone(),
        };
        if list.is_empty() {
            return Err(MappingError::NoHosts { ranks });
        }
        Ok(RankMap::new((0..ranks).map(|r| list[r % list.len()]).collect()))
    }
}

/// Returns the smallest number that makes room for all ranks if each host takes at least that number, or one rank per
/// core if that is more.
fn common_number(ranks: usize, cores: &[u32]) -> usize {
    let room = |least: usize| cores.iter().fold(0_usize, |sum, &own| sum.saturating_add(least.max(own as usize)));
    let (mut low, mut high) = (0, ranks.div_ceil(cores.len().max(1)));
    while low < high {
        let middle = low + (high - low) / 2;
        if room(middle) >= ranks { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Rank;

    fn hosts(mapping: &Mapping, ranks: usize, hosts: usize) -> Vec<u32> {
        let rank_map = mapping.rank_map(ranks, hosts).expect("fits");
        (0..ranks).map(|r| rank_map.host(Rank::new(r)).0).collect()
    }

    #[test]
    fn every_rule_places_as_it_says() {
        assert_eq!(hosts(&Mapping::OneEach, 3, 4), [0, 1, 2]);
        assert_eq!(hosts(&Mapping::Block, 5, 2), [0, 0, 0, 1, 1]);
        assert_eq!(hosts(&Mapping::RoundRobin, 5, 2), [0, 1, 0, 1, 0]);
        assert_eq!(hosts(&Mapping::Hosts([3, 1].map(HostId).to_vec()), 3, 4), [3, 1, 3]);
        let random = hosts(&Mapping::Random { seed: 7 }, 6, 6);
        assert_eq!(random, hosts(&Mapping::Random { seed: 7 }, 6, 6));
        let mut sorted = random;
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn blocks_fill_the_cores_first() {
        let on = |ranks: usize, cores: &[u32]| {
            let rank_map = Mapping::Block.rank_map_on_cores(ranks, cores).expect("fits");
            (0..ranks).map(|r| rank_map.host(Rank::new(r)).0).collect::<Vec<_>>()
        };
        assert_eq!(on(5, &[2, 2, 2]), [0, 0, 1, 1, 2]);
        assert_eq!(on(4, &[1, 3, 1]), [0, 1, 1, 1]);
        // Seven ranks on five cores: two on each host make room for six, three for all.
        assert_eq!(on(7, &[2, 2, 1]), [0, 0, 0, 1, 1, 1, 2]);
        // The host with four cores keeps its four, the others take two.
        assert_eq!(on(8, &[1, 4, 1]), [0, 0, 1, 1, 1, 1, 2, 2]);
        assert_eq!(on(5, &[1, 1, 1, 1]), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn a_rank_file_is_for_one_number_of_ranks() {
        let ranks = Mapping::Ranks([2, 0, 2].map(HostId).to_vec());
        assert_eq!(hosts(&ranks, 3, 3), [2, 0, 2]);
        let error = ranks.rank_map(4, 3).expect_err("one is missing").to_string();
        assert_eq!(error, "the rank file places 3 ranks, but there are 4; give every rank from 0 to 3 one line");
    }

    #[test]
    fn too_many_ranks_need_a_rule() {
        let error = Mapping::OneEach.rank_map(5, 4).expect_err("one too many").to_string();
        assert!(error.contains("--mapping block"), "{error}");
        assert_eq!(Mapping::Block.rank_map(1, 0), Err(MappingError::NoHosts { ranks: 1 }));
    }
}
