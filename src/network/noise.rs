//! Messages that arrive later than a network delivers them, each by a random part of its time.
//!
//! Real messages vary: daemons, other jobs, retransmissions. Ranks in lockstep wait for the slowest message of a step, so a
//! prediction without noise can be fragile where one with noise is not. The part is drawn from the pair of ranks and the number
//! of the message between them, so a message has the same one on every network.

use super::carrier::{BlockedJob, Carrier, HeadOfLine, PacketCounts, Transfers};
use super::sharing::LinkState;
use super::transfers::{Finished, Handshake, Precision};
use crate::ids::{HostId, LinkId};
use crate::platform::RouteError;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Random delays of messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Largest delay as a part of the time of the message, above 0; delays are uniform from 0 to it.
    pub amplitude: f64,
    /// Seed of the random delays.
    pub seed: u64,
}

impl Noise {
    /// Returns the delay of the message with that number between two ranks, as a part of its time.
    fn of(self, (from, to): (u32, u32), number: u32) -> f64 {
        let key = mixed(mixed(self.seed ^ (u64::from(from) << 32 | u64::from(to))) ^ u64::from(number));
        // The upper 53 bits are a number from 0 to 1.
        self.amplitude * (key >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The mixing function of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A message under way.
#[derive(Debug, Clone, Copy)]
struct Under {
    started: f64,
    part: f64,
}

/// A message that the network has delivered and that arrives later: when, the order of equal times, and its tag.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Late(f64, u64, u32);

impl Eq for Late {}

impl PartialOrd for Late {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Late {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

/// A network with noise.
pub struct Noisy<'a> {
    inner: Box<dyn Carrier + 'a>,
    noise: Noise,
    /// Messages of each pair of ranks so far.
    numbers: FxHashMap<(u32, u32), u32>,
    under_way: FxHashMap<u32, Under>,
    late: BinaryHeap<Reverse<Late>>,
    /// Messages delivered so far.
    delivered: u64,
    arrived: Vec<Finished>,
}

impl<'a> Noisy<'a> {
    /// Adds noise to a network.
    pub fn new(inner: Box<dyn Carrier + 'a>, noise: Noise) -> Self {
        Self {
            inner,
            noise,
            numbers: FxHashMap::default(),
            under_way: FxHashMap::default(),
            late: BinaryHeap::new(),
            delivered: 0,
            arrived: Vec::new(),
        }
    }
}

impl Carrier for Noisy<'_> {
    fn know_jobs(&mut self, first_ranks: &[u32]) {
        (*self.inner).know_jobs(first_ranks);
    }

    fn start(
        &mut self,
        now: f64,
        hosts: (HostId, HostId),
        stream: (u32, u32),
        handshake: Option<Handshake>,
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError> {
        let number = self.numbers.entry(stream).or_default();
        self.under_way.insert(tag, Under { started: now, part: self.noise.of(stream, *number) });
        *number += 1;
        (*self.inner).start(now, hosts, stream, handshake, bytes, tag)
    }

    fn next_delay(&mut self, now: f64, quiet: Option<f64>) -> Option<f64> {
        let late = self.late.peek().map(|Reverse(late)| (late.0 - now).max(0.0));
        // A late arrival lets ranks go on, which may start messages.
        let quiet = [quiet, late].into_iter().flatten().reduce(f64::min);
        [(*self.inner).next_delay(now, quiet), late].into_iter().flatten().reduce(f64::min)
    }

    fn arrivals(&mut self, now: f64, delay: f64, precision: Precision, finished: &mut Vec<Finished>) {
        (*self.inner).arrivals(now, delay, precision, &mut self.arrived);
        for tag in self.arrived.drain(..) {
            let Under { started, part } = self.under_way.remove(&tag).expect("a message that was started");
            self.late.push(Reverse(Late(now + part * (now - started), self.delivered, tag)));
            self.delivered += 1;
        }
        while let Some(Reverse(late)) = self.late.peek() {
            if late.0 > now {
                break;
            }
            finished.push(late.2);
            self.late.pop();
        }
    }

    fn link_changes(&mut self, now: f64, tell: &mut dyn FnMut(LinkId, LinkState, f64)) {
        (*self.inner).link_changes(now, tell);
    }

    fn is_idle(&self) -> bool {
        self.late.is_empty() && (*self.inner).is_idle()
    }

    fn traffic(&self, now: f64) -> Vec<(u64, u64)> {
        (*self.inner).traffic(now)
    }

    fn links_crossed(&self) -> f64 {
        (*self.inner).links_crossed()
    }

    fn head_of_line(&self) -> Vec<HeadOfLine> {
        (*self.inner).head_of_line()
    }

    fn blocked_jobs(&self) -> Vec<BlockedJob> {
        (*self.inner).blocked_jobs()
    }

    fn counts(&self) -> Option<PacketCounts> {
        (*self.inner).counts()
    }
}

/// Flows behind the seam of carriers.
pub struct Flows<N>(pub N);

impl<N: Transfers> Carrier for Flows<N> {
    fn start(
        &mut self,
        now: f64,
        hosts: (HostId, HostId),
        stream: (u32, u32),
        handshake: Option<Handshake>,
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError> {
        match handshake {
            None => self.0.start(now, hosts, stream, bytes, tag),
            Some(handshake) => self.0.start_after(handshake, now, hosts, stream, bytes, tag),
        }
    }

    fn next_delay(&mut self, now: f64, quiet: Option<f64>) -> Option<f64> {
        self.0.next_delay(now, quiet)
    }

    fn arrivals(&mut self, now: f64, delay: f64, precision: Precision, finished: &mut Vec<Finished>) {
        self.0.advance(now, delay, precision, finished);
    }

    fn link_changes(&mut self, now: f64, tell: &mut dyn FnMut(LinkId, LinkState, f64)) {
        self.0.link_changes(now, tell);
    }

    fn is_idle(&self) -> bool {
        self.0.is_idle()
    }

    fn traffic(&self, now: f64) -> Vec<(u64, u64)> {
        self.0.traffic(now)
    }

    fn links_crossed(&self) -> f64 {
        self.0.links_crossed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_uniform_and_the_same_for_the_same_message() {
        let noise = Noise { amplitude: 0.2, seed: 7 };
        let parts: Vec<f64> = (0..10_000).map(|number| noise.of((3, 5), number)).collect();
        assert!(parts.iter().all(|part| (0.0..0.2).contains(part)));
        let mean = parts.iter().sum::<f64>() / parts.len() as f64;
        assert!((mean - 0.1).abs() < 0.002, "{mean}");
        assert_eq!(parts[9], noise.of((3, 5), 9));
        assert_ne!(parts[9], noise.of((5, 3), 9));
        assert_ne!(parts[9], Noise { seed: 8, ..noise }.of((3, 5), 9));
    }
}
