//! The first shortest path of a grid, by coordinates: no search, and no table.

use std::sync::Arc;

use crate::ids::SwitchId;
use crate::routing::Routing;
use crate::routing::grid::Grid;
use crate::topology::{ArcId, Graph};

pub(super) struct FirstOnGrid {
    pub graph: Arc<Graph>,
    pub grid: Grid,
}

/// A dimension in which the goal is not reached yet.
struct OpenDimension {
    dimension: usize,
    stride: i64,
    here: u32,
    goal: u32,
    next: u32,
}

impl OpenDimension {
    /// Finds the next coordinate on a shortest path: the smaller one, if both directions round are equally long.
    fn find_next(&mut self, grid: &Grid) {
        let (above, below) = grid.steps(self.dimension, self.here, self.goal);
        self.next = below.into_iter().chain(above).min().unwrap_or(self.goal);
    }

    /// Returns the change of the switch number by the hop.
    fn change(&self) -> i64 {
        (i64::from(self.next) - i64::from(self.here)) * self.stride
    }
}

impl Routing for FirstOnGrid {
    /// Routes by coordinates. A hop is on a shortest path if it brings one coordinate nearer to its goal. Of these hops
    /// the first in the order of arcs is the one to the switch with the smallest number.
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        let mut open = Vec::with_capacity(self.grid.dims.len());
        let mut stride = 1;
        for (dimension, &size) in self.grid.dims.iter().enumerate() {
            let (here, goal) = (from.0 / stride % size, to.0 / stride % size);
            if here != goal {
                let mut missing = OpenDimension { dimension, stride: i64::from(stride), here, goal, next: goal };
                missing.find_next(&self.grid);
                open.push(missing);
            }
            stride *= size;
        }
        let mut at = i64::from(from.0);
        while let Some(first) = (0..open.len()).min_by_key(|&dimension| open[dimension].change()) {
            let dimension = &mut open[first];
            let next = at + dimension.change();
            let arc = self.graph.find_arc(SwitchId(at as u32), SwitchId(next as u32));
            arcs.push(arc.expect("neighbours on a grid have a cable"));
            at = next;
            dimension.here = dimension.next;
            if dimension.here == dimension.goal {
                open.swap_remove(first);
            } else {
                dimension.find_next(&self.grid);
            }
        }
        true
    }
}
