//! Who is with whom after `MPI_Comm_split`.
//!
//! A rank's file tells its own colour and key only. So the calls that make communicators and groups are read from all files
//! first, where there are any splits, and played through together: a split is known once all members of its parent have told
//! theirs, and its members are those of a colour, ordered by key and then by their rank in the parent (MPI 4.0, section 7.4.2).

use std::collections::VecDeque;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use super::comms::Comms;
use super::layout::CALLS;
use super::stream::{Call, Stream};
use super::tail;
use crate::trace::error::TraceError;
use crate::trace::source::{Budget, Source};

/// The members after each split of a rank, in its order; none where they are not known, or where it is in no part.
pub(super) type Splits = VecDeque<Option<Vec<u32>>>;

/// The calls that [`Comms`] learns from.
const MAKES: [&str; 10] = [
    "Comm_split",
    "Comm_dup",
    "Comm_create",
    "Comm_group",
    "Group_incl",
    "Group_excl",
    "Cart_create",
    "Cart_sub",
    "Graph_create",
    "Comm_free",
];

/// What the splits of all ranks lead to; nothing if there are none.
pub(super) fn read(files: &[PathBuf], budget: &mut Budget) -> Result<Vec<Splits>, TraceError> {
    let split = CALLS.iter().position(|(name, _)| *name == "Comm_split");
    let mut calls = Vec::with_capacity(files.len());
    let mut any = false;
    for file in files {
        let tail = tail::read(Source::open(file)?, budget)?;
        let splits = split.and_then(|at| tail.counts.get(at)).is_some_and(|&count| count > 0);
        any |= splits;
        let mut own = VecDeque::new();
        if splits {
            let mut stream = Stream::new(Source::open(file)?, budget, tail.version);
            stream.skip(tail.body + 8)?;
            let mut call = Call::default();
            while stream.next(&mut call)? {
                if MAKES.contains(&call.name) {
                    own.push_back(std::mem::take(&mut call));
                }
            }
        }
        calls.push(own);
    }
    Ok(if any { play(calls) } else { vec![Splits::new(); files.len()] })
}

/// A split under way: the colour and key of each rank that has called it.
type Meeting = FxHashMap<u32, (i64, i64)>;

/// Plays the calls of all ranks through.
fn play(mut calls: Vec<VecDeque<Call>>) -> Vec<Splits> {
    let ranks = calls.len() as u32;
    let mut comms: Vec<Comms> = (0..ranks).map(|rank| Comms::new(rank, ranks, Splits::new())).collect();
    let mut results = vec![Splits::new(); calls.len()];
    // Splits of a list of members have numbers: all members call them in the same order.
    let mut numbers: FxHashMap<(u32, Vec<u32>), usize> = FxHashMap::default();
    let mut meetings: FxHashMap<(Vec<u32>, usize), Meeting> = FxHashMap::default();
    let mut waits: Vec<bool> = vec![false; calls.len()];
    let mut ready: VecDeque<u32> = (0..ranks).collect();
    while let Some(rank) = ready.pop_front() {
        let own = rank as usize;
        if std::mem::take(&mut waits[own]) {
            // It has been told the result.
            if let Some(call) = calls[own].pop_front() {
                comms[own].learn(&call);
            }
        }
        while let Some(call) = calls[own].front() {
            let parent = if call.name == "Comm_split" { comms[own].members(call.integers[0]) } else { None };
            // Nobody waits for a rank that splits a communicator of others: to it, the parent is unknown.
            let parent = parent.filter(|members| members.contains(&rank));
            let Some(parent) = parent else {
                if call.name == "Comm_split" {
                    results[own].push_back(None);
                    comms[own].told(None);
                }
                comms[own].learn(call);
                calls[own].pop_front();
                continue;
            };
            let number = numbers.entry((rank, parent.clone())).or_default();
            let key = (parent, *number);
            *number += 1;
            let meeting = meetings.entry(key.clone()).or_default();
            meeting.insert(rank, (call.integers[1], call.integers[2]));
            waits[own] = true;
            if meeting.len() == key.0.len() {
                for (&member, part) in key.0.iter().zip(parts(&key.0, meeting)) {
                    results[member as usize].push_back(part.clone());
                    comms[member as usize].told(part);
                    ready.push_back(member);
                }
                meetings.remove(&key);
            }
            break;
        }
    }
    results
}

/// The members of the part that each member of the parent is in.
fn parts(parent: &[u32], meeting: &Meeting) -> Vec<Option<Vec<u32>>> {
    let mut by_colour: FxHashMap<i64, Vec<(i64, usize)>> = FxHashMap::default();
    for (place, rank) in parent.iter().enumerate() {
        let (colour, key) = meeting[rank];
        by_colour.entry(colour).or_default().push((key, place));
    }
    by_colour.values_mut().for_each(|part| part.sort_unstable());
    let part = |rank: &u32| {
        let (colour, _) = meeting[rank];
        // `MPI_UNDEFINED` is negative, as colours are not.
        (colour >= 0).then(|| by_colour[&colour].iter().map(|&(_, place)| parent[place]).collect())
    };
    parent.iter().map(part).collect()
}
