//! Checks that the members of a collective agree on the sizes of the blocks that they exchange (MPI 4.0, sections 6.5 to
//! 6.9).
//!
//! A size of 0 is not compared where data may be in place, for which recordings contain it: what any rank sends in an
//! alltoall, allgather or allgatherv, what the root of a gather sends to itself, and what that of a scatter receives.

use super::deadlock::Call;
use crate::trace::communicator::Members;
use crate::trace::{CollectiveCall, CollectiveKind, Trace};

/// A size that one member sends and another expects otherwise.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The member that receives, and its action.
    pub rank: u32,
    pub action: usize,
    /// Rank that sends.
    pub from: u32,
    /// Bytes that it sends, and bytes that the member expects.
    pub sent: u64,
    pub expected: u64,
}

/// Calls of all members, by member number.
pub(super) struct MetCalls<'a> {
    trace: &'a Trace,
    members: Members<'a>,
    calls: Vec<(u32, usize)>,
}

impl<'a> MetCalls<'a> {
    /// Collects calls of the same kind with the same root; `None` if they are not all there, or of a fence.
    pub fn of(trace: &'a Trace, members: Members<'a>, calls: &[Call]) -> Option<Self> {
        if calls.len() != members.size() {
            return None;
        }
        let mut by_member = calls
            .iter()
            .map(|call| Some((members.member(call.rank)?, call.entry?, call.action)))
            .collect::<Option<Vec<_>>>()?;
        by_member.sort_unstable();
        let calls: Vec<_> = by_member.into_iter().map(|(_, entry, action)| (entry, action)).collect();
        let same = |call: &CollectiveCall| (call.kind, call.root);
        let first = same(trace.collectives.get(calls.first()?.0 as usize)?);
        let are_same = calls.iter().all(|&(entry, _)| same(&trace.collectives[entry as usize]) == first);
        are_same.then_some(Self { trace, members, calls })
    }

    /// Returns the entries of the table of collectives, by member.
    pub fn entries(&self) -> impl Iterator<Item = u32> {
        self.calls.iter().map(|&(entry, _)| entry)
    }

    /// Returns the call of a member.
    pub fn call(&self, member: usize) -> &'a CollectiveCall {
        &self.trace.collectives[self.calls[member].0 as usize]
    }

    /// Returns the first difference.
    pub fn difference(&self) -> Option<Difference> {
        use CollectiveKind as K;
        let first = self.call(0);
        let all = 0..self.calls.len();
        let root = first.root as usize;
        match first.kind {
            K::Gather | K::Gatherv => all.clone().find_map(|from| self.pair(from, root)),
            K::Scatter | K::Scatterv => all.clone().find_map(|to| self.pair(root, to)),
            // All blocks of a member have the same size, so it suffices to look at one of each.
            K::Alltoall | K::Allgather => all
                .clone()
                .find_map(|one| self.pair(one, 0).or_else(|| self.pair(0, one)).or_else(|| self.pair(one, one))),
            K::Allgatherv | K::Alltoallv => all.clone().find_map(|to| all.clone().find_map(|from| self.pair(from, to))),
            _ => None,
        }
    }

    /// Compares what one member sends to another with what that one expects.
    fn pair(&self, from: usize, to: usize) -> Option<Difference> {
        let (giver, taker) = (self.call(from), self.call(to));
        let one = |counts, index: usize| self.trace.counts(counts).get(index).copied();
        let sent = giver.send_type.bytes(one(giver.send_counts, to).unwrap_or(giver.send_count));
        let expected = taker.recv_type.bytes(one(taker.recv_counts, from).unwrap_or(taker.recv_count));
        use CollectiveKind as K;
        let may_be_in_place = match giver.kind {
            K::Alltoall | K::Allgather | K::Allgatherv => sent == 0,
            K::Gather | K::Gatherv => sent == 0 && from == to,
            K::Scatter | K::Scatterv => expected == 0 && from == to,
            _ => false,
        };
        (sent != expected && !may_be_in_place).then(|| Difference {
            rank: self.rank(to),
            action: self.calls[to].1,
            from: self.rank(from),
            sent,
            expected,
        })
    }

    fn rank(&self, member: usize) -> u32 {
        self.members.rank(member as u32).unwrap_or_default()
    }
}
