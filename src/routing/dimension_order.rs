//! One dimension after another, dimension 0 first: for ring, mesh, torus, hypercube, HyperX and flattened butterfly.
//!
//! Within a dimension of a torus a message goes the shorter way, upwards if both are equally long; in HyperX it takes
//! one hop.

use std::fmt;

use super::grid::{Grid, Line};
use super::walk::{Walk, Walked};
use super::{Options, Routing, RoutingError};
use crate::topology::Topology;

struct DimensionOrder(Grid);

pub(super) fn build(topology: &Topology, _options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    let grid = Grid::of(topology).ok_or_else(|| {
        RoutingError::unsuitable(
            "dimension_order",
            topology,
            "it is for ring, mesh, torus, hypercube, hyperx and flattened_butterfly, which have dimensions",
        )
    })?;
    Ok(Box::new(Walked { graph: topology.graph.clone(), rule: DimensionOrder(grid) }))
}

impl Walk for DimensionOrder {
    fn walk(&self, from: u32, to: u32, step: &mut dyn FnMut(u32, fmt::Arguments<'_>)) -> bool {
        let Self(grid) = self;
        let (mut at, mut stride) = (from, 1);
        for (dimension, &d) in grid.dims.iter().enumerate() {
            let (mut here, goal) = (at / stride % d, to / stride % d);
            let up = grid.steps(d, here, goal).0.is_some();
            while here != goal {
                let (above, below) = grid.steps(d, here, goal);
                // Where both ways round are equally long, the first hop decides; the ones after it have no choice.
                let next = if up { above } else { below }.unwrap_or(goal);
                at = at - here * stride + next * stride;
                match grid.line {
                    Line::Complete => step(at, format_args!("dimension {dimension}, {here} to {next}")),
                    _ => step(at, format_args!("dimension {dimension}, {}1", if up { "+" } else { "-" })),
                }
                here = next;
            }
            stride *= d;
        }
        at == to
    }
}
