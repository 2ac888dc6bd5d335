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

/// Returns the bytes that a rank passes to a collective.
pub(super) fn given(trace: &Trace, call: &CollectiveCall) -> u64 {
    use CollectiveKind as K;
    let sum = |counts| trace.counts(counts).iter().map(|&c| u64::from(c)).sum::<u64>();
    match call.kind {
        K::Barrier => 0,
        K::Alltoallv | K::Scatterv => sum(call.send_counts) * call.send_type.size(),
        K::ReduceScatter => sum(call.recv_counts) * call.send_type.size(),
        _ => call.send_type.bytes(call.send_count),
    }
}
