//! The windows used so far, and the one-sided operations in progress on them.

use rustc_hash::FxHashMap;

use crate::trace::CommunicatorId;

/// The windows used so far, and the operations in progress.
#[derive(Default)]
pub(super) struct Windows {
    /// Windows by definition; `None` for those whose members are not known.
    pub known: FxHashMap<u64, Option<CommunicatorId>>,
    /// Operations that have not been waited for, by rank, window and number: target, and the number of operations that
    /// the rank had started there.
    open: FxHashMap<(u32, u64, u64), (u32, u64)>,
    /// By rank and window, the number of operations started on each target, and the number of these that are waited
    /// for.
    begun: FxHashMap<(u32, u64), FxHashMap<u32, (u64, u64)>>,
}

impl Windows {
    /// Registers an operation that starts.
    pub fn begin(&mut self, rank: u32, window: u64, operation: u64, target: u32) {
        let (begun, _) = self.begun.entry((rank, window)).or_default().entry(target).or_default();
        *begun += 1;
        self.open.insert((rank, window, operation), (target, *begun));
    }

    /// Completes an operation: returns its target if the rank has to wait, and whether that also waits for operations
    /// started later.
    pub fn complete(&mut self, rank: u32, window: u64, operation: u64) -> Option<(u32, bool)> {
        let (target, number) = self.open.remove(&(rank, window, operation))?;
        let (begun, waited) = self.begun.get_mut(&(rank, window))?.get_mut(&target)?;
        if number <= *waited {
            return None;
        }
        *waited = *begun;
        Some((target, *begun > number))
    }

    /// Registers that the rank has waited for its operations on one target, or on all.
    pub fn wait(&mut self, rank: u32, window: u64, target: Option<u32>) {
        let Some(targets) = self.begun.get_mut(&(rank, window)) else { return };
        for (_, (begun, waited)) in targets.iter_mut().filter(|(at, _)| target.is_none_or(|target| target == **at)) {
            *waited = *begun;
        }
    }
}
