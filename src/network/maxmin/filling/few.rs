//! Filling for small sets, which is nearly every change of a replay: three flows on six links, on average.
//!
//! The filling is that of `general.rs`, event by event and to the last bit. Only the storage differs: everything fits
//! into arrays of fixed length, and a set of flows is the bits of one integer. So indices are masked instead of
//! bounds-checked, nothing is allocated, and flows outside a set cost nothing. Sets that do not fit, and fat pipes, are
//! left to the general filling, which starts over.

use super::super::rounding::CANCELLATION;
use super::super::system::{Flow, OWN_BOUND, System, UNCONTENDED};
use super::{FEW_LINKS, Filling, LevelEvent, Outsiders};
use crate::network::sharing::Element;

/// Places for flows and for links: the number of bits of an integer.
const PLACES: usize = 64;
/// Places for incidences (flow on link).
const WAYS: usize = 512;

// Indices are masked, which would hide one that is too large.
const _: () = assert!(FEW_LINKS <= PLACES);

/// A set of places.
type Set = u64;

/// Returns the set of one place.
#[inline(always)]
fn only(place: usize) -> Set {
    1 << (place % PLACES)
}

/// Returns the places of a set, in ascending order.
#[inline(always)]
fn places(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        place
    })
}

/// List of links by place. Its order decides which flow is settled first where several links fill up together, and so
/// affects rounding; it is that of the general filling.
#[derive(Clone, Copy, Debug)]
struct List {
    places: [u8; PLACES],
    count: usize,
}

impl List {
    const EMPTY: List = List { places: [0; PLACES], count: 0 };

    #[inline(always)]
    fn get(&self, at: usize) -> usize {
        usize::from(self.places[at % PLACES])
    }

    #[inline(always)]
    fn push(&mut self, place: usize) {
        self.places[self.count % PLACES] = place as u8;
        self.count += 1;
    }

    /// Removes one entry; the last one takes its place.
    #[inline(always)]
    fn remove(&mut self, at: usize) {
        self.count -= 1;
        self.places[at % PLACES] = self.places[self.count % PLACES];
    }
}

/// Flow whose rate is not settled yet.
#[derive(Clone, Copy, Default, Debug)]
struct Rising {
    weight: f64,
    /// Level at which it runs at its bound.
    ceiling: f64,
    /// Its bound, until it is settled.
    value: f64,
    bottleneck: u32,
    /// Range of its incidences.
    ways: (u16, u16),
}

/// Flow on a contended link.
#[derive(Clone, Copy, Default, Debug)]
struct Way {
    consumption: f64,
    place: u8,
}

/// Contended link.
#[derive(Clone, Copy, Default, Debug)]
struct Contended {
    capacity: f64,
    /// Capacity left by the settled flows and the outsiders; negative while outsiders take too much.
    remaining: f64,
    /// Sum of consumption * weight of the flows that still rise.
    demand: f64,
    /// Sum of consumption * weight of all its flows.
    usage: f64,
    /// Flows that still rise.
    open: Set,
    /// Number of incidences on it.
    ways: u32,
    /// Number of the link in the system.
    link: u32,
    outside: Outsiders,
}

/// Flows of a small set and their contended links.
#[derive(Debug)]
pub(in super::super) struct Few {
    flows: [Rising; PLACES],
    flow_count: usize,
    ways: [Way; WAYS],
    way_count: usize,
    links: [Contended; PLACES],
    link_count: usize,
    /// Level at which each link fills up.
    levels: [f64; PLACES],
    /// Links whose level is out of date, including all whose demand has to be summed afresh.
    stale: Set,
    spoiled: Set,
    /// Flows that still rise.
    open: Set,
    /// Links with flows that rise, and some whose flows have all been settled since the last event; and which links are
    /// in this list.
    filling: List,
    listed: Set,
    /// Links that limit outsiders.
    limiting: List,
    /// Links of the last [`LevelEvent::Full`].
    fullest: List,
}

impl Default for Few {
    fn default() -> Self {
        Self {
            flows: [Rising::default(); PLACES],
            flow_count: 0,
            ways: [Way::default(); WAYS],
            way_count: 0,
            links: [Contended::default(); PLACES],
            link_count: 0,
            levels: [0.0; PLACES],
            stale: 0,
            spoiled: 0,
            open: 0,
            filling: List::EMPTY,
            listed: 0,
            limiting: List::EMPTY,
            fullest: List::EMPTY,
        }
    }
}

impl Few {
    /// Fills the set and the flows that join it, if they fit. Returns whether they did; if not, no lasting state of the
    /// system has changed.
    pub(in super::super) fn share_out<const WATCHED: bool>(&mut self, system: &mut System<WATCHED>) -> bool {
        self.clear();
        let known = system.set.len();
        let done = system.fill(self);
        if done {
            for at in 0..system.set.len() {
                let Rising { value, bottleneck, .. } = self.flows[at % PLACES];
                system.give(at, value, bottleneck);
            }
        } else {
            system.leave_from(known);
        }
        done
    }
}

impl Filling for Few {
    #[inline]
    fn admit<const WATCHED: bool>(&mut self, system: &mut System<WATCHED>) -> bool {
        let known_links = self.link_count;
        for at in self.flow_count..system.set.len() {
            let flow = system.set[at];
            let Flow { weight, penalty, bound, value, bottleneck, path, .. } = system.flows[flow as usize];
            let elements = &system.elements[path.elements()];
            let first = self.way_count;
            if at >= PLACES || first + elements.len() > WAYS || path.fat {
                return false;
            }
            for &Element { link: number, consumption } in elements {
                let link = &mut system.links[number as usize];
                if link.looked < system.first_round {
                    link.looked = system.round;
                    link.place = UNCONTENDED;
                    if link.is_contended(&system.flows) {
                        if self.link_count == FEW_LINKS {
                            return false;
                        }
                        link.place = self.add_link(number, link.capacity);
                    }
                }
                if link.place == UNCONTENDED {
                    continue;
                }
                let place = link.place as usize;
                if link.looked < system.round {
                    // The flow was an outsider when the link was first visited.
                    self.take_in(place, consumption * weight, consumption * value, bottleneck == number);
                }
                self.add_way(place, consumption, weight);
            }
            // If every link can carry the bounds of all its flows, a flow runs at its own bound.
            let bottleneck = if first == self.way_count { system.link_filled_by(flow) } else { OWN_BOUND };
            self.add_flow(first, Rising { weight, ceiling: bound * penalty, value: bound, bottleneck, ways: (0, 0) });
        }
        for place in known_links..self.link_count {
            let filling = self.contended(place);
            filling.usage = filling.demand;
            let link = &system.links[filling.link as usize];
            // Most links carry no other flow.
            if link.members.len() > filling.ways as usize {
                filling.outside = link.outsiders(filling.link, &system.flows, system.solution, &mut filling.remaining);
                if filling.outside.limited > 0 {
                    self.limiting.push(place);
                }
            }
        }
        true
    }

    #[inline]
    fn next(&mut self) -> Option<LevelEvent> {
        if self.open == 0 && self.limiting.count == 0 {
            return None;
        }
        let mut lowest = f64::INFINITY;
        let mut at = 0;
        self.fullest.count = 0;
        while at < self.filling.count {
            let place = self.filling.get(at);
            if self.contended(place).open == 0 {
                self.listed &= !only(place);
                self.filling.remove(at);
                continue;
            }
            let level = self.level_of(place);
            // The lowest level is unpredictable, so this is branch-free: each link is written where the next of the
            // lowest goes, and counts if it is one.
            let lower = level < lowest;
            lowest = if lower { level } else { lowest };
            self.fullest.count = if lower { 0 } else { self.fullest.count };
            self.fullest.push(place);
            self.fullest.count -= usize::from(level != lowest);
            at += 1;
        }
        let mut released = None;
        let mut at = 0;
        while at < self.limiting.count {
            let place = self.limiting.get(at);
            let Outsiders { limited, lowest_limited, .. } = self.contended(place).outside;
            if limited == 0 {
                self.limiting.remove(at);
                continue;
            }
            if lowest_limited < lowest && self.has_more_for_outsiders(place) {
                lowest = lowest_limited;
                released = Some(LevelEvent::Released(place as u32));
            }
            at += 1;
        }
        released.or((self.fullest.count > 0).then_some(LevelEvent::Full(lowest)))
    }

    #[inline]
    fn settle_bounded(&mut self, level: f64) -> bool {
        let mut bounded = false;
        for at in 0..self.fullest.count {
            for number in places(self.contended(self.fullest.get(at)).open & self.open) {
                let Rising { ceiling, value: bound, .. } = *self.flow(number);
                if ceiling < level {
                    bounded = true;
                    self.settle(number, bound, OWN_BOUND);
                }
            }
        }
        bounded
    }

    #[inline]
    fn stop(&mut self, level: f64) {
        for at in 0..self.fullest.count {
            let Contended { open, link, .. } = *self.contended(self.fullest.get(at));
            for number in places(open & self.open) {
                let value = level * self.flow(number).weight;
                self.settle(number, value, link);
            }
        }
    }

    #[inline]
    fn full_links(&self) -> usize {
        self.fullest.count
    }

    #[inline]
    fn full_link(&mut self, at: usize) -> (u32, &mut Outsiders) {
        let place = self.fullest.get(at);
        let Contended { link, outside, .. } = self.contended(place);
        (*link, outside)
    }

    #[inline]
    fn link(&self, place: u32) -> u32 {
        self.links[place as usize % PLACES].link
    }
}

impl Few {
    /// Clears everything but keeps the memory.
    fn clear(&mut self) {
        (self.flow_count, self.way_count, self.link_count) = (0, 0, 0);
        (self.stale, self.spoiled, self.open, self.listed) = (0, 0, 0, 0);
        (self.filling.count, self.limiting.count) = (0, 0);
    }

    #[inline(always)]
    fn contended(&mut self, place: usize) -> &mut Contended {
        &mut self.links[place % PLACES]
    }

    #[inline(always)]
    fn flow(&mut self, place: usize) -> &mut Rising {
        &mut self.flows[place % PLACES]
    }

    /// Adds a link without flows; returns its place.
    #[inline]
    fn add_link(&mut self, link: u32, capacity: f64) -> u32 {
        let place = self.link_count;
        *self.contended(place) = Contended { link, capacity, remaining: capacity, ..Contended::default() };
        self.link_count += 1;
        self.stale |= only(place);
        self.listed |= only(place);
        self.filling.push(place);
        place as u32
    }

    /// The next flow, so far an outsider of a link, joins. `share`: its part of the link's demand; `taken`: its load
    /// there; `limited`: whether the link limited it.
    fn take_in(&mut self, place: usize, share: f64, taken: f64, limited: bool) {
        // Once more is added, the remaining demand could not be distinguished from rounding errors.
        if self.is_spoiled(place) {
            self.spoiled |= only(place);
        }
        self.stale |= only(place);
        if self.listed & only(place) == 0 {
            self.listed |= only(place);
            self.filling.push(place);
        }
        let link = self.contended(place);
        link.usage += share;
        link.remaining += taken;
        link.outside.limited -= u32::from(limited);
    }

    /// Adds an incidence of the next flow.
    #[inline(always)]
    fn add_way(&mut self, place: usize, consumption: f64, weight: f64) {
        self.ways[self.way_count % WAYS] = Way { consumption, place: place as u8 };
        self.way_count += 1;
        let flow = only(self.flow_count);
        let link = self.contended(place);
        link.open |= flow;
        link.demand += consumption * weight;
        link.ways += 1;
    }

    /// Adds a flow whose incidences have been added, from `first` on.
    #[inline]
    fn add_flow(&mut self, first: usize, flow: Rising) {
        if first < self.way_count {
            self.open |= only(self.flow_count);
        }
        let ways = (first as u16, self.way_count as u16);
        *self.flow(self.flow_count) = Rising { ways, ..flow };
        self.flow_count += 1;
    }

    /// `true` if the outsiders that a link limits can rise.
    fn has_more_for_outsiders(&mut self, place: usize) -> bool {
        let Contended { open, remaining, capacity, outside, .. } = *self.contended(place);
        outside.can_rise((open != 0).then(|| self.level_of(place)), remaining, capacity)
    }

    /// Fixes the rate of a flow and takes it off its links.
    #[inline]
    fn settle(&mut self, number: usize, value: f64, bottleneck: u32) {
        let flow = self.flow(number);
        (flow.value, flow.bottleneck) = (value, bottleneck);
        let Rising { weight, ways, .. } = *flow;
        self.open &= !only(number);
        if self.open == 0 && self.limiting.count == 0 {
            // The remaining capacity of links is not needed any more.
            return;
        }
        for way in ways.0..ways.1 {
            let Way { consumption, place } = self.ways[way as usize % WAYS];
            let place = usize::from(place);
            self.stale |= only(place);
            let link = self.contended(place);
            link.open &= !only(number);
            link.demand -= consumption * weight;
            link.remaining -= consumption * value;
        }
    }

    /// Returns the level at which a link with flows that still rise fills up.
    #[inline(always)]
    fn level_of(&mut self, place: usize) -> f64 {
        if self.stale & only(place) != 0 {
            self.stale &= !only(place);
            if self.is_spoiled(place) {
                self.form_demand(place);
            }
            let link = self.contended(place);
            let level = link.remaining.max(0.0) / link.demand;
            self.levels[place % PLACES] = level;
        }
        self.levels[place % PLACES]
    }

    /// `true` if subtractions have left too little of the demand of a link.
    #[inline(always)]
    fn is_spoiled(&self, place: usize) -> bool {
        let Contended { demand, usage, .. } = self.links[place % PLACES];
        self.spoiled & only(place) != 0 || demand < usage * CANCELLATION
    }

    /// Sums the demand of a link afresh.
    #[cold]
    fn form_demand(&mut self, place: usize) {
        let mut demand = 0.0;
        for number in places(self.contended(place).open) {
            let Rising { weight, ways, .. } = *self.flow(number);
            for way in &self.ways[usize::from(ways.0)..usize::from(ways.1)] {
                if usize::from(way.place) == place {
                    demand += way.consumption * weight;
                }
            }
        }
        self.contended(place).demand = demand;
        self.spoiled &= !only(place);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::MaxMin;
    use super::{FEW_LINKS, PLACES};
    use crate::ids::LinkId;
    use crate::network::sharing::Sharing;
    use crate::platform::SharingPolicy::{FatPipe, Shared};

    /// Two newcomers stop one of two flows in a pipe, which frees capacity for the other one: both join, and the
    /// general filling takes over.
    #[test]
    fn whoever_joins_from_a_fat_pipe_brings_the_others_along() {
        let mut s = MaxMin::new([(5.0, Shared), (4.0, FatPipe)]);
        let [both, pipe, shared] =
            [&[(LinkId(0), 1.0), (LinkId(1), 1.0)][..], &[(LinkId(1), 1.0)], &[(LinkId(0), 1.0)]]
                .map(|path| s.add_path(path));
        // In the pipe, the heavier flow has 4 at a level of 2, where the other one stops as well.
        let (heavy, light) = (s.start(both, 0.5, 100.0), s.start(pipe, 1.0, 100.0));
        s.solve();
        assert_eq!((s.value(heavy), s.value(light)), (4.0, 2.0));
        let newcomers = [s.start(shared, 1.0, 100.0), s.start(shared, 1.0, 100.0)];
        s.solve();
        assert_eq!((s.value(heavy), s.value(light)), (2.5, 4.0));
        assert_eq!(newcomers.map(|flow| s.value(flow)), [1.25, 1.25]);
    }

    /// Sets just below and above the size of the arrays.
    #[test]
    fn what_is_too_much_for_the_arrays_is_shared_out_all_the_same() {
        for count in [2, FEW_LINKS, FEW_LINKS + 1, PLACES, PLACES + 1, 200] {
            // Neighbours share a link, so every flow has half of its two links. Link `count` is idle, so the set is
            // never the full set.
            let mut s = MaxMin::new(vec![(1.0, Shared); count + 1]);
            let far = s.add_path(&[(LinkId(count as u32), 1.0)]);
            s.start(far, 1.0, 1.0);
            s.solve();
            let flows: Vec<_> = (0..count)
                .map(|i| {
                    let path = s.add_path(&[(LinkId(i as u32), 1.0), (LinkId(((i + 1) % count) as u32), 1.0)]);
                    s.start(path, 1.0, 1.0)
                })
                .collect();
            s.solve();
            assert!(flows.iter().all(|&flow| s.value(flow) == 0.5), "{count}");
            // All on one link.
            let mut s = MaxMin::new([(1.0, Shared), (1.0, Shared)]);
            let [far, path] = [1, 0].map(|link| s.add_path(&[(LinkId(link), 1.0)]));
            s.start(far, 1.0, 1.0);
            s.solve();
            let flows: Vec<_> = (0..count).map(|_| s.start(path, 1.0, 1.0)).collect();
            s.solve();
            assert!(flows.iter().all(|&flow| s.value(flow) == 1.0 / count as f64), "{count}");
        }
    }
}
