//! Division of a network: a shard for each thread, and batches of switches that are simulated together.
//!
//! A small switch has little to do in a cycle, so most of the time would be spent on beginning and ending loops, whose
//! lengths no processor predicts. The ports of a batch are numbered consecutively, and each stage goes through all of them.

use super::state::{FarEnd, HOST};
use crate::packets::parameters::Parameters;
use crate::packets::wiring::{End, Wiring};
use std::ops::Range;

/// Most places of a batch of several switches, for inputs and for outputs: some 32 KiB of state.
const BATCH_PLACES: usize = 1 << 10;
/// Most switches of a batch, as a binary logarithm.
const MAX_BITS: u32 = 6;

/// Shards and batches of a network.
pub(super) struct Division {
    /// First switch of each shard, and the number of switches.
    bounds: Vec<u32>,
    /// Binary logarithm of the number of switches in a batch.
    bits: u32,
    /// First port of each switch within its shard.
    in_port: Vec<u32>,
    out_port: Vec<u32>,
}

impl Division {
    /// Divides a network into shards of about equal size.
    pub fn new(wiring: &Wiring, p: &Parameters, shards: u32) -> Self {
        let n = wiring.switches() as u32;
        let bounds: Vec<u32> =
            (0..=shards).map(|part| (u64::from(n) * u64::from(part) / u64::from(shards)) as u32).collect();
        let (mut in_port, mut out_port) = (Vec::with_capacity(n as usize), Vec::with_capacity(n as usize));
        let mut most = 1;
        for part in bounds.windows(2) {
            let (mut inputs, mut outputs) = (0_u64, 0_u64);
            for s in part[0]..part[1] {
                in_port.push(inputs as u32);
                out_port.push(outputs as u32);
                inputs += u64::from(wiring.inputs(s));
                outputs += u64::from(wiring.outputs(s));
                most = most.max(wiring.inputs(s)).max(wiring.outputs(s));
            }
        }
        // Allocations of several cycles search in lists of all that are under way, so these stay short.
        let bits = match [p.vc_delay, p.switch_delay] {
            [1, 1] => {
                (BATCH_PLACES / (most as usize * p.vcs.next_power_of_two() as usize)).max(1).ilog2().min(MAX_BITS)
            }
            _ => 0,
        };
        Self { bounds, bits, in_port, out_port }
    }

    /// Returns the number of shards.
    pub fn shards(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the switches of a shard.
    pub fn range(&self, shard: usize) -> Range<u32> {
        self.bounds[shard]..self.bounds[shard + 1]
    }

    /// Returns the shard of a switch.
    #[inline]
    pub fn shard_of(&self, switch: u32) -> usize {
        match self.bounds.len() {
            2 => 0,
            _ => self.bounds.partition_point(|&first| first <= switch) - 1,
        }
    }

    /// Returns the batches of a shard, each as a range of switches.
    pub fn batches(&self, shard: usize) -> impl Iterator<Item = Range<u32>> + use<> {
        let (range, size) = (self.range(shard), 1 << self.bits);
        range.clone().step_by(size).map(move |first| first..range.end.min(first + size as u32))
    }

    /// Returns the number of the batch of a switch, both counted within the shard.
    #[inline(always)]
    pub fn batch(&self, switch: u32) -> u32 {
        switch >> self.bits
    }

    /// Returns the first switch of a batch, both counted within the shard.
    #[inline(always)]
    pub fn first_of(&self, batch: u32) -> u32 {
        batch << self.bits
    }

    /// Returns the switches of the batch of a switch.
    fn batch_of(&self, switch: u32) -> Range<u32> {
        let range = self.range(self.shard_of(switch));
        let first = range.start + self.first_of(self.batch(switch - range.start));
        first..range.end.min(first + (1 << self.bits))
    }

    /// Returns the far end of a cable out of a switch, for flits; `rows` is the number of their rows.
    pub fn far_end(&self, wiring: &Wiring, switch: u32, cable: u32, rows: u32) -> FarEnd {
        let ports = |s: u32| (self.in_port[s as usize], wiring.inputs(s));
        let latency = wiring.latency[wiring.out_arc(switch, cable).index()];
        self.end(wiring, wiring.far_end(switch, cable), ports, rows, latency)
    }

    /// Returns the near end of a cable into a switch, for credits; `rows` is the number of their rows.
    pub fn near_end(&self, wiring: &Wiring, switch: u32, cable: u32, rows: u32) -> FarEnd {
        let ports = |s: u32| (self.out_port[s as usize], wiring.outputs(s));
        let latency = wiring.latency[wiring.in_arc(switch, cable).index()];
        self.end(wiring, wiring.near_end(switch, cable), ports, rows, latency)
    }

    /// `ports` returns the first port of a switch within its shard, and the number of ports.
    fn end(&self, wiring: &Wiring, end: End, ports: impl Fn(u32) -> (u32, u32), rows: u32, latency: u32) -> FarEnd {
        let batch = self.batch_of(end.switch);
        let (first, (last, count)) = (ports(batch.start).0, ports(batch.end - 1));
        let port = ports(end.switch).0 - first + wiring.first_cable(end.switch) + end.cable;
        FarEnd {
            switch: end.switch,
            slot: first * rows + port,
            stride: (last + count - first) as u16,
            port: port as u16,
            latency: latency as u16,
        }
    }

    /// Returns the far end of a port that is a host's.
    pub fn host(port: u32) -> FarEnd {
        FarEnd { switch: HOST, slot: port, ..FarEnd::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::parameters::HostPort;
    use std::collections::HashSet;
    use std::sync::Arc;

    /// Every cable has a slot of its own in the first row of its batch at each end, and batches contain all switches in order.
    #[test]
    fn cables_have_slots_of_their_own() {
        for (spec, vcs, shards) in [("torus:10x13", 4, 3), ("kary_ntree:k=3,n=3", 2, 2), ("full_mesh:70", 64, 1)] {
            let topology = Arc::new(crate::topology::build(spec).unwrap());
            let wiring = Wiring::new(topology, None, HostPort::Own, 1).unwrap();
            let parameters = Parameters { vcs, ..Parameters::default() };
            let division = Division::new(&wiring, &parameters, shards);
            let n = wiring.switches() as u32;
            let batches: Vec<Range<u32>> = (0..division.shards()).flat_map(|shard| division.batches(shard)).collect();
            assert_eq!(batches.iter().flat_map(Clone::clone).collect::<Vec<_>>(), Vec::from_iter(0..n));
            assert_eq!(spec.starts_with("full"), division.bits == 0, "{spec}");
            assert!(batches.iter().all(|batch| batch.len() <= 1 << division.bits));
            let (mut flits, mut credits) = (HashSet::new(), HashSet::new());
            for s in 0..n {
                assert!(division.batch_of(s).contains(&s));
                for cable in 0..wiring.out_cables(s) {
                    let end = division.far_end(&wiring, s, cable, 10);
                    assert!(
                        end.port < end.stride && division.range(division.shard_of(end.switch)).contains(&end.switch)
                    );
                    let batch = division.batch_of(end.switch);
                    let first: u32 = (division.range(division.shard_of(end.switch)).start..batch.start)
                        .map(|s| wiring.inputs(s))
                        .sum();
                    assert_eq!(end.slot - u32::from(end.port), 10 * first, "{spec}");
                    assert!(flits.insert((division.shard_of(end.switch), end.slot)), "{spec}: {s} {cable}");
                }
                for cable in 0..wiring.in_cables(s) {
                    let end = division.near_end(&wiring, s, cable, 10);
                    assert!(end.port < end.stride);
                    assert!(credits.insert((division.shard_of(end.switch), end.slot)), "{spec}: {s} {cable}");
                }
            }
        }
    }
}
