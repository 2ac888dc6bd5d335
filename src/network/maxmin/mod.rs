//! Weighted max-min fair sharing with bounds, kept exact while flows come and go.
//!
//! The system knows links (capacities), paths (which links, with which consumption) and flows (a path, a weight, a
//! bound). It knows nothing of messages, time or MPI.
//!
//! # What is computed
//!
//! A flow of penalty `w` has the *level* `value * w`. The allocation is max-min fair in the levels: every flow either
//! runs at its own bound, or has a *limiting link*, which is full and on which no other flow has a higher level
//! (Bertsekas and Gallager, Data Networks, section 6.5.2, with weights and bounds). That condition holds for exactly
//! one allocation.
//!
//! # How it is kept
//!
//! Because the condition can be checked flow by flow, a change is repaired locally. The flows that came, and those
//! whose limiting link was touched by a flow that came or went, form the set S; all others keep what they have, for
//! now. S is shared out by progressive filling: one level rises from zero for all of S, and flows settle where a link
//! fills up or at their bounds. S grows on the way, at the two events where an outsider's condition would fail:
//!
//! - a link fills up below the level of an outsider: it has to come down, and joins S;
//! - the level comes to where an outsider stands, and its limiting link is not full there: it can rise, and joins S.
//!
//! Either way the outsider stands at or above the present level, so all that has been decided below stays right, and
//! one pass settles all. At its end the condition holds everywhere, so the allocation is *the* max-min one. In the
//! worst case S grows to the connected component; usually it stays at a handful of flows.
//!
//! `solve.rs` knows S and who joins it, `filling/` the level and its events: `few.rs` in fixed arrays, for the few
//! flows that nearly every change concerns, `general.rs` for any, and `whole.rs` where S is all there is, and large, so
//! that nobody is outside.
//!
//! # Crowds
//!
//! Where hundreds of flows hang together, a change moves the rates of many and the limiting links of few. There links
//! keep groups of flows at one level each, and changes are passed on from link to link (`crowd/`). A crowd forms after
//! large sets have been shared out again and again; it dissolves when few flows are left, or many come together. Who
//! wants to know when flows end follows the levels of links (`network/clocks.rs`) instead of asking for each rate.
//!
//! Rejected: filling S to the end, then looking for outsiders whose condition fails, and filling again (where all
//! transfers of a network hang together that took four to seven fillings a change).
//!
//! Rejected: re-solving the connected component at each event (with a few per cent of every flow counted on the reverse
//! route, most of a busy network is one component), and incremental bookkeeping of link loads in floating point
//! (rounding errors add up over millions of events; every sum is formed afresh in each solution, or kept in whole
//! numbers in a crowd).

mod crowd;
mod filling;
mod solve;
#[cfg(test)]
mod tests;

use self::crowd::Crowd;
use self::filling::{Few, General, Whole};
use super::sharing::{Element, FlowId, LinkState, Needed, PathId, Sharing};
use crate::ids::LinkId;
use crate::platform::SharingPolicy;
use crate::prefetch::{prefetch, prefetch_end};
use crate::slots::store;
use std::ops::Range;

/// Relative slack when a link is asked whether it is full, and a level whether it is higher than another.
///
/// It has to absorb rounding only: a dozen additions and divisions make errors of some 1e-15. Changes smaller than
/// this do not spread to further flows.
const TOLERANCE: f64 = 1e-12;

/// A sum of which subtractions leave less than this part is formed afresh: what is left would be mostly the rounding
/// errors of what was taken away.
const CANCELLATION: f64 = 1e-2;

/// The limiting link of a flow that runs at its own bound.
const OWN_BOUND: u32 = u32::MAX;

/// From so many flows on that leave together it is worth counting how many leave each link.
const MANY: usize = 16;

/// From so many flows on that leave a link together it is gone through once, instead of being searched for each.
const SEVERAL: usize = 8;

/// The place among the contended links of one that is not.
const UNCONTENDED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Path {
    start: u32,
    end: u32,
    /// Whether a link of the path is a fat pipe, on which the flows must be solved together.
    fat: bool,
}

impl Path {
    /// Its links, as a range of the elements of all paths.
    #[inline]
    fn elements(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A flow on a link.
#[derive(Clone, Copy, Debug)]
struct Member {
    flow: u32,
    consumption: f64,
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
    /// Number of the solution whose set S the flow was last in; 0 if it was in none, or had to leave it.
    in_set: u64,
}

/// A link; all that a solution asks of it, in one cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Link {
    capacity: f64,
    /// What its flows would take at their bounds, roughly: it has been added to and subtracted from. No flow counts for
    /// more than twice the capacity, so that what one of them leaves does not drown in rounding errors.
    most: f64,
    members: Vec<Member>,
    /// The round in which a solution first looked at it, and its place among the contended ones there.
    looked: u64,
    place: u32,
    /// Flows that it limits.
    limited: u32,
    fat_pipe: bool,
}

impl Link {
    /// What counts of the consumption of a flow at its bound.
    #[inline]
    fn at_most(&self, consumption: f64) -> f64 {
        let most = 2.0 * self.capacity;
        // Not `min`, which has to think of NaN.
        if consumption < most { consumption } else { most }
    }

    /// Takes a flow out of the list of members. Flows leave in about the order in which they came, so the search starts
    /// at the front and is short.
    #[inline]
    fn take_out(&mut self, flow: u32) {
        if let Some(at) = self.members.iter().position(|m| m.flow == flow) {
            self.members.swap_remove(at);
        }
    }

    /// The same for one of those that leave together, or for all of them: then `leaving`, their number, is 0
    /// afterwards.
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

/// So many elements of paths fit into a cache line.
const ELEMENTS_IN_A_LINE: usize = 64 / size_of::<Element>();

/// Relative slack when a link is asked for reports whether its flows consume all of it.
const FULL: f64 = 1e-9;

/// The system of links and flows that replays use: nobody asks for the states of links.
pub type MaxMin = System<false>;

/// The same, with an account of which links are full.
pub type WatchedMaxMin = System<true>;

/// The system of links and flows. `WATCHED` is known when the program is compiled, so that an account nobody reads
/// costs nothing.
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
    /// How many flows came or went.
    changes: usize,
    /// Whether each flow leaves together with others, and how many of a link's do; empty until some do.
    leaves: Vec<bool>,
    leaving: Vec<u32>,
    // Working memory of a solution, kept to avoid allocation:
    set: Vec<u32>,
    before: Vec<f64>,
    /// Arrays of 16 KiB, made when they are first needed.
    few: Option<Box<Few>>,
    general: General,
    whole: Whole,
    /// Links of a flow that is repaired alone, with the level at which each would stop it.
    levels: Vec<(u32, f64)>,
    solution: u64,
    round: u64,
    /// The first round of this solution. In each, the flows that joined at one event are taken in.
    first_round: u64,
    /// The solution in which the flows of a link were last looked at for the first members of S.
    seeded: Vec<u64>,
    /// The solution in which the flows of a fat pipe were last put into S together; 0 if in none, or if they had to
    /// leave it.
    gathered: Vec<u64>,
    changed: Vec<FlowId>,
    /// What links keep while there is a crowd.
    crowd: Crowd,
    /// Links whose state may be another one since it was last told; those that are in the list already.
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

    /// Where ranks are in step, flows leave together, and on most links many or all: nothing is searched for there.
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

    /// Those whose value is another one now.
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
        for at in 0..self.dirty.len() {
            let link = self.dirty[at];
            self.is_dirty[link as usize] = false;
            let full = !self.links[link as usize].fat_pipe
                && self.load(LinkId(link)) >= self.links[link as usize].capacity * (1.0 - FULL);
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

    /// The same for all links of a flow.
    #[inline]
    fn mark_path(&mut self, flow: FlowId) {
        if WATCHED {
            self.flows[flow.index()].path.elements().for_each(|at| self.mark(self.elements[at].link));
        }
    }

    /// A flow leaves its links. `TOGETHER`: it has been counted in `leaving`.
    fn leave<const TOGETHER: bool>(&mut self, flow: FlowId) {
        if self.crowd.active {
            self.withdraw(flow.0);
        }
        // Those that have a value already are no longer among the new ones.
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
            // Flows that this link does not limit have nothing to gain from it.
            if link.limited > 0 || link.fat_pipe {
                self.touched.push(e.link);
            }
        }
        self.free.push(flow.0);
        self.changes += 1;
    }

    /// Notes which link limits a flow.
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

    /// Sum of the consumptions on a link, in units of its capacity.
    pub fn load(&self, link: LinkId) -> f64 {
        self.links[link.index()].members.iter().map(|m| m.consumption * self.value_of(m.flow)).sum()
    }
}
