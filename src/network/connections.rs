//! Connections: messages of one pair of ranks, one behind the other.
//!
//! An MPI library has one connection for each pair of processes (a TCP socket, a queue pair), and what it writes there
//! arrives in that order. So a transfer competes for bandwidth when its latency is over and all that were put on its
//! connection before it have arrived: it begins at `max(start + latency, end of the one in front)`. Latencies overlap with
//! what is in front, as bytes of the next message follow directly behind those of the last.
//!
//! A connection is a linked list through its transfers. The table of connections keeps the last transfer of each pair,
//! even after it has arrived, so a transfer costs one lookup of its pair, and its completion none. Rejected: a queue
//! for each pair, which would need a lookup at each completion; lists at routes, since several pairs share a route
//! where hosts have several ranks, and one pair has several routes where each message chooses.

use rustc_hash::FxHashMap;

/// No transfer.
const NONE: u32 = u32::MAX;

/// State of a transfer on its connection.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Standing {
    /// It is not under way.
    #[default]
    Gone,
    /// Joins its connection when its latency is over: its control messages go first, and other transfers may overtake
    /// it.
    Apart,
    /// Other transfers are ahead of it; its latency is not over.
    Behind,
    /// Other transfers are ahead of it; its latency is over.
    Ready,
    /// First on its connection.
    First,
}

/// A transfer on its connection.
#[derive(Clone, Copy, Default, Debug)]
struct Queued {
    pair: (u32, u32),
    /// The transfer behind it.
    next: u32,
    standing: Standing,
}

/// Connections of all pairs of ranks.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Transfer that was last added to the connection of a pair (sender, receiver).
    last: FxHashMap<u64, u32>,
    /// Indexed by transfer.
    places: Vec<Queued>,
}

impl Connections {
    /// Starts a transfer between a pair of ranks (sender, receiver). `apart`: it joins its connection only when its
    /// latency is over.
    #[inline(never)] // Replays without connections would pay for registers.
    pub fn start(&mut self, transfer: u32, pair: (u32, u32), apart: bool) {
        if transfer as usize >= self.places.len() {
            self.places.resize(transfer as usize + 1, Queued::default());
        }
        self.places[transfer as usize] = Queued { pair, next: NONE, standing: Standing::Apart };
        if !apart {
            self.join(transfer);
        }
    }

    /// Appends a transfer to its connection.
    #[inline]
    fn join(&mut self, transfer: u32) {
        let pair = self.places[transfer as usize].pair;
        let last = self.last.entry(u64::from(pair.0) << 32 | u64::from(pair.1)).or_insert(NONE);
        let front = std::mem::replace(last, transfer);
        // The entry may be stale: the number of a transfer that has arrived may be reused by one of another pair, or by
        // one that is not on its connection yet. It cannot be another transfer on this connection, which would have
        // become the last entry.
        let standing = match self.places.get_mut(front as usize) {
            Some(Queued { pair: other, next, standing: Standing::Behind | Standing::Ready | Standing::First })
                if *other == pair =>
            {
                *next = transfer;
                Standing::Behind
            }
            _ => Standing::First,
        };
        self.places[transfer as usize].standing = standing;
    }

    /// Returns whether a transfer competes for bandwidth now that its latency is over; otherwise it does when
    /// [`end`](Self::end) returns it.
    #[inline(never)]
    pub fn enters(&mut self, transfer: u32) -> bool {
        if self.places[transfer as usize].standing == Standing::Apart {
            self.join(transfer);
        }
        let standing = &mut self.places[transfer as usize].standing;
        if *standing == Standing::Behind {
            *standing = Standing::Ready;
        }
        *standing == Standing::First
    }

    /// Removes a transfer that has arrived. Returns the one behind it if it was waiting for this one alone.
    #[inline]
    pub fn end(&mut self, transfer: u32) -> Option<u32> {
        let place = &mut self.places[transfer as usize];
        place.standing = Standing::Gone;
        let next = place.next;
        let behind = self.places.get_mut(next as usize)?;
        let ready = behind.standing == Standing::Ready;
        behind.standing = Standing::First;
        ready.then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, VecDeque};

    #[test]
    fn transfers_of_a_pair_wait_for_the_one_in_front() {
        let mut lines = Connections::default();
        (0..3).for_each(|transfer| lines.start(transfer, (0, 1), false));
        lines.start(3, (1, 0), false);
        assert!(lines.enters(3), "the way back is another connection");
        assert!(!lines.enters(1), "a short latency does not let it pass");
        assert!(lines.enters(0));
        assert_eq!(lines.end(0), Some(1));
        assert_eq!(lines.end(1), None, "its latency goes on");
        assert!(lines.enters(2));
        assert_eq!(lines.end(2), None);
        lines.start(0, (0, 1), false);
        assert!(lines.enters(0), "nothing is in front any more");
    }

    #[test]
    fn a_transfer_behind_control_messages_lets_others_pass() {
        let mut lines = Connections::default();
        lines.start(0, (0, 1), true);
        lines.start(1, (0, 1), false);
        assert!(lines.enters(1));
        assert!(!lines.enters(0));
        lines.start(2, (0, 1), false);
        assert_eq!(lines.end(1), Some(0));
        assert!(!lines.enters(2));
        assert_eq!(lines.end(0), Some(2));
    }

    proptest! {
        /// Compares with a queue for each pair, with numbers that are reused immediately.
        #[test]
        fn connections_are_queues(steps in prop::collection::vec((0u32..3, 0u32..3, 0u8..3, any::<bool>()), 1..200)) {
            let mut lines = Connections::default();
            let mut queues: BTreeMap<(u32, u32), VecDeque<u32>> = BTreeMap::new();
            // By transfer: its pair, whether its latency is over, whether it is on its connection.
            let mut transfers: Vec<Option<((u32, u32), bool)>> = Vec::new();
            for (a, b, what, apart) in steps {
                let known: Vec<u32> = (0..transfers.len() as u32).filter(|&t| transfers[t as usize].is_some()).collect();
                let picked = known.get((a * 3 + b) as usize % known.len().max(1)).copied();
                match (what, picked) {
                    (1, Some(t)) => {
                        let (pair, entered) = transfers[t as usize].expect("known");
                        if entered { continue }
                        let queue = queues.entry(pair).or_default();
                        if !queue.contains(&t) {
                            queue.push_back(t);
                        }
                        prop_assert_eq!(lines.enters(t), queue[0] == t);
                        transfers[t as usize] = Some((pair, true));
                    }
                    (2, Some(t)) => {
                        let (pair, entered) = transfers[t as usize].expect("known");
                        let queue = queues.entry(pair).or_default();
                        if !entered || queue[0] != t { continue }
                        queue.pop_front();
                        transfers[t as usize] = None;
                        let next = queue.front().copied().filter(|&next| transfers[next as usize].expect("queued").1);
                        prop_assert_eq!(lines.end(t), next);
                    }
                    _ => {
                        let free = transfers.iter().position(Option::is_none).unwrap_or(transfers.len());
                        if free == transfers.len() {
                            transfers.push(None);
                        }
                        transfers[free] = Some(((a, b), false));
                        lines.start(free as u32, (a, b), apart);
                        if !apart {
                            queues.entry((a, b)).or_default().push_back(free as u32);
                        }
                    }
                }
            }
        }
    }
}
