//! Switches with coordinates: the dimensions of ring, mesh, torus, hypercube, HyperX and flattened butterfly.
//!
//! Switch `s` has the coordinate `s / stride % size` in each dimension; the stride is the product of the sizes before
//! it.

use crate::topology::Topology;

/// How the switches of a line are joined.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Line {
    Path,
    Cycle,
    Complete,
}

/// Sizes of the dimensions, and how the switches that differ in one of them only are joined.
pub(super) struct Grid {
    pub dims: Vec<u32>,
    pub line: Line,
}

impl Grid {
    /// The grid of a topology; `None` for families without dimensions.
    pub fn of(topology: &Topology) -> Option<Self> {
        let arguments = topology.spec.arguments();
        // The sizes of a graph that was built fit into 32 bits.
        let dims = || arguments.integers("dims").iter().map(|&d| d as u32).collect();
        let switches = topology.graph.switches();
        let (line, dims) = match topology.spec.family().name {
            "ring" => (Line::Cycle, vec![switches as u32]),
            "mesh" => (Line::Path, dims()),
            "torus" => (Line::Cycle, dims()),
            "hyperx" => (Line::Complete, dims()),
            "flattened_butterfly" => {
                let number = |name| arguments.integer(name).unwrap_or(0) as u32;
                (Line::Complete, vec![number("k"); (number("n") - 1) as usize])
            }
            "hypercube" => (Line::Path, vec![2; switches.ilog2() as usize]),
            _ => return None,
        };
        Some(Self { dims, line })
    }

    /// Along a line of `size` switches, from `here` to another coordinate: the coordinate after a hop upwards and after
    /// one downwards, each only if it leads along a shortest way. A complete line is crossed in one hop.
    pub fn steps(&self, size: u32, here: u32, goal: u32) -> (Option<u32>, Option<u32>) {
        let (up, down) = (goal > here, goal < here);
        match self.line {
            Line::Complete => (up.then_some(goal), down.then_some(goal)),
            Line::Path => (up.then(|| here + 1), down.then(|| here - 1)),
            Line::Cycle => {
                let climb = if goal >= here { goal - here } else { goal + size - here };
                let fall = size - climb;
                let above = if here + 1 == size { 0 } else { here + 1 };
                let below = if here == 0 { size - 1 } else { here - 1 };
                let apart = goal != here;
                ((apart && climb <= fall).then_some(above), (apart && fall <= climb).then_some(below))
            }
        }
    }
}
