//! Communicators, windows and collectives that do not block, as recorders tell them: rank by rank, with handles.
//!
//! A recorder knows for each rank which communicators it has made, with which members, but no name that all ranks agree
//! on. Members make communicators of the same members in the same order, or they would wait for each other; so the list
//! of members, and how many with that list the rank has made before, is a name.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{At, Program, Request, full};
use crate::trace::communicator::{CommunicatorId, MemberList, Members, twice};
use crate::trace::error::TraceError;
use crate::trace::{Action, CollectiveCall, CollectiveKind, Datatype};

/// Communicators by their members.
#[derive(Default)]
pub(super) struct Communicators {
    /// Those made from the same one with the same members, in the order in which each member has made them.
    alike: FxHashMap<Option<CommunicatorId>, FxHashMap<MemberList, Vec<CommunicatorId>>>,
    /// Lists of members: equal ones are stored once.
    lists: FxHashSet<MemberList>,
    /// How many of those alike each rank has made; they are named by the first of them.
    made: FxHashMap<(u32, CommunicatorId), usize>,
    /// Tags of messages on communicators, in the order in which they were met.
    tags: FxHashMap<(CommunicatorId, i32), i32>,
}

/// How a communicator comes into being: what messages the call costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Making {
    /// By colours and keys, which all ranks have to know of each other: `MPI_Comm_split`.
    Split,
    /// From what each member knows already: `MPI_Comm_dup`, `MPI_Comm_create`, `MPI_Cart_create`, `MPI_Cart_sub`,
    /// `MPI_Win_create`.
    Agreed,
}

/// Tags from here on stand for others. Programs have such tags with Open MPI only, and hardly there; nobody has so many
/// others.
const FIRST_NUMBERED: i32 = 1 << 30;

impl Program<'_> {
    /// The communicator (or window) that a rank makes now, with these members in their order, as ranks of the world.
    ///
    /// It is the same one for all its members if each calls this for each communicator that it makes, in its own order;
    /// the ranks may come in any order. It records no action: what the call costs is [`making`](Self::making).
    pub fn new_communicator(
        &mut self,
        rank: u32,
        members: &[u32],
        file: &Path,
        at: At,
    ) -> Result<CommunicatorId, TraceError> {
        self.communicator_of(None, rank, members, file, at)
    }

    /// The same where it is known from which communicator it is made: only its members' order of those made from that
    /// one matters then, so that threads may make others from others.
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

    /// The members of a communicator.
    pub fn members(&self, id: CommunicatorId) -> Members<'_> {
        Members::of(&self.tables.communicators, id, self.ranks.len())
    }

    /// What the call that makes a communicator costs: collectives on the one from which it is made. To split means that
    /// all tell all their colour and key (an allgather of 8 bytes); then, as in every making, all agree on a number for
    /// the messages of the new one (an allreduce of 4 bytes). That is the essence of what MPICH and Open MPI do; they
    /// may need several rounds to agree.
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

    /// The tag that stands for a tag on a communicator. Messages match on the ranks of the world and the tag only; so
    /// that those on different communicators do not mix, the tags of all but the world are numbered down from the
    /// largest, and so are those of the world that are as large.
    pub fn tag(&mut self, communicator: CommunicatorId, tag: i32) -> i32 {
        if communicator.is_world() && tag < FIRST_NUMBERED {
            return tag;
        }
        let tags = &mut self.communicators.tags;
        let next = i32::MAX - tags.len() as i32;
        *tags.entry((communicator, tag)).or_insert(next)
    }

    /// A communicator that the format names for all ranks at once, with these members in their order.
    pub fn declare(&mut self, members: &[u32]) -> CommunicatorId {
        let known = self.communicators.lists.get(members).cloned();
        let list = known.unwrap_or_else(|| MemberList::from(members));
        self.communicators.lists.insert(list.clone());
        self.tables.communicators.push(list.clone());
        let id = CommunicatorId::from_index(self.tables.communicators.len() as u32 - 1);
        self.communicators.alike.entry(None).or_default().entry(list).or_default().push(id);
        id
    }

    /// Starts a collective that does not block; [`wait`](Self::wait) with the handle ends it.
    pub fn start_collective(&mut self, rank: u32, handle: u64, call: CollectiveCall) -> Result<(), TraceError> {
        let at = self.open_collective(rank, handle);
        self.settle_collective(rank, at, call)
    }

    /// The same where the arguments are told later, to [`settle_collective`](Self::settle_collective). Gives the place
    /// of its action.
    pub fn open_collective(&mut self, rank: u32, handle: u64) -> usize {
        let state = &mut self.ranks[rank as usize];
        let (number, at) = (state.requests.number(), state.actions.len());
        state.requests.insert(handle, Request::Collective { number, at });
        state.actions.push(Action::Start { index: u32::MAX, request: number });
        at
    }

    /// Waits for a collective that was started; its number is free again.
    pub fn wait_collective(&mut self, rank: u32, number: u32) {
        self.push(rank, Action::WaitRequest { request: number });
        let state = &mut self.ranks[rank as usize];
        state.requests.is_free(number, state.actions.len());
    }

    /// A collective that was started turns out to do nothing: it is left out, and its number is free again.
    pub fn drop_collective(&mut self, rank: u32, number: u32, at: usize) {
        let state = &mut self.ranks[rank as usize];
        state.requests.is_free(number, state.actions.len());
        state.actions.set(at, Action::NoOperation);
    }

    /// Gives a collective its arguments; whether it blocks is known by what stands there.
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
