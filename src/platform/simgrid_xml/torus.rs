//! Torus clusters: each host has a cable to its next neighbour in each dimension, messages go dimension by dimension.

use super::leaves::Leaves;
use super::network::Generated;
use crate::ids::LinkId;

/// A torus of hosts; host `x1 + d1*x2 + ...` has the coordinates (x1, x2, ...).
pub(super) struct Torus {
    /// Size of each dimension.
    pub(super) dimensions: Vec<u32>,
    /// Links of each host, which include its cables.
    pub(super) leaves: Leaves,
}

/// Returns the number of the next host in a dimension: one step up, or back to the start.
pub(super) fn next(host: u32, size: u32, stride: u32) -> u32 {
    if (host / stride) % size == size - 1 { host - (size - 1) * stride } else { host + stride }
}

fn previous(host: u32, size: u32, stride: u32) -> u32 {
    if (host / stride).is_multiple_of(size) { host + (size - 1) * stride } else { host - stride }
}

/// Returns `true` if messages go up from `mine` to `target`, by the shorter way round. In an even ring, the opposite
/// host is reached upwards from the lower half and downwards from the middle, because of SimGrid's comparison.
fn goes_up(mine: u32, target: u32, size: u32) -> bool {
    let half = size / 2;
    (target > mine && target <= mine + half) || (mine > half && (mine + half) % size >= target)
}

impl Generated for Torus {
    fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) -> bool {
        if from == to
            && let Some(loopback) = self.leaves.loopback(from)
        {
            links.push(loopback);
            return true;
        }
        let mut here = from;
        let mut stride = 1;
        for (dimension, &size) in (0..).zip(&self.dimensions) {
            let target = (to / stride) % size;
            let up = goes_up((from / stride) % size, target, size);
            while (here / stride) % size != target {
                // Each host on the path forwards the message, so the limiter of each counts.
                links.extend(self.leaves.limiter(here));
                if up {
                    links.push(self.leaves.cable(here, dimension, true));
                    here = next(here, size, stride);
                } else {
                    here = previous(here, size, stride);
                    links.push(self.leaves.cable(here, dimension, false));
                }
            }
            stride *= size;
        }
        links.extend(self.leaves.limiter(to));
        true
    }
}
