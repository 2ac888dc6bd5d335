//! Listing of a selector's choices for users: the algorithms of a call with their messages and bytes.
//!
//! The amounts are counted from the steps themselves, not from formulas, so that they cannot disagree with a replay.
//! The time is proportional to the number of messages: long for an all-to-all of very many ranks.

use super::{Selector, SmpKnown, Substitution};
use crate::mpi::collective::{Algorithm, Comm, Cursor, Step};
use crate::mpi::rank_map::RankMap;
use crate::trace::CollectiveCall;

/// One algorithm of a plan, over all ranks and all communicators of its kind.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Algorithm that runs.
    pub algorithm: &'static Algorithm,
    /// Kind of communicator on which it runs.
    pub comm: Comm,
    /// Number of ranks that take part.
    pub ranks: u32,
    /// Messages sent.
    pub messages: u64,
    /// Payload of the messages, in bytes.
    pub bytes: u64,
}

/// A plan of all ranks.
#[derive(Clone, Default, Debug)]
pub struct Listing {
    /// The algorithms in the order in which they first run.
    pub entries: Vec<Entry>,
    /// Difference between the plan and the library's table, if any.
    pub substitution: Option<Substitution>,
}

impl Listing {
    /// Returns the messages of all entries.
    pub fn messages(&self) -> u64 {
        self.entries.iter().map(|entry| entry.messages).sum()
    }

    /// Returns the payload of all entries, in bytes.
    pub fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.bytes).sum()
    }
}

/// Lists the choices of `selector` for `call`, made with equal arguments by all ranks of `rank_map` as the first call
/// of a run. `counts` holds the count vectors that the call points into.
pub fn list(selector: &Selector, call: &CollectiveCall, counts: &[u32], rank_map: &RankMap) -> Listing {
    let vector = |range: crate::trace::Counts| {
        let start = range.start as usize;
        counts.get(start..start.saturating_add(range.len as usize)).unwrap_or(&[])
    };
    let (send_counts, recv_counts) = (vector(call.send_counts), vector(call.recv_counts));
    let mut listing = Listing::default();
    let (mut stages, mut steps) = (Vec::new(), Vec::new());
    for rank in 0..rank_map.ranks() {
        stages.clear();
        let substitution = selector.plan(call, counts, rank_map, rank, &mut SmpKnown::default(), &mut stages);
        listing.substitution = listing.substitution.or(substitution);
        let mut earlier = Vec::new();
        for stage in &stages {
            // A plan may run an algorithm twice on the same communicator: these are two entries.
            let same = |entry: &Entry| std::ptr::eq(entry.algorithm, stage.algorithm) && entry.comm == stage.comm;
            let known = (0..listing.entries.len()).find(|i| same(&listing.entries[*i]) && !earlier.contains(i));
            let index = known.unwrap_or_else(|| {
                let (algorithm, comm) = (stage.algorithm, stage.comm);
                listing.entries.push(Entry { algorithm, comm, ranks: 0, messages: 0, bytes: 0 });
                listing.entries.len() - 1
            });
            earlier.push(index);
            let entry = &mut listing.entries[index];
            entry.ranks += 1;
            let scope = stage.scope(rank_map, rank, send_counts, recv_counts);
            let mut cursor = Cursor::default();
            while !cursor.done {
                steps.clear();
                (stage.algorithm.steps)(&scope, &mut cursor, &mut steps);
                for step in &steps {
                    if let Step::Send { bytes, .. } | Step::Isend { bytes, .. } = *step {
                        entry.messages += 1;
                        entry.bytes = entry.bytes.saturating_add(bytes);
                    }
                }
            }
        }
    }
    listing
}
