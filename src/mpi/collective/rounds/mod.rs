//! The collectives of a trace as messages, for formats that have no collectives.
//!
//! What a rank does in a collective follows from its arguments, but for the sizes of what it receives, and whether all of that is
//! sent. So each collective is worked out once and checked, the sizes are kept, and the steps of a rank are made anew when they are
//! written: whole schedules were tried, and those of 24 alltoallv on 512 ranks took half a gigabyte. Collectives that are alike (the
//! same arguments on the same communicator) share what is kept: a program that iterates has few of them.

mod group;
mod sizes;

use std::ops::Range;

use rustc_hash::FxHashMap;

use self::group::{Exchange, Group};
use super::{Selector, Step};
use crate::mpi::layout::Layout;
use crate::trace::goal::rounds::{FreeTags, Round, Rounds};
use crate::trace::{Action, CommunicatorId, Trace};

/// Why the collectives of a trace are not a set of messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundsError {
    /// Members of a communicator call different numbers of collectives.
    #[error("communicator {communicator}: rank {rank} has {calls} collectives, rank {other_rank} has {other_calls}")]
    DifferentNumbers {
        /// Number of the communicator, 0 for that of all ranks.
        communicator: u32,
        /// The first member.
        rank: u32,
        /// Its collectives.
        calls: usize,
        /// Another member.
        other_rank: u32,
        /// Its collectives.
        other_calls: usize,
    },
    /// What the members send is not what they receive.
    #[error(
        "collective number {number} of communicator {communicator} ({kind}): what rank {from} sends to rank {to} is not \
         what that receives, so their calls do not fit together"
    )]
    Unmatched {
        /// Which one of those that block, or of those that do not, from 1.
        number: usize,
        /// Number of the communicator, 0 for that of all ranks.
        communicator: u32,
        /// The operation, as the first member calls it.
        kind: &'static str,
        /// The source.
        from: u32,
        /// The destination.
        to: u32,
    },
    /// There are not enough tags.
    #[error("the collectives need more tags than there are below 2147483648")]
    NoTags,
}

/// Collectives of a communicator that block, or that do not: for each member those that it calls, by their place among all of the
/// rank and by their arguments.
type Calls = Vec<Vec<(u32, u32)>>;

/// What the collectives of a trace are made of.
#[derive(Debug)]
pub struct TraceRounds<'t> {
    selector: Selector,
    groups: Vec<Group<'t>>,
    exchanges: Vec<Exchange>,
    /// For each rank a part for each of its collectives, in the order in which it calls or starts them.
    parts: Vec<Vec<Part>>,
}

/// A rank's part in a collective.
#[derive(Clone, Copy, Default, Debug)]
struct Part {
    /// Index of the group.
    group: u32,
    /// Which member of it the rank is.
    member: u32,
    /// Its arguments.
    call: u32,
    /// Index of the exchange.
    exchange: u32,
    /// First of the collective's tags.
    tag: u32,
}

impl<'t> TraceRounds<'t> {
    /// What the collectives of a trace are made of, as the selector chooses it for ranks that are so placed. Who shares a
    /// host is known from the start.
    ///
    /// # Errors
    /// [`RoundsError`] if the members of a communicator do not call the same collectives.
    ///
    /// # Panics
    /// If a rank uses a communicator of which it is no member, which readers refuse.
    pub fn new(trace: &'t Trace, selector: &Selector, layout: &Layout) -> Result<Self, RoundsError> {
        let mut sequences: FxHashMap<(CommunicatorId, bool), Calls> = FxHashMap::default();
        let mut member_of: FxHashMap<CommunicatorId, FxHashMap<u32, u32>> = FxHashMap::default();
        let mut parts: Vec<Vec<Part>> = Vec::with_capacity(trace.ranks());
        for (rank, actions) in (0..).zip(&trace.actions) {
            let mut number = 0;
            for action in actions {
                let Some(index) = action.collective() else { continue };
                let communicator = trace.collectives[index as usize].communicator;
                let members = trace.members(communicator);
                let indices = member_of.entry(communicator).or_insert_with(|| members.ranks().zip(0..).collect());
                let calls = sequences
                    .entry((communicator, matches!(action, Action::Collective { .. })))
                    .or_insert_with(|| vec![Vec::new(); members.size()]);
                calls[indices[&rank] as usize].push((number, index));
                number += 1;
            }
            parts.push(vec![Part::default(); number as usize]);
        }
        let mut sequences: Vec<((CommunicatorId, bool), Calls)> = sequences.into_iter().collect();
        sequences.sort_unstable_by_key(|&(key, _)| key);
        let mut tags = FreeTags::of(trace);
        let (mut groups, mut exchanges) = (Vec::new(), Vec::new());
        for ((communicator, _), calls) in sequences {
            let group = Group::new(trace, *selector, layout, communicator);
            group.check(&calls)?;
            let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            for number in 0..calls[0].len() {
                let alike: Vec<u32> = calls.iter().map(|of_member| of_member[number].1).collect();
                let exchange = match known.get(&alike) {
                    Some(&exchange) => exchange,
                    None => {
                        exchanges.push(group.exchange(&alike, number)?);
                        known.insert(alike, exchanges.len() as u32 - 1);
                        exchanges.len() as u32 - 1
                    }
                };
                let channels = exchanges[exchange as usize].tags.len() as u32;
                let tag = tags.take(channels).ok_or(RoundsError::NoTags)?;
                for (member, of_member) in (0..).zip(&calls) {
                    let rank = group.world[member as usize] as usize;
                    let (place, call) = of_member[number];
                    parts[rank][place as usize] = Part { group: groups.len() as u32, member, call, exchange, tag };
                }
            }
            groups.push(group);
        }
        Ok(Self { selector: *selector, groups, exchanges, parts })
    }

    /// The tags of a rank's collective number `number`, from 0, or nothing if it has no more. No other message has them.
    pub fn tags(&self, rank: u32, number: usize) -> Option<Range<u32>> {
        let part = self.parts[rank as usize].get(number)?;
        Some(part.tag..part.tag + self.exchanges[part.exchange as usize].tags.len() as u32)
    }
}

impl Rounds for TraceRounds<'_> {
    fn origin(&self) -> Option<String> {
        let table = self.selector.table().name();
        (!self.exchanges.is_empty()).then(|| format!("collectives as messages, by the table of {table}"))
    }

    fn steps(&self, rank: u32, number: usize, rounds: &mut Vec<Round>) {
        let part = self.parts[rank as usize][number];
        let (group, exchange) = (&self.groups[part.group as usize], &self.exchanges[part.exchange as usize]);
        let mut sizes = exchange.received.of(part.member);
        group.walk(part.member, part.call, |tag, step| {
            let known = || exchange.tags.iter().position(|&known| known == tag).expect("tags are those that were sent");
            let tag = || part.tag + known() as u32;
            let peer = |member: u32| group.world[member as usize];
            let mut size = || sizes.next().expect("each message that is received was matched");
            rounds.push(match step {
                Step::Send { to, bytes } => Round::Send { to: peer(to), bytes, tag: tag(), blocks: true },
                Step::Isend { to, bytes } => Round::Send { to: peer(to), bytes, tag: tag(), blocks: false },
                Step::Recv { from } => Round::Receive { from: peer(from), bytes: size(), tag: tag(), blocks: true },
                Step::Irecv { from } => Round::Receive { from: peer(from), bytes: size(), tag: tag(), blocks: false },
                Step::Wait { nth } => Round::Wait { nth },
                Step::WaitAll | Step::WaitEach => Round::WaitAll,
            });
        });
    }
}
