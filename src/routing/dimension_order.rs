//! One dimension after another, dimension 0 first: for ring, mesh, torus, Tofu, hypercube, HyperX and flattened butterfly.
//!
//! Within a dimension of a torus a message takes the shorter direction; in HyperX it takes one hop. If both directions
//! round a torus are equally long, messages from even coordinates go upwards and those from odd ones downwards, so that
//! both directions carry half of such traffic. With `ties=up` all go upwards.

use std::fmt;

use super::grid::{Grid, Line};
use super::walk::{Walk, Walked};
use super::{Options, Routing, RoutingError, RoutingSpec, RuleParameter, Values};
use crate::topology::Topology;

/// Option for directions round a torus that are equally long.
pub(super) const TIES: RuleParameter = RuleParameter {
    name: "ties",
    values: Values::Words(&["alternate", "up"]),
    default: 0,
    help: "the way of messages to the opposite side of a torus: alternate by the parity of the source, or all up",
};

struct DimensionOrder {
    grid: Grid,
    alternate: bool,
}

pub(super) fn build(
    topology: &Topology,
    _options: &Options<'_>,
    spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let grid = Grid::of(topology).ok_or_else(|| {
        RoutingError::unsuitable(
            "dimension_order",
            topology,
            "it is for ring, mesh, torus, tofu, hypercube, hyperx and flattened_butterfly, which have dimensions",
        )
    })?;
    let rule = DimensionOrder { grid, alternate: spec.value("ties") == TIES.default };
    Ok(Box::new(Walked { graph: topology.graph.clone(), rule }))
}

impl Walk for DimensionOrder {
    fn walk(&self, from: u32, to: u32, step: &mut dyn FnMut(u32, fmt::Arguments<'_>)) -> bool {
        let Self { grid, alternate } = self;
        let (mut at, mut stride) = (from, 1);
        for (dimension, &d) in grid.dims.iter().enumerate() {
            let (mut here, goal) = (at / stride % d, to / stride % d);
            let up = match grid.steps(dimension, here, goal) {
                (Some(_), Some(_)) if *alternate => here.is_multiple_of(2),
                (above, _) => above.is_some(),
            };
            while here != goal {
                let (above, below) = grid.steps(dimension, here, goal);
                // Where both ways round are equally long, the first hop decides; the ones after it have no choice.
                let next = if up { above } else { below }.unwrap_or(goal);
                at = at - here * stride + next * stride;
                match grid.lines[dimension] {
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

#[cfg(test)]
mod tests {
    use super::super::tests::built;
    use super::*;
    use crate::ids::SwitchId;
    use crate::topology;

    /// Returns the routes over each arc, if every switch sends to every other.
    fn loads(spec: &str, routing: &str) -> Vec<u32> {
        let grid = topology::build(spec).unwrap();
        let (routing, n) = (built(routing, &grid, &Options::default()), grid.graph.switches() as u32);
        let mut load = vec![0; grid.graph.arcs()];
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
            let mut arcs = Vec::new();
            assert!(routing.route(SwitchId(from), SwitchId(to), &mut arcs));
            arcs.iter().for_each(|arc| load[arc.index()] += 1);
        }
        load
    }

    #[test]
    fn ties_alternate_so_that_all_cables_carry_the_same() {
        // A line of 4: distances 1 and 3 put 1 on each arc, ties of two hops 4 * 2 / 8 = 1 more. Each line of a cube of
        // 4 x 4 x 4 has 16 pairs of other coordinates for every such pair.
        assert!(loads("torus:4x4x4", "dimension_order").iter().all(|&load| load == 32));
        let up = loads("torus:4x4x4", "dimension_order:ties=up");
        assert_eq!((up.iter().min(), up.iter().max()), (Some(&16), Some(&48)));
        // No ties: both options agree.
        assert_eq!(loads("torus:5x3", "dimension_order"), loads("torus:5x3", "dimension_order:ties=up"));
    }
}
