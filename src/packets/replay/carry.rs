//! The seam to the engine: seconds outside, picoseconds inside.

use super::fabric::Fabric;
use super::queue::{Event, LATEST};
use super::state::{NONE, State};
use super::time::{PS, whole};
use crate::ids::{HostId, LinkId};
use crate::network::sharing::LinkState;
use crate::network::{BlockedJob, Carrier, Handshake, HeadOfLine, Medium, PacketCounts, Precision};
use crate::platform::{Platform, RouteError};
use rustc_hash::FxHashMap;

/// Constants of messages between two hosts.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Picoseconds of the latencies of the platform's route.
    latency: u64,
    /// Picoseconds of a byte on the loopback, for messages that take no network.
    loopback: Option<f64>,
}

/// Carrier of a replay as packets.
pub(super) struct Carry<'a> {
    state: State<'a>,
    pairs: FxHashMap<(u32, u32), Pair>,
    /// Messages and bytes on the loopback.
    local: (u64, u64),
    /// First rank of each job, where there are several.
    first_ranks: Vec<u32>,
}

/// Tolerance for times of the engine. They are sums of differences: they are off a whole number of picoseconds by this
/// much, which grows with the time.
fn slack(now: f64) -> u64 {
    1 + (now * PS * f64::EPSILON * 4.0) as u64
}

impl<'a> Carry<'a> {
    pub(super) fn new(fabric: &'a Fabric, platform: &'a Platform, watched: bool) -> Self {
        Self {
            state: State::new(fabric, platform, watched),
            pairs: FxHashMap::default(),
            local: (0, 0),
            first_ranks: Vec::new(),
        }
    }

    fn pair(&mut self, from: HostId, to: HostId) -> Result<Pair, RouteError> {
        if let Some(pair) = self.pairs.get(&(from.0, to.0)) {
            return Ok(*pair);
        }
        let platform = self.state.platform;
        let mut links = Vec::new();
        platform.route(from, to, &mut links)?;
        let latency: f64 = links.iter().map(|link| platform.links[link.index()].latency).sum();
        let only_loopback = matches!(links[..], [link] if platform.loopback == Some(link));
        let loopback = only_loopback.then(|| PS / platform.links[links[0].index()].bandwidth);
        let pair = Pair { latency: whole(latency * PS), loopback };
        self.pairs.insert((from.0, to.0), pair);
        Ok(pair)
    }

    fn job_of(&self, rank: u32) -> u32 {
        (self.first_ranks.partition_point(|&first| first <= rank) as u32).saturating_sub(1)
    }

    /// Returns the present in picoseconds, not before the last event.
    fn now(&mut self, seconds: f64) -> u64 {
        whole(seconds * PS).max(self.state.queue.now())
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
        let pair = self.pair(from, to)?;
        let t = self.now(now);
        let job = self.job_of(sender);
        if let Some(byte) = pair.loopback {
            let message = self.state.enter(tag, (from.0, to.0), job, bytes);
            self.local.0 += 1;
            self.local.1 += bytes;
            let arrives = t + pair.latency + whole(bytes as f64 * byte);
            self.state.queue.add(arrives, Event::Arrived { message });
            return Ok(pair.latency as f64 / PS);
        }
        let message = self.state.enter(tag, (from.0, to.0), job, bytes);
        let latency = pair.latency as f64 / PS;
        let Some(handshake) = handshake.filter(|handshake| handshake.trips > 0) else {
            self.state.queue.add(t, Event::Begin { message });
            return Ok(latency);
        };
        // The clearance is a packet. The request has left when the send was posted, which may be in the past, so it takes
        // the time of an empty network.
        let clearance = self.state.enter(NONE, (to.0, from.0), job, 0);
        self.state.messages[clearance as usize].then = message;
        let before = handshake.seconds(now, latency);
        let leaves = t + whole((before - latency).max(0.0) * PS);
        self.state.queue.add(leaves, Event::Begin { message: clearance });
        Ok(latency + before)
    }

    fn next_delay(&mut self, now: f64, quiet: Option<f64>) -> Option<f64> {
        let until = quiet.map_or(u64::MAX, |seconds| whole((now + seconds) * PS));
        let state = &mut self.state;
        while state.finished.is_empty() {
            match state.queue.next_time() {
                Some(t) if t >= LATEST => return Some(f64::INFINITY),
                Some(t) if t <= until => state.instant(t),
                _ => return None,
            }
        }
        Some((state.finished_at as f64 / PS - now).max(0.0))
    }

    fn arrivals(&mut self, now: f64, _delay: f64, _precision: Precision, finished: &mut Vec<u32>) {
        let t = whole(now * PS);
        if self.state.finished_at <= t + slack(now) {
            finished.append(&mut self.state.finished);
        }
    }

    fn link_changes(&mut self, _now: f64, tell: &mut dyn FnMut(LinkId, LinkState, f64)) {
        for (link, state, t) in self.state.changes.drain(..) {
            tell(link, state, t as f64 / PS);
        }
    }

    fn is_idle(&self) -> bool {
        self.state.open == 0 && self.state.finished.is_empty()
    }

    fn traffic(&self) -> Vec<(u64, u64)> {
        let mut traffic = vec![(0, 0); self.state.platform.links.len()];
        for port in self.state.ports.iter().filter(|port| port.link != NONE) {
            traffic[port.link as usize] = (port.messages, port.bytes);
        }
        if let Some(loopback) = self.state.platform.loopback {
            traffic[loopback.index()] = self.local;
        }
        traffic
    }

    fn links_crossed(&self) -> f64 {
        self.state.crossed as f64
    }

    fn head_of_line(&self) -> Vec<HeadOfLine> {
        let link = |port: u32| self.state.ports[port as usize].link;
        let mut all: Vec<HeadOfLine> = self
            .state
            .behind
            .iter()
            .map(|(&(wanted, behind), &(packets, time))| HeadOfLine {
                wanted: LinkId(link(wanted)),
                behind: LinkId(link(behind)),
                packets,
                seconds: time as f64 / PS,
            })
            .filter(|blocked| blocked.wanted.0 != NONE && blocked.behind.0 != NONE)
            .collect();
        all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then((a.wanted, a.behind).cmp(&(b.wanted, b.behind))));
        all
    }

    fn blocked_jobs(&self) -> Vec<BlockedJob> {
        if self.first_ranks.is_empty() {
            return Vec::new();
        }
        let mut all: Vec<BlockedJob> = self
            .state
            .behind_jobs
            .iter()
            .map(|(&(job, behind), &(packets, time))| BlockedJob { job, behind, packets, seconds: time as f64 / PS })
            .collect();
        all.sort_unstable_by_key(|blocked| (blocked.job, blocked.behind));
        all
    }

    fn counts(&self) -> Option<PacketCounts> {
        let State { made, passed, out_of_order, .. } = self.state;
        Some(PacketCounts { packets: made, hops: passed, out_of_order })
    }
}

impl Medium for Fabric {
    fn carrier<'a>(&'a self, platform: &'a Platform, watched: bool) -> Box<dyn Carrier + 'a> {
        Box::new(Carry::new(self, platform, watched))
    }
}
