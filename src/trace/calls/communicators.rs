//! Communicators, windows and non-blocking collectives from recorders: rank by rank, with handles.
//!
//! A recorder knows which communicators each rank has created, with which members, but has no name that all ranks agree
//! on. Ranks create communicators of the same members in the same order, or they would wait for each other; the list of
//! members, with the number of earlier communicators of that list on the rank, is therefore a name.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{At, Program, Request, full};
use crate::trace::communicator::{CommunicatorId, MemberList, Members, twice};
use crate::trace::error::TraceError;
use crate::trace::{Action, CollectiveCall, CollectiveKind, Datatype};

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

impl Program<'_> {
    /// Returns the communicator (or window) that a rank creates now, with these members in order, as world ranks.
    ///
    /// The result is the same for all its members if each calls this for each communicator that it creates, in its own
    /// order; the ranks may call in any order. It records no action: [`making`](Self::making) records the cost of the
    /// call.
    pub fn new_communicator(
        &mut self,
        rank: u32,
        members: &[u32],
        file: &Path,
        at: At,
    ) -> Result<CommunicatorId, TraceError> {
        self.communicator_of(None, rank, members, file, at)
    }

    /// Returns the communicator that a rank creates from a known parent. Only the order of communicators with that
    /// parent matters then, so threads may create others from other parents.
    pub fn communicator_of(
        &mut self,
        parent: Option<CommunicatorId>,
        rank: u32,
        members: &[u32],
        file: &Path,
        at: At,
    ) -> Result<CommunicatorId, TraceError> {
        const HELP: &str = "the file is damaged, or the recorder is wrong";
        if !members.contains(&rank) {
            return Err(self.error(file, at, format!("rank {rank} is no member of its own communicator"), HELP));
        }
        if let Some(&wrong) = members.iter().find(|&&member| member as usize >= self.ranks.len()) {
            return Err(self.error(file, at, format!("a communicator has rank {wrong}, which there is not"), HELP));
        }
        if let Some(member) = twice(members) {
            return Err(self.error(file, at, format!("rank {member} is twice in a communicator"), HELP));
        }
        let table = &mut self.tables.communicators;
        let Communicators { alike, lists, made, .. } = &mut self.communicators;
        let list = lists.get(members).cloned().unwrap_or_else(|| members.into());
        lists.insert(list.clone());
        let ids = alike.entry(parent).or_default().entry(list.clone()).or_default();
        let next = CommunicatorId::from_index(table.len() as u32);
        let nth = made.entry((rank, ids.first().copied().unwrap_or(next))).or_default();
        *nth += 1;
        if let Some(&id) = ids.get(*nth - 1) {
            return Ok(id);
        }
        ids.push(next);
        table.push(list);
        Ok(next)
    }

    /// Returns the members of a communicator.
    pub fn members(&self, id: CommunicatorId) -> Members<'_> {
        Members::of(&self.tables.communicators, id, self.ranks.len())
    }

    /// Records the cost of a call that creates a communicator: collectives on its parent. For a split all members
    /// exchange colour and key (an allgather of 8 bytes); then, as for every communicator, all agree on a number for
    /// its messages (an allreduce of 4 bytes). This is the essence of the methods of MPICH and Open MPI, which may need
    /// several rounds to agree.
    pub fn making(&mut self, rank: u32, making: Making, parent: CommunicatorId) -> Result<(), TraceError> {
        if self.members(parent).size() <= 1 {
            return Ok(());
        }
        let call = |kind, bytes| CollectiveCall {
            communicator: parent,
            ..CollectiveCall::uniform(kind, 0, bytes, Datatype::BYTE)
        };
        if making == Making::Split {
            self.collective(rank, call(CollectiveKind::Allgather, 8))?;
        }
        self.collective(rank, call(CollectiveKind::Allreduce, 4))
    }

    /// Returns the replacement of a tag on a communicator. Messages match on world ranks and the tag only; to keep
    /// messages on different communicators apart, the tags of all but the world are numbered down from the largest, as
    /// are world tags in that range.
    pub fn tag(&mut self, communicator: CommunicatorId, tag: i32) -> i32 {
        if communicator.is_world() && tag < FIRST_NUMBERED {
            return tag;
        }
        let tags = &mut self.communicators.tags;
        let next = i32::MAX - tags.len() as i32;
        *tags.entry((communicator, tag)).or_insert(next)
    }

    /// Returns a communicator that the format declares for all ranks together, with these members in order.
    pub fn declare(&mut self, members: &[u32]) -> CommunicatorId {
        let known = self.communicators.lists.get(members).cloned();
        let list = known.unwrap_or_else(|| MemberList::from(members));
        self.communicators.lists.insert(list.clone());
        self.tables.communicators.push(list.clone());
        let id = CommunicatorId::from_index(self.tables.communicators.len() as u32 - 1);
        self.communicators.alike.entry(None).or_default().entry(list).or_default().push(id);
        id
    }

    /// Starts a non-blocking collective; [`wait`](Self::wait) with the handle ends it.
    pub fn start_collective(&mut self, rank: u32, handle: u64, call: CollectiveCall) -> Result<(), TraceError> {
        let at = self.open_collective(rank, handle);
        self.settle_collective(rank, at, call)
    }

    /// Starts a non-blocking collective whose arguments follow later, through
    /// [`settle_collective`](Self::settle_collective). Returns the index of its action.
    pub fn open_collective(&mut self, rank: u32, handle: u64) -> usize {
        let state = &mut self.ranks[rank as usize];
        let (number, at) = (state.requests.number(), state.actions.len());
        state.requests.insert(handle, Request::Collective { number, at });
        state.actions.push(Action::Start { index: u32::MAX, request: number });
        at
    }

    /// Waits for a started collective; its number is free again.
    pub fn wait_collective(&mut self, rank: u32, number: u32) {
        self.push(rank, Action::WaitRequest { request: number });
        let state = &mut self.ranks[rank as usize];
        state.requests.is_free(number, state.actions.len());
    }

    /// Removes a started collective that turns out to do nothing; its number is free again.
    pub fn drop_collective(&mut self, rank: u32, number: u32, at: usize) {
        let state = &mut self.ranks[rank as usize];
        state.requests.is_free(number, state.actions.len());
        state.actions.set(at, Action::NoOperation);
    }

    /// Sets the arguments of a collective; the existing action determines whether it is blocking.
    pub fn settle_collective(&mut self, rank: u32, at: usize, call: CollectiveCall) -> Result<(), TraceError> {
        let new = self.tables.collective(call).map_err(full)?;
        let actions = &mut self.ranks[rank as usize].actions;
        let settled = match actions.get(at) {
            Some(Action::Start { request, .. }) => Action::Start { index: new, request },
            _ => Action::Collective { index: new },
        };
        actions.set(at, settled);
        Ok(())
    }
}
