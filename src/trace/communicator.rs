//! Communicators: the ranks of a collective or a window, in order.
//!
//! Messages use world ranks, whatever communicator the program used: they match on source, destination and tag only.
//! Collectives name their communicator, and number roots and partners by its members.

use std::sync::Arc;

/// A communicator of a trace: all ranks, or an entry of [`Trace::communicators`](super::Trace::communicators).
///
/// Two communicators may have the same members (`MPI_Comm_dup`): their collectives do not mix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub struct CommunicatorId(u32);

impl CommunicatorId {
    /// All ranks, in order. It has number 0 and no entry.
    pub const WORLD: CommunicatorId = CommunicatorId(0);

    /// Returns the communicator of an entry of [`Trace::communicators`](super::Trace::communicators).
    pub fn from_index(index: u32) -> Self {
        Self(index + 1)
    }

    /// Returns its entry; `None` for the world.
    pub fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }

    /// Returns its number in texts: 0 for the world, one more than the index for others.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the communicator with that number.
    pub fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Returns `true` for the communicator of all ranks.
    pub fn is_world(self) -> bool {
        self == Self::WORLD
    }
}

/// World ranks in the order of a communicator. Communicators with the same members share the list.
pub type MemberList = Arc<[u32]>;

/// The members of a communicator.
#[derive(Clone, Copy, Debug)]
pub enum Members<'a> {
    /// All ranks of a trace with this number of ranks.
    World(u32),
    /// The listed world ranks.
    Listed(&'a [u32]),
}

impl<'a> Members<'a> {
    /// Returns the members of a communicator of a trace with `ranks` ranks.
    ///
    /// # Panics
    /// If the table has no such entry.
    pub fn of(table: &'a [MemberList], id: CommunicatorId, ranks: usize) -> Self {
        match id.index() {
            None => Self::World(ranks as u32),
            Some(index) => Self::Listed(&table[index]),
        }
    }

    /// Returns the number of members.
    pub fn size(self) -> usize {
        match self {
            Self::World(ranks) => ranks as usize,
            Self::Listed(list) => list.len(),
        }
    }

    /// Returns the world rank of a member, if there is such a member.
    pub fn rank(self, member: u32) -> Option<u32> {
        match self {
            Self::World(ranks) => (member < ranks).then_some(member),
            Self::Listed(list) => list.get(member as usize).copied(),
        }
    }

    /// Returns the member number of a world rank, if it is a member. Takes time in proportion to the number of members.
    pub fn member(self, rank: u32) -> Option<u32> {
        match self {
            Self::World(ranks) => (rank < ranks).then_some(rank),
            Self::Listed(list) => list.iter().position(|&r| r == rank).map(|at| at as u32),
        }
    }

    /// Returns all members, as world ranks, in order.
    pub fn ranks(self) -> impl Iterator<Item = u32> + 'a {
        let (world, list): (u32, &'a [u32]) = match self {
            Self::World(ranks) => (ranks, &[]),
            Self::Listed(list) => (0, list),
        };
        (0..world).chain(list.iter().copied())
    }
}

/// The blocking (`true`) or non-blocking calls of a communicator: all members make them in the same order, so their
/// numbers identify calls that belong together.
pub(crate) type Sequence = (CommunicatorId, bool);

/// An error in a communicator, or in its use, in a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommunicatorProblem {
    /// The communicator was not declared.
    #[error("communicator {number} is not declared by any line before")]
    Unknown {
        /// Number of the communicator.
        number: u32,
    },
    /// A declaration of number 0.
    #[error("communicator 0 is that of all ranks, which needs no declaration")]
    World,
    /// A declaration without members.
    #[error("communicator {number} has no members")]
    Empty {
        /// Number of the communicator.
        number: u32,
    },
    /// A member is named twice.
    #[error("rank {member} is twice in communicator {number}")]
    Twice {
        /// Number of the communicator.
        number: u32,
        /// The repeated rank.
        member: u32,
    },
    /// A declaration contradicts an earlier one.
    #[error("communicator {number} was declared with other members, or in another order")]
    Changed {
        /// Number of the communicator.
        number: u32,
    },
    /// The rank of the line is not a member.
    #[error("rank {rank} is no member of communicator {number}")]
    NotAMember {
        /// Rank of the line.
        rank: u32,
        /// Number of the communicator.
        number: u32,
    },
    /// A root is too large.
    #[error("the {role} must be below the number of members of the communicator, {members}")]
    NoSuchMember {
        /// Role of the number.
        role: &'static str,
        /// Number of members.
        members: usize,
    },
    /// The partner of a one-sided operation is not a member of the window.
    #[error("the {role} is no member of the window")]
    NoTarget {
        /// Role of the number.
        role: &'static str,
    },
    /// An action that takes no communicator.
    #[error("{action} has no communicator")]
    Nowhere {
        /// Name of the action.
        action: &'static str,
    },
}

impl CommunicatorProblem {
    /// Returns one line on how to fix it.
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

/// Returns the first member that occurs twice.
pub(crate) fn twice(members: &[u32]) -> Option<u32> {
    // Most lists ascend, as a split makes them; comparing neighbours is then enough.
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
