//! Parts of a trace: some of its ranks, some of its time.
//!
//! A part has to be a program again. A message whose other half lies outside is left out, with the wait for it; a collective
//! is kept where all ranks that are kept have it. What is left out is counted.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::iterations;
use crate::trace::tables::Tables;
use crate::trace::{Action, CollectiveCall, CollectiveKind, SendRecv, Trace, TraceWarning};

/// What to keep of each rank's actions.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// Everything.
    All,
    /// Some iterations, from 0.
    Iterations(Range<usize>),
    /// From one fraction of each rank's actions to another, both from 0 to 1.
    Window(f64, f64),
}

/// What to keep.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// The ranks, ascending; none: all of them.
    pub ranks: Option<Vec<u32>>,
    /// Of their actions.
    pub part: Part,
}

/// What a cut has left out beside what it was told to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dropped {
    /// Sends whose receive is outside.
    pub sends: u64,
    /// Receives whose send is outside.
    pub receives: u64,
    /// Collectives that not all ranks have inside.
    pub collectives: u64,
    /// Collectives whose root is outside, so that the first rank that is kept takes its place.
    pub roots: u64,
}

/// Why a trace cannot be cut.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CutError {
    /// There is no such rank.
    #[error("there is no rank {rank}: the trace has ranks 0 to {}", .ranks - 1)]
    NoRank {
        /// The rank.
        rank: u32,
        /// Number of ranks.
        ranks: usize,
    },
    /// No iterations can be found.
    #[error("no iterations are found: the ranks do not repeat the same calls the same number of times")]
    NoIterations,
    /// There are not as many iterations.
    #[error("there are {number} iterations, from 1 to {number}")]
    TooFewIterations {
        /// Their number.
        number: usize,
    },
    /// Nothing is left.
    #[error("nothing is left of the trace")]
    Empty,
    /// The result does not fit.
    #[error("the part has too many different {0}")]
    Full(&'static str),
}

/// Source, destination and tag of a message.
type Triple = (u32, u32, i32);

/// The messages of a triple that are inside: how many sends and receives come before, and how many are inside.
#[derive(Clone, Copy, Default)]
struct Inside {
    sends: Range2,
    receives: Range2,
}

#[derive(Clone, Copy, Default)]
struct Range2 {
    start: u64,
    end: u64,
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
    let ranges = ranges(trace, &what.part)?;
    let mut renumbered = vec![None; trace.ranks()];
    for (new, &old) in (0..).zip(ranks) {
        renumbered[old as usize] = Some(new);
    }
    let mut cutter = Cutter {
        trace,
        messages: inside(trace, ranks, &ranges),
        collectives: common_collectives(trace, ranks, &ranges),
        renumbered,
        ranks,
        tables: Tables::default(),
        dropped: Dropped::default(),
    };
    let mut actions = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        actions.push(cutter.rank(rank, &ranges[rank as usize])?);
    }
    if actions.iter().all(Vec::is_empty) {
        return Err(CutError::Empty);
    }
    let (tables, dropped) = (cutter.tables, cutter.dropped);
    let mut warnings = trace.warnings.clone();
    warnings.push(TraceWarning::Noted { file: trace.name.clone().into(), text: dropped.note(what, ranks.len()) });
    let cut = Trace {
        name: trace.name.clone(),
        actions,
        sendrecvs: tables.sendrecvs,
        collectives: tables.collectives,
        counts: tables.counts,
        warnings,
        ..Trace::default()
    };
    Ok((cut, dropped))
}

impl Dropped {
    /// What the part is, and what it lacks, in words.
    fn note(&self, what: &Cut, ranks: usize) -> String {
        let part = match &what.part {
            Part::All => "all actions".to_owned(),
            Part::Iterations(range) => format!("iterations {} to {}", range.start + 1, range.end),
            Part::Window(from, to) => format!("{}% to {}% of the actions", from * 100.0, to * 100.0),
        };
        let Dropped { sends, receives, collectives, roots } = self;
        format!(
            "a part of the trace: {part} of {ranks} ranks; left out: {sends} sends and {receives} receives whose other \
             half is outside, {collectives} calls of collectives that not all ranks have; {roots} with another root"
        )
    }
}

/// The actions of each rank that the part takes.
fn ranges(trace: &Trace, part: &Part) -> Result<Vec<Range<usize>>, CutError> {
    let lengths = trace.actions.iter().map(Vec::len);
    Ok(match part {
        Part::All => lengths.map(|length| 0..length).collect(),
        Part::Window(from, to) => lengths
            .map(|length| {
                let at = |fraction: f64| ((length as f64 * fraction).round() as usize).min(length);
                at(*from)..at(*to)
            })
            .collect(),
        Part::Iterations(range) => {
            let found = iterations(trace).ok_or(CutError::NoIterations)?;
            if range.start >= range.end || range.end > found.number {
                return Err(CutError::TooFewIterations { number: found.number });
            }
            (0..trace.ranks()).map(|rank| found.actions(rank, range.clone())).collect()
        }
    })
}

/// What an action of `rank` sends and receives.
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

/// Which messages have which halves inside: those of a triple match in their order.
fn inside(trace: &Trace, ranks: &[u32], ranges: &[Range<usize>]) -> FxHashMap<Triple, Inside> {
    let mut messages: FxHashMap<Triple, Inside> = FxHashMap::default();
    for &rank in ranks {
        let range = &ranges[rank as usize];
        for (index, action) in trace.actions[rank as usize][..range.end].iter().enumerate() {
            let (sent, received) = halves(trace, action, rank);
            let before = u64::from(index < range.start);
            let mut count = |triple: Triple, is_send: bool| {
                let entry = messages.entry(triple).or_default();
                let side = if is_send { &mut entry.sends } else { &mut entry.receives };
                side.start += before;
                side.end += 1;
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

/// The collectives that all ranks have inside, by their number from the start of the program.
fn common_collectives(trace: &Trace, ranks: &[u32], ranges: &[Range<usize>]) -> Range<u64> {
    let mut common = 0..u64::MAX;
    for &rank in ranks {
        let (actions, range) = (&trace.actions[rank as usize], &ranges[rank as usize]);
        let count =
            |end: usize| actions[..end].iter().filter(|a| matches!(a, Action::Collective { .. })).count() as u64;
        common = common.start.max(count(range.start))..common.end.min(count(range.end));
    }
    common
}

struct Cutter<'a> {
    trace: &'a Trace,
    messages: FxHashMap<Triple, Inside>,
    collectives: Range<u64>,
    /// The new number of each rank that is kept.
    renumbered: Vec<Option<u32>>,
    ranks: &'a [u32],
    tables: Tables,
    dropped: Dropped,
}

/// How far a rank is: messages and collectives so far, and its requests, kept or not.
#[derive(Default)]
struct Progress {
    sends: FxHashMap<Triple, u64>,
    receives: FxHashMap<Triple, u64>,
    collectives: u64,
    requests: FxHashMap<Triple, std::collections::VecDeque<bool>>,
}

impl Cutter<'_> {
    fn rank(&mut self, rank: u32, range: &Range<usize>) -> Result<Vec<Action>, CutError> {
        let actions = &self.trace.actions[rank as usize];
        let mut progress = Progress::default();
        let mut kept = Vec::with_capacity(range.len());
        for (index, action) in actions[..range.end].iter().enumerate() {
            let is_inside = index >= range.start;
            if let Some(action) = self.action(rank, action, is_inside, &mut progress)?
                && is_inside
            {
                kept.push(action);
            }
        }
        // The frame of a program that is whole otherwise.
        if range.start > 0 && actions.first() == Some(&Action::Init) {
            kept.insert(0, Action::Init);
        }
        if range.end < actions.len() && actions.last() == Some(&Action::Finalize) {
            kept.push(Action::Finalize);
        }
        Ok(kept)
    }

    /// Whether a half is kept: it has another half, and both are inside.
    fn keeps(&self, triple: Triple, number: u64) -> bool {
        let kept = |rank: u32| self.renumbered.get(rank as usize).is_some_and(Option::is_some);
        let both =
            |m: &Inside| (m.sends.start.max(m.receives.start)..m.sends.end.min(m.receives.end)).contains(&number);
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
        progress: &mut Progress,
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
        let remember = |triple: Option<Triple>, kept: bool, progress: &mut Progress| {
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
                let oldest = progress.requests.get_mut(&triple).and_then(std::collections::VecDeque::pop_front);
                let wait = Action::Wait { source: self.new_rank(source), destination: self.new_rank(destination), tag };
                (oldest == Some(true)).then_some(wait)
            }
            Action::Test { source, destination, tag } => {
                let oldest = progress.requests.get(&(source, destination, tag)).and_then(|queue| queue.front());
                let test = Action::Test { source: self.new_rank(source), destination: self.new_rank(destination), tag };
                (oldest == Some(&true)).then_some(test)
            }
            Action::WaitAll => {
                progress.requests.clear();
                Some(Action::WaitAll)
            }
            Action::SendRecv { index } => self.sendrecv(index, kept(sends), kept(receives))?,
            Action::Collective { index } => {
                let number = progress.collectives;
                progress.collectives += 1;
                if self.collectives.contains(&number) {
                    if is_inside { Some(self.collective(index)?) } else { None }
                } else {
                    self.dropped.collectives += u64::from(is_inside);
                    None
                }
            }
            other => Some(other),
        })
    }

    /// Both halves, one of them as a message of its own, or nothing.
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

    fn collective(&mut self, index: u32) -> Result<Action, CutError> {
        let old = &self.trace.collectives[index as usize];
        let root = self.renumbered[old.root as usize];
        self.dropped.roots += u64::from(root.is_none());
        let mut call = CollectiveCall { root: root.unwrap_or(0), ..*old };
        for counts in [&mut call.send_counts, &mut call.recv_counts, &mut call.displacements] {
            let all = self.trace.counts(*counts);
            let some: Vec<u32> =
                if all.is_empty() { Vec::new() } else { self.ranks.iter().map(|&rank| all[rank as usize]).collect() };
            *counts = self.tables.counts(&some).map_err(|full| CutError::Full(full.0))?;
        }
        // The single counts of alltoallv are the sizes of its buffers, which stay large enough.
        debug_assert!(call.kind != CollectiveKind::Alltoallv || call.send_counts.len as usize == self.ranks.len());
        let index = self.tables.collective(call).map_err(|full| CutError::Full(full.0))?;
        Ok(Action::Collective { index })
    }
}
