//! Dimension order: the lowest dimension in which switch and destination differ is crossed first.
//!
//! On rings of more than two switches (torus, ring) virtual channels are in two halves: a packet that will pass the
//! cable between the last and the first switch of the dimension travels in the upper half for the whole dimension,
//! others in the lower. The shorter direction is taken, a random one of equals. (W. Dally, C. Seitz, 1987; the halves
//! as BookSim 2 has them.)

use super::rule::{At, Candidate, Head, Request, Rule, halves};
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::parameters::MAX_VCS;
use crate::packets::wiring::Wiring;
use crate::routing::grid::{Grid, Line};
use crate::routing::spread;
use std::sync::Arc;

/// No cable.
const NONE: u16 = u16::MAX;
/// Phase bit: the packet passes the cable between the last and the first switch of the dimension.
const WRAPS: u32 = 2;

/// Next hops by dimension order.
pub(super) struct DimensionOrder {
    grid: Grid,
    wiring: Arc<Wiring>,
    /// Coordinates of each switch.
    coordinates: Vec<u32>,
    /// Cables upwards and downwards, by switch and dimension; unused for complete lines.
    cables: Vec<[u16; 2]>,
    /// For each switch and cable into it, twice the dimension and 1 if it moves packets downwards.
    came: Vec<u8>,
    came_first: Vec<u32>,
    /// Lower and upper half of the virtual channels if there are rings, otherwise all of them twice.
    channels: [(u8, u8); 2],
}

/// Step by dimension order.
pub(super) struct GridStep {
    /// Cable out of the switch.
    pub(super) cable: u32,
    /// `true` if the packet is in the upper half of the virtual channels.
    pub(super) upper: bool,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    Ok(Box::new(DimensionOrder::new(request)?))
}

impl DimensionOrder {
    pub(super) fn new(request: &Request<'_>) -> Result<Self, PacketError> {
        let wiring = request.wiring.clone();
        let Some(grid) = Grid::of(&wiring.topology) else {
            return Err(request.unsuitable(
                "it is for ring, mesh, torus, tofu, hypercube, hyperx and flattened_butterfly",
                "`amin`, `static` and `escape` fit other networks",
            ));
        };
        let graph = wiring.topology.graph.clone();
        let dimensions = grid.dims.len();
        let n = wiring.switches() as u32;
        let mut cables = Vec::new();
        if !grid.has(Line::Complete) {
            cables.reserve(n as usize * dimensions);
            for s in 0..n {
                for (dimension, (here, &size)) in grid.coordinates(s).zip(&grid.dims).enumerate() {
                    let cable = |coordinate: u32| {
                        let to = grid.at(s, dimension, coordinate);
                        graph.find_arc(SwitchId(s), SwitchId(to)).map_or(NONE, |arc| wiring.output_of(arc) as u16)
                    };
                    let wraps = grid.lines[dimension] == Line::Cycle;
                    let up = if here + 1 < size {
                        cable(here + 1)
                    } else if wraps {
                        cable(0)
                    } else {
                        NONE
                    };
                    let down = if here > 0 {
                        cable(here - 1)
                    } else if wraps {
                        cable(size - 1)
                    } else {
                        NONE
                    };
                    cables.push([up, down]);
                }
            }
        }
        let (mut came, mut came_first) = (Vec::new(), vec![0]);
        for s in 0..n {
            for cable in 0..wiring.in_cables(s) {
                let from = wiring.near_end(s, cable).switch;
                came.push(grid.direction(from, s).min(255) as u8);
            }
            came_first.push(came.len() as u32);
        }
        let coordinates = (0..n).flat_map(|s| grid.coordinates(s)).collect();
        let mut rule = Self { grid, wiring, coordinates, cables, came, came_first, channels: [(0, 0); 2] };
        rule.set_vcs(request.vcs);
        Ok(rule)
    }

    /// `true` if there are rings, and so halves of virtual channels.
    pub(super) fn has_rings(&self) -> bool {
        self.grid.lines.iter().zip(&self.grid.dims).any(|(&line, &size)| line == Line::Cycle && size > 2)
    }

    /// Returns the step of a packet to the switch `target`; `None` if it is there. `fresh` packets choose their
    /// direction as if they entered the network here; `wraps` is kept with the packet.
    #[inline(always)] // Into the loops of the rules that call it for each packet and switch.
    pub(super) fn step(
        &self,
        at: &At<'_>,
        head: &Head,
        target: u32,
        fresh: bool,
        wraps: &mut bool,
    ) -> Option<GridStep> {
        self.step_by(at, target, fresh, wraps, || goes_upwards(at, head))
    }

    /// As [`Self::step`]; where both directions of a ring are equally long, `coin` decides whether the packet goes upwards.
    #[inline(always)]
    pub(super) fn step_by(
        &self,
        at: &At<'_>,
        target: u32,
        fresh: bool,
        wraps: &mut bool,
        coin: impl FnOnce() -> bool,
    ) -> Option<GridStep> {
        let dimensions = self.grid.dims.len();
        let of = |switch: u32| &self.coordinates[switch as usize * dimensions..][..dimensions];
        let (from, to) = (of(at.switch), of(target));
        let dimension = (0..dimensions).find(|&dimension| from[dimension] != to[dimension])?;
        let (here, there) = (from[dimension], to[dimension]);
        let size = self.grid.dims[dimension];
        let cables = |upwards: bool| {
            let pair = self.cables[at.switch as usize * dimensions + dimension];
            u32::from(pair[usize::from(!upwards)])
        };
        let upwards = match self.grid.lines[dimension] {
            Line::Complete => {
                let graph = &self.wiring.topology.graph;
                let next = SwitchId(self.grid.at(at.switch, dimension, there));
                // Of parallel cables, one by the destination and the switch: packets to one destination stay in order.
                let arc = graph.find_parallel_arc(SwitchId(at.switch), next, spread(at.switch, target))?;
                return Some(GridStep { cable: self.wiring.output_of(arc), upper: false });
            }
            Line::Path => there > here,
            Line::Cycle => {
                let came = match at.cable {
                    Some(cable) if !fresh => {
                        Some(u32::from(self.came[(self.came_first[at.switch as usize] + cable) as usize]))
                    }
                    _ => None,
                };
                match came.filter(|came| *came as usize / 2 == dimension) {
                    Some(came) => came & 1 == 0,
                    None => {
                        let climb = if there >= here { there - here } else { there + size - here };
                        let upwards = match (2 * climb).cmp(&size) {
                            std::cmp::Ordering::Less => true,
                            std::cmp::Ordering::Greater => false,
                            std::cmp::Ordering::Equal => coin(),
                        };
                        // As in BookSim, also downwards, where those are the packets that do not wrap.
                        *wraps = here > there;
                        upwards
                    }
                }
            }
        };
        let upper = self.grid.lines[dimension] == Line::Cycle && *wraps;
        Some(GridStep { cable: cables(upwards), upper })
    }

    fn candidate(&self, at: &At<'_>, step: &GridStep) -> Candidate {
        let output = (self.wiring.first_cable(at.switch) + step.cable) as u16;
        let (lowest, highest) = self.channels[usize::from(step.upper)];
        Candidate { output, lowest, highest, priority: 0 }
    }
}

/// The coin of a packet whose distances in both directions of a ring are equal.
#[inline]
pub(super) fn goes_upwards(at: &At<'_>, head: &Head) -> bool {
    // Lower bits: rules that draw a switch use the upper ones.
    at.random(head) & 1 == 0
}

impl Rule for DimensionOrder {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        let mut wraps = head.phase & WRAPS != 0;
        let step = self.step(at, head, head.target, false, &mut wraps).expect("the packet is not at its destination");
        head.phase = if wraps { head.phase | WRAPS } else { head.phase & !WRAPS };
        self.candidate(at, &step)
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        for side in [true, false] {
            let (mut wraps, mut tossed) = (head.phase & WRAPS != 0, false);
            let coin = || {
                tossed = true;
                side
            };
            let step =
                self.step_by(at, head.target, false, &mut wraps, coin).expect("the packet is not at its destination");
            let phase = if wraps { head.phase | WRAPS } else { head.phase & !WRAPS };
            visit(self.candidate(at, &step), Head { phase, ..*head });
            if !tossed {
                break;
            }
        }
    }

    fn proof(&self) -> Option<&'static str> {
        Some("dimension order with datelines (Dally and Seitz, 1987)")
    }

    fn reads_loads(&self) -> bool {
        false
    }

    fn set_vcs(&mut self, vcs: u32) {
        // Other numbers are refused after the rule is built.
        let vcs = vcs.clamp(1, MAX_VCS);
        self.channels = if self.has_rings() { halves(vcs) } else { [(0, vcs as u8 - 1); 2] };
    }

    fn vcs_needed(&self) -> u32 {
        if self.has_rings() { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::parameters::HostPort;
    use std::collections::HashSet;

    /// The check for deadlocks sees every step that a packet may take: with any seed, and both directions of a tie, also of one
    /// in the second dimension, behind a cable of the first.
    #[test]
    fn all_steps_are_possible() {
        for (spec, ties) in [("torus:4x5", 20 * 5), ("torus:5x4", 20 * 3)] {
            let topology = Arc::new(crate::topology::build(spec).unwrap());
            let wiring = Arc::new(Wiring::new(topology, None, HostPort::Own, 1).unwrap());
            let request = Request { name: "dimension-order", argument: None, wiring: &wiring, vcs: 4, seed: 1 };
            let rule = build(&request).unwrap();
            let mut found = 0;
            for switch in 0..20 {
                // The first two cables are those along the first dimension.
                for (cable, target) in [None, Some(0), Some(1)].into_iter().flat_map(|c| (0..20).map(move |to| (c, to)))
                {
                    if target == switch {
                        continue;
                    }
                    let at = At { switch, cable, vc: 0, loads: &[], seed: 0 };
                    let head = Head { to: target, target, hops: 0, created: 0, note: 0, phase: 0 };
                    let (mut possible, mut taken) = (HashSet::new(), HashSet::new());
                    rule.possible(&at, &head, &mut |candidate, moved| {
                        possible.insert((candidate.output, candidate.lowest, moved.phase));
                    });
                    for seed in 0..64 {
                        let mut moved = head;
                        let candidate = rule.route(&At { seed, ..at }, &mut moved, &mut Vec::new());
                        taken.insert((candidate.output, candidate.lowest, moved.phase));
                    }
                    assert_eq!(possible, taken, "{spec}: {switch} to {target} from {cable:?}");
                    found += possible.len() - 1;
                }
            }
            assert_eq!(found, ties, "{spec}");
        }
    }
}
