//! Collectives, once all ranks have told how many bytes they gave and got.

use crate::trace::calls::{At, Program, uniform};
use crate::trace::check_call::MOST;
use crate::trace::error::TraceError;
use crate::trace::{CollectiveCall, CollectiveKind as K, CommunicatorId, Effect};
use std::collections::BTreeMap;
use std::path::Path;

/// A collective as one rank has told it; its action is put in when those of all ranks are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// Index of the action that stands for it.
    pub at: usize,
    /// Where it is told.
    pub place: At,
    pub kind: K,
    pub communicator: CommunicatorId,
    /// The root, as a member of the communicator.
    pub root: u32,
    pub sent: u64,
    pub received: u64,
}

/// The operation of that name.
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

/// Puts the collectives of all ranks in. Of each rank, those of a communicator stand together in their order; those with the
/// same number on each rank are the same one.
pub(super) fn settle(program: &mut Program<'_>, told: &[Vec<Told>], file: &Path) -> Result<(), TraceError> {
    let mut parts: BTreeMap<CommunicatorId, Vec<(u32, &[Told])>> = BTreeMap::new();
    for (rank, calls) in (0..).zip(told) {
        for part in calls.chunk_by(|a, b| a.communicator == b.communicator) {
            parts.entry(part[0].communicator).or_default().push((rank, part));
        }
    }
    for ranks in parts.values() {
        let most = ranks.iter().map(|(_, calls)| calls.len()).max().unwrap_or(0);
        for number in 0..most {
            let calls = || ranks.iter().filter_map(|(_, calls)| calls.get(number));
            let sent = calls().map(|call| call.sent).max().unwrap_or(0);
            let received = calls().map(|call| call.received).max().unwrap_or(0);
            let all_sent = calls().fold(0u64, |sum, call| sum.saturating_add(call.sent));
            for &(rank, calls) in ranks {
                let Some(call) = calls.get(number) else { continue };
                let settled = collective(program, call, [sent, received, all_sent], rank, file)?;
                program.settle_collective(rank, call.at, settled)?;
            }
        }
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
        // The root may count what it sends to each; what comes is counted once.
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
