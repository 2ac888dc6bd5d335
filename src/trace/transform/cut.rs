//! Parts of a trace: some of its ranks, or of its time.
//!
//! A part is itself a complete program. A send or receive whose counterpart is outside is left out, with the wait for
//! it; a collective is kept if all of its kept members have it; communicators keep these members. Everything left out
//! is counted.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::graphs::{self, CutGraphs};
use super::iterations::{iterations, why_no_iterations};
use super::sequences::common_sequences;
use crate::printable::counted;
use crate::trace::actions::Store;
use crate::trace::communicator::Sequence;
use crate::trace::queues::{take_nth, take_oldest};
use crate::trace::tables::Tables;
use crate::trace::{
    ANY_TARGET, Action, Actions, CollectiveCall, CollectiveKind, CommunicatorId, SendRecv, Trace, TraceWarning, Triple,
};

/// Part of each rank's actions to keep.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// Everything.
    All,
    /// Some iterations, from 0.
    Iterations(Range<usize>),
    /// From one fraction of each rank's actions to another, both from 0 to 1.
    Window(f64, f64),
}

/// Ranks and part of their actions to keep.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// The ranks, ascending; `None`: all of them.
    pub ranks: Option<Vec<u32>>,
    /// Part of their actions.
    pub part: Part,
}

/// Actions that a cut has left out in addition to the requested ones.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dropped {
    /// Number of sends whose receive is outside.
    pub sends: u64,
    /// Number of receives whose send is outside.
    pub receives: u64,
    /// Number of probes for messages that are outside.
    pub probes: u64,
    /// Number of collectives that some members do not have inside.
    pub collectives: u64,
    /// Number of collectives whose root is outside, so that the first kept member takes its place.
    pub roots: u64,
    /// Number of one-sided operations whose other rank is outside.
    pub one_sided: u64,
}

/// Reason why a trace cannot be cut.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CutError {
    /// There is no such rank.
    #[error("there is no rank {rank}: the trace has ranks 0 to {}", .ranks - 1)]
    NoRank {
        /// The requested rank.
        rank: u32,
        /// Number of ranks.
        ranks: usize,
    },
    /// No iterations can be found.
    #[error("no iterations are found: {reason}")]
    NoIterations {
        /// Reason in words.
        reason: String,
    },
    /// There are fewer iterations.
    #[error("there are {number} iterations, from 1 to {number}")]
    TooFewIterations {
        /// Number of iterations.
        number: usize,
    },
    /// A part of the time is requested of graphs, whose operations have no order.
    #[error("the ranks are graphs, which have neither iterations nor an order of operations")]
    Graph,
    /// Nothing is left.
    #[error("nothing is left of the trace")]
    Empty,
    /// The result exceeds the size of a table.
    #[error("the part has too many different {0}")]
    Full(&'static str),
}

/// The sends and receives of a triple that are inside the part, by their numbers in the order of the trace.
#[derive(Clone, Copy, Default)]
struct Inside {
    sends: Numbers,
    receives: Numbers,
}

/// Consecutive numbers of sends or receives of a triple.
#[derive(Clone, Copy, Default)]
struct Numbers {
    /// Number of those before the part.
    before: u64,
    /// Number of those before its end.
    until: u64,
}

impl Numbers {
    fn contains(&self, number: u64) -> bool {
        (self.before..self.until).contains(&number)
    }
}

/// Cuts a part out of a trace.
///
/// # Errors
/// [`CutError`] if there is no such part.
pub fn cut(trace: &Trace, what: &Cut) -> Result<(Trace, Dropped), CutError> {
    let all: Vec<u32> = (0..trace.ranks() as u32).collect();
    let ranks = what.ranks.as_ref().unwrap_or(&all);
    if let Some(&rank) = ranks.iter().find(|&&rank| rank as usize >= trace.ranks()) {
        return Err(CutError::NoRank { rank, ranks: trace.ranks() });
    }
    let mut renumbered = vec![None; trace.ranks()];
    for (new, &old) in (0..).zip(ranks) {
        renumbered[old as usize] = Some(new);
    }
    if let Some(schedule) = &trace.schedule {
        if what.part != Part::All {
            return Err(CutError::Graph);
        }
        let CutGraphs { schedule, sends, receives } = graphs::cut(schedule, ranks, &renumbered);
        if schedule.operations() == 0 {
            return Err(CutError::Empty);
        }
        let dropped = Dropped { sends, receives, ..Dropped::default() };
        let actions = ranks.iter().map(|_| Actions::default()).collect();
        let mut warnings = trace.warnings.clone();
        let text = dropped.note(what, ranks.len(), "; a `calc 0` takes the place of each");
        warnings.push(TraceWarning::Noted { file: trace.name.clone().into(), text });
        let (name, schedule) = (trace.name.clone(), Some(Arc::new(schedule)));
        return Ok((Trace { name, actions, schedule, warnings, ..Trace::default() }, dropped));
    }
    let ranges = ranges(trace, &what.part)?;
    let mut cutter = Cutter {
        trace,
        messages: inside(trace, ranks, &ranges),
        sequences: common_sequences(trace, ranks, &ranges, &renumbered),
        communicators: Vec::new(),
        calls: FxHashMap::default(),
        renumbered,
        tables: Tables::default(),
        store: trace.new_store(),
        dropped: Dropped::default(),
    };
    cutter.cut_communicators();
    let mut actions = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        actions.push(cutter.rank(rank, &ranges[rank as usize])?);
    }
    if actions.iter().all(Actions::is_empty) {
        return Err(CutError::Empty);
    }
    let (tables, dropped) = (cutter.tables, cutter.dropped);
    let mut warnings = trace.warnings.clone();
    warnings.push(TraceWarning::Noted { file: trace.name.clone().into(), text: dropped.note(what, ranks.len(), "") });
    let cut = Trace { name: trace.name.clone(), actions, warnings, ..tables.into_trace() };
    Ok((cut, dropped))
}

impl Dropped {
    /// Describes the part, and its omissions, in words; `instead` follows those.
    fn note(&self, what: &Cut, ranks: usize, instead: &str) -> String {
        let part = match &what.part {
            Part::All => "all actions".to_owned(),
            Part::Iterations(range) => format!("iterations {} to {}", range.start + 1, range.end),
            Part::Window(from, to) => format!("{}% to {}% of the actions", from * 100.0, to * 100.0),
        };
        let of = |count: u64, what: &str, why: &str| (count > 0).then(|| format!("{} {why}", counted(count, what)));
        let left_out = [
            of(self.sends, "send", "whose receive is outside"),
            of(self.receives, "receive", "whose send is outside"),
            of(self.probes, "probe", "for a message from outside"),
            of(self.collectives, "call", "of collectives that not all ranks have inside"),
            of(self.one_sided, "one-sided operation", "on ranks outside"),
        ];
        let left_out: Vec<String> = left_out.into_iter().flatten().collect();
        let left_out = match left_out.is_empty() {
            true => String::new(),
            false => format!("; left out: {}{instead}", left_out.join(", ")),
        };
        let roots = of(self.roots, "call", "of collectives with another root, since theirs is outside");
        let roots = roots.map(|roots| format!("; {roots}")).unwrap_or_default();
        format!("part of the trace: {part} of {}{left_out}{roots}", counted(ranks as u64, "rank"))
    }
}

/// Returns the range of actions of each rank in the part.
fn ranges(trace: &Trace, part: &Part) -> Result<Vec<Range<usize>>, CutError> {
    let lengths = trace.actions.iter().map(Actions::len);
    Ok(match part {
        Part::All => lengths.map(|length| 0..length).collect(),
        Part::Window(from, to) => lengths
            .map(|length| {
                let at = |fraction: f64| ((length as f64 * fraction).round() as usize).min(length);
                at(*from)..at(*to)
            })
            .collect(),
        Part::Iterations(range) => {
            let found = iterations(trace).ok_or_else(|| CutError::NoIterations { reason: why_no_iterations(trace) })?;
            if range.start >= range.end || range.end > found.number {
                return Err(CutError::TooFewIterations { number: found.number });
            }
            (0..trace.ranks()).map(|rank| found.actions(rank, range.clone())).collect()
        }
    })
}

/// Returns the send and the receive of an action of `rank`.
fn halves(trace: &Trace, action: &Action, rank: u32) -> (Option<Triple>, Option<Triple>) {
    match *action {
        Action::Send { to, tag, .. } | Action::Isend { to, tag, .. } => (Some((rank, to, tag)), None),
        Action::Recv { from, tag, .. } | Action::Irecv { from, tag, .. } => (None, Some((from, rank, tag))),
        Action::SendRecv { index } => {
            let SendRecv { to, from, .. } = trace.sendrecvs[index as usize];
            (Some((rank, to, 0)), Some((from, rank, 0)))
        }
        _ => (None, None),
    }
}

/// Returns which sends and receives of messages are inside: those of a triple match in order.
fn inside(trace: &Trace, ranks: &[u32], ranges: &[Range<usize>]) -> FxHashMap<Triple, Inside> {
    let mut messages: FxHashMap<Triple, Inside> = FxHashMap::default();
    for &rank in ranks {
        let range = &ranges[rank as usize];
        for (index, action) in trace.actions[rank as usize].iter().take(range.end).enumerate() {
            let (sent, received) = halves(trace, &action, rank);
            let before = u64::from(index < range.start);
            let mut count = |triple: Triple, is_send: bool| {
                let entry = messages.entry(triple).or_default();
                let side = if is_send { &mut entry.sends } else { &mut entry.receives };
                side.before += before;
                side.until += 1;
            };
            if let Some(triple) = sent {
                count(triple, true);
            }
            if let Some(triple) = received {
                count(triple, false);
            }
        }
    }
    messages
}

struct Cutter<'a> {
    trace: &'a Trace,
    messages: FxHashMap<Triple, Inside>,
    sequences: FxHashMap<Sequence, Range<u64>>,
    /// The new number of each kept rank.
    renumbered: Vec<Option<u32>>,
    /// Remainder of each communicator: its new number, and the old numbers of its kept members. That of all ranks comes
    /// first.
    communicators: Vec<(CommunicatorId, Vec<u32>)>,
    /// The new entries of the collectives so far, and whether their roots are outside.
    calls: FxHashMap<u32, (u32, bool)>,
    tables: Tables,
    store: Arc<Store>,
    dropped: Dropped,
}

/// Progress of a rank: messages and collectives so far, and its requests, kept or not.
#[derive(Default)]
struct CutProgress {
    sends: FxHashMap<Triple, u64>,
    receives: FxHashMap<Triple, u64>,
    sequences: FxHashMap<Sequence, u64>,
    requests: FxHashMap<Triple, VecDeque<bool>>,
    started: FxHashMap<u32, VecDeque<bool>>,
    /// Number of older requests that the next wait or test passes over, in the whole trace.
    picked: u32,
    /// The same for the action that was returned last, in the part that is kept, if there are any.
    pick: Option<Action>,
}

impl CutProgress {
    /// Returns the place in the queue of a triple that the rank has picked. Prepares the same pick among the
    /// requests that are kept.
    fn picked(&mut self, triple: Triple) -> u32 {
        let nth = std::mem::take(&mut self.picked);
        let queue = self.requests.get(&triple);
        let older = queue.map_or(0, |queue| queue.iter().take(nth as usize).filter(|kept| **kept).count() as u32);
        self.pick = (older > 0).then_some(Action::Pick { nth: older });
        nth
    }
}

impl Cutter<'_> {
    fn rank(&mut self, rank: u32, range: &Range<usize>) -> Result<Actions, CutError> {
        let actions = &self.trace.actions[rank as usize];
        let mut progress = CutProgress::default();
        let mut kept = Actions::in_store(&self.store);
        // The frame of an otherwise complete program.
        if range.start > 0 && actions.first() == Some(Action::Init) {
            kept.push(Action::Init);
        }
        for (index, action) in actions.iter().take(range.end).enumerate() {
            let is_inside = index >= range.start;
            let action = self.action(rank, &action, is_inside, &mut progress)?;
            let pick = progress.pick.take();
            if let Some(action) = action
                && is_inside
            {
                pick.into_iter().chain([action]).for_each(|action| kept.push(action));
            }
        }
        if range.end < actions.len() && actions.last() == Some(Action::Finalize) {
            kept.push(Action::Finalize);
        }
        kept.shrink_to_fit();
        Ok(kept)
    }

    /// Returns `true` if a send or receive is kept: it has a counterpart, and both are inside.
    fn keeps(&self, triple: Triple, number: u64) -> bool {
        let kept = |rank: u32| self.renumbered.get(rank as usize).is_some_and(Option::is_some);
        let both = |inside: &Inside| inside.sends.contains(number) && inside.receives.contains(number);
        kept(triple.0) && kept(triple.1) && self.messages.get(&triple).is_some_and(both)
    }

    fn new_rank(&self, rank: u32) -> u32 {
        self.renumbered[rank as usize].unwrap_or(0)
    }

    fn action(
        &mut self,
        rank: u32,
        action: &Action,
        is_inside: bool,
        progress: &mut CutProgress,
    ) -> Result<Option<Action>, CutError> {
        let (sent, received) = halves(self.trace, action, rank);
        let next = |counts: &mut FxHashMap<Triple, u64>, triple: Triple| {
            let number = counts.entry(triple).or_default();
            *number += 1;
            *number - 1
        };
        let sends = sent.map(|triple| self.keeps(triple, next(&mut progress.sends, triple)));
        let receives = received.map(|triple| self.keeps(triple, next(&mut progress.receives, triple)));
        if is_inside {
            self.dropped.sends += u64::from(sends == Some(false));
            self.dropped.receives += u64::from(receives == Some(false));
        }
        let remember = |triple: Option<Triple>, kept: bool, progress: &mut CutProgress| {
            if let Some(triple) = triple {
                progress.requests.entry(triple).or_default().push_back(kept && is_inside);
            }
        };
        let kept = |yes: Option<bool>| yes == Some(true);
        Ok(match *action {
            Action::Send { to, tag, count, datatype } => {
                kept(sends).then(|| Action::Send { to: self.new_rank(to), tag, count, datatype })
            }
            Action::Recv { from, tag, count, datatype } => {
                kept(receives).then(|| Action::Recv { from: self.new_rank(from), tag, count, datatype })
            }
            Action::Isend { to, tag, count, datatype } => {
                remember(sent, kept(sends), progress);
                kept(sends).then(|| Action::Isend { to: self.new_rank(to), tag, count, datatype })
            }
            Action::Irecv { from, tag, count, datatype } => {
                remember(received, kept(receives), progress);
                kept(receives).then(|| Action::Irecv { from: self.new_rank(from), tag, count, datatype })
            }
            Action::Wait { source, destination, tag } => {
                let triple = (source, destination, tag);
                let nth = progress.picked(triple);
                let waited = take_nth(&mut progress.requests, &triple, nth);
                let wait = Action::Wait { source: self.new_rank(source), destination: self.new_rank(destination), tag };
                (waited == Some(true)).then_some(wait)
            }
            Action::Pick { nth } => {
                progress.picked = nth;
                None
            }
            Action::Test { source, destination, tag } => {
                let triple = (source, destination, tag);
                let nth = progress.picked(triple) as usize;
                let tested = progress.requests.get(&triple).and_then(|queue| queue.get(nth));
                let test = Action::Test { source: self.new_rank(source), destination: self.new_rank(destination), tag };
                (tested == Some(&true)).then_some(test)
            }
            Action::WaitAll => {
                progress.requests.clear();
                progress.started.clear();
                Some(Action::WaitAll)
            }
            Action::SendRecv { index } => self.sendrecv(index, kept(sends), kept(receives))?,
            Action::Collective { index } => {
                if self.takes_part(action, is_inside, progress) {
                    Some(self.collective(index)?)
                } else {
                    None
                }
            }
            Action::Start { index, request } => {
                let kept = self.takes_part(action, is_inside, progress);
                progress.started.entry(request).or_default().push_back(kept);
                match kept {
                    true => self.collective(index)?.collective().map(|index| Action::Start { index, request }),
                    false => None,
                }
            }
            Action::WaitRequest { request } => {
                let oldest = take_oldest(&mut progress.started, &request);
                (oldest == Some(true)).then_some(*action)
            }
            Action::TestRequest { request } => {
                let oldest = progress.started.get(&request).and_then(|queue| queue.front());
                (oldest == Some(&true)).then_some(*action)
            }
            Action::Fence { window } => self
                .takes_part(action, is_inside, progress)
                .then(|| Action::Fence { window: self.communicator(window) }),
            Action::Put { to, window, count, datatype } => self.other(to, is_inside).map(|to| Action::Put {
                to,
                window: self.communicator(window),
                count,
                datatype,
            }),
            Action::Get { from, window, count, datatype } => self.other(from, is_inside).map(|from| Action::Get {
                from,
                window: self.communicator(window),
                count,
                datatype,
            }),
            Action::Accumulate { to, window, count, datatype } => self
                .other(to, is_inside)
                .map(|to| Action::Accumulate { to, window: self.communicator(window), count, datatype }),
            Action::Flush { window, to } => {
                let window = self.communicator(window);
                match to {
                    ANY_TARGET => Some(Action::Flush { window, to }),
                    to => self.renumbered[to as usize].map(|to| Action::Flush { window, to }),
                }
            }
            // It polls for the message that the next receive would take.
            Action::Probe { from, tag } | Action::Iprobe { from, tag } => {
                let triple = (from, rank, tag);
                let next = progress.receives.get(&triple).copied().unwrap_or(0);
                let from = self.new_rank(from);
                let probe = match action {
                    Action::Probe { .. } => Action::Probe { from, tag },
                    _ => Action::Iprobe { from, tag },
                };
                let kept = self.keeps(triple, next);
                self.dropped.probes += u64::from(!kept);
                kept.then_some(probe)
            }
            other => Some(other),
        })
    }

    /// Returns the send and the receive, one of them as a message of its own, or nothing.
    fn sendrecv(&mut self, index: u32, sends: bool, receives: bool) -> Result<Option<Action>, CutError> {
        let entry = self.trace.sendrecvs[index as usize];
        Ok(match (sends, receives) {
            (true, true) => {
                let renumbered = SendRecv { to: self.new_rank(entry.to), from: self.new_rank(entry.from), ..entry };
                let index = self.tables.sendrecv(renumbered).map_err(|full| CutError::Full(full.0))?;
                Some(Action::SendRecv { index })
            }
            (true, false) => Some(Action::Send {
                to: self.new_rank(entry.to),
                tag: 0,
                count: entry.send_count,
                datatype: entry.send_type,
            }),
            (false, true) => Some(Action::Recv {
                from: self.new_rank(entry.from),
                tag: 0,
                count: entry.recv_count,
                datatype: entry.recv_type,
            }),
            (false, false) => None,
        })
    }

    /// Returns `true` if a call that all members have to make is kept.
    fn takes_part(&mut self, action: &Action, is_inside: bool, progress: &mut CutProgress) -> bool {
        let Some(sequence) = self.trace.sequence(action) else { return false };
        let next = progress.sequences.entry(sequence).or_default();
        let number = *next;
        *next += 1;
        let common = self.sequences.get(&sequence).is_some_and(|common| common.contains(&number));
        self.dropped.collectives += u64::from(is_inside && !common);
        is_inside && common
    }

    /// Returns the new number of the other rank of a one-sided operation, if it is kept.
    fn other(&mut self, rank: u32, is_inside: bool) -> Option<u32> {
        let kept = self.renumbered[rank as usize];
        self.dropped.one_sided += u64::from(is_inside && kept.is_none());
        kept
    }

    /// Determines the remainder of each communicator. Those without kept members get a number that is not used.
    fn cut_communicators(&mut self) {
        let ids = (0..self.trace.communicators.len() as u32).map(CommunicatorId::from_index);
        for id in std::iter::once(CommunicatorId::WORLD).chain(ids) {
            let kept = |&rank: &u32| self.renumbered[rank as usize].is_some();
            let members: Vec<u32> = self.trace.members(id).ranks().filter(kept).collect();
            if id.is_world() || members.is_empty() {
                self.communicators.push((CommunicatorId::WORLD, members));
                continue;
            }
            let new = CommunicatorId::from_index(self.tables.communicators.len() as u32);
            self.tables.communicators.push(members.iter().map(|&rank| self.new_rank(rank)).collect());
            self.communicators.push((new, members));
        }
    }

    fn communicator(&self, id: CommunicatorId) -> CommunicatorId {
        self.communicators[id.number() as usize].0
    }

    fn collective(&mut self, index: u32) -> Result<Action, CutError> {
        let (new, is_rootless) = match self.calls.get(&index) {
            Some(&known) => known,
            None => self.new_call(index)?,
        };
        self.calls.insert(index, (new, is_rootless));
        self.dropped.roots += u64::from(is_rootless);
        Ok(Action::Collective { index: new })
    }

    fn new_call(&mut self, index: u32) -> Result<(u32, bool), CutError> {
        let old = &self.trace.collectives[index as usize];
        let before = self.trace.members(old.communicator);
        let (communicator, members) = &self.communicators[old.communicator.number() as usize];
        let root = before.rank(old.root).and_then(|rank| members.iter().position(|&member| member == rank));
        let mut call = CollectiveCall { communicator: *communicator, root: root.unwrap_or(0) as u32, ..*old };
        // Their old member numbers; all of them, as long as no member is dropped.
        let places: Vec<usize> = before
            .ranks()
            .enumerate()
            .filter(|(_, rank)| self.renumbered[*rank as usize].is_some())
            .map(|(place, _)| place)
            .collect();
        for counts in [&mut call.send_counts, &mut call.recv_counts, &mut call.displacements] {
            let all = self.trace.counts(*counts);
            let some: Vec<u32> =
                if all.is_empty() { Vec::new() } else { places.iter().map(|&place| all[place]).collect() };
            *counts = self.tables.counts(&some).map_err(|full| CutError::Full(full.0))?;
        }
        // The single counts of alltoallv are the sizes of its buffers, which stay large enough.
        debug_assert!(call.kind != CollectiveKind::Alltoallv || call.send_counts.len as usize == places.len());
        let index = self.tables.collective(call).map_err(|full| CutError::Full(full.0))?;
        Ok((index, root.is_none() && old.kind.has_root()))
    }
}
