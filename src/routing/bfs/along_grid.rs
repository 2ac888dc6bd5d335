//! The first shortest path of a grid, by coordinates: no search, and no table.

use crate::ids::SwitchId;
use crate::routing::Routing;
use crate::routing::grid::Grid;
use crate::topology::{ArcId, Graph};
use std::sync::Arc;

pub(super) struct FirstOnGrid {
    pub graph: Arc<Graph>,
    pub grid: Grid,
}

impl Routing for FirstOnGrid {
    /// A hop is on a shortest path if it brings one coordinate nearer to its goal. Of these hops the first in the order of arcs
    /// is the one to the switch with the smallest number.
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        let mut at = from.0;
        while at != to.0 {
            let (mut next, mut stride) = (u32::MAX, 1);
            for &size in &self.grid.dims {
                let (here, goal) = (at / stride % size, to.0 / stride % size);
                let (above, below) = self.grid.steps(size, here, goal);
                for coordinate in [above, below].into_iter().flatten() {
                    next = next.min(at - here * stride + coordinate * stride);
                }
                stride *= size;
            }
            let arc = self.graph.find_arc(SwitchId(at), SwitchId(next));
            arcs.push(arc.expect("neighbours on a grid have a cable"));
            at = next;
        }
        true
    }
}
