//! Filling from zero: used when a crowd forms, and when levels do not settle.
//!
//! Progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2, with weights and bounds) of all flows, so
//! that there are no outsiders: links fill up from the lowest level to the highest, and the flows that are still open
//! on a link when it fills up form its group.

use super::super::rounding::CANCELLATION;
use super::super::system::{Flow, OWN_BOUND, System};
use super::groups::{Gauge, Group, NONE, Opening, PATIENCE, Scale, units};
use crate::network::sharing::Member;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The level of a flow that is not settled.
const OPEN: f64 = -1.0;

impl<const WATCHED: bool> System<WATCHED> {
    /// Allocates all rates from scratch.
    pub(super) fn fill_crowd(&mut self) {
        self.solution += 1;
        let mut open = self.open_all();
        while let Some(Reverse((bits, link))) = self.crowd.queue.pop() {
            let level = self.level_of_open(link);
            if level.to_bits() > bits {
                // Flows settled in the meantime may have left this link more than its entry assumed.
                if level < f64::INFINITY {
                    self.crowd.queue.push(Reverse((level.to_bits(), link)));
                }
            } else {
                open -= self.fill_link(link, level);
                if open == 0 {
                    break;
                }
            }
        }
        self.crowd.queue.clear();
        self.finish_filling(open);
    }

    /// Opens all flows, with no rate allocated. Returns their number.
    fn open_all(&mut self) -> usize {
        let Self { links, flows, crowd, added, .. } = self;
        if !crowd.active {
            // No flow is known to follow a link.
            crowd.followed.clear();
        }
        crowd.followed.resize(flows.len(), NONE);
        added.iter().for_each(|&flow| crowd.followed[flow as usize] = NONE);
        (crowd.active, crowd.wanted, crowd.effort, crowd.flooded) = (true, true, 0, false);
        if crowd.scales.is_empty() {
            crowd.scales.extend(links.iter().map(|link| Scale::new(link.capacity)));
            crowd.groups.resize_with(links.len(), Group::default);
            crowd.patience = PATIENCE * links.len();
        }
        crowd.gauges.clear();
        crowd.gauges.resize(links.len(), Gauge { level: f64::INFINITY, load: 0, highest: 0.0, queued: false });
        crowd.openings.clear();
        crowd.openings.resize(links.len(), Opening::default());
        let mut queue = std::mem::take(&mut crowd.queue).into_vec();
        queue.clear();
        let mut open = 0;
        for (number, link) in links.iter().enumerate() {
            let group = &mut crowd.groups[number];
            group.members.clear();
            group.stale = true;
            let mut demand = 0.0;
            for m in &link.members {
                let flow = &mut flows[m.flow as usize];
                open += usize::from(flow.level != OPEN);
                flow.level = OPEN;
                demand += m.consumption * flow.weight;
            }
            crowd.openings[number] = Opening { demand, formed: demand };
            if !link.is_wide() && !link.members.is_empty() {
                queue.push(Reverse(((link.capacity / demand).to_bits(), number as u32)));
            }
        }
        crowd.queue = BinaryHeap::from(queue);
        open
    }

    /// Returns the level at which a link fills up; infinite if all its flows are settled.
    #[inline]
    fn level_of_open(&mut self, link: u32) -> f64 {
        let Opening { demand, formed } = self.crowd.openings[link as usize];
        if demand < formed * CANCELLATION {
            let flow = |m: &Member| &self.flows[m.flow as usize];
            let open = self.links[link as usize].members.iter().filter(|m| flow(m).level == OPEN);
            let demand = open.map(|m| m.consumption * flow(m).weight).sum();
            self.crowd.openings[link as usize] = Opening { demand, formed: demand };
        }
        match self.crowd.openings[link as usize].demand {
            demand if demand > 0.0 => self.water_level(link, self.crowd.gauges[link as usize].load, demand),
            _ => f64::INFINITY,
        }
    }

    /// Fills up a link at a level. Open flows with lower bounds are settled there instead; their leftover raises the
    /// level for the others. Returns the number of flows settled.
    fn fill_link(&mut self, link: u32, level: f64) -> usize {
        let mut stopped = std::mem::take(&mut self.crowd.groups[link as usize].members);
        let mut bounded = 0;
        for at in 0..self.links[link as usize].members.len() {
            let member = self.links[link as usize].members[at];
            let Flow { level: state, bound, penalty, .. } = self.flows[member.flow as usize];
            if state == OPEN && bound * penalty < level {
                bounded += 1;
                self.settle(member.flow, OWN_BOUND, bound * penalty);
            } else if state == OPEN {
                stopped.push(member);
            }
        }
        if bounded > 0 {
            stopped.clear();
            let level = self.level_of_open(link);
            self.crowd.queue.push(Reverse((level.to_bits(), link)));
        } else if !stopped.is_empty() {
            self.crowd.gauges[link as usize].level = level;
            for m in &stopped {
                self.settle(m.flow, link, level);
            }
        }
        let settled = bounded + stopped.len();
        self.crowd.groups[link as usize].members = stopped;
        settled
    }

    /// Fixes the level of a flow, and its load on the links that do not limit it.
    fn settle(&mut self, flow: u32, bottleneck: u32, level: f64) {
        self.set_bottleneck(flow, bottleneck);
        let state = &mut self.flows[flow as usize];
        state.level = level;
        if bottleneck == OWN_BOUND {
            state.value = state.bound;
        }
        let weight = state.weight;
        for e in &self.elements[state.path.elements()] {
            if e.link != bottleneck {
                let share = self.crowd.share(e.link, e.consumption, weight);
                let gauge = &mut self.crowd.gauges[e.link as usize];
                gauge.load += units(share, level);
                gauge.highest = level.max(gauge.highest);
                self.crowd.openings[e.link as usize].demand -= e.consumption * weight;
            }
        }
        if self.crowd.followed[flow as usize] != bottleneck {
            self.tell(flow);
        }
    }

    /// Settles the remaining open flows at their own bounds.
    fn finish_filling(&mut self, open: usize) {
        if open > 0 {
            for link in 0..self.links.len() {
                for at in 0..self.links[link].members.len() {
                    let flow = self.links[link].members[at].flow;
                    let Flow { level, bound, penalty, .. } = self.flows[flow as usize];
                    if level == OPEN {
                        self.settle(flow, OWN_BOUND, bound * penalty);
                    }
                }
            }
        }
        for at in 0..self.added.len() {
            let flow = self.added[at];
            let Flow { bound, penalty, path, .. } = self.flows[flow as usize];
            if path.elements().is_empty() {
                self.settle(flow, OWN_BOUND, bound * penalty);
            }
        }
        self.added.clear();
        self.touched.clear();
        for link in 0..self.links.len() as u32 {
            self.mark(link);
            let group = &mut self.crowd.groups[link as usize];
            if !group.members.is_empty() && std::mem::replace(&mut group.told, self.solution) != self.solution {
                self.crowd.shifted.push(link);
            }
        }
    }
}
