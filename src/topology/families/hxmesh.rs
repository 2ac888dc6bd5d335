//! HammingMesh, HxMesh: boards of a x b accelerators in a 2-D mesh, whose rows and columns are joined by switches.
//!
//! (T. Hoefler et al., HammingMesh: A Network Topology for Large-Scale Deep Learning, 2022, section III.) x times y
//! boards form a grid. Every accelerator forwards messages and is a switch of this graph with one host. In each of the
//! `y*b` rows of accelerators, both ends of every board have a cable to the row's network, so it has 2x ports; likewise
//! in each of the `x*a` columns. Such a network is one switch if it has enough ports, otherwise a fat tree of two
//! levels without oversubscription: each leaf has as many cables up as down, dealt to the spines in turn. The graph is
//! one plane of the publication, whose accelerators have four of them.
//!
//! Accelerator (X, Y) has the number `Y*x*a + X`; the networks of the rows follow, then those of the columns, each
//! with its leaves before its spines.

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

/// Switches of the network of a row or column.
struct LineNetwork {
    leaves: usize,
    spines: usize,
    /// Ports of a leaf to accelerators; all ports if there is no spine.
    down: usize,
}

impl LineNetwork {
    fn new(ports: usize, radix: usize) -> Self {
        if ports <= radix {
            return Self { leaves: 1, spines: 0, down: ports };
        }
        let down = radix / 2;
        let leaves = ports.div_ceil(down);
        Self { leaves, spines: (leaves * down).div_ceil(radix), down }
    }

    fn switches(&self) -> usize {
        self.leaves + self.spines
    }

    /// Appends the cables of a network whose switches are numbered from `first`, for the accelerators of its ports.
    fn join(&self, first: usize, ports: impl Iterator<Item = usize>, cables: &mut Vec<(u32, u32)>) {
        cables.extend(ports.enumerate().map(|(port, end)| (end as u32, (first + port / self.down) as u32)));
        if self.spines > 0 {
            let up = 0..self.leaves * self.down;
            let ends = |cable| (first + cable / self.down, first + self.leaves + cable % self.spines);
            cables.extend(up.map(ends).map(|(leaf, spine)| (leaf as u32, spine as u32)));
        }
    }
}

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let [a, b, x, y] = ["a", "b", "x", "y"].map(|name| arguments.count(name, 1, MAX_SWITCHES));
    let (a, b, x, y) = (a?, b?, x?, y?);
    let radix = arguments.count("radix", 2, 1 << 16)?;
    if !radix.is_multiple_of(2) {
        return Err(
            arguments.invalid("radix", format!("it must be even; the nearest are {} and {}", radix - 1, radix + 1))
        );
    }
    for (name, boards) in [("x", x), ("y", y)] {
        // A fat tree of two levels has radix^2/2 ports.
        let most = radix * radix / 4;
        if boards > most {
            return Err(arguments.invalid(
                name,
                format!("a network of two levels of {radix}-port switches joins at most {most} boards"),
            ));
        }
    }
    let (width, height) = (x as u128 * a as u128, y as u128 * b as u128);
    arguments.limit_vertices("x", width.saturating_mul(height))?;
    let (width, height) = (width as usize, height as usize);
    let accelerators = width * height;
    let (row, column) = (LineNetwork::new(2 * x, radix), LineNetwork::new(2 * y, radix));
    let switches = accelerators + height * row.switches() + width * column.switches();
    arguments.limit_vertices("x", switches as u128)?;
    let lines = [(height, &row), (width, &column)];
    let up: usize =
        lines.iter().map(|(count, line)| count * line.leaves * line.down * usize::from(line.spines > 0)).sum();
    arguments.limit_arcs("x", 2 * (2 * accelerators + 2 * (height * x + width * y) + up) as u128)?;
    let mut cables = Vec::new();
    for accelerator in 0..accelerators {
        let (column, row) = (accelerator % width, accelerator / width);
        if column % a + 1 < a {
            cables.push((accelerator as u32, accelerator as u32 + 1));
        }
        if row % b + 1 < b {
            cables.push((accelerator as u32, (accelerator + width) as u32));
        }
    }
    let ends = |boards: usize, side: usize| (0..boards).flat_map(move |board| [board * side, board * side + side - 1]);
    let mut first = accelerators;
    for line in 0..height {
        row.join(first, ends(x, a).map(|end| line * width + end), &mut cables);
        first += row.switches();
    }
    for line in 0..width {
        column.join(first, ends(y, b).map(|end| end * width + line), &mut cables);
        first += column.switches();
    }
    let hosts = (0..switches).map(|switch| u32::from(switch < accelerators)).collect();
    Ok(Graph::with_parallel_cables(switches, false, cables)?.with_hosts(Hosts::OnSwitches(hosts)))
}
