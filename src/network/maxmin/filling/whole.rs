//! Sharing out all flows there are, where many begin together: the filling of `general.rs` without anybody outside.
//!
//! The events are those of the general way, in its order, and so is the arithmetic, to the last bit. What differs is how they
//! are kept. Nobody joins on the way, so the flows of a link lie side by side. And without outsiders the level of a link only rises,
//! so the links wait in buckets by their level instead of in a heap: most of them are met when their bucket's turn
//! comes and have moved on by then.

use super::super::{CANCELLATION, Element, Flow, OWN_BOUND, System, UNCONTENDED};
use super::FEW_LINKS;
use super::buckets::Buckets;

/// A flow on its way to its value.
#[derive(Clone, Copy, Debug)]
struct Rising {
    weight: f64,
    /// The level at which it runs at its bound.
    ceiling: f64,
    value: f64,
    limit: u32,
    /// Where its ways are.
    ways: (u32, u32),
    settled: bool,
}

/// A contended link of a flow.
#[derive(Clone, Copy, Debug)]
struct Way {
    place: u32,
    consumption: f64,
}

/// A flow on a contended link.
#[derive(Clone, Copy, Default, Debug)]
struct Member {
    /// Which of the rising flows it is, and which of the ways.
    number: u32,
    way: u32,
}

/// A contended link.
#[derive(Clone, Copy, Debug)]
struct Contended {
    /// What the settled flows leave.
    remaining: f64,
    /// Sum of consumption * weight of the flows that still rise.
    demand: f64,
    /// The same for all its flows.
    usage: f64,
    /// Flows that still rise.
    open: u32,
    /// Where its ways are in the list of members.
    members: (u32, u32),
    /// Its number in the system.
    link: u32,
}

/// The working memory, kept to avoid allocation.
#[derive(Default, Debug)]
pub(in super::super) struct Whole {
    flows: Vec<Rising>,
    ways: Vec<Way>,
    links: Vec<Contended>,
    /// The flows of each link, in the order of the set.
    members: Vec<Member>,
    queue: Buckets,
    /// The links that fill up next, and flows that they stop.
    fullest: Vec<u32>,
    stopping: Vec<(u32, u32)>,
    unsettled: usize,
}

impl<const WATCHED: bool> System<WATCHED> {
    /// Shares out the set if it has all flows in it and is large. Gives whether it was.
    pub(in super::super) fn share_out_whole(&mut self) -> bool {
        let flows = self.active_flows();
        if self.set.len() < flows || flows.min(self.links.len()) <= FEW_LINKS || !self.take_up_whole() {
            return false;
        }
        self.whole.fill();
        self.changed.reserve(self.set.len());
        for at in 0..self.set.len() {
            let Rising { value, limit, ways, .. } = self.whole.flows[at];
            self.give(at, value, if ways.0 == ways.1 { self.link_filled_by(self.set[at]) } else { limit });
        }
        true
    }

    /// Takes up the flows of the set and their contended links. Gives false if there is a fat pipe, or too few links.
    fn take_up_whole(&mut self) -> bool {
        self.round += 1;
        let round = self.round;
        let (links, elements, flows) = (&mut self.links[..], &self.elements[..], &self.flows[..]);
        let Whole { flows: rising, ways, links: filling, .. } = &mut self.whole;
        rising.clear();
        ways.clear();
        filling.clear();
        rising.reserve(self.set.len());
        ways.reserve(self.set.iter().map(|&flow| flows[flow as usize].path.elements().len()).sum());
        let mut unsettled = 0;
        for &flow in &self.set {
            let Flow { weight, penalty, bound, path, .. } = flows[flow as usize];
            if path.fat {
                return false;
            }
            let first = ways.len();
            let mut all_contended = true;
            ways.extend(elements[path.elements()].iter().map(|&Element { link: id, consumption }| {
                let link = &mut links[id as usize];
                if link.looked != round {
                    link.looked = round;
                    link.place = UNCONTENDED;
                    if link.is_contended(flows) {
                        link.place = filling.len() as u32;
                        filling.push(Contended::new(id, link.capacity));
                    }
                }
                match filling.get_mut(link.place as usize) {
                    Some(link) => {
                        link.open += 1;
                        link.demand += consumption * weight;
                    }
                    None => all_contended = false,
                }
                Way { place: link.place, consumption }
            }));
            if !all_contended {
                let mut kept = first;
                for at in first..ways.len() {
                    if ways[at].place != UNCONTENDED {
                        ways[kept] = ways[at];
                        kept += 1;
                    }
                }
                ways.truncate(kept);
            }
            // Where all links can carry all their flows' bounds, a flow runs at its own.
            let settled = first == ways.len();
            unsettled += usize::from(!settled);
            let ways = (first as u32, ways.len() as u32);
            rising.push(Rising { weight, ceiling: bound * penalty, value: bound, limit: OWN_BOUND, ways, settled });
        }
        self.whole.unsettled = unsettled;
        self.whole.links.len() > FEW_LINKS
    }
}

impl Contended {
    fn new(link: u32, capacity: f64) -> Self {
        Self { remaining: capacity, demand: 0.0, usage: 0.0, open: 0, members: (0, 0), link }
    }
}

impl Whole {
    /// On how many contended links the flows are, together.
    pub(in super::super) fn ways(&self) -> usize {
        self.ways.len()
    }

    /// Lets the level rise until all flows are settled.
    fn fill(&mut self) {
        self.list_members();
        let mut queue = std::mem::take(&mut self.queue);
        queue.start((0..self.links.len() as u32).rev().map(|place| (place, self.level_of(place))));
        while self.unsettled > 0
            && let Some(level) = self.next(&mut queue)
        {
            if self.settle_bounded(level) {
                for at in (0..self.fullest.len()).rev() {
                    let place = self.fullest[at];
                    if self.links[place as usize].open > 0 {
                        let level = self.level_of(place);
                        queue.push(place, level);
                    }
                }
            } else {
                self.stop(level);
            }
        }
        self.queue = queue;
    }

    /// Lists the flows of each link side by side.
    fn list_members(&mut self) {
        let mut end = 0;
        for link in &mut self.links {
            link.usage = link.demand;
            // Up to where they are listed, which moves on to their end.
            link.members = (end, end);
            end += link.open;
        }
        self.members.resize(end as usize, Member::default());
        let (ways, links, members) = (&self.ways[..], &mut self.links[..], &mut self.members[..]);
        for (number, flow) in (0..).zip(&self.flows) {
            let (first, last) = flow.ways;
            for (way, Way { place, .. }) in (first..).zip(&ways[first as usize..last as usize]) {
                let (_, listed) = &mut links[*place as usize].members;
                members[*listed as usize] = Member { number, way };
                *listed += 1;
            }
        }
    }

    /// The level at which the next links fill up, and in `self.fullest` those links. A link's level may have risen since it was
    /// put into the queue: then it goes back, with its present one.
    fn next(&mut self, queue: &mut Buckets) -> Option<f64> {
        let mut lowest = None;
        self.fullest.clear();
        while let Some((level, place)) = queue.pop_at(lowest) {
            if self.links[place as usize].open == 0 {
                continue;
            }
            let present = self.level_of(place);
            if present > level {
                queue.push(place, present);
            } else {
                self.fullest.push(place);
                lowest = Some(present);
            }
        }
        lowest
    }

    /// The links in `self.fullest` fill up at `level`. If the bounds of some of their flows are lower, those are settled
    /// at their bounds. Gives whether there were any.
    fn settle_bounded(&mut self, level: f64) -> bool {
        let mut bounded = false;
        self.stopping.clear();
        for at in 0..self.fullest.len() {
            let Contended { members, link, .. } = self.links[self.fullest[at] as usize];
            for member in members.0 as usize..members.1 as usize {
                let Member { number, .. } = self.members[member];
                let Rising { settled, ceiling, value: bound, .. } = self.flows[number as usize];
                if settled {
                } else if ceiling < level {
                    bounded = true;
                    self.settle(number, bound, OWN_BOUND);
                } else if !bounded {
                    self.stopping.push((number, link));
                }
            }
        }
        bounded
    }

    /// The flows that [`settle_bounded`](Self::settle_bounded) found stop at `level`.
    fn stop(&mut self, level: f64) {
        for at in 0..self.stopping.len() {
            let (number, limit) = self.stopping[at];
            let Rising { settled, weight, .. } = self.flows[number as usize];
            if !settled {
                self.settle(number, level * weight, limit);
            }
        }
    }

    /// Fixes the value of a flow and takes it off its links.
    fn settle(&mut self, number: u32, value: f64, limit: u32) {
        let flow = &mut self.flows[number as usize];
        flow.settled = true;
        flow.value = value;
        flow.limit = limit;
        self.unsettled -= 1;
        let (weight, links) = (flow.weight, &mut self.links[..]);
        for way in &self.ways[flow.ways.0 as usize..flow.ways.1 as usize] {
            let link = &mut links[way.place as usize];
            link.open -= 1;
            link.demand -= way.consumption * weight;
            link.remaining -= way.consumption * value;
        }
    }

    /// The level at which a link with flows that still rise fills up.
    #[inline]
    fn level_of(&mut self, place: u32) -> f64 {
        let Contended { remaining, demand, usage, .. } = self.links[place as usize];
        let demand = if demand < usage * CANCELLATION { self.demand_of_open_flows(place) } else { demand };
        remaining.max(0.0) / demand
    }

    /// Forms the demand of a link afresh. Settled flows leave its list, so that nobody meets them twice.
    #[cold]
    fn demand_of_open_flows(&mut self, place: u32) -> f64 {
        let (first, end) = self.links[place as usize].members;
        let (mut kept, mut demand) = (first, 0.0);
        for member in first..end {
            let member = self.members[member as usize];
            let flow = &self.flows[member.number as usize];
            if !flow.settled {
                demand += self.ways[member.way as usize].consumption * flow.weight;
                self.members[kept as usize] = member;
                kept += 1;
            }
        }
        let link = &mut self.links[place as usize];
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

    /// Few values, so that many links fill up at one level.
    fn flows() -> impl Strategy<Value = Vec<Drawn>> {
        let element = (0..120u32, prop_oneof![Just(1.0), Just(0.05)]);
        let penalty = prop_oneof![Just(1.0), 0.01..100.0];
        let bound = prop_oneof![Just(f64::INFINITY), Just(0.3), 0.001..1.0];
        proptest::collection::vec((proptest::collection::vec(element, 1..6), penalty, bound), 50..400)
    }

    /// Values, limits and who changed, with or without a flow that has nothing to do with the others.
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
        ids.iter().map(|&id| (s.value(id).to_bits(), s.flows[id.index()].limit)).collect()
    }

    proptest! {
        /// A flow that is outside makes the general way do it.
        #[test]
        fn the_general_way_comes_to_the_same_bits(
            flows in flows(),
            capacities in proptest::collection::vec(prop_oneof![Just(1.0), Just(2.0), 0.01..100.0], 120),
        ) {
            prop_assert_eq!(shared_out(&flows, &capacities, false), shared_out(&flows, &capacities, true));
        }
    }
}
