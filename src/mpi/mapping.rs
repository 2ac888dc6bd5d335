//! Which host each rank runs on.

use crate::ids::HostId;
use crate::mpi::layout::Layout;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// A rule that places ranks on hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mapping {
    /// Rank r on host r; there must be a host for every rank.
    #[default]
    OneEach,
    /// Neighbouring ranks together: ceil(ranks / hosts) on each host, host after host.
    Block,
    /// Rank r on host r mod hosts.
    RoundRobin,
    /// Like round-robin, over the hosts in a random order.
    Random {
        /// Seed of the order.
        seed: u64,
    },
    /// Rank r on entry r mod length of a list, as a host file gives it.
    Hosts(Vec<HostId>),
}

/// Why ranks cannot be placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// More ranks than hosts, and no rule that says who shares.
    #[error(
        "{ranks} ranks do not fit on {hosts} hosts, one each; say who shares a host with --mapping block, \
         --mapping round-robin or --hostfile FILE, or give the platform more hosts"
    )]
    TooManyRanks {
        /// Number of ranks.
        ranks: usize,
        /// Number of hosts.
        hosts: usize,
    },
    /// The platform or the list has no hosts.
    #[error("there is no host to place {ranks} ranks on")]
    NoHosts {
        /// Number of ranks.
        ranks: usize,
    },
}

impl Mapping {
    /// The names that [`by_name`](Self::by_name) knows.
    pub const NAMES: [&'static str; 4] = ["one-each", "block", "round-robin", "random"];

    /// A rule by its name; `seed` is that of the random one.
    pub fn by_name(name: &str, seed: u64) -> Option<Self> {
        match name {
            "one-each" => Some(Self::OneEach),
            "block" => Some(Self::Block),
            "round-robin" => Some(Self::RoundRobin),
            "random" => Some(Self::Random { seed }),
            _ => None,
        }
    }

    /// The rule in words, for results.
    pub fn describe(&self) -> String {
        match self {
            Self::OneEach => "one-each".to_owned(),
            Self::Block => "block".to_owned(),
            Self::RoundRobin => "round-robin".to_owned(),
            Self::Random { seed } => format!("random (seed {seed})"),
            Self::Hosts(list) => format!("host file ({} places)", list.len()),
        }
    }

    /// Places `ranks` ranks on a platform of `hosts` hosts.
    ///
    /// # Errors
    /// [`MappingError`] if there is no place for some rank.
    pub fn layout(&self, ranks: usize, hosts: usize) -> Result<Layout, MappingError> {
        let all = || (0..hosts).map(HostId::new);
        let list: Vec<HostId> = match self {
            Self::OneEach if ranks > hosts => return Err(MappingError::TooManyRanks { ranks, hosts }),
            Self::OneEach | Self::RoundRobin => all().collect(),
            Self::Block => {
                let each = ranks.div_ceil(hosts.max(1)).max(1);
                all().flat_map(|h| std::iter::repeat_n(h, each)).take(ranks).collect()
            }
            Self::Random { seed } => {
                let mut order: Vec<HostId> = all().collect();
                order.shuffle(&mut Pcg64::seed_from_u64(*seed));
                order
            }
            Self::Hosts(list) => list.clone(),
        };
        if list.is_empty() {
            return Err(MappingError::NoHosts { ranks });
        }
        Ok(Layout::new((0..ranks).map(|r| list[r % list.len()]).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Rank;

    fn hosts(mapping: &Mapping, ranks: usize, hosts: usize) -> Vec<u32> {
        let layout = mapping.layout(ranks, hosts).expect("fits");
        (0..ranks).map(|r| layout.host(Rank::new(r)).0).collect()
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
    fn too_many_ranks_need_a_rule() {
        let error = Mapping::OneEach.layout(5, 4).expect_err("one too many").to_string();
        assert!(error.contains("--mapping block"), "{error}");
        assert_eq!(Mapping::Block.layout(1, 0), Err(MappingError::NoHosts { ranks: 1 }));
    }
}
