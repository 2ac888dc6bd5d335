//! Collectives of one communicator: the messages of its members, and their receivers.

use super::RoundsError;
use super::sizes::Sizes;
use crate::ids::Rank;
use crate::mpi::collective::{Cursor, Selector, SmpKnown, Step};
use crate::mpi::rank_map::RankMap;
use crate::trace::{CommunicatorId, Trace};

/// Most messages that are matched together: some 70 MiB, including the sort. A larger collective is matched for some
/// destinations at a time.
const MOST_AT_ONCE: usize = 1 << 21;

/// Communicator with the placement of its members.
#[derive(Debug)]
pub struct PlacedGroup<'t> {
    trace: &'t Trace,
    selector: Selector,
    /// Members, as ranks of the world.
    pub world: Vec<u32>,
    /// Hosts of the members.
    rank_map: RankMap,
    communicator: CommunicatorId,
}

/// Precomputed part of a collective; the rest follows from the arguments of a member when it is written.
#[derive(Default, Debug)]
pub struct Exchange {
    /// Tags of its messages, as the algorithms use them.
    pub tags: Vec<i32>,
    /// Sizes that its members receive; algorithms accept any size.
    pub received: Sizes,
}

/// Message; partners are members.
#[derive(Debug)]
struct Sent {
    to: u32,
    from: u32,
    /// Index of its tag.
    channel: u32,
    bytes: u64,
}

impl Sent {
    /// Key of a message. Messages with the same key are received in order.
    fn key(&self) -> (u32, u32, u32) {
        (self.to, self.from, self.channel)
    }
}

impl<'t> PlacedGroup<'t> {
    /// Returns the communicator of a trace whose ranks have this rank map.
    pub fn new(trace: &'t Trace, selector: Selector, rank_map: &RankMap, communicator: CommunicatorId) -> Self {
        let world: Vec<u32> = trace.members(communicator).ranks().collect();
        let hosts = world.iter().map(|&rank| rank_map.host(Rank(rank))).collect();
        Self { trace, selector, world, rank_map: RankMap::new(hosts), communicator }
    }

    /// Returns its members in the order of their ranks.
    pub fn by_rank(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.world.len() as u32).collect();
        order.sort_unstable_by_key(|&member| self.world[member as usize]);
        order
    }

    /// Checks that all members call the same number of blocking, or of non-blocking, collectives. `numbers` has those
    /// of the ranks that call any, in ascending order.
    pub fn check(&self, numbers: &[(u32, usize)], blocks: bool) -> Result<(), RoundsError> {
        let calls = |rank: u32| {
            let place = numbers.binary_search_by_key(&rank, |&(rank, _)| rank);
            place.map_or(0, |at| numbers[at].1)
        };
        let first = calls(self.world[0]);
        match self.world.iter().find(|&&rank| calls(rank) != first) {
            None => Ok(()),
            Some(&other_rank) => Err(RoundsError::DifferentNumbers {
                communicator: self.communicator.number(),
                blocks,
                rank: self.world[0],
                calls: first,
                other_rank,
                other_calls: calls(other_rank),
            }),
        }
    }

    /// Matches the messages of a collective, given the arguments of each member. At most `most` of them are in memory
    /// at a time, unless one member receives more.
    fn exchange_with(&self, calls: &[u32], number: usize, most: usize) -> Result<Exchange, RoundsError> {
        let unmatched = |from, to| RoundsError::Unmatched {
            number: number + 1,
            communicator: self.communicator.number(),
            kind: self.trace.collectives[calls[0] as usize].kind.name(),
            from: self.world[from as usize],
            to: self.world[to as usize],
        };
        let mut exchange = Exchange::default();
        let (mut first, mut width) = (0, self.world.len());
        let mut sent = Vec::new();
        while first < self.world.len() {
            let wanted = (first + width).min(self.world.len());
            let end = self.send(calls, first, wanted, most, &mut exchange.tags, &mut sent);
            // In the order of their senders, which the sort keeps.
            sent.sort_by_key(Sent::key);
            let mut inbox = Inbox { sent: &sent, taken: vec![0; sent.len()] };
            for member in first as u32..end as u32 {
                let mut missing = None;
                self.walk(member, calls[member as usize], |tag, step| {
                    if let Step::Recv { from } | Step::Irecv { from } = step {
                        let channel = exchange.tags.iter().position(|&known| known == tag);
                        match channel.and_then(|channel| inbox.take((member, from, channel as u32))) {
                            Some(bytes) => exchange.received.push(bytes),
                            None => missing = missing.or(Some(from)),
                        }
                    }
                });
                if let Some(from) = missing {
                    return Err(unmatched(from, member));
                }
                exchange.received.end_member();
            }
            if let Some(left) = inbox.left() {
                return Err(unmatched(left.from, left.to));
            }
            (first, width) = (end, end - first);
        }
        exchange.received.shrink();
        Ok(exchange)
    }

    /// Matches the messages of a collective, number `number` of its kind, given the arguments of each member.
    pub fn exchange(&self, calls: &[u32], number: usize) -> Result<Exchange, RoundsError> {
        self.exchange_with(calls, number, MOST_AT_ONCE)
    }

    /// Collects the messages to members from `first` up to `end`, or to fewer of them if that is more than `most`;
    /// returns the end. Adds tags that are new.
    fn send(
        &self,
        calls: &[u32],
        first: usize,
        mut end: usize,
        most: usize,
        tags: &mut Vec<i32>,
        sent: &mut Vec<Sent>,
    ) -> usize {
        sent.clear();
        for (from, &call) in (0..).zip(calls) {
            self.walk(from, call, |tag, step| {
                let (Step::Send { to, bytes } | Step::Isend { to, bytes }) = step else { return };
                let channel = tags.iter().position(|&known| known == tag).unwrap_or_else(|| {
                    tags.push(tag);
                    tags.len() - 1
                }) as u32;
                if !(first..end).contains(&(to as usize)) {
                    return;
                }
                while sent.len() >= most && end - first > 1 {
                    end = first + (end - first) / 2;
                    sent.retain(|message| (message.to as usize) < end);
                }
                if (to as usize) < end {
                    sent.push(Sent { to, from, channel, bytes });
                }
            });
        }
        end
    }

    /// Visits the steps of a member with the tags of their stages. Partners are members.
    pub fn walk(&self, member: u32, call: u32, mut visit: impl FnMut(i32, Step)) {
        let trace = self.trace;
        let call = &trace.collectives[call as usize];
        let (mut stages, mut smp) = (Vec::new(), SmpKnown::default());
        self.selector.plan(call, &trace.counts, &self.rank_map, member, &mut smp, &mut stages);
        let mut steps = Vec::new();
        for stage in &stages {
            let peer = |peer| stage.comm.rank_of(&self.rank_map, member, peer);
            let (sent, received) = (trace.counts(call.send_counts), trace.counts(call.recv_counts));
            let scope = stage.scope(&self.rank_map, member, sent, received);
            let mut cursor = Cursor::default();
            while !cursor.done {
                (stage.algorithm.steps)(&scope, &mut cursor, &mut steps);
                for step in steps.drain(..) {
                    let step = match step {
                        Step::Send { to, bytes } => Step::Send { to: peer(to), bytes },
                        Step::Isend { to, bytes } => Step::Isend { to: peer(to), bytes },
                        Step::Recv { from } => Step::Recv { from: peer(from) },
                        Step::Irecv { from } => Step::Irecv { from: peer(from) },
                        Step::Wait { .. } | Step::WaitAll | Step::WaitEach => step,
                    };
                    visit(stage.tag, step);
                }
            }
        }
    }
}

/// Messages that wait for their receivers.
struct Inbox<'s> {
    /// Ascending by key; messages with equal keys in the order in which they are sent.
    sent: &'s [Sent],
    /// Number of received messages of each key, stored where the key begins.
    taken: Vec<u32>,
}

impl Inbox<'_> {
    /// Receives the first message with that key; returns its size.
    fn take(&mut self, key: (u32, u32, u32)) -> Option<u64> {
        let at = self.sent.partition_point(|message| message.key() < key);
        let taken = self.taken.get_mut(at)?;
        let message = self.sent.get(at + *taken as usize).filter(|message| message.key() == key)?;
        *taken += 1;
        Some(message.bytes)
    }

    /// Returns the first message that was not received.
    fn left(&self) -> Option<&Sent> {
        let mut at = 0;
        self.sent.chunk_by(|one, other| one.key() == other.key()).find_map(|alike| {
            let taken = self.taken[at] as usize;
            at += alike.len();
            alike.get(taken)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::collective::select::Table;
    use crate::trace::{self, Options};

    /// A collective that is too large to be matched in one go is matched for some destinations at a time, with the same
    /// result.
    #[test]
    fn parts_give_what_the_whole_gives() {
        const RANKS: u32 = 11;
        let of_rank = |rank: u32| {
            let counts = |count: &dyn Fn(u32) -> u32| {
                let counts: Vec<u32> = (0..RANKS).map(count).collect();
                let words: Vec<String> = counts.iter().map(u32::to_string).collect();
                format!("{} {}", counts.iter().sum::<u32>(), words.join(" "))
            };
            let (sent, received) = (counts(&|to| rank * 20 + to), counts(&|from| from * 20 + rank));
            let calls =
                ["alltoall 300 300 6 6", "allreduce 90000 5 6", "gather 9 9 0 6 6", "bcast 100000 3 6", "barrier"];
            let calls = calls.map(|call| format!("{rank} {call}\n")).concat();
            format!("{rank} init\n{calls}{rank} alltoallv {sent} {received} 6 6\n{rank} finalize\n")
        };
        let text: String = (0..RANKS).map(of_rank).collect();
        let trace = trace::read_from(text.as_bytes(), "t.ti", &Options::default()).unwrap();
        let rank_map = RankMap::one_each(RANKS as usize);
        for table in Table::ALL {
            let group = PlacedGroup::new(&trace, Selector::new(table, false), &rank_map, CommunicatorId::WORLD);
            for number in 0..6 {
                let call =
                    |actions: &trace::Actions| actions.iter().filter_map(|a| a.collective()).nth(number).unwrap();
                let calls: Vec<u32> = trace.actions.iter().map(call).collect();
                let whole = group.exchange(&calls, number).unwrap();
                for most in [1, 7, 60] {
                    let parts = group.exchange_with(&calls, number, most).unwrap();
                    assert_eq!(parts.tags, whole.tags);
                    for member in 0..RANKS {
                        let (parts, whole) = (parts.received.of(member), whole.received.of(member));
                        assert!(parts.eq(whole), "{}, number {number}, member {member}", table.name());
                    }
                }
            }
        }
    }

    /// The stored part of a large all-to-all is small, whatever its number of messages.
    #[test]
    fn little_is_kept_of_a_large_collective() {
        let text: String = (0..600).map(|rank| format!("{rank} alltoall 20000 20000 6 6\n")).collect();
        let trace = trace::read_from(text.as_bytes(), "t.ti", &Options::default()).unwrap();
        let rank_map = RankMap::one_each(600);
        let selector = Selector::new(Table::Mvapich2, false);
        let group = PlacedGroup::new(&trace, selector, &rank_map, CommunicatorId::WORLD);
        let exchange = group.exchange(&[0; 600], 0).unwrap();
        // A message from each member, itself included.
        assert!((0..600).all(|member| exchange.received.of(member).count() == 600));
        assert!(exchange.received.room() < 600 * 20, "{} bytes", exchange.received.room());
    }
}
