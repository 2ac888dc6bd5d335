//! Trees of paths: for each source, the arc by which its search reached each switch, and the path back along these
//! arcs.

use std::sync::Arc;

use super::source_cache::SourceCache;
use crate::ids::SwitchId;
use crate::topology::weighted::NO_ARC;
use crate::topology::{ArcId, Graph};

pub(super) struct Trees {
    graph: Arc<Graph>,
    /// For each source, the arc by which the search reached each switch, or [`NO_ARC`].
    came_by: SourceCache<Vec<u32>>,
}

impl Trees {
    pub fn new(graph: Arc<Graph>) -> Self {
        let n = graph.switches();
        Self { graph, came_by: SourceCache::new(n, n * size_of::<u32>()) }
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Appends the arcs of the path in the tree of `from`, which `search` grows if it is not cached; `false` if the
    /// search did not reach `to`.
    pub fn route(
        &self,
        from: SwitchId,
        to: SwitchId,
        search: impl FnOnce() -> Vec<u32>,
        arcs: &mut Vec<ArcId>,
    ) -> bool {
        if from == to {
            return true;
        }
        self.came_by.with(from.0, search, |came_by| way_back(&self.graph, came_by, from, to, arcs))
    }

    /// Appends the arcs of the path in the tree of `from` if that is cached; `None` if it is not.
    pub fn route_if_grown(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> Option<bool> {
        if from == to {
            return Some(true);
        }
        self.came_by.remembered(from.0, |came_by| way_back(&self.graph, came_by, from, to, arcs))
    }
}

/// Appends the arcs of the path from one switch to another along those by which a search from the first reached each;
/// `false` if it did not reach the second.
pub(super) fn way_back(graph: &Graph, came_by: &[u32], from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
    if to != from && came_by[to.index()] == NO_ARC {
        return false;
    }
    let start = arcs.len();
    let mut switch = to;
    while switch != from {
        let arc = ArcId(came_by[switch.index()]);
        arcs.push(arc);
        switch = graph.tail(arc);
    }
    arcs[start..].reverse();
    true
}
