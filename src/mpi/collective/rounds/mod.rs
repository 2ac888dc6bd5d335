//! The collectives of a trace as messages, for formats that have no collectives.
//!
//! What a rank does in a collective follows from its arguments, but for the sizes of what it receives, and whether all
//! of that is sent. So each collective is worked out once and checked, the sizes are kept, and the steps of a rank are
//! made anew when they are written: whole schedules were tried, and those of 24 alltoallv on 512 ranks took half a
//! gigabyte. Collectives that are alike (the same arguments on the same communicator) share what is kept: a program
//! that iterates has few of them. Beside that, a collective takes a few bytes, however many members it has.

mod alike;
mod group;
mod sizes;

use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;

use self::alike::{Class, Classes};
use self::group::{Exchange, Group};
use super::{Selector, Step};
use crate::mpi::layout::Layout;
use crate::trace::communicator::{Sequence as SequenceId, sequence};
use crate::trace::goal::rounds::{FreeTags, RankRounds, Round, Rounds};
use crate::trace::{Action, Trace};

/// Why the collectives of a trace are not a set of messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundsError {
    /// Members of a communicator call different numbers of collectives that block, or of those that do not.
    #[error(
        "communicator {communicator}: rank {rank} has {calls} collectives that {how}, rank {other_rank} has {other_calls}",
        how = if *blocks { "block" } else { "do not block" }
    )]
    DifferentNumbers {
        /// Number of the communicator, 0 for that of all ranks.
        communicator: u32,
        /// Which ones.
        blocks: bool,
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

/// What the collectives of a trace are made of.
#[derive(Debug)]
pub struct TraceRounds<'t> {
    trace: &'t Trace,
    selector: Selector,
    sequences: FxHashMap<SequenceId, Sequence<'t>>,
    exchanges: Vec<Exchange>,
}

/// The collectives of a communicator that block, or those that do not: all members make them in the same order.
#[derive(Debug)]
struct Sequence<'t> {
    group: Group<'t>,
    /// For each of them the index of its exchange and the first of its tags.
    collectives: Vec<(u32, u32)>,
}

/// The calls of a communicator while they are counted. Its members are looked at in the order of their ranks.
#[derive(Default)]
struct Calls {
    /// What is known of each collective.
    classes: Vec<Class>,
    /// Ranks of the members that were looked at, and how many collectives each has.
    numbers: Vec<(u32, usize)>,
}

impl<'t> TraceRounds<'t> {
    /// What the collectives of a trace are made of, as the selector chooses it for ranks that are so placed. Who shares
    /// a host is known from the start.
    ///
    /// # Errors
    /// [`RoundsError`] if the members of a communicator do not call the same collectives.
    ///
    /// # Panics
    /// If a rank uses a communicator of which it is no member, which readers refuse.
    pub fn new(trace: &'t Trace, selector: &Selector, layout: &Layout) -> Result<Self, RoundsError> {
        let mut calls: FxHashMap<SequenceId, Calls> = FxHashMap::default();
        let mut classes = Classes::default();
        for (rank, actions) in (0..).zip(&trace.actions) {
            for action in actions {
                let Some((key, call)) = collective(trace, &action) else { continue };
                calls.entry(key).or_default().add(rank, call, &mut classes);
            }
        }
        let mut calls: Vec<_> = calls.into_iter().collect();
        calls.sort_unstable_by_key(|&(key, _)| key);
        let mut tags = FreeTags::of(trace);
        let (mut sequences, mut exchanges) = (FxHashMap::default(), Vec::new());
        for (key, calls) in calls {
            let group = Group::new(trace, *selector, layout, key.0);
            group.check(&calls.numbers, key.1)?;
            let order = group.by_rank();
            let mut known: FxHashMap<Class, u32> = FxHashMap::default();
            let mut collectives = Vec::with_capacity(calls.classes.len());
            for (number, class) in calls.classes.into_iter().enumerate() {
                let exchange = match known.get(&class) {
                    Some(&exchange) => exchange,
                    None => {
                        let by_rank = classes.calls(class, order.len());
                        let mut by_member = vec![0; order.len()];
                        order.iter().zip(by_rank).for_each(|(&member, call)| by_member[member as usize] = call);
                        exchanges.push(group.exchange(&by_member, number)?);
                        known.insert(class, exchanges.len() as u32 - 1);
                        exchanges.len() as u32 - 1
                    }
                };
                let channels = exchanges[exchange as usize].tags.len() as u32;
                collectives.push((exchange, tags.take(channels).ok_or(RoundsError::NoTags)?));
            }
            sequences.insert(key, Sequence { group, collectives });
        }
        Ok(Self { trace, selector: *selector, sequences, exchanges })
    }

    /// The collectives of a rank, from the first on.
    pub fn collectives(&self, rank: u32) -> RankCollectives<'_> {
        RankCollectives { rounds: self, rank, places: FxHashMap::default() }
    }
}

/// The sequence that an action goes on with, and its arguments, if it begins a collective.
fn collective(trace: &Trace, action: &Action) -> Option<(SequenceId, u32)> {
    let call = action.collective()?;
    Some((sequence(trace, action)?, call))
}

impl Calls {
    /// Adds the next collective of a rank.
    fn add(&mut self, rank: u32, call: u32, classes: &mut Classes) {
        if self.numbers.last().is_none_or(|&(last, _)| last != rank) {
            self.numbers.push((rank, 0));
        }
        let member = self.numbers.len() as u32 - 1;
        let (_, number) = &mut self.numbers[member as usize];
        if member == 0 {
            self.classes.push(Class::ALL);
        }
        // One that the first member does not have is of no interest: the numbers tell that it is too many.
        if let Some(class) = self.classes.get_mut(*number) {
            *class = classes.refine(*class, member, call);
        }
        *number += 1;
    }
}

/// The collectives of a rank, one after the other.
#[derive(Debug)]
pub struct RankCollectives<'r> {
    rounds: &'r TraceRounds<'r>,
    rank: u32,
    /// For each sequence of the rank, which member it is, and how many of its collectives it has had.
    places: FxHashMap<SequenceId, (u32, usize)>,
}

/// A rank's part in a collective.
struct Part<'r> {
    group: &'r Group<'r>,
    exchange: &'r Exchange,
    /// Which member of the group the rank is.
    member: u32,
    /// Its arguments.
    call: u32,
    /// First of the collective's tags.
    tag: u32,
}

impl<'r> RankCollectives<'r> {
    /// The part in the collective that an action begins; none if it begins none, or one too many.
    fn next(&mut self, action: &Action) -> Option<Part<'r>> {
        let (key, call) = collective(self.rounds.trace, action)?;
        let Sequence { group, collectives } = self.rounds.sequences.get(&key)?;
        let members = self.rounds.trace.members(key.0);
        let place = match self.places.entry(key) {
            Entry::Occupied(place) => place.into_mut(),
            Entry::Vacant(place) => place.insert((members.member(self.rank)?, 0)),
        };
        let &(exchange, tag) = collectives.get(place.1)?;
        place.1 += 1;
        Some(Part { group, exchange: &self.rounds.exchanges[exchange as usize], member: place.0, call, tag })
    }

    /// The tags of the collective that an action begins, which has to be the rank's next one. No other message has
    /// them.
    pub fn tags(&mut self, action: &Action) -> Option<Range<u32>> {
        let part = self.next(action)?;
        Some(part.tag..part.tag + part.exchange.tags.len() as u32)
    }
}

impl Rounds for TraceRounds<'_> {
    fn origin(&self) -> Option<String> {
        let table = self.selector.table().name();
        (!self.exchanges.is_empty()).then(|| format!("collectives as messages, by the table of {table}"))
    }

    fn of_rank(&self, rank: u32) -> Box<dyn RankRounds + '_> {
        Box::new(self.collectives(rank))
    }
}

impl RankRounds for RankCollectives<'_> {
    fn next(&mut self, action: &Action, rounds: &mut Vec<Round>) {
        let Some(Part { group, exchange, member, call, tag: first }) = RankCollectives::next(self, action) else {
            return;
        };
        let mut sizes = exchange.received.of(member);
        group.walk(member, call, |tag, step| {
            let known = || exchange.tags.iter().position(|&known| known == tag).expect("tags are those that were sent");
            let tag = || first + known() as u32;
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
