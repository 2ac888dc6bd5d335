//! Events by cycle: a ring of cycles for near ones, a heap for far ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Event of the packet engine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum WheelEvent {
    /// A head arrives in a channel of a switch.
    Arrival { switch: u32, place: u16, packet: u32 },
    /// An output channel is empty.
    Free { switch: u32, place: u16 },
    /// A channel from a host is empty.
    HostFree { host: u32, vc: u8 },
    /// A head is routed.
    Route { switch: u32, place: u16 },
    /// A host may send.
    Host(u32),
    /// A switch may grant something.
    Look(u32),
}

/// Events of a cycle, in the order in which they are handled.
#[derive(Default)]
pub(super) struct Bucket {
    pub accounts: Vec<WheelEvent>,
    pub routes: Vec<(u32, u16)>,
    pub hosts: Vec<u32>,
    pub switches: Vec<u32>,
}

impl Bucket {
    fn is_empty(&self) -> bool {
        self.accounts.is_empty() && self.routes.is_empty() && self.hosts.is_empty() && self.switches.is_empty()
    }
}

pub(super) struct Wheel {
    ring: Vec<Bucket>,
    /// Cycles with events in the ring, as a set.
    set: Vec<u64>,
    far: BinaryHeap<Reverse<(u32, WheelEvent)>>,
    now: u32,
}

impl Wheel {
    /// Creates a wheel whose ring holds events up to `reach` cycles ahead.
    pub fn new(reach: u32) -> Self {
        let size = (reach + 2).next_power_of_two().max(64) as usize;
        Self {
            ring: (0..size).map(|_| Bucket::default()).collect(),
            set: vec![0; size / 64],
            far: BinaryHeap::new(),
            now: 0,
        }
    }

    /// Adds an event of the present or a later cycle.
    #[inline]
    pub fn add(&mut self, t: u32, event: WheelEvent) {
        if t - self.now >= self.ring.len() as u32 {
            self.far.push(Reverse((t, event)));
        } else {
            self.put(t, event);
        }
    }

    #[inline]
    fn put(&mut self, t: u32, event: WheelEvent) {
        let place = t as usize & (self.ring.len() - 1);
        self.set[place / 64] |= 1 << (place % 64);
        let bucket = &mut self.ring[place];
        match event {
            WheelEvent::Route { switch, place } => bucket.routes.push((switch, place)),
            WheelEvent::Host(host) => bucket.hosts.push(host),
            WheelEvent::Look(switch) => bucket.switches.push(switch),
            other => bucket.accounts.push(other),
        }
    }

    /// Returns the next cycle with events at or after `now` and before `until`.
    pub fn next(&mut self, now: u32, until: u32) -> Option<u32> {
        self.now = now;
        self.fetch();
        let near = self.near(now);
        let next = match (near, self.far.peek()) {
            (Some(t), _) => t,
            (None, Some(&Reverse((t, _)))) => t,
            (None, None) => return None,
        };
        if next >= until {
            return None;
        }
        self.now = next;
        self.fetch();
        Some(next)
    }

    fn fetch(&mut self) {
        while let Some(&Reverse((t, event))) = self.far.peek() {
            if t - self.now >= self.ring.len() as u32 {
                break;
            }
            self.far.pop();
            self.put(t, event);
        }
    }

    /// Returns the first cycle from `now` on whose place in the ring is set.
    fn near(&self, now: u32) -> Option<u32> {
        let size = self.ring.len();
        let start = now as usize & (size - 1);
        let words = self.set.len();
        for step in 0..=words {
            let word = (start / 64 + step) % words;
            let mut bits = self.set[word];
            if step == 0 {
                bits &= u64::MAX << (start % 64);
            }
            if step == words {
                bits &= !(u64::MAX << (start % 64));
            }
            if bits != 0 {
                let place = word * 64 + bits.trailing_zeros() as usize;
                return Some(now + ((place + size - start) & (size - 1)) as u32);
            }
        }
        None
    }

    /// Takes the events of a cycle; return its memory with [`Wheel::give_back`].
    pub fn take(&mut self, t: u32) -> Bucket {
        let place = t as usize & (self.ring.len() - 1);
        self.set[place / 64] &= !(1 << (place % 64));
        std::mem::take(&mut self.ring[place])
    }

    /// Returns an emptied bucket, unless events of the same cycle were added meanwhile.
    pub fn give_back(&mut self, t: u32, bucket: Bucket) {
        let place = t as usize & (self.ring.len() - 1);
        if self.ring[place].is_empty() {
            self.ring[place] = bucket;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_from_ring_and_heap() {
        let mut wheel = Wheel::new(10);
        for t in [5_u32, 3, 70, 1000, 64, 0] {
            wheel.add(t, WheelEvent::Host(t));
        }
        let mut seen = Vec::new();
        let mut now = 0;
        while let Some(t) = wheel.next(now, 2000) {
            now = t;
            let bucket = wheel.take(t);
            assert_eq!(bucket.hosts, [t]);
            seen.push(t);
        }
        assert_eq!(seen, [0, 3, 5, 64, 70, 1000]);
    }
}
