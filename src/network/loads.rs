//! Loads of links, for routes that are chosen when a message starts.
//!
//! A choice sees the network as it was before the instant at which the message starts: flows that end at this instant
//! still count and those that start do not, so the order in which ranks run within an instant has no effect. Loads are
//! queried between two solutions, when flows may have left already. So [`Loads`] wraps a sharing rule, computes the
//! loads of a flow's links before that flow leaves, and keeps every load until the next solution.
//!
//! Rejected: loads in the sharing rules themselves. Replays with static routes would pay for them at every solution.

use super::sharing::{Bound, FlowId, LinkState, Needed, PathId, Sharing};
use crate::ids::LinkId;
use crate::platform::SharingPolicy;
use crate::routing::FULL_LOAD;

/// Sharing rule that knows the loads of its links.
#[derive(Debug)]
pub struct Loads<S> {
    rule: S,
    /// Load of each link, in units of 1 / [`FULL_LOAD`], and the period for which it is known.
    loads: Vec<(u32, u32)>,
    /// Current period; loads of an earlier period are recomputed. 0 precedes all periods.
    period: u32,
    /// Links of all paths, and where those of each path begin.
    links: Vec<LinkId>,
    first: Vec<usize>,
    /// Path of each flow.
    path_of: Vec<PathId>,
    /// Links of flows that left since the last solution.
    left: Vec<LinkId>,
    /// `true` if the last solution may have changed rates without reporting them.
    moved: bool,
}

impl<S: Sharing> Loads<S> {
    fn path(&self, flow: FlowId) -> std::ops::Range<usize> {
        let path = self.path_of[flow.index()].0 as usize;
        self.first[path]..self.first[path + 1]
    }

    /// Computes the loads of a flow's links before the flow leaves them.
    fn keep(&mut self, flow: FlowId) {
        for at in self.path(flow) {
            let link = self.links[at];
            self.load_before(link);
            self.left.push(link);
        }
    }
}

impl<S: Sharing> Sharing for Loads<S> {
    const LITERAL: bool = S::LITERAL;
    const STEPWISE: bool = S::STEPWISE;
    const WATCHED: bool = S::WATCHED;

    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        let mut loads = Vec::new();
        let rule = S::new(links.into_iter().inspect(|_| loads.push((0, 0))));
        Self {
            rule,
            loads,
            period: 1,
            links: Vec::new(),
            first: vec![0],
            path_of: Vec::new(),
            left: Vec::new(),
            moved: false,
        }
    }

    fn permit(&mut self, bound: Bound) {
        self.rule.permit(bound);
    }

    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        let path = self.rule.add_path(elements);
        debug_assert_eq!(path.0 as usize + 1, self.first.len(), "paths are numbered in their order");
        self.links.extend(elements.iter().map(|element| element.0));
        self.first.push(self.links.len());
        path
    }

    fn announce(&mut self, path: PathId) {
        self.rule.announce(path);
    }

    #[inline]
    fn prefetch(&self, path: PathId, what: Needed) {
        self.rule.prefetch(path, what);
    }

    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        let flow = self.rule.start(path, penalty, bound);
        if flow.index() >= self.path_of.len() {
            self.path_of.resize(flow.index() + 1, path);
        }
        self.path_of[flow.index()] = path;
        flow
    }

    fn stop(&mut self, flow: FlowId) {
        self.keep(flow);
        self.rule.stop(flow);
    }

    fn stop_all(&mut self, flows: &[FlowId]) {
        flows.iter().for_each(|&flow| self.keep(flow));
        self.rule.stop_all(flows);
    }

    #[inline]
    fn is_stale(&self) -> bool {
        self.rule.is_stale()
    }

    fn solve(&mut self) {
        self.rule.solve();
        // Where flows follow clocks, their rates change without being named; a literal rule names none or not all.
        let moves = self.rule.runs_clocks() || S::LITERAL;
        if moves || self.moved {
            self.period += 1;
        } else {
            for at in 0..self.rule.changed().len() {
                let flow = self.rule.changed()[at];
                for at in self.path(flow) {
                    self.loads[self.links[at].index()].1 = 0;
                }
            }
            self.left.iter().for_each(|link| self.loads[link.index()].1 = 0);
        }
        self.left.clear();
        self.moved = moves;
    }

    #[inline]
    fn changed(&self) -> &[FlowId] {
        self.rule.changed()
    }

    #[inline]
    fn value(&self, flow: FlowId) -> f64 {
        self.rule.value(flow)
    }

    #[inline]
    fn runs_clocks(&self) -> bool {
        self.rule.runs_clocks()
    }

    #[inline]
    fn shifted(&self) -> &[u32] {
        self.rule.shifted()
    }

    #[inline]
    fn clock(&self, flow: FlowId) -> Option<u32> {
        self.rule.clock(flow)
    }

    fn level(&self, link: u32) -> f64 {
        self.rule.level(link)
    }

    fn load(&self, link: LinkId) -> f64 {
        self.rule.load(link)
    }

    #[inline]
    fn load_before(&mut self, link: LinkId) -> u32 {
        let (load, known) = self.loads[link.index()];
        if known == self.period {
            return load;
        }
        let load = (self.rule.load(link) * f64::from(FULL_LOAD)).round() as u32;
        self.loads[link.index()] = (load, self.period);
        load
    }

    fn link_changes(&mut self, tell: impl FnMut(LinkId, LinkState)) {
        self.rule.link_changes(tell);
    }
}

#[cfg(test)]
mod tests {
    use super::super::maxmin::MaxMin;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flows_that_left_count_until_the_next_solution_and_new_ones_from_then_on() {
        let mut loads = Loads::<MaxMin>::new([(4.0, SharingPolicy::Shared), (2.0, SharingPolicy::Shared)]);
        let [both, first] = [&[(LinkId(0), 1.0), (LinkId(1), 1.0)][..], &[(LinkId(0), 1.0)]];
        let [both, first] = [both, first].map(|elements| loads.add_path(elements));
        let part = |share: f64| (share * f64::from(FULL_LOAD)) as u32;
        let seen = |loads: &mut Loads<MaxMin>| [0, 1].map(|link| loads.load_before(LinkId(link)));
        let one = loads.start(both, 1.0, 1.0);
        assert_eq!(seen(&mut loads), [0, 0]);
        loads.solve();
        assert_eq!(seen(&mut loads), [part(0.25), part(0.5)]);
        // One leaves and another starts at the same instant.
        loads.stop(one);
        let two = loads.start(first, 1.0, 10.0);
        assert_eq!(seen(&mut loads), [part(0.25), part(0.5)]);
        loads.solve();
        assert_eq!(seen(&mut loads), [part(1.0), 0]);
        loads.stop_all(&[two]);
        loads.solve();
        assert_eq!(seen(&mut loads), [0, 0]);
    }

    proptest! {
        /// Compares with loads recomputed from all flows after every solution, for small sets and for large coupled
        /// ones.
        #[test]
        fn loads_are_those_of_all_flows(
            steps in prop::collection::vec((0usize..8, 0usize..8, 1u32..5, any::<bool>()), 1..150), many: bool
        ) {
            let links = 8;
            let mut loads = Loads::<MaxMin>::new((0..links).map(|link| (1.0 + link as f64, SharingPolicy::Shared)));
            let mut flows: Vec<(FlowId, [usize; 2])> = Vec::new();
            for (a, b, bound, starts) in steps {
                if starts || flows.is_empty() {
                    let (a, b) = (LinkId::new(a), LinkId::new(if a == b { (a + 1) % links } else { b }));
                    let path = loads.add_path(&[(a, 1.0), (b, 0.5)]);
                    for _ in 0..if many { 40 } else { 1 } {
                        flows.push((loads.start(path, 1.0, f64::from(bound)), [a.index(), b.index()]));
                    }
                } else {
                    let (flow, _) = flows.swap_remove(a * 8 % flows.len());
                    loads.stop(flow);
                }
                loads.solve();
                let mut used = vec![0.0; links];
                for (flow, [a, b]) in &flows {
                    used[*a] += loads.value(*flow);
                    used[*b] += 0.5 * loads.value(*flow);
                }
                for (link, used) in used.into_iter().enumerate() {
                    let expected = used / (1.0 + link as f64) * f64::from(FULL_LOAD);
                    let found = f64::from(loads.load_before(LinkId::new(link)));
                    prop_assert!((found - expected).abs() <= 0.6, "{} {}", found, expected);
                }
            }
        }
    }
}
