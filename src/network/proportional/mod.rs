//! Weighted proportionally fair sharing with bounds, kept up to date while flows come and go.
//!
//! # Definition
//!
//! Of all rates that no link and no bound forbids, the allocation has the largest sum of `weight * ln(rate)`, where a
//! weight is 1 / penalty (Kelly, Maulloo and Tan, Rate control for communication networks, Journal of the Operational
//! Research Society 49, 1998). It exists and is unique. Flows of TCP come near to it: a long flow that meets `n` others one
//! after the other gets 1 / (1 + n) of the rate. On a single link the shares are those of max-min fairness.
//!
//! # Prices
//!
//! The allocation is found through its dual. Every link has a price, and a flow runs at its weight over the sum of the
//! prices on its path (each times the consumption there), or at its bound if that is less. Prices are right if no link is
//! over capacity and every link with a price above 0 is full; then the rates are the allocation (section 3 of the paper).
//!
//! Prices survive a change. [`solve`](Sharing::solve) sets the price of one link after the other such that the link is
//! full, or to 0 if it cannot be (`price.rs`): descent of the dual by coordinates (`descent.rs`). Each changes the loads of the other links
//! of its flows, which follow if they are no longer right. Where links share most of their flows, that would take hundreds
//! of rounds, so after some visits all prices are moved together by Newton's method (`newton.rs`).
//!
//! Loads of links are right within `TOLERANCE` of their capacity.

mod descent;
mod newton;
mod price;
#[cfg(test)]
mod tests;

use self::newton::Newton;
use self::price::Share;
use super::sharing::{Element, FlowId, LinkState, Member, PathId, Sharing};
use crate::ids::LinkId;
use crate::platform::SharingPolicy;
use crate::slots::store;
use std::collections::VecDeque;
use std::ops::Range;

/// Part of its capacity by which the load of a link may be wrong.
const TOLERANCE: f64 = 1e-10;

/// Visits of links, beyond one of each, after which prices move together.
const PATIENCE: usize = 4;

/// Moves of all prices after which the tolerance is ten times as large. Replays take fewer than ten; this
/// keeps rounding errors of networks whose speeds differ by many orders of magnitude from taking for ever.
const MOVES: usize = 100;

#[derive(Clone, Copy, Debug)]
struct PricedFlow {
    weight: f64,
    /// Largest rate, by its own bound and by each link alone; finite.
    bound: f64,
    /// Sum of the prices on its path, each times the consumption.
    charge: f64,
    value: f64,
    path: u32,
    /// Solution that listed it as changed.
    listed: u64,
}

impl PricedFlow {
    /// Returns its rate if its path costs `charge`.
    #[inline]
    fn rate(&self, charge: f64) -> f64 {
        if charge > 0.0 { (self.weight / charge).min(self.bound) } else { self.bound }
    }
}

#[derive(Debug)]
struct PricedLink {
    capacity: f64,
    price: f64,
    /// Sum of the consumptions, as of the last visit and the changes since then.
    load: f64,
    members: Vec<Member>,
    /// `true` if it waits for a visit.
    waits: bool,
    /// Solution that visited it.
    visited: u64,
}

impl PricedLink {
    /// Returns `true` if its price is that of its load.
    #[inline]
    fn is_right(&self, tolerance: f64) -> bool {
        let excess = (self.load - self.capacity) / self.capacity;
        excess <= tolerance && (self.price == 0.0 || excess >= -tolerance)
    }
}

/// System of links and flows.
#[derive(Debug)]
pub struct Proportional {
    links: Vec<PricedLink>,
    fat_pipes: Vec<bool>,
    paths: Vec<(u32, u32)>,
    elements: Vec<Element>,
    flows: Vec<PricedFlow>,
    free: Vec<u32>,
    /// Flows without a rate, since the last solution.
    added: Vec<u32>,
    stale: bool,
    /// Links that wait for a visit, in the order in which they began to.
    waiting: VecDeque<u32>,
    solution: u64,
    /// [`TOLERANCE`], or more in a solution that takes long.
    tolerance: f64,
    /// Links that this solution visited.
    visited: Vec<u32>,
    changed: Vec<FlowId>,
    shares: Vec<Share>,
    newton: Newton,
    /// Links whose state may have changed since it was last reported; and which links are in that list.
    dirty: Vec<u32>,
    is_dirty: Vec<bool>,
}

impl Sharing for Proportional {
    const LITERAL: bool = false;
    const WATCHED: bool = true;

    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        let mut fat_pipes = Vec::new();
        let link = |(capacity, policy)| {
            fat_pipes.push(policy == SharingPolicy::FatPipe);
            PricedLink { capacity, price: 0.0, load: 0.0, members: Vec::new(), waits: false, visited: 0 }
        };
        let links: Vec<PricedLink> = links.into_iter().map(link).collect();
        let is_dirty = vec![false; links.len()];
        Self {
            links,
            fat_pipes,
            paths: Vec::new(),
            elements: Vec::new(),
            flows: Vec::new(),
            free: Vec::new(),
            added: Vec::new(),
            stale: false,
            waiting: VecDeque::new(),
            solution: 0,
            tolerance: TOLERANCE,
            visited: Vec::new(),
            changed: Vec::new(),
            shares: Vec::new(),
            newton: Newton::default(),
            dirty: Vec::new(),
            is_dirty,
        }
    }

    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        let start = self.elements.len() as u32;
        self.elements.extend(elements.iter().map(|e| Element { link: e.0.0, consumption: e.1 }));
        self.paths.push((start, self.elements.len() as u32));
        PathId(self.paths.len() as u32 - 1)
    }

    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        let elements = self.path(path.0);
        let alone = |e: &Element| self.links[e.link as usize].capacity / e.consumption;
        let bound = self.elements[elements.clone()].iter().map(alone).fold(bound, f64::min);
        let flow = PricedFlow { weight: 1.0 / penalty, bound, charge: 0.0, value: 0.0, path: path.0, listed: 0 };
        let id = store(&mut self.flows, &mut self.free, flow);
        for &Element { link, consumption } in &self.elements[elements] {
            if !self.fat_pipes[link as usize] {
                self.links[link as usize].members.push(Member { flow: id, consumption });
            }
        }
        self.added.push(id);
        self.stale = true;
        FlowId(id)
    }

    fn stop(&mut self, flow: FlowId) {
        let PricedFlow { path, value, .. } = self.flows[flow.index()];
        if value == 0.0 {
            self.added.retain(|&added| added != flow.0);
        }
        for at in self.path(path) {
            let Element { link: number, consumption } = self.elements[at];
            let link = &mut self.links[number as usize];
            if let Some(place) = link.members.iter().position(|m| m.flow == flow.0) {
                link.members.swap_remove(place);
                link.load = if link.members.is_empty() { 0.0 } else { link.load - consumption * value };
                self.look_at(number);
            }
        }
        self.flows[flow.index()].value = 0.0;
        self.free.push(flow.0);
        self.stale = true;
    }

    fn is_stale(&self) -> bool {
        self.stale
    }

    fn solve(&mut self) {
        self.solution += 1;
        self.changed.clear();
        for at in 0..self.added.len() {
            let id = self.added[at];
            let path = self.path(self.flows[id as usize].path);
            let charge = |e: &Element| e.consumption * self.links[e.link as usize].price;
            let charge = self.elements[path].iter().map(charge).sum();
            self.change_rate(id, charge);
        }
        self.added.clear();
        self.find_prices();
        self.stale = false;
    }

    fn changed(&self) -> &[FlowId] {
        &self.changed
    }

    fn value(&self, flow: FlowId) -> f64 {
        self.flows[flow.index()].value
    }

    fn load(&self, link: LinkId) -> f64 {
        if self.fat_pipes[link.index()] { 0.0 } else { self.exact_load(link.0) / self.links[link.index()].capacity }
    }

    fn link_changes(&mut self, mut tell: impl FnMut(LinkId, LinkState)) {
        for at in 0..self.dirty.len() {
            let number = self.dirty[at];
            self.is_dirty[number as usize] = false;
            let PricedLink { capacity, load, price, .. } = self.links[number as usize];
            let full = load >= capacity * (1.0 - FULL);
            tell(LinkId(number), LinkState { full, limiting: full && price > 0.0 });
        }
        self.dirty.clear();
    }
}

/// Relative slack within which a link counts as full in reports.
const FULL: f64 = 1e-9;

impl Proportional {
    /// Returns the links of a path, as a range of the elements of all paths.
    #[inline]
    fn path(&self, path: u32) -> Range<usize> {
        let (start, end) = self.paths[path as usize];
        start as usize..end as usize
    }

    /// Returns the load of a link, without the rounding errors of many changes.
    fn exact_load(&self, link: u32) -> f64 {
        self.links[link as usize].members.iter().map(|m| m.consumption * self.flows[m.flow as usize].value).sum()
    }

    /// Notes that the load of a link has changed.
    #[inline]
    fn look_at(&mut self, number: u32) {
        let link = &mut self.links[number as usize];
        if !link.waits && !link.is_right(self.tolerance) {
            link.waits = true;
            self.waiting.push_back(number);
        }
        if !std::mem::replace(&mut self.is_dirty[number as usize], true) {
            self.dirty.push(number);
        }
    }

    /// Sets the charge of a flow, and with it its rate and the loads of its links.
    fn change_rate(&mut self, id: u32, charge: f64) {
        let flow = &mut self.flows[id as usize];
        let value = flow.rate(charge);
        flow.charge = charge;
        let growth = value - flow.value;
        if growth == 0.0 {
            return;
        }
        flow.value = value;
        let path = flow.path;
        if flow.listed != self.solution {
            flow.listed = self.solution;
            self.changed.push(FlowId(id));
        }
        for at in self.path(path) {
            let Element { link, consumption } = self.elements[at];
            if !self.fat_pipes[link as usize] {
                self.links[link as usize].load += consumption * growth;
                self.look_at(link);
            }
        }
    }
}
