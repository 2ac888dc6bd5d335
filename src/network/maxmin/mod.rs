//! Weighted max-min fair sharing with bounds, kept exact while flows come and go.
//!
//! The system contains links (capacities), paths (links with the consumption on each) and flows (a path, a weight, a
//! bound). It has no notion of messages, time or MPI.
//!
//! # Definition
//!
//! A flow of penalty `w` has the *level* `value * w`. The allocation is max-min fair in the levels: every flow either
//! runs at its own bound, or has a *bottleneck link*, which is full and on which no other flow has a higher level
//! (Bertsekas and Gallager, Data Networks, section 6.5.2, with weights and bounds). That condition holds for exactly
//! one allocation.
//!
//! # Maintenance
//!
//! Because the condition can be checked flow by flow, a change is repaired locally. New flows, and those whose
//! bottleneck link was touched by a flow that came or went, form the set S; all others, the outsiders, keep their rates
//! for now. S is allocated by progressive filling: one level rises from zero for all of S, and flows settle where a
//! link fills up or at their bounds. S grows at the two events where an outsider's condition would fail:
//!
//! - a link fills up below the level of an outsider: it has to come down, and joins S;
//! - the level reaches that of an outsider whose bottleneck link is not full there: it can rise, and joins S.
//!
//! Either way the level of the outsider is at or above the present one, so everything decided below it stays right, and
//! one pass settles everything. At its end the condition holds everywhere, so the allocation is *the* max-min one. In
//! the worst case S grows to the connected component; usually it remains a handful of flows.
//!
//! `solve.rs` maintains S and the flows that join it, `filling/` the level and its events: `few.rs` in fixed arrays for
//! small sets, which nearly every change has, `general.rs` for any set, and `whole.rs` for a large full set, which has
//! no outsiders.
//!
//! # Crowds
//!
//! Where hundreds of flows are coupled, a change moves many rates but few bottleneck links. There links keep groups of
//! flows at one level each, and changes propagate from link to link (`crowd/`). A crowd forms after large sets have
//! been filled repeatedly; it dissolves when few flows are left, or many start together. To learn when flows complete,
//! callers follow the levels of links (`network/clocks.rs`) instead of querying each rate.
//!
//! With a [`Bound`] a crowd passes on levels that have moved by more than it (`crowd/within.rs`).
//!
//! Rejected: filling S to the end, then looking for outsiders whose condition fails, and filling again (with all
//! transfers of a network coupled, that took four to seven fillings per change).
//!
//! Rejected: re-solving the connected component at each event (a few per cent of every flow count on the reverse route,
//! so most of a busy network is one component), and incremental bookkeeping of link loads in floating point (rounding
//! errors add up over millions of events; every sum is formed afresh in each solution, or kept in whole numbers in a
//! crowd).

mod crowd;
mod filling;
mod solve;
#[cfg(test)]
mod tests;

use self::crowd::Crowd;
use self::filling::{Few, General, Whole};
use super::sharing::{Bound, Element, FlowId, LinkState, Member, Needed, PathId, Sharing};
use crate::ids::LinkId;
use crate::platform::SharingPolicy;
use crate::prefetch::{prefetch, prefetch_end};
use crate::slots::store;
use std::ops::Range;

/// Relative slack for comparing the load of a link with its capacity, and one level with another.
///
/// It only has to absorb rounding: a dozen additions and divisions make errors of some 1e-15. Changes smaller than this
/// do not spread to further flows.
const TOLERANCE: f64 = 1e-12;

/// A sum is formed afresh if subtractions leave less than this part of it: the remainder would be mostly rounding
/// errors.
const CANCELLATION: f64 = 1e-2;

/// Bottleneck link of a flow that runs at its own bound.
const OWN_BOUND: u32 = u32::MAX;

/// Number of flows leaving together from which it pays to count departures per link.
const MANY: usize = 16;

/// Number of flows leaving one link from which the link is scanned once instead of searched for each flow.
const SEVERAL: usize = 8;

/// Place of a link that is not contended.
const UNCONTENDED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Path {
    start: u32,
    end: u32,
    /// `true` if a link of the path is a fat pipe, on which the flows must be solved together.
    fat: bool,
}

impl Path {
    /// Returns its links, as a range of the elements of all paths.
    #[inline]
    fn elements(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    /// Share per level: 1 / penalty.
    weight: f64,
    penalty: f64,
    bound: f64,
    value: f64,
    level: f64,
    limit: u32,
    path: Path,
    /// Last solution whose set S contained the flow; 0 if none did, or if it had to leave it.
    in_set: u64,
}

/// Link with all the data that a solution needs, in one cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Link {
    capacity: f64,
    /// Approximate load of its flows at their bounds, after additions and subtractions. No flow counts for more than
    /// twice the capacity, so that the remainder does not drown in rounding errors.
    most: f64,
    members: Vec<Member>,
    /// Round in which a solution first visited it, and its place among the contended links there.
    looked: u64,
    place: u32,
    /// Number of flows that it limits.
    limited: u32,
    fat_pipe: bool,
}

impl Link {
    /// Returns how much of a flow's consumption at its bound counts.
    #[inline]
    fn at_most(&self, consumption: f64) -> f64 {
        let most = 2.0 * self.capacity;
        // Not `min`, which handles NaN.
        if consumption < most { consumption } else { most }
    }

    /// Removes a flow from the list of members. Flows leave roughly in the order in which they came, so a search from
    /// the front is short.
    #[inline]
    fn take_out(&mut self, flow: u32) {
        if let Some(at) = self.members.iter().position(|m| m.flow == flow) {
            self.members.swap_remove(at);
        }
    }

    /// Removes one of the flows that leave together, or all of them: then `leaving`, their number, is 0 afterwards.
    #[inline]
    fn take_out_some(&mut self, flow: u32, leaving: &mut u32, leaves: &[bool]) {
        match *leaving as usize {
            0 => return,
            all if all == self.members.len() => self.members.clear(),
            SEVERAL.. => self.members.retain(|m| !leaves[m.flow as usize]),
            _ => {
                self.take_out(flow);
                *leaving -= 1;
                return;
            }
        }
        *leaving = 0;
    }
}

/// Number of path elements in a cache line.
const ELEMENTS_IN_A_LINE: usize = 64 / size_of::<Element>();

/// Relative slack within which a link counts as full in reports.
const FULL: f64 = 1e-9;

/// System of links and flows for replays that do not need the states of links.
pub type MaxMin = System<false>;

/// System of links and flows that also records which links are full.
pub type WatchedMaxMin = System<true>;

/// System of links and flows. `WATCHED` is a compile-time constant, so that recording link states costs nothing when
/// unused.
#[derive(Debug)]
pub struct System<const WATCHED: bool> {
    links: Vec<Link>,
    paths: Vec<Path>,
    elements: Vec<Element>,
    flows: Vec<Flow>,
    free: Vec<u32>,
    // Since the last solution:
    added: Vec<u32>,
    touched: Vec<u32>,
    /// Number of flows that came or went.
    changes: usize,
    /// Which flows leave together, and how many of them each link has; empty until some do.
    leaves: Vec<bool>,
    leaving: Vec<u32>,
    // Working memory of a solution, kept to avoid allocation:
    set: Vec<u32>,
    before: Vec<f64>,
    /// Arrays of 16 KiB, allocated when first needed.
    few: Option<Box<Few>>,
    general: General,
    whole: Whole,
    /// Links of a flow that is repaired alone, with the level at which each would stop it.
    levels: Vec<(u32, f64)>,
    solution: u64,
    round: u64,
    /// First round of this solution. Each round admits the flows that joined at one event.
    first_round: u64,
    /// Solution in which the flows of a link were last visited to seed S.
    seeded: Vec<u64>,
    /// Solution in which the flows of a fat pipe last joined S together; 0 if none, or if they had to leave it.
    gathered: Vec<u64>,
    changed: Vec<FlowId>,
    /// Per-link state of a crowd.
    crowd: Crowd,
    /// Links whose state may have changed since it was last reported; and which links are in that list.
    dirty: Vec<u32>,
    is_dirty: Vec<bool>,
}

impl<const WATCHED: bool> Sharing for System<WATCHED> {
    const LITERAL: bool = false;
    const WATCHED: bool = WATCHED;

    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        let link = |(capacity, policy)| Link {
            capacity,
            most: 0.0,
            members: Vec::new(),
            looked: 0,
            place: 0,
            limited: 0,
            fat_pipe: policy == SharingPolicy::FatPipe,
        };
        let links: Vec<Link> = links.into_iter().map(link).collect();
        let n = links.len();
        Self {
            links,
            paths: Vec::new(),
            elements: Vec::new(),
            flows: Vec::new(),
            free: Vec::new(),
            added: Vec::new(),
            touched: Vec::new(),
            changes: 0,
            leaves: Vec::new(),
            leaving: Vec::new(),
            set: Vec::new(),
            before: Vec::new(),
            few: None,
            general: General::default(),
            whole: Whole::default(),
            levels: Vec::new(),
            solution: 0,
            round: 0,
            first_round: 0,
            seeded: vec![0; n],
            gathered: vec![0; n],
            changed: Vec::new(),
            crowd: Crowd::default(),
            dirty: Vec::new(),
            is_dirty: if WATCHED { vec![false; n] } else { Vec::new() },
        }
    }

    fn permit(&mut self, bound: Bound) {
        self.crowd.bound = bound.share();
    }

    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        debug_assert!(
            (1..elements.len()).all(|at| elements[..at].iter().all(|e| e.0 != elements[at].0)),
            "a link twice"
        );
        let end =
            |elements: &[Element]| u32::try_from(elements.len()).expect("paths are shorter than 2^32 links together");
        let start = end(&self.elements);
        self.elements.extend(elements.iter().map(|e| Element { link: e.0.0, consumption: e.1 }));
        let fat = elements.iter().any(|e| self.links[e.0.index()].fat_pipe);
        self.paths.push(Path { start, end: end(&self.elements), fat });
        PathId(self.paths.len() as u32 - 1)
    }

    #[inline]
    fn ask_for(&self, path: PathId, what: Needed) {
        let path = &self.paths[path.0 as usize];
        let elements = || self.elements[path.elements()].iter();
        let links = || elements().map(|e| &self.links[e.link as usize]);
        match what {
            Needed::Path => prefetch(path),
            Needed::Elements => elements().step_by(ELEMENTS_IN_A_LINE).for_each(prefetch),
            Needed::Links => links().for_each(prefetch),
            Needed::Ends => links().for_each(|link| prefetch_end(&link.members)),
        }
    }

    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        let path = self.paths[path.0 as usize];
        let flow =
            Flow { weight: 1.0 / penalty, penalty, bound, value: 0.0, level: 0.0, limit: OWN_BOUND, path, in_set: 0 };
        let id = store(&mut self.flows, &mut self.free, flow);
        for e in &self.elements[path.elements()] {
            let link = &mut self.links[e.link as usize];
            link.members.push(Member { flow: id, consumption: e.consumption });
            link.most += link.at_most(e.consumption * bound);
            if link.limited > 0 || link.fat_pipe {
                self.touched.push(e.link);
            }
        }
        self.added.push(id);
        self.changes += 1;
        FlowId(id)
    }

    #[inline]
    fn stop(&mut self, flow: FlowId) {
        self.leave::<false>(flow);
    }

    /// Where ranks run in step, flows leave together, and most links lose many or all: no searching is done there.
    fn stop_all(&mut self, flows: &[FlowId]) {
        if flows.len() < MANY {
            return flows.iter().for_each(|&flow| self.stop(flow));
        }
        self.leaving.resize(self.links.len(), 0);
        self.leaves.resize(self.flows.len(), false);
        for flow in flows {
            self.leaves[flow.index()] = true;
            for e in &self.elements[self.flows[flow.index()].path.elements()] {
                self.leaving[e.link as usize] += 1;
            }
        }
        flows.iter().for_each(|&flow| self.leave::<true>(flow));
        flows.iter().for_each(|flow| self.leaves[flow.index()] = false);
    }

    #[inline]
    fn value(&self, flow: FlowId) -> f64 {
        self.value_of(flow.0)
    }

    #[inline]
    fn is_stale(&self) -> bool {
        !self.touched.is_empty() || !self.added.is_empty()
    }

    fn solve(&mut self) {
        self.restore_fairness();
    }

    /// Flows whose rate has changed.
    #[inline]
    fn changed(&self) -> &[FlowId] {
        &self.changed
    }

    #[inline]
    fn runs_clocks(&self) -> bool {
        self.crowd.active
    }

    #[inline]
    fn shifted(&self) -> &[u32] {
        &self.crowd.shifted
    }

    #[inline]
    fn clock(&self, flow: FlowId) -> Option<u32> {
        Some(self.flows[flow.index()].limit).filter(|&link| self.crowd.active && link != OWN_BOUND)
    }

    fn level(&self, link: u32) -> f64 {
        self.crowd.level(link)
    }

    fn load(&self, link: LinkId) -> f64 {
        let Link { capacity, fat_pipe, .. } = self.links[link.index()];
        if fat_pipe { 0.0 } else { self.load(link) / capacity }
    }

    fn link_changes(&mut self, mut tell: impl FnMut(LinkId, LinkState)) {
        if !WATCHED {
            return;
        }
        let changed = std::mem::take(&mut self.changed);
        changed.iter().for_each(|&flow| self.mark_path(flow));
        self.changed = changed;
        let share = 1.0 - FULL - self.crowd.bound;
        for at in 0..self.dirty.len() {
            let link = self.dirty[at];
            self.is_dirty[link as usize] = false;
            let full = !self.links[link as usize].fat_pipe
                && self.load(LinkId(link)) >= self.links[link as usize].capacity * share;
            tell(LinkId(link), LinkState { full, limiting: full && self.links[link as usize].limited > 0 });
        }
        self.dirty.clear();
    }
}

impl<const WATCHED: bool> System<WATCHED> {
    /// Notes that the state of a link may change.
    #[inline]
    fn mark(&mut self, link: u32) {
        if WATCHED && link != OWN_BOUND && !std::mem::replace(&mut self.is_dirty[link as usize], true) {
            self.dirty.push(link);
        }
    }

    /// Notes that the states of all links of a flow may change.
    #[inline]
    fn mark_path(&mut self, flow: FlowId) {
        if WATCHED {
            self.flows[flow.index()].path.elements().for_each(|at| self.mark(self.elements[at].link));
        }
    }

    /// Takes a flow off its links. `TOGETHER`: it has been counted in `leaving`.
    fn leave<const TOGETHER: bool>(&mut self, flow: FlowId) {
        if self.crowd.active {
            self.withdraw(flow.0);
        }
        // A flow that has a rate is no longer in the list of new ones.
        if !self.added.is_empty() && self.value(flow) == 0.0 {
            self.added.retain(|&f| f != flow.0);
        }
        self.set_limit(flow.0, OWN_BOUND);
        self.mark_path(flow);
        let Flow { path, bound, .. } = self.flows[flow.index()];
        for e in &self.elements[path.elements()] {
            let link = &mut self.links[e.link as usize];
            if TOGETHER {
                link.take_out_some(flow.0, &mut self.leaving[e.link as usize], &self.leaves);
            } else {
                link.take_out(flow.0);
            }
            link.most = if link.members.is_empty() { 0.0 } else { link.most - link.at_most(e.consumption * bound) };
            // Flows that this link does not limit cannot gain from it.
            if link.limited > 0 || link.fat_pipe {
                self.touched.push(e.link);
            }
        }
        self.free.push(flow.0);
        self.changes += 1;
    }

    /// Records the bottleneck link of a flow.
    #[inline]
    fn set_limit(&mut self, flow: u32, limit: u32) {
        let old = std::mem::replace(&mut self.flows[flow as usize].limit, limit);
        self.mark(old);
        self.mark(limit);
        if old == limit {
            return;
        }
        if old != OWN_BOUND {
            self.links[old as usize].limited -= 1;
        }
        if limit != OWN_BOUND {
            self.links[limit as usize].limited += 1;
        }
    }

    /// Returns the sum of the consumptions on a link, in units of its capacity.
    pub fn load(&self, link: LinkId) -> f64 {
        self.links[link.index()].members.iter().map(|m| m.consumption * self.value_of(m.flow)).sum()
    }
}
