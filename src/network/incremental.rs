//! SimGrid's incremental sharing (`network/optim:Lazy`, its default), with its stale rates.
//!
//! Numbers that were published with SimGrid's default settings can only be met with its rule for what is solved again:
//! a change marks the first link of a flow and, from there, whatever hangs together; but if that link is marked already,
//! the rest of the flow's path is not. Flows there keep rates that are too small, or too large together, until another
//! event touches them. The allocation among the marked links is progressive filling with SimGrid's absolute precisions,
//! and with its order of additions, because equal dates are told apart by their last bits.
//!
//! The rules were worked out by observing SimGrid 3.32; all reference replays of `tests/golden_micro.rs` follow them.

use super::sharing::{Element, FlowId, PathId, Sharing};
use crate::ids::LinkId;
use crate::platform::SharingPolicy;

/// Amounts below this count as nothing: usages as they are, capacities relative to their link (`maxmin/precision`).
const PRECISION: f64 = 1e-5;

#[derive(Clone, Copy, Debug)]
struct Flow {
    penalty: f64,
    bound: f64,
    value: f64,
    path: u32,
    /// The solution for which the flow was visited while links were marked.
    visited: u64,
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
struct Link {
    capacity: f64,
    fat_pipe: bool,
    /// The flows with their consumptions, the most recently enabled last.
    members: Vec<(u32, f64)>,
    /// The solution for which the link is marked.
    marked: u64,
    /// Its place among the light links, while it is one.
    light: Option<u32>,
}

/// A link whose flows are being visited: which of them, counted from the end, and which link of its path comes next.
#[derive(Clone, Copy, Debug)]
struct Visit {
    link: u32,
    member: u32,
    element: u32,
}

/// The system of links and flows under SimGrid's rule.
#[derive(Debug)]
pub struct Incremental {
    links: Vec<Link>,
    paths: Vec<(u32, u32)>,
    elements: Vec<Element>,
    flows: Vec<Flow>,
    free: Vec<u32>,
    /// The links to solve, in the order in which they were marked.
    marked: Vec<u32>,
    solution: u64,
    round: u64,
    // Working memory.
    light: Vec<Light>,
    saturated: Vec<u32>,
    visits: Vec<Visit>,
    changed: Vec<FlowId>,
}

impl Incremental {
    fn path(&self, path: u32) -> std::ops::Range<usize> {
        let (start, end) = self.paths[path as usize];
        start as usize..end as usize
    }

    /// Marks a link and what hangs together with it, unless it is marked: then nothing is done, and here rates get stale.
    fn touch(&mut self, link: u32) {
        if !self.mark(link) {
            return;
        }
        // The walk goes into a link as soon as it finds it; an explicit stack serves any size of network.
        while let Some(visit) = self.visits.last_mut() {
            let members = &self.links[visit.link as usize].members;
            let Some(&(flow, _)) = members.len().checked_sub(1 + visit.member as usize).and_then(|m| members.get(m))
            else {
                self.visits.pop();
                continue;
            };
            let state = &mut self.flows[flow as usize];
            let (start, end) = self.paths[state.path as usize];
            let next = start + visit.element;
            if state.visited == self.solution || next == end {
                state.visited = self.solution;
                visit.member += 1;
                visit.element = 0;
                continue;
            }
            visit.element += 1;
            let other = self.elements[next as usize].link;
            self.mark(other);
        }
    }

    /// Marks a link, and puts it on the stack, if it was not marked.
    fn mark(&mut self, link: u32) -> bool {
        let state = &mut self.links[link as usize];
        if state.marked == self.solution {
            return false;
        }
        state.marked = self.solution;
        self.marked.push(link);
        self.visits.push(Visit { link, member: 0, element: 0 });
        true
    }

    fn touch_first(&mut self, path: u32) {
        let range = self.path(path);
        if let Some(first) = self.elements[range].first() {
            self.touch(first.link);
        }
    }

    /// The marked links with their flows' demands; all their flows are open again.
    fn open_links(&mut self) {
        self.changed.clear();
        self.light.clear();
        for &link in &self.marked {
            for &(flow, _) in self.links[link as usize].members.iter().rev() {
                let state = &mut self.flows[flow as usize];
                if state.listed != self.round {
                    state.listed = self.round;
                    state.value = 0.0;
                    self.changed.push(FlowId(flow));
                }
            }
        }
        for &number in &self.marked {
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

    /// The lowest ratio of the light links, and in `self.saturated` the flows that it stops, in SimGrid's order.
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
        let Flow { value, penalty, path, .. } = self.flows[flow as usize];
        for e in self.path(path) {
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

    /// Takes a link out of the light ones; the last of them takes its place.
    fn close(&mut self, at: u32) {
        let closed = self.light.swap_remove(at as usize);
        self.links[closed.link as usize].light = None;
        if let Some(moved) = self.light.get(at as usize) {
            self.links[moved.link as usize].light = Some(at);
        }
    }
}

impl Sharing for Incremental {
    const LITERAL: bool = true;

    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        let link = |(capacity, policy)| Link {
            capacity,
            fat_pipe: policy == SharingPolicy::FatPipe,
            members: Vec::new(),
            marked: 0,
            light: None,
        };
        Self {
            links: links.into_iter().map(link).collect(),
            paths: Vec::new(),
            elements: Vec::new(),
            flows: Vec::new(),
            free: Vec::new(),
            marked: Vec::new(),
            solution: 1,
            round: 1,
            light: Vec::new(),
            saturated: Vec::new(),
            visits: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        let start = self.elements.len() as u32;
        self.elements.extend(elements.iter().map(|e| Element { link: e.0.0, consumption: e.1 }));
        self.paths.push((start, self.elements.len() as u32));
        PathId(self.paths.len() as u32 - 1)
    }

    fn announce(&mut self, path: PathId) {
        for e in self.path(path.0) {
            self.touch(self.elements[e].link);
        }
    }

    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        let flow = Flow { penalty, bound, value: 0.0, path: path.0, visited: 0, fixed: 0, listed: 0 };
        let id = match self.free.pop() {
            Some(id) => {
                self.flows[id as usize] = flow;
                id
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        };
        for e in self.path(path.0) {
            let Element { link, consumption } = self.elements[e];
            self.links[link as usize].members.push((id, consumption));
        }
        self.touch_first(path.0);
        FlowId(id)
    }

    fn stop(&mut self, flow: FlowId) {
        let path = self.flows[flow.index()].path;
        self.touch_first(path);
        for e in self.path(path) {
            let members = &mut self.links[self.elements[e].link as usize].members;
            if let Some(at) = members.iter().position(|m| m.0 == flow.0) {
                members.remove(at);
            }
        }
        self.free.push(flow.0);
    }

    fn is_stale(&self) -> bool {
        !self.marked.is_empty()
    }

    fn solve(&mut self) {
        self.round += 1;
        self.open_links();
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
        self.marked.clear();
        self.solution += 1;
    }

    fn changed(&self) -> &[FlowId] {
        &self.changed
    }

    fn value(&self, flow: FlowId) -> f64 {
        self.flows[flow.index()].value
    }
}
