//! The set S of flows to solve again, and those that join it.

use super::rounding::TOLERANCE;
use super::system::{Flow, Link, OWN_BOUND, Path, System};
use crate::network::sharing::Element;

/// The sums of bounds that a link keeps are approximate, after many additions and subtractions. Within this relative
/// distance of the capacity they are formed afresh.
pub(super) const SURELY: f64 = 1e-6;

impl<const WATCHED: bool> System<WATCHED> {
    /// Seeds S with the flows that are certainly affected: new ones, and those limited by a link that a flow entered or
    /// left.
    pub(super) fn seed(&mut self) {
        if self.added.len() == self.active_flows() && self.all_join() {
            return;
        }
        for i in 0..self.added.len() {
            self.join(self.added[i]);
        }
        self.added.clear();
        for i in 0..self.touched.len() {
            let link = self.touched[i];
            if self.links[link as usize].members.is_empty() {
                continue;
            }
            // Flows that start together often share links; one visit per link is enough.
            if std::mem::replace(&mut self.seeded[link as usize], self.solution) == self.solution {
                continue;
            }
            let fat = self.links[link as usize].fat_pipe;
            for m in 0..self.links[link as usize].members.len() {
                let flow = self.links[link as usize].members[m].flow;
                if fat || self.flows[flow as usize].bottleneck == link {
                    self.join(flow);
                }
            }
        }
        self.touched.clear();
    }

    /// Puts all flows into S when all are new. Returns `false`, and does nothing, if there is a fat pipe: there the
    /// order differs.
    fn all_join(&mut self) -> bool {
        if self.added.iter().any(|&flow| self.path_of(flow).fat) {
            return false;
        }
        std::mem::swap(&mut self.set, &mut self.added);
        for &flow in &self.set {
            self.flows[flow as usize].in_set = self.solution;
        }
        // They had no rate yet.
        self.before.resize(self.set.len(), 0.0);
        self.touched.clear();
        true
    }

    #[inline]
    pub(super) fn path_of(&self, flow: u32) -> Path {
        self.flows[flow as usize].path
    }

    /// Adds a flow to S, unless it is in it. All flows of a fat pipe join together: the rate of each depends on the
    /// weights of all that are still open, even when the pipe is far from full.
    #[inline(always)]
    fn join(&mut self, flow: u32) {
        let next = self.set.len();
        self.put(flow);
        if self.path_of(flow).fat {
            self.gather(next);
        }
    }

    /// Adds the flows to S that share a fat pipe with a member from the place `next` on.
    fn gather(&mut self, mut next: usize) {
        while next < self.set.len() {
            let path = self.path_of(self.set[next]);
            next += 1;
            for e in path.elements() {
                let link = self.elements[e].link as usize;
                if self.links[link].fat_pipe && self.gathered[link] != self.solution {
                    self.gathered[link] = self.solution;
                    for m in 0..self.links[link].members.len() {
                        self.put(self.links[link].members[m].flow);
                    }
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn put(&mut self, flow: u32) {
        let state = &mut self.flows[flow as usize];
        if state.in_set != self.solution {
            state.in_set = self.solution;
            self.set.push(flow);
            self.before.push(state.value);
        }
    }

    /// Returns the link of its path that a flow fills alone when it runs at its bound.
    pub(super) fn link_filled_by(&self, flow: u32) -> u32 {
        let Flow { bound, path, .. } = self.flows[flow as usize];
        let fills = |e: &&Element| e.consumption * bound >= self.links[e.link as usize].capacity * (1.0 - TOLERANCE);
        self.elements[path.elements()].iter().find(fills).map_or(OWN_BOUND, |e| e.link)
    }

    /// Removes the members of S from the place `first` on, which may join again.
    pub(super) fn leave_from(&mut self, first: usize) {
        self.before.truncate(first);
        for flow in self.set.drain(first..) {
            let flow = &mut self.flows[flow as usize];
            flow.in_set = 0;
            if flow.path.fat {
                self.elements[flow.path.elements()].iter().for_each(|e| self.gathered[e.link as usize] = 0);
            }
        }
    }

    /// Adds the flows of a link to S that are above `ceiling`, or are limited by it and below `floor`.
    pub(super) fn join_from(&mut self, link: u32, ceiling: f64, floor: f64) {
        for m in 0..self.links[link as usize].members.len() {
            let flow = self.links[link as usize].members[m].flow;
            let state = &self.flows[flow as usize];
            let joins = state.level > ceiling || (state.bottleneck == link && state.level < floor);
            if joins && state.in_set != self.solution {
                self.join(flow);
            }
        }
    }
}

impl Link {
    /// `true` if it can certainly carry all its flows at their bounds.
    #[inline]
    pub(super) fn is_wide(&self) -> bool {
        self.most < self.capacity * (1.0 - SURELY)
    }

    /// `true` if it could not carry all its flows at their bounds. On a fat pipe flows are always solved together.
    #[inline]
    pub(super) fn is_contended(&self, flows: &[Flow]) -> bool {
        if self.fat_pipe || self.most > self.capacity * (1.0 + SURELY) {
            return true;
        }
        if self.is_wide() {
            return false;
        }
        let bounds = self.members.iter().map(|m| m.consumption * flows[m.flow as usize].bound);
        bounds.sum::<f64>() > self.capacity
    }
}
