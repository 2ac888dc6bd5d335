//! Calls of all members of a communicator that are within a part of a trace.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::trace::Trace;
use crate::trace::communicator::Sequence;

/// Returns the calls of each sequence that all kept members have inside, by their number from the start of the program.
pub(super) fn common_sequences(
    trace: &Trace,
    ranks: &[u32],
    ranges: &[Range<usize>],
    renumbered: &[Option<u32>],
) -> FxHashMap<Sequence, Range<u64>> {
    let mut common: FxHashMap<Sequence, (Range<u64>, usize)> = FxHashMap::default();
    for &rank in ranks {
        let (actions, range) = (&trace.actions[rank as usize], &ranges[rank as usize]);
        let mut own: FxHashMap<Sequence, Range<u64>> = FxHashMap::default();
        for (index, action) in actions.iter().take(range.end).enumerate() {
            if let Some(sequence) = trace.sequence(&action) {
                let inside = own.entry(sequence).or_default();
                inside.start += u64::from(index < range.start);
                inside.end += 1;
            }
        }
        for (sequence, inside) in own {
            let (all, have) = common.entry(sequence).or_insert((0..u64::MAX, 0));
            *all = all.start.max(inside.start)..all.end.min(inside.end);
            *have += 1;
        }
    }
    // If a member has none, no call is common to all.
    let kept = |id| trace.members(id).ranks().filter(|&rank| renumbered[rank as usize].is_some()).count();
    common.retain(|sequence, (_, have)| *have == kept(sequence.0));
    common.into_iter().map(|(sequence, (all, _))| (sequence, all)).collect()
}
