//! Filling for the full set, where many flows begin together: that of `general.rs` without outsiders.
//!
//! The events are those of the general filling, in its order, and so is the arithmetic, to the last bit. Only the
//! storage differs. No flow joins midway, so the flows of a link are contiguous, and paths and links are those of the
//! system, without copies. Without outsiders the level of a link only rises, so links wait in buckets by level instead
//! of in a heap: most have moved on by the time their bucket is opened.

use super::super::rounding::CANCELLATION;
use super::super::system::{Flow, Link, OWN_BOUND, Path, System};
use super::buckets::Buckets;
use super::{FEW_LINKS, Rising};
use crate::network::sharing::Element;

/// Load of the flows on a link.
#[derive(Clone, Copy, Default, Debug)]
struct Contention {
    /// Capacity left by the settled flows.
    remaining: f64,
    /// Sum of consumption * weight of the flows that still rise.
    demand: f64,
    /// Sum of consumption * weight of all its flows.
    usage: f64,
    /// Lower bound on the levels at which its rising flows reach their bounds.
    ceiling: f64,
    /// Use of the working memory in which this was written.
    epoch: u32,
    /// Number of flows that still rise.
    open: u32,
    /// Range in the list of members of its rising flows, and of some that are settled.
    members: (u32, u32),
    contended: bool,
}

/// Working memory, kept to avoid allocation.
#[derive(Default, Debug)]
pub(in super::super) struct Whole {
    flows: Vec<Rising<Path>>,
    /// Indexed by link number in the system; entries of another epoch are out of date.
    links: Vec<Contention>,
    /// Number of uses.
    epoch: u32,
    /// Numbers of the contended links, in the order in which they were met. The index is their place.
    contended_links: Vec<u32>,
    /// Flows of each contended link, in the order of the set.
    members: Vec<u32>,
    queue: Buckets,
    /// Places of the links that fill up next.
    fullest: Vec<u32>,
    unsettled: usize,
}

impl Whole {
    /// Fills the set if it is the full set and large. Returns whether it was. `changes`: number of flows that came or
    /// went.
    pub(in super::super) fn share_out<const WATCHED: bool>(
        &mut self,
        system: &mut System<WATCHED>,
        changes: usize,
    ) -> bool {
        let flows = system.active_flows();
        if system.set.len() < flows || flows.min(system.links.len()) <= FEW_LINKS {
            return false;
        }
        let large = self.take_up(system);
        if large {
            self.fill(&system.elements);
            system.changed.reserve(system.set.len());
            for at in 0..system.set.len() {
                let Rising { value, limit, .. } = self.flows[at];
                system.give(at, value, limit);
            }
            system.note_effort(self.members.len(), changes);
        }
        large
    }
}

impl Contention {
    /// Describes a link on which no flow rises yet.
    #[inline]
    fn new(link: &Link, flows: &[Flow], epoch: u32) -> Self {
        let contended = link.is_contended(flows);
        Self { remaining: link.capacity, ceiling: f64::INFINITY, epoch, contended, ..Self::default() }
    }
}

impl Whole {
    /// Collects the flows of the set and their links. Returns `false` if there is a fat pipe, or too few contended
    /// links.
    fn take_up<const WATCHED: bool>(&mut self, system: &System<WATCHED>) -> bool {
        if self.epoch == u32::MAX {
            self.links.clear();
            self.epoch = 0;
        }
        self.epoch += 1;
        self.links.resize(system.links.len(), Contention::default());
        self.flows.clear();
        self.contended_links.clear();
        self.unsettled = 0;
        self.flows.reserve(system.set.len());
        let (epoch, contentions) = (self.epoch, &mut self.links[..]);
        for &flow in &system.set {
            let Flow { weight, penalty, bound, path, .. } = system.flows[flow as usize];
            if path.fat {
                return false;
            }
            let (mut settled, ceiling) = (true, bound * penalty);
            for &Element { link: number, consumption } in &system.elements[path.elements()] {
                let link = &mut contentions[number as usize];
                if link.epoch != epoch {
                    *link = Contention::new(&system.links[number as usize], &system.flows, epoch);
                    if link.contended {
                        self.contended_links.push(number);
                    }
                }
                settled &= !link.contended;
                link.open += 1;
                link.demand += consumption * weight;
                link.ceiling = if ceiling < link.ceiling { ceiling } else { link.ceiling };
            }
            self.unsettled += usize::from(!settled);
            self.flows.push(system.rising(flow, path, settled));
        }
        self.contended_links.len() > FEW_LINKS
    }

    /// Raises the level until all flows are settled.
    fn fill(&mut self, elements: &[Element]) {
        self.list_members(elements);
        let mut queue = std::mem::take(&mut self.queue);
        let places = (0..self.contended_links.len() as u32).rev();
        queue.start(places.map(|place| (place, self.level_of(place, elements))));
        while self.unsettled > 0
            && let Some(level) = self.next(&mut queue, elements)
        {
            if self.settle_bounded(level, elements) {
                for at in (0..self.fullest.len()).rev() {
                    let place = self.fullest[at];
                    if self.link_at(place).open > 0 {
                        let level = self.level_of(place, elements);
                        queue.push(place, level);
                    }
                }
            } else {
                self.stop(level, elements);
            }
        }
        self.queue = queue;
    }

    /// Returns the contended link at a place.
    #[inline]
    fn link_at(&mut self, place: u32) -> &mut Contention {
        &mut self.links[self.contended_links[place as usize] as usize]
    }

    /// Lists the flows of each contended link contiguously.
    fn list_members(&mut self, elements: &[Element]) {
        let Self { flows, links, contended_links, members, .. } = self;
        let mut end = 0;
        for &number in &*contended_links {
            let link = &mut links[number as usize];
            link.usage = link.demand;
            // The end moves on as members are listed.
            link.members = (end, end);
            end += link.open;
        }
        members.resize(end as usize, 0);
        for (number, flow) in (0..).zip(&*flows) {
            for element in &elements[flow.ways.elements()] {
                let link = &mut links[element.link as usize];
                if link.contended {
                    members[link.members.1 as usize] = number;
                    link.members.1 += 1;
                }
            }
        }
    }

    /// Returns the level at which the next links fill up, and puts those links into `self.fullest`. A link whose level
    /// has risen since it was queued goes back with its present level.
    fn next(&mut self, queue: &mut Buckets, elements: &[Element]) -> Option<f64> {
        let mut lowest = None;
        self.fullest.clear();
        while let Some((level, place)) = queue.pop_at(lowest) {
            if self.link_at(place).open == 0 {
                continue;
            }
            let present = self.level_of(place, elements);
            if present > level {
                queue.push(place, present);
            } else {
                self.fullest.push(place);
                lowest = Some(present);
            }
        }
        lowest
    }

    /// Handles the links in `self.fullest`, which fill up at `level`. Flows with lower bounds are settled at their
    /// bounds. Returns whether there were any.
    fn settle_bounded(&mut self, level: f64, elements: &[Element]) -> bool {
        let mut bounded = false;
        for at in 0..self.fullest.len() {
            let place = self.fullest[at];
            let Contention { members: (first, end), ceiling, .. } = *self.link_at(place);
            if ceiling >= level {
                continue;
            }
            let mut lowest = f64::INFINITY;
            for member in first..end {
                let number = self.members[member as usize];
                let Rising { settled, ceiling, value: bound, .. } = self.flows[number as usize];
                if settled {
                } else if ceiling < level {
                    bounded = true;
                    self.settle(number, bound, OWN_BOUND, elements);
                } else {
                    lowest = lowest.min(ceiling);
                }
            }
            self.link_at(place).ceiling = lowest;
        }
        bounded
    }

    /// Stops the flows of the links in `self.fullest` that still rise at `level`.
    fn stop(&mut self, level: f64, elements: &[Element]) {
        for at in 0..self.fullest.len() {
            let limit = self.contended_links[self.fullest[at] as usize];
            let (first, end) = self.links[limit as usize].members;
            for member in first..end {
                let number = self.members[member as usize];
                let Rising { settled, weight, .. } = self.flows[number as usize];
                if !settled {
                    self.settle(number, level * weight, limit, elements);
                }
            }
        }
    }

    /// Fixes the rate of a flow and takes it off its links.
    #[inline]
    fn settle(&mut self, number: u32, value: f64, limit: u32, elements: &[Element]) {
        let flow = &mut self.flows[number as usize];
        flow.settled = true;
        flow.value = value;
        flow.limit = limit;
        self.unsettled -= 1;
        for element in &elements[flow.ways.elements()] {
            let link = &mut self.links[element.link as usize];
            link.open -= 1;
            link.demand -= element.consumption * flow.weight;
            link.remaining -= element.consumption * value;
        }
    }

    /// Returns the level at which a contended link with flows that still rise fills up.
    #[inline]
    fn level_of(&mut self, place: u32, elements: &[Element]) -> f64 {
        let Contention { remaining, demand, usage, .. } = *self.link_at(place);
        let demand = if demand < usage * CANCELLATION { self.demand_of_open_flows(place, elements) } else { demand };
        remaining.max(0.0) / demand
    }

    /// Sums the demand of a link afresh. Settled flows leave its list, so that they are not visited twice.
    #[cold]
    fn demand_of_open_flows(&mut self, place: u32, elements: &[Element]) -> f64 {
        let number = self.contended_links[place as usize];
        let link = &mut self.links[number as usize];
        let (first, end) = link.members;
        let (mut kept, mut demand) = (first, 0.0);
        for member in first..end {
            let member = self.members[member as usize];
            let Rising { settled, weight, ways: path, .. } = self.flows[member as usize];
            if settled {
                continue;
            }
            self.members[kept as usize] = member;
            kept += 1;
            if let Some(element) = elements[path.elements()].iter().find(|element| element.link == number) {
                demand += element.consumption * weight;
            }
        }
        link.members.1 = kept;
        link.demand = demand;
        demand
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::MaxMin;
    use crate::ids::LinkId;
    use crate::network::sharing::{FlowId, PathId, Sharing};
    use crate::platform::SharingPolicy;
    use proptest::prelude::*;

    /// Links of a flow with its consumption there, its penalty, its bound.
    type Drawn = (Vec<(u32, f64)>, f64, f64);

    /// Few distinct values, so that many links fill up at one level.
    fn flows() -> impl Strategy<Value = Vec<Drawn>> {
        let element = (0..120u32, prop_oneof![Just(1.0), Just(0.05)]);
        let penalty = prop_oneof![Just(1.0), 0.01..100.0];
        let bound = prop_oneof![Just(f64::INFINITY), Just(0.3), 0.001..1.0];
        let path = proptest::collection::vec(element, 1..6).prop_map(|mut path| {
            path.sort_by_key(|&(link, _)| link);
            path.dedup_by_key(|&mut (link, _)| link);
            path
        });
        proptest::collection::vec((path.prop_shuffle(), penalty, bound), 50..400)
    }

    /// Returns rates, bottleneck links and changed flows, with or without a flow that is not coupled to the others.
    fn shared_out(flows: &[Drawn], capacities: &[f64], outsider: bool) -> Vec<(u64, u32)> {
        let links = capacities.iter().map(|&c| (c, SharingPolicy::Shared)).chain([(1.0, SharingPolicy::Shared)]);
        let mut s = MaxMin::new(links);
        if outsider {
            let path = s.add_path(&[(LinkId(capacities.len() as u32), 1.0)]);
            s.start(path, 1.0, 1.0);
            s.solve();
        }
        let start = |s: &mut MaxMin, (elements, penalty, bound): &Drawn| {
            let elements: Vec<_> = elements.iter().map(|&(link, consumption)| (LinkId(link), consumption)).collect();
            let path: PathId = s.add_path(&elements);
            s.start(path, *penalty, *bound)
        };
        let ids: Vec<FlowId> = flows.iter().map(|flow| start(&mut s, flow)).collect();
        s.solve();
        assert_eq!(s.changed().len(), flows.len());
        ids.iter().map(|&id| (s.value(id).to_bits(), s.system.flows[id.index()].limit)).collect()
    }

    proptest! {
        /// An outsider forces the general filling.
        #[test]
        fn the_general_way_comes_to_the_same_bits(
            flows in flows(),
            capacities in proptest::collection::vec(prop_oneof![Just(1.0), Just(2.0), 0.01..100.0], 120),
        ) {
            prop_assert_eq!(shared_out(&flows, &capacities, false), shared_out(&flows, &capacities, true));
        }
    }
}
