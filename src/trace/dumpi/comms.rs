//! Communicators and groups of a rank.

use rustc_hash::FxHashMap;

use super::stream::Call;

/// The ranks of a communicator, as far as they are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Comm {
    /// All ranks, in their order.
    World,
    /// This rank alone.
    Alone,
    /// These ranks of the world.
    Members(Vec<u32>),
    /// The recorder does not tell.
    Unknown,
}

const WORLD: i64 = 2;
const ALONE: i64 = 3;

/// Communicators and groups by their handles.
pub(super) struct Comms {
    rank: u32,
    ranks: u32,
    comms: FxHashMap<i64, Comm>,
    groups: FxHashMap<i64, Vec<u32>>,
}

impl Comms {
    pub fn new(rank: u32, ranks: u32) -> Self {
        let comms = [(WORLD, Comm::World), (ALONE, Comm::Alone)].into_iter().collect();
        Self { rank, ranks, comms, groups: FxHashMap::default() }
    }

    pub fn get(&self, handle: i64) -> &Comm {
        self.comms.get(&handle).unwrap_or(&Comm::Unknown)
    }

    /// The rank of the world that a rank of a communicator is.
    pub fn world_rank(&self, handle: i64, rank: i64) -> Option<u32> {
        let rank = u32::try_from(rank).ok()?;
        match self.get(handle) {
            Comm::World => (rank < self.ranks).then_some(rank),
            Comm::Alone => (rank == 0).then_some(self.rank),
            Comm::Members(members) => members.get(rank as usize).copied(),
            Comm::Unknown => None,
        }
    }

    fn of(&self, members: Vec<u32>) -> Comm {
        if members.iter().copied().eq(0..self.ranks) {
            Comm::World
        } else if members == [self.rank] {
            Comm::Alone
        } else {
            Comm::Members(members)
        }
    }

    fn members(&self, handle: i64) -> Option<Vec<u32>> {
        match self.get(handle) {
            Comm::World => Some((0..self.ranks).collect()),
            Comm::Alone => Some(vec![self.rank]),
            Comm::Members(members) => Some(members.clone()),
            Comm::Unknown => None,
        }
    }

    /// Learns from a call that makes a communicator or a group.
    pub fn learn(&mut self, call: &Call) {
        let (i, v) = (&call.integers, &call.vectors);
        let mut set = |handle: i64, comm: Comm| drop(self.comms.insert(handle, comm));
        match call.name {
            "Comm_dup" => {
                let old = self.get(i[0]).clone();
                self.comms.insert(i[1], old);
            }
            "Comm_split" => set(i[3], Comm::Unknown),
            "Cart_create" => {
                // A grid of all ranks that keeps their order is another name of the same.
                let size: i64 = v[0].iter().map(|&n| i64::from(n)).fold(1, i64::saturating_mul);
                let members = self.members(i[0]);
                let same = members.as_ref().is_some_and(|members| members.len() as i64 == size) && i[2] == 0;
                let comm = if same { self.get(i[0]).clone() } else { Comm::Unknown };
                self.comms.insert(i[3], comm);
            }
            "Comm_group" => {
                if let Some(members) = self.members(i[0]) {
                    self.groups.insert(i[1], members);
                }
            }
            "Group_incl" | "Group_excl" => {
                let Some(old) = self.groups.get(&i[0]) else { return };
                let named = |index: usize| v[0].contains(&(index as i32));
                let new: Option<Vec<u32>> = if call.name == "Group_incl" {
                    v[0].iter().map(|&rank| old.get(usize::try_from(rank).ok()?).copied()).collect()
                } else {
                    Some(old.iter().enumerate().filter(|(index, _)| !named(*index)).map(|(_, &rank)| rank).collect())
                };
                if let Some(new) = new {
                    self.groups.insert(i[2], new);
                }
            }
            "Comm_create" => {
                let comm = self.groups.get(&i[1]).map_or(Comm::Unknown, |members| self.of(members.clone()));
                self.comms.insert(i[2], comm);
            }
            "Graph_create" => set(i[4], Comm::Unknown),
            "Cart_sub" => set(i[2], Comm::Unknown),
            _ => {}
        }
    }
}
