//! The collectives of a trace as messages, for formats that have no collectives.
//!
//! Collectives that are alike (the same arguments on the same communicator) have the same schedule, which is worked out once: a
//! program that iterates has few of them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Cursor, Selector, SmpKnown, Step};
use crate::ids::Rank;
use crate::mpi::layout::Layout;
use crate::trace::goal::rounds::{FreeTags, Part, Round, Rounds, Schedule};
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

/// What the collectives of a trace are made of, as the selector chooses it for ranks that are so placed. Who shares a host is
/// known from the start.
///
/// # Errors
/// [`RoundsError`] if the members of a communicator do not call the same collectives.
///
/// # Panics
/// If a rank uses a communicator of which it is no member, which readers refuse.
pub fn rounds(trace: &Trace, selector: &Selector, layout: &Layout) -> Result<Rounds, RoundsError> {
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
        parts.push(vec![Part { schedule: 0, member: 0, tag: 0 }; number as usize]);
    }
    let mut sequences: Vec<((CommunicatorId, bool), Calls)> = sequences.into_iter().collect();
    sequences.sort_unstable_by_key(|&(key, _)| key);
    let mut tags = FreeTags::of(trace);
    let mut schedules = Vec::new();
    for ((communicator, _), calls) in sequences {
        let world: Vec<u32> = trace.members(communicator).ranks().collect();
        let hosts = world.iter().map(|&rank| layout.host(Rank(rank))).collect();
        let group = Group { trace, selector, world, layout: Layout::new(hosts), communicator };
        group.check(&calls)?;
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for number in 0..calls[0].len() {
            let alike: Vec<u32> = calls.iter().map(|of_member| of_member[number].1).collect();
            let schedule = match known.get(&alike) {
                Some(&schedule) => schedule,
                None => {
                    schedules.push(group.schedule(&alike, number)?);
                    known.insert(alike, schedules.len() as u32 - 1);
                    schedules.len() as u32 - 1
                }
            };
            let tag = tags.take(schedules[schedule as usize].channels).ok_or(RoundsError::NoTags)?;
            for (member, of_member) in (0..).zip(&calls) {
                let rank = group.world[member as usize] as usize;
                parts[rank][of_member[number].0 as usize] = Part { schedule, member, tag };
            }
        }
    }
    let table = selector.table().name();
    Ok(Rounds { schedules, parts, origin: format!("collectives as messages, by the table of {table}") })
}

/// A communicator whose collectives are worked out.
struct Group<'a> {
    trace: &'a Trace,
    selector: &'a Selector,
    /// Its members, as ranks of the world.
    world: Vec<u32>,
    /// Where they are.
    layout: Layout,
    communicator: CommunicatorId,
}

impl Group<'_> {
    /// All members have to call the same number of collectives.
    fn check(&self, calls: &Calls) -> Result<(), RoundsError> {
        match calls.iter().position(|of_member| of_member.len() != calls[0].len()) {
            None => Ok(()),
            Some(other) => Err(RoundsError::DifferentNumbers {
                communicator: self.communicator.number(),
                rank: self.world[0],
                calls: calls[0].len(),
                other_rank: self.world[other],
                other_calls: calls[other].len(),
            }),
        }
    }

    /// The steps of all members, whose arguments these are.
    fn schedule(&self, calls: &[u32], number: usize) -> Result<Schedule, RoundsError> {
        let mut tags: Vec<i32> = Vec::new();
        let mut members: Vec<Vec<Round>> =
            (0..).zip(calls).map(|(member, &call)| self.steps(member, call, &mut tags)).collect();
        // Messages match in their order, as everywhere: what is received has the size of what was sent.
        let mut sent: FxHashMap<(u32, u32, u32), VecDeque<u64>> = FxHashMap::default();
        for (&rank, rounds) in self.world.iter().zip(&members) {
            for round in rounds {
                if let Round::Send { to, bytes, channel, .. } = *round {
                    sent.entry((rank, to, channel)).or_default().push_back(bytes);
                }
            }
        }
        let unmatched = |from, to| RoundsError::Unmatched {
            number: number + 1,
            communicator: self.communicator.number(),
            kind: self.trace.collectives[calls[0] as usize].kind.name(),
            from,
            to,
        };
        for (&rank, rounds) in self.world.iter().zip(&mut members) {
            for round in rounds {
                if let Round::Receive { from, bytes, channel, .. } = round {
                    let message = sent.get_mut(&(*from, rank, *channel)).and_then(VecDeque::pop_front);
                    *bytes = message.ok_or_else(|| unmatched(*from, rank))?;
                }
            }
        }
        let left = sent.iter().filter(|(_, queue)| !queue.is_empty()).map(|(&(from, to, _), _)| (from, to)).min();
        match left {
            Some((from, to)) => Err(unmatched(from, to)),
            None => Ok(Schedule { members, channels: tags.len() as u32 }),
        }
    }

    /// The steps of a member; the sizes of what it receives are not known yet.
    fn steps(&self, member: u32, call: u32, tags: &mut Vec<i32>) -> Vec<Round> {
        let trace = self.trace;
        let call = &trace.collectives[call as usize];
        let (mut stages, mut smp) = (Vec::new(), SmpKnown::default());
        self.selector.plan(call, &trace.counts, &self.layout, member, &mut smp, &mut stages);
        let (mut rounds, mut steps) = (Vec::new(), Vec::new());
        for stage in &stages {
            let channel = tags.iter().position(|&tag| tag == stage.tag).unwrap_or_else(|| {
                tags.push(stage.tag);
                tags.len() - 1
            }) as u32;
            let peer = |peer| self.world[stage.comm.rank_of(&self.layout, member, peer) as usize];
            let (sent, received) = (trace.counts(call.send_counts), trace.counts(call.recv_counts));
            let scope = stage.scope(&self.layout, member, sent, received);
            let mut cursor = Cursor::default();
            while !cursor.done {
                steps.clear();
                (stage.algorithm.steps)(&scope, &mut cursor, &mut steps);
                rounds.extend(steps.iter().map(|step| match *step {
                    Step::Send { to, bytes } => Round::Send { to: peer(to), bytes, channel, blocks: true },
                    Step::Isend { to, bytes } => Round::Send { to: peer(to), bytes, channel, blocks: false },
                    Step::Recv { from } => Round::Receive { from: peer(from), bytes: 0, channel, blocks: true },
                    Step::Irecv { from } => Round::Receive { from: peer(from), bytes: 0, channel, blocks: false },
                    Step::Wait { nth } => Round::Wait { nth },
                    Step::WaitAll | Step::WaitEach => Round::WaitAll,
                }));
            }
        }
        rounds
    }
}
