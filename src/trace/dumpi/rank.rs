//! Conversion of one rank's calls to actions.

use std::path::PathBuf;

use super::comms::{CommRanks, Comms, WORLD};
use super::layout::CALLS;
use super::stream::{CallStream, DumpiCall, Status};
use super::tail::Tail;
use super::types::Types;
use crate::trace::calls::{CallRequest, FilePosition, Making, Program, Unresolved, uniform};
use crate::trace::check_call::MOST;
use crate::trace::error::TraceError;
use crate::trace::{Action, CollectiveCall, CollectiveKind as K, CommunicatorId, Counts, Datatype, Effect};
use rustc_hash::FxHashMap;

/// `MPI_ANY_SOURCE` and `MPI_ANY_TAG`. Lower values are not ranks: `MPI_PROC_NULL`.
pub(super) const ANY: i64 = -1;
/// The null request.
const NO_REQUEST: i32 = 1;

/// Reads the calls of a rank into the program; returns the number of calls of each kind.
pub(super) fn read(
    program: &mut Program<'_>,
    rank: u32,
    tail: &Tail,
    comms: Comms,
    stream: &mut CallStream<'_, '_>,
) -> Result<Vec<u64>, TraceError> {
    let file = stream.file().to_path_buf();
    let mut reader = DumpiReader {
        program,
        rank,
        file,
        comms,
        ids: [(WORLD, CommunicatorId::WORLD)].into_iter().collect(),
        windows: FxHashMap::default(),
        open: FxHashMap::default(),
        types: Types::new(&tail.sizes),
        at: 0,
    };
    let mut call = DumpiCall::default();
    let mut counts = vec![0; CALLS.len()];
    let mut last = 0;
    while stream.next(&mut call)? {
        if call.name.is_empty() {
            continue;
        }
        // Consecutive calls often have the same kind.
        if CALLS[last].0 != call.name {
            last = CALLS.iter().position(|(name, _)| *name == call.name).unwrap_or(0);
        }
        counts[last] += 1;
        reader.at = call.at;
        if let Some((begin, end)) = call.times {
            reader.program.call(rank, begin, end);
        }
        reader.call(&call)?;
    }
    Ok(counts)
}

pub(super) struct DumpiReader<'p, 'o, 't> {
    pub(super) program: &'p mut Program<'o>,
    pub(super) rank: u32,
    pub(super) file: PathBuf,
    pub(super) comms: Comms,
    /// The communicators of the trace by handle; `None` for those of the rank alone.
    ids: FxHashMap<i64, CommunicatorId>,
    /// The windows of the trace by handle.
    pub(super) windows: FxHashMap<i64, CommunicatorId>,
    /// The communicators of receives whose source or tag is open, by the index of the receive.
    open: FxHashMap<usize, i64>,
    types: Types<'t>,
    /// Position of the current call.
    pub(super) at: u64,
}

/// A partner of a message.
pub(super) enum Partner {
    Rank(u32),
    Any,
    /// `MPI_PROC_NULL`: there is no message.
    Nobody,
    Unknown,
}

pub(super) type Done = Result<(), TraceError>;

impl DumpiReader<'_, '_, '_> {
    pub(super) fn error(&self, problem: impl Into<String>) -> TraceError {
        self.program.error(
            &self.file,
            FilePosition::Byte(self.at),
            problem,
            "the file is damaged, or the program is wrong",
        )
    }

    pub(super) fn refuse(&mut self, call: &DumpiCall, reason: &'static str) -> Done {
        let name = format!("MPI_{}", call.name);
        self.program.inexpressible(&name, reason, self.rank, &self.file, FilePosition::Byte(self.at))
    }

    pub(super) fn note(&mut self, what: String) {
        self.program.note(Effect::Approximated, what, self.rank, &self.file, FilePosition::Byte(self.at));
    }

    pub(super) fn partner(&self, comm: i64, rank: i64) -> Result<Partner, TraceError> {
        match rank {
            ANY => Ok(Partner::Any),
            ..ANY => Ok(Partner::Nobody),
            _ if *self.comms.get(comm) == CommRanks::Unknown => Ok(Partner::Unknown),
            _ => match self.comms.world_rank(comm, rank) {
                Some(rank) => Ok(Partner::Rank(rank)),
                None => Err(self.error(format!("there is no rank {rank} in its communicator"))),
            },
        }
    }

    pub(super) fn tag(&self, tag: i64) -> Result<i32, TraceError> {
        i32::try_from(tag).ok().filter(|&tag| tag >= 0).ok_or_else(|| self.error(format!("{tag} is no tag")))
    }

    fn bytes(&self, count: i64, datatype: i64) -> Result<u64, TraceError> {
        let Some(size) = self.types.size(datatype) else {
            return Err(self.error(format!("the size of type {datatype} is not recorded")));
        };
        let count = u64::try_from(count).map_err(|_| self.error(format!("{count} is no count")))?;
        count.checked_mul(size).ok_or_else(|| self.error("a message is too large"))
    }

    pub(super) fn elements(&mut self, count: i64, datatype: i64) -> Result<(u32, Datatype), TraceError> {
        let bytes = self.bytes(count, datatype)?;
        self.program.elements(bytes, self.rank, &self.file, FilePosition::Byte(self.at))
    }

    fn call(&mut self, call: &DumpiCall) -> Done {
        let i = &call.integers[..];
        match call.name {
            "Init" | "Init_thread" => self.program.push(self.rank, Action::Init),
            "Finalize" => self.program.push(self.rank, Action::Finalize),
            "Send" | "Bsend" | "Ssend" | "Rsend" | "Isend" | "Ibsend" | "Issend" | "Irsend" | "Send_init"
            | "Bsend_init" | "Ssend_init" | "Rsend_init" => self.send(call)?,
            "Recv" | "Irecv" | "Recv_init" => self.receive(call)?,
            "Sendrecv" => {
                let send = [i[0], i[1], i[2], i[3], i[8]];
                self.sendrecv(call, send, [i[4], i[5], i[6], i[7], i[8]])?;
            }
            "Sendrecv_replace" => {
                let send = [i[0], i[1], i[2], i[3], i[6]];
                self.sendrecv(call, send, [i[0], i[1], i[4], i[5], i[6]])?;
            }
            "Start" => self.start(i[0])?,
            "Startall" => call.vectors[0].iter().try_for_each(|&handle| self.start(handle.into()))?,
            "Request_free" => self.program.ranks[self.rank as usize].requests.forget(i[0] as u64),
            "Cancel" => self.refuse(call, "a message that is taken back may have been received")?,
            "Wait" | "Test" | "Waitall" | "Testall" | "Waitany" | "Testany" | "Waitsome" | "Testsome" => {
                self.complete(call)?;
            }
            "Probe" => self.probe(call)?,
            "Iprobe" => {
                self.note("MPI_Iprobe: the receive that follows does the waiting".to_owned());
            }
            "Barrier" | "Bcast" | "Gather" | "Gatherv" | "Scatter" | "Scatterv" | "Allgather" | "Allgatherv"
            | "Alltoall" | "Alltoallv" | "Alltoallw" | "Reduce" | "Allreduce" | "Reduce_scatter" | "Scan"
            | "Exscan" => {
                self.collective(call)?;
            }
            "Get" | "Put" | "Accumulate" => self.one_sided(call)?,
            "Win_create" => self.window(call)?,
            "Win_fence" | "Win_free" | "Win_lock" | "Win_unlock" => self.epoch(call)?,
            "Win_post" | "Win_start" | "Win_complete" | "Win_wait" | "Win_test" => {
                self.refuse(call, "epochs of groups are not simulated")?;
            }
            "Comm_spawn"
            | "Comm_spawn_multiple"
            | "Comm_accept"
            | "Comm_connect"
            | "Comm_join"
            | "Intercomm_create" => {
                self.refuse(call, "processes that are added later are not simulated")?;
            }
            name if name.starts_with("File_") => {
                let seconds = call.times.map_or(0.0, |(begin, end)| (end - begin).max(0.0));
                if seconds > 0.0 {
                    self.program.push(self.rank, Action::Sleep { seconds });
                }
                self.note(format!("MPI_{name}: the time that it took is slept"));
            }
            "Cart_create" if i[2] != 0 => {
                // A new numbering is permitted, but few libraries use it.
                self.note("MPI_Cart_create with reorder: ranks keep their numbers".to_owned());
                self.make(call)?;
            }
            _ => {
                self.make(call)?;
                self.types.learn(call);
            }
        }
        Ok(())
    }

    /// Updates the state from a call; if it creates a communicator, all members of the parent agree on it.
    fn make(&mut self, call: &DumpiCall) -> Done {
        let Some((parent, new)) = self.comms.learn(call) else { return Ok(()) };
        let making = if call.name == "Comm_split" { Making::Split } else { Making::Agreed };
        if let Some(&parent) = self.ids.get(&parent) {
            self.program.making(self.rank, making, parent)?;
        }
        self.ids.remove(&new);
        if let Some(members) = self.comms.members(new).filter(|members| members.contains(&self.rank)) {
            let at = FilePosition::Byte(self.at);
            let id = self.program.new_communicator(self.rank, &members, &self.file, at)?;
            self.ids.insert(new, id);
        }
        Ok(())
    }

    /// Returns the communicator of messages; that of the rank alone is equivalent to the world.
    pub(super) fn id(&self, comm: i64) -> CommunicatorId {
        self.ids.get(&comm).copied().unwrap_or_default()
    }

    fn send(&mut self, call: &DumpiCall) -> Done {
        let i = &call.integers;
        let to = match self.partner(i[4], i[2])? {
            Partner::Rank(to) => Some(to),
            Partner::Nobody => None,
            Partner::Any => None,
            Partner::Unknown => return self.refuse_comm(call),
        };
        if matches!(call.name, "Ssend" | "Issend" | "Ssend_init") {
            self.note(format!("MPI_{}: replayed as a standard send", call.name));
        }
        let (count, datatype) = self.elements(i[0], i[1])?;
        let blocking = call.name.ends_with("end") && !call.name.starts_with('I');
        let Some(to) = to else {
            if !blocking {
                self.nothing(i[5], call.name.ends_with("_init"));
            }
            return Ok(());
        };
        let tag = self.tag(i[3])?;
        let tag = self.program.tag(self.id(i[4]), tag);
        if blocking {
            self.program.push(self.rank, Action::Send { to, tag, count, datatype });
        } else {
            self.post(call, i[5], Action::Isend { to, tag, count, datatype });
        }
        Ok(())
    }

    /// Posts an operation, or stores it for its starts.
    fn post(&mut self, call: &DumpiCall, handle: i64, action: Action) {
        if call.name.ends_with("_init") {
            self.program.ranks[self.rank as usize].requests.keep(handle as u64, action);
        } else {
            self.program.post(self.rank, handle as u64, action);
        }
    }

    /// Registers a request that is complete from the start.
    fn nothing(&mut self, handle: i64, persistent: bool) {
        let requests = &mut self.program.ranks[self.rank as usize].requests;
        if persistent {
            requests.keep(handle as u64, Action::NoOperation);
        } else {
            requests.insert(handle as u64, CallRequest::Nothing);
        }
    }

    pub(super) fn refuse_comm(&mut self, call: &DumpiCall) -> Done {
        self.refuse(call, "the members of its communicator are not recorded")
    }

    fn receive(&mut self, call: &DumpiCall) -> Done {
        let i = &call.integers;
        let partner = self.partner(i[4], i[2])?;
        let (count, datatype) = self.elements(i[0], i[1])?;
        let any_tag = i[3] == ANY;
        match partner {
            Partner::Unknown => self.refuse_comm(call),
            Partner::Nobody => {
                if call.name != "Recv" {
                    self.nothing(i[5], call.name == "Recv_init");
                }
                Ok(())
            }
            Partner::Rank(from) if !any_tag => {
                let tag = self.tag(i[3])?;
                let tag = self.program.tag(self.id(i[4]), tag);
                if call.name == "Recv" {
                    self.program.push(self.rank, Action::Recv { from, tag, count, datatype });
                } else {
                    self.post(call, i[5], Action::Irecv { from, tag, count, datatype });
                }
                Ok(())
            }
            partner => {
                let known = match partner {
                    Partner::Rank(from) => from,
                    _ => u32::MAX,
                };
                let tag = if any_tag { -1 } else { self.tag(i[3])? };
                match call.name {
                    "Recv" => match self.told(i[4], known, tag, call.statuses.first())? {
                        Some((from, tag)) => {
                            self.program.push(self.rank, Action::Recv { from, tag, count, datatype });
                            Ok(())
                        }
                        None => self.refuse(call, "its source is not recorded"),
                    },
                    "Irecv" => {
                        let at = self.program.ranks[self.rank as usize].actions.len();
                        // Source and tag follow at completion; a known tag is kept if the source is not known.
                        self.program.push(self.rank, Action::Irecv { from: known, tag, count, datatype });
                        self.program.ranks[self.rank as usize].requests.insert(i[5] as u64, CallRequest::Open(at));
                        self.open.insert(at, i[4]);
                        Ok(())
                    }
                    _ => self.refuse(call, "a persistent receive from any source has another one each time"),
                }
            }
        }
    }

    /// Returns source and tag of a received message: those of the call, or those of the status.
    pub(super) fn told(
        &mut self,
        comm: i64,
        from: u32,
        tag: i32,
        status: Option<&Status>,
    ) -> Result<Option<(u32, i32)>, TraceError> {
        let from = match (from, status) {
            (u32::MAX, None) => return Ok(None),
            (u32::MAX, Some(status)) => match self.comms.world_rank(comm, status.source.into()) {
                Some(from) => from,
                None => return Err(self.error(format!("there is no rank {} to receive from", status.source))),
            },
            (known, _) => known,
        };
        let tag = match (tag, status) {
            (-1, None) => return Ok(None),
            (-1, Some(status)) if status.tag < 0 => return Ok(None),
            (-1, Some(status)) => status.tag,
            (known, _) => known,
        };
        let tag = self.program.tag(self.id(comm), tag);
        Ok(Some((from, tag)))
    }

    fn sendrecv(&mut self, call: &DumpiCall, send: [i64; 5], receive: [i64; 5]) -> Done {
        let handle = u64::MAX;
        let to = match self.partner(send[4], send[2])? {
            Partner::Rank(to) => Some(to),
            Partner::Unknown => return self.refuse_comm(call),
            _ => None,
        };
        if let Some(to) = to {
            let (count, datatype) = self.elements(send[0], send[1])?;
            let tag = self.tag(send[3])?;
            let tag = self.program.tag(self.id(send[4]), tag);
            self.program.post(self.rank, handle, Action::Isend { to, tag, count, datatype });
        }
        let (from, tag) = match self.partner(receive[4], receive[2])? {
            Partner::Rank(from) => (Some(from), receive[3]),
            Partner::Any => (Some(u32::MAX), receive[3]),
            _ => (None, 0),
        };
        if let Some(from) = from {
            let tag = if tag == ANY { -1 } else { self.tag(tag)? };
            let (count, datatype) = self.elements(receive[0], receive[1])?;
            match self.told(receive[4], from, tag, call.statuses.first())? {
                Some((from, tag)) => self.program.push(self.rank, Action::Recv { from, tag, count, datatype }),
                None => self.refuse(call, "its source is not recorded")?,
            }
        }
        if to.is_some() {
            // It exists: it was just posted.
            let _ = self.program.wait(self.rank, handle, None);
        }
        Ok(())
    }

    fn start(&mut self, handle: i64) -> Done {
        match self.program.ranks[self.rank as usize].requests.persistent(handle as u64) {
            Some(Action::NoOperation) => {
                self.nothing(handle, false);
                Ok(())
            }
            Some(action) => {
                self.program.post(self.rank, handle as u64, action);
                Ok(())
            }
            None => self.program.inexpressible(
                "MPI_Start",
                "its request was made where nothing was recorded",
                self.rank,
                &self.file,
                FilePosition::Byte(self.at),
            ),
        }
    }

    /// Waits for the requests that a call has found complete.
    fn complete(&mut self, call: &DumpiCall) -> Done {
        let (i, v) = (&call.integers, &call.vectors);
        let handles: Vec<i32> = match call.name {
            "Wait" => vec![i[0] as i32],
            "Test" if i[1] != 0 => vec![i[0] as i32],
            "Waitall" => v[0].clone(),
            "Testall" if i[1] != 0 => v[0].clone(),
            "Waitany" => pick(&v[0], &[i[1] as i32]),
            "Testany" if i[2] != 0 => pick(&v[0], &[i[1] as i32]),
            // The number of completed requests is negative if there was none to wait for.
            "Waitsome" | "Testsome" if i[1] > 0 => pick(&v[0], &v[1]),
            _ => Vec::new(),
        };
        if call.name.starts_with("Test") && handles.is_empty() {
            self.note(format!("MPI_{} that finds nothing complete: no effect", call.name));
        }
        let mut statuses = call.statuses.iter();
        for handle in handles {
            let status = statuses.next();
            if handle <= NO_REQUEST {
                continue;
            }
            let state = &self.program.ranks[self.rank as usize];
            let open = state.requests.peek(handle as u64).and_then(CallRequest::open);
            let asked = open.map(|at| match state.actions.get(at) {
                Some(Action::Irecv { from, tag, .. }) => (at, from, tag),
                _ => (at, u32::MAX, -1),
            });
            let told = match asked {
                Some((at, from, tag)) => {
                    let comm = self.open.remove(&at).unwrap_or(WORLD);
                    self.told(comm, from, tag, status)?
                }
                None => None,
            };
            match self.program.wait(self.rank, handle as u64, told) {
                Ok(true) => {}
                Ok(false) => self.note(format!("MPI_{} for a request that was not recorded: no effect", call.name)),
                Err(Unresolved(at)) => {
                    self.program.ranks[self.rank as usize].actions.set(at, Action::NoOperation);
                    self.refuse(call, "the source of the message is not recorded")?;
                }
            }
        }
        Ok(())
    }

    fn collective(&mut self, call: &DumpiCall) -> Done {
        let (i, v) = (&call.integers[..], &call.vectors[..]);
        let (kind, comm) = match call.name {
            "Barrier" => (K::Barrier, i[0]),
            "Bcast" => (K::Bcast, i[3]),
            "Gather" => (K::Gather, i[4]),
            "Gatherv" => (K::Gatherv, i[5]),
            "Scatter" => (K::Scatter, i[4]),
            "Scatterv" => (K::Scatterv, i[6]),
            "Allgather" => (K::Allgather, i[4]),
            "Allgatherv" => (K::Allgatherv, i[4]),
            "Alltoall" => (K::Alltoall, i[4]),
            "Alltoallv" => (K::Alltoallv, i[3]),
            "Alltoallw" => (K::Alltoallv, i[1]),
            "Reduce" => (K::Reduce, i[4]),
            "Allreduce" => (K::Allreduce, i[3]),
            "Reduce_scatter" => (K::ReduceScatter, i[3]),
            "Scan" => (K::Scan, i[3]),
            _ => (K::Exscan, i[3]),
        };
        let communicator = match self.comms.get(comm) {
            CommRanks::Alone => return Ok(()),
            CommRanks::Unknown => return self.refuse_comm(call),
            CommRanks::World | CommRanks::Members(_) => self.id(comm),
        };
        let members = self.program.members(communicator).size();
        let ranks = members as i64;
        let root = |root: i64| {
            u32::try_from(root)
                .ok()
                .filter(|&r| i64::from(r) < ranks)
                .ok_or_else(|| self.error(format!("no root {root}")))
        };
        let action = match kind {
            K::Barrier => CollectiveCall::empty(kind),
            K::Bcast => {
                let root = root(i[2])?;
                uniform(kind, root, self.elements(i[0], i[1])?)
            }
            K::Reduce => {
                let root = root(i[3])?;
                uniform(kind, root, self.elements(i[0], i[1])?)
            }
            K::Allreduce | K::Scan | K::Exscan => uniform(kind, 0, self.elements(i[0], i[1])?),
            // Sent and received data are the same by the rules of MPI; arguments of the root only are not needed.
            K::Gather | K::Scatter => {
                let root = root(i[3])?;
                uniform(kind, root, self.elements(i[1], i[2])?)
            }
            K::Allgather | K::Alltoall => uniform(kind, 0, self.elements(i[0], i[1])?),
            K::Gatherv => {
                let (root, (count, _)) = (root(i[4])?, self.elements(i[2], i[3])?);
                let counts = self.vector(v.first(), i[6], members)?;
                CollectiveCall { root, send_count: count, recv_counts: counts, ..CollectiveCall::empty(kind) }
            }
            K::Scatterv => {
                let (root, (count, _)) = (root(i[5])?, self.elements(i[3], i[4])?);
                let counts = self.vector(v.first(), i[2], members)?;
                CollectiveCall { root, recv_count: count, send_counts: counts, ..CollectiveCall::empty(kind) }
            }
            K::Allgatherv => {
                let (count, _) = self.elements(i[1], i[2])?;
                CollectiveCall {
                    send_count: count,
                    recv_counts: self.vector(v.first(), i[3], members)?,
                    ..CollectiveCall::empty(kind)
                }
            }
            K::ReduceScatter => {
                CollectiveCall { recv_counts: self.vector(v.first(), i[1], members)?, ..CollectiveCall::empty(kind) }
            }
            K::Alltoallv if call.name == "Alltoallw" => {
                let sent = self.mixed(&v[0], &v[2], members)?;
                CollectiveCall {
                    send_counts: sent,
                    recv_counts: self.mixed(&v[3], &v[5], members)?,
                    ..CollectiveCall::empty(kind)
                }
            }
            K::Alltoallv => {
                let sent = self.vector(v.first(), i[1], members)?;
                CollectiveCall {
                    send_counts: sent,
                    recv_counts: self.vector(v.get(2), i[2], members)?,
                    ..CollectiveCall::empty(kind)
                }
            }
        };
        self.program.collective(self.rank, CollectiveCall { communicator, ..action })
    }

    /// Returns a vector of counts in bytes; `None` if the rank has not recorded it.
    fn vector(&mut self, counts: Option<&Vec<i32>>, datatype: i64, members: usize) -> Result<Counts, TraceError> {
        let Some(counts) = counts else { return Ok(Counts::default()) };
        let types = vec![datatype as i32; counts.len()];
        self.mixed(counts, &types, members)
    }

    fn mixed(&mut self, counts: &[i32], types: &[i32], members: usize) -> Result<Counts, TraceError> {
        if counts.len() != members || types.len() != members {
            return Err(self.error(format!("{} counts for {members} ranks", counts.len())));
        }
        let bytes = |(&count, &datatype): (&i32, &i32)| {
            let bytes = self.bytes(count.into(), datatype.into())?;
            u32::try_from(bytes)
                .ok()
                .filter(|&b| b <= MOST)
                .ok_or_else(|| self.error("a count is above 2147483647 bytes"))
        };
        let bytes: Vec<u32> = counts.iter().zip(types).map(bytes).collect::<Result<_, _>>()?;
        self.program.counts(&bytes)
    }
}

/// Returns the handles at these indices.
fn pick(handles: &[i32], places: &[i32]) -> Vec<i32> {
    places.iter().filter_map(|&at| handles.get(usize::try_from(at).ok()?).copied()).collect()
}
