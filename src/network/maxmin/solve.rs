//! Local repair: chooses the flows to solve again, and those that join them.

use super::{Element, Flow, FlowId, Link, OWN_BOUND, Path, Sharing, System, TOLERANCE};

/// The sums of bounds that a link keeps are approximate, after many additions and subtractions. Within this relative
/// distance of the capacity they are formed afresh.
const SURELY: f64 = 1e-6;

impl<const WATCHED: bool> System<WATCHED> {
    /// Restores max-min fairness after the changes since the last call, by the cheapest method: link by link in a
    /// crowd; directly for a new flow on idle links, or new flows that all run at their bounds; filling of the full
    /// set; of one flow; of a small set; of any set.
    pub(super) fn restore_fairness(&mut self) {
        self.changed.clear();
        if !self.is_stale() {
            self.crowd.shifted.clear();
            return;
        }
        let changes = std::mem::take(&mut self.changes);
        if self.crowd.wanted {
            if self.repair_crowd() {
                return;
            }
            if self.crowd.loose {
                return self.tighten(changes);
            }
        }
        if let [flow] = self.added[..]
            && self.is_alone(flow)
        {
            return self.solve_alone(flow);
        }
        if self.touched.is_empty() && self.added.iter().all(|&flow| self.is_undisturbed(flow)) {
            return self.run_at_bounds();
        }
        self.solution += 1;
        self.set.clear();
        self.before.clear();
        self.seed();
        if self.share_out_whole(changes) {
            return;
        }
        if let [flow] = self.set[..]
            && !self.path_of(flow).fat
        {
            self.repair_one(flow);
            if self.set.len() == 1 {
                return self.tell_of(flow);
            }
        }
        if !self.share_out_few() {
            self.share_out_any(changes);
        }
    }

    /// Allocates all rates exactly, after a crowd has dissolved in which they were fair within a bound.
    fn tighten(&mut self, changes: usize) {
        self.crowd.loose = false;
        self.solution += 1;
        self.set.clear();
        self.before.clear();
        self.seed();
        for link in 0..self.links.len() {
            for m in 0..self.links[link].members.len() {
                self.put(self.links[link].members[m].flow);
            }
        }
        if !self.share_out_whole(changes) && !self.share_out_few() {
            self.share_out_any(changes);
        }
    }

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
        let mut limit = OWN_BOUND;
        state.value = state.bound;
        for e in &self.elements[path.elements()] {
            let most = self.links[e.link as usize].capacity / e.consumption;
            if most <= state.value {
                state.value = most;
                limit = e.link;
            }
        }
        state.level = state.value * state.penalty;
        self.set_limit(flow, limit);
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
            self.set_limit(flow, self.link_filled_by(flow));
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
        let (value, limit) = if fullest == OWN_BOUND {
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
        self.set_limit(flow, limit);
        for i in 0..self.levels.len() {
            let (link, level) = self.levels[i];
            let stopped_here = level == lowest;
            if stopped_here || self.links[link as usize].limited > u32::from(limit == link) {
                self.check(link, if stopped_here { lowest } else { f64::INFINITY });
            }
        }
    }

    /// Seeds S with the flows that are certainly affected: new ones, and those limited by a link that a flow entered or
    /// left.
    fn seed(&mut self) {
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
                if fat || self.flows[flow as usize].limit == link {
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
    fn path_of(&self, flow: u32) -> Path {
        self.flows[flow as usize].path
    }

    /// Adds a flow to S, unless it is in it. All flows of a fat pipe join together: the rate of each depends on the
    /// weights of all that are still open, even when the pipe is far from full.
    #[inline]
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

    #[inline]
    fn put(&mut self, flow: u32) {
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
            let joins = state.level > ceiling || (state.limit == link && state.level < floor);
            if joins && state.in_set != self.solution {
                self.join(flow);
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
