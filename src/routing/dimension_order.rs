//! One dimension after another, dimension 0 first: for ring, mesh, torus, hypercube, HyperX and flattened butterfly.
//!
//! Within a dimension of a torus a message goes the shorter way, upwards if both are equally long; in HyperX it takes one hop.

use std::fmt;

use super::walk::{Walk, Walked};
use super::{Options, Routing, RoutingError};
use crate::topology::Topology;

/// How switches of a line are joined.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Line {
    Path,
    Cycle,
    Complete,
}

struct DimensionOrder {
    dims: Vec<u32>,
    line: Line,
}

pub(super) fn build(topology: &Topology, _options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    let (family, arguments) = (topology.spec.family().name, topology.spec.arguments());
    let (line, dims) = match family {
        "ring" => (Line::Cycle, vec![topology.graph.switches() as u32]),
        "mesh" => (Line::Path, sizes(arguments.integers("dims"))),
        "torus" => (Line::Cycle, sizes(arguments.integers("dims"))),
        "hyperx" => (Line::Complete, sizes(arguments.integers("dims"))),
        "flattened_butterfly" => {
            let number = |name| arguments.integer(name).unwrap_or(0) as u32;
            (Line::Complete, vec![number("k"); (number("n") - 1) as usize])
        }
        "hypercube" => (Line::Path, vec![2; topology.graph.switches().ilog2() as usize]),
        _ => {
            return Err(RoutingError::unsuitable(
                "dimension_order",
                topology,
                "it is for ring, mesh, torus, hypercube, hyperx and flattened_butterfly, which have dimensions",
            ));
        }
    };
    Ok(Box::new(Walked { graph: topology.graph.clone(), rule: DimensionOrder { dims, line } }))
}

/// The sizes of a graph that was built fit into 32 bits.
fn sizes(dims: &[i64]) -> Vec<u32> {
    dims.iter().map(|&d| d as u32).collect()
}

impl Walk for DimensionOrder {
    fn walk(&self, from: u32, to: u32, step: &mut dyn FnMut(u32, fmt::Arguments<'_>)) -> bool {
        let (mut at, mut stride) = (from, 1);
        for (dimension, &d) in self.dims.iter().enumerate() {
            let (mut here, goal) = (at / stride % d, to / stride % d);
            let up = match self.line {
                Line::Cycle => (goal + d - here) % d <= (here + d - goal) % d,
                Line::Path | Line::Complete => goal > here,
            };
            while here != goal {
                let next = match (self.line, up) {
                    (Line::Complete, _) => goal,
                    (_, true) => (here + 1) % d,
                    (_, false) => (here + d - 1) % d,
                };
                at = at - here * stride + next * stride;
                match self.line {
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
