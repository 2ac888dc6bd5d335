//! Progressive filling of a small, dense problem: some flows, the contended links that they use, and what others leave over
//! there (Bertsekas and Gallager, Data Networks, section 6.5.2, with weights and bounds).
//!
//! All indices are local to the problem, so that what belongs together lies together. The problem can grow between two
//! fillings: links keep what does not change from one to the next.

use super::OWN_BOUND;
use crate::queue::EventQueue;

/// From so many links on, the fullest one is found by a heap and not by a scan.
const SCAN_LIMIT: usize = 48;

/// A sum of which subtractions leave less than this part is formed afresh: what is left would be mostly the rounding
/// errors of what was taken away.
const CANCELLATION: f64 = 1e-2;

/// A flow of the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insider {
    /// Share per level: 1 / penalty.
    pub weight: f64,
    pub penalty: f64,
    pub bound: f64,
    /// The level at which it runs at its bound.
    pub ceiling: f64,
    pub value: f64,
    pub level: f64,
    /// The link that stops it, by its number in the system.
    pub limit: u32,
    /// Its contended links, in [`Problem::ways`].
    pub ways: (u32, u32),
    pub settled: bool,
}

/// A flow on a contended link. The ways of a flow lie side by side, those of a link are chained.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub insider: u32,
    pub link: u32,
    pub consumption: f64,
    /// The next one of the link.
    next: u32,
}

/// End of a chain.
const NONE: u32 = u32::MAX;

/// A contended link: it could not carry all its flows at their bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contended {
    /// Its number in the system.
    pub link: u32,
    pub fat: bool,
    /// Capacity that the flows outside of the problem leave; negative if they take too much.
    pub room: f64,
    /// Those of them that this link limits.
    pub limited: u32,
    /// No such flow has a lower level.
    pub lowest_limited: f64,
    /// No flow outside has a higher level.
    pub highest_outsider: f64,
    /// Flows of the problem: how many, and the chain of their ways.
    members: u32,
    first: u32,
    last: u32,
    /// Sum of consumption * weight of the flows of the problem; the largest, on a fat pipe.
    usage: f64,
}

impl Contended {
    /// A link of which all flows are outside.
    pub fn new(link: u32, fat: bool, room: f64) -> Self {
        Self {
            link,
            fat,
            room,
            limited: 0,
            lowest_limited: f64::INFINITY,
            highest_outsider: 0.0,
            members: 0,
            first: NONE,
            last: NONE,
            usage: 0.0,
        }
    }
}

/// How far a link is in the filling.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Flows that are not settled yet.
    open: u32,
    /// Whether `demand` has to be formed again before it is used.
    spoiled: bool,
    /// Whether `fills_at` is out of date.
    stale: bool,
    /// The level at which it fills up.
    fills_at: f64,
    /// Capacity that the settled flows and the others leave.
    remaining: f64,
    /// Sum of consumption * weight of the open flows.
    demand: f64,
    /// Level at which the link became full, or infinity.
    stopped: f64,
}

/// The flows to share out and their contended links.
#[derive(Default, Debug)]
pub(super) struct Problem {
    pub flows: Vec<Insider>,
    pub links: Vec<Contended>,
    pub ways: Vec<Way>,
    states: Vec<State>,
    /// Links that still have open flows.
    light: Vec<u32>,
    /// Those of them that fill up first.
    fullest: Vec<u32>,
    /// Flows with the link that stops them.
    stopping: Vec<(u32, u32)>,
    heap: EventQueue,
    unsettled: usize,
}

impl Problem {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.flows.clear();
        self.links.clear();
        self.ways.clear();
    }

    /// The next flow of the problem uses a contended link.
    #[inline]
    pub fn add_way(&mut self, link: u32, consumption: f64, weight: f64) {
        let number = self.ways.len() as u32;
        let state = &mut self.links[link as usize];
        let share = consumption * weight;
        state.usage = if state.fat { state.usage.max(share) } else { state.usage + share };
        state.members += 1;
        match std::mem::replace(&mut state.last, number) {
            NONE => state.first = number,
            last => self.ways[last as usize].next = number,
        }
        self.ways.push(Way { insider: self.flows.len() as u32, link, consumption, next: NONE });
    }

    /// Gives every flow with contended links its value, level and limit.
    pub fn fill(&mut self) {
        self.unsettled = 0;
        for flow in &mut self.flows {
            flow.settled = flow.ways.0 == flow.ways.1;
            self.unsettled += usize::from(!flow.settled);
        }
        self.states.clear();
        self.states.extend(self.links.iter().map(|link| State {
            open: link.members,
            spoiled: false,
            stale: false,
            // Flows outside may take more than there is, until the check takes them in.
            fills_at: link.room.max(0.0) / link.usage,
            remaining: link.room.max(0.0),
            demand: link.usage,
            stopped: f64::INFINITY,
        }));
        self.light.clear();
        self.light.extend(0..self.links.len() as u32);
        if self.light.len() > SCAN_LIMIT {
            return self.fill_by_heap();
        }
        while self.unsettled > 0
            && let Some(level) = self.fullest_by_scan()
        {
            self.saturate(level);
        }
    }

    /// The level at which the next link fills up, and in `self.fullest` the links that do; drops links without open
    /// flows.
    fn fullest_by_scan(&mut self) -> Option<f64> {
        let mut lowest = f64::INFINITY;
        let mut at = 0;
        self.fullest.clear();
        while at < self.light.len() {
            let number = self.light[at];
            let state = &self.states[number as usize];
            if state.open == 0 {
                self.light.swap_remove(at);
                continue;
            }
            let level = if state.stale { self.level_of(number) } else { state.fills_at };
            if level < lowest || self.fullest.is_empty() {
                lowest = level;
                self.fullest.clear();
                self.fullest.push(number);
            } else if level == lowest {
                self.fullest.push(number);
            }
            at += 1;
        }
        (!self.fullest.is_empty()).then_some(lowest)
    }

    /// The same with a heap. A link's level only rises while others are settled, so an entry that is out of date is
    /// too low, comes up too early, and is put back with its present level.
    fn fill_by_heap(&mut self) {
        let mut heap = std::mem::take(&mut self.heap);
        for &number in &self.light {
            heap.set(number, self.states[number as usize].fills_at);
        }
        while let Some((level, number)) = heap.pop() {
            if self.states[number as usize].open == 0 {
                continue;
            }
            let fresh = self.level_of(number);
            if fresh > level {
                heap.set(number, fresh);
                continue;
            }
            self.fullest.clear();
            self.fullest.push(number);
            while let Some((same, other)) = heap.peek().filter(|next| next.0 == level) {
                heap.pop();
                if self.states[other as usize].open == 0 {
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
            if self.unsettled == 0 {
                break;
            }
            for i in 0..self.fullest.len() {
                let number = self.fullest[i];
                if self.states[number as usize].open > 0 {
                    heap.set(number, self.level_of(number));
                }
            }
        }
        heap.clear();
        self.heap = heap;
    }

    /// The links in `self.fullest` are the first to fill up, at `level`: their open flows stop there. If the bound of
    /// some is lower, only those are settled, at their bounds; what they leave raises the level for the others.
    ///
    /// Links that fill up at the same level have to be taken together. Where they are shared it makes no difference, but
    /// the flows of a fat pipe are those that are open when it fills up, and SimGrid 3.32 counts them before any link of
    /// this level is taken away.
    fn saturate(&mut self, level: f64) {
        let mut bounded = false;
        self.stopping.clear();
        for i in 0..self.fullest.len() {
            let number = self.fullest[i];
            let Contended { first: mut at, link: limit, .. } = self.links[number as usize];
            while at != NONE {
                let Way { insider: number, next, .. } = self.ways[at as usize];
                at = next;
                let flow = &self.flows[number as usize];
                if flow.settled {
                    continue;
                }
                if flow.ceiling < level {
                    if !std::mem::replace(&mut bounded, true) {
                        self.stopping.clear();
                    }
                    self.settle(number, flow.bound, OWN_BOUND);
                } else if !bounded {
                    self.stopping.push((number, limit));
                }
            }
        }
        if !bounded {
            for i in 0..self.fullest.len() {
                self.states[self.fullest[i] as usize].stopped = level;
            }
            for i in 0..self.stopping.len() {
                let (number, limit) = self.stopping[i];
                let flow = &self.flows[number as usize];
                if !flow.settled {
                    self.settle(number, level * flow.weight, limit);
                }
            }
        }
    }

    /// Fixes the value of a flow and takes it off its links.
    fn settle(&mut self, number: u32, value: f64, limit: u32) {
        let flow = &mut self.flows[number as usize];
        flow.settled = true;
        flow.value = value;
        flow.level = value * flow.penalty;
        flow.limit = limit;
        self.unsettled -= 1;
        if self.unsettled == 0 {
            // Nobody will ask how much the links have left.
            return;
        }
        for way in &self.ways[flow.ways.0 as usize..flow.ways.1 as usize] {
            let state = &mut self.states[way.link as usize];
            state.open -= 1;
            state.stale = true;
            let demand = state.demand - way.consumption * flow.weight;
            state.remaining = (state.remaining - way.consumption * value).max(0.0);
            // Many flows may be settled before the level is asked for, so the sum is formed then.
            state.spoiled |= demand < self.links[way.link as usize].usage * CANCELLATION;
            state.demand = demand;
        }
    }

    /// The level at which a link with open flows fills up.
    fn level_of(&mut self, number: u32) -> f64 {
        let link = &self.links[number as usize];
        let mut state = self.states[number as usize];
        if link.fat {
            // A pipe gives every flow what it has: nobody takes anything from the others.
            state.remaining = link.room.max(0.0);
            state.demand = self.demand_of_open_flows(link);
        } else if state.spoiled {
            state.demand = self.demand_of_open_flows(link);
            state.spoiled = false;
        }
        state.fills_at = state.remaining / state.demand;
        state.stale = false;
        self.states[number as usize] = state;
        state.fills_at
    }

    fn demand_of_open_flows(&self, link: &Contended) -> f64 {
        let open = self.flows_of(link).filter(|(flow, _)| !flow.settled);
        let demands = open.map(|(flow, consumption)| consumption * flow.weight);
        if link.fat { demands.fold(0.0, f64::max) } else { demands.sum() }
    }

    /// The flows of the problem on a link, with their consumptions.
    fn flows_of(&self, link: &Contended) -> impl Iterator<Item = (&Insider, f64)> {
        let way = |at: u32| (at != NONE).then(|| &self.ways[at as usize]);
        std::iter::successors(way(link.first), move |last| way(last.next))
            .map(|way| (&self.flows[way.insider as usize], way.consumption))
    }

    /// After the filling: the level at which flows stopped at a link, infinite if none did.
    pub fn stopped_at(&self, place: usize) -> f64 {
        self.states[place].stopped
    }

    /// After the filling: what the flows of a link leave of its room, and the highest of their levels.
    pub fn left_on(&self, link: &Contended) -> (f64, f64) {
        self.flows_of(link).fold((link.room.max(0.0), 0.0), |(left, highest), (flow, consumption)| {
            (left - consumption * flow.value, f64::max(highest, flow.level))
        })
    }
}
