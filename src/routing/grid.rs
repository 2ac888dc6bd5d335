//! Switches with coordinates: the dimensions of ring, mesh, torus, Tofu, hypercube, HyperX and flattened butterfly.
//!
//! Switch `s` has the coordinate `s / stride % size` in each dimension; the stride is the product of the sizes before
//! it.

use crate::topology::Topology;
use crate::topology::families::tofu;

/// Connections between switches that differ in one coordinate only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// Neighbours, with two ends.
    Path,
    /// Neighbours, in a cycle.
    Cycle,
    /// Fully connected.
    Complete,
}

/// Dimensions of a topology with coordinates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Size of each dimension.
    pub dims: Vec<u32>,
    /// Connection of the switches of a line, for each dimension.
    pub lines: Vec<Line>,
}

impl Grid {
    /// Returns the grid of a topology; `None` for families without dimensions.
    pub fn of(topology: &Topology) -> Option<Self> {
        let arguments = topology.spec.arguments();
        // The sizes of a graph that was built fit into 32 bits.
        let dims = || arguments.integers("dims").iter().map(|&d| d as u32).collect();
        let switches = topology.graph.switches();
        let (line, dims): (_, Vec<u32>) = match topology.spec.family().name {
            "ring" => (Line::Cycle, vec![switches as u32]),
            "mesh" => (Line::Path, dims()),
            "torus" => (Line::Cycle, dims()),
            "hyperx" => (Line::Complete, dims()),
            "flattened_butterfly" => {
                let number = |name| arguments.integer(name).unwrap_or(0) as u32;
                (Line::Complete, vec![number("k"); (number("n") - 1) as usize])
            }
            "hypercube" => (Line::Path, vec![2; switches.ilog2() as usize]),
            "tofu" => {
                let (dims, rings) = tofu::dimensions(&topology.spec)?;
                let lines = rings.iter().map(|&ring| if ring { Line::Cycle } else { Line::Path });
                return Some(Self { dims, lines: lines.collect() });
            }
            _ => return None,
        };
        Some(Self { lines: vec![line; dims.len()], dims })
    }

    /// Returns `true` if the lines of at least one dimension have this connection.
    pub fn has(&self, line: Line) -> bool {
        self.lines.contains(&line)
    }

    /// Along a line of a dimension, from `here` to another coordinate: the coordinate after a hop upwards and after
    /// one downwards, each only if it leads along a shortest way. A complete line is crossed in one hop.
    pub fn steps(&self, dimension: usize, here: u32, goal: u32) -> (Option<u32>, Option<u32>) {
        let (up, down, size) = (goal > here, goal < here, self.dims[dimension]);
        match self.lines[dimension] {
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

    /// Returns the coordinates of a switch.
    pub fn coordinates(&self, mut switch: u32) -> impl Iterator<Item = u32> + '_ {
        self.dims.iter().map(move |&size| {
            let here = switch % size;
            switch /= size;
            here
        })
    }

    /// Returns the neighbour of a switch with another coordinate in one dimension.
    pub fn at(&self, switch: u32, dimension: usize, coordinate: u32) -> u32 {
        let stride: u32 = self.dims[..dimension].iter().product();
        let here = switch / stride % self.dims[dimension];
        switch - here * stride + coordinate * stride
    }

    /// Returns the order of the cables of a switch: twice the dimension, and one more for the neighbour with the lower
    /// coordinate.
    pub fn direction(&self, switch: u32, neighbour: u32) -> u32 {
        let pairs = self.coordinates(switch).zip(self.coordinates(neighbour));
        let (dimension, (here, there)) =
            (0..).zip(pairs).find(|(_, (here, there))| here != there).unwrap_or((0, (0, 0)));
        let size = self.dims.get(dimension as usize).copied().unwrap_or(1);
        let up = match self.lines.get(dimension as usize) {
            Some(Line::Cycle) => there == (here + 1) % size,
            _ => there > here,
        };
        2 * dimension + u32::from(!up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_a_torus() {
        let grid = Grid::of(&crate::topology::build("torus:3x4").unwrap()).unwrap();
        // Switch 3 is at (0, 1).
        let around = [4, 5, 6, 0].map(|to| grid.direction(3, to));
        assert_eq!(around, [0, 1, 2, 3]);
        assert_eq!(grid.at(3, 1, 3), 9);
        assert_eq!(grid.coordinates(11).collect::<Vec<_>>(), [2, 3]);
    }
}
