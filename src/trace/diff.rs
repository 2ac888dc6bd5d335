//! Differences between two traces that matter to a network: messages between each pair of ranks, collectives in order,
//! amounts of computation.
//!
//! Computation is not compared action by action: a recorded trace has a computation wherever its program computed for
//! longer than the recorder's resolution, and the amounts include the noise of a machine.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::inspect::{Info, Volume, given};
use super::{Action, CollectiveCall, CollectiveKind, CommunicatorId, Datatype, MemberList, Trace};

/// Counts of partners that the description of a call shows.
const MOST_COUNTS: usize = 16;

/// Ordered pair of ranks whose messages differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairDifference {
    /// Source rank.
    pub from: u32,
    /// Destination rank.
    pub to: u32,
    /// Volume in the first trace.
    pub first: Volume,
    /// Volume in the second trace.
    pub second: Volume,
}

/// Number and bytes of the calls of a kind in both traces.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallCount {
    /// Calls in the first trace.
    pub first: u64,
    /// Bytes of the send buffers of these calls.
    pub first_bytes: u64,
    /// Calls in the second trace.
    pub second: u64,
    /// Bytes of the calls in the second trace.
    pub second_bytes: u64,
}

/// First difference of two traces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallDifference {
    /// Rank with the difference.
    pub rank: u32,
    /// Number of preceding calls of the compared kind.
    pub call: usize,
    /// Call in the first trace; empty if it has no more.
    pub first: String,
    /// Call in the second trace; empty if it has no more.
    pub second: String,
}

/// Differences between two traces.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Difference {
    /// Numbers of ranks of both traces.
    pub ranks: (usize, usize),
    /// Flops of both traces, with those that reductions name.
    pub flops: (f64, f64),
    /// All calls by name.
    pub calls: BTreeMap<&'static str, CallCount>,
    /// Ordered pairs of ranks that exchange messages in either trace.
    pub pairs: u64,
    /// Pairs whose number of messages, or whose sizes, differ.
    pub different_pairs: Vec<PairDifference>,
    /// Number of ranks whose collectives differ in kind, order, root or type, or in counts that are the same for all
    /// partners.
    pub different_collectives: u64,
    /// Number of ranks whose collectives differ in counts per partner.
    pub different_counts: u64,
    /// First collective that differs, including counts per partner.
    pub first_collective: Option<CallDifference>,
    /// Number of ranks with other calls, or another order, ignoring computation.
    pub different_order: u64,
    /// The first such difference.
    pub first_order: Option<CallDifference>,
}

impl Difference {
    /// Compares two traces.
    pub fn of(first: &Trace, second: &Trace) -> Self {
        let mut difference = Self { ranks: (first.ranks(), second.ranks()), ..Self::default() };
        difference.count(first, false);
        difference.count(second, true);
        difference.compare_messages(first, second);
        for rank in 0..first.ranks().max(second.ranks()) {
            difference.compare_rank(rank, first, second);
        }
        difference
    }

    /// Returns `true` if both traces have the same load on a network: the same messages between all ranks, the same
    /// collectives.
    pub fn same_communication(&self) -> bool {
        self.ranks.0 == self.ranks.1
            && self.different_pairs.is_empty()
            && self.different_collectives == 0
            && self.different_counts == 0
    }

    fn count(&mut self, trace: &Trace, second: bool) {
        let sum = if second { &mut self.flops.1 } else { &mut self.flops.0 };
        for (rank, action) in
            (0..).zip(&trace.actions).flat_map(|(rank, actions)| actions.iter().map(move |a| (rank, a)))
        {
            *sum += match action {
                Action::Compute { flops } => flops,
                other => other.collective().map_or(0.0, |index| trace.collectives[index as usize].flops),
            };
            let of_collective =
                || action.collective().map(|index| given(trace, &trace.collectives[index as usize], rank));
            let bytes = message(trace, rank, &action).map(|(_, bytes)| bytes).or_else(of_collective).unwrap_or(0);
            let name = match action {
                Action::Collective { index } => trace.collectives[index as usize].kind.name(),
                Action::Start { index, .. } => trace.collectives[index as usize].kind.nonblocking_name(),
                other => other.name(),
            };
            let entry = self.calls.entry(name).or_default();
            if second {
                entry.second += 1;
                entry.second_bytes += bytes;
            } else {
                entry.first += 1;
                entry.first_bytes += bytes;
            }
        }
    }

    /// Compares messages by source and destination. The data of a get comes from the other rank, and counts there.
    fn compare_messages(&mut self, first: &Trace, second: &Trace) {
        let mut pairs: BTreeMap<(u32, u32), (Volume, Volume)> = BTreeMap::new();
        for (from, to, volume) in Info::of(first).matrix {
            pairs.entry((from, to)).or_default().0 = volume;
        }
        for (from, to, volume) in Info::of(second).matrix {
            pairs.entry((from, to)).or_default().1 = volume;
        }
        self.pairs = pairs.len() as u64;
        let differ = pairs_of_other_sizes(first, second);
        let different = pairs.into_iter().filter(|(pair, _)| differ.contains(pair));
        self.different_pairs =
            different.map(|((from, to), (first, second))| PairDifference { from, to, first, second }).collect();
    }

    fn compare_rank(&mut self, rank: usize, first: &Trace, second: &Trace) {
        let actions = |trace: &'_ Trace| -> Vec<Action> {
            let all = trace.actions.get(rank).into_iter().flatten();
            all.filter(|a| !matches!(a, Action::Compute { .. })).collect()
        };
        let (a, b) = (actions(first), actions(second));
        let rank = rank as u32;
        // Collectives in order.
        let calls = |trace: &Trace, actions: &[Action]| -> Vec<(CollectiveShape, Vec<u32>)> {
            actions
                .iter()
                .filter_map(|action| Some((action, &trace.collectives[action.collective()? as usize])))
                .map(|(action, call)| (CollectiveShape::of(trace, action, call), vectors(trace, call)))
                .collect()
        };
        let (x, y) = (calls(first, &a), calls(second, &b));
        let kinds =
            |list: &[(CollectiveShape, Vec<u32>)]| list.iter().map(|(call, _)| call.clone()).collect::<Vec<_>>();
        self.different_collectives += u64::from(kinds(&x) != kinds(&y));
        self.different_counts += u64::from(kinds(&x) == kinds(&y) && x != y);
        if self.first_collective.is_none() && x != y {
            let call = (0..).find(|&i| x.get(i) != y.get(i)).unwrap_or(0);
            let say = |list: &[(CollectiveShape, Vec<u32>)]| {
                list.get(call).map(|(call, counts)| call.text(counts)).unwrap_or_default()
            };
            self.first_collective = Some(CallDifference { rank, call, first: say(&x), second: say(&y) });
        }
        // All calls in order.
        let same = |i: usize| match (a.get(i), b.get(i)) {
            (Some(p), Some(q)) => same_action(first, p, second, q),
            _ => false,
        };
        if a.len() != b.len() || (0..a.len()).any(|i| !same(i)) {
            self.different_order += 1;
            if self.first_order.is_none() {
                let call = (0..).find(|&i| !same(i)).unwrap_or(0);
                let say = |trace: &Trace, list: &[Action]| {
                    list.get(call).map(|action| super::ti::text(trace, action)).unwrap_or_default()
                };
                self.first_order = Some(CallDifference { rank, call, first: say(first, &a), second: say(second, &b) });
            }
        }
    }
}

/// Returns source, destination and bytes of the message of an action: a send, or a one-sided operation.
fn message(trace: &Trace, rank: u32, action: &Action) -> Option<((u32, u32), u64)> {
    Some(match *action {
        Action::Send { to, count, datatype, .. }
        | Action::Isend { to, count, datatype, .. }
        | Action::Put { to, count, datatype, .. }
        | Action::Accumulate { to, count, datatype, .. } => ((rank, to), datatype.bytes(count)),
        Action::Get { from, count, datatype, .. } => ((from, rank), datatype.bytes(count)),
        Action::SendRecv { index } => {
            let entry = &trace.sendrecvs[index as usize];
            ((rank, entry.to), entry.send_type.bytes(entry.send_count))
        }
        _ => return None,
    })
}

/// Returns the pairs of ranks whose messages differ in number or sizes, in whatever order these are sent.
fn pairs_of_other_sizes(first: &Trace, second: &Trace) -> FxHashSet<(u32, u32)> {
    // Messages of each pair and size in the first trace, without as many in the second.
    let mut left: FxHashMap<((u32, u32), u64), i64> = FxHashMap::default();
    for (trace, step) in [(first, 1), (second, -1)] {
        for (rank, actions) in (0..).zip(&trace.actions) {
            for message in actions.iter().filter_map(|action| message(trace, rank, &action)) {
                *left.entry(message).or_default() += step;
            }
        }
    }
    left.into_iter().filter(|(_, count)| *count != 0).map(|((pair, _), _)| pair).collect()
}

/// Parts of a collective that do not depend on the data.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CollectiveShape {
    kind: CollectiveKind,
    /// `true` if it blocks.
    blocks: bool,
    /// Members of its communicator; `None` for all ranks.
    members: Option<MemberList>,
    root: u32,
    sent: u64,
    received: u64,
}

impl CollectiveShape {
    fn of(trace: &Trace, action: &Action, call: &CollectiveCall) -> Self {
        // In calls with a count per partner the single counts are sizes of buffers.
        let single = call.send_counts.len == 0 && call.recv_counts.len == 0;
        let size = |count, datatype: Datatype| if single { datatype.bytes(count) } else { 0 };
        Self {
            kind: call.kind,
            blocks: matches!(action, Action::Collective { .. }),
            members: members(trace, call.communicator),
            root: call.root,
            sent: size(call.send_count, call.send_type),
            received: size(call.recv_count, call.recv_type),
        }
    }

    /// Describes the call; `counts` are those of each partner, if it has them.
    fn text(&self, counts: &[u32]) -> String {
        let name = if self.blocks { self.kind.name() } else { self.kind.nonblocking_name() };
        let what = match self.kind {
            CollectiveKind::Barrier => name.to_owned(),
            _ if !counts.is_empty() => {
                let shown: Vec<String> = counts.iter().take(MOST_COUNTS).map(u32::to_string).collect();
                let more = if counts.len() > MOST_COUNTS { ", ..." } else { "" };
                format!("{name} with counts {}{more}", shown.join(", "))
            }
            kind if kind.has_root() => format!("{name} of {} bytes, root {}", self.sent, self.root),
            _ => format!("{name} of {} bytes", self.sent),
        };
        match &self.members {
            Some(members) => format!("{what}, on {} ranks from rank {} on", members.len(), members[0]),
            None => what,
        }
    }
}

fn members(trace: &Trace, id: CommunicatorId) -> Option<MemberList> {
    Some(trace.communicators[id.index()?].clone())
}

fn vectors(trace: &Trace, call: &CollectiveCall) -> Vec<u32> {
    [call.send_counts, call.recv_counts].iter().flat_map(|&counts| trace.counts(counts)).copied().collect()
}

fn same_action(first: &Trace, a: &Action, second: &Trace, b: &Action) -> bool {
    match (a, b) {
        (Action::SendRecv { index: i }, Action::SendRecv { index: j }) => {
            first.sendrecvs[*i as usize] == second.sendrecvs[*j as usize]
        }
        (Action::Collective { index: i }, Action::Collective { index: j })
        | (Action::Start { index: i, .. }, Action::Start { index: j, .. }) => {
            let (x, y) = (&first.collectives[*i as usize], &second.collectives[*j as usize]);
            CollectiveShape::of(first, a, x) == CollectiveShape::of(second, b, y)
                && vectors(first, x) == vectors(second, y)
        }
        _ => match (window(a), window(b)) {
            // Numbers of communicators are meaningful only within their trace.
            (Some((x, a)), Some((y, b))) => a == b && members(first, x) == members(second, y),
            _ => a == b,
        },
    }
}

/// Returns the window of a one-sided operation, and the operation as if it were on the window of all ranks.
fn window(action: &Action) -> Option<(CommunicatorId, Action)> {
    let mut plain = *action;
    match &mut plain {
        Action::Put { window, .. }
        | Action::Get { window, .. }
        | Action::Accumulate { window, .. }
        | Action::Fence { window }
        | Action::Flush { window, .. } => Some((std::mem::take(window), plain)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Options, read_from};

    #[test]
    fn flops_of_reductions_count() {
        let read = |text: &str| read_from(text.as_bytes(), "t", &Options::default()).unwrap();
        let first = read("0 compute 5\n0 allreduce 8 7 6\n1 allreduce 8 7 6\n");
        let second = read("0 compute 5\n0 allreduce 8 0 6\n1 allreduce 8 0 6\n");
        assert_eq!(Difference::of(&first, &second).flops, (19.0, 5.0));
    }

    #[test]
    fn a_put_and_a_get_of_the_same_bytes_are_the_same_messages() {
        let read = |text: &str| read_from(text.as_bytes(), "t", &Options::default()).unwrap();
        // In both traces rank 0 sends to 1 and receives from 2; they differ in the initiator.
        let first = read("0 put 1 8 6\n2 get 0 4 6\n1 fence\n");
        let second = read("0 put 2 4 6\n1 get 0 8 6\n2 fence\n");
        let difference = Difference::of(&first, &second);
        assert_eq!((difference.pairs, &difference.different_pairs[..]), (2, &[][..]));
        let third = read("0 put 2 4 6\n1 get 0 9 6\n2 fence\n");
        let volume = |bytes| Volume { messages: 1, bytes };
        let pair = PairDifference { from: 0, to: 1, first: volume(8), second: volume(9) };
        assert_eq!(Difference::of(&first, &third).different_pairs, [pair]);
    }

    #[test]
    fn sizes_of_single_messages_count_and_their_order_does_not() {
        let read = |text: &str| read_from(text.as_bytes(), "t", &Options::default()).unwrap();
        let of =
            |a: u32, b: u32| read(&format!("0 send 1 0 {a} 6\n0 send 1 0 {b} 6\n1 recv 0 0 {a} 6\n1 recv 0 0 {b} 6\n"));
        assert!(Difference::of(&of(100, 200), &of(200, 100)).same_communication());
        let difference = Difference::of(&of(100, 200), &of(150, 150));
        assert!(!difference.same_communication());
        assert_eq!(difference.different_pairs.len(), 1);
        // No other division of the same bytes is the same.
        assert!((1..150).all(|size| !Difference::of(&of(150, 150), &of(size, 300 - size)).same_communication()));
    }

    #[test]
    fn counts_of_partners_are_shown() {
        let read = |text: &str| read_from(text.as_bytes(), "t", &Options::default()).unwrap();
        let of = |count: u32| read(&format!("0 alltoallv 0 1 {count} 0 1 2 6 6\n1 alltoallv 0 1 2 0 {count} 2 6 6\n"));
        let first = Difference::of(&of(70), &of(90)).first_collective.unwrap();
        assert_eq!(
            [&first.first, &first.second],
            ["alltoallv with counts 1, 70, 1, 2", "alltoallv with counts 1, 90, 1, 2"]
        );
    }
}
