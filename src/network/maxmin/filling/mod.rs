//! Progressive filling of the set S (Bertsekas and Gallager, Data Networks, section 6.5.2, with weights and bounds).
//!
//! A common level rises from zero. Events stop it, in their order: links fill up, and the level reaches outsiders.
//! There the set may grow, and the level goes on from there; nothing below it changes again. This file defines what
//! happens at an event; the storage of flows and contended links is up to a [`Filling`]: fixed arrays for small sets
//! ([`few`]), or lists for any set ([`general`]).

mod few;
mod general;

pub(super) use self::few::Few;
pub(super) use self::general::General;

use super::rounding::TOLERANCE;
use super::system::{Flow, Link, OWN_BOUND, System};
use crate::network::sharing::FlowId;

/// With up to this number of contended links, the next one to fill up is found by a scan. Beyond it, [`few`] has no
/// room, and [`general`] uses a heap.
const FEW_LINKS: usize = 48;

/// Event that stops the common level as it rises.
#[derive(Clone, Copy, PartialEq, Debug)]
enum LevelEvent {
    /// Links fill up at this level; [`Filling::full_links`] returns their number.
    Full(f64),
    /// The level has reached the outsiders that the contended link at this place limits, and the link has more capacity
    /// for them.
    Released(u32),
}

/// Flow whose rate is not settled yet. `W`: position of its incidences.
#[derive(Clone, Copy, Debug)]
struct Rising<W> {
    /// Share per level: 1 / penalty.
    weight: f64,
    /// Level at which it runs at its bound.
    ceiling: f64,
    /// Its bound, until it is settled.
    value: f64,
    /// Number in the system of the link that stops it.
    bottleneck: u32,
    ways: W,
    settled: bool,
}

/// Flows of the set and their contended links, while the level rises.
trait Filling {
    /// Admits the flows that joined the set since the last round. Returns `false` if they do not fit.
    fn admit<const WATCHED: bool>(&mut self, system: &mut System<WATCHED>) -> bool;
    /// Returns the next event; `None` when all flows are settled and no outsider can rise.
    fn next(&mut self) -> Option<LevelEvent>;
    /// Handles links of the last [`LevelEvent::Full`], which fill up at `level`. Flows with lower bounds are settled at
    /// their bounds; their leftover raises the level for the others. Returns whether there were any.
    fn settle_bounded(&mut self, level: f64) -> bool;
    /// Stops the flows of these links that still rise at `level`; [`settle_bounded`](Self::settle_bounded) has found no
    /// lower bound.
    fn stop(&mut self, level: f64);
    /// Returns the number of links of the last [`LevelEvent::Full`].
    fn full_links(&self) -> usize;
    /// Returns one of them: its number in the system, and its outsiders.
    fn full_link(&mut self, at: usize) -> (u32, &mut Outsiders);
    /// Returns the number in the system of the contended link at a place.
    fn link(&self, place: u32) -> u32;
}

impl<const WATCHED: bool> System<WATCHED> {
    /// Fills the set, which may grow: an outsider keeps its old rate until the common level reaches its own. It joins
    /// if its bottleneck link has more for it there, or when a link fills up at a level below its own. Returns `false`
    /// if there was no room.
    #[inline]
    fn fill(&mut self, filling: &mut impl Filling) -> bool {
        self.first_round = self.round + 1;
        if !self.admit(filling) {
            return false;
        }
        while let Some(event) = filling.next() {
            match event {
                LevelEvent::Released(place) => self.join_from(filling.link(place), f64::INFINITY, f64::INFINITY),
                LevelEvent::Full(level) => {
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

    /// Starts a round by admitting the flows that have joined. Returns `false` if there was no room.
    #[inline]
    fn admit(&mut self, filling: &mut impl Filling) -> bool {
        self.round += 1;
        filling.admit(self)
    }

    /// Adds the outsiders whose level is above that at which one of their links fills up.
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

    /// Describes a flow before the level rises. If all links can carry the bounds of all their flows, it is settled and
    /// runs at its own.
    #[inline]
    fn rising<W>(&self, flow: u32, ways: W, settled: bool) -> Rising<W> {
        let Flow { weight, penalty, bound, .. } = self.flows[flow as usize];
        let bottleneck = if settled { self.link_filled_by(flow) } else { OWN_BOUND };
        Rising { weight, ceiling: bound * penalty, value: bound, bottleneck, ways, settled }
    }

    /// Stores the result of the flow at a place of the set.
    #[inline(always)]
    fn give(&mut self, at: usize, value: f64, bottleneck: u32) {
        let flow = self.set[at];
        self.set_bottleneck(flow, bottleneck);
        let state = &mut self.flows[flow as usize];
        (state.value, state.level) = (value, value * state.penalty);
        if value != self.before[at] {
            self.changed.push(FlowId(flow));
        }
    }
}

/// Flows of a link that are not in the set.
#[derive(Clone, Copy, Debug)]
struct Outsiders {
    /// Number of them that the link limits.
    limited: u32,
    /// Lower bound on the levels of those that it limits.
    lowest_limited: f64,
    /// Upper bound on the levels of all of them.
    highest: f64,
}

impl Default for Outsiders {
    /// No outsiders.
    #[inline]
    fn default() -> Self {
        Self { limited: 0, lowest_limited: f64::INFINITY, highest: 0.0 }
    }
}

impl Outsiders {
    /// `true` if the outsiders that the link limits can rise: it is not full at their level. `level`: where it fills
    /// up, if flows still rise on it; `remaining`: what is left of its capacity.
    #[inline]
    fn can_rise(&self, level: Option<f64>, remaining: f64, capacity: f64) -> bool {
        match level {
            None => remaining > capacity * TOLERANCE,
            Some(level) => level > self.lowest_limited * (1.0 + TOLERANCE),
        }
    }
}

impl Link {
    /// Returns its flows that are not in the set; their load is subtracted from `remaining`.
    #[inline]
    fn outsiders(&self, number: u32, flows: &[Flow], solution: u64, remaining: &mut f64) -> Outsiders {
        let mut outside = Outsiders::default();
        for m in &self.members {
            let flow = &flows[m.flow as usize];
            if flow.in_set != solution {
                *remaining -= m.consumption * flow.value;
                // Not `max`, which handles NaN: this loop visits more flows than any other.
                if flow.level > outside.highest {
                    outside.highest = flow.level;
                }
                if flow.bottleneck == number {
                    outside.limited += 1;
                    outside.lowest_limited = outside.lowest_limited.min(flow.level);
                }
            }
        }
        outside
    }
}
