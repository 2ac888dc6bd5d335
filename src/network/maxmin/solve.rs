//! Local repair, by the cheapest method.

use super::rounding::TOLERANCE;
use super::set::SURELY;
use super::solver::Solver;
use super::system::{Flow, Link, OWN_BOUND, System};
use crate::network::sharing::{Element, FlowId};

impl<const WATCHED: bool> Solver<WATCHED> {
    /// Restores max-min fairness after the changes since the last call, by the cheapest method: link by link in a
    /// crowd; directly for a new flow on idle links, or new flows that all run at their bounds; by filling of one flow,
    /// of a small set, or of any set.
    pub(super) fn restore_fairness(&mut self) {
        let Self { system, few, general } = self;
        system.changed.clear();
        if !system.is_stale() {
            system.crowd.shifted.clear();
            return;
        }
        let changes = std::mem::take(&mut system.changes);
        if system.crowd.wanted {
            if system.repair_crowd() {
                return;
            }
            if system.crowd.loose {
                return self.tighten(changes);
            }
        }
        if let [flow] = system.added[..]
            && system.is_alone(flow)
        {
            return system.solve_alone(flow);
        }
        if system.touched.is_empty() && system.added.iter().all(|&flow| system.is_undisturbed(flow)) {
            return system.run_at_bounds();
        }
        system.solution += 1;
        system.set.clear();
        system.before.clear();
        system.seed();
        if let [flow] = system.set[..]
            && !system.path_of(flow).fat
        {
            system.repair_one(flow);
            if system.set.len() == 1 {
                return system.tell_of(flow);
            }
        }
        if !few.get_or_insert_default().share_out(system) {
            general.share_out(system, changes);
        }
    }

    /// Allocates all rates exactly, after a crowd has dissolved in which they were fair within a bound.
    fn tighten(&mut self, changes: usize) {
        let Self { system, few, general } = self;
        system.crowd.loose = false;
        system.solution += 1;
        system.set.clear();
        system.before.clear();
        system.seed();
        for link in 0..system.links.len() {
            for m in 0..system.links[link].members.len() {
                system.put(system.links[link].members[m].flow);
            }
        }
        if !few.get_or_insert_default().share_out(system) {
            general.share_out(system, changes);
        }
    }
}

impl<const WATCHED: bool> System<WATCHED> {
    /// Reports the only flow of the set, whose result is already stored.
    fn tell_of(&mut self, flow: u32) {
        if self.flows[flow as usize].value != self.before[0] {
            self.changed.push(FlowId(flow));
        }
    }

    /// `true` if a new flow is the only change, and no other flow uses a link of its path.
    #[inline]
    fn is_alone(&self, flow: u32) -> bool {
        let path = self.path_of(flow);
        let elements = &self.elements[path.elements()];
        self.touched.is_empty() && elements.iter().all(|e| self.links[e.link as usize].members.len() == 1)
    }

    /// Solves one flow on idle links, by far the most frequent change in replays, with the result of the general
    /// filling.
    fn solve_alone(&mut self, flow: u32) {
        let path = self.path_of(flow);
        let state = &mut self.flows[flow as usize];
        let mut bottleneck = OWN_BOUND;
        state.value = state.bound;
        for e in &self.elements[path.elements()] {
            let most = self.links[e.link as usize].capacity / e.consumption;
            if most <= state.value {
                state.value = most;
                bottleneck = e.link;
            }
        }
        state.level = state.value * state.penalty;
        self.set_bottleneck(flow, bottleneck);
        self.added.clear();
        self.changed.push(FlowId(flow));
    }

    /// `true` if no other flow uses a link of a flow's path, and all of them can carry its bound.
    #[inline]
    fn is_undisturbed(&self, flow: u32) -> bool {
        let Flow { bound, path, .. } = self.flows[flow as usize];
        !path.fat
            && self.elements[path.elements()].iter().all(|e| {
                let link = &self.links[e.link as usize];
                link.members.len() == 1 && e.consumption * bound <= link.capacity
            })
    }

    /// Runs a set of new, undisturbed flows at their bounds, as filling would.
    fn run_at_bounds(&mut self) {
        for i in 0..self.added.len() {
            let flow = self.added[i];
            self.set_bottleneck(flow, self.link_filled_by(flow));
            let state = &mut self.flows[flow as usize];
            (state.value, state.level) = (state.bound, state.bound * state.penalty);
            self.changed.push(FlowId(flow));
        }
        self.added.clear();
    }

    /// Fills a set of one flow, the most frequent one: the arithmetic is that of the general filling, in its order,
    /// without the data structures for several flows.
    fn repair_one(&mut self, flow: u32) {
        let Flow { weight, penalty, bound, path, .. } = self.flows[flow as usize];
        let (mut lowest, mut fullest) = (f64::INFINITY, OWN_BOUND);
        self.levels.clear();
        for e in path.elements() {
            let Element { link, consumption } = self.elements[e];
            let Link { capacity, most, ref members, .. } = self.links[link as usize];
            if most < capacity * (1.0 - SURELY) {
                continue;
            }
            let (mut most, mut remaining) = (0.0, capacity);
            for m in members {
                let other = &self.flows[m.flow as usize];
                most += m.consumption * other.bound;
                if m.flow != flow {
                    remaining -= m.consumption * other.value;
                }
            }
            if most <= capacity {
                continue;
            }
            let level = remaining.max(0.0) / (consumption * weight);
            if level < lowest {
                (lowest, fullest) = (level, link);
            }
            if members.len() > 1 {
                self.levels.push((link, level));
            }
        }
        let (value, bottleneck) = if fullest == OWN_BOUND {
            (bound, self.link_filled_by(flow))
        } else if bound * penalty < lowest {
            lowest = f64::NEG_INFINITY;
            (bound, OWN_BOUND)
        } else {
            (lowest * weight, fullest)
        };
        let state = &mut self.flows[flow as usize];
        state.value = value;
        state.level = value * penalty;
        self.set_bottleneck(flow, bottleneck);
        for i in 0..self.levels.len() {
            let (link, level) = self.levels[i];
            let stopped_here = level == lowest;
            if stopped_here || self.links[link as usize].limited > u32::from(bottleneck == link) {
                self.check(link, if stopped_here { lowest } else { f64::INFINITY });
            }
        }
    }

    /// Adds flows that have to join on a link of the only flow of S, after its repair. `stopped`: the level at which it
    /// stopped here, infinite if it did not.
    fn check(&mut self, link: u32, stopped: f64) {
        let mut load = 0.0;
        let mut highest = 0.0f64;
        for m in &self.links[link as usize].members {
            let flow = &self.flows[m.flow as usize];
            load += m.consumption * flow.value;
            if flow.in_set == self.solution {
                highest = highest.max(flow.level);
            }
        }
        let full = load >= self.links[link as usize].capacity * (1.0 - TOLERANCE);
        let floor = if full { highest * (1.0 - TOLERANCE) } else { f64::INFINITY };
        self.join_from(link, stopped * (1.0 + TOLERANCE), floor);
    }
}
