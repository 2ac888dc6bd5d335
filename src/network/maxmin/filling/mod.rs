//! Progressive filling of the set S (Bertsekas and Gallager, Data Networks, section 6.5.2, with weights and bounds).
//!
//! A common level rises from zero. Events stop it, in their order: links fill up, and outsiders are reached where they
//! stand. There the set may grow, and the level goes on from there; nothing below it is touched again. What happens at
//! an event is told here; how the flows and their contended links are kept is up to a [`Filling`]: a few in fixed
//! arrays ([`few`]), any number ([`general`]). Where nobody is outside and many begin together nobody can join:
//! [`whole`] has a shorter loop of its own, in which links fill up.

mod buckets;
mod few;
mod general;
mod whole;

pub(super) use self::few::Few;
pub(super) use self::general::General;
pub(super) use self::whole::Whole;

use super::{Flow, FlowId, Link, OWN_BOUND, System, TOLERANCE};

/// Up to so many contended links, the next one to fill up is found by looking at all of them. Beyond, [`few`] has no
/// room, [`general`] has a heap, and [`whole`] is worth its while.
const FEW_LINKS: usize = 48;

/// What stops the common level on its way up.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Event {
    /// The links that [`Filling::full_links`] counts fill up at this level.
    Full(f64),
    /// Outsiders whom the contended link at this place limits have been reached, and it has more for them.
    Released(u32),
}

/// A flow on its way to its value. `W`: where its links are.
#[derive(Clone, Copy, Debug)]
struct Rising<W> {
    /// Share per level: 1 / penalty.
    weight: f64,
    /// The level at which it runs at its bound.
    ceiling: f64,
    /// Its bound, until it is settled.
    value: f64,
    /// The link that stops it, by its number in the system.
    limit: u32,
    ways: W,
    settled: bool,
}

/// The flows of the set and their contended links, on the way of the level from zero to the top.
trait Filling {
    /// Takes in the flows that have joined the set since the last round. Gives false if they have no room here.
    fn admit<const WATCHED: bool>(&mut self, system: &mut System<WATCHED>) -> bool;
    /// The next event; none when all flows are settled and no outsider can rise.
    fn next(&mut self) -> Option<Event>;
    /// The links of the last [`Event::Full`] fill up at `level`. If the bounds of some of their flows are lower, those
    /// are settled at their bounds; what they leave raises the level for the others. Gives whether there were any.
    fn settle_bounded(&mut self, level: f64) -> bool;
    /// The flows of these links that still rise stop at `level`; [`settle_bounded`](Self::settle_bounded) has found no
    /// lower bound.
    fn stop(&mut self, level: f64);
    /// How many links the last [`Event::Full`] was about.
    fn full_links(&self) -> usize;
    /// One of them: its number in the system, and who is outside.
    fn full_link(&mut self, at: usize) -> (u32, &mut Outsiders);
    /// The number in the system of the contended link at a place.
    fn link(&self, place: u32) -> u32;
}

impl<const WATCHED: bool> System<WATCHED> {
    /// Fills the set, which grows on the way: an outsider keeps his old value until the level comes to where he stands,
    /// and joins if his limiting link has more for him there, or when a link fills up at a level below his. Gives false
    /// if there was no room.
    #[inline]
    fn fill(&mut self, filling: &mut impl Filling) -> bool {
        self.first_round = self.round + 1;
        if !self.admit(filling) {
            return false;
        }
        while let Some(event) = filling.next() {
            match event {
                Event::Released(place) => self.join_from(filling.link(place), f64::INFINITY, f64::INFINITY),
                Event::Full(level) => {
                    if filling.settle_bounded(level) {
                        continue;
                    }
                    let known = self.set.len();
                    self.join_higher(filling, level);
                    if self.set.len() == known {
                        filling.stop(level);
                        continue;
                    }
                }
            }
            if !self.admit(filling) {
                return false;
            }
        }
        true
    }

    /// A round: those who have joined are taken in. Gives false if there was no room.
    #[inline]
    fn admit(&mut self, filling: &mut impl Filling) -> bool {
        self.round += 1;
        filling.admit(self)
    }

    /// Those outsiders join who stand above the level at which a link of theirs fills up.
    #[inline]
    fn join_higher(&mut self, filling: &mut impl Filling, level: f64) {
        let ceiling = level * (1.0 + TOLERANCE);
        for at in 0..filling.full_links() {
            let (link, outside) = filling.full_link(at);
            if outside.highest > ceiling {
                outside.highest = ceiling;
                self.join_from(link, ceiling, 0.0);
            }
        }
    }

    /// A flow before the level rises. Where all links can carry all their flows' bounds, it is settled, and runs at its
    /// own.
    #[inline]
    fn rising<W>(&self, flow: u32, ways: W, settled: bool) -> Rising<W> {
        let Flow { weight, penalty, bound, .. } = self.flows[flow as usize];
        let limit = if settled { self.link_filled_by(flow) } else { OWN_BOUND };
        Rising { weight, ceiling: bound * penalty, value: bound, limit, ways, settled }
    }

    /// Gives the flow at a place of the set what was found out.
    #[inline(always)]
    fn give(&mut self, at: usize, value: f64, limit: u32) {
        let flow = self.set[at];
        self.set_limit(flow, limit);
        let state = &mut self.flows[flow as usize];
        (state.value, state.level) = (value, value * state.penalty);
        if value != self.before[at] {
            self.changed.push(FlowId(flow));
        }
    }
}

/// The flows of a link that are not in the set.
#[derive(Clone, Copy, Debug)]
struct Outsiders {
    /// How many of them it limits.
    limited: u32,
    /// None of those has a lower level.
    lowest_limited: f64,
    /// None of all has a higher level.
    highest: f64,
}

impl Default for Outsiders {
    /// Nobody.
    #[inline]
    fn default() -> Self {
        Self { limited: 0, lowest_limited: f64::INFINITY, highest: 0.0 }
    }
}

impl Outsiders {
    /// Whether those that the link limits can rise: it is not yet full where they stand. `level`: where it fills up, if
    /// flows still rise on it; `remaining`: what is left of its capacity.
    #[inline]
    fn can_rise(&self, level: Option<f64>, remaining: f64, capacity: f64) -> bool {
        match level {
            None => remaining > capacity * TOLERANCE,
            Some(level) => level > self.lowest_limited * (1.0 + TOLERANCE),
        }
    }
}

impl Link {
    /// Those of its flows that are not in the set; what they take is taken off `remaining`.
    #[inline]
    fn outsiders(&self, number: u32, flows: &[Flow], solution: u64, remaining: &mut f64) -> Outsiders {
        let mut outside = Outsiders::default();
        for m in &self.members {
            let flow = &flows[m.flow as usize];
            if flow.in_set != solution {
                *remaining -= m.consumption * flow.value;
                // Not `max`, which has to think of NaN: this loop sees more flows than any other.
                if flow.level > outside.highest {
                    outside.highest = flow.level;
                }
                if flow.limit == number {
                    outside.limited += 1;
                    outside.lowest_limited = outside.lowest_limited.min(flow.level);
                }
            }
        }
        outside
    }
}
