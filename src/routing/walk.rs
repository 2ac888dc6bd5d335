//! Routings that compute the next switch from its number alone.

use std::fmt;
use std::sync::Arc;

use super::Routing;
use crate::ids::SwitchId;
use crate::topology::{ArcId, Graph};

/// Names the switches of a route, one after another.
pub(super) trait Walk: Send + Sync {
    /// Calls `step` with each switch after `from`, in order, and with the rule that led there. `false` if there is no
    /// path.
    fn walk(&self, from: u32, to: u32, step: &mut dyn FnMut(u32, fmt::Arguments<'_>)) -> bool;
}

/// Walk on a graph.
pub(super) struct Walked<W> {
    pub(super) graph: Arc<Graph>,
    pub(super) rule: W,
}

impl<W: Walk> Routing for Walked<W> {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        let start = arcs.len();
        let key = if self.graph.has_parallel_cables() { super::spread(from.0, to.0) } else { 0 };
        let (mut at, mut valid) = (from, true);
        let found = self.rule.walk(from.0, to.0, &mut |next, _| {
            match self.graph.find_parallel_arc(at, SwitchId(next), key) {
                Some(arc) => arcs.push(arc),
                None => valid = false,
            }
            at = SwitchId(next);
        });
        let whole = found && valid && at == to;
        if !whole {
            arcs.truncate(start);
        }
        whole
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let mut reasons = Vec::new();
        self.rule.walk(from.0, to.0, &mut |_, reason| reasons.push(reason.to_string()));
        reasons
    }
}
