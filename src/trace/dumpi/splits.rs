//! Members of communicators created by `MPI_Comm_split`.
//!
//! A rank's file contains only its own colour and key. If there are any splits, the calls that create communicators and
//! groups are therefore read from all files first, and executed together: a split is known once all members of its
//! parent have provided theirs, and its members are those of a colour, ordered by key and then by their rank in the
//! parent (MPI 4.0, section 7.4.2).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::comms::{Comms, Splits};
use super::layout::CALLS;
use super::stream::{CallStream, DumpiCall};
use super::tail::Tail;
use crate::trace::MemberList;
use crate::trace::error::TraceError;
use crate::trace::source::{Budget, Source};

/// The calls that [`Comms`] uses.
const MAKES: [&str; 9] = [
    "Comm_split",
    "Comm_dup",
    "Comm_create",
    "Comm_group",
    "Group_incl",
    "Group_excl",
    "Cart_create",
    "Cart_sub",
    "Graph_create",
];

/// Returns the results of the splits of all ranks. Only files that contain splits are opened.
pub(super) fn read<'r>(
    world: &MemberList,
    tails: &[Tail],
    open: impl Fn(usize) -> Result<Source<'r>, TraceError>,
    budget: &mut Budget,
) -> Result<Vec<Splits>, TraceError> {
    let split = CALLS.iter().position(|(name, _)| *name == "Comm_split");
    let mut calls = Vec::with_capacity(tails.len());
    for (rank, tail) in tails.iter().enumerate() {
        let mut own = VecDeque::new();
        if split.and_then(|at| tail.recorded().nth(at)).is_some_and(|count| count > 0) {
            let mut stream = CallStream::calls(open(rank)?, budget, tail)?;
            let mut call = DumpiCall::default();
            while stream.next(&mut call)? {
                if MAKES.contains(&call.name) {
                    own.push_back(std::mem::take(&mut call));
                }
            }
        }
        calls.push(own);
    }
    Ok(play(world, calls))
}

/// A split communicator, identified by its members.
#[derive(Default)]
struct Parent {
    /// Number of splits that each rank has called: all members call them in the same order.
    called: FxHashMap<u32, usize>,
    /// Splits in progress, by the number of earlier splits.
    meetings: FxHashMap<usize, Meeting>,
}

/// A split in progress: the colour and key of each rank that has called it.
type Meeting = FxHashMap<u32, (i64, i64)>;

/// Executes the calls of all ranks.
fn play(world: &MemberList, mut calls: Vec<VecDeque<DumpiCall>>) -> Vec<Splits> {
    let mut comms: Vec<Comms> = world.iter().map(|&rank| Comms::new(rank, world.clone(), Splits::new())).collect();
    let mut results = vec![Splits::new(); calls.len()];
    let mut parents: FxHashMap<MemberList, Parent> = FxHashMap::default();
    let mut ready: VecDeque<u32> = world.iter().copied().collect();
    while let Some(rank) = ready.pop_front() {
        let own = rank as usize;
        while let Some(call) = calls[own].front() {
            let members = if call.name == "Comm_split" { comms[own].members(call.integers[0]) } else { None };
            // A rank that splits a communicator of others does not delay anything: its parent is unknown to it.
            let Some(members) = members.filter(|members| members.contains(&rank)) else {
                if call.name == "Comm_split" {
                    results[own].push_back(None);
                    comms[own].told(None);
                }
                comms[own].learn(call);
                calls[own].pop_front();
                continue;
            };
            let parent = parents.entry(members.clone()).or_default();
            let called = parent.called.entry(rank).or_default();
            let number = *called;
            *called += 1;
            let meeting = parent.meetings.entry(number).or_default();
            meeting.insert(rank, (call.integers[1], call.integers[2]));
            if meeting.len() == members.len() {
                for (&member, part) in members.iter().zip(parts(&members, meeting)) {
                    let waiting = member as usize;
                    results[waiting].push_back(part.clone());
                    comms[waiting].told(part);
                    if let Some(call) = calls[waiting].pop_front() {
                        comms[waiting].learn(&call);
                    }
                    ready.push_back(member);
                }
                parent.meetings.remove(&number);
            }
            break;
        }
    }
    results
}

/// Returns the members of the part of each member of the parent.
fn parts(parent: &[u32], meeting: &Meeting) -> Vec<Option<MemberList>> {
    let mut by_colour: FxHashMap<i64, Vec<(i64, usize)>> = FxHashMap::default();
    for (place, rank) in parent.iter().enumerate() {
        let (colour, key) = meeting[rank];
        // `MPI_UNDEFINED` is negative, as colours are not.
        if colour >= 0 {
            by_colour.entry(colour).or_default().push((key, place));
        }
    }
    let list = |(colour, mut part): (i64, Vec<(i64, usize)>)| {
        part.sort_unstable();
        (colour, part.into_iter().map(|(_, place)| parent[place]).collect())
    };
    let lists: FxHashMap<i64, MemberList> = by_colour.into_iter().map(list).collect();
    parent.iter().map(|rank| lists.get(&meeting[rank].0).cloned()).collect()
}
