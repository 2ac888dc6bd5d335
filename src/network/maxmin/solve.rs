//! The local repair: which flows have to be solved again, progressive filling, and the check that ends it.

use super::{Element, Filling, Flow, FlowId, OWN_BOUND, Path, Sharing, System, TOLERANCE};

/// From so many links on, the fullest one is found by a heap and not by a scan.
const SCAN_LIMIT: usize = 48;

/// A sum of which subtractions leave less than this part is formed afresh: what is left would be mostly the rounding
/// errors of what was taken away.
const CANCELLATION: f64 = 1e-2;

impl<const WATCHED: bool> System<WATCHED> {
    /// Restores max-min fairness after the changes since the last call.
    pub(super) fn restore_fairness(&mut self) {
        self.changed.clear();
        if !self.is_stale() {
            return;
        }
        if let [flow] = self.added[..]
            && self.is_alone(flow)
        {
            return self.solve_alone(flow);
        }
        self.solution += 1;
        self.set.clear();
        self.before.clear();
        self.seed();
        let mut first = 0;
        while first < self.set.len() {
            first = self.set.len();
            match self.set[..] {
                [flow] if !self.path_of(flow).fat => self.repair_one(flow),
                _ => {
                    self.fill();
                    self.grow();
                }
            }
        }
        for (flow, before) in self.set.iter().zip(&self.before) {
            if self.flows[*flow as usize].value != *before {
                self.changed.push(FlowId(*flow));
            }
        }
    }

    /// Whether a new flow is the only change, and no other flow uses a link of its path.
    #[inline]
    fn is_alone(&self, flow: u32) -> bool {
        let path = self.path_of(flow);
        let elements = &self.elements[path.start as usize..path.end as usize];
        self.touched.is_empty() && elements.iter().all(|e| self.members[e.link as usize].len() == 1)
    }

    /// The same as the general way for one flow on idle links, by far the most frequent change in replays.
    fn solve_alone(&mut self, flow: u32) {
        let path = self.path_of(flow);
        let state = &mut self.flows[flow as usize];
        let mut limit = OWN_BOUND;
        state.value = state.bound;
        for e in &self.elements[path.start as usize..path.end as usize] {
            let most = self.capacity[e.link as usize] / e.consumption;
            if most <= state.value {
                state.value = most;
                limit = e.link;
            }
        }
        state.level = state.value * state.penalty;
        self.set_limit(flow, limit);
        self.added.clear();
        self.touched.clear();
        self.changed.push(FlowId(flow));
    }

    /// The same as filling and checking for a set of one flow, the most frequent one: the arithmetic is theirs, in their
    /// order, without what they keep for several flows.
    fn repair_one(&mut self, flow: u32) {
        let path = self.path_of(flow);
        let Flow { weight, penalty, bound, .. } = self.flows[flow as usize];
        let (mut lowest, mut fullest) = (f64::INFINITY, OWN_BOUND);
        self.links.clear();
        for e in path.start..path.end {
            let Element { link, consumption } = self.elements[e as usize];
            let members = &self.members[link as usize];
            let capacity = self.capacity[link as usize];
            if members.len() == 1 && consumption * bound <= capacity {
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
                self.links.push(link);
                self.filling[link as usize].level = level;
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
        for i in 0..self.links.len() {
            let link = self.links[i];
            let stopped_here = self.filling[link as usize].level == lowest;
            if stopped_here || self.limited[link as usize] > u32::from(limit == link) {
                self.check(link, if stopped_here { lowest } else { f64::INFINITY });
            }
        }
    }

    /// The flows that the changes concern for certain: new ones, and those limited by a link that a flow entered
    /// or left.
    fn seed(&mut self) {
        for i in 0..self.added.len() {
            self.join(self.added[i]);
        }
        self.added.clear();
        for i in 0..self.touched.len() {
            let link = self.touched[i];
            if self.members[link as usize].is_empty() {
                continue;
            }
            // Flows that start together often share links; one look at a link is enough.
            if std::mem::replace(&mut self.seeded[link as usize], self.solution) == self.solution {
                continue;
            }
            let fat = self.fat_pipe[link as usize];
            for m in 0..self.members[link as usize].len() {
                let flow = self.members[link as usize][m].flow;
                if fat || self.flows[flow as usize].limit == link {
                    self.join(flow);
                }
            }
        }
        self.touched.clear();
    }

    #[inline]
    fn path_of(&self, flow: u32) -> Path {
        self.paths[self.flows[flow as usize].path as usize]
    }

    /// Puts a flow into S, unless it is there. All flows of a fat pipe go together: what one of them gets depends on
    /// the weights of all that are still open, even when the pipe is far from full.
    fn join(&mut self, flow: u32) {
        let mut next = self.set.len();
        self.put(flow);
        while next < self.set.len() {
            let path = self.path_of(self.set[next]);
            next += 1;
            if !path.fat {
                continue;
            }
            for e in path.start..path.end {
                let link = self.elements[e as usize].link as usize;
                if self.fat_pipe[link] && self.gathered[link] != self.solution {
                    self.gathered[link] = self.solution;
                    for m in 0..self.members[link].len() {
                        self.put(self.members[link][m].flow);
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

    /// Progressive filling of S on what the other flows leave over.
    fn fill(&mut self) {
        self.open_links();
        if self.light.len() > SCAN_LIMIT {
            return self.fill_by_heap();
        }
        while self.unsettled > 0
            && let Some(level) = self.fullest_by_scan()
        {
            self.saturate(level);
        }
    }

    /// Collects the links of S with what is left on them. Flows whose links can all carry the bounds of all their flows
    /// run at their bound.
    fn open_links(&mut self) {
        self.stamp += 1;
        self.links.clear();
        self.light.clear();
        self.unsettled = 0;
        for i in 0..self.set.len() {
            let flow = self.set[i];
            let path = self.path_of(flow);
            let mut contended = false;
            for e in path.start..path.end {
                let Element { link, consumption } = self.elements[e as usize];
                if self.members[link as usize].len() == 1
                    && consumption * self.flows[flow as usize].bound <= self.capacity[link as usize]
                {
                    continue;
                }
                if self.filling[link as usize].stamp != self.stamp {
                    self.open_link(link);
                }
                contended |= self.filling[link as usize].contended;
            }
            let state = &mut self.flows[flow as usize];
            state.settled = !contended;
            if contended {
                self.unsettled += 1;
            } else {
                state.value = state.bound;
                state.level = state.bound * state.penalty;
                self.set_limit(flow, self.link_filled_by(flow));
            }
        }
    }

    /// The link of its path that a flow fills all alone when it runs at its bound.
    fn link_filled_by(&self, flow: u32) -> u32 {
        let path = self.path_of(flow);
        let bound = self.flows[flow as usize].bound;
        let fills = |e: &&Element| e.consumption * bound >= self.capacity[e.link as usize] * (1.0 - TOLERANCE);
        self.elements[path.start as usize..path.end as usize].iter().find(fills).map_or(OWN_BOUND, |e| e.link)
    }

    fn open_link(&mut self, link: u32) {
        let fat = self.fat_pipe[link as usize];
        let mut filling = Filling {
            stamp: self.stamp,
            remaining: self.capacity[link as usize],
            level: f64::INFINITY,
            ..Filling::default()
        };
        let mut most = 0.0;
        for m in &self.members[link as usize] {
            let flow = &self.flows[m.flow as usize];
            most += m.consumption * flow.bound;
            if flow.in_set == self.solution {
                filling.open += 1;
                let share = m.consumption * flow.weight;
                filling.usage = if fat { filling.usage.max(share) } else { filling.usage + share };
            } else {
                filling.outsiders += 1;
                filling.remaining -= m.consumption * flow.value;
            }
        }
        // Outsiders may use more than there is, until the check takes them into S.
        filling.remaining = filling.remaining.max(0.0);
        filling.formed = filling.usage;
        filling.contended = fat || most > self.capacity[link as usize];
        self.filling[link as usize] = filling;
        if filling.contended {
            self.links.push(link);
            self.light.push(link);
        }
    }

    /// The level at which the next link fills up, and in `self.fullest` the links that do; drops links without open
    /// flows.
    fn fullest_by_scan(&mut self) -> Option<f64> {
        let mut lowest = f64::INFINITY;
        let mut at = 0;
        self.fullest.clear();
        while at < self.light.len() {
            let link = self.light[at];
            let filling = &self.filling[link as usize];
            if filling.open == 0 {
                self.light.swap_remove(at);
                continue;
            }
            let level = self.level_of(link);
            if level < lowest || self.fullest.is_empty() {
                lowest = level;
                self.fullest.clear();
                self.fullest.push(link);
            } else if level == lowest {
                self.fullest.push(link);
            }
            at += 1;
        }
        (!self.fullest.is_empty()).then_some(lowest)
    }

    /// The same with a heap. A link's level only rises while others are settled, so an entry that is out of date is
    /// too low, comes up too early, and is put back with its present level.
    fn fill_by_heap(&mut self) {
        let mut heap = std::mem::take(&mut self.heap);
        for &link in &self.light {
            let filling = &self.filling[link as usize];
            heap.set(link, filling.remaining / filling.usage);
        }
        while let Some((level, link)) = heap.pop() {
            if self.filling[link as usize].open == 0 {
                continue;
            }
            let fresh = self.level_of(link);
            if fresh > level {
                heap.set(link, fresh);
                continue;
            }
            self.fullest.clear();
            self.fullest.push(link);
            while let Some((same, other)) = heap.peek().filter(|next| next.0 == level) {
                heap.pop();
                if self.filling[other as usize].open == 0 {
                    continue;
                }
                let fresh = self.level_of(other);
                if fresh == same {
                    self.fullest.push(other);
                } else {
                    heap.set(other, fresh);
                }
            }
            self.saturate(level);
            for i in 0..self.fullest.len() {
                let link = self.fullest[i];
                if self.filling[link as usize].open > 0 {
                    heap.set(link, self.level_of(link));
                }
            }
        }
        self.heap = heap;
        self.light.clear();
    }

    /// The links in `self.fullest` are the first to fill up, at `level`: their open flows stop there. If the bound of
    /// some is lower, only those are settled, at their bounds; what they leave raises the level for the others.
    ///
    /// Links that fill up at the same level have to be taken together. Where they are shared it makes no difference, but
    /// the flows of a fat pipe are those that are open when it fills up, and SimGrid 3.32 counts them before any link of
    /// this level is taken away.
    fn saturate(&mut self, level: f64) {
        let fullest = std::mem::take(&mut self.fullest);
        let mut bounded = false;
        for &link in &fullest {
            for m in 0..self.members[link as usize].len() {
                let flow = self.members[link as usize][m].flow;
                let state = &self.flows[flow as usize];
                if self.is_open(flow) && state.bound * state.penalty < level {
                    bounded = true;
                    self.settle(flow, state.bound, OWN_BOUND);
                }
            }
        }
        if !bounded {
            for &link in &fullest {
                self.filling[link as usize].level = level;
                for m in 0..self.members[link as usize].len() {
                    let flow = self.members[link as usize][m].flow;
                    if self.is_open(flow) {
                        self.settle(flow, level * self.flows[flow as usize].weight, link);
                    }
                }
            }
        }
        self.fullest = fullest;
    }

    #[inline]
    fn is_open(&self, flow: u32) -> bool {
        let state = &self.flows[flow as usize];
        state.in_set == self.solution && !state.settled
    }

    /// Fixes the value of a flow and takes it off its links.
    fn settle(&mut self, flow: u32, value: f64, limit: u32) {
        let path = self.path_of(flow);
        let state = &mut self.flows[flow as usize];
        self.unsettled -= 1;
        state.settled = true;
        state.value = value;
        state.level = value * state.penalty;
        let weight = state.weight;
        self.set_limit(flow, limit);
        for e in path.start..path.end {
            let Element { link, consumption } = self.elements[e as usize];
            let filling = &mut self.filling[link as usize];
            if filling.stamp != self.stamp || !filling.contended {
                continue;
            }
            let fat = self.fat_pipe[link as usize];
            filling.open -= 1;
            if !fat {
                filling.remaining = (filling.remaining - consumption * value).max(0.0);
                filling.usage -= consumption * weight;
            }
            // Many flows may be settled before the level is asked for, so the sum is formed then.
            filling.spoiled |= fat || filling.usage < filling.formed * CANCELLATION;
        }
    }

    /// The level at which a link with open flows fills up.
    #[inline]
    fn level_of(&mut self, link: u32) -> f64 {
        if self.filling[link as usize].spoiled {
            let usage = self.usage_of_open_flows(link);
            let filling = &mut self.filling[link as usize];
            filling.usage = usage;
            filling.formed = usage;
            filling.spoiled = false;
        }
        let filling = &self.filling[link as usize];
        filling.remaining / filling.usage
    }

    fn usage_of_open_flows(&self, link: u32) -> f64 {
        let open = self.members[link as usize].iter().filter(|m| self.is_open(m.flow));
        let shares = open.map(|m| m.consumption * self.flows[m.flow as usize].weight);
        if self.fat_pipe[link as usize] { shares.fold(0.0, f64::max) } else { shares.sum() }
    }

    /// Checks the max-min condition on the links of S.
    fn grow(&mut self) {
        for i in 0..self.links.len() {
            let link = self.links[i];
            let filling = &self.filling[link as usize];
            if filling.outsiders > 0 {
                self.check(link, filling.level);
            }
        }
    }

    /// Checks the max-min condition on a link, and takes those into S for whom it no longer holds. `stopped`: the level at
    /// which flows of S stopped here, infinite if none did.
    fn check(&mut self, link: u32, stopped: f64) {
        let mut load = 0.0;
        let mut highest = 0.0f64;
        for m in &self.members[link as usize] {
            let flow = &self.flows[m.flow as usize];
            load += m.consumption * flow.value;
            if flow.in_set == self.solution {
                highest = highest.max(flow.level);
            }
        }
        let capacity = self.capacity[link as usize];
        let full = load >= capacity * (1.0 - TOLERANCE);
        // Nobody may stand above those who stopped here.
        let ceiling = stopped * (1.0 + TOLERANCE);
        let floor = highest * (1.0 - TOLERANCE);
        for m in 0..self.members[link as usize].len() {
            let flow = self.members[link as usize][m].flow;
            let state = &self.flows[flow as usize];
            let loses_its_limit = state.limit == link && (!full || state.level < floor);
            if state.in_set != self.solution && (loses_its_limit || state.level > ceiling) {
                self.join(flow);
            }
        }
    }
}
