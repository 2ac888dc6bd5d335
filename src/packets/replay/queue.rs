//! Events in time order: a radix heap (R. Ahuja, K. Mehlhorn, J. Orlin, R. Tarjan, 1990) with digits of six bits, whose
//! earliest file is sorted.
//!
//! Events are filed by the highest digit in which their time differs from a base, and by their value of that digit. The
//! earliest file is divided among lower levels until it has few events; these are sorted, and become the run, from which
//! events are taken. The base is then the beginning of the run's interval, so that later events are filed above it.
//! Files keep the order of insertion and sorting is stable, so events of one time are returned in the order in which they
//! were added.
//!
//! Rejected: two files per level, and files down to single times, as in the original. Events move three to six times.

/// Event with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FabricEvent {
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

/// [`FabricEvent`] in eight bytes, so that an entry of the queue has sixteen: bits 0 to 31 are its number, 32 to 60 bytes, and
/// the upper three its kind.
#[derive(Clone, Copy, Debug)]
struct Packed(u64);

impl Packed {
    #[inline]
    fn new(event: FabricEvent) -> Self {
        let (kind, number, bytes) = match event {
            FabricEvent::Arrival { packet } => (0, packet, 0),
            FabricEvent::Front { lane } => (1, lane, 0),
            FabricEvent::Credit { channel, bytes } => (2, channel, bytes),
            FabricEvent::Port(port) => (3, port, 0),
            FabricEvent::Idle(port) => (4, port, 0),
            FabricEvent::Acknowledged { message } => (5, message, 0),
            FabricEvent::Begin { message } => (6, message, 0),
            FabricEvent::Arrived { message } => (7, message, 0),
        };
        // A packet has at most 2^25 bytes.
        debug_assert!(bytes < 1 << 29, "too many bytes");
        Self(kind << 61 | u64::from(bytes) << 32 | u64::from(number))
    }

    #[inline]
    fn event(self) -> FabricEvent {
        let (number, bytes) = (self.0 as u32, (self.0 >> 32) as u32 & ((1 << 29) - 1));
        match self.0 >> 61 {
            0 => FabricEvent::Arrival { packet: number },
            1 => FabricEvent::Front { lane: number },
            2 => FabricEvent::Credit { channel: number, bytes },
            3 => FabricEvent::Port(number),
            4 => FabricEvent::Idle(number),
            5 => FabricEvent::Acknowledged { message: number },
            6 => FabricEvent::Begin { message: number },
            _ => FabricEvent::Arrived { message: number },
        }
    }
}

/// Entry of the queue: a time in picoseconds and an event.
type Entry = (u64, Packed);

/// Queue whose times never decrease.
pub(super) struct EventQueue {
    /// Time of the events that were taken last, in picoseconds.
    now: u64,
    /// All events before `run_end`, by time; those before `at` have been taken.
    run: Vec<Entry>,
    at: usize,
    run_end: u64,
    /// Beginning of the run's interval.
    base: u64,
    /// File `FILES * l + d` has events whose time differs from `base` in digit `l` and in no higher one, and has `d` as that
    /// digit.
    files: Vec<Vec<Entry>>,
    /// Files of each level that are not empty, as bits.
    filled: [u64; LEVELS],
    /// Levels with files that are not empty, as bits.
    levels: u32,
}

/// The end of time: 2^62 ps, 53 days. Later events are entered at this time, and mean that the replay has no end.
pub(super) const LATEST: u64 = 1 << 62;
/// Bits of a digit. With 64 files per level, a level's set is a word.
const DIGIT: u32 = 6;
const FILES: usize = 1 << DIGIT;
const LEVELS: usize = 63_usize.div_ceil(DIGIT as usize);
/// Most events of a file that is sorted, unless all have the same time. That many take no memory of the heap to sort.
const SORTED: usize = 256;
/// The same for files of levels above [`SHORT`], of which later events are likely to be inserted into the run.
const SPARSE: usize = 16;
/// Highest level whose files span less time than most cables take: 4,096 ps.
const SHORT: usize = 2;

impl EventQueue {
    pub(super) fn new() -> Self {
        let files = (0..FILES * LEVELS).map(|_| Vec::new()).collect();
        Self { now: 0, run: Vec::new(), at: 0, run_end: 0, base: 0, files, filled: [0; LEVELS], levels: 0 }
    }

    /// Files an entry at or after the end of the run.
    #[inline(always)]
    fn file(&mut self, entry: Entry) {
        let level = ((entry.0 ^ self.base) | 1).ilog2() / DIGIT;
        let digit = entry.0 >> (level * DIGIT) & (FILES as u64 - 1);
        let level = level as usize;
        self.files[level * FILES + digit as usize].push(entry);
        self.filled[level] |= 1 << digit;
        self.levels |= 1 << level;
    }

    /// Adds an event of the present or a later time. It is inlined so that the packing of a known kind costs nothing.
    #[inline(always)]
    pub(super) fn add(&mut self, time: u64, event: FabricEvent) {
        let time = time.min(LATEST);
        debug_assert!(time >= self.now, "time goes back");
        let entry = (time, Packed::new(event));
        if time < self.run_end {
            self.insert(entry);
        } else {
            self.file(entry);
        }
    }

    /// Inserts an entry into the run. Few events are so near.
    #[inline(never)]
    fn insert(&mut self, entry: Entry) {
        let place = self.at + self.run[self.at..].partition_point(|other| other.0 <= entry.0);
        self.run.insert(place, entry);
    }

    /// Returns the time of the events that were taken last.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// `true` if there is no event.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.at == self.run.len() && self.levels == 0
    }

    /// Returns the earliest time; `None` if there is no event.
    #[inline]
    pub(super) fn next_time(&mut self) -> Option<u64> {
        if self.at == self.run.len() && !self.refill() {
            return None;
        }
        Some(self.run[self.at].0)
    }

    /// Makes a run of the earliest events in files. Returns `false` if there are none.
    #[inline(never)]
    fn refill(&mut self) -> bool {
        self.run.clear();
        self.at = 0;
        while self.levels != 0 {
            let level = self.levels.trailing_zeros() as usize;
            let digit = self.filled[level].trailing_zeros() as usize;
            self.filled[level] &= !(1 << digit);
            if self.filled[level] == 0 {
                self.levels &= !(1 << level);
            }
            let file = level * FILES + digit;
            let length = 1 << (level as u32 * DIGIT);
            self.base = self.files[file][0].0 & !(length - 1);
            self.run_end = self.base + length;
            let most = if level <= SHORT { SORTED } else { SPARSE };
            if level == 0 || self.files[file].len() <= most {
                std::mem::swap(&mut self.files[file], &mut self.run);
                self.run.sort_by_key(|entry| entry.0);
                return true;
            }
            let mut moved = std::mem::take(&mut self.files[file]);
            moved.iter().for_each(|&entry| self.file(entry));
            moved.clear();
            self.files[file] = moved;
        }
        false
    }

    /// Takes all events of a time, which must be the earliest, and returns their number. They can be read with
    /// [`EventQueue::taken`] until the earliest time is asked for again.
    #[inline]
    pub(super) fn take(&mut self, time: u64) -> usize {
        debug_assert_eq!(self.next_time(), Some(time), "not the earliest time");
        self.now = time;
        // A run into which events are inserted again and again has no end of its own.
        if self.at > SORTED && self.at * 2 > self.run.len() {
            self.run.drain(..self.at);
            self.at = 0;
        }
        let first = self.at;
        while self.run.get(self.at).is_some_and(|entry| entry.0 == time) {
            self.at += 1;
        }
        self.at - first
    }

    /// Returns event `index` of the `count` that were taken last, in the order in which they were added. Events that are added
    /// meanwhile come later.
    #[inline]
    pub(super) fn taken(&self, index: usize, count: usize) -> FabricEvent {
        self.run[self.at - count + index].1.event()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with a sorted list; events are added between those that are taken.
        #[test]
        fn events_come_by_time_and_then_in_order(steps in prop::collection::vec((0_u64..5000, 0_u32..16, any::<bool>()), 1..1000)) {
            let mut queue = EventQueue::new();
            let mut expected: Vec<(u64, u32)> = Vec::new();
            let mut now = 0;
            for (number, (delay, scale, takes)) in (0..).zip(steps) {
                let delay = if scale < 8 { delay } else { delay << scale };
                queue.add(now + delay, FabricEvent::Port(number));
                expected.push((now + delay, number));
                if takes {
                    expected.sort_unstable();
                    let first = expected[0].0;
                    prop_assert_eq!(queue.next_time(), Some(first));
                    let count = queue.take(first);
                    let taken: Vec<_> = (0..count).map(|index| queue.taken(index, count)).collect();
                    let due = expected.iter().take_while(|event| event.0 == first).count();
                    let due: Vec<_> = expected.drain(..due).map(|(_, port)| FabricEvent::Port(port)).collect();
                    prop_assert_eq!(&taken, &due);
                    now = first;
                }
            }
            prop_assert_eq!(queue.is_empty(), expected.is_empty());
        }
    }
}
