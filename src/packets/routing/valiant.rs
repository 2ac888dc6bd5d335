//! Valiant's routing: first to a random switch, then to the destination.
//!
//! On ring, mesh, torus, hypercube and HyperX both phases are by dimension order, each on virtual channels of its own,
//! and any switch may be the intermediate one. On other networks both are adaptive minimal with hop number i on virtual
//! channel i; a random switch that is the packet's first or last means the direct path.

use super::amin::by_hops;
use super::dimension_order::{DimensionOrder, goes_upwards};
use super::rule::{At, Candidate, Head, Request, Rule, halves};
use super::shortest::Shortest;
use crate::packets::PacketError;
use crate::packets::random::scaled;
use crate::packets::wiring::Wiring;
use crate::routing::grid::Grid;
use std::sync::Arc;

/// Phase bits of grids: the wrap of dimension order, and whether the packet has been assigned its switch.
const WRAPS: u32 = 2;

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    if Grid::of(&request.wiring.topology).is_some() {
        let order = DimensionOrder::new(request)?;
        return Ok(Box::new(OnGrid { order, wiring: request.wiring.clone(), vcs: request.vcs }));
    }
    Ok(Box::new(ByHops { wiring: request.wiring.clone(), shortest: Shortest::new(request)? }))
}

/// Returns the output of the destination host, on any virtual channel.
pub(super) fn delivery(wiring: &Wiring, switch: u32, head: &Head, vcs: u32) -> Candidate {
    let output = wiring.host_output(switch, head.to) as u16;
    Candidate { output, lowest: 0, highest: vcs as u8 - 1, priority: 0 }
}

/// Begins phase 1 at the intermediate switch, where the detour ends.
pub(super) fn arrive(at: &At<'_>, head: &mut Head) -> bool {
    let arrived = head.phase & Head::DETOUR != 0 && head.note == at.switch;
    if arrived {
        head.phase &= !Head::DETOUR;
    }
    arrived
}

struct ByHops {
    wiring: Arc<Wiring>,
    shortest: Arc<Shortest>,
}

impl ByHops {
    fn set_out(&self, at: &At<'_>, head: &mut Head, through: u32) {
        let other = through != at.switch && through != head.target && head.target != at.switch;
        if other && self.shortest.may_pass(at.switch, through, head.target) {
            (head.note, head.phase) = (through, head.phase | Head::DETOUR);
        }
    }

    fn goal(&self, head: &Head) -> u32 {
        if head.phase & Head::DETOUR != 0 { head.note } else { head.target }
    }
}

impl Rule for ByHops {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        if at.cable.is_none() {
            self.set_out(at, head, scaled(at.random(head), self.wiring.switches() as u32));
        }
        arrive(at, head);
        let first = self.wiring.first_cable(at.switch);
        let (cable, _) = self.shortest.least_loaded(at.switch, self.goal(head), at.loads, first);
        by_hops(first, cable, head)
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let first = self.wiring.first_cable(at.switch);
        let through = if at.cable.is_none() { 0..self.wiring.switches() as u32 } else { 0..1 };
        for switch in through {
            let mut head = *head;
            if at.cable.is_none() {
                self.set_out(at, &mut head, switch);
            }
            arrive(at, &mut head);
            self.shortest.next(at.switch, self.goal(&head), |cable| visit(by_hops(first, cable, &head), head));
        }
    }

    fn vcs_needed(&self) -> u32 {
        self.shortest.detour.max(1)
    }

    fn ascending(&self) -> bool {
        true
    }
}

struct OnGrid {
    order: DimensionOrder,
    wiring: Arc<Wiring>,
    vcs: u32,
}

impl OnGrid {
    /// Where both directions of a ring are equally long, `coin` decides whether the packet goes upwards; without one, its random
    /// bits do.
    fn candidate(&self, at: &At<'_>, head: &mut Head, mut fresh: bool, coin: Option<bool>) -> Candidate {
        if arrive(at, head) {
            fresh = true;
        }
        let detour = head.phase & Head::DETOUR != 0;
        let goal = if detour { head.note } else { head.target };
        let mut wraps = head.phase & WRAPS != 0;
        let upwards = || coin.unwrap_or_else(|| goes_upwards(at, head));
        let Some(step) = self.order.step_by(at, goal, fresh, &mut wraps, upwards) else {
            return delivery(&self.wiring, at.switch, head, self.vcs);
        };
        head.phase = if wraps { head.phase | WRAPS } else { head.phase & !WRAPS };
        let output = (self.wiring.first_cable(at.switch) + step.cable) as u16;
        let (lowest, highest) = match self.order.has_rings() {
            true => {
                // Halves of halves: by the dateline, then by the phase.
                let (low, high) = halves(self.vcs)[usize::from(step.upper)];
                let (low_part, high_part) = halves(u32::from(high - low) + 1)[usize::from(!detour)];
                (low + low_part, low + high_part)
            }
            false => halves(self.vcs)[usize::from(!detour)],
        };
        Candidate { output, lowest, highest, priority: 0 }
    }
}

impl Rule for OnGrid {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        if at.cable.is_none() {
            head.note = scaled(at.random(head), self.wiring.switches() as u32);
            head.phase |= Head::DETOUR;
        }
        self.candidate(at, head, at.cable.is_none(), None)
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let through = if at.cable.is_none() { 0..self.wiring.switches() as u32 } else { 0..1 };
        let mut found = Vec::new();
        for switch in through {
            for side in [true, false] {
                let mut head = *head;
                if at.cable.is_none() {
                    (head.note, head.phase) = (switch, head.phase | Head::DETOUR);
                }
                let candidate = self.candidate(at, &mut head, at.cable.is_none(), Some(side));
                if !found.contains(&(candidate, head)) {
                    found.push((candidate, head));
                    visit(candidate, head);
                }
            }
            found.clear();
        }
    }

    fn delivers(&self) -> bool {
        true
    }

    fn proof(&self) -> Option<&'static str> {
        Some("dimension order with datelines (Dally and Seitz, 1987), once on lower and once on higher channels")
    }

    fn set_vcs(&mut self, vcs: u32) {
        self.vcs = vcs;
    }

    fn vcs_needed(&self) -> u32 {
        if self.order.has_rings() { 4 } else { 2 }
    }
}
