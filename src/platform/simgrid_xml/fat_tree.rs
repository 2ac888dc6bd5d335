//! Fat-tree clusters: routes go up by the destination (d mod k), and down over the cable that the source selects.
//!
//! A switch of level `l` is identified by its label, a digit for each level. Digits below `l` count parents, the others
//! children. Cables are numbered level by level, from the child, parent by parent, so no table is needed.

use super::leaves::Leaves;
use super::network::Generated;
use crate::ids::LinkId;

/// A tree whose leaves are hosts.
pub(super) struct FatTree {
    /// For each level, from the hosts up: children of a switch, parents of a node below, cables between the two.
    pub(super) levels: Vec<FatTreeLevel>,
    /// Loopback and limiter of each host.
    pub(super) leaves: Leaves,
    /// First limiter of a switch, in the order of the switches.
    pub(super) switch_limiters: Option<u32>,
    /// First link of the first cable.
    pub(super) first_cable: u32,
    /// Number of links per cable: 2 if it has a link per direction.
    pub(super) links_per_cable: u32,
    /// Number of the first host of this tree; SimGrid numbers the hosts of all fat trees of a platform in one sequence.
    pub(super) first_position: u32,
}

/// Shape between two levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FatTreeLevel {
    pub(super) children: u32,
    pub(super) parents: u32,
    pub(super) cables: u32,
}

/// A node on the path: its level (0 for hosts) and its label.
#[derive(Clone)]
struct Node {
    level: usize,
    label: Vec<u32>,
}

/// Returns the number of nodes on a level, where level 0 are the hosts. Saturates.
pub(super) fn nodes_on(levels: &[FatTreeLevel], level: usize) -> u64 {
    let radices = levels.iter().enumerate().map(|(i, l)| u64::from(if i < level { l.parents } else { l.children }));
    radices.fold(1, u64::saturating_mul)
}

/// Returns the number of cables between a level and the next one. Saturates.
pub(super) fn cables_above(levels: &[FatTreeLevel], level: usize) -> u64 {
    let shape = levels[level];
    nodes_on(levels, level).saturating_mul(u64::from(shape.parents)).saturating_mul(u64::from(shape.cables))
}

impl FatTree {
    /// Returns the radix of a digit on a level.
    fn radix(&self, level: usize, digit: usize) -> u32 {
        if digit < level { self.levels[digit].parents } else { self.levels[digit].children }
    }

    fn host(&self, mut number: u32) -> Node {
        let label = (0..self.levels.len()).map(|digit| {
            let radix = self.radix(0, digit);
            let value = number % radix;
            number /= radix;
            value
        });
        Node { level: 0, label: label.collect() }
    }

    /// Returns the number of a node among those of its level.
    fn position(&self, node: &Node) -> u64 {
        (0..self.levels.len())
            .rev()
            .fold(0, |sum, digit| sum * u64::from(self.radix(node.level, digit)) + u64::from(node.label[digit]))
    }

    fn limiter(&self, node: &Node) -> Option<LinkId> {
        if node.level == 0 {
            return self.leaves.limiter(self.position(node) as u32);
        }
        let below: u64 = (1..node.level).map(|level| nodes_on(&self.levels, level)).sum();
        self.switch_limiters.map(|first| LinkId(first + (below + self.position(node)) as u32))
    }

    /// Returns the link of a cable from a node to its parent with the digit `parent`.
    fn cable(&self, child: &Node, parent: u32, cable: u32, up: bool) -> LinkId {
        let shape = self.levels[child.level];
        let below: u64 = (0..child.level).map(|level| cables_above(&self.levels, level)).sum();
        let number = below
            + (self.position(child) * u64::from(shape.parents) + u64::from(parent)) * u64::from(shape.cables)
            + u64::from(cable);
        let half = u32::from(!up && self.links_per_cable == 2);
        LinkId(self.first_cable + number as u32 * self.links_per_cable + half)
    }

    /// Returns `true` if the host is below the switch.
    fn is_above(switch: &Node, host: &Node) -> bool {
        switch.level > 0 && switch.label[switch.level..] == host.label[switch.level..]
    }
}

impl Generated for FatTree {
    fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) -> bool {
        if from == to
            && let Some(loopback) = self.leaves.loopback(from)
        {
            links.push(loopback);
            return true;
        }
        let goal = self.host(to);
        let mut here = self.host(from);
        let (source, mut destination) = (self.first_position + from, self.first_position + to);
        while !Self::is_above(&here, &goal) {
            let shape = self.levels[here.level];
            let port = destination % (shape.parents * shape.cables);
            links.extend(self.limiter(&here));
            links.push(self.cable(&here, port % shape.parents, port / shape.parents, true));
            here.label[here.level] = port % shape.parents;
            here.level += 1;
            destination /= shape.parents;
        }
        while here.level > 0 {
            let shape = self.levels[here.level - 1];
            let mut port = source % shape.cables * shape.children;
            // SimGrid checks the ports of a switch one after another, and continues with the next port number at the
            // child that it found there.
            while here.level > 0 {
                let shape = self.levels[here.level - 1];
                if port >= shape.children * shape.cables {
                    break;
                }
                let digit = here.level - 1;
                if port % shape.children == goal.label[digit] {
                    let parent = here.label[digit];
                    let above = self.limiter(&here);
                    here.label[digit] = goal.label[digit];
                    here.level = digit;
                    links.push(self.cable(&here, parent, port / shape.children, false));
                    links.extend(above);
                }
                port += 1;
            }
        }
        links.extend(self.limiter(&here));
        true
    }
}
