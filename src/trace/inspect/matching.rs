//! Checks that the actions of the ranks match: sends and receives, and collectives of the members of a communicator.
//!
//! It observes the running ranks, so that matched pairs are forgotten immediately: only operations in progress and
//! unmatched ones are kept.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::check::{Finding, Severity, Tally};
use super::deadlock::{Call, Meeting, Side, Watch};
use super::sizes::{Difference, MetCalls};
use crate::trace::communicator::Sequence;
use crate::trace::{CollectiveCall, CollectiveKind, Datatype, Trace, Triple, UNKNOWN_COUNT};

/// Entries of collectives that agree and are remembered: 16 MiB.
const MOST_REMEMBERED: usize = 1 << 22;
/// Counts of partners that the description of a call shows.
const MOST_COUNTS: usize = 16;

/// A posted send or receive.
struct Half {
    action: usize,
    count: u32,
    datatype: Datatype,
}

impl Half {
    fn bytes(&self) -> u64 {
        self.datatype.bytes(self.count)
    }
}

/// Sends or receives of a triple that wait for their counterparts: all of them are sends, or all are receives.
struct Waiting {
    sends: bool,
    halves: VecDeque<Half>,
}

/// Matches sends with receives, and calls of collectives with each other.
pub(super) struct Matching<'a> {
    trace: &'a Trace,
    waiting: FxHashMap<Triple, Waiting>,
    /// Ranks whose collectives were found to differ.
    different: FxHashMap<Sequence, FxHashSet<u32>>,
    sizes: Tally,
    types: Tally,
    larger: Tally,
    collectives: Tally,
    /// Collectives whose members disagree on sizes.
    blocks: Tally,
    /// Entries of the table of collectives that were called together and agree, by member.
    agreed: FxHashSet<Vec<u32>>,
    /// Number of all entries of these.
    remembered: usize,
}

impl Watch for Matching<'_> {
    const SEES_ALL: bool = true;

    fn posted(&mut self, _: u32, action: usize, side: Side) {
        let Side { triple, sends, count, datatype } = side;
        let half = Half { action, count, datatype };
        let waiting = self.waiting.entry(triple).or_insert_with(|| Waiting { sends, halves: VecDeque::new() });
        if waiting.sends == sends {
            waiting.halves.push_back(half);
            return;
        }
        let Some(other) = waiting.halves.pop_front() else { return };
        if waiting.halves.is_empty() {
            self.waiting.remove(&triple);
        }
        match sends {
            true => self.message(triple, &half, &other),
            false => self.message(triple, &other, &half),
        }
    }

    /// Compares the calls of a collective with that of the first rank. Later calls of a rank that differs are not
    /// compared, since they differ as a consequence.
    fn met(&mut self, (sequence, number): Meeting, first: u32, calls: &[Call]) {
        let (trace, number) = (self.trace, number + 1);
        let different = self.different.entry(sequence).or_default();
        let entry_of_first = calls.iter().find(|call| call.rank == first).map(|call| call.entry);
        let mut compare = |rank: u32, call: Option<Call>| {
            let entry = call.map(|call| call.entry);
            let same =
                entry == entry_of_first || entry.map(|e| common(trace, e)) == entry_of_first.map(|e| common(trace, e));
            if same || !different.insert(rank) {
                return;
            }
            let at = call.map_or(trace.actions[rank as usize].len().saturating_sub(1), |call| call.action);
            self.collectives.add(rank, at, || {
                let on = match sequence.0.index() {
                    None => String::new(),
                    Some(_) => format!(" of communicator {}", sequence.0.number()),
                };
                let (there, here) = (say(trace, sequence, entry_of_first), say(trace, sequence, entry));
                format!("collective number {number}{on} is {there} on rank {first}, {here} here")
            });
        };
        let members = trace.members(sequence.0);
        if calls.len() == members.size() {
            calls.iter().for_each(|call| compare(call.rank, Some(*call)));
        } else {
            let by_rank: FxHashMap<u32, Call> = calls.iter().map(|call| (call.rank, *call)).collect();
            members.ranks().for_each(|rank| compare(rank, by_rank.get(&rank).copied()));
        }
        self.compare_sizes(sequence, number, calls);
    }
}

impl<'a> Matching<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        Self {
            trace,
            waiting: FxHashMap::default(),
            different: FxHashMap::default(),
            sizes: Tally::default(),
            types: Tally::default(),
            larger: Tally::default(),
            collectives: Tally::default(),
            blocks: Tally::default(),
            agreed: FxHashSet::default(),
            remembered: 0,
        }
    }

    /// Compares the sizes of what members of a collective send with what others expect. Calls with the same entries, as
    /// in each iteration of a loop, are compared once.
    fn compare_sizes(&mut self, sequence: Sequence, number: u64, calls: &[Call]) {
        let members = self.trace.members(sequence.0);
        let Some(met) = MetCalls::of(self.trace, members, calls) else { return };
        let entries: Vec<u32> = met.entries().collect();
        if self.agreed.contains(&entries) {
            return;
        }
        let Some(Difference { rank, action, from, sent, expected }) = met.difference() else {
            if self.remembered > MOST_REMEMBERED {
                self.agreed.clear();
                self.remembered = 0;
            }
            self.remembered += entries.len();
            self.agreed.insert(entries);
            return;
        };
        self.blocks.add(rank, action, || {
            let name = met.call(0).kind.name();
            format!(
                "in collective number {number}, {name}, rank {from} sends {sent} bytes to rank {rank}, which expects {expected}"
            )
        });
    }

    /// Checks that size and type of a matched send and receive agree.
    fn message(&mut self, (source, destination, tag): Triple, send: &Half, receive: &Half) {
        let at = receive.action;
        if receive.count == UNKNOWN_COUNT {
            return;
        }
        let (bytes, room) = (send.bytes(), receive.bytes());
        if bytes > room {
            self.sizes.add(destination, at, || {
                format!("{bytes} bytes from rank {source} with tag {tag} arrive in a receive of {room} bytes")
            });
        } else if bytes < room {
            self.larger.add(destination, at, || {
                format!("a receive of {room} bytes takes {bytes} bytes from rank {source} with tag {tag}")
            });
        }
        let wild = |datatype| matches!(datatype, Datatype::BYTE | Datatype::NULL);
        if send.datatype != receive.datatype && !wild(send.datatype) && !wild(receive.datatype) {
            self.types.add(destination, at, || {
                let (sent, received) = (send.datatype.name(), receive.datatype.name());
                format!("a message from rank {source} with tag {tag} is sent as {sent}, received as {received}")
            });
        }
    }

    /// Adds the findings, once all ranks have run.
    pub fn finish(self, findings: &mut Vec<Finding>) {
        let [mut sends, mut receives] = [(); 2].map(|()| Tally::default());
        for (&(source, destination, tag), Waiting { sends: sent, halves }) in &self.waiting {
            for half in halves {
                if *sent {
                    sends.add(source, half.action, || {
                        format!("a message to rank {destination} with tag {tag} is never received")
                    });
                } else {
                    receives.add(destination, half.action, || {
                        format!("a message from rank {source} with tag {tag} is never sent")
                    });
                }
            }
        }
        findings.extend(sends.finding(Severity::Error, "unmatched-send"));
        findings.extend(receives.finding(Severity::Error, "unmatched-receive"));
        findings.extend(self.sizes.finding(Severity::Error, "truncated-message"));
        findings.extend(self.types.finding(Severity::Error, "different-types"));
        findings.extend(self.larger.finding(Severity::Note, "larger-receive"));
        findings.extend(self.collectives.finding(Severity::Error, "different-collectives"));
        findings.extend(self.blocks.finding(Severity::Error, "different-sizes"));
    }
}

/// Parts of a collective that have to be the same on all members.
#[derive(PartialEq)]
struct Common<'a> {
    kind: CollectiveKind,
    root: u32,
    bytes: Option<u64>,
    /// Counts of all members, where each passes all of them and sends to none in particular.
    counts: &'a [u32],
}

/// Returns the parts of a collective that have to be the same on all members; `None` for a fence.
fn common(trace: &Trace, entry: Option<u32>) -> Option<Common<'_>> {
    use CollectiveKind as K;
    let call: &CollectiveCall = &trace.collectives[entry? as usize];
    let (bytes, counts): (_, &[u32]) = match call.kind {
        K::ReduceScatter => {
            let counts = trace.counts(call.recv_counts);
            let sum: u64 = counts.iter().map(|&c| u64::from(c)).sum();
            (Some(sum * call.send_type.size()), counts)
        }
        _ => (call.bytes_of_all(), &[]),
    };
    Some(Common { kind: call.kind, root: call.root, bytes, counts })
}

/// Describes a call of a sequence in words.
fn say(trace: &Trace, (_, blocks): Sequence, entry: Option<Option<u32>>) -> String {
    let Some(entry) = entry else { return "nothing".to_owned() };
    let Some(Common { kind, root, bytes, counts }) = common(trace, entry) else { return "fence".to_owned() };
    let bytes = bytes.map(|bytes| format!(" of {bytes} bytes")).unwrap_or_default();
    let root = if kind.has_root() { format!(", root {root}") } else { String::new() };
    let shown: Vec<String> = counts.iter().take(MOST_COUNTS).map(u32::to_string).collect();
    let more = if counts.len() > MOST_COUNTS { ", ..." } else { "" };
    let counts = if counts.is_empty() { String::new() } else { format!(" with counts {}{more}", shown.join(", ")) };
    format!("{}{bytes}{counts}{root}", if blocks { kind.name() } else { kind.nonblocking_name() })
}
