//! The seam to the engine: seconds outside, picoseconds inside.

use super::fabric::{Fabric, Rail};
use super::queue::{FabricEvent, LATEST};
use super::state::{Arrival, FabricState, NONE};
use super::time::{PS, whole};
use crate::ids::{HostId, LinkId};
use crate::network::sharing::LinkState;
use crate::network::{BlockedJob, Carrier, Handshake, HeadOfLine, Medium, PacketCounts, Precision};
use crate::platform::{Platform, RouteError};
use crate::slots;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Constants of messages between two hosts.
#[derive(Clone, Copy, Debug)]
struct HostPair {
    /// Picoseconds of the latencies of the platform's route.
    latency: u64,
    /// Picoseconds of a byte on the loopback, for messages that take no network.
    loopback: Option<f64>,
}

/// Message of a host with several ports.
#[derive(Clone, Copy, Debug)]
struct Divided {
    tag: u32,
    /// Number of its parts, and of those that have not arrived.
    parts: u32,
    open: u32,
}

/// Carrier of a replay as packets.
pub(super) struct Carry<'a> {
    /// State of each plane.
    states: Vec<FabricState<'a>>,
    platform: &'a Platform,
    rails: &'a [Rail],
    /// Constants by source, destination, and rail; [`NONE`] where hosts have one port.
    pairs: FxHashMap<(u32, u32, u32), HostPair>,
    /// Messages of each pair of hosts so far, where hosts have several ports.
    sequences: FxHashMap<(u32, u32), u64>,
    /// Messages under way, where hosts have several ports. In the planes, places in this list are their tags.
    divided: Vec<Divided>,
    free: Vec<u32>,
    chosen: Vec<u32>,
    /// Links that messages have crossed; of a part, its share.
    crossed: f64,
    /// Messages and bytes on the loopback.
    local: (u64, u64),
    /// First rank of each job, where there are several.
    first_ranks: Vec<u32>,
}

/// Part of a message that one plane carries, or all of it.
struct MessagePart {
    /// Number of the plane, and of the two ports there.
    plane: usize,
    ports: (u32, u32),
    bytes: u64,
    tag: u32,
    job: u32,
}

/// Tolerance for times of the engine. They are sums of differences: they are off a whole number of picoseconds by this
/// much, which grows with the time.
fn slack(now: f64) -> u64 {
    1 + (now * PS * f64::EPSILON * 4.0) as u64
}

impl<'a> Carry<'a> {
    pub(super) fn new(fabric: &'a Fabric, platform: &'a Platform, watched: bool) -> Self {
        Self {
            states: fabric.planes.iter().map(|plane| FabricState::new(plane, platform, watched)).collect(),
            platform,
            rails: &fabric.rails,
            pairs: FxHashMap::default(),
            sequences: FxHashMap::default(),
            divided: Vec::new(),
            free: Vec::new(),
            chosen: Vec::new(),
            crossed: 0.0,
            local: (0, 0),
            first_ranks: Vec::new(),
        }
    }

    fn pair(&mut self, from: HostId, to: HostId, rail: u32) -> Result<HostPair, RouteError> {
        if let Some(pair) = self.pairs.get(&(from.0, to.0, rail)) {
            return Ok(*pair);
        }
        let platform = self.platform;
        let mut links = Vec::new();
        if rail == NONE || !platform.routes.route_on(rail, from, to, &mut links) {
            platform.route(from, to, &mut links)?;
        }
        let latency: f64 = links.iter().map(|link| platform.links[link.index()].latency).sum();
        let only_loopback = matches!(links[..], [link] if platform.loopback == Some(link));
        let loopback = only_loopback.then(|| PS / platform.links[links[0].index()].bandwidth);
        let pair = HostPair { latency: whole(latency * PS), loopback };
        self.pairs.insert((from.0, to.0, rail), pair);
        Ok(pair)
    }

    fn job_of(&self, rank: u32) -> u32 {
        (self.first_ranks.partition_point(|&first| first <= rank) as u32).saturating_sub(1)
    }

    /// Starts a message, or a part of one, in its plane. Returns the seconds of its latency.
    fn begin(&mut self, now: f64, pair: HostPair, handshake: Option<Handshake>, part: &MessagePart) -> f64 {
        let MessagePart { plane, ports: (from, to), bytes, tag, job } = *part;
        let state = &mut self.states[plane];
        // Not before the last event.
        let t = whole(now * PS).max(state.queue.now());
        let message = state.enter(tag, (from, to), job, bytes);
        let latency = pair.latency as f64 / PS;
        if let Some(byte) = pair.loopback {
            self.local.0 += 1;
            self.local.1 += bytes;
            state.queue.add(t + pair.latency + whole(bytes as f64 * byte), FabricEvent::Arrived { message });
            return latency;
        }
        let Some(handshake) = handshake.filter(|handshake| handshake.trips > 0) else {
            state.queue.add(t, FabricEvent::Begin { message });
            return latency;
        };
        // The clear-to-send is a packet. The request has left when the send was posted, which may be in the past, so it takes
        // the time of an empty network.
        let clear_to_send = state.enter(NONE, (to, from), job, 0);
        state.messages[clear_to_send as usize].then = message;
        let before = handshake.seconds(now, latency);
        let leaves = t + whole((before - latency).max(0.0) * PS);
        state.queue.add(leaves, FabricEvent::Begin { message: clear_to_send });
        latency + before
    }

    /// Starts a message between hosts with several ports. One that is divided consists of whole packets on each rail, so a
    /// small one takes fewer rails: the next ones in turn.
    fn begin_on_rails(
        &mut self,
        now: f64,
        (from, to): (HostId, HostId),
        handshake: Option<Handshake>,
        whole_message: &MessagePart,
    ) -> Result<f64, RouteError> {
        let sequence = self.sequences.entry((from.0, to.0)).or_default();
        let number = *sequence;
        *sequence += 1;
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.clear();
        self.platform.routes.rails(from, to, number, &mut chosen);
        if chosen.is_empty() {
            // On one host.
            chosen.push(NONE);
        }
        let payload = u64::from(self.states[0].plane.level.mtu);
        let packets = whole_message.bytes.div_ceil(payload).max(1);
        let count = packets.min(chosen.len() as u64);
        let first = u64::from(from.0).wrapping_add(u64::from(to.0)).wrapping_add(number);
        let divided = Divided { tag: whole_message.tag, parts: count as u32, open: count as u32 };
        let tag = slots::store(&mut self.divided, &mut self.free, divided);
        let (mut left, mut latency) = (whole_message.bytes, 0.0_f64);
        for part in 0..count {
            let rail = chosen[(first.wrapping_add(part) % chosen.len() as u64) as usize];
            let own = packets / count + u64::from(part < packets % count);
            let bytes = left.min(own * payload);
            left -= bytes;
            let (plane, ports) = match self.rails.get(rail as usize) {
                Some(rail) => (rail.plane, (rail.numbers[from.index()], rail.numbers[to.index()])),
                None => (0, (0, 0)),
            };
            let pair = self.pair(from, to, rail)?;
            let part = MessagePart { plane, ports, bytes, tag, job: whole_message.job };
            latency = latency.max(self.begin(now, pair, handshake, &part));
        }
        self.chosen = chosen;
        Ok(latency)
    }

    /// Hands on an arrival: its tag goes to `finished` if nothing of its message is missing.
    fn arrived(&mut self, arrival: Arrival, finished: &mut Vec<u32>) {
        if self.rails.is_empty() {
            self.crossed += f64::from(arrival.links);
            finished.push(arrival.tag);
            return;
        }
        let message = &mut self.divided[arrival.tag as usize];
        self.crossed += f64::from(arrival.links) / f64::from(message.parts);
        message.open -= 1;
        if message.open == 0 {
            finished.push(message.tag);
            self.free.push(arrival.tag);
        }
    }
}

/// As [`FabricState::next_arrival`], of several planes. They advance together, since an arrival in one may start a message
/// in another.
fn next_of(states: &mut [FabricState<'_>], until: u64) -> Option<u64> {
    loop {
        if let Some(state) = states.iter().find(|state| !state.finished.is_empty()) {
            return Some(state.finished_at);
        }
        let next = states.iter_mut().filter_map(|state| state.queue.next_time()).min()?;
        if next >= LATEST {
            return Some(next);
        }
        if next > until {
            return None;
        }
        for state in &mut *states {
            if state.queue.next_time() == Some(next) {
                state.instant_among_planes(next);
            }
        }
    }
}

impl Carrier for Carry<'_> {
    fn know_jobs(&mut self, first_ranks: &[u32]) {
        self.first_ranks = first_ranks.to_vec();
    }

    fn start(
        &mut self,
        now: f64,
        (from, to): (HostId, HostId),
        (sender, _): (u32, u32),
        handshake: Option<Handshake>,
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError> {
        let message = MessagePart { plane: 0, ports: (from.0, to.0), bytes, tag, job: self.job_of(sender) };
        if !self.rails.is_empty() {
            return self.begin_on_rails(now, (from, to), handshake, &message);
        }
        let pair = self.pair(from, to, NONE)?;
        Ok(self.begin(now, pair, handshake, &message))
    }

    fn next_delay(&mut self, now: f64, quiet: Option<f64>) -> Option<f64> {
        let until = quiet.map_or(u64::MAX, |seconds| whole((now + seconds) * PS));
        let arrival = match &mut self.states[..] {
            [state] => state.next_arrival(until),
            states => next_of(states, until),
        }?;
        Some(if arrival >= LATEST { f64::INFINITY } else { (arrival as f64 / PS - now).max(0.0) })
    }

    fn arrivals(&mut self, now: f64, _delay: f64, _precision: Precision, finished: &mut Vec<u32>) {
        // At most instants nothing has arrived.
        if self.states.iter().all(|state| state.finished.is_empty()) {
            return;
        }
        let latest = whole(now * PS) + slack(now);
        for plane in 0..self.states.len() {
            if self.states[plane].finished_at <= latest {
                let mut arrivals = std::mem::take(&mut self.states[plane].finished);
                arrivals.drain(..).for_each(|arrival| self.arrived(arrival, finished));
                self.states[plane].finished = arrivals;
            }
        }
    }

    fn link_changes(&mut self, _now: f64, tell: &mut dyn FnMut(LinkId, LinkState, f64)) {
        for state in self.states.iter_mut().filter(|state| !state.changes.is_empty()) {
            for (link, state, t) in state.changes.drain(..) {
                tell(link, state, t as f64 / PS);
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.states.iter().all(|state| state.open == 0 && state.finished.is_empty())
    }

    fn traffic(&self, _now: f64) -> Vec<(u64, u64)> {
        let mut traffic = vec![(0, 0); self.platform.links.len()];
        for port in self.states.iter().flat_map(|state| &state.ports).filter(|port| port.link != NONE) {
            traffic[port.link as usize] = (port.messages, port.bytes);
        }
        if let Some(loopback) = self.platform.loopback {
            traffic[loopback.index()] = self.local;
        }
        traffic
    }

    fn links_crossed(&self) -> f64 {
        let under_way = self.states.iter().flat_map(|state| &state.messages).filter(|message| message.links > 0);
        let share = |tag: u32| f64::from(self.divided.get(tag as usize).map_or(1, |message| message.parts));
        self.crossed + under_way.map(|message| f64::from(message.links) / share(message.tag)).sum::<f64>()
    }

    fn head_of_line(&self) -> Vec<HeadOfLine> {
        let of_plane = |state: &FabricState<'_>| {
            let link = |port: u32| state.ports[port as usize].link;
            let blocked = state.behind.iter().map(|(&(wanted, behind), &(packets, time))| HeadOfLine {
                wanted: LinkId(link(wanted)),
                behind: LinkId(link(behind)),
                packets,
                seconds: time as f64 / PS,
            });
            blocked.filter(|blocked| blocked.wanted.0 != NONE && blocked.behind.0 != NONE).collect::<Vec<_>>()
        };
        let mut all: Vec<HeadOfLine> = self.states.iter().flat_map(of_plane).collect();
        all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then((a.wanted, a.behind).cmp(&(b.wanted, b.behind))));
        all
    }

    fn blocked_jobs(&self) -> Vec<BlockedJob> {
        if self.first_ranks.is_empty() {
            return Vec::new();
        }
        let mut sums: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
        for (&jobs, &(packets, time)) in self.states.iter().flat_map(|state| &state.behind_jobs) {
            let sum = sums.entry(jobs).or_default();
            *sum = (sum.0 + packets, sum.1 + time);
        }
        let blocked = sums.into_iter().map(|((job, behind), (packets, time))| BlockedJob {
            job,
            behind,
            packets,
            seconds: time as f64 / PS,
        });
        blocked.collect()
    }

    fn counts(&self) -> Option<PacketCounts> {
        let sum = |count: fn(&FabricState<'_>) -> u64| self.states.iter().map(count).sum();
        Some(PacketCounts {
            packets: sum(|state| state.made),
            hops: sum(|state| state.passed),
            out_of_order: sum(|state| state.out_of_order),
        })
    }
}

impl Medium for Fabric {
    fn carrier<'a>(&'a self, platform: &'a Platform, watched: bool) -> Box<dyn Carrier + 'a> {
        Box::new(Carry::new(self, platform, watched))
    }
}
