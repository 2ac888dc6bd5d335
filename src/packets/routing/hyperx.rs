//! UGAL of HyperX and flattened butterflies (J. Kim, W. Dally, D. Abts, Flattened Butterfly, 2007): direct if
//! `H_m q_m <= H_n q_n + 2`, else by a random switch within the dimensions in which source and destination differ. Both
//! parts are by dimension order, the first on the lower half of the virtual channels, the second on the upper.

use super::dimension_order::DimensionOrder;
use super::rule::{At, Candidate, Head, Request, Rule, halves};
use super::valiant::{arrive, delivery};
use crate::packets::PacketError;
use crate::packets::random::scaled;
use crate::packets::wiring::Wiring;
use crate::routing::grid::{Grid, Line};
use std::sync::Arc;

/// Bias towards the direct path, in flits times hops.
const THRESHOLD: u64 = 2;

struct HyperX {
    wiring: Arc<Wiring>,
    order: DimensionOrder,
    grid: Grid,
    vcs: u32,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    let Some(grid) = Grid::of(&request.wiring.topology).filter(|grid| grid.has(Line::Complete)) else {
        return Err(request.unsuitable("it is for hyperx and flattened_butterfly", "`ugal` fits every network"));
    };
    let order = DimensionOrder::new(request)?;
    Ok(Box::new(HyperX { wiring: request.wiring.clone(), order, grid, vcs: request.vcs }))
}

impl HyperX {
    fn hops(&self, from: u32, to: u32) -> u32 {
        self.grid.coordinates(from).zip(self.grid.coordinates(to)).filter(|(a, b)| a != b).count() as u32
    }

    /// Returns a switch that differs from the first one only where the destination does.
    fn through(&self, from: u32, to: u32, bits: u64) -> u32 {
        let (mut stride, mut through, mut bits) = (1, 0, bits);
        let pairs = self.grid.coordinates(from).zip(self.grid.coordinates(to)).zip(&self.grid.dims);
        for ((here, there), &size) in pairs {
            let coordinate = if here == there { here } else { scaled(bits, size) };
            bits = crate::packets::random::mixed(bits.wrapping_add(1));
            through += coordinate * stride;
            stride *= size;
        }
        through
    }

    fn onward(&self, at: &At<'_>, head: &mut Head) -> Candidate {
        arrive(at, head);
        let detour = head.phase & Head::DETOUR != 0;
        let goal = if detour { head.note } else { head.target };
        let Some(step) = self.order.step(at, head, goal, false, &mut false) else {
            return delivery(&self.wiring, at.switch, head, self.vcs);
        };
        let (lowest, highest) = halves(self.vcs)[usize::from(!detour)];
        Candidate { output: (self.wiring.first_cable(at.switch) + step.cable) as u16, lowest, highest, priority: 0 }
    }
}

impl Rule for HyperX {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        if at.cable.is_none() {
            let through = self.through(at.switch, head.target, at.random(head));
            if through != at.switch && through != head.target {
                let first = self.wiring.first_cable(at.switch);
                let load = |goal| {
                    let step = self.order.step(at, head, goal, true, &mut false);
                    step.map_or(0, |step| u64::from(at.loads[(first + step.cable) as usize]))
                };
                let hops = |from, to| u64::from(self.hops(from, to));
                let minimal = load(head.target) * hops(at.switch, head.target);
                let detour = load(through) * (hops(at.switch, through) + hops(through, head.target));
                if minimal > detour + THRESHOLD {
                    (head.note, head.phase) = (through, Head::DETOUR);
                }
            }
        }
        self.onward(at, head)
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let mut each = |mut head: Head| {
            let candidate = self.onward(at, &mut head);
            visit(candidate, head);
        };
        each(*head);
        if at.cable.is_none() {
            for note in (0..self.wiring.switches() as u32).filter(|&s| s != at.switch && s != head.target) {
                let within = self
                    .grid
                    .coordinates(at.switch)
                    .zip(self.grid.coordinates(head.target))
                    .zip(self.grid.coordinates(note))
                    .all(|((here, there), through)| here != there || through == here);
                if within {
                    each(Head { note, phase: Head::DETOUR, ..*head });
                }
            }
        }
    }

    /// A path takes one cable in each dimension, in ascending order, and then again on higher channels.
    fn proof(&self) -> Option<&'static str> {
        let is_acyclic = !self.grid.has(Line::Cycle);
        is_acyclic.then_some("dimension order without rings, and again on higher channels after the detour")
    }

    fn set_vcs(&mut self, vcs: u32) {
        self.vcs = vcs;
    }

    fn vcs_needed(&self) -> u32 {
        2
    }
}
