//! Conversion of one rank's records to actions.

use std::path::PathBuf;

use rustc_hash::FxHashMap;

use super::layout::{COMPLETIONS, GET_STATUS, Op, RELEASED};
use super::requests::{Handles, OpenReceive, Prepared, StartedOperation};
use super::stream::{
    CallRecord, Completed, DAMAGED, INSTRUCTIONS, Next, RecordStream, RecordingHeader, RequestOutcome,
};
use super::summary::is_slept;
use super::threads::{ActionPlace, Threads};
use crate::trace::calls::{FilePosition, Making, Program, Requests};
use crate::trace::error::{TraceError, TraceErrorKind};
use crate::trace::{Action, Actions, CommunicatorId, Datatype, Effect};

/// End of the file of a rank.
pub(super) enum Ended {
    /// Complete.
    Whole {
        /// Number of calls that began while another thread was in one.
        overlapped: u64,
    },
    /// Before MPI_Finalize: at this byte, and with a code if MPI_Abort ended it.
    Early {
        /// The first byte that is missing, or belongs to an incomplete record.
        byte: u64,
        /// Code of MPI_Abort.
        abort: Option<i64>,
    },
    /// At a record that cannot be read.
    Damaged(Box<TraceError>),
}

/// The number that represents no partner.
pub(super) const NOBODY: i64 = -1;
const ANY: i64 = -2;
/// Any tag.
const ANY_TAG: i64 = -1;
/// Predefined communicators; the others are recorded at creation.
const WORLD: i64 = 0;
const ALONE: i64 = 1;

/// Reads the records of a rank into the program. Concurrent calls of its threads are not in its actions yet.
pub(super) fn read(
    program: &mut Program<'_>,
    rank: u32,
    header: &RecordingHeader,
    stream: &mut RecordStream<'_, '_>,
) -> Result<(Ended, Threads), TraceError> {
    let file = stream.file().to_path_buf();
    let seconds = 1.0 / header.ticks_per_second;
    let flops = program.recorded_speed() / header.ticks_per_second;
    let mut reader = RecordingReader {
        program,
        rank,
        file,
        at: 0,
        seconds,
        flops,
        comms: FxHashMap::default(),
        alone: None,
        neighbors: FxHashMap::default(),
        windows: FxHashMap::default(),
        handles: Handles::default(),
        names: Vec::new(),
        measured: 0.0,
        instructions: 0.0,
        last_compute: None,
        threads: Threads::default(),
    };
    let counts_instructions = header.flags & INSTRUCTIONS != 0;
    let mut record = CallRecord::default();
    let mut abort = None;
    let mut ticks = 0_u64;
    let ended = loop {
        let next = stream.next(&mut record).and_then(|next| match next {
            Next::Record => reader.take(&record, counts_instructions).map(|()| next),
            _ => Ok(next),
        });
        match next {
            Ok(Next::Record) => {
                ticks = ticks.saturating_add(record.gap).saturating_add(record.duration);
                if record.op == Op::Abort {
                    abort = Some(record.numbers[0]);
                }
            }
            Ok(Next::End { overlapped }) => break Ended::Whole { overlapped },
            Ok(Next::Early(byte)) => break Ended::Early { byte, abort },
            Err(error) if reader.program.keeps_readable_ranks() && is_damage(&error) => {
                break Ended::Damaged(Box::new(error));
            }
            Err(error) => return Err(error),
        }
    };
    reader.close_open();
    reader.spread_instructions();
    reader.program.ranks[rank as usize].lasted = Some(ticks as f64 * seconds);
    Ok((ended, reader.threads))
}

/// Returns `true` if the file itself is wrong, rather than a call that no action expresses or a limit of the tables.
/// Damaged bytes may still be a record, of a rank or a communicator that does not exist.
fn is_damage(error: &TraceError) -> bool {
    !matches!(error.kind, TraceErrorKind::Inexpressible(_) | TraceErrorKind::TableFull { .. })
}

pub(super) struct RecordingReader<'p, 'o> {
    pub program: &'p mut Program<'o>,
    pub rank: u32,
    pub file: PathBuf,
    /// Position of the current record.
    pub at: u64,
    /// Seconds per tick, and flops that represent them.
    seconds: f64,
    flops: f64,
    /// Communicators by number in the file.
    comms: FxHashMap<i64, CommunicatorId>,
    alone: Option<CommunicatorId>,
    /// Communicators for messages of neighbourhood exchanges, which must not mix with others.
    pub neighbors: FxHashMap<CommunicatorId, CommunicatorId>,
    pub windows: FxHashMap<i64, CommunicatorId>,
    pub handles: Handles,
    /// Names of calls that are recorded by name only.
    names: Vec<String>,
    /// Flops of all computation, and its instructions if they were counted.
    measured: f64,
    instructions: f64,
    /// Index of the last computation, if it is the last action.
    last_compute: Option<usize>,
    /// Calls during which another thread was recorded.
    pub threads: Threads,
}

pub(super) type Done = Result<(), TraceError>;

impl RecordingReader<'_, '_> {
    pub fn error(&self, problem: impl Into<String>) -> TraceError {
        self.program.error(&self.file, FilePosition::Byte(self.at), problem, DAMAGED)
    }

    pub fn refuse(&mut self, call: &str, reason: &'static str) -> Done {
        self.program.inexpressible(call, reason, self.rank, &self.file, FilePosition::Byte(self.at))
    }

    pub fn note(&mut self, what: impl Into<String>) {
        self.program.note(Effect::Approximated, what, self.rank, &self.file, FilePosition::Byte(self.at));
    }

    pub fn push(&mut self, action: Action) {
        self.program.push(self.rank, action);
    }

    pub fn actions(&mut self) -> &mut Actions {
        &mut self.program.ranks[self.rank as usize].actions
    }

    pub fn requests(&mut self) -> &mut Requests {
        &mut self.program.ranks[self.rank as usize].requests
    }

    fn set(&mut self, place: ActionPlace, action: Action) {
        match place {
            ActionPlace::At(at) => self.actions().set(at, action),
            ActionPlace::Between(number) => self.threads.between[number].action = action,
        }
    }

    /// Records the time before a call as computation; consecutive ones are merged.
    fn compute(&mut self, record: &CallRecord, counts_instructions: bool) {
        let flops = record.gap as f64 * self.flops;
        if !(flops > 0.0 && flops.is_finite()) {
            return;
        }
        let next = self.actions().len();
        let at = match self.last_compute {
            Some(at) if at + 1 == next => at,
            _ => {
                self.push(Action::Compute { flops: 0.0 });
                next
            }
        };
        self.measured += flops;
        if counts_instructions {
            self.count(record.instructions);
        }
        // Until the end, computations hold their instructions in place of their flops.
        let amount = if self.instructions > 0.0 { record.instructions as f64 } else { flops };
        let actions = self.actions();
        if let Some(Action::Compute { flops: sum }) = actions.get(at) {
            actions.set(at, Action::Compute { flops: sum + amount });
        }
        self.last_compute = Some(at);
    }

    /// Adds instructions. As long as there are none, the times are kept: a counter may exist and never count.
    fn count(&mut self, instructions: u64) {
        if self.instructions == 0.0 && instructions > 0 {
            self.change_computation(|_| 0.0);
        }
        self.instructions += instructions as f64;
    }

    fn change_computation(&mut self, how: impl Fn(f64) -> f64) {
        self.actions().change(|action| {
            if let Action::Compute { flops } = action {
                *flops = how(*flops);
            }
        });
    }

    /// If instructions were counted, distributes the rank's total computation time in proportion to them: interruptions
    /// by the operating system then do not lengthen any single part.
    fn spread_instructions(&mut self) {
        let (flops, instructions) = (self.measured, self.instructions);
        if instructions > 0.0 {
            self.change_computation(|part| flops * (part / instructions));
        }
    }

    /// Drops receives from any source that never completed: their message is unknown.
    fn close_open(&mut self) {
        for at in self.handles.open() {
            self.give_up(at);
        }
    }

    fn give_up(&mut self, at: ActionPlace) {
        self.set(at, Action::NoOperation);
        let what = "receives from any source or with any tag that did not complete";
        self.program.note(Effect::LeftOut, what, self.rank, &self.file, FilePosition::Byte(self.at));
    }

    pub fn comm(&mut self, number: i64) -> Result<CommunicatorId, TraceError> {
        match number {
            WORLD => Ok(CommunicatorId::WORLD),
            ALONE => {
                if let Some(alone) = self.alone {
                    return Ok(alone);
                }
                let alone =
                    self.program.new_communicator(self.rank, &[self.rank], &self.file, FilePosition::Byte(self.at))?;
                self.alone = Some(alone);
                Ok(alone)
            }
            _ => match self.comms.get(&number) {
                Some(&id) => Ok(id),
                None => Err(self.error(format!("communicator {number} is not defined"))),
            },
        }
    }

    /// Returns a member of a communicator as a world rank.
    pub fn world_rank(&self, comm: CommunicatorId, member: i64) -> Result<u32, TraceError> {
        let rank = u32::try_from(member).ok().and_then(|member| self.program.members(comm).rank(member));
        rank.ok_or_else(|| self.error(format!("there is no rank {member} in its communicator")))
    }

    fn tag(&mut self, comm: CommunicatorId, tag: i64) -> Result<i32, TraceError> {
        match i32::try_from(tag) {
            Ok(tag @ 0..) => Ok(self.program.tag(comm, tag)),
            _ => Err(self.error(format!("{tag} is no tag"))),
        }
    }

    pub fn elements(&mut self, bytes: i64) -> Result<(u32, Datatype), TraceError> {
        self.program.elements(bytes as u64, self.rank, &self.file, FilePosition::Byte(self.at))
    }

    /// Converts a record, with the computation before it.
    fn take(&mut self, record: &CallRecord, counts_instructions: bool) -> Done {
        self.at = record.at;
        self.compute(record, counts_instructions);
        match self.threads.left.take() {
            Some(at) => self.returned(record, at),
            None => self.record(record),
        }
    }

    pub fn record(&mut self, record: &CallRecord) -> Done {
        let n = &record.numbers[..];
        match record.op {
            Op::Begin => self.push(Action::Init),
            Op::Finalize => self.push(Action::Finalize),
            Op::End | Op::Quiet | Op::Abort => {}
            Op::Comm => self.new_comm(n, &record.lists[0])?,
            // Numbers are not reused, and operations in progress may still need theirs.
            Op::CommFree | Op::WinFree => {}
            Op::Send | Op::Isend | Op::SendInit => self.send(record.op, n)?,
            Op::Recv | Op::Irecv | Op::RecvInit => self.receive(record.op, n)?,
            Op::Start => record.lists[0].iter().try_for_each(|&handle| self.start(handle as u64))?,
            Op::Sendrecv => self.sendrecv(n)?,
            Op::Complete => record.completed.iter().try_for_each(|&completed| self.complete(n[0], completed))?,
            Op::Polls => {
                let call = COMPLETIONS.get(n[0] as usize).copied().unwrap_or("a test");
                self.note(format!("{call} that finds nothing, once or many times in a row: what finds it waits"));
            }
            Op::Probe => {
                let comm = self.comm(n[0])?;
                let (from, tag) = (self.world_rank(comm, n[1])?, self.tag(comm, n[2])?);
                self.push(Action::Probe { from, tag });
            }
            Op::RequestFree => self.free(n[0] as u64),
            // Its result is recorded at completion.
            Op::Cancel => {}
            Op::Collective | Op::Icollective => self.collective(record)?,
            Op::Neighbor | Op::Ineighbor => self.exchange(record)?,
            Op::Win => self.new_window(n)?,
            Op::Rma => self.one_sided(n)?,
            Op::WinSync => self.synchronize(n)?,
            Op::Other => self.other(record)?,
            Op::Enter => self.enter(n[0]),
            Op::Leave => self.leave(n[0])?,
        }
        Ok(())
    }

    fn new_comm(&mut self, n: &[i64], members: &[i64]) -> Done {
        let making = match n[0] {
            0 => None,
            1 => Some(Making::Split),
            2 => Some(Making::Agreed),
            other => return Err(self.error(format!("no communicator is made in way {other}"))),
        };
        let parent = making.map(|_| self.comm(n[1])).transpose()?;
        if let (Some(making), Some(parent)) = (making, parent) {
            self.program.making(self.rank, making, parent)?;
        }
        if members.is_empty() {
            return Ok(());
        }
        let members: Vec<u32> = members.iter().map(|&member| member as u32).collect();
        let id = self.program.communicator_of(parent, self.rank, &members, &self.file, FilePosition::Byte(self.at))?;
        self.comms.insert(n[2], id);
        Ok(())
    }

    fn send(&mut self, op: Op, n: &[i64]) -> Done {
        let comm = self.comm(n[1])?;
        let (count, datatype) = self.elements(n[4])?;
        let action = match n[2] {
            NOBODY => None,
            to => {
                if n[0] == 2 {
                    self.note("a synchronous send: replayed as a standard send");
                }
                let (to, tag) = (self.world_rank(comm, to)?, self.tag(comm, n[3])?);
                Some(match op {
                    Op::Send => Action::Send { to, tag, count, datatype },
                    _ => Action::Isend { to, tag, count, datatype },
                })
            }
        };
        match (op, action) {
            (Op::Send, Some(action)) => self.push(action),
            (Op::Send, None) => {}
            (Op::Isend, Some(action)) => self.post(n[5] as u64, action),
            (Op::Isend, None) => self.nothing(n[5] as u64),
            (_, Some(action)) => self.handles.prepare(n[5] as u64, Prepared::Message(action)),
            (_, None) => self.handles.prepare(n[5] as u64, Prepared::Nothing),
        }
        Ok(())
    }

    fn receive(&mut self, op: Op, n: &[i64]) -> Done {
        let comm = self.comm(n[0])?;
        let (count, datatype) = self.elements(n[3])?;
        let handle = n.get(4).map_or(0, |&handle| handle as u64);
        let open = n[1] == ANY || (n[2] == ANY_TAG && n[1] != NOBODY);
        if open && op != Op::Recv {
            let wanted = OpenReceive { communicator: n[0], count, datatype };
            if op == Op::Irecv {
                self.post_open(handle, wanted);
            } else {
                self.handles.prepare(handle, Prepared::Open(wanted));
            }
            return Ok(());
        }
        if n[1] == NOBODY {
            match op {
                Op::Recv => {}
                Op::Irecv => self.nothing(handle),
                _ => self.handles.prepare(handle, Prepared::Nothing),
            }
            return Ok(());
        }
        let (from, tag) = (self.world_rank(comm, n[1])?, self.tag(comm, n[2])?);
        let action = Action::Irecv { from, tag, count, datatype };
        match op {
            Op::Recv => self.push(Action::Recv { from, tag, count, datatype }),
            Op::Irecv => self.post(handle, action),
            _ => self.handles.prepare(handle, Prepared::Message(action)),
        }
        Ok(())
    }

    /// Starts an operation under a handle of the file.
    fn post(&mut self, handle: u64, action: Action) {
        let (number, at) = (self.handles.number(), self.actions().len());
        self.program.post(self.rank, number, action);
        self.handles
            .push(handle, StartedOperation { requests: vec![number], action: Some(ActionPlace::At(at)), open: None });
    }

    /// Starts a receive whose source or tag the status will provide.
    fn post_open(&mut self, handle: u64, wanted: OpenReceive) {
        let at = self.actions().len();
        self.push(Action::NoOperation);
        self.handles.push(
            handle,
            StartedOperation { requests: Vec::new(), action: Some(ActionPlace::At(at)), open: Some(wanted) },
        );
    }

    /// Registers a request that is complete from the start.
    pub fn nothing(&mut self, handle: u64) {
        self.handles.push(handle, StartedOperation { requests: Vec::new(), action: None, open: None });
    }

    fn start(&mut self, handle: u64) -> Done {
        match self.handles.prepared(handle) {
            Some(Prepared::Nothing) => self.nothing(handle),
            Some(Prepared::Message(action)) => self.post(handle, action),
            Some(Prepared::Open(wanted)) => self.post_open(handle, wanted),
            None => return self.refuse("MPI_Start", "how its request was made is not recorded"),
        }
        Ok(())
    }

    /// Releases a request without a wait.
    fn free(&mut self, handle: u64) {
        // A persistent one that is freed while in progress continues; so does any other.
        self.handles.forget(handle);
        if let Some(pending) = self.handles.pop(handle) {
            for number in pending.requests {
                self.program.ranks[self.rank as usize].requests.remove(number);
            }
            if let (Some(_), Some(at)) = (pending.open, pending.action) {
                self.give_up(at);
            }
        }
    }

    /// Waits for a request that a call has found complete.
    fn complete(&mut self, call: i64, completed: Completed) -> Done {
        if call == RELEASED {
            self.handles.forget(completed.handle);
        }
        let Some(pending) = self.handles.pop(completed.handle) else {
            // A persistent request that is not in progress is complete.
            if call != RELEASED && self.handles.prepared(completed.handle).is_none() {
                let call = COMPLETIONS.get(call as usize).copied().unwrap_or("a wait");
                self.note(format!("{call} for a request that was not recorded: no effect"));
            }
            return Ok(());
        };
        if call == GET_STATUS {
            self.handles.is_seen(completed.handle);
        }
        let is_cancelled = completed.outcome == RequestOutcome::Cancelled;
        if is_cancelled || (call == RELEASED && pending.open.is_none()) {
            for number in pending.requests {
                let request = self.requests().remove(number);
                if let Some(request) = request.filter(|_| is_cancelled) {
                    self.requests().erased(request);
                }
            }
            if let Some(at) = pending.action.filter(|_| is_cancelled) {
                self.set(at, Action::NoOperation);
            }
            return Ok(());
        }
        if let (Some(wanted), Some(at)) = (pending.open, pending.action) {
            let RequestOutcome::From(source, tag) = completed.outcome else {
                self.give_up(at);
                return Ok(());
            };
            let comm = self.comm(wanted.communicator)?;
            let (from, tag) = (self.world_rank(comm, source)?, self.tag(comm, tag)?);
            let OpenReceive { count, datatype, .. } = wanted;
            let rank = self.rank;
            self.set(at, Action::Irecv { from, tag, count, datatype });
            match at {
                ActionPlace::At(at) if call == RELEASED => self.requests().posted((from, rank, tag), at),
                ActionPlace::At(at) => self.program.wait_for(rank, (from, rank, tag), at),
                ActionPlace::Between(_) if call == RELEASED => {}
                ActionPlace::Between(_) => self.push(Action::Wait { source: from, destination: rank, tag }),
            }
            return Ok(());
        }
        for number in pending.requests {
            // It was started under that number, with its source.
            let _ = self.program.wait(self.rank, number, None);
        }
        Ok(())
    }

    fn sendrecv(&mut self, n: &[i64]) -> Done {
        let comm = self.comm(n[0])?;
        let number = self.handles.number();
        if n[1] != NOBODY {
            let (to, tag) = (self.world_rank(comm, n[1])?, self.tag(comm, n[2])?);
            let (count, datatype) = self.elements(n[3])?;
            self.program.post(self.rank, number, Action::Isend { to, tag, count, datatype });
        }
        if n[4] != NOBODY {
            let (from, tag) = (self.world_rank(comm, n[4])?, self.tag(comm, n[5])?);
            let (count, datatype) = self.elements(n[6])?;
            self.push(Action::Recv { from, tag, count, datatype });
        }
        if n[1] != NOBODY {
            let _ = self.program.wait(self.rank, number, None);
        }
        Ok(())
    }

    /// Handles a call that is recorded by name only.
    fn other(&mut self, record: &CallRecord) -> Done {
        if !record.text.is_empty() {
            self.names.push(record.text.clone());
        }
        let Some(name) = self.names.get(record.numbers[0] as usize).cloned() else {
            return Err(self.error("a call without a name"));
        };
        if is_slept(&name) {
            let seconds = record.duration as f64 * self.seconds;
            if seconds > 0.0 && seconds.is_finite() {
                self.push(Action::Sleep { seconds });
            }
            self.note(format!("{name}: the time that it took is slept"));
        } else if !name.starts_with("MPI_") && !name.contains(" on ") {
            // An object was created, and not used so far.
            self.program.note(Effect::LeftOut, name, self.rank, &self.file, FilePosition::Byte(self.at));
        } else {
            self.refuse(&name, "what it does is not recorded")?;
        }
        Ok(())
    }
}
