//! Links, paths and flows, with the set of flows that a solution settles.

use super::crowd::Crowd;
use crate::ids::LinkId;
use crate::network::sharing::{Element, FlowId, Member};
use crate::platform::SharingPolicy;
use std::ops::Range;

/// Bottleneck link of a flow that runs at its own bound.
pub(super) const OWN_BOUND: u32 = u32::MAX;

/// Number of flows leaving one link from which the link is scanned once instead of searched for each flow.
pub(super) const SEVERAL: usize = 8;

/// Place of a link that is not contended.
pub(super) const UNCONTENDED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub start: u32,
    pub end: u32,
    /// `true` if a link of the path is a fat pipe, on which the flows must be solved together.
    pub fat: bool,
}

impl Path {
    /// Returns its links, as a range of the elements of all paths.
    #[inline]
    pub fn elements(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Share per level: 1 / penalty.
    pub weight: f64,
    pub penalty: f64,
    pub bound: f64,
    pub value: f64,
    pub level: f64,
    pub bottleneck: u32,
    pub path: Path,
    /// Last solution whose set S contained the flow; 0 if none did, or if it had to leave it.
    pub in_set: u64,
}

/// Link with all the data that a solution needs, in one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Link {
    pub capacity: f64,
    /// Approximate load of its flows at their bounds, after additions and subtractions. No flow counts for more than
    /// twice the capacity, so that the remainder does not drown in rounding errors.
    pub most: f64,
    pub members: Vec<Member>,
    /// Round in which a solution first visited it, and its place among the contended links there.
    pub looked: u64,
    pub place: u32,
    /// Number of flows that it limits.
    pub limited: u32,
    pub fat_pipe: bool,
}

impl Link {
    /// Returns how much of a flow's consumption at its bound counts.
    #[inline]
    pub fn at_most(&self, consumption: f64) -> f64 {
        let most = 2.0 * self.capacity;
        // Not `min`, which handles NaN.
        if consumption < most { consumption } else { most }
    }

    /// Removes a flow from the list of members. Flows leave roughly in the order in which they came, so a search from
    /// the front is short.
    #[inline]
    pub fn take_out(&mut self, flow: u32) {
        if let Some(at) = self.members.iter().position(|m| m.flow == flow) {
            self.members.swap_remove(at);
        }
    }

    /// Removes one of the flows that leave together, or all of them: then `leaving`, their number, is 0 afterwards.
    #[inline]
    pub fn take_out_some(&mut self, flow: u32, leaving: &mut u32, leaves: &[bool]) {
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

/// System of links and flows. `WATCHED` is a compile-time constant, so that recording link states costs nothing when
/// unused.
#[derive(Debug)]
pub(super) struct System<const WATCHED: bool> {
    pub links: Vec<Link>,
    pub paths: Vec<Path>,
    pub elements: Vec<Element>,
    pub flows: Vec<Flow>,
    pub free: Vec<u32>,
    // Since the last solution:
    pub added: Vec<u32>,
    pub touched: Vec<u32>,
    /// Number of flows that came or went.
    pub changes: usize,
    /// Which flows leave together, and how many of them each link has; empty until some do.
    pub leaves: Vec<bool>,
    pub leaving: Vec<u32>,
    // Working memory of a solution, kept to avoid allocation:
    pub set: Vec<u32>,
    pub before: Vec<f64>,
    /// Links of a flow that is repaired alone, with the level at which each would stop it.
    pub levels: Vec<(u32, f64)>,
    pub solution: u64,
    pub round: u64,
    /// First round of this solution. Each round admits the flows that joined at one event.
    pub first_round: u64,
    /// Solution in which the flows of a link were last visited to seed S.
    pub seeded: Vec<u64>,
    /// Solution in which the flows of a fat pipe last joined S together; 0 if none, or if they had to leave it.
    pub gathered: Vec<u64>,
    pub changed: Vec<FlowId>,
    /// Per-link state of a crowd.
    pub crowd: Crowd,
    /// Links whose state may have changed since it was last reported; and which links are in that list.
    pub dirty: Vec<u32>,
    pub is_dirty: Vec<bool>,
}

impl<const WATCHED: bool> System<WATCHED> {
    /// Returns a system of these links, without paths and flows.
    pub fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
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

    /// Returns `true` if flows came or went since the last solution.
    #[inline]
    pub fn is_stale(&self) -> bool {
        !self.touched.is_empty() || !self.added.is_empty()
    }

    /// Notes that the state of a link may change.
    #[inline]
    pub fn mark(&mut self, link: u32) {
        if WATCHED && link != OWN_BOUND && !std::mem::replace(&mut self.is_dirty[link as usize], true) {
            self.dirty.push(link);
        }
    }

    /// Notes that the states of all links of a flow may change.
    #[inline]
    pub fn mark_path(&mut self, flow: FlowId) {
        if WATCHED {
            self.flows[flow.index()].path.elements().for_each(|at| self.mark(self.elements[at].link));
        }
    }

    /// Takes a flow off its links. `TOGETHER`: it has been counted in `leaving`.
    pub fn leave<const TOGETHER: bool>(&mut self, flow: FlowId) {
        if self.crowd.active {
            self.withdraw(flow.0);
        }
        // A flow that has a rate is no longer in the list of new ones.
        if !self.added.is_empty() && self.value_of(flow.0) == 0.0 {
            self.added.retain(|&f| f != flow.0);
        }
        self.set_bottleneck(flow.0, OWN_BOUND);
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
    pub fn set_bottleneck(&mut self, flow: u32, bottleneck: u32) {
        let old = std::mem::replace(&mut self.flows[flow as usize].bottleneck, bottleneck);
        self.mark(old);
        self.mark(bottleneck);
        if old == bottleneck {
            return;
        }
        if old != OWN_BOUND {
            self.links[old as usize].limited -= 1;
        }
        if bottleneck != OWN_BOUND {
            self.links[bottleneck as usize].limited += 1;
        }
    }

    /// Returns the sum of the consumptions on a link, in units of its capacity.
    pub fn load(&self, link: LinkId) -> f64 {
        self.links[link.index()].members.iter().map(|m| m.consumption * self.value_of(m.flow)).sum()
    }
}
