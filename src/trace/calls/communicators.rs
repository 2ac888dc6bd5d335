//! Communicators and windows from recorders: rank by rank, with handles.
//!
//! A recorder knows which communicators each rank has created, with which members, but has no name that all ranks agree
//! on. Ranks create communicators of the same members in the same order, or they would wait for each other; the list of
//! members, with the number of earlier communicators of that list on the rank, is therefore a name.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::trace::communicator::{CommunicatorId, MemberList};

/// Communicators by their members.
#[derive(Default)]
pub(super) struct Communicators {
    /// Communicators created from the same parent with the same members, in the order in which each member has created
    /// them.
    alike: FxHashMap<Option<CommunicatorId>, FxHashMap<MemberList, Vec<CommunicatorId>>>,
    /// Lists of members: equal ones are stored once.
    lists: FxHashSet<MemberList>,
    /// Number of equivalent communicators that each rank has created, keyed by the first of them.
    made: FxHashMap<(u32, CommunicatorId), usize>,
    /// Replacement tags of messages on communicators, in the order of first use.
    tags: FxHashMap<(CommunicatorId, i32), i32>,
}

/// Method of creating a communicator, which determines the messages of the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Making {
    /// By colours and keys, which all ranks have to exchange: `MPI_Comm_split`.
    Split,
    /// From knowledge that each member already has: `MPI_Comm_dup`, `MPI_Comm_create`, `MPI_Cart_create`,
    /// `MPI_Cart_sub`, `MPI_Win_create`.
    Agreed,
}

/// Tags from here on are replacements. Programs use such tags only with Open MPI, and rarely; no program has this many
/// others.
const FIRST_NUMBERED: i32 = 1 << 30;

impl Communicators {
    /// Returns the communicator that a rank creates from a parent, if that is known, with these members; a new one is
    /// added to the table.
    pub fn created(
        &mut self,
        table: &mut Vec<MemberList>,
        parent: Option<CommunicatorId>,
        rank: u32,
        members: &[u32],
    ) -> CommunicatorId {
        let Self { alike, lists, made, .. } = self;
        let list = lists.get(members).cloned().unwrap_or_else(|| members.into());
        lists.insert(list.clone());
        let ids = alike.entry(parent).or_default().entry(list.clone()).or_default();
        let next = CommunicatorId::from_index(table.len() as u32);
        let nth = made.entry((rank, ids.first().copied().unwrap_or(next))).or_default();
        *nth += 1;
        if let Some(&id) = ids.get(*nth - 1) {
            return id;
        }
        ids.push(next);
        table.push(list);
        next
    }

    /// Adds a communicator of all ranks together to the table.
    pub fn declared(&mut self, table: &mut Vec<MemberList>, members: &[u32]) -> CommunicatorId {
        let known = self.lists.get(members).cloned();
        let list = known.unwrap_or_else(|| MemberList::from(members));
        self.lists.insert(list.clone());
        table.push(list.clone());
        let id = CommunicatorId::from_index(table.len() as u32 - 1);
        self.alike.entry(None).or_default().entry(list).or_default().push(id);
        id
    }

    /// Returns the replacement of a tag on a communicator.
    pub fn tag(&mut self, communicator: CommunicatorId, tag: i32) -> i32 {
        if communicator.is_world() && tag < FIRST_NUMBERED {
            return tag;
        }
        let next = i32::MAX - self.tags.len() as i32;
        *self.tags.entry((communicator, tag)).or_insert(next)
    }
}
