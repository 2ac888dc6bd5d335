//! Filling for sets of any size.
//!
//! With few contended links, each is checked for the next event; with many, a heap holds the events. All indices are
//! local, so that related data are close in memory.

use super::super::rounding::CANCELLATION;
use super::super::system::{Flow, Link, OWN_BOUND, System, UNCONTENDED};
use super::{FEW_LINKS, Filling, LevelEvent, Outsiders, Rising};
use crate::network::sharing::Element;
use crate::queue::EventQueue;

/// Flow on a contended link. The incidences of a flow are contiguous, those of a link are chained.
#[derive(Clone, Copy, Debug)]
struct Way {
    flow: u32,
    link: u32,
    consumption: f64,
    /// Next incidence of the link.
    next: u32,
}

/// End of a chain.
const NONE: u32 = u32::MAX;

/// Contended link: it could not carry all its flows at their bounds.
#[derive(Clone, Copy, Debug)]
struct Contended {
    /// Number of the link in the system.
    link: u32,
    /// Number of flows that still rise.
    open: u32,
    /// Chain of the incidences of its open flows, and of some that are settled.
    first: u32,
    last: u32,
    fat: bool,
    /// `true` if `demand` has to be summed afresh before use.
    spoiled: bool,
    /// `true` if `fills_at` is out of date.
    stale: bool,
    /// `true` if it is in the list of links to visit.
    listed: bool,
    /// Capacity that the settled flows and the outsiders leave; negative while outsiders take too much.
    remaining: f64,
    /// Sum of consumption * weight of the open flows; the largest, on a fat pipe.
    demand: f64,
    /// Sum of consumption * weight of all its flows; the largest, on a fat pipe.
    usage: f64,
    /// Level at which it fills up.
    fills_at: f64,
    outside: Outsiders,
    capacity: f64,
}

impl Contended {
    /// Describes a link when a solution first visits it, with the capacity left by the flows outside the set.
    fn new(number: u32, link: &Link, flows: &[Flow], solution: u64) -> Self {
        let capacity = link.capacity;
        let mut remaining = capacity;
        let outside = link.outsiders(number, flows, solution, &mut remaining);
        Self {
            link: number,
            open: 0,
            first: NONE,
            last: NONE,
            fat: link.fat_pipe,
            spoiled: false,
            stale: true,
            listed: false,
            remaining,
            demand: 0.0,
            usage: 0.0,
            fills_at: f64::INFINITY,
            outside,
            capacity,
        }
    }
}

/// Flows of the set and their contended links.
#[derive(Default, Debug)]
pub(in super::super) struct General {
    /// Flows with their contended links, as a range of the incidences.
    flows: Vec<Rising<(u32, u32)>>,
    links: Vec<Contended>,
    ways: Vec<Way>,
    /// Links of the last [`LevelEvent::Full`].
    fullest: Vec<u32>,
    /// Links to check for the next event: all that have open flows; with a heap, those whose event may be earlier than
    /// their entry there.
    listed: Vec<u32>,
    /// Links that limit outsiders.
    limiting: Vec<u32>,
    /// Flows with the link that stops them.
    stopping: Vec<(u32, u32)>,
    heap: EventQueue,
    by_heap: bool,
    unsettled: usize,
}

impl General {
    /// Fills the set and the flows that join it. `changes`: number of flows that came or went.
    pub(in super::super) fn share_out<const WATCHED: bool>(&mut self, system: &mut System<WATCHED>, changes: usize) {
        self.clear();
        system.fill(self);
        for at in 0..system.set.len() {
            let Rising { value, bottleneck, .. } = self.flows[at];
            system.give(at, value, bottleneck);
        }
        if self.is_large() {
            system.note_effort(self.ways.len(), changes);
        }
    }
}

impl Filling for General {
    /// Always succeeds.
    fn admit<const WATCHED: bool>(&mut self, system: &mut System<WATCHED>) -> bool {
        let is_fat = |&flow: &u32| system.flows[flow as usize].path.fat;
        if !self.flows.is_empty() && system.set[self.flows.len()..].iter().any(is_fat) {
            // The flows of a fat pipe join together, at whatever level they are, so the level goes back to zero.
            self.clear();
            system.first_round = system.round;
        }
        for at in self.flows.len()..system.set.len() {
            let flow = system.set[at];
            let Flow { weight, value, bottleneck, path, .. } = system.flows[flow as usize];
            let first = self.ways.len() as u32;
            for &Element { link: number, consumption } in &system.elements[path.elements()] {
                let link = &mut system.links[number as usize];
                if link.looked < system.first_round {
                    link.looked = system.round;
                    link.place = UNCONTENDED;
                    if link.is_contended(&system.flows) {
                        link.place = self.add_link(Contended::new(number, link, &system.flows, system.solution));
                    }
                }
                if link.place != UNCONTENDED {
                    // The flow was an outsider when the link was visited in an earlier round.
                    let outsider = (link.looked < system.round).then_some((consumption * value, bottleneck == number));
                    self.add_way(link.place, consumption, weight, outsider);
                }
            }
            let ways = (first, self.ways.len() as u32);
            let settled = ways.0 == ways.1;
            self.unsettled += usize::from(!settled);
            self.flows.push(system.rising(flow, ways, settled));
        }
        true
    }

    fn next(&mut self) -> Option<LevelEvent> {
        if self.unsettled == 0 && self.limiting.is_empty() {
            return None;
        }
        if !self.by_heap && self.is_large() {
            self.by_heap = true;
            (0..self.links.len() as u32).for_each(|place| self.list(place));
        }
        if self.by_heap { self.next_by_heap() } else { self.next_by_scan() }
    }

    fn settle_bounded(&mut self, level: f64) -> bool {
        let mut bounded = false;
        self.stopping.clear();
        for i in 0..self.fullest.len() {
            let place = self.fullest[i];
            let Contended { first: mut at, link: bottleneck, .. } = self.links[place as usize];
            while at != NONE {
                let Way { flow: number, next, .. } = self.ways[at as usize];
                at = next;
                let flow = &self.flows[number as usize];
                if flow.settled {
                } else if flow.ceiling < level {
                    bounded = true;
                    self.settle(number, flow.value, OWN_BOUND);
                } else if !bounded {
                    self.stopping.push((number, bottleneck));
                }
            }
        }
        bounded
    }

    /// Stops flows of links that fill up at the same level. These have to be handled together: on shared links the
    /// order makes no difference, but the flows of a fat pipe are those that are open when it fills up, and SimGrid
    /// 3.32 counts them before any link of this level is removed.
    fn stop(&mut self, level: f64) {
        for i in 0..self.stopping.len() {
            let (number, bottleneck) = self.stopping[i];
            let flow = &self.flows[number as usize];
            if !flow.settled {
                self.settle(number, level * flow.weight, bottleneck);
            }
        }
    }

    fn full_links(&self) -> usize {
        self.fullest.len()
    }

    fn full_link(&mut self, at: usize) -> (u32, &mut Outsiders) {
        let Contended { link, outside, .. } = &mut self.links[self.fullest[at] as usize];
        (*link, outside)
    }

    fn link(&self, place: u32) -> u32 {
        self.links[place as usize].link
    }
}

impl General {
    /// Clears everything but keeps the memory.
    fn clear(&mut self) {
        self.flows.clear();
        self.links.clear();
        self.ways.clear();
        self.listed.clear();
        self.limiting.clear();
        self.heap.clear();
        self.by_heap = false;
        self.unsettled = 0;
    }

    /// Adds a link all of whose flows are outsiders; returns its place.
    fn add_link(&mut self, link: Contended) -> u32 {
        let place = self.links.len() as u32;
        self.links.push(link);
        if link.outside.limited > 0 {
            self.limiting.push(place);
            if self.by_heap {
                self.list(place);
            }
        }
        place
    }

    /// Adds an incidence of the next flow on a contended link. `outsider`: its load there and whether the link limited
    /// it, if it was an outsider until now.
    #[inline]
    fn add_way(&mut self, place: u32, consumption: f64, weight: f64, outsider: Option<(f64, bool)>) {
        let number = self.ways.len() as u32;
        self.ways.push(Way { flow: self.flows.len() as u32, link: place, consumption, next: NONE });
        let share = consumption * weight;
        let link = &mut self.links[place as usize];
        if let Some((taken, limited)) = outsider {
            link.remaining += taken;
            link.outside.limited -= u32::from(limited);
        }
        link.open += 1;
        link.stale = true;
        if link.fat {
            link.usage = link.usage.max(share);
        } else {
            link.usage += share;
            link.demand += share;
        }
        match std::mem::replace(&mut link.last, number) {
            NONE => link.first = number,
            last => self.ways[last as usize].next = number,
        }
        if !std::mem::replace(&mut link.listed, true) {
            self.listed.push(place);
        }
    }

    /// `true` if there are enough links to need a heap.
    #[inline]
    fn is_large(&self) -> bool {
        self.links.len() > FEW_LINKS
    }

    #[inline]
    fn list(&mut self, place: u32) {
        if !std::mem::replace(&mut self.links[place as usize].listed, true) {
            self.listed.push(place);
        }
    }

    fn next_by_scan(&mut self) -> Option<LevelEvent> {
        let full = self.fullest_by_scan();
        let mut lowest = full.unwrap_or(f64::INFINITY);
        let mut released = None;
        let mut at = 0;
        while at < self.limiting.len() {
            let place = self.limiting[at];
            let Outsiders { limited, lowest_limited, .. } = self.links[place as usize].outside;
            if limited == 0 {
                self.limiting.swap_remove(at);
                continue;
            }
            if lowest_limited < lowest && self.has_more_for_outsiders(place) {
                lowest = lowest_limited;
                released = Some(LevelEvent::Released(place));
            }
            at += 1;
        }
        released.or(full.map(LevelEvent::Full))
    }

    /// Returns the level at which the next link fills up, with the links that do in `self.fullest`; drops links without
    /// open flows.
    fn fullest_by_scan(&mut self) -> Option<f64> {
        let mut lowest = f64::INFINITY;
        let mut at = 0;
        self.fullest.clear();
        while at < self.listed.len() {
            let place = self.listed[at];
            let link = &mut self.links[place as usize];
            if link.open == 0 {
                link.listed = false;
                self.listed.swap_remove(at);
                continue;
            }
            let level = self.level_of(place);
            if level < lowest || self.fullest.is_empty() {
                lowest = level;
                self.fullest.clear();
                self.fullest.push(place);
            } else if level == lowest {
                self.fullest.push(place);
            }
            at += 1;
        }
        (!self.fullest.is_empty()).then_some(lowest)
    }

    /// Returns the next event from the heap. A link's event only moves up while flows are settled, so an entry that is
    /// out of date is too low, comes up too early, and is put back with its present level. Links that get more flows
    /// are listed.
    fn next_by_heap(&mut self) -> Option<LevelEvent> {
        let mut heap = std::mem::take(&mut self.heap);
        while let Some(place) = self.listed.pop() {
            self.links[place as usize].listed = false;
            match self.event_of(place) {
                Some((level, _)) => heap.set(place, level),
                None => heap.remove(place),
            }
        }
        let mut next = None;
        self.fullest.clear();
        while let Some((level, place)) = heap.peek() {
            if next.is_some_and(|full| full != LevelEvent::Full(level)) {
                break;
            }
            let event = self.event_of(place);
            if let Some((fresh, _)) = event
                && fresh > level
            {
                heap.set(place, fresh);
                continue;
            }
            heap.pop();
            match event {
                None => {}
                Some((_, released @ LevelEvent::Released(_))) => {
                    // Links that are full at the same level, if any, follow it.
                    for full in self.fullest.drain(..) {
                        heap.set(full, level);
                    }
                    next = Some(released);
                    break;
                }
                Some((_, full)) => {
                    self.fullest.push(place);
                    next = Some(full);
                }
            }
        }
        self.heap = heap;
        for at in 0..self.fullest.len() {
            self.list(self.fullest[at]);
        }
        next
    }

    /// Returns the next event of a link, and its level.
    #[inline]
    fn event_of(&mut self, place: u32) -> Option<(f64, LevelEvent)> {
        let Contended { open, outside, .. } = self.links[place as usize];
        if outside.limited > 0 && self.has_more_for_outsiders(place) {
            return Some((outside.lowest_limited, LevelEvent::Released(place)));
        }
        (open > 0).then(|| self.level_of(place)).map(|level| (level, LevelEvent::Full(level)))
    }

    /// `true` if the outsiders that a link limits can rise.
    fn has_more_for_outsiders(&mut self, place: u32) -> bool {
        let Contended { open, remaining, capacity, outside, .. } = self.links[place as usize];
        outside.can_rise((open > 0).then(|| self.level_of(place)), remaining, capacity)
    }

    /// Fixes the rate of a flow and takes it off its links.
    fn settle(&mut self, number: u32, value: f64, bottleneck: u32) {
        let flow = &mut self.flows[number as usize];
        flow.settled = true;
        flow.value = value;
        flow.bottleneck = bottleneck;
        self.unsettled -= 1;
        if self.unsettled == 0 && self.limiting.is_empty() {
            // The remaining capacity of links is not needed any more.
            return;
        }
        let weight = flow.weight;
        for way in &self.ways[flow.ways.0 as usize..flow.ways.1 as usize] {
            let link = &mut self.links[way.link as usize];
            link.open -= 1;
            link.stale = true;
            link.demand -= way.consumption * weight;
            link.remaining -= way.consumption * value;
            // Many flows may be settled before the level is needed, so the sum is formed then.
            link.spoiled |= link.demand < link.usage * CANCELLATION;
        }
    }

    /// Returns the level at which a link with open flows fills up.
    #[inline]
    fn level_of(&mut self, place: u32) -> f64 {
        let link = &mut self.links[place as usize];
        if link.stale {
            if link.fat | link.spoiled {
                let demand = self.demand_of_open_flows(place);
                self.links[place as usize].demand = demand;
            }
            let link = &mut self.links[place as usize];
            // On a pipe every flow can have the full capacity: flows take nothing from each other.
            let remaining = if link.fat { link.capacity } else { link.remaining.max(0.0) };
            link.fills_at = remaining / link.demand;
            link.spoiled = false;
            link.stale = false;
        }
        self.links[place as usize].fills_at
    }

    /// Sums the demand of a link afresh. Settled flows leave its chain, so that they are not visited twice.
    #[cold]
    fn demand_of_open_flows(&mut self, place: u32) -> f64 {
        let link = &mut self.links[place as usize];
        let (mut at, mut last, mut demand) = (link.first, NONE, 0.0);
        link.first = NONE;
        while at != NONE {
            let Way { flow, consumption, next, .. } = self.ways[at as usize];
            let flow = &self.flows[flow as usize];
            if !flow.settled {
                match std::mem::replace(&mut last, at) {
                    NONE => link.first = at,
                    last => self.ways[last as usize].next = at,
                }
                let share = consumption * flow.weight;
                demand = if link.fat { f64::max(demand, share) } else { demand + share };
            }
            at = next;
        }
        link.last = last;
        if last != NONE {
            self.ways[last as usize].next = NONE;
        }
        demand
    }
}
