//! Totals of a trace.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::given;
use crate::trace::compact::Compact;
use crate::trace::schedule::{OperationKind, Schedule};
use crate::trace::{Action, Actions, CollectiveKind, Trace, WriteError, write};

/// Calls of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallTotal {
    /// Number of calls.
    pub calls: u64,
    /// Bytes of these calls: those of the send buffers, and for receives the capacity.
    pub bytes: u64,
    /// Bytes of the largest call.
    pub largest: u64,
}

/// Totals of a rank.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct RankTotal {
    /// Number of actions.
    pub actions: u64,
    /// Flops, including those inside collectives.
    pub flops: f64,
    /// Seconds of sleep.
    pub sleep: f64,
    /// Number of point-to-point messages sent.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes: u64,
    /// Number of calls of collectives.
    pub collectives: u64,
}

/// Point-to-point messages, and one-sided ones, from one rank to another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Volume {
    /// Number of messages.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes: u64,
}

/// Totals of a trace.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Info {
    /// Calls by name.
    pub calls: BTreeMap<&'static str, CallTotal>,
    /// Totals by rank.
    pub ranks: Vec<RankTotal>,
    /// Messages by source and destination, ascending; pairs without messages are left out.
    pub matrix: Vec<(u32, u32, Volume)>,
    /// Point-to-point messages by size: entry 0 for those of 0 bytes, entry k for those from 2^(k-1) to 2^k - 1 bytes.
    pub sizes: Vec<u64>,
    /// Estimated messages inside collectives, for the estimate of the time of a replay.
    pub collective_messages: u64,
    /// Estimated messages of alltoall and alltoallv, which are not included in `collective_messages`.
    pub exchanged_messages: u64,
}

impl Info {
    /// Computes the totals of a trace.
    pub fn of(trace: &Trace) -> Self {
        let mut info = Self { sizes: vec![0; 65], ..Self::default() };
        let mut gets = FxHashMap::default();
        for (rank, actions) in (0..).zip(&trace.actions) {
            match &trace.schedule {
                Some(schedule) => info.graph(schedule, rank),
                None => info.rank(trace, rank, actions, &mut gets),
            }
        }
        info.answer(gets);
        while info.sizes.len() > 1 && info.sizes.last() == Some(&0) {
            info.sizes.pop();
        }
        info
    }

    /// Adds the data requested from ranks to their sent data.
    fn answer(&mut self, gets: FxHashMap<(u32, u32), Volume>) {
        if gets.is_empty() {
            return;
        }
        let mut all: BTreeMap<(u32, u32), Volume> =
            self.matrix.drain(..).map(|(from, to, volume)| ((from, to), volume)).collect();
        for (pair, volume) in gets {
            let entry = all.entry(pair).or_default();
            entry.messages += volume.messages;
            entry.bytes += volume.bytes;
            let total = &mut self.ranks[pair.0 as usize];
            total.messages += volume.messages;
            total.bytes += volume.bytes;
        }
        self.matrix = all.into_iter().map(|((from, to), volume)| (from, to, volume)).collect();
    }

    /// Adds the operations of a rank whose program is a graph, by their names in the schedule.
    fn graph(&mut self, schedule: &Schedule, rank: u32) {
        let graph = &schedule.ranks[rank as usize];
        let mut total = RankTotal { actions: graph.len() as u64, ..RankTotal::default() };
        let mut row: FxHashMap<u32, Volume> = FxHashMap::default();
        for operation in graph.operations() {
            let (name, bytes) = match operation.kind {
                OperationKind::Send => ("send", operation.size),
                OperationKind::Receive => ("recv", operation.size),
                OperationKind::Calculate => ("calc", 0),
            };
            match operation.kind {
                OperationKind::Send => self.sent(&mut total, &mut row, operation.peer, bytes),
                OperationKind::Receive => {}
                OperationKind::Calculate => total.flops += operation.size as f64 * schedule.flops_per_nanosecond,
            }
            self.call(name, bytes);
        }
        self.close(rank, total, row);
    }

    /// Counts a message of a rank.
    fn sent(&mut self, total: &mut RankTotal, row: &mut FxHashMap<u32, Volume>, to: u32, bytes: u64) {
        total.messages += 1;
        total.bytes += bytes;
        let pair = row.entry(to).or_default();
        pair.messages += 1;
        pair.bytes += bytes;
        self.sizes[size_class(bytes)] += 1;
    }

    /// Counts a call.
    fn call(&mut self, name: &'static str, bytes: u64) {
        let call = self.calls.entry(name).or_default();
        call.calls += 1;
        call.bytes += bytes;
        call.largest = call.largest.max(bytes);
    }

    /// Adds the totals of a rank and the volume of its messages by destination.
    fn close(&mut self, rank: u32, total: RankTotal, row: FxHashMap<u32, Volume>) {
        let mut row: Vec<(u32, Volume)> = row.into_iter().collect();
        row.sort_unstable_by_key(|&(to, _)| to);
        self.matrix.extend(row.into_iter().map(|(to, volume)| (rank, to, volume)));
        self.ranks.push(total);
    }

    fn rank(&mut self, trace: &Trace, rank: u32, actions: &Actions, gets: &mut FxHashMap<(u32, u32), Volume>) {
        let mut total = RankTotal { actions: actions.len() as u64, ..RankTotal::default() };
        let mut row: FxHashMap<u32, Volume> = FxHashMap::default();
        for action in actions {
            let (mut name, mut bytes, mut sent) = (action.name(), 0, None);
            match action {
                Action::Compute { flops } => total.flops += flops,
                Action::Sleep { seconds } => total.sleep += seconds.max(0.0),
                Action::Send { to, count, datatype, .. }
                | Action::Isend { to, count, datatype, .. }
                | Action::Put { to, count, datatype, .. }
                | Action::Accumulate { to, count, datatype, .. } => {
                    bytes = datatype.bytes(count);
                    sent = Some(to);
                }
                Action::Get { from, count, datatype, .. } => {
                    bytes = datatype.bytes(count);
                    let pair = gets.entry((from, rank)).or_default();
                    pair.messages += 1;
                    pair.bytes += bytes;
                    self.sizes[size_class(bytes)] += 1;
                }
                Action::Fence { window } => {
                    self.collective_messages +=
                        messages_inside(CollectiveKind::Barrier, trace.members(window).size() as u64);
                }
                Action::Recv { count, datatype, .. } | Action::Irecv { count, datatype, .. } => {
                    bytes = if count == crate::trace::UNKNOWN_COUNT { 0 } else { datatype.bytes(count) };
                }
                Action::SendRecv { index } => {
                    let entry = &trace.sendrecvs[index as usize];
                    bytes = entry.send_type.bytes(entry.send_count);
                    sent = Some(entry.to);
                }
                Action::Collective { index } | Action::Start { index, .. } => {
                    let call = &trace.collectives[index as usize];
                    let blocks = matches!(action, Action::Collective { .. });
                    name = if blocks { call.kind.name() } else { call.kind.nonblocking_name() };
                    bytes = given(trace, call, rank);
                    total.flops += call.flops;
                    total.collectives += 1;
                    let exchanges = matches!(call.kind, CollectiveKind::Alltoall | CollectiveKind::Alltoallv);
                    let total = if exchanges { &mut self.exchanged_messages } else { &mut self.collective_messages };
                    *total += messages_inside(call.kind, trace.members(call.communicator).size() as u64);
                }
                _ => {}
            }
            if let Some(to) = sent {
                self.sent(&mut total, &mut row, to, bytes);
            }
            self.call(name, bytes);
        }
        self.close(rank, total, row);
    }

    /// Returns the sum of something over all ranks.
    pub fn sum<T: std::iter::Sum>(&self, what: impl Fn(&RankTotal) -> T) -> T {
        self.ranks.iter().map(what).sum()
    }

    /// Returns the mean and the largest value of something over all ranks.
    pub fn mean_and_largest(&self, what: impl Fn(&RankTotal) -> f64) -> (f64, f64) {
        let sum: f64 = self.ranks.iter().map(&what).sum();
        (sum / self.ranks.len().max(1) as f64, self.ranks.iter().map(&what).fold(0.0, f64::max))
    }

    /// Returns a rough estimate of the seconds that a replay takes on one core: 30 ns per action, 450 ns per message,
    /// and for a message of an all-to-all exchange, whose messages are in flight together, that time multiplied by half
    /// the square root of the number of ranks. Measured on traces of 64 ranks, and one exchange of 1,024, on tori and
    /// random networks and a core of about 3 GHz, where estimates for runs of more than some hundredths of a second are
    /// right within a factor of about two.
    pub fn replay_seconds(&self) -> f64 {
        let messages = (self.sum(|rank| rank.messages) + self.collective_messages) as f64;
        let together = ((self.ranks.len() as f64).sqrt() / 2.0).max(1.0);
        let actions = self.sum(|rank| rank.actions) as f64;
        actions * 30e-9 + (messages + self.exchanged_messages as f64 * together) * 450e-9
    }
}

/// Returns the entry of [`Info::sizes`] for a number of bytes.
fn size_class(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}

/// Returns the approximate number of messages that one rank sends inside a collective: log2 of the ranks for trees and
/// exchanges, one per other rank if each has data for each.
fn messages_inside(kind: CollectiveKind, ranks: u64) -> u64 {
    use CollectiveKind as K;
    let logarithm = u64::from(u64::BITS - ranks.saturating_sub(1).leading_zeros());
    match kind {
        K::Bcast | K::Reduce | K::Gather | K::Scatter | K::Gatherv | K::Scatterv => 1,
        K::Barrier | K::Allreduce | K::Scan | K::Exscan => logarithm,
        K::Alltoall | K::Alltoallv | K::Allgather | K::Allgatherv | K::ReduceScatter => ranks.saturating_sub(1),
    }
}

/// Writer that counts bytes.
#[derive(Default)]
struct ByteCounter(u64);

impl std::io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the compressed size of a trace: bytes in the compact form, and bytes of that compressed by zstd (level 3).
/// `None` for graphs, which that form does not express.
///
/// # Errors
/// [`WriteError`], which does not occur while memory is available.
pub fn compressed(trace: &Trace) -> Result<Option<(u64, u64)>, WriteError> {
    if trace.schedule.is_some() {
        return Ok(None);
    }
    let mut plain = ByteCounter::default();
    write(trace, &Compact, &mut plain)?;
    let mut packed = zstd::Encoder::new(ByteCounter::default(), 3)?;
    write(trace, &Compact, &mut packed)?;
    Ok(Some((plain.0, packed.finish()?.0)))
}
