//! The critical path: the chain of computations and messages that ends last, and without which the run would be
//! shorter.
//!
//! It is found while the replay runs. Every rank carries the chain that led to its present state. Computation extends
//! the rank's own chain; a rank that was blocked on a message drops its chain and takes the one that arrives with the
//! message: the chain of the rank that posted the second of send and receive, followed by the message itself. So a
//! chain accounts for every instant since the start, and at the end the chain of the rank that ends last is the
//! critical path.
//!
//! The sums of a chain are a few numbers. Its messages are a list that grows at its end and shares its beginning with
//! other lists; messages that no chain needs any more are dropped immediately. Rejected: records of all messages and a
//! backward pass over them, whose memory grows with the trace.

use crate::engine::{Observer, Wakening};
use crate::mpi::messages::Envelope;
use crate::slots::store;
use serde::{Deserialize, Serialize};

/// Most messages of chains that are kept at the same time (64 MB); beyond it, only the sums continue.
const MAX_STEPS: usize = 1 << 20;

/// Longest messages that are listed.
const LISTED: usize = 10;

/// End of a list.
const NONE: u32 = u32::MAX;

/// Message on the critical path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Sending rank.
    pub from: u32,
    /// Receiving rank.
    pub to: u32,
    /// The one of them that posted last: the path comes from it.
    pub posted_by: u32,
    /// The one of them that was blocked: the path continues there.
    pub set_free: u32,
    /// Payload.
    pub bytes: u64,
    /// Seconds after the start of the run at which the transfer began.
    pub started: f64,
    /// Seconds of the transfer.
    pub seconds: f64,
}

/// Critical path of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Seconds of computation on the path.
    pub compute_seconds: f64,
    /// Seconds of latency and of overheads.
    pub latency_seconds: f64,
    /// Seconds in which messages drained through links.
    pub bandwidth_seconds: f64,
    /// Messages on the path.
    pub messages: u64,
    /// Ranks that the path goes through; `None` where the path was too long to be kept.
    pub ranks: Option<u32>,
    /// Rank with which it ends.
    pub last_rank: u32,
    /// Longest messages on the path, longest first.
    pub longest: Vec<Step>,
}

impl CriticalPath {
    /// Returns the length of the path: that of the run.
    pub fn seconds(&self) -> f64 {
        self.compute_seconds + self.latency_seconds + self.bandwidth_seconds
    }
}

/// Sums of a chain.
#[derive(Debug, Clone, Copy)]
struct Chain {
    compute: f64,
    latency: f64,
    bandwidth: f64,
    messages: u64,
    /// Last message of the chain.
    last: u32,
}

const NOTHING: Chain = Chain { compute: 0.0, latency: 0.0, bandwidth: 0.0, messages: 0, last: NONE };

#[derive(Debug, Clone, Copy)]
struct Node {
    step: Step,
    previous: u32,
    /// Number of chains that end here, and of nodes that follow.
    holders: u32,
}

/// Observer that finds the critical path of a replay.
#[derive(Debug)]
pub struct CriticalPathFinder {
    /// Chains of the ranks, then those of background collectives.
    ranks: Vec<Chain>,
    /// Rank of each; background collectives belong to theirs.
    owners: Vec<u32>,
    number: usize,
    /// Chain that each message under way brings, its envelope, the last rank to post, and its payload.
    messages: Vec<(Chain, Envelope, u32, u64)>,
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// `true` if there were too many messages to keep.
    overflown: bool,
}

impl CriticalPathFinder {
    /// Creates a finder for a replay of `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            ranks: vec![NOTHING; ranks],
            owners: (0..ranks as u32).collect(),
            number: ranks,
            messages: Vec::new(),
            nodes: Vec::new(),
            free: Vec::new(),
            overflown: false,
        }
    }

    fn hold(&mut self, node: u32) {
        if node != NONE {
            self.nodes[node as usize].holders += 1;
        }
    }

    fn let_go(&mut self, mut node: u32) {
        while node != NONE {
            let entry = &mut self.nodes[node as usize];
            entry.holders -= 1;
            if entry.holders > 0 {
                return;
            }
            self.free.push(node);
            node = entry.previous;
        }
    }

    /// Appends a message to a list, with one holder.
    fn append(&mut self, step: Step, previous: u32) -> u32 {
        if self.overflown {
            return NONE;
        }
        if self.nodes.len() - self.free.len() >= MAX_STEPS {
            self.forget_lists();
            return NONE;
        }
        self.hold(previous);
        let node = Node { step, previous, holders: 1 };
        store(&mut self.nodes, &mut self.free, node)
    }

    fn forget_lists(&mut self) {
        self.overflown = true;
        self.nodes = Vec::new();
        self.free = Vec::new();
        self.ranks.iter_mut().for_each(|chain| chain.last = NONE);
        self.messages.iter_mut().for_each(|message| message.0.last = NONE);
    }

    /// Replaces the chain of a rank or background collective by that of another one.
    fn continues(&mut self, to: u32, from: u32) {
        let chain = self.ranks[from as usize];
        self.hold(chain.last);
        let old = std::mem::replace(&mut self.ranks[to as usize], chain);
        self.let_go(old.last);
    }

    /// Returns the rank whose chain is the longest; the first of several.
    fn last_rank(&self) -> usize {
        let length = |c: &Chain| c.compute + c.latency + c.bandwidth;
        let longer = |best: usize, rank: usize| {
            if length(&self.ranks[rank]) > length(&self.ranks[best]) { rank } else { best }
        };
        (0..self.number).fold(0, longer)
    }

    /// Returns the messages on the critical path, first to last; `None` if there were too many to keep.
    pub fn steps(&self) -> Option<Vec<Step>> {
        if self.overflown {
            return None;
        }
        let mut steps = Vec::new();
        let mut at = self.ranks.get(self.last_rank())?.last;
        while at != NONE {
            let node = &self.nodes[at as usize];
            steps.push(node.step);
            at = node.previous;
        }
        steps.reverse();
        Some(steps)
    }

    /// Returns the critical path of the replay, which has ended; `None` for one without ranks.
    pub fn path(&self) -> Option<CriticalPath> {
        let last_rank = self.last_rank();
        let chain = self.ranks.get(last_rank)?;
        let steps = self.steps();
        let ranks = steps.as_ref().map(|steps| {
            let mut ranks: Vec<u32> = steps.iter().flat_map(|s| [s.from, s.to]).chain([last_rank as u32]).collect();
            ranks.sort_unstable();
            ranks.dedup();
            ranks.len() as u32
        });
        let mut longest = steps.unwrap_or_default();
        longest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.started.total_cmp(&b.started)));
        longest.truncate(LISTED);
        Some(CriticalPath {
            compute_seconds: chain.compute,
            latency_seconds: chain.latency,
            bandwidth_seconds: chain.bandwidth,
            messages: chain.messages,
            ranks,
            last_rank: last_rank as u32,
            longest,
        })
    }
}

impl Observer for CriticalPathFinder {
    fn computed(&mut self, rank: u32, _: f64, seconds: f64) {
        self.ranks[rank as usize].compute += seconds;
    }

    fn spent_overhead(&mut self, rank: u32, _: f64, seconds: f64) {
        self.ranks[rank as usize].latency += seconds;
    }

    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, _: f64) {
        let chain = self.ranks[poster as usize];
        self.hold(chain.last);
        match self.messages.get_mut(message as usize) {
            Some(entry) => {
                let old = std::mem::replace(entry, (chain, envelope, poster, bytes));
                self.let_go(old.0.last);
            }
            None => {
                // A message that was posted earlier may start later: numbers do not arrive in order.
                self.messages.resize(message as usize, (NOTHING, envelope, poster, 0));
                self.messages.push((chain, envelope, poster, bytes));
            }
        }
    }

    fn woken(&mut self, rank: u32, w: Wakening) {
        let (mut chain, envelope, posted_by, bytes) = self.messages[w.message as usize];
        let entered = w.entered.clamp(w.started, w.time.max(w.started));
        chain.latency += entered - w.started;
        chain.bandwidth += (w.time - entered).max(0.0);
        chain.messages += 1;
        let step = Step {
            from: envelope.source,
            to: envelope.destination,
            posted_by: self.owners[posted_by as usize],
            set_free: self.owners[rank as usize],
            bytes,
            started: w.started,
            seconds: w.time - w.started,
        };
        chain.last = self.append(step, chain.last);
        let old = std::mem::replace(&mut self.ranks[rank as usize], chain);
        self.let_go(old.last);
    }

    fn background_began(&mut self, background: u32, rank: u32, _: f64) {
        let places = (background as usize + 1).max(self.ranks.len());
        self.ranks.resize(places, NOTHING);
        self.owners.resize(places, rank);
        self.owners[background as usize] = rank;
        self.continues(background, rank);
    }

    fn released(&mut self, rank: u32, by: u32, _: f64, seconds: f64) {
        if seconds > 0.0 {
            self.continues(rank, by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Envelope = Envelope { source: 0, destination: 1, tag: 0, context: 0 };

    /// Rank 0 computes 3 s and sends; rank 1 has waited since its second 1. The message has 1 s of latency and takes 3
    /// s.
    #[test]
    fn the_chain_of_the_sender_comes_with_its_message() {
        let mut finder = CriticalPathFinder::new(2);
        finder.computed(1, 1.0, 1.0);
        finder.computed(0, 3.0, 3.0);
        finder.message_started(5, 0, FIRST, 10, 3.0);
        finder.woken(1, Wakening { message: 5, since: 1.0, started: 3.0, entered: 4.0, time: 6.0 });
        let path = finder.path().expect("ranks");
        assert_eq!((path.compute_seconds, path.latency_seconds, path.bandwidth_seconds), (3.0, 1.0, 2.0));
        assert_eq!((path.seconds(), path.messages, path.ranks, path.last_rank), (6.0, 1, Some(2), 1));
        assert_eq!(
            path.longest,
            [Step { from: 0, to: 1, posted_by: 0, set_free: 1, bytes: 10, started: 3.0, seconds: 3.0 }]
        );
    }

    #[test]
    fn messages_that_no_chain_needs_are_forgotten() {
        let mut finder = CriticalPathFinder::new(2);
        for round in 0..1000 {
            let time = f64::from(round);
            finder.message_started(0, 0, FIRST, 1, time);
            finder.woken(1, Wakening { message: 0, since: time, started: time, entered: time, time: time + 1.0 });
        }
        // Rank 0 never waits, so that every chain has one message.
        assert_eq!(finder.path().expect("ranks").messages, 1);
        assert!(finder.nodes.len() <= 2, "{}", finder.nodes.len());
    }

    #[test]
    fn sums_go_on_where_lists_are_too_long() {
        let mut finder = CriticalPathFinder::new(2);
        finder.computed(0, 2.0, 2.0);
        finder.forget_lists();
        finder.message_started(0, 0, FIRST, 1, 2.0);
        finder.woken(1, Wakening { message: 0, since: 0.0, started: 2.0, entered: 2.0, time: 5.0 });
        let path = finder.path().expect("ranks");
        assert_eq!((path.seconds(), path.ranks, finder.steps()), (5.0, None, None));
    }
}
