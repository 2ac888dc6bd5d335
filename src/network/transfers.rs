//! Transfers in time: a latency phase without bandwidth, then draining at the rate that sharing allocates.

use super::carrier::Transfers;
use super::clocks::Clocks;
use super::connections::Connections;
use super::model::NetworkModel;
use super::paths::{Paths, Route};
use super::sharing::{Bound, FlowId, LinkState, Needed, Sharing};
use super::simgrid::steps::{self, SteppedTransfer};
use crate::ids::{HostId, LinkId};
use crate::platform::units::Bandwidth;
use crate::platform::{Platform, RouteError};
use crate::prefetch::{is_far, prefetch};
use crate::queue::{ChangingQueue, OrderedQueue, earlier};
use crate::slots::store;
use rustc_hash::FxHashMap;

/// A remaining amount below this many bytes counts as nothing (rounding of `remaining - rate * time`).
const NOTHING_LEFT: f64 = 1e-14;

/// Events closer to each other than this many seconds happen together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Precision {
    /// Ends of transfers. SimGrid's full solver does not merge them, its incremental one does. With an incremental rule
    /// both values are the same, for there is one queue.
    pub transfers: f64,
    /// All other events.
    pub others: f64,
}

/// Control messages between the request of a sender and its data (rendezvous).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Handshake {
    /// One-way trips before the data leave: 1, only the clear-to-send of the receiver; 2, the request-to-send as well.
    pub trips: u8,
    /// When the send was posted, in seconds.
    pub requested: f64,
}

/// Number of ends of latency phases by which a transfer, its route, and its flow's data are prefetched.
const TRANSFER: usize = 20;
const ROUTE: usize = 16;
const FLOW: [(usize, Needed); 4] = [(12, Needed::Path), (9, Needed::Elements), (6, Needed::Links), (3, Needed::Ends)];

/// Tag of a completed transfer, as its starter assigned it.
pub type Finished = u32;

#[derive(Clone, Copy, Debug)]
struct Transfer {
    tag: u32,
    route: u32,
    /// The flow in the sharing system; none during the latency phase.
    flow: Option<FlowId>,
    /// Bytes left at `updated`.
    remaining: f64,
    /// Bytes per second since `updated`; while it follows the clock of a link, for each second of a level of 1.
    rate: f64,
    updated: f64,
    bandwidth_factor: f64,
    latency_factor: f64,
}

/// `true` if an event of that time belongs to the present instant.
#[inline]
fn is_now(time: f64, now: f64, precision: f64) -> bool {
    time <= now || time - now < precision
}

/// The transfers under way on a platform.
pub struct Network<'a, S> {
    platform: &'a Platform,
    model: &'a NetworkModel,
    sharing: S,
    paths: Paths,
    transfers: Vec<Transfer>,
    free: Vec<u32>,
    /// Transfer of each flow of the sharing system.
    transfer_of_flow: Vec<u32>,
    /// Ends of latency phases. They have a queue of their own because they are merged over a longer time than
    /// completions: one that waits its turn must not hold those up.
    entries: OrderedQueue,
    /// Completions: the next one of each clock, by its link, then those of other transfers, by their number.
    ends: ChangingQueue,
    /// Number of clocks, and so the first slot of `ends` that belongs to a transfer.
    first_slot: u32,
    /// The clocks of links that limit many transfers.
    clocks: Clocks,
    /// Transfers under way in the order of their start, if time passes in steps without stored event times.
    steps: Vec<SteppedTransfer>,
    /// The transfers that end at this instant.
    ended: Vec<u32>,
    /// Their flows, which leave the sharing system.
    leaving: Vec<FlowId>,
    /// The order of messages between two ranks, if the model has one.
    connections: Option<Box<Connections>>,
    /// `true` if the network is so large that a transfer's data are in no near cache.
    far: bool,
    // The last size looked up in the factor tables: most messages repeat a size.
    last_size: u64,
    last_factors: (f64, f64, f64),
}

impl Handshake {
    /// Returns the seconds from now, when the receive is posted as well, until the data may leave; a trip takes `trip`
    /// seconds. The request is on its way since the send was posted, so it takes time only if the receive was posted
    /// first.
    pub fn seconds(self, now: f64, trip: f64) -> f64 {
        match self.trips {
            0 => 0.0,
            1 => trip,
            _ => (self.requested + trip - now).max(0.0) + trip,
        }
    }
}

impl<'a, S: Sharing> Network<'a, S> {
    /// Creates a network without transfers.
    pub fn new(platform: &'a Platform, model: &'a NetworkModel) -> Self {
        Self {
            platform,
            model,
            sharing: S::new((0..).zip(&platform.links).map(|(number, link)| {
                let is_loopback = platform.loopback == Some(LinkId(number));
                (link.bandwidth * if is_loopback { 1.0 } else { model.payload_share() }, link.policy)
            })),
            paths: Paths::new(platform.hosts.len()),
            transfers: Vec::new(),
            free: Vec::new(),
            transfer_of_flow: Vec::new(),
            entries: OrderedQueue::new(),
            ends: ChangingQueue::new(),
            first_slot: if S::LITERAL { 0 } else { platform.links.len() as u32 },
            clocks: Clocks::default(),
            steps: Vec::new(),
            ended: Vec::new(),
            leaving: Vec::new(),
            connections: (model.in_order && !S::LITERAL).then(Box::default),
            far: is_far(platform.hosts.len()),
            last_size: u64::MAX,
            last_factors: (1.0, 1.0, 0.0),
        }
    }

    /// Permits allocations that are fair within a bound.
    pub fn within(mut self, bound: Bound) -> Self {
        self.sharing.permit(bound);
        self
    }

    /// Starts a message on a route. Its latency begins with `before` seconds of control messages, 0 if there are none.
    #[inline(always)] // Into its two callers, of which one is for all messages without control messages.
    fn depart(&mut self, now: f64, route: u32, stream: (u32, u32), bytes: u64, tag: u32, before: f64) -> f64 {
        let size = bytes + self.model.envelope;
        if size != self.last_size {
            self.last_size = size;
            let model = self.model;
            self.last_factors =
                (model.latency_factor.at(size), model.bandwidth_factor.at(size), model.message_latency.at(size));
        }
        let (latency_factor, bandwidth_factor, message_latency) = self.last_factors;
        self.paths.count(route, size);
        let transfer = Transfer {
            tag,
            route,
            flow: None,
            remaining: size as f64,
            rate: 0.0,
            updated: now,
            bandwidth_factor,
            latency_factor,
        };
        let id = store(&mut self.transfers, &mut self.free, transfer);
        self.sharing.announce(self.paths.route(route).path);
        if let Some(connections) = &mut self.connections {
            connections.start(id, stream, before > 0.0);
        }
        let route = self.paths.route(route);
        let delay = route.latency * latency_factor + route.message_latency * message_latency + before;
        if S::STEPWISE {
            self.steps.push(SteppedTransfer { transfer: id, latency: delay, remaining: size as f64, rate: 0.0 });
            if delay <= 0.0 {
                self.enter_sharing(id, now);
            }
            return delay;
        }
        if delay > 0.0 {
            // A literal rule has one queue for all events, since the order of insertion decides between equal ones.
            if S::LITERAL { self.ends.set(id, now + delay) } else { self.entries.set(id, now + delay) }
        } else {
            self.enter_sharing(id, now);
        }
        delay
    }

    /// Prefetches the data of transfers whose latency is over soon. Each stage needs the data prefetched by the one
    /// before.
    #[inline]
    fn prefetch_entries(&self) {
        let Some(id) = self.entries.upcoming(TRANSFER) else { return };
        prefetch(&self.transfers[id as usize]);
        let route = |ahead| Some(self.paths.route(self.transfers[self.entries.upcoming(ahead)? as usize].route));
        if let Some(route) = route(ROUTE) {
            prefetch(route);
        }
        for (ahead, what) in FLOW {
            if let Some(route) = route(ahead) {
                self.sharing.prefetch(route.path, what);
            }
        }
    }

    /// Ends the latency phase: the transfer competes for bandwidth, unless others are ahead of it on its connection.
    fn enter_sharing(&mut self, id: u32, now: f64) {
        if let Some(connections) = &mut self.connections
            && !connections.enters(id)
        {
            return;
        }
        let transfer = &mut self.transfers[id as usize];
        let route = self.paths.route(transfer.route);
        // A literal rule has no flow without links; under other rules such a flow takes no noticeable time at that
        // rate.
        if S::LITERAL && route.bound >= Bandwidth::LARGEST {
            self.ended.push(id);
            return;
        }
        // A flow without delay has penalty 1, whatever its route (a rule of the model, not a unit).
        let penalty = if route.latency * transfer.latency_factor > 0.0 { route.penalty } else { 1.0 };
        let bound = match &self.model.rate_bound {
            None => route.bound,
            // The share of the flow is multiplied by its factor afterwards. Within a host, no link is shared.
            Some(parts) => {
                let factor = transfer.bandwidth_factor;
                let part =
                    if route.message_latency > 0.0 { parts.at(transfer.remaining as u64).min(factor) } else { factor };
                (route.bound * (part / factor)).min(self.model.window_rate(route.latency))
            }
        };
        let flow = self.sharing.start(route.path, penalty, bound);
        transfer.flow = Some(flow);
        transfer.updated = now;
        if flow.index() >= self.transfer_of_flow.len() {
            self.transfer_of_flow.resize(flow.index() + 1, 0);
        }
        self.transfer_of_flow[flow.index()] = id;
    }

    /// Solves again, for all transfers.
    fn share_steps(&mut self) {
        self.sharing.solve();
        for step in &mut self.steps {
            let transfer = &self.transfers[step.transfer as usize];
            step.rate = transfer.flow.map_or(0.0, |flow| self.sharing.value(flow) * transfer.bandwidth_factor);
        }
    }

    /// Advances all transfers by a step.
    fn take_step(&mut self, now: f64, delay: f64, precision: f64) {
        // The list is taken out and put back so that its memory serves again.
        let mut steps = std::mem::take(&mut self.steps);
        steps.retain_mut(|step| {
            if step.pass(delay, precision) {
                self.enter_sharing(step.transfer, now);
                if self.transfers[step.transfer as usize].flow.is_none() {
                    return false;
                }
            }
            let ends = step.remaining <= 0.0 && self.transfers[step.transfer as usize].flow.is_some();
            if ends {
                self.ended.push(step.transfer);
            }
            !ends
        });
        self.steps = steps;
    }

    /// Solves again and moves the completion times of the transfers whose rate changed.
    #[inline(never)]
    fn share(&mut self, now: f64) {
        self.sharing.solve();
        if self.sharing.runs_clocks() || !self.clocks.are_unused() {
            return self.set_clocks(now);
        }
        for &flow in self.sharing.changed() {
            let id = self.transfer_of_flow[flow.index()];
            let transfer = &mut self.transfers[id as usize];
            transfer.remaining -= transfer.rate * (now - transfer.updated);
            if transfer.remaining < NOTHING_LEFT {
                transfer.remaining = 0.0;
            }
            transfer.updated = now;
            transfer.rate = self.sharing.value(flow) * transfer.bandwidth_factor;
            let left = if transfer.remaining > 0.0 { transfer.remaining / transfer.rate } else { 0.0 };
            self.ends.set(self.first_slot + id, now + left);
        }
    }

    /// Updates clocks where the levels of links move whole groups of transfers.
    fn set_clocks(&mut self, now: f64) {
        for &flow in self.sharing.changed() {
            let id = self.transfer_of_flow[flow.index()];
            let transfer = &mut self.transfers[id as usize];
            transfer.remaining = match self.clocks.leave(id, now) {
                Some(amount) => amount * transfer.rate,
                None => transfer.remaining - transfer.rate * (now - transfer.updated),
            };
            if transfer.remaining < NOTHING_LEFT {
                transfer.remaining = 0.0;
            }
            transfer.updated = now;
            transfer.rate = self.sharing.value(flow) * transfer.bandwidth_factor;
            let slot = self.first_slot + id;
            if let Some(link) = self.sharing.clock(flow) {
                let level = self.sharing.level(link);
                transfer.rate /= level;
                self.clocks.follow(id, link, level, transfer.remaining / transfer.rate, now);
                self.ends.remove(slot);
            } else {
                let left = if transfer.remaining > 0.0 { transfer.remaining / transfer.rate } else { 0.0 };
                self.ends.set(slot, now + left);
            }
        }
        for &link in self.sharing.shifted() {
            self.clocks.set_level(link, self.sharing.level(link), now);
        }
        self.clocks.tell_times(|clock, time| match time {
            Some(time) => self.ends.set(clock, time),
            None => self.ends.remove(clock),
        });
    }

    /// Completes a transfer that follows a clock.
    fn end_on_clock(&mut self, clock: u32, now: f64) {
        let (ended, next) = self.clocks.pop(clock, now);
        self.ended.extend(ended);
        if let Some(time) = next {
            self.ends.set(clock, time);
        }
    }

    #[inline(never)]
    fn let_happen(&mut self, now: f64, precision: Precision, finished: &mut Vec<Finished>) {
        while let Some((_, slot)) = self.ends.pop_if(|time| is_now(time, now, precision.transfers)) {
            if slot < self.first_slot {
                self.end_on_clock(slot, now);
                continue;
            }
            let id = slot - self.first_slot;
            match self.transfers[id as usize].flow {
                Some(_) => self.ended.push(id),
                None => self.enter_sharing(id, now),
            }
        }
        while let Some((_, id)) = self.entries.pop_if(|time| is_now(time, now, precision.others)) {
            if self.far {
                self.prefetch_entries();
            }
            self.enter_sharing(id, now);
        }
        // Flows leave after the others have entered: to an incremental rule this makes a difference.
        for i in 0..self.ended.len() {
            let id = self.ended[i];
            let transfer = &self.transfers[id as usize];
            self.leaving.extend(transfer.flow);
            finished.push(transfer.tag);
            self.free.push(id);
            if self.connections.is_some() {
                self.go_on_behind(id, now);
            }
        }
        self.ended.clear();
        match self.leaving[..] {
            [flow] => self.sharing.stop(flow),
            _ => self.sharing.stop_all(&self.leaving),
        }
        self.leaving.clear();
    }

    /// Returns the bytes of transfers under way that have not been carried yet, by route.
    fn left(&self, now: f64) -> FxHashMap<u32, f64> {
        let mut is_free = vec![false; self.transfers.len()];
        self.free.iter().for_each(|&id| is_free[id as usize] = true);
        let stepped: FxHashMap<u32, f64> = self.steps.iter().map(|step| (step.transfer, step.remaining)).collect();
        let mut left = FxHashMap::default();
        for (id, transfer) in (0..).zip(&self.transfers).filter(|(id, _)| !is_free[*id as usize]) {
            let bytes = match stepped.get(&id) {
                Some(&bytes) => bytes,
                None => self.clocks.left(id, now).map_or_else(
                    || transfer.remaining - transfer.rate * (now - transfer.updated),
                    |amount| amount * transfer.rate,
                ),
            };
            *left.entry(transfer.route).or_default() += bytes.max(0.0);
        }
        left
    }

    /// Lets the next transfer of its connection compete for bandwidth, after one has arrived.
    #[inline(never)]
    fn go_on_behind(&mut self, arrived: u32, now: f64) {
        if let Some(next) = self.connections.as_mut().and_then(|connections| connections.end(arrived)) {
            self.enter_sharing(next, now);
        }
    }
}

impl<S: Sharing> Transfers for Network<'_, S> {
    const LITERAL: bool = S::LITERAL;
    const WATCHED: bool = S::WATCHED;

    #[inline]
    fn prefetch_routes(&self, from: HostId) {
        self.paths.prefetch(from);
    }

    fn start(
        &mut self,
        now: f64,
        (from, to): (HostId, HostId),
        stream: (u32, u32),
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError> {
        let route = self.paths.find((from, to), stream, self.platform, self.model, &mut self.sharing)?;
        Ok(self.depart(now, route, stream, bytes, tag, 0.0))
    }

    #[cold]
    fn start_after(
        &mut self,
        handshake: Handshake,
        now: f64,
        (from, to): (HostId, HostId),
        stream: (u32, u32),
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError> {
        let route = self.paths.find((from, to), stream, self.platform, self.model, &mut self.sharing)?;
        let (model, route_of) = (self.model, self.paths.route(route));
        let constant = route_of.message_latency * model.message_latency.at(model.envelope);
        let trip = route_of.latency * model.latency_factor.at(model.envelope) + constant;
        Ok(self.depart(now, route, stream, bytes, tag, handshake.seconds(now, trip)))
    }

    #[inline(always)] // Two comparisons, where nothing has changed.
    fn next_delay(&mut self, now: f64, _quiet: Option<f64>) -> Option<f64> {
        if S::STEPWISE {
            if self.sharing.is_stale() {
                self.share_steps();
            }
            return steps::next_delay(&self.steps);
        }
        if self.sharing.is_stale() {
            self.share(now);
        }
        earlier(self.entries.next_time(), self.ends.next_time()).map(|time| time - now)
    }

    #[inline(always)] // Most calls end after two comparisons.
    fn advance(&mut self, now: f64, delay: f64, precision: Precision, finished: &mut Vec<Finished>) {
        if S::STEPWISE {
            self.take_step(now, delay, precision.others);
        }
        // Half of the instants are those of computations only.
        if S::STEPWISE
            || self.ends.next_time().is_some_and(|time| is_now(time, now, precision.transfers))
            || self.entries.next_time().is_some_and(|time| is_now(time, now, precision.others))
        {
            self.let_happen(now, precision, finished);
        }
    }

    fn link_changes(&mut self, now: f64, mut tell: impl FnMut(LinkId, LinkState, f64)) {
        self.sharing.link_changes(|link, state| tell(link, state, now));
    }

    fn is_idle(&self) -> bool {
        self.entries.is_empty() && self.ends.is_empty() && self.steps.is_empty() && !self.sharing.is_stale()
    }

    // Bytes have the envelope. A message that is divided over links counts on each, with its part of the bytes.
    fn traffic(&self, now: f64) -> Vec<(u64, u64)> {
        let mut traffic = vec![(0, 0); self.platform.links.len()];
        let left = self.left(now);
        for (number, (route, links, parts)) in (0..).zip(self.paths.iter()) {
            let carried = route.bytes.saturating_sub(left.get(&number).map_or(0, |bytes| bytes.round() as u64));
            for (at, LinkId(link)) in links.iter().enumerate() {
                let bytes = parts.map_or(carried, |parts| (carried as f64 * parts[at]).round() as u64);
                traffic[*link as usize].0 += route.messages;
                traffic[*link as usize].1 += bytes;
            }
        }
        traffic
    }

    fn links_crossed(&self) -> f64 {
        let of = |(route, links, parts): (&Route, &[LinkId], Option<&[f64]>)| {
            let counted = links.iter().enumerate().filter(|(_, link)| self.platform.loopback != Some(**link));
            let crossed: f64 = counted.map(|(at, _)| parts.map_or(1.0, |parts| parts[at])).sum();
            route.messages as f64 * crossed
        };
        self.paths.iter().map(of).sum()
    }
}
