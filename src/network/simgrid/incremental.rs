//! SimGrid's incremental sharing (`network/optim:Lazy`, its default), with its stale rates.
//!
//! Numbers published with SimGrid's default settings can only be reproduced with its rule for what is solved again: a
//! change marks the first link of a flow and, from there, everything coupled to it; but if that link is marked already,
//! the rest of the flow's path is not. Flows there keep rates that are too small, or together too large, until another
//! event touches them. Marked links are solved by `system.rs`.
//!
//! The rules were worked out by observing SimGrid 3.32; all reference replays of `tests/it/replay/golden_micro.rs`
//! follow them.

use super::system::System;
use crate::ids::LinkId;
use crate::network::sharing::{FlowId, PathId, Sharing};
use crate::platform::SharingPolicy;

/// Link whose flows are being visited: which of them, counted from the end, and which link of its path comes next.
#[derive(Clone, Copy, Debug)]
struct Visit {
    link: u32,
    member: u32,
    element: u32,
}

/// The system of links and flows under SimGrid's rule.
#[derive(Debug)]
pub struct Incremental {
    system: System,
    /// Links to solve, in the order in which they were marked.
    marked: Vec<u32>,
    /// Number of the next solution.
    solution: u64,
    /// Solution for which each link is marked.
    marked_for: Vec<u64>,
    /// Solution for which each flow was visited while links were marked.
    visited_for: Vec<u64>,
    visits: Vec<Visit>,
}

impl Incremental {
    /// Marks a link and what is coupled to it. If it is marked already, nothing is done, and rates become stale here.
    fn touch(&mut self, link: u32) {
        if !self.mark(link) {
            return;
        }
        // The walk goes into a link as soon as it finds it; an explicit stack serves any size of network.
        while let Some(visit) = self.visits.last_mut() {
            let Some(flow) = self.system.nth_youngest(visit.link, visit.member) else {
                self.visits.pop();
                continue;
            };
            let visited = &mut self.visited_for[flow.index()];
            let path = self.system.path(self.system.path_of(flow));
            let next = path.start + visit.element as usize;
            if *visited == self.solution || next == path.end {
                *visited = self.solution;
                visit.member += 1;
                visit.element = 0;
                continue;
            }
            visit.element += 1;
            let other = self.system.link(next);
            self.mark(other);
        }
    }

    /// Marks a link, and puts it on the stack, if it was not marked.
    fn mark(&mut self, link: u32) -> bool {
        let mark = &mut self.marked_for[link as usize];
        if *mark == self.solution {
            return false;
        }
        *mark = self.solution;
        self.marked.push(link);
        self.visits.push(Visit { link, member: 0, element: 0 });
        true
    }

    fn touch_first(&mut self, path: PathId) {
        if let Some(first) = self.system.path(path).next() {
            self.touch(self.system.link(first));
        }
    }
}

impl Sharing for Incremental {
    const LITERAL: bool = true;

    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        let system = System::new(links);
        Self {
            marked: Vec::new(),
            solution: 1,
            marked_for: vec![0; system.links()],
            visited_for: Vec::new(),
            visits: Vec::new(),
            system,
        }
    }

    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        self.system.add_path(elements)
    }

    fn announce(&mut self, path: PathId) {
        for element in self.system.path(path) {
            self.touch(self.system.link(element));
        }
    }

    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        let flow = self.system.enter(path, penalty, bound);
        if flow.index() >= self.visited_for.len() {
            self.visited_for.resize(flow.index() + 1, 0);
        }
        self.visited_for[flow.index()] = 0;
        self.touch_first(path);
        flow
    }

    fn stop(&mut self, flow: FlowId) {
        self.touch_first(self.system.path_of(flow));
        self.system.leave(flow);
    }

    fn is_stale(&self) -> bool {
        !self.marked.is_empty()
    }

    fn solve(&mut self) {
        self.system.share_out(self.marked.iter().copied());
        self.marked.clear();
        self.solution += 1;
    }

    fn changed(&self) -> &[FlowId] {
        self.system.changed()
    }

    fn value(&self, flow: FlowId) -> f64 {
        self.system.value(flow)
    }

    fn load(&self, link: LinkId) -> f64 {
        self.system.load(link)
    }
}
