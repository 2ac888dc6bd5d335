//! Graphs of all ranks: operations and their dependencies.
//!
//! A rank has a record for each of its operations, followed by two lists: the requirements of each operation, and its
//! dependents. All of this is paged, so a rank may have more operations than fit in memory. Traversing the graph of a
//! program touches neighbours consecutively, so most of it can stay on disk.

use std::ops::Range;

use super::paged::Paged;
use crate::trace::schedule::OperationKind;

/// An operation of a rank, with the place of its definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GraphOperation {
    pub kind: OperationKind,
    pub cpu: u8,
    /// The network card of a message.
    pub nic: u8,
    /// The other rank of a message.
    pub peer: u32,
    pub tag: u32,
    /// Bytes of a message, or nanoseconds of a computation.
    pub size: u64,
    /// The line or byte of its definition, up to [`LAST`].
    pub at: u64,
}

/// A requirement or dependent, and whether the dependency is on the start of the earlier operation only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dependency {
    pub operation: u32,
    pub on_start: bool,
}

impl Dependency {
    fn to_word(self) -> u32 {
        self.operation << 1 | u32::from(self.on_start)
    }

    fn from_word(word: u32) -> Self {
        Self { operation: word >> 1, on_start: word & 1 == 1 }
    }
}

/// Pages that a rank needs to process its operations: the operations, and both lists of edges.
const PAGES_AT_WORK: usize = 3;

/// Largest line or byte of a definition that can be stored: a tebibyte.
const LAST: u64 = (1 << 40) - 1;

/// Remedy for receives from any source or with any tag.
pub(super) const NO_WILDCARDS: &str = "give each receive the source and the tag that it got";

/// Remedy for the one-sided operations of LogGOPSim2.
pub(super) const ONE_SIDED: &str = "write the schedule with send, recv and calc, the operations of LogGOPSim";

/// Nanoseconds per second: the unit of `calc`.
pub(super) const NANOSECONDS: f64 = 1e9;

/// Largest number of operations of a rank, and of edges.
pub(super) const MOST: u64 = 1 << 31;

/// Bytes of a record, and the offsets of numbers that are read separately.
const RECORD: u64 = 36;
/// Offset of the end of an operation's list of requirements.
const EARLIER_END: u64 = 24;
/// Offset of the end of its list of dependents.
const LATER_END: u64 = 28;
/// Offset of the number of requirements that have not happened yet.
const LEFT: u64 = 32;
/// Flags for operations that were waited for, and for completed sends; the kind is in the two lower bits.
const WAITED: u8 = 4;
const DONE: u8 = 8;

fn to_bytes(operation: &GraphOperation) -> [u8; 24] {
    let kind = match operation.kind {
        OperationKind::Send => 0,
        OperationKind::Receive => 1,
        OperationKind::Calculate => 2,
    };
    let at = operation.at.min(LAST);
    let word = at << 24 | u64::from(operation.nic) << 16 | u64::from(operation.cpu) << 8 | kind;
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&word.to_le_bytes());
    bytes[8..16].copy_from_slice(&operation.size.to_le_bytes());
    bytes[16..20].copy_from_slice(&operation.peer.to_le_bytes());
    bytes[20..].copy_from_slice(&operation.tag.to_le_bytes());
    bytes
}

fn from_bytes(bytes: &[u8; 24]) -> GraphOperation {
    let (words, _) = bytes.as_chunks::<8>();
    let [first, size, last] = [0, 1, 2].map(|i| u64::from_le_bytes(words[i]));
    let kind = match first & 3 {
        0 => OperationKind::Send,
        1 => OperationKind::Receive,
        _ => OperationKind::Calculate,
    };
    let [cpu, nic] = [8, 16].map(|bits| (first >> bits) as u8);
    GraphOperation { kind, cpu, nic, peer: last as u32, tag: (last >> 32) as u32, size, at: first >> 24 }
}

/// Position of the graph of a rank.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct GraphPosition {
    operations: u64,
    earlier: u64,
    later: u64,
    /// Number of operations.
    pub count: u32,
    /// All operations without requirements are below this number.
    pub roots_end: u32,
}

/// The graphs of ranks, one of which is being read.
pub(super) struct PagedGraphs {
    bytes: Paged,
    /// Edges of the rank that is being read: the later operation with the kind of edge, and the earlier one.
    edges: Paged,
    /// Start of its operations.
    start: u64,
}

impl PagedGraphs {
    /// Creates an empty set of graphs; about `limit` bytes of them will be in memory.
    pub fn new(limit: usize) -> Self {
        Self { bytes: Paged::new(limit / 2), edges: Paged::new(limit / 2), start: 0 }
    }

    /// Sets the number of ranks: each may keep its working pages in memory, whatever the limit.
    pub fn set_ranks(&mut self, ranks: usize) {
        self.bytes.allow_pages(PAGES_AT_WORK * ranks);
    }

    /// Returns the number of operations of the rank that is being read.
    pub fn operations(&self) -> u64 {
        (self.bytes.len() - self.start) / RECORD
    }

    /// Returns the number of edges of that rank.
    pub fn edges(&self) -> u64 {
        self.edges.len() / 8
    }

    /// Adds an operation to the rank that is being read; returns its number.
    pub fn push(&mut self, operation: &GraphOperation) -> u32 {
        let number = self.operations() as u32;
        let mut record = [0; RECORD as usize];
        record[..24].copy_from_slice(&to_bytes(operation));
        self.bytes.extend(&record);
        number
    }

    /// Adds an edge to that rank: an operation waits for an earlier one, or for its start only.
    pub fn edge(&mut self, later: u32, earlier: Dependency) {
        let later = Dependency { operation: later, on_start: earlier.on_start };
        let words = u64::from(later.to_word()) << 32 | u64::from(earlier.to_word());
        self.edges.extend(&words.to_le_bytes());
    }

    fn nth_edge(&mut self, nth: u64) -> (Dependency, Dependency) {
        let words = u64::from_le_bytes(self.edges.get(8 * nth));
        (Dependency::from_word((words >> 32) as u32), Dependency::from_word(words as u32))
    }

    /// Finishes the rank that is being read: builds the lists of its edges.
    pub fn close(&mut self) -> GraphPosition {
        let (count, edges) = (self.operations() as u32, self.edges());
        let earlier = self.bytes.len();
        let later = earlier + 4 * edges;
        let mut place = GraphPosition { operations: self.start, earlier, later, count, roots_end: 0 };
        let bytes = &mut self.bytes;
        (0..2 * edges).for_each(|_| bytes.extend(&[0; 4]));
        for nth in 0..edges {
            let (later, earlier) = self.nth_edge(nth);
            self.count(place.field(later.operation, EARLIER_END));
            self.count(place.field(earlier.operation, LATER_END));
        }
        // From numbers of edges to start positions of the lists; these become end positions while the lists are filled.
        let (mut earlier_end, mut later_end) = (0, 0);
        for i in 0..count {
            let waits = self.bytes.u32(place.field(i, EARLIER_END));
            self.bytes.set_u32(place.field(i, LEFT), waits);
            if waits == 0 {
                place.roots_end = i + 1;
            }
            self.bytes.set_u32(place.field(i, EARLIER_END), earlier_end);
            earlier_end += waits;
            let frees = self.bytes.u32(place.field(i, LATER_END));
            self.bytes.set_u32(place.field(i, LATER_END), later_end);
            later_end += frees;
        }
        for nth in 0..edges {
            let (later, earlier) = self.nth_edge(nth);
            let at = self.count(place.field(later.operation, EARLIER_END));
            self.bytes.set_u32(place.earlier + 4 * u64::from(at), earlier.to_word());
            let at = self.count(place.field(earlier.operation, LATER_END));
            self.bytes.set_u32(place.later + 4 * u64::from(at), later.to_word());
        }
        let mut list = Vec::new();
        for i in 0..count {
            // The last posted operation is waited for first: it can become a blocking call.
            let range = self.range(place, i, EARLIER_END);
            self.sort(place.earlier, range, &mut list, |word| (!(word >> 1), word & 1));
            let range = self.range(place, i, LATER_END);
            self.sort(place.later, range, &mut list, |word| (word >> 1, word & 1));
        }
        self.edges.clear();
        self.start = self.bytes.len();
        place
    }

    /// Adds one to a number; returns its previous value.
    fn count(&mut self, at: u64) -> u32 {
        let value = self.bytes.u32(at);
        self.bytes.set_u32(at, value + 1);
        value
    }

    /// Returns the positions of an operation's links in one of the two lists.
    fn range(&mut self, place: GraphPosition, operation: u32, end: u64) -> Range<u64> {
        let start = match operation {
            0 => 0,
            _ => self.bytes.u32(place.field(operation - 1, end)),
        };
        let end = self.bytes.u32(place.field(operation, end));
        u64::from(start)..u64::from(end)
    }

    fn sort(&mut self, list: u64, range: Range<u64>, words: &mut Vec<u32>, key: fn(&u32) -> (u32, u32)) {
        if range.end - range.start < 2 {
            return;
        }
        words.clear();
        words.extend(range.clone().map(|i| self.bytes.u32(list + 4 * i)));
        if !words.is_sorted_by_key(key) {
            words.sort_unstable_by_key(key);
            range.zip(&*words).for_each(|(i, &word)| self.bytes.set_u32(list + 4 * i, word));
        }
    }

    /// Returns an operation.
    pub fn operation(&mut self, place: GraphPosition, number: u32) -> GraphOperation {
        from_bytes(&self.bytes.get(place.record(number)))
    }

    /// Collects the requirements of an operation, the last one first.
    pub fn earlier(&mut self, place: GraphPosition, number: u32, links: &mut Vec<Dependency>) {
        let range = self.range(place, number, EARLIER_END);
        links.clear();
        links.extend(range.map(|i| Dependency::from_word(self.bytes.u32(place.earlier + 4 * i))));
    }

    /// Collects the dependents of an operation, the first one first.
    pub fn later(&mut self, place: GraphPosition, number: u32, links: &mut Vec<Dependency>) {
        let range = self.range(place, number, LATER_END);
        links.clear();
        links.extend(range.map(|i| Dependency::from_word(self.bytes.u32(place.later + 4 * i))));
    }

    /// Returns `true` if an operation has no requirements.
    pub fn is_root(&mut self, place: GraphPosition, number: u32) -> bool {
        self.range(place, number, EARLIER_END).is_empty()
    }

    /// Returns the number of requirements that have not happened yet.
    pub fn left(&mut self, place: GraphPosition, number: u32) -> u32 {
        self.bytes.u32(place.field(number, LEFT))
    }

    /// Registers that a requirement of an operation has happened; returns how many are left.
    pub fn happened(&mut self, place: GraphPosition, number: u32) -> u32 {
        let at = place.field(number, LEFT);
        let left = self.bytes.u32(at) - 1;
        self.bytes.set_u32(at, left);
        left
    }

    /// Marks an operation as waited for, or as needing no wait; returns the previous state.
    pub fn waited(&mut self, place: GraphPosition, number: u32) -> bool {
        self.flag(place, number, WAITED)
    }

    /// Marks a send as complete; returns the previous state.
    pub fn done(&mut self, place: GraphPosition, number: u32) -> bool {
        self.flag(place, number, DONE)
    }

    /// Returns `true` if a send is complete.
    pub fn is_done(&mut self, place: GraphPosition, number: u32) -> bool {
        self.bytes.get::<1>(place.record(number))[0] & DONE != 0
    }

    fn flag(&mut self, place: GraphPosition, number: u32, flag: u8) -> bool {
        let at = place.record(number);
        let [flags] = self.bytes.get(at);
        self.bytes.set(at, [flags | flag]);
        flags & flag != 0
    }
}

impl GraphPosition {
    /// Number of edges.
    pub fn edges(&self) -> usize {
        // Each edge is once in the lists of requirements, in 4 bytes.
        ((self.later - self.earlier) / 4) as usize
    }

    fn record(&self, operation: u32) -> u64 {
        self.operations + RECORD * u64::from(operation)
    }

    fn field(&self, operation: u32, field: u64) -> u64 {
        self.record(operation) + field
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    /// Graphs of which little is in memory equal the original ones.
    #[test]
    fn graphs_are_what_was_given() {
        let mut random = StdRng::seed_from_u64(7);
        let mut graphs = PagedGraphs::new(0);
        let mut all = Vec::new();
        for count in [0, 1, 30, 40_000, 3] {
            let operations: Vec<GraphOperation> = (0..count)
                .map(|_| GraphOperation {
                    kind: [OperationKind::Send, OperationKind::Receive, OperationKind::Calculate]
                        [random.random_range(0..3)],
                    cpu: random.random(),
                    nic: random.random(),
                    peer: random.random(),
                    tag: random.random(),
                    size: random.random(),
                    at: random.random_range(0..=LAST),
                })
                .collect();
            let number = |random: &mut StdRng| random.random_range(0..count);
            let edges: Vec<(u32, Dependency)> = (0..2 * count)
                .map(|_| {
                    (number(&mut random), Dependency { operation: number(&mut random), on_start: random.random() })
                })
                .collect();
            assert!((0..).zip(&operations).all(|(i, operation)| graphs.push(operation) == i));
            edges.iter().for_each(|&(later, earlier)| graphs.edge(later, earlier));
            assert_eq!((graphs.operations(), graphs.edges()), (count.into(), u64::from(count) * 2));
            all.push((graphs.close(), operations, edges));
        }
        let mut links = Vec::new();
        for (place, operations, edges) in all {
            let mut wait: Vec<Vec<Dependency>> = vec![Vec::new(); operations.len()];
            let mut free = wait.clone();
            for (later, earlier) in edges {
                wait[later as usize].push(earlier);
                free[earlier.operation as usize].push(Dependency { operation: later, ..earlier });
            }
            assert_eq!(place.roots_end as usize, wait.iter().rposition(|w| w.is_empty()).map_or(0, |last| last + 1));
            for (i, operation) in (0..).zip(&operations) {
                let (wait, free) = (&mut wait[i as usize], &mut free[i as usize]);
                wait.sort_by_key(|link| (std::cmp::Reverse(link.operation), link.on_start));
                free.sort_by_key(|link| (link.operation, link.on_start));
                assert_eq!(graphs.left(place, i) as usize, wait.len());
                graphs.earlier(place, i, &mut links);
                assert_eq!(links, *wait);
                graphs.later(place, i, &mut links);
                assert_eq!(links, *free);
                assert!(!graphs.waited(place, i) && graphs.waited(place, i));
                assert!(!graphs.is_done(place, i) && !graphs.done(place, i) && graphs.is_done(place, i));
                assert_eq!(graphs.operation(place, i), *operation);
            }
        }
    }
}
