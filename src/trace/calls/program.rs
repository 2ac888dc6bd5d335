//! The program under construction: the actions of each rank, its communicators and its requests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::communicators::{Communicators, Making};
use super::requests::{CallRequest, Requests, Unresolved};
use crate::trace::check_call::{self, MOST};
use crate::trace::communicator::twice;
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::tables::{Full, Tables};
use crate::trace::transform::{Cut, CutError, Part, cut};
use crate::trace::{
    Action, Actions, CollectiveCall, CollectiveKind, CommunicatorId, Counts, Datatype, Effect, Gap, Members, Options,
    Trace, TraceWarning, Triple,
};

/// Position in a file.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) enum FilePosition {
    /// A line, from 1.
    Line(u64),
    /// A byte, from 0.
    Byte(u64),
    /// An event of an archive whose bytes a library reads: the location and timestamp by which the library identifies
    /// it.
    #[cfg_attr(not(feature = "libotf2"), expect(dead_code, reason = "only libraries read such archives"))]
    Event { location: u64, timestamp: u64 },
}

/// The trace under construction.
pub(in crate::trace) struct Program<'o> {
    /// Name of the format, for messages.
    format: &'static str,
    options: &'o Options,
    pub tables: Tables,
    communicators: Communicators,
    /// Actions of each rank so far.
    pub ranks: Vec<Rank>,
    /// Approximations: number of calls, and rank and place of the first.
    notes: BTreeMap<(Effect, String), (u64, u32, String)>,
    warnings: Vec<TraceWarning>,
}

/// Actions of a rank so far, and its clock.
#[derive(Default)]
pub(in crate::trace) struct Rank {
    pub actions: Actions,
    pub requests: Requests,
    /// Time at which the last call ended, in seconds.
    pub idle_since: Option<f64>,
    /// Time at which the first call began, in seconds.
    began: Option<f64>,
    /// Seconds between the first and the last call, if they are known without times of calls.
    pub lasted: Option<f64>,
}

impl Rank {
    /// Completes a receive that was posted without its source or tag.
    pub fn resolve(&mut self, at: usize, source: u32, message_tag: i32) {
        if let Some(Action::Irecv { count, datatype, .. }) = self.actions.get(at) {
            self.actions.set(at, Action::Irecv { from: source, tag: message_tag, count, datatype });
        }
    }

    /// Returns the seconds between the first and the last call.
    fn recorded_seconds(&self) -> Option<f64> {
        self.lasted.or_else(|| Some(self.idle_since? - self.began?)).filter(|seconds| *seconds > 0.0)
    }
}

impl<'o> Program<'o> {
    pub fn new(format: &'static str, options: &'o Options, ranks: usize) -> Self {
        options.has_times.store(true, Ordering::Relaxed);
        let store = options.store();
        let ranks = (0..ranks).map(|_| Rank { actions: Actions::in_store(&store), ..Rank::default() }).collect();
        Self {
            format,
            options,
            tables: Tables::default(),
            communicators: Communicators::default(),
            ranks,
            notes: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds a remark about the trace as a whole.
    pub fn remark(&mut self, file: &Path, text: String) {
        self.warnings.push(TraceWarning::Noted { file: file.into(), text });
    }

    /// Reports calls that the recorder left out; `ranks` are the number of ranks with gaps and of all ranks, `replayed`
    /// describes how a replay treats the gaps.
    pub fn unrecorded(
        &mut self,
        file: &Path,
        mut calls: Vec<Gap>,
        made: u64,
        ranks: (u64, u64),
        replayed: &'static str,
    ) {
        // Stable, so that calls with equal numbers of gaps keep the order of the format.
        calls.sort_by_key(|gap| std::cmp::Reverse(gap.missing));
        self.warnings.push(TraceWarning::NotRecorded { file: file.into(), calls, made, ranks, replayed });
    }

    /// Reports that the recorder was switched off `count` times.
    pub fn gaps(&mut self, file: &Path, count: u64, text: String) {
        self.warnings.push(TraceWarning::Paused { file: file.into(), count, text });
    }

    /// Counts an approximation.
    pub fn note(&mut self, effect: Effect, what: impl Into<String>, rank: u32, file: &Path, at: FilePosition) {
        let place = || match at {
            FilePosition::Line(line) => format!("{}:{line}", file.display()),
            FilePosition::Byte(byte) => format!("{}, byte {byte}", file.display()),
            FilePosition::Event { location, timestamp } => {
                format!("{}, location {location} at {timestamp}", file.display())
            }
        };
        self.notes.entry((effect, what.into())).or_insert_with(|| (0, rank, place())).0 += 1;
    }

    /// Returns an error in the file.
    pub fn error(&self, file: &Path, at: FilePosition, problem: impl Into<String>, help: &'static str) -> TraceError {
        located(file, at, Kind::format(self.format, problem, help))
    }

    /// Handles a call that actions cannot express: dropped with a note if the options permit it, otherwise an error.
    pub fn inexpressible(
        &mut self,
        call: &str,
        reason: &'static str,
        rank: u32,
        file: &Path,
        at: FilePosition,
    ) -> Result<(), TraceError> {
        if self.options.leave_out {
            self.note(Effect::LeftOut, format!("{call}, {reason}"), rank, file, at);
            return Ok(());
        }
        Err(located(file, at, Kind::inexpressible(self.format, call, reason)))
    }

    /// Returns `true` if a damaged rank is no reason to refuse the others.
    pub fn keeps_readable_ranks(&self) -> bool {
        self.options.readable_ranks
    }

    /// Returns the flops that represent a second.
    pub fn recorded_speed(&self) -> f64 {
        self.options.recorded_speed
    }

    pub fn push(&mut self, rank: u32, action: Action) {
        self.ranks[rank as usize].actions.push(action);
    }

    /// Records a call with its start and end time: the time before it was computation.
    pub fn call(&mut self, rank: u32, begin: f64, end: f64) {
        let state = &mut self.ranks[rank as usize];
        state.began.get_or_insert(begin);
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

    /// Returns the number of elements and their type for a number of bytes.
    pub fn elements(
        &mut self,
        bytes: u64,
        rank: u32,
        file: &Path,
        at: FilePosition,
    ) -> Result<(u32, Datatype), TraceError> {
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

    /// Returns the communicator (or window) that a rank creates now, with these members in order, as world ranks.
    ///
    /// The result is the same for all its members if each calls this for each communicator that it creates, in its own
    /// order; the ranks may call in any order. It records no action: [`making`](Self::making) records the cost of the
    /// call.
    pub fn new_communicator(
        &mut self,
        rank: u32,
        members: &[u32],
        file: &Path,
        at: FilePosition,
    ) -> Result<CommunicatorId, TraceError> {
        self.communicator_of(None, rank, members, file, at)
    }

    /// Returns the communicator that a rank creates from a known parent. Only the order of communicators with that
    /// parent matters then, so threads may create others from other parents.
    pub fn communicator_of(
        &mut self,
        parent: Option<CommunicatorId>,
        rank: u32,
        members: &[u32],
        file: &Path,
        at: FilePosition,
    ) -> Result<CommunicatorId, TraceError> {
        const HELP: &str = "the file is damaged, or the recorder is wrong";
        if !members.contains(&rank) {
            return Err(self.error(file, at, format!("rank {rank} is no member of its own communicator"), HELP));
        }
        if let Some(&wrong) = members.iter().find(|&&member| member as usize >= self.ranks.len()) {
            return Err(self.error(file, at, format!("a communicator has rank {wrong}, which there is not"), HELP));
        }
        if let Some(member) = twice(members) {
            return Err(self.error(file, at, format!("rank {member} is twice in a communicator"), HELP));
        }
        Ok(self.communicators.created(&mut self.tables.communicators, parent, rank, members))
    }

    /// Returns the members of a communicator.
    pub fn members(&self, id: CommunicatorId) -> Members<'_> {
        Members::of(&self.tables.communicators, id, self.ranks.len())
    }

    /// Records the cost of a call that creates a communicator: collectives on its parent. For a split all members
    /// exchange colour and key (an allgather of 8 bytes); then, as for every communicator, all agree on a number for
    /// its messages (an allreduce of 4 bytes). This is the essence of the methods of MPICH and Open MPI, which may need
    /// several rounds to agree.
    pub fn making(&mut self, rank: u32, making: Making, parent: CommunicatorId) -> Result<(), TraceError> {
        if self.members(parent).size() <= 1 {
            return Ok(());
        }
        let call = |kind, bytes| CollectiveCall {
            communicator: parent,
            ..CollectiveCall::uniform(kind, 0, bytes, Datatype::BYTE)
        };
        if making == Making::Split {
            self.collective(rank, call(CollectiveKind::Allgather, 8))?;
        }
        self.collective(rank, call(CollectiveKind::Allreduce, 4))
    }

    /// Returns the replacement of a tag on a communicator. Messages match on world ranks and the tag only; to keep
    /// messages on different communicators apart, the tags of all but the world are numbered down from the largest, as
    /// are world tags in that range.
    pub fn tag(&mut self, communicator: CommunicatorId, tag: i32) -> i32 {
        self.communicators.tag(communicator, tag)
    }

    /// Returns a communicator that the format declares for all ranks together, with these members in order.
    pub fn declare(&mut self, members: &[u32]) -> CommunicatorId {
        self.communicators.declared(&mut self.tables.communicators, members)
    }

    /// Posts a non-blocking send or receive, which is remembered under a handle until it is waited for. Any other
    /// action needs no wait.
    pub fn post(&mut self, rank: u32, handle: u64, action: Action) {
        let at = self.ranks[rank as usize].actions.len();
        let request = match action {
            Action::Isend { to, tag, .. } => CallRequest::Message { source: rank, destination: to, tag, at },
            Action::Irecv { from, tag, .. } => CallRequest::Message { source: from, destination: rank, tag, at },
            _ => CallRequest::Nothing,
        };
        self.ranks[rank as usize].requests.insert(handle, request);
        self.push(rank, action);
    }

    /// Waits for a request, of a message or a collective; `false` if there is no such handle. A receive with an open
    /// source needs source and tag now.
    pub fn wait(&mut self, rank: u32, handle: u64, told: Option<(u32, i32)>) -> Result<bool, Unresolved> {
        let state = &mut self.ranks[rank as usize];
        let Some(request) = state.requests.remove(handle) else { return Ok(false) };
        let (triple, at) = match (request, told) {
            (CallRequest::Nothing, _) => return Ok(true),
            (CallRequest::Message { source, destination, tag, at }, _) => ((source, destination, tag), at),
            (CallRequest::Open(at), Some((source, tag))) => {
                state.resolve(at, source, tag);
                ((source, rank, tag), at)
            }
            (CallRequest::Open(at), None) => return Err(Unresolved(at)),
            (CallRequest::Collective { number, .. }, _) => {
                self.wait_collective(rank, number);
                return Ok(true);
            }
        };
        self.wait_for(rank, triple, at);
        Ok(true)
    }

    /// Waits for the message of a triple that was posted by the action with index `at`.
    pub fn wait_for(&mut self, rank: u32, triple: Triple, at: usize) {
        let nth = self.ranks[rank as usize].requests.ended(triple, at);
        Action::wait_for(triple, nth).for_each(|action| self.push(rank, action));
    }

    /// Records a blocking collective of a rank. Its counts are one per member of its communicator, which includes the
    /// rank.
    pub fn collective(&mut self, rank: u32, call: CollectiveCall) -> Result<(), TraceError> {
        let index = self.tables.collective(call).map_err(full)?;
        self.push(rank, Action::Collective { index });
        Ok(())
    }

    /// Stores a vector of counts.
    pub fn counts(&mut self, counts: &[u32]) -> Result<Counts, TraceError> {
        self.tables.counts(counts).map_err(full)
    }

    /// Drops receives from any source that were not complete when the recording ended: their source is unknown.
    fn leave_out_open(&mut self, file: &Path) {
        let ranks = self.ranks.len() as u32;
        let mut open = 0_u64;
        let had_open = self.ranks.iter_mut().filter(|rank| rank.requests.had_open);
        for rank in had_open {
            rank.actions.change(|action| {
                if matches!(action, Action::Irecv { from, tag, .. } if *from >= ranks || *tag < 0) {
                    *action = Action::NoOperation;
                    open += 1;
                }
            });
        }
        if open > 0 {
            self.remark(file, format!("receives from any rank that never end: {open}; they are left out"));
        }
    }

    /// Returns the trace of a partial recording. Sends, receives and collectives without a recorded counterpart cannot
    /// be replayed, and are cut.
    pub fn finish_window(self, name: &str, file: &Path) -> Result<Trace, TraceError> {
        let format = self.format;
        let trace = self.finish(name, file)?;
        // `cut` drops the recorded time: it would be that of a program that did not end.
        let window = cut(&trace, &Cut { ranks: None, part: Part::All });
        let wrong = |error: CutError| Kind::format(format, error.to_string(), "record it again");
        window.map(|(window, _)| window).map_err(|error| located(file, FilePosition::Byte(0), wrong(error)))
    }

    /// Takes the warnings and notes about the trace.
    pub fn take_warnings(&mut self) -> Vec<TraceWarning> {
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(std::mem::take(&mut self.notes).into_iter().map(|((effect, what), (count, rank, place))| {
            TraceWarning::Approximated { effect, what, count, rank, place }
        }));
        warnings
    }

    /// Returns the trace.
    pub fn finish(mut self, name: &str, file: &Path) -> Result<Trace, TraceError> {
        self.share_roots()?;
        self.leave_out_open(file);
        if self.ranks.iter().all(|rank| rank.actions.is_empty()) {
            return Err(TraceError::whole(file, Kind::Empty));
        }
        let warnings = self.take_warnings();
        let trace = Trace {
            name: name.to_owned(),
            recorded_seconds: self.ranks.iter().filter_map(Rank::recorded_seconds).reduce(f64::max),
            actions: self.ranks.into_iter().map(|rank| rank.actions).collect(),
            warnings,
            ..self.tables.into_trace()
        };
        match check_call::communicators(&trace) {
            Ok(()) => Ok(trace),
            Err((rank, at, wrong)) => {
                let problem = format!("rank {rank}, call {}: {wrong}", at + 1);
                Err(TraceError::whole(
                    file,
                    Kind::format(self.format, problem, "the file is damaged, or the recorder is wrong"),
                ))
            }
        }
    }
}

pub(super) fn full(full: Full) -> TraceError {
    TraceError::whole(PathBuf::new(), Kind::TableFull { table: full.0 })
}

/// Returns an error at a place.
pub(in crate::trace) fn located(file: &Path, at: FilePosition, kind: Kind) -> TraceError {
    let error = TraceError::whole(file, kind);
    match at {
        FilePosition::Line(line) => TraceError { line: Some(line), ..error },
        FilePosition::Byte(byte) => error.at_byte(byte),
        FilePosition::Event { location, timestamp } => error.at_event(location, timestamp),
    }
}

/// Returns a collective with one size for all, from the result of [`Program::elements`].
pub(in crate::trace) fn uniform(kind: CollectiveKind, root: u32, (count, datatype): (u32, Datatype)) -> CollectiveCall {
    CollectiveCall::uniform(kind, root, count, datatype)
}
