//! The solver as users of the allocation see it: a system, and the working memory of its fillings.

use super::filling::{Few, General};
use super::system::{Flow, Link, OWN_BOUND, Path, System};
use crate::ids::LinkId;
use crate::network::sharing::{Bound, Element, FlowId, LinkState, Member, Needed, PathId, Sharing};
use crate::platform::SharingPolicy;
use crate::prefetch::{prefetch, prefetch_end};
use crate::slots::store;
use rustc_hash::FxHashSet;

/// Number of flows leaving together from which it pays to count departures per link.
const MANY: usize = 16;

/// Number of path elements in a cache line.
const ELEMENTS_IN_A_LINE: usize = 64 / size_of::<Element>();

/// Relative slack within which a link counts as full in reports.
const FULL: f64 = 1e-9;

/// System of links and flows for replays that do not need the states of links.
pub type MaxMin = Solver<false>;

/// System of links and flows that also records which links are full.
pub type WatchedMaxMin = Solver<true>;

/// Solver of a system. `WATCHED` is a compile-time constant, so that recording link states costs nothing when unused.
#[derive(Debug)]
pub struct Solver<const WATCHED: bool> {
    pub(super) system: System<WATCHED>,
    // Working memory of a solution, kept to avoid allocation:
    /// Arrays of 16 KiB, allocated when first needed.
    pub(super) few: Option<Box<Few>>,
    pub(super) general: General,
}

impl<const WATCHED: bool> Sharing for Solver<WATCHED> {
    const LITERAL: bool = false;
    const WATCHED: bool = WATCHED;

    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        Self { system: System::new(links), few: None, general: General::default() }
    }

    fn permit(&mut self, bound: Bound) {
        self.system.crowd.bound = bound.share();
    }

    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        debug_assert!(elements.iter().map(|e| e.0).collect::<FxHashSet<_>>().len() == elements.len(), "a link twice");
        let end =
            |elements: &[Element]| u32::try_from(elements.len()).expect("paths are shorter than 2^32 links together");
        let start = end(&self.system.elements);
        self.system.elements.extend(elements.iter().map(|e| Element { link: e.0.0, consumption: e.1 }));
        let fat = elements.iter().any(|e| self.system.links[e.0.index()].fat_pipe);
        self.system.paths.push(Path { start, end: end(&self.system.elements), fat });
        PathId(self.system.paths.len() as u32 - 1)
    }

    #[inline]
    fn prefetch(&self, path: PathId, what: Needed) {
        let path = &self.system.paths[path.0 as usize];
        let elements = || self.system.elements[path.elements()].iter();
        let links = || elements().map(|e| &self.system.links[e.link as usize]);
        match what {
            Needed::Path => prefetch(path),
            Needed::Elements => elements().step_by(ELEMENTS_IN_A_LINE).for_each(prefetch),
            Needed::Links => links().for_each(prefetch),
            Needed::Ends => links().for_each(|link| prefetch_end(&link.members)),
        }
    }

    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        let path = self.system.paths[path.0 as usize];
        let flow = Flow {
            weight: 1.0 / penalty,
            penalty,
            bound,
            value: 0.0,
            level: 0.0,
            bottleneck: OWN_BOUND,
            path,
            in_set: 0,
        };
        let id = store(&mut self.system.flows, &mut self.system.free, flow);
        for e in &self.system.elements[path.elements()] {
            let link = &mut self.system.links[e.link as usize];
            link.members.push(Member { flow: id, consumption: e.consumption });
            link.most += link.at_most(e.consumption * bound);
            if link.limited > 0 || link.fat_pipe {
                self.system.touched.push(e.link);
            }
        }
        self.system.added.push(id);
        self.system.changes += 1;
        FlowId(id)
    }

    #[inline]
    fn stop(&mut self, flow: FlowId) {
        self.system.leave::<false>(flow);
    }

    /// Where ranks run in step, flows leave together, and most links lose many or all: no searching is done there.
    fn stop_all(&mut self, flows: &[FlowId]) {
        if flows.len() < MANY {
            return flows.iter().for_each(|&flow| self.stop(flow));
        }
        self.system.leaving.resize(self.system.links.len(), 0);
        self.system.leaves.resize(self.system.flows.len(), false);
        for flow in flows {
            self.system.leaves[flow.index()] = true;
            for e in &self.system.elements[self.system.flows[flow.index()].path.elements()] {
                self.system.leaving[e.link as usize] += 1;
            }
        }
        flows.iter().for_each(|&flow| self.system.leave::<true>(flow));
        flows.iter().for_each(|flow| self.system.leaves[flow.index()] = false);
    }

    #[inline]
    fn value(&self, flow: FlowId) -> f64 {
        self.system.value_of(flow.0)
    }

    #[inline]
    fn is_stale(&self) -> bool {
        self.system.is_stale()
    }

    fn solve(&mut self) {
        self.restore_fairness();
    }

    /// Flows whose rate has changed.
    #[inline]
    fn changed(&self) -> &[FlowId] {
        &self.system.changed
    }

    #[inline]
    fn runs_clocks(&self) -> bool {
        self.system.crowd.active
    }

    #[inline]
    fn shifted(&self) -> &[u32] {
        &self.system.crowd.shifted
    }

    #[inline]
    fn clock(&self, flow: FlowId) -> Option<u32> {
        Some(self.system.flows[flow.index()].bottleneck).filter(|&link| self.system.crowd.active && link != OWN_BOUND)
    }

    fn level(&self, link: u32) -> f64 {
        self.system.crowd.level(link)
    }

    fn load(&self, link: LinkId) -> f64 {
        let Link { capacity, fat_pipe, .. } = self.system.links[link.index()];
        if fat_pipe { 0.0 } else { self.system.load(link) / capacity }
    }

    fn link_changes(&mut self, mut tell: impl FnMut(LinkId, LinkState)) {
        if !WATCHED {
            return;
        }
        let changed = std::mem::take(&mut self.system.changed);
        changed.iter().for_each(|&flow| self.system.mark_path(flow));
        self.system.changed = changed;
        let share = 1.0 - FULL - self.system.crowd.bound;
        for at in 0..self.system.dirty.len() {
            let link = self.system.dirty[at];
            self.system.is_dirty[link as usize] = false;
            let full = !self.system.links[link as usize].fat_pipe
                && self.system.load(LinkId(link)) >= self.system.links[link as usize].capacity * share;
            tell(LinkId(link), LinkState { full, limiting: full && self.system.links[link as usize].limited > 0 });
        }
        self.system.dirty.clear();
    }
}
