//! Totals and problems of a trace.

mod check;
mod deadlock;
mod info;
mod matching;
mod sizes;
#[cfg(test)]
mod tests;

pub use check::{EAGER_BELOW, Finding, Severity, check};
pub use info::{CallTotal, Info, RankTotal, Volume, compressed};

use super::{CollectiveCall, CollectiveKind, Trace};

/// Returns the bytes that a rank passes to a collective: those of its send buffer as MPI defines it (MPI 4.1, chapter 6),
/// which only the root has in a bcast and a scatter. Data in place is in no send buffer.
pub(super) fn given(trace: &Trace, call: &CollectiveCall, rank: u32) -> u64 {
    use CollectiveKind as K;
    let sum = |counts| trace.counts(counts).iter().map(|&c| u64::from(c)).sum::<u64>();
    let members = trace.members(call.communicator);
    let to_each = || members.size() as u64 * call.send_type.bytes(call.send_count);
    match call.kind {
        K::Barrier => 0,
        K::Bcast | K::Scatter | K::Scatterv if members.rank(call.root) != Some(rank) => 0,
        K::Alltoall | K::Scatter => to_each(),
        K::Alltoallv | K::Scatterv => sum(call.send_counts) * call.send_type.size(),
        K::ReduceScatter => sum(call.recv_counts) * call.send_type.size(),
        K::Bcast
        | K::Reduce
        | K::Allreduce
        | K::Gather
        | K::Gatherv
        | K::Allgather
        | K::Allgatherv
        | K::Scan
        | K::Exscan => call.send_type.bytes(call.send_count),
    }
}
