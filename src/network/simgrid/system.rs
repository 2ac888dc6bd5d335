//! Progressive filling with SimGrid's operations in SimGrid's order: what its two rules share.
//!
//! Events at equal times are ordered by last bits, and on some networks a last bit grows into a part per thousand of
//! the result (docs/architecture.md). So it is not enough to compute the same rates: additions must come in the same
//! order, and be rounded by the same precisions. The links to solve again are chosen by the rules: [`Incremental`] and
//! [`Full`].
//!
//! Worked out by observing SimGrid 3.32; all reference replays of `tests/it/replay/golden_micro.rs` follow it.
//!
//! [`Incremental`]: super::incremental::Incremental
//! [`Full`]: super::full::Full

use crate::ids::LinkId;
use crate::network::sharing::{Element, FlowId, PathId};
use crate::platform::SharingPolicy;
use crate::slots::store;

/// Amounts below this count as nothing: usages as they are, capacities relative to their link (`maxmin/precision`).
pub(super) const PRECISION: f64 = 1e-5;

#[derive(Clone, Copy, Debug)]
struct SimgridFlow {
    penalty: f64,
    bound: f64,
    value: f64,
    path: u32,
    /// The solution that has fixed its value.
    fixed: u64,
    /// The round of filling that has listed it.
    listed: u64,
}

/// A link that is not full yet.
#[derive(Clone, Copy, Debug)]
struct Light {
    link: u32,
    remaining: f64,
    usage: f64,
    ratio: f64,
}

#[derive(Clone, Debug)]
struct SimgridLink {
    capacity: f64,
    fat_pipe: bool,
    /// The flows with their consumptions, the most recently enabled last.
    members: Vec<(u32, f64)>,
    /// Its place among the light links, while it is one.
    light: Option<u32>,
}

/// Links, paths and flows.
#[derive(Debug)]
pub(super) struct System {
    links: Vec<SimgridLink>,
    paths: Vec<(u32, u32)>,
    elements: Vec<Element>,
    flows: Vec<SimgridFlow>,
    free: Vec<u32>,
    solution: u64,
    round: u64,
    // Working memory.
    light: Vec<Light>,
    saturated: Vec<u32>,
    changed: Vec<FlowId>,
}

impl System {
    /// A system without flows.
    pub fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        let link = |(capacity, policy)| SimgridLink {
            capacity,
            fat_pipe: policy == SharingPolicy::FatPipe,
            members: Vec::new(),
            light: None,
        };
        Self {
            links: links.into_iter().map(link).collect(),
            paths: Vec::new(),
            elements: Vec::new(),
            flows: Vec::new(),
            free: Vec::new(),
            solution: 1,
            round: 1,
            light: Vec::new(),
            saturated: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Returns the number of links.
    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// Registers a path.
    pub fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        let start = self.elements.len() as u32;
        self.elements.extend(elements.iter().map(|e| Element { link: e.0.0, consumption: e.1 }));
        self.paths.push((start, self.elements.len() as u32));
        PathId(self.paths.len() as u32 - 1)
    }

    /// Returns the elements of a path, for [`link`](Self::link).
    #[inline]
    pub fn path(&self, path: PathId) -> std::ops::Range<usize> {
        let (start, end) = self.paths[path.0 as usize];
        start as usize..end as usize
    }

    /// Returns the link of an element.
    #[inline]
    pub fn link(&self, element: usize) -> u32 {
        self.elements[element].link
    }

    /// Returns the rate that is allocated on a link over its capacity; 0 for a fat pipe.
    pub fn load(&self, link: LinkId) -> f64 {
        let SimgridLink { capacity, fat_pipe, members, .. } = &self.links[link.index()];
        let used = || members.iter().map(|&(flow, consumption)| consumption * self.flows[flow as usize].value);
        if *fat_pipe { 0.0 } else { used().sum::<f64>() / capacity }
    }

    /// Returns the path of a flow.
    #[inline]
    pub fn path_of(&self, flow: FlowId) -> PathId {
        PathId(self.flows[flow.index()].path)
    }

    /// Returns a flow of a link by its age, the youngest first.
    #[inline]
    pub fn nth_youngest(&self, link: u32, n: u32) -> Option<FlowId> {
        let members = &self.links[link as usize].members;
        let at = members.len().checked_sub(1 + n as usize)?;
        members.get(at).map(|m| FlowId(m.0))
    }

    /// Adds a flow to its links.
    pub fn enter(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        let flow = SimgridFlow { penalty, bound, value: 0.0, path: path.0, fixed: 0, listed: 0 };
        let id = store(&mut self.flows, &mut self.free, flow);
        for e in self.path(path) {
            let Element { link, consumption } = self.elements[e];
            self.links[link as usize].members.push((id, consumption));
        }
        FlowId(id)
    }

    /// Removes a flow from its links.
    pub fn leave(&mut self, flow: FlowId) {
        for e in self.path(self.path_of(flow)) {
            let members = &mut self.links[self.elements[e].link as usize].members;
            if let Some(at) = members.iter().position(|m| m.0 == flow.0) {
                members.remove(at);
            }
        }
        self.free.push(flow.0);
    }

    /// Returns the flows of the links that were solved last, links in their order, the youngest flow of a link first.
    pub fn changed(&self) -> &[FlowId] {
        &self.changed
    }

    /// Returns the rate of a flow.
    #[inline]
    pub fn value(&self, flow: FlowId) -> f64 {
        self.flows[flow.index()].value
    }

    /// Solves these links, in this order.
    pub fn share_out(&mut self, links: impl Iterator<Item = u32> + Clone) {
        self.round += 1;
        self.open_links(links);
        while !self.light.is_empty() {
            let lowest = self.list_saturated();
            let levels = self.saturated.iter().map(|&flow| &self.flows[flow as usize]).map(|f| f.bound * f.penalty);
            let bound = levels.filter(|level| *level < lowest).fold(f64::INFINITY, f64::min);
            for i in 0..self.saturated.len() {
                let flow = self.saturated[i];
                let state = &mut self.flows[flow as usize];
                if bound.is_infinite() {
                    state.value = lowest / state.penalty;
                } else if (bound - state.bound * state.penalty).abs() < PRECISION {
                    state.value = state.bound;
                } else {
                    continue;
                }
                state.fixed = self.solution;
                self.take_off(flow);
            }
            if self.saturated.is_empty() {
                // Rounding has left some usage on links whose flows are all fixed.
                for light in self.light.drain(..) {
                    self.links[light.link as usize].light = None;
                }
            }
        }
        self.solution += 1;
    }

    /// Makes these links light, with their flows' demands; all their flows are open again.
    fn open_links(&mut self, links: impl Iterator<Item = u32> + Clone) {
        self.changed.clear();
        self.light.clear();
        for link in links.clone() {
            for &(flow, _) in self.links[link as usize].members.iter().rev() {
                let state = &mut self.flows[flow as usize];
                if state.listed != self.round {
                    state.listed = self.round;
                    state.value = 0.0;
                    self.changed.push(FlowId(flow));
                }
            }
        }
        for number in links {
            let link = &mut self.links[number as usize];
            let shares = link.members.iter().rev().map(|&(flow, a)| a / self.flows[flow as usize].penalty);
            let usage: f64 = if link.fat_pipe { shares.fold(0.0, f64::max) } else { shares.sum() };
            if usage > 0.0 {
                link.light = Some(self.light.len() as u32);
                let remaining = link.capacity;
                self.light.push(Light { link: number, remaining, usage, ratio: remaining / usage });
            }
        }
    }

    /// Returns the lowest ratio of the light links, and puts the flows that it stops into `self.saturated`, in
    /// SimGrid's order.
    fn list_saturated(&mut self) -> f64 {
        let lowest = self.light.iter().map(|light| light.ratio).fold(f64::INFINITY, f64::min);
        self.round += 1;
        self.saturated.clear();
        for light in self.light.iter().filter(|light| light.ratio == lowest) {
            // Unlike everywhere else, the oldest flow comes first.
            for &(flow, _) in &self.links[light.link as usize].members {
                let state = &mut self.flows[flow as usize];
                if state.fixed != self.solution && state.listed != self.round {
                    state.listed = self.round;
                    self.saturated.push(flow);
                }
            }
        }
        lowest
    }

    /// Takes a flow whose value is fixed off its links.
    fn take_off(&mut self, flow: u32) {
        let SimgridFlow { value, penalty, path, .. } = self.flows[flow as usize];
        for e in self.path(PathId(path)) {
            let Element { link: number, consumption } = self.elements[e];
            let link = &self.links[number as usize];
            let Some(at) = link.light else { continue };
            let light = &mut self.light[at as usize];
            if link.fat_pipe {
                let open = link.members.iter().map(|&(f, a)| (&self.flows[f as usize], a)).filter(|m| m.0.value <= 0.0);
                light.usage = open.map(|(flow, a)| a / flow.penalty).fold(0.0, f64::max);
            } else {
                light.remaining -= consumption * value;
                if light.remaining < link.capacity * PRECISION {
                    light.remaining = 0.0;
                }
                light.usage -= consumption / penalty;
                if light.usage < PRECISION {
                    light.usage = 0.0;
                }
            }
            if light.usage <= PRECISION || light.remaining <= link.capacity * PRECISION {
                self.close(at);
            } else {
                light.ratio = light.remaining / light.usage;
            }
        }
    }

    /// Removes a link from the light ones; the last of them takes its place.
    fn close(&mut self, at: u32) {
        let closed = self.light.swap_remove(at as usize);
        self.links[closed.link as usize].light = None;
        if let Some(moved) = self.light.get(at as usize) {
            self.links[moved.link as usize].light = Some(at);
        }
    }
}
