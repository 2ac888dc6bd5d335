//! Totals of a trace.

use crate::trace::{Action, CollectiveKind, Trace};
use std::collections::BTreeMap;

/// Totals over all ranks of a trace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Number of ranks.
    pub ranks: u64,
    /// Number of actions.
    pub actions: u64,
    /// Flops of all computations, including those inside collectives.
    pub flops: f64,
    /// Number of point-to-point messages sent.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes: u64,
    /// Number of calls of collectives, of all ranks together.
    pub collectives: BTreeMap<CollectiveKind, u64>,
}

impl Summary {
    /// Returns the totals of a trace.
    pub fn of(trace: &Trace) -> Self {
        let mut total = Self { ranks: trace.ranks() as u64, actions: trace.total_actions(), ..Self::default() };
        for action in trace.actions.iter().flatten() {
            match action {
                Action::Compute { flops } => total.flops += flops,
                Action::Send { count, datatype, .. } | Action::Isend { count, datatype, .. } => {
                    total.messages += 1;
                    total.bytes += datatype.bytes(count);
                }
                Action::SendRecv { index } => {
                    let pair = &trace.sendrecvs[index as usize];
                    total.messages += 1;
                    total.bytes += pair.send_type.bytes(pair.send_count);
                }
                Action::Collective { index } | Action::Start { index, .. } => {
                    let call = &trace.collectives[index as usize];
                    total.flops += call.flops;
                    *total.collectives.entry(call.kind).or_default() += 1;
                }
                _ => {}
            }
        }
        total
    }

    /// Adds the totals of other ranks.
    pub fn add(&mut self, other: &Self) {
        self.ranks += other.ranks;
        self.actions += other.actions;
        self.flops += other.flops;
        self.messages += other.messages;
        self.bytes += other.bytes;
        for (&kind, calls) in &other.collectives {
            *self.collectives.entry(kind).or_default() += calls;
        }
    }
}
