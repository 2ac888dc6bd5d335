//! The collectives of a trace as messages, for formats that have no collectives.
//!
//! The steps of a rank in a collective follow from its arguments, except for the sizes that it receives and the check
//! that all sent messages are received. So each collective is computed once and checked, the sizes are kept, and the
//! steps of a rank are recomputed when they are written: storing whole schedules was tried, and those of 24 alltoallv
//! on 512 ranks took half a gigabyte. Collectives that are alike (the same arguments on the same communicator) share
//! their stored part: a program that iterates has few of them. Otherwise a collective takes a few bytes, whatever its
//! number of members.

mod alike;
mod group;
mod sizes;

use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;

use self::alike::{Class, Classes};
use self::group::{Exchange, PlacedGroup};
use super::{Selector, Step};
use crate::mpi::rank_map::RankMap;
use crate::trace::communicator::Sequence as SequenceId;
use crate::trace::goal::rounds::{FreeTags, RankRounds, Round, Rounds};
use crate::trace::{Action, Trace};

/// Reason why the collectives of a trace cannot be turned into messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundsError {
    /// Members of a communicator call different numbers of blocking, or of non-blocking, collectives.
    #[error(
        "communicator {communicator}: rank {rank} has {calls} collectives that {how}, rank {other_rank} has {other_calls}",
        how = if *blocks { "block" } else { "do not block" }
    )]
    DifferentNumbers {
        /// Number of the communicator, 0 for that of all ranks.
        communicator: u32,
        /// `true` for blocking collectives.
        blocks: bool,
        /// First member.
        rank: u32,
        /// Number of collectives of the first member.
        calls: usize,
        /// Another member.
        other_rank: u32,
        /// Number of collectives of the other member.
        other_calls: usize,
    },
    /// The messages that members send differ from those that they receive.
    #[error(
        "collective number {number} of communicator {communicator} ({kind}): what rank {from} sends to rank {to} is not \
         what that receives, so their calls do not fit together"
    )]
    Unmatched {
        /// Number among the blocking, or the non-blocking, collectives, from 1.
        number: usize,
        /// Number of the communicator, 0 for that of all ranks.
        communicator: u32,
        /// Operation, as the first member calls it.
        kind: &'static str,
        /// Sending rank.
        from: u32,
        /// Receiving rank.
        to: u32,
    },
    /// There are not enough tags.
    #[error("the collectives need more tags than there are below 2147483648")]
    NoTags,
}

/// Collectives of a trace as messages.
#[derive(Debug)]
pub struct TraceRounds<'t> {
    trace: &'t Trace,
    selector: Selector,
    sequences: FxHashMap<SequenceId, Sequence<'t>>,
    exchanges: Vec<Exchange>,
}

/// Blocking, or non-blocking, collectives of a communicator: all members make them in the same order.
#[derive(Debug)]
struct Sequence<'t> {
    group: PlacedGroup<'t>,
    /// Index of the exchange of each of them, and the first of its tags.
    collectives: Vec<(u32, u32)>,
}

/// Calls of a communicator while they are counted. Its members are visited in the order of their ranks.
#[derive(Default)]
struct Calls {
    /// Class of each collective, so far.
    classes: Vec<Class>,
    /// Ranks of the members visited so far, and the number of collectives of each.
    numbers: Vec<(u32, usize)>,
}

impl<'t> TraceRounds<'t> {
    /// Computes the collectives of a trace with the algorithms that the selector chooses for this rank map. The ranks
    /// on each host are known from the start.
    ///
    /// # Errors
    /// [`RoundsError`] if the members of a communicator do not call the same collectives.
    ///
    /// # Panics
    /// If a rank uses a communicator that it is not a member of, which readers reject.
    pub fn new(trace: &'t Trace, selector: &Selector, rank_map: &RankMap) -> Result<Self, RoundsError> {
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
            let group = PlacedGroup::new(trace, selector.clone(), rank_map, key.0);
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
        Ok(Self { trace, selector: selector.clone(), sequences, exchanges })
    }

    /// Returns the collectives of a rank, from the first on.
    pub fn collectives(&self, rank: u32) -> RankCollectives<'_> {
        RankCollectives { rounds: self, rank, places: FxHashMap::default() }
    }
}

/// Returns the sequence that an action continues, and its arguments, if it begins a collective.
fn collective(trace: &Trace, action: &Action) -> Option<(SequenceId, u32)> {
    let call = action.collective()?;
    Some((trace.sequence(action)?, call))
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
        // A collective that the first member does not have is ignored here: the numbers show that it is too many.
        if let Some(class) = self.classes.get_mut(*number) {
            *class = classes.refine(*class, member, call);
        }
        *number += 1;
    }
}

/// Collectives of a rank, one after another.
#[derive(Debug)]
pub struct RankCollectives<'r> {
    rounds: &'r TraceRounds<'r>,
    rank: u32,
    /// For each sequence of the rank, its member number, and how many of its collectives it has had.
    places: FxHashMap<SequenceId, (u32, usize)>,
}

/// Part of a rank in a collective.
struct Participation<'r> {
    group: &'r PlacedGroup<'r>,
    exchange: &'r Exchange,
    /// Member number of the rank in the group.
    member: u32,
    /// Arguments of the member.
    call: u32,
    /// First tag of the collective.
    tag: u32,
}

impl<'r> RankCollectives<'r> {
    /// Returns the part in the collective that an action begins; `None` if it begins none, or one too many.
    fn next(&mut self, action: &Action) -> Option<Participation<'r>> {
        let (key, call) = collective(self.rounds.trace, action)?;
        let Sequence { group, collectives } = self.rounds.sequences.get(&key)?;
        let members = self.rounds.trace.members(key.0);
        let place = match self.places.entry(key) {
            Entry::Occupied(place) => place.into_mut(),
            Entry::Vacant(place) => place.insert((members.member(self.rank)?, 0)),
        };
        let &(exchange, tag) = collectives.get(place.1)?;
        place.1 += 1;
        Some(Participation { group, exchange: &self.rounds.exchanges[exchange as usize], member: place.0, call, tag })
    }

    /// Returns the tags of the collective that an action begins, which has to be the rank's next one. No other message
    /// uses them.
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
        let Some(Participation { group, exchange, member, call, tag: first }) = RankCollectives::next(self, action)
        else {
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
