//! From recorded MPI calls to actions: what the readers of recorders' formats share.
//!
//! A recorder tells calls with handles of requests and communicators, with wildcards and with dates. Actions know requests by
//! source, destination and tag, communicators not at all, and computation as flops. Here one becomes the other, and what
//! cannot is counted with its place, or refused.

mod requests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::check_call::MOST;
use super::error::{TraceError, TraceErrorKind as Kind};
use super::tables::{Full, Tables};
use super::{Action, CollectiveCall, CollectiveKind, Counts, Datatype, Effect, Options, Trace, TraceWarning};

pub(super) use requests::{Request, Requests, Unresolved};

/// Where in a file something stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// A line, from 1.
    Line(u64),
    /// A byte, from 0.
    Byte(u64),
}

/// The trace under construction.
pub(super) struct Program<'o> {
    /// Name of the format in messages.
    format: &'static str,
    options: &'o Options,
    pub tables: Tables,
    /// What each rank has done so far.
    pub ranks: Vec<Rank>,
    /// What could not be kept: how many calls, and rank and place of the first.
    notes: BTreeMap<(Effect, String), (u64, u32, String)>,
    warnings: Vec<TraceWarning>,
}

/// What a rank has done so far.
#[derive(Default)]
pub(super) struct Rank {
    pub actions: Vec<Action>,
    pub requests: Requests,
    /// When the last call ended, in seconds.
    pub idle_since: Option<f64>,
}

impl<'o> Program<'o> {
    pub fn new(format: &'static str, options: &'o Options, ranks: usize) -> Self {
        let ranks = (0..ranks).map(|_| Rank::default()).collect();
        Self { format, options, tables: Tables::default(), ranks, notes: BTreeMap::new(), warnings: Vec::new() }
    }

    /// Says something about the trace as a whole.
    pub fn remark(&mut self, file: &Path, text: String) {
        self.warnings.push(TraceWarning::Noted { file: file.into(), text });
    }

    /// Counts something that is not kept as it was.
    pub fn note(&mut self, effect: Effect, what: impl Into<String>, rank: u32, file: &Path, at: At) {
        let place = || match at {
            At::Line(line) => format!("{}:{line}", file.display()),
            At::Byte(byte) => format!("{}, byte {byte}", file.display()),
        };
        self.notes.entry((effect, what.into())).or_insert_with(|| (0, rank, place())).0 += 1;
    }

    /// An error in the file.
    pub fn error(&self, file: &Path, at: At, problem: impl Into<String>, help: &'static str) -> TraceError {
        located(file, at, Kind::format(self.format, problem, help))
    }

    /// A call that actions cannot express: left out with a note where that is wanted, an error elsewhere.
    pub fn inexpressible(
        &mut self,
        call: &str,
        reason: &'static str,
        rank: u32,
        file: &Path,
        at: At,
    ) -> Result<(), TraceError> {
        if self.options.leave_out {
            self.note(Effect::LeftOut, format!("{call}, {reason}"), rank, file, at);
            return Ok(());
        }
        Err(located(file, at, Kind::inexpressible(self.format, call, reason)))
    }

    /// Flops that stand for a second.
    pub fn recorded_speed(&self) -> f64 {
        self.options.recorded_speed
    }

    pub fn push(&mut self, rank: u32, action: Action) {
        self.ranks[rank as usize].actions.push(action);
    }

    /// A call that lasted from one date to another: what came before it was computation.
    pub fn call(&mut self, rank: u32, begin: f64, end: f64) {
        let state = &mut self.ranks[rank as usize];
        if let Some(since) = state.idle_since
            && begin > since
        {
            let flops = (begin - since) * self.options.recorded_speed;
            if flops.is_finite() && flops > 0.0 {
                state.actions.push(Action::Compute { flops });
            }
        }
        state.idle_since = Some(state.idle_since.unwrap_or(end).max(end));
    }

    /// The number of elements and their type for so many bytes.
    pub fn elements(&mut self, bytes: u64, rank: u32, file: &Path, at: At) -> Result<(u32, Datatype), TraceError> {
        if bytes <= u64::from(MOST) {
            return Ok((bytes as u32, Datatype::BYTE));
        }
        let count = bytes.div_ceil(8);
        if count > u64::from(MOST) {
            return Err(self.error(file, at, format!("a message of {bytes} bytes is too large"), "split the message"));
        }
        if !bytes.is_multiple_of(8) {
            self.note(Effect::Approximated, "bytes of a large message rounded up to a multiple of 8", rank, file, at);
        }
        Ok((count as u32, Datatype::DOUBLE))
    }

    /// A collective of all ranks in which each gives so many bytes and gets so many (of each other one where it gives to each).
    pub fn collective(&mut self, call: CollectiveCall) -> Result<Action, TraceError> {
        let index = self.tables.collective(call).map_err(full)?;
        Ok(Action::Collective { index })
    }

    /// Keeps a vector of counts.
    pub fn counts(&mut self, counts: &[u32]) -> Result<Counts, TraceError> {
        self.tables.counts(counts).map_err(full)
    }

    /// Gives all ranks the counts that only the root of a gatherv or scatterv has told.
    fn share_roots(&mut self) -> Result<(), TraceError> {
        let has_counts = |call: &CollectiveCall| call.send_counts.len + call.recv_counts.len > 0;
        let incomplete =
            self.tables.collectives.iter().any(|call| {
                matches!(call.kind, CollectiveKind::Gatherv | CollectiveKind::Scatterv) && !has_counts(call)
            });
        if !incomplete {
            return Ok(());
        }
        let mut place = vec![0usize; self.ranks.len()];
        loop {
            // The next collective of every rank.
            let mut calls = Vec::with_capacity(self.ranks.len());
            for (rank, state) in self.ranks.iter().enumerate() {
                let next = (place[rank]..state.actions.len()).find_map(|at| match state.actions[at] {
                    Action::Collective { index } => Some((at, index)),
                    _ => None,
                });
                calls.push(next);
            }
            if calls.iter().all(Option::is_none) {
                return Ok(());
            }
            let root =
                calls.iter().flatten().map(|&(_, index)| self.tables.collectives[index as usize]).find(has_counts);
            for (rank, next) in calls.into_iter().enumerate() {
                let Some((at, index)) = next else { continue };
                place[rank] = at + 1;
                let mut call = self.tables.collectives[index as usize];
                if !matches!(call.kind, CollectiveKind::Gatherv | CollectiveKind::Scatterv) || has_counts(&call) {
                    continue;
                }
                let (zeros, fits) = (vec![0; self.ranks.len()], root.filter(|root| root.kind == call.kind));
                let (sent, received) = match (fits, call.kind) {
                    (Some(root), _) => (root.send_counts, root.recv_counts),
                    (None, CollectiveKind::Gatherv) => (Counts::default(), self.counts(&zeros)?),
                    (None, _) => (self.counts(&zeros)?, Counts::default()),
                };
                (call.send_counts, call.recv_counts) = (sent, received);
                self.ranks[rank].actions[at] = self.collective(call)?;
            }
        }
    }

    /// The trace.
    pub fn finish(mut self, name: &str, file: &Path) -> Result<Trace, TraceError> {
        self.share_roots()?;
        let mut warnings = self.warnings;
        if self.ranks.iter().all(|rank| rank.actions.is_empty()) {
            return Err(TraceError::whole(file, Kind::Empty));
        }
        warnings.extend(self.notes.into_iter().map(|((effect, what), (count, rank, place))| {
            TraceWarning::Approximated { effect, what, count, rank, place }
        }));
        Ok(Trace {
            name: name.to_owned(),
            actions: self.ranks.into_iter().map(|rank| rank.actions).collect(),
            sendrecvs: self.tables.sendrecvs,
            collectives: self.tables.collectives,
            counts: self.tables.counts,
            warnings,
            ..Trace::default()
        })
    }
}

fn full(full: Full) -> TraceError {
    TraceError::whole(PathBuf::new(), Kind::TableFull { table: full.0 })
}

/// An error at a place.
pub(super) fn located(file: &Path, at: At, kind: Kind) -> TraceError {
    let error = TraceError::whole(file, kind);
    match at {
        At::Line(line) => TraceError { line: Some(line), ..error },
        At::Byte(byte) => error.at_byte(byte),
    }
}

/// A collective with one size for all, as [`Program::elements`] tells it.
pub(super) fn uniform(kind: CollectiveKind, root: u32, (count, datatype): (u32, Datatype)) -> CollectiveCall {
    CollectiveCall::uniform(kind, root, count, datatype)
}
