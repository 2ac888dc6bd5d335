//! Communicators and groups of a rank.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::stream::DumpiCall;
use crate::trace::MemberList;

/// The known ranks of a communicator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CommRanks {
    /// All ranks, in their order.
    World,
    /// This rank alone.
    Alone,
    /// The listed world ranks.
    Members(MemberList),
    /// Not recorded.
    Unknown,
}

pub(super) const WORLD: i64 = 2;
const ALONE: i64 = 3;

/// The members after each split of a rank, in order; `None` if they are not known, or if the rank is in no part.
pub(super) type Splits = VecDeque<Option<MemberList>>;

/// Communicators and groups by their handles.
pub(super) struct Comms {
    rank: u32,
    world: MemberList,
    comms: FxHashMap<i64, CommRanks>,
    groups: FxHashMap<i64, MemberList>,
    /// Dimensions of the grids.
    grids: FxHashMap<i64, Vec<i32>>,
    splits: Splits,
}

impl Comms {
    /// Creates the state of a rank among all of `world`, whose splits have these results.
    pub fn new(rank: u32, world: MemberList, splits: Splits) -> Self {
        let comms = [(WORLD, CommRanks::World), (ALONE, CommRanks::Alone)].into_iter().collect();
        Self { rank, world, comms, groups: FxHashMap::default(), grids: FxHashMap::default(), splits }
    }

    /// Registers the result of the next split.
    pub fn told(&mut self, members: Option<MemberList>) {
        self.splits.push_back(members);
    }

    pub fn get(&self, handle: i64) -> &CommRanks {
        self.comms.get(&handle).unwrap_or(&CommRanks::Unknown)
    }

    /// Returns the world rank of a rank of a communicator.
    pub fn world_rank(&self, handle: i64, rank: i64) -> Option<u32> {
        let rank = u32::try_from(rank).ok()?;
        match self.get(handle) {
            CommRanks::World => self.world.get(rank as usize).copied(),
            CommRanks::Alone => (rank == 0).then_some(self.rank),
            CommRanks::Members(members) => members.get(rank as usize).copied(),
            CommRanks::Unknown => None,
        }
    }

    fn of(&self, members: MemberList) -> CommRanks {
        if members == self.world {
            CommRanks::World
        } else if *members == [self.rank] {
            CommRanks::Alone
        } else {
            CommRanks::Members(members)
        }
    }

    /// Returns the members of a communicator, if they are known.
    pub fn members(&self, handle: i64) -> Option<MemberList> {
        match self.get(handle) {
            CommRanks::World => Some(self.world.clone()),
            CommRanks::Alone => Some([self.rank].into()),
            CommRanks::Members(members) => Some(members.clone()),
            CommRanks::Unknown => None,
        }
    }

    /// Updates the state from a call that creates a communicator or a group. For a communicator, returns the handles of
    /// its parent and of the new one.
    pub fn learn(&mut self, call: &DumpiCall) -> Option<(i64, i64)> {
        let (i, v) = (&call.integers, &call.vectors);
        let (new, members) = match call.name {
            "Comm_dup" => (i[1], self.members(i[0])),
            "Comm_split" => (i[3], self.splits.pop_front().flatten()),
            "Cart_create" => (i[3], self.grid(call)),
            "Cart_sub" => (i[2], self.part_of_grid(call)),
            "Comm_create" => (i[2], self.groups.get(&i[1]).cloned()),
            "Graph_create" => (i[4], None),
            "Comm_group" => {
                if let Some(members) = self.members(i[0]) {
                    self.groups.insert(i[1], members);
                }
                return None;
            }
            "Group_incl" | "Group_excl" => {
                let old = self.groups.get(&i[0])?;
                let named = |index: usize| v[0].contains(&(index as i32));
                let new: Option<MemberList> = if call.name == "Group_incl" {
                    v[0].iter().map(|&rank| old.get(usize::try_from(rank).ok()?).copied()).collect()
                } else {
                    Some(old.iter().enumerate().filter(|(index, _)| !named(*index)).map(|(_, &rank)| rank).collect())
                };
                if let Some(new) = new {
                    self.groups.insert(i[2], new);
                }
                return None;
            }
            _ => return None,
        };
        let comm = members.map_or(CommRanks::Unknown, |members| self.of(members));
        self.comms.insert(new, comm);
        // Only in this call the number of dimensions is the first argument.
        let parent = if call.name == "Cart_sub" { i[1] } else { i[0] };
        Some((parent, new))
    }

    /// Returns the members of a grid: the first ranks of its parent, up to its size. They keep their numbers although
    /// the library may renumber them, which few libraries do.
    fn grid(&mut self, call: &DumpiCall) -> Option<MemberList> {
        let (i, dims) = (&call.integers, &call.vectors[0]);
        let size = dims.iter().try_fold(1usize, |size, &n| size.checked_mul(usize::try_from(n).ok()?))?;
        let members = self.members(i[0])?;
        let first = members.get(..size)?;
        self.grids.insert(i[3], dims.clone());
        Some(if size == members.len() { members } else { first.into() })
    }

    /// Returns the members of a part of a grid: those whose coordinates equal the rank's own in the dropped dimensions,
    /// in the row-major order of the others.
    fn part_of_grid(&mut self, call: &DumpiCall) -> Option<MemberList> {
        let (i, keeps) = (&call.integers, &call.vectors[0]);
        let dims = self.grids.get(&i[1])?.clone();
        let members = self.members(i[1])?;
        if keeps.len() != dims.len() {
            return None;
        }
        let coordinates = |mut place: usize| {
            let mut all = vec![0; dims.len()];
            for (at, &n) in all.iter_mut().zip(&dims).rev() {
                *at = place % n.max(1) as usize;
                place /= n.max(1) as usize;
            }
            all
        };
        let own = coordinates(members.iter().position(|&rank| rank == self.rank)?);
        let same = |place: usize| {
            coordinates(place).iter().zip(&own).zip(keeps).all(|((here, own), &keeps)| keeps != 0 || here == own)
        };
        let kept = dims.iter().zip(keeps).filter(|(_, keeps)| **keeps != 0).map(|(&n, _)| n).collect();
        self.grids.insert(i[2], kept);
        Some(members.iter().enumerate().filter(|(place, _)| same(*place)).map(|(_, &rank)| rank).collect())
    }
}
