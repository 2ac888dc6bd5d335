//! Collectives, completed once all ranks have recorded the bytes they sent and received.

use crate::trace::calls::{FilePosition, Program, uniform};
use crate::trace::check_call::MOST;
use crate::trace::error::TraceError;
use crate::trace::gathering::Gathering;
use crate::trace::{CollectiveCall, CollectiveKind as K, CommunicatorId, Effect};
use std::collections::BTreeMap;
use std::path::Path;

/// A collective as recorded by one rank; its action is completed when those of all ranks are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// Index of its action.
    pub at: usize,
    /// Place of its record.
    pub place: FilePosition,
    pub kind: K,
    pub communicator: CommunicatorId,
    /// The root, as a member of the communicator.
    pub root: u32,
    pub sent: u64,
    pub received: u64,
}

/// Returns the operation of that name.
pub(super) fn kind(operation: &[u8]) -> Option<K> {
    Some(match operation {
        b"BARRIER" => K::Barrier,
        b"BCAST" => K::Bcast,
        b"GATHER" => K::Gather,
        b"GATHERV" => K::Gatherv,
        b"SCATTER" => K::Scatter,
        b"SCATTERV" => K::Scatterv,
        b"ALLGATHER" => K::Allgather,
        b"ALLGATHERV" => K::Allgatherv,
        b"ALLTOALL" => K::Alltoall,
        b"ALLTOALLV" | b"ALLTOALLW" => K::Alltoallv,
        b"ALLREDUCE" => K::Allreduce,
        b"REDUCE" => K::Reduce,
        b"REDUCE_SCATTER" | b"REDUCE_SCATTER_BLOCK" => K::ReduceScatter,
        b"SCAN" => K::Scan,
        b"EXSCAN" => K::Exscan,
        _ => return None,
    })
}

/// Collectives that not all ranks have recorded yet. Those with the same number in a communicator belong together.
#[derive(Default)]
pub(super) struct Meetings {
    /// For each rank, by action: recorded collectives, and started ones that are recorded later; the oldest is one of
    /// these.
    ranks: Vec<BTreeMap<usize, Option<Told>>>,
    communicators: BTreeMap<CommunicatorId, Gathering<(u32, Told)>>,
}

impl Meetings {
    pub fn new(ranks: usize) -> Self {
        Self { ranks: (0..ranks).map(|_| BTreeMap::new()).collect(), ..Self::default() }
    }

    /// Registers the start of a collective that a rank will record, or drop, later.
    pub fn begun(&mut self, rank: u32, at: usize) {
        self.ranks[rank as usize].insert(at, None);
    }

    /// Drops a started operation that turns out not to be a collective, or is never recorded.
    pub fn dropped(&mut self, program: &mut Program<'_>, rank: u32, at: usize, file: &Path) -> Result<(), TraceError> {
        self.ranks[rank as usize].remove(&at);
        self.go_on(program, rank, file)
    }

    /// Registers the record of a collective of a rank.
    pub fn told(&mut self, program: &mut Program<'_>, rank: u32, told: Told, file: &Path) -> Result<(), TraceError> {
        self.ranks[rank as usize].insert(told.at, Some(told));
        self.go_on(program, rank, file)
    }

    /// Non-blocking collectives are recorded when they end, and count from their start: the oldest one delays the
    /// others.
    fn go_on(&mut self, program: &mut Program<'_>, rank: u32, file: &Path) -> Result<(), TraceError> {
        while let Some(oldest) = self.ranks[rank as usize].first_entry() {
            let Some(told) = *oldest.get() else { break };
            oldest.remove();
            let members = program.members(told.communicator);
            let gathering = self.communicators.entry(told.communicator).or_default();
            let is_member = gathering.knows(rank) || members.member(rank).is_some();
            if !is_member || gathering.join(rank, (rank, told)).is_none() {
                let problem = format!("rank {rank} calls a collective of a communicator of which it is no member");
                return Err(program.error(file, told.place, problem, "check that the trace is whole"));
            }
            if let Some(parts) = gathering.take_whole(members.size()) {
                settle(program, parts, file)?;
            }
        }
        Ok(())
    }

    /// Completes those that some ranks have never recorded.
    pub fn finish(self, program: &mut Program<'_>, file: &Path) -> Result<(), TraceError> {
        for mut gathering in self.communicators.into_values() {
            while let Some(parts) = gathering.take() {
                settle(program, parts, file)?;
            }
        }
        Ok(())
    }
}

/// Completes a collective on all ranks that have recorded it.
fn settle(program: &mut Program<'_>, mut parts: Vec<(u32, Told)>, file: &Path) -> Result<(), TraceError> {
    parts.sort_unstable_by_key(|part| part.0);
    let sent = parts.iter().map(|(_, call)| call.sent).max().unwrap_or(0);
    let received = parts.iter().map(|(_, call)| call.received).max().unwrap_or(0);
    let all_sent = parts.iter().fold(0u64, |sum, (_, call)| sum.saturating_add(call.sent));
    for (rank, call) in parts {
        let settled = collective(program, &call, [sent, received, all_sent], rank, file)?;
        program.settle_collective(rank, call.at, settled)?;
    }
    Ok(())
}

fn collective(
    program: &mut Program<'_>,
    call: &Told,
    [sent, received, all_sent]: [u64; 3],
    rank: u32,
    file: &Path,
) -> Result<CollectiveCall, TraceError> {
    let ranks = program.members(call.communicator).size() as u64;
    let at = call.place;
    let (kind, bytes) = match call.kind {
        K::Barrier => (K::Barrier, 0),
        // The root may count its sends to each; received data is counted once.
        K::Bcast => (K::Bcast, if received > 0 { received } else { sent }),
        K::Allreduce | K::Scan | K::Exscan => (call.kind, if received > 0 { received } else { sent }),
        K::Reduce => (K::Reduce, sent),
        K::Gather | K::Gatherv => (K::Gather, received.div_ceil(ranks)),
        K::Scatter | K::Scatterv => (K::Scatter, sent.div_ceil(ranks)),
        K::Allgather | K::Allgatherv => (K::Allgather, received.div_ceil(ranks)),
        K::Alltoall => (K::Alltoall, sent.div_ceil(ranks)),
        K::Alltoallv => (K::Alltoall, all_sent.div_ceil(ranks.saturating_mul(ranks))),
        K::ReduceScatter => (K::ReduceScatter, sent.div_ceil(ranks)),
    };
    if kind != call.kind || kind == K::ReduceScatter {
        let name = call.kind.name();
        let what = format!("{name}: all ranks give the mean, since only sums are recorded");
        program.note(Effect::Approximated, what, rank, file, at);
    }
    let plain = match kind {
        K::Barrier => CollectiveCall::empty(kind),
        K::ReduceScatter => {
            let count = u32::try_from(bytes).ok().filter(|&count| count <= MOST);
            let count =
                count.ok_or_else(|| program.error(file, at, format!("{bytes} bytes are too many"), "check it"))?;
            let counts = program.counts(&vec![count; ranks as usize])?;
            CollectiveCall { recv_counts: counts, ..CollectiveCall::empty(kind) }
        }
        kind => {
            let elements = program.elements(bytes, rank, file, at)?;
            uniform(kind, call.root, elements)
        }
    };
    Ok(CollectiveCall { communicator: call.communicator, ..plain })
}
