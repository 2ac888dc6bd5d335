//! Packets that hosts create: drawn at random, at regular intervals, or from a list.

use super::PacketError;
use super::destinations::Destinations;
use super::random::{Gaps, Stream};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Packet of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedPacket {
    /// Number for the log.
    pub id: u64,
    /// Source host.
    pub from: u32,
    /// Destination host.
    pub to: u32,
    /// Cycle of creation.
    pub created: u32,
    /// Flits.
    pub flits: u32,
}

/// Process by which hosts create packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// In each cycle with the same probability.
    Bernoulli,
    /// At regular intervals, with a random phase.
    Periodic,
}

/// Packets of all hosts.
#[derive(Clone, Debug)]
pub enum PacketSource {
    /// Drawn.
    Drawn {
        /// Destinations of packets.
        to: Arc<Destinations>,
        /// Cycles between packets.
        gaps: Gaps,
        /// Mean cycles between packets, for [`Process::Periodic`].
        period: Option<f64>,
    },
    /// From a list.
    Listed(Arc<PacketList>),
}

/// A list of packets, by source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PacketList {
    /// The packets of host `h` are `packets[first[h]..first[h + 1]]`.
    pub(super) first: Vec<u32>,
    pub(super) packets: Vec<ListedPacket>,
    /// Largest packet, in flits.
    pub largest: u32,
}

impl ListedPacket {
    /// Checks a packet on a network with a number of hosts.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] for an unknown host, a number of flits out of range, or a cycle beyond the last one.
    pub fn check(&self, hosts: u32) -> Result<(), PacketError> {
        let host = self.from.max(self.to);
        if host >= hosts {
            return Err(PacketError::invalid("host", host, format!("the hosts are 0 to {}", hosts - 1)));
        }
        if self.flits == 0 || self.flits > super::parameters::MAX_FLITS {
            let rule = format!("a packet has 1 to {} flits", super::parameters::MAX_FLITS);
            return Err(PacketError::invalid("flits", self.flits, rule));
        }
        if self.created >= MAX_CYCLES {
            let rule = format!("a run has at most {MAX_CYCLES} cycles");
            return Err(PacketError::invalid("cycle", self.created, rule));
        }
        Ok(())
    }
}

impl PacketList {
    /// Sorts packets by source; those of a source stay in their order if they are created in the same cycle.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] if a host does not exist or a packet has no flits or too many.
    pub fn new(mut packets: Vec<ListedPacket>, hosts: u32) -> Result<Self, PacketError> {
        packets.iter().try_for_each(|packet| packet.check(hosts))?;
        packets.sort_by_key(|packet| (packet.from, packet.created));
        let mut first = vec![0; hosts as usize + 1];
        for packet in &packets {
            first[packet.from as usize + 1] += 1;
        }
        for host in 0..hosts as usize {
            first[host + 1] += first[host];
        }
        let largest = packets.iter().map(|packet| packet.flits).max().unwrap_or(1);
        Ok(Self { first, packets, largest })
    }

    /// Returns the number of packets.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// `true` if there is no packet.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

/// Largest number of cycles of a run: 2^30.
pub const MAX_CYCLES: u32 = 1 << 30;
/// A packet that is never created.
pub(super) const NEVER: u32 = u32::MAX;

impl PacketSource {
    /// Returns random packets of `flits` flits at `load` flits per host and cycle.
    pub fn drawn(to: Arc<Destinations>, load: f64, flits: u32, process: Process) -> Self {
        let rate = load / f64::from(flits);
        let period = (process == Process::Periodic && rate > 0.0).then(|| 1.0 / rate);
        Self::Drawn { to, gaps: Gaps::new(rate), period }
    }

    /// Returns the mean age in cycles of `count` packets in the network, whose ages are `ages` in all, and of those that
    /// wait at hosts; `waiting` are the cycles of creation of the next packet of each host.
    pub(super) fn mean_age(&self, now: u32, mut count: f64, mut ages: f64, waiting: impl Iterator<Item = u32>) -> f64 {
        let per_host = match self {
            Self::Drawn { gaps, .. } => gaps.rate(),
            Self::Listed(_) => 0.0,
        };
        for created in waiting.filter(|&created| created < now) {
            // The packets after the first one are not drawn yet: their expected number follows from the rate, and
            // they are half as old.
            let age = f64::from(now - created);
            count += 1.0 + age * per_host;
            ages += age + age * per_host * age / 2.0;
        }
        if count > 0.0 { ages / count } else { 0.0 }
    }

    /// Returns the cycles by which hosts lag behind the packets that they have to send, mean over hosts that send; `waiting` as
    /// above.
    pub(super) fn mean_lag(now: u32, waiting: impl Iterator<Item = u32>) -> f64 {
        let sending = waiting.filter(|&created| created != NEVER);
        let (hosts, cycles) = sending
            .fold((0_u32, 0.0), |(hosts, sum), created| (hosts + 1, sum + f64::from(now.saturating_sub(created))));
        cycles / f64::from(hosts.max(1))
    }

    /// Returns the first packet of a host: creation, and destination or place in the list.
    pub(super) fn first(&self, host: u32, stream: &mut Stream) -> (u32, u32) {
        match self {
            Self::Drawn { to, gaps, period } => {
                if gaps.never() || !to.sends(host) {
                    return (NEVER, 0);
                }
                match period {
                    Some(period) => {
                        let phase = (stream.unit() * period) as u32;
                        (phase, to.draw(host, stream).unwrap_or(host))
                    }
                    None => self.after(host, u32::MAX, 0, stream),
                }
            }
            Self::Listed(list) => Self::listed(list, host, list.first[host as usize]),
        }
    }

    /// Returns the packet after one that was created at `created` (`u32::MAX`: before cycle 0).
    #[inline]
    pub(super) fn after(&self, host: u32, created: u32, place: u32, stream: &mut Stream) -> (u32, u32) {
        match self {
            Self::Drawn { to, gaps, period } => {
                let mut next = created;
                loop {
                    let step = match period {
                        // Whole cycles whose mean is the period: the fraction is rounded at random.
                        Some(period) => u64::from(period.floor() as u32 + u32::from(stream.unit() < period.fract())),
                        None => 1 + gaps.draw(stream),
                    };
                    let later = u64::from(next.wrapping_add(1)) + step - 1;
                    if later >= u64::from(MAX_CYCLES) {
                        return (NEVER, 0);
                    }
                    next = later as u32;
                    if let Some(to) = to.draw(host, stream) {
                        return (next, to);
                    }
                }
            }
            Self::Listed(list) => Self::listed(list, host, place + 1),
        }
    }

    fn listed(list: &PacketList, host: u32, place: u32) -> (u32, u32) {
        match place < list.first[host as usize + 1] {
            true => (list.packets[place as usize].created, place),
            false => (NEVER, place),
        }
    }
}
