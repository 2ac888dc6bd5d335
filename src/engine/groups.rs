//! Communicators of a trace, as its collectives need them: the host of each member, and the member number of each rank.
//!
//! The rank map of a communicator contains only its members, so that the choice of an algorithm and the algorithm itself
//! see a world as small as the communicator. It is built when the first member enters a collective.

use crate::ids::Rank;
use crate::mpi::collective::SmpKnown;
use crate::mpi::rank_map::RankMap;
use crate::trace::{CollectiveCall, CommunicatorId, MemberList};
use rustc_hash::FxHashMap;

/// Communicator in use.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// Members, as ranks of the world.
    pub members: &'a [u32],
    /// Hosts of the members; its ranks are members.
    pub rank_map: RankMap,
    /// Members in ascending order of their ranks; empty if they are in that order already.
    sorted: Vec<u32>,
    /// Knowledge of each member about the node structure.
    pub smp: Vec<SmpKnown>,
}

impl<'a> Group<'a> {
    fn new(members: &'a [u32], world: &RankMap) -> Self {
        let mut sorted = Vec::new();
        if !members.windows(2).all(|pair| pair[0] < pair[1]) {
            sorted.extend(0..members.len() as u32);
            sorted.sort_unstable_by_key(|&member| members[member as usize]);
        }
        Self {
            members,
            rank_map: RankMap::new(members.iter().map(|&rank| world.host(Rank(rank))).collect()),
            sorted,
            smp: vec![SmpKnown::default(); members.len()],
        }
    }

    /// Returns the member number of a rank. Readers have checked that it is a member.
    fn member(&self, rank: u32) -> u32 {
        let found = if self.sorted.is_empty() {
            self.members.binary_search(&rank).map(|at| at as u32)
        } else {
            self.sorted.binary_search_by_key(&rank, |&member| self.members[member as usize]).map(|at| self.sorted[at])
        };
        found.expect("only members use a communicator")
    }
}

/// All communicators of a trace except that of all ranks.
#[derive(Debug)]
pub(super) struct Groups<'a> {
    lists: &'a [MemberList],
    world: &'a RankMap,
    groups: Vec<Option<Box<Group<'a>>>>,
    /// Number of non-blocking collectives that a rank has started on a communicator.
    started: FxHashMap<(u32, CommunicatorId), u64>,
    /// Contexts of those that not all members have started yet, and the number of members that have.
    contexts: FxHashMap<(CommunicatorId, u64), (u32, usize)>,
    last_context: u32,
}

impl<'a> Groups<'a> {
    /// Creates communicators with these members, ranks of `world`. No rank has entered one yet.
    pub fn new(lists: &'a [MemberList], world: &'a RankMap) -> Self {
        Self {
            lists,
            world,
            groups: lists.iter().map(|_| None).collect(),
            started: FxHashMap::default(),
            contexts: FxHashMap::default(),
            last_context: 0,
        }
    }

    /// Returns the member number of a rank in a communicator.
    pub fn enter(&mut self, id: CommunicatorId, rank: u32) -> u32 {
        let Some(index) = id.index() else { return rank };
        let (lists, world) = (self.lists, self.world);
        let group = self.groups[index].get_or_insert_with(|| Box::new(Group::new(&lists[index], world)));
        group.member(rank)
    }

    /// Returns the communicator of a call that some rank has entered; `None` for that of all ranks, and without a call.
    #[inline]
    pub fn of(&self, call: Option<&CollectiveCall>) -> Option<&Group<'a>> {
        self.groups[call?.communicator.index()?].as_deref()
    }

    /// Returns the knowledge of a member about the node structure, and the rank map; `None` for the communicator of all
    /// ranks.
    pub fn known(&mut self, id: CommunicatorId, member: u32) -> Option<(&mut SmpKnown, &RankMap)> {
        let group = self.groups[id.index()?].as_deref_mut()?;
        Some((&mut group.smp[member as usize], &group.rank_map))
    }

    /// Returns the context of the next non-blocking collective of a rank: equal for all members, since they start them
    /// in the same order, and different from that of any other collective under way.
    pub fn context(&mut self, id: CommunicatorId, rank: u32, members: usize) -> u32 {
        let started = self.started.entry((rank, id)).or_default();
        let key = (id, *started);
        *started += 1;
        let (context, present) = self.contexts.entry(key).or_insert_with(|| {
            self.last_context = (self.last_context + 1) & !FIBER;
            (self.last_context | FIBER, 0)
        });
        *present += 1;
        let context = *context;
        if *present == members {
            self.contexts.remove(&key);
        }
        context
    }
}

/// Set in the contexts of non-blocking collectives.
pub(super) const FIBER: u32 = 1 << 31;
