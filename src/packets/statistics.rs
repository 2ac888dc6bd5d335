//! Statistics of a run: integers only, so that the order of counting does not matter.

use serde::Serialize;

/// Bins of one cycle.
const EXACT: usize = 4096;

/// A histogram of latencies: bins of 1 cycle up to 4,096, beyond that of at most 0.8 %.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    bins: Vec<u64>,
    count: u64,
    sum: u64,
    squares: u128,
    largest: u32,
}

fn bin(value: u32) -> usize {
    match value as usize {
        value if value < EXACT => value,
        // Each octave beyond is cut into 128 equal parts, of 0.8 % or less.
        value => {
            let octave = value.ilog2() as usize - 12;
            EXACT + octave * 128 + ((value >> (octave + 5)) & 127)
        }
    }
}

/// Returns the smallest value of a bin.
fn floor(bin: usize) -> u32 {
    match bin.checked_sub(EXACT) {
        None => bin as u32,
        Some(beyond) => {
            let (octave, part) = (beyond / 128, beyond % 128);
            ((128 + part) << (octave + 5)) as u32
        }
    }
}

impl Histogram {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u32) {
        let bin = bin(value);
        if bin >= self.bins.len() {
            self.bins.resize((bin + 1).next_power_of_two(), 0);
        }
        self.bins[bin] += 1;
        self.count += 1;
        self.sum += u64::from(value);
        self.squares += u128::from(value) * u128::from(value);
        self.largest = self.largest.max(value);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if other.bins.len() > self.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        self.bins.iter_mut().zip(&other.bins).for_each(|(bin, other)| *bin += other);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.largest = self.largest.max(other.largest);
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum of all values.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// Returns the mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Returns the largest value.
    pub fn largest(&self) -> u32 {
        self.largest
    }

    /// Returns the smallest value that at least a given part of all values does not exceed; `None` without values. It is
    /// exact below 4,096. Above, the lower end of its bin is returned, which is up to 0.8 % too low: more values may
    /// exceed the result than the given part leaves.
    pub fn quantile(&self, part: f64) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let rank = ((part * self.count as f64).ceil() as u64).clamp(1, self.count);
        let mut sum = 0;
        let reached = self.bins.iter().position(|&count| {
            sum += count;
            sum >= rank
        });
        reached.map(floor)
    }
}

/// The measured cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Window {
    /// First measured cycle.
    pub from: u32,
    /// First cycle after them.
    pub until: u32,
}

impl Window {
    /// Returns the number of cycles.
    pub fn cycles(&self) -> u32 {
        self.until - self.from
    }

    /// `true` if a cycle is in it.
    #[inline]
    pub fn has(&self, cycle: u32) -> bool {
        (self.from..self.until).contains(&cycle)
    }

    /// Returns the number of its cycles among `length` cycles from `from` on.
    #[inline]
    pub fn overlap(&self, from: u32, length: u32) -> u32 {
        (from + length).min(self.until).saturating_sub(from.max(self.from))
    }

    /// Returns the cycles of the window from `cycle` on.
    #[inline]
    pub fn after(&self, cycle: u32) -> u64 {
        u64::from(self.until.saturating_sub(cycle.max(self.from)))
    }
}

/// Counts of a run. Packets are *measured* if they are created in the window.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Measured packets created.
    pub created: u64,
    /// Measured packets that have entered the network.
    pub injected: u64,
    /// Sum of the cycles in which they entered.
    pub injected_at: u64,
    /// Latencies of measured packets from creation to the arrival of the tail.
    pub latency: Histogram,
    /// Sum of the cycles in which measured packets arrived.
    pub arrived_at: u64,
    /// Cables passed by measured packets that have arrived.
    pub hops: u64,
    /// Most cables passed by one.
    pub most_hops: u32,
    /// Hops of measured packets that did not bring them nearer to their destination, under deflection.
    pub deflections: u64,
    /// Cables passed by all flits sent in the window.
    pub cable_flits: u64,
    /// Flits that left hosts in the window.
    pub flits_injected: u64,
    /// Flits that arrived in the window.
    pub flits_accepted: u64,
    /// Packets of any creation time that arrived in the window.
    pub window_packets: u64,
    /// Cables passed by them.
    pub window_hops: u64,
    /// Sum over the cycles of the window of the packets in the network.
    pub inside: i64,
    /// Flits through switches, in the whole run.
    pub passages: u64,
    /// Packets that entered the network, in the whole run.
    pub entered: u64,
    /// Packets that left it.
    pub left: u64,
    /// Visits of batches of switches, or of switches by the packet engine, in the whole run.
    pub visits: u64,
}

impl Counts {
    /// Counts a packet that enters the network in a cycle.
    #[inline(always)] // Into the loops of the engines.
    pub(super) fn enter(&mut self, window: Window, created: u32, injected: u32) {
        self.entered += 1;
        self.inside += window.after(injected) as i64;
        if window.has(created) {
            self.injected += 1;
            self.injected_at += u64::from(injected);
        }
    }

    /// Counts a packet whose tail arrives at its host in a cycle.
    #[inline(always)] // Into the loops of the engines.
    pub(super) fn leave(&mut self, window: Window, created: u32, tail: u32, hops: u32) {
        self.left += 1;
        self.inside -= window.after(tail) as i64;
        if window.has(tail) {
            self.window_packets += 1;
            self.window_hops += u64::from(hops);
        }
        if window.has(created) {
            self.latency.add(tail - created);
            self.arrived_at += u64::from(tail);
            self.hops += u64::from(hops);
            self.most_hops = self.most_hops.max(hops);
        }
    }

    /// Adds the counts of another part of the network.
    pub fn merge(&mut self, other: &Self) {
        self.created += other.created;
        self.injected += other.injected;
        self.injected_at += other.injected_at;
        self.latency.merge(&other.latency);
        self.arrived_at += other.arrived_at;
        self.hops += other.hops;
        self.most_hops = self.most_hops.max(other.most_hops);
        self.deflections += other.deflections;
        self.cable_flits += other.cable_flits;
        self.flits_injected += other.flits_injected;
        self.flits_accepted += other.flits_accepted;
        self.window_packets += other.window_packets;
        self.window_hops += other.window_hops;
        self.inside += other.inside;
        self.passages += other.passages;
        self.entered += other.entered;
        self.left += other.left;
        self.visits += other.visits;
    }
}

/// Packet of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Logged {
    /// Number of the packet.
    pub id: u64,
    /// Cycle in which its head left the host.
    pub injected: u32,
    /// Cycle in which its head arrived.
    pub head: u32,
    /// Cycle in which its tail arrived.
    pub tail: u32,
    /// Cables passed.
    pub hops: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_exact_and_then_of_one_per_cent() {
        for value in (0..100_000).chain((0..32).map(|bit| 1 << bit)).chain([u32::MAX]) {
            let low = floor(bin(value));
            assert!(low <= value && f64::from(value - low) <= 0.01 * f64::from(value), "{value}: {low}");
        }
        assert!((1..100_000).all(|value| bin(value - 1) <= bin(value)));
    }

    #[test]
    fn quantiles_of_a_hundred_values() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|value| histogram.add(value));
        assert_eq!((histogram.quantile(0.5), histogram.quantile(0.99), histogram.largest()), (Some(50), Some(99), 100));
        assert_eq!(histogram.mean(), Some(50.5));
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn quantiles_of_large_values_are_low_by_less_than_a_bin() {
        // The bin of 5,000 has the 32 values from 4,992 on.
        let mut histogram = Histogram::default();
        (0..100).for_each(|_| histogram.add(5000));
        assert_eq!((histogram.quantile(0.99), histogram.largest()), (Some(4992), 5000));
        // 128 bins in each octave.
        assert!((4096..1 << 20).all(|value| u64::from(value - floor(bin(value))) * 128 < u64::from(value)));
    }
}
