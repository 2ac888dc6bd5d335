//! Vectors that only a root has recorded, for all members of its communicator.

use rustc_hash::FxHashMap;

use super::program::Program;
use crate::trace::error::TraceError;
use crate::trace::{CollectiveCall, CollectiveKind, CommunicatorId, Counts};

/// Index of a collective in the actions of a rank, and its table entry.
type CollectiveAt = (usize, u32);

fn has_counts(call: &CollectiveCall) -> bool {
    call.send_counts.len + call.recv_counts.len > 0
}

fn is_told_by_root(call: &CollectiveCall) -> bool {
    matches!(call.kind, CollectiveKind::Gatherv | CollectiveKind::Scatterv)
}

impl Program<'_> {
    /// Copies the counts that only the root of a gatherv or scatterv has recorded to all members. The collectives of a
    /// communicator have the same order on all its members.
    pub(super) fn share_roots(&mut self) -> Result<(), TraceError> {
        let mut incomplete: Vec<CommunicatorId> = self
            .tables
            .collectives
            .iter()
            .filter(|call| is_told_by_root(call) && !has_counts(call))
            .map(|call| call.communicator)
            .collect();
        incomplete.sort_unstable();
        incomplete.dedup();
        if incomplete.is_empty() {
            return Ok(());
        }
        // The collectives of these communicators: by communicator, then by rank.
        let mut calls: FxHashMap<CommunicatorId, FxHashMap<usize, Vec<CollectiveAt>>> = FxHashMap::default();
        for (rank, state) in self.ranks.iter().enumerate() {
            for (at, action) in state.actions.iter().enumerate() {
                let Some(index) = action.collective() else { continue };
                let communicator = self.tables.collectives[index as usize].communicator;
                if incomplete.binary_search(&communicator).is_ok() {
                    calls.entry(communicator).or_default().entry(rank).or_default().push((at, index));
                }
            }
        }
        for communicator in incomplete {
            let ranks = calls.remove(&communicator).unwrap_or_default();
            let most = ranks.values().map(Vec::len).max().unwrap_or(0);
            let mut order: Vec<usize> = ranks.keys().copied().collect();
            order.sort_unstable();
            for number in 0..most {
                let calls = || order.iter().filter_map(|rank| Some((*rank, *ranks[rank].get(number)?)));
                let entry = |(_, (_, index)): (usize, CollectiveAt)| self.tables.collectives[index as usize];
                let root = calls().map(entry).find(has_counts);
                let places: Vec<(usize, CollectiveAt)> = calls().collect();
                for (rank, (at, index)) in places {
                    self.share_root(rank, at, index, root)?;
                }
            }
        }
        Ok(())
    }

    fn share_root(
        &mut self,
        rank: usize,
        at: usize,
        index: u32,
        root: Option<CollectiveCall>,
    ) -> Result<(), TraceError> {
        let mut call = self.tables.collectives[index as usize];
        if !is_told_by_root(&call) || has_counts(&call) {
            return Ok(());
        }
        let zeros = vec![0; self.members(call.communicator).size()];
        let (sent, received) = match (root.filter(|root| root.kind == call.kind), call.kind) {
            (Some(root), _) => (root.send_counts, root.recv_counts),
            (None, CollectiveKind::Gatherv) => (Counts::default(), self.counts(&zeros)?),
            (None, _) => (self.counts(&zeros)?, Counts::default()),
        };
        (call.send_counts, call.recv_counts) = (sent, received);
        self.settle_collective(rank as u32, at, call)
    }
}
