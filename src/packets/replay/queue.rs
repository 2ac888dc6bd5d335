//! Events in time order: a radix heap (R. Ahuja, K. Mehlhorn, J. Orlin, R. Tarjan, 1990).
//!
//! Time never decreases, so an event is filed by the highest bit in which its time differs from the present, and moves
//! to a lower file each time the present reaches its file. Files keep the order of insertion, so events of one time are
//! returned in the order in which they were added.

/// Event with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The head of a packet arrives at a switch.
    Arrival { packet: u32 },
    /// The packet at the front of a lane is routed.
    Front { lane: u32 },
    /// A credit of `bytes` returns to a channel.
    Credit { channel: u32, bytes: u32 },
    /// A port may send.
    Port(u32),
    /// The wire of a port has become idle.
    Idle(u32),
    /// A packet of a message has arrived, and another may leave.
    Acknowledged { message: u32 },
    /// A message joins those that its host sends.
    Begin { message: u32 },
    /// A message has arrived.
    Arrived { message: u32 },
}

/// Queue whose times never decrease.
pub(super) struct EventQueue {
    /// Time of the events that were taken last, in picoseconds.
    now: u64,
    /// File `b` has events whose time differs from `now` in bit `b - 1` and in no higher one; file 0 those of `now`.
    files: Vec<Vec<(u64, Event)>>,
    /// Files that are not empty.
    filled: u64,
    /// Earliest time, once known.
    next: Option<u64>,
}

/// The end of time: 2^62 ps, 53 days. Later events are entered at this time, and mean that the replay has no end.
pub(super) const LATEST: u64 = 1 << 62;
const FILES: usize = 64;

impl EventQueue {
    pub(super) fn new() -> Self {
        Self { now: 0, files: (0..FILES).map(|_| Vec::new()).collect(), filled: 0, next: None }
    }

    #[inline]
    fn file_of(&self, time: u64) -> usize {
        (64 - (time ^ self.now).leading_zeros()) as usize
    }

    /// Adds an event of the present or a later time.
    #[inline]
    pub(super) fn add(&mut self, time: u64, event: Event) {
        let time = time.min(LATEST);
        debug_assert!(time >= self.now, "time goes back");
        let file = self.file_of(time);
        self.files[file].push((time, event));
        self.filled |= 1 << file;
        if self.next.is_some_and(|next| time < next) {
            self.next = Some(time);
        }
    }

    /// Returns the time of the events that were taken last.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// `true` if there is no event.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Returns the earliest time; `None` if there is no event.
    #[inline]
    pub(super) fn next_time(&mut self) -> Option<u64> {
        if self.next.is_none() && self.filled != 0 {
            let file = self.filled.trailing_zeros() as usize;
            // Events of a lower file precede those of a higher one.
            self.next = match file {
                0 => Some(self.now),
                _ => self.files[file].iter().map(|event| event.0).min(),
            };
        }
        self.next
    }

    /// Moves all events of the earliest time to `events`, in the order in which they were added.
    #[inline]
    pub(super) fn take(&mut self, events: &mut Vec<(u64, Event)>) {
        let Some(time) = self.next_time() else { return };
        let file = self.filled.trailing_zeros() as usize;
        self.now = time;
        self.next = None;
        self.filled &= !(1 << file);
        if file == 0 {
            std::mem::swap(&mut self.files[0], events);
            return;
        }
        // All of them agree with the new present in this bit and all higher ones.
        let mut moved = std::mem::take(&mut self.files[file]);
        for &(at, event) in &moved {
            if at == time {
                events.push((at, event));
            } else {
                let file = self.file_of(at);
                self.files[file].push((at, event));
                self.filled |= 1 << file;
            }
        }
        moved.clear();
        self.files[file] = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with a sorted list; events are added between those that are taken.
        #[test]
        fn events_come_by_time_and_then_in_order(steps in prop::collection::vec((0_u64..5000, any::<bool>()), 1..300)) {
            let mut queue = EventQueue::new();
            let mut expected: Vec<(u64, u32)> = Vec::new();
            let (mut now, mut taken) = (0, Vec::new());
            for (number, (delay, takes)) in (0..).zip(steps) {
                queue.add(now + delay, Event::Port(number));
                expected.push((now + delay, number));
                if takes {
                    expected.sort_unstable();
                    let first = expected[0].0;
                    prop_assert_eq!(queue.next_time(), Some(first));
                    taken.clear();
                    queue.take(&mut taken);
                    let count = expected.iter().take_while(|event| event.0 == first).count();
                    let due: Vec<_> = expected.drain(..count).map(|(at, port)| (at, Event::Port(port))).collect();
                    prop_assert_eq!(&taken, &due);
                    now = first;
                }
            }
            prop_assert_eq!(queue.is_empty(), expected.is_empty());
        }
    }
}
