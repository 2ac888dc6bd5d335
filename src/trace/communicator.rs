//! Communicators: which ranks take part in a collective or a window, and in which order.
//!
//! Messages name ranks of the world, wherever a program used another communicator: a triple of source, destination and
//! tag is all that they match on. Collectives name their communicator, and count roots and partners by its members.

use std::sync::Arc;

use super::{Action, Trace};

/// A communicator of a trace: all ranks, or an entry of [`Trace::communicators`](super::Trace::communicators).
///
/// Two communicators may have the same members (`MPI_Comm_dup`): their collectives do not mix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub struct CommunicatorId(u32);

impl CommunicatorId {
    /// All ranks, in their order. It has number 0 and no entry.
    pub const WORLD: CommunicatorId = CommunicatorId(0);

    /// The communicator of an entry of [`Trace::communicators`](super::Trace::communicators).
    pub fn from_index(index: u32) -> Self {
        Self(index + 1)
    }

    /// Its entry; none for the world.
    pub fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }

    /// The number by which texts call it: 0 for the world, one more than the index for others.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The communicator with that number.
    pub fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Whether it is that of all ranks.
    pub fn is_world(self) -> bool {
        self == Self::WORLD
    }
}

/// Ranks of the world in the order of a communicator. Communicators with the same members share the list.
pub type MemberList = Arc<[u32]>;

/// The members of a communicator.
#[derive(Clone, Copy, Debug)]
pub enum Members<'a> {
    /// All ranks of a trace of so many.
    World(u32),
    /// These ones.
    Listed(&'a [u32]),
}

impl<'a> Members<'a> {
    /// Those of a communicator of a trace of so many ranks.
    ///
    /// # Panics
    /// If the table has no such entry.
    pub fn of(table: &'a [MemberList], id: CommunicatorId, ranks: usize) -> Self {
        match id.index() {
            None => Self::World(ranks as u32),
            Some(index) => Self::Listed(&table[index]),
        }
    }

    /// Their number.
    pub fn size(self) -> usize {
        match self {
            Self::World(ranks) => ranks as usize,
            Self::Listed(list) => list.len(),
        }
    }

    /// The rank of the world that a member is, if there is such a member.
    pub fn rank(self, member: u32) -> Option<u32> {
        match self {
            Self::World(ranks) => (member < ranks).then_some(member),
            Self::Listed(list) => list.get(member as usize).copied(),
        }
    }

    /// Which member a rank of the world is, if it is one. Takes time in proportion to their number.
    pub fn member(self, rank: u32) -> Option<u32> {
        match self {
            Self::World(ranks) => (rank < ranks).then_some(rank),
            Self::Listed(list) => list.iter().position(|&r| r == rank).map(|at| at as u32),
        }
    }

    /// All of them, as ranks of the world, in their order.
    pub fn ranks(self) -> impl Iterator<Item = u32> + 'a {
        let (world, list): (u32, &'a [u32]) = match self {
            Self::World(ranks) => (ranks, &[]),
            Self::Listed(list) => (0, list),
        };
        (0..world).chain(list.iter().copied())
    }
}

/// The calls of a communicator that block (`true`), or those that do not: all members make them in the same order, so
/// their numbers tell which belong together.
pub(crate) type Sequence = (CommunicatorId, bool);

/// The sequence that an action is a part of: collectives and fences are.
pub(crate) fn sequence(trace: &Trace, action: &Action) -> Option<Sequence> {
    match *action {
        Action::Collective { index } => Some((trace.collectives[index as usize].communicator, true)),
        Action::Start { index, .. } => Some((trace.collectives[index as usize].communicator, false)),
        Action::Fence { window } => Some((window, true)),
        _ => None,
    }
}

/// What is wrong with a communicator, or with its use, in a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommunicatorProblem {
    /// No line has declared it.
    #[error("communicator {number} is not declared by any line before")]
    Unknown {
        /// Its number.
        number: u32,
    },
    /// A declaration of number 0.
    #[error("communicator 0 is that of all ranks, which needs no declaration")]
    World,
    /// A declaration without members.
    #[error("communicator {number} has no members")]
    Empty {
        /// Its number.
        number: u32,
    },
    /// A member is named twice.
    #[error("rank {member} is twice in communicator {number}")]
    Twice {
        /// Number of the communicator.
        number: u32,
        /// The rank.
        member: u32,
    },
    /// A declaration contradicts an earlier one.
    #[error("communicator {number} was declared with other members, or in another order")]
    Changed {
        /// Its number.
        number: u32,
    },
    /// The rank of the line is no member.
    #[error("rank {rank} is no member of communicator {number}")]
    NotAMember {
        /// The rank.
        rank: u32,
        /// Number of the communicator.
        number: u32,
    },
    /// A root is too large.
    #[error("the {role} has to be below the number of members of the communicator, {members}")]
    NoSuchMember {
        /// What the number is for.
        role: &'static str,
        /// Number of members.
        members: usize,
    },
    /// The partner of a one-sided operation has no part in the window.
    #[error("the {role} is no member of the window")]
    NoTarget {
        /// What the number is for.
        role: &'static str,
    },
    /// An action that has no communicator.
    #[error("{action} has no communicator")]
    Nowhere {
        /// Name of the action.
        action: &'static str,
    },
}

impl CommunicatorProblem {
    /// What to do about it, in one line.
    pub(super) fn help(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => {
                "declare it first, `RANK communicator NUMBER MEMBER...`, in the file of each rank that uses it"
            }
            Self::World => "number communicators from 1",
            Self::Empty { .. } => "name the members behind the number, as ranks of the world",
            Self::Twice { .. } => "name each member once; their order is that of their ranks in the communicator",
            Self::Changed { .. } => "give the other communicator a number of its own",
            Self::NotAMember { .. } => "only members call its collectives, and use it as a window",
            Self::NoSuchMember { .. } => "a root is counted by the members of its communicator, from 0",
            Self::NoTarget { .. } => {
                "partners of one-sided operations are ranks of the world that have a part in the window"
            }
            Self::Nowhere { .. } => "messages name ranks of the world; take `on NUMBER` away",
        }
    }
}

/// The first member that occurs twice.
pub(crate) fn twice(members: &[u32]) -> Option<u32> {
    // Most lists ascend, as a split makes them; then a look at neighbours is enough.
    if members.windows(2).all(|pair| pair[0] < pair[1]) {
        return None;
    }
    let mut seen = rustc_hash::FxHashSet::default();
    members.iter().copied().find(|&member| !seen.insert(member))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_numbered_in_the_order_of_their_list() {
        let table: Vec<MemberList> = vec![[4, 1, 3].into()];
        let row = Members::of(&table, CommunicatorId::from_index(0), 5);
        assert_eq!((row.size(), row.rank(0), row.rank(3)), (3, Some(4), None));
        assert_eq!((row.member(3), row.member(0)), (Some(2), None));
        assert_eq!(row.ranks().collect::<Vec<_>>(), [4, 1, 3]);
        let world = Members::of(&table, CommunicatorId::WORLD, 5);
        assert_eq!((world.size(), world.rank(4), world.member(5)), (5, Some(4), None));
        assert_eq!(world.ranks().sum::<u32>(), 10);
        assert_eq!((twice(&[1, 2, 9]), twice(&[3, 1, 3, 1])), (None, Some(3)));
    }
}
