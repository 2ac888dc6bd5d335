//! Conversion of one rank's calls to actions.

use crate::excerpt::excerpt_of_bytes;
use std::path::PathBuf;

use crate::trace::calls::{FilePosition, Program, uniform};
use crate::trace::check_call::MOST;
use crate::trace::error::{TraceError, TraceErrorKind};
use crate::trace::{Action, CollectiveCall, CollectiveKind as K, Counts, Datatype, Effect};

/// Prefixes of calls that send no messages, or only prepare for those of other calls.
const LOCAL: [&str; 38] = [
    "Abort",
    "Add_error_",
    "Address",
    "Aint_",
    "Alloc_mem",
    "Attr_",
    "Buffer_",
    "Cancel",
    "Cart_",
    "Cartdim_",
    "Close_port",
    "Comm_",
    "Dims_",
    "Errhandler_",
    "Error_",
    "Finalize",
    "Free_mem",
    "Get_",
    "Graph_",
    "Graphdims_",
    "Group_",
    "Info_",
    "Init",
    "Is_thread_",
    "Keyval_",
    "Op_",
    "Open_port",
    "Pack",
    "Pcontrol",
    "Query_",
    "Request_",
    "Status_",
    "Topo_",
    "Type_",
    "Unpack",
    "Win_",
    "Wtick",
    "Wtime",
];

pub(super) struct RankReader<'p, 'o> {
    program: &'p mut Program<'o>,
    rank: u32,
    file: PathBuf,
    /// Number of lines so far.
    pub line: u64,
}

type Done = Result<(), TraceError>;

/// The fields of a line, starting with the name.
struct Fields<'a>(Vec<&'a str>);

impl Fields<'_> {
    fn part(&self, field: usize, part: usize) -> Option<i64> {
        self.0.get(field)?.split(',').nth(part)?.parse().ok()
    }

    fn date(&self, field: usize) -> Option<f64> {
        self.0.get(field)?.parse::<f64>().ok().filter(|date| date.is_finite()).map(|date| date * 1e-6)
    }
}

impl<'p, 'o> RankReader<'p, 'o> {
    pub fn new(program: &'p mut Program<'o>, rank: u32, file: PathBuf) -> Self {
        Self { program, rank, file, line: 0 }
    }

    fn at(&self) -> FilePosition {
        FilePosition::Line(self.line)
    }

    fn error(&self, problem: impl Into<String>) -> TraceError {
        self.program.error(&self.file, self.at(), problem, "the line is damaged, or of another version of the recorder")
    }

    fn refuse(&mut self, call: &str, reason: &'static str) -> Done {
        let at = self.at();
        self.program.inexpressible(call, reason, self.rank, &self.file, at)
    }

    fn note(&mut self, what: String) {
        let at = self.at();
        self.program.note(Effect::Approximated, what, self.rank, &self.file, at);
    }

    /// Returns a number of the line: part of a field, both counted from 0.
    fn get(&self, fields: &Fields<'_>, field: usize, part: usize) -> Result<i64, TraceError> {
        fields.part(field, part).ok_or_else(|| {
            let said = fields.0.get(field).copied().unwrap_or_default();
            let text = excerpt_of_bytes(said.as_bytes());
            TraceError { text, ..self.error(format!("field {} of {} is not as it should be", field + 1, fields.0[0])) }
        })
    }

    pub fn line(&mut self, number: u64, line: &[u8]) -> Done {
        self.line = number;
        let Ok(text) = std::str::from_utf8(line) else {
            return Err(crate::trace::calls::located(&self.file, self.at(), TraceErrorKind::NotText));
        };
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        let fields = Fields(text.split(':').collect());
        let Some(name) = fields.0[0].strip_prefix("MPI_") else {
            let text = excerpt_of_bytes(line);
            return Err(TraceError { text, ..self.error("a line begins with the name of a call of MPI") });
        };
        let last = fields.0.len() - 1;
        if last < 2 {
            return Err(self.error(format!("MPI_{name} has no dates")));
        }
        // The recorder has no clock outside the first and the last call.
        let (begin, end) = (fields.date(1), fields.date(last));
        let unknown = |field: usize| fields.0[field] != "-";
        if (begin.is_none() && unknown(1)) || (end.is_none() && unknown(last)) {
            return Err(self.error(format!("MPI_{name} begins or ends at no date")));
        }
        if let Some(date) = begin.or(end) {
            self.program.call(self.rank, date, end.unwrap_or(date));
        }
        self.call(name, &fields)
    }

    /// Returns the kind of a communicator: all ranks, this one alone, or others. One with all ranks counts as that of all
    /// ranks, as in schedgen, so that all members agree on it, whatever each has recorded as its own rank. Recorders that
    /// do not know the own rank write 0.
    fn comm(&mut self, name: &str, fields: &Fields<'_>, field: usize) -> Result<Option<bool>, TraceError> {
        let (own, size) = (self.get(fields, field, 1)?, self.get(fields, field, 2)?);
        let ranks = self.program.ranks.len() as i64;
        if size == 1 && ranks > 1 {
            return Ok(Some(false));
        }
        if size == ranks {
            if own != i64::from(self.rank) {
                let what = "a communicator of all ranks in which the rank has another number: taken for MPI_COMM_WORLD";
                self.note(what.to_owned());
            }
            return Ok(Some(true));
        }
        self.refuse(&format!("MPI_{name}"), "the members of its communicator are not recorded")?;
        Ok(None)
    }

    /// Returns the elements for a count and a type in two consecutive fields.
    fn elements(&mut self, fields: &Fields<'_>, count: usize, datatype: usize) -> Result<(u32, Datatype), TraceError> {
        let (count, size) = (self.get(fields, count, 0)?, self.get(fields, datatype, 1)?);
        let bytes = u64::try_from(count).ok().zip(u64::try_from(size).ok()).and_then(|(c, s)| c.checked_mul(s));
        let bytes = bytes.ok_or_else(|| self.error(format!("{count} elements of {size} bytes")))?;
        let at = self.at();
        self.program.elements(bytes, self.rank, &self.file, at)
    }

    fn partner(&self, fields: &Fields<'_>, field: usize, alone: bool) -> Result<Option<u32>, TraceError> {
        let rank = self.get(fields, field, 0)?;
        if alone && rank == 0 {
            return Ok(Some(self.rank));
        }
        match u32::try_from(rank) {
            Ok(rank) if (rank as usize) < self.program.ranks.len() => Ok(Some(rank)),
            // `MPI_PROC_NULL` is below zero in all libraries.
            Err(_) if rank < 0 => Ok(None),
            _ => Err(self.error(format!("there is no rank {rank}"))),
        }
    }

    fn tag(&self, fields: &Fields<'_>, field: usize) -> Result<i32, TraceError> {
        let tag = self.get(fields, field, 0)?;
        i32::try_from(tag).ok().filter(|&tag| tag >= 0).ok_or_else(|| self.error(format!("{tag} is no tag")))
    }

    fn post(&mut self, handle: u64, action: Action) {
        // A reused address: the previous request is over, found by a call that does not record it.
        if let Ok(true) = self.program.wait(self.rank, handle, None) {
            self.note(
                "a request that a test or a waitany has found: waited for where its place is used again".to_owned(),
            );
        }
        self.program.post(self.rank, handle, action);
    }

    fn call(&mut self, name: &str, f: &Fields<'_>) -> Done {
        match name {
            "Init" | "Init_thread" => self.program.push(self.rank, Action::Init),
            "Finalize" => self.program.push(self.rank, Action::Finalize),
            "Send" | "Bsend" | "Ssend" | "Rsend" | "Isend" | "Ibsend" | "Issend" | "Irsend" => self.send(name, f)?,
            "Recv" | "Irecv" => self.receive(name, f)?,
            "Sendrecv" => self.sendrecv(f)?,
            "Wait" => {
                let handle = self.get(f, 2, 0)? as u64;
                self.wait(handle);
            }
            "Waitall" => {
                let (count, first) = (self.get(f, 2, 0)?, self.get(f, 3, 0)? as u64);
                // Handles are consecutive addresses; a request has 8 bytes with Open MPI and 4 with MPICH.
                let known = |handle: u64| self.program.ranks[self.rank as usize].requests.peek(handle).is_some();
                let count = u64::try_from(count).unwrap_or(0).min(1 << 24);
                let width = if (1..count).any(|i| known(first.wrapping_add(8 * i))) { 8 } else { 4 };
                (0..count).for_each(|i| self.wait(first.wrapping_add(width * i)));
            }
            "Test" | "Testall" | "Testany" | "Testsome" | "Waitany" | "Waitsome" => {
                self.note(format!("MPI_{name}: what it found is not recorded; waited for later"));
            }
            "Probe" | "Iprobe" => self.note(format!("MPI_{name}: the receive that follows does the waiting")),
            "Put" | "Get" | "Accumulate" | "Win_fence" | "Win_lock" | "Win_unlock" | "Win_post" | "Win_start"
            | "Win_complete" | "Win_wait" => {
                self.refuse(&format!("MPI_{name}"), "one-sided communication is not simulated")?;
            }
            "Send_init" | "Recv_init" | "Bsend_init" | "Ssend_init" | "Rsend_init" | "Start" | "Startall" => {
                self.refuse(&format!("MPI_{name}"), "recorded persistent requests cannot be distinguished")?;
            }
            "Barrier" | "Bcast" | "Reduce" | "Allreduce" | "Scan" | "Exscan" | "Gather" | "Scatter" | "Allgather"
            | "Alltoall" | "Gatherv" | "Scatterv" | "Allgatherv" | "Alltoallv" | "Reduce_scatter" => {
                self.collective(name, f)?;
            }
            _ if name.starts_with("File_") => {
                if let (Some(begin), Some(end)) = (f.date(1), f.date(f.0.len() - 1))
                    && end > begin
                {
                    self.program.push(self.rank, Action::Sleep { seconds: end - begin });
                }
                self.note(format!("MPI_{name}: the time that it took is slept"));
            }
            "Ibarrier" | "Ibcast" | "Iallreduce" | "Ireduce" | "Ialltoall" | "Iallgather" | "Igather" | "Iscatter" => {
                self.refuse(&format!("MPI_{name}"), "collectives that do not block are not recorded with their waits")?;
            }
            // These take no part in communication.
            _ if LOCAL.iter().any(|local| name.starts_with(local)) => {}
            _ => self.refuse(&format!("MPI_{name}"), "the call is not known, and may be one of communication")?,
        }
        Ok(())
    }

    fn wait(&mut self, handle: u64) {
        // An unknown handle is a request that is already complete.
        let _ = self.program.wait(self.rank, handle, None);
    }

    fn send(&mut self, name: &str, f: &Fields<'_>) -> Done {
        let Some(world) = self.comm(name, f, 7)? else { return Ok(()) };
        let Some(to) = self.partner(f, 5, !world)? else { return Ok(()) };
        let ((count, datatype), tag) = (self.elements(f, 3, 4)?, self.tag(f, 6)?);
        if name.contains("ss") || name.starts_with('S') && name != "Send" {
            self.note(format!("MPI_{name}: replayed as a standard send"));
        }
        if name.starts_with('I') {
            let handle = self.get(f, 8, 0)? as u64;
            self.post(handle, Action::Isend { to, tag, count, datatype });
        } else {
            self.program.push(self.rank, Action::Send { to, tag, count, datatype });
        }
        Ok(())
    }

    fn receive(&mut self, name: &str, f: &Fields<'_>) -> Done {
        let Some(world) = self.comm(name, f, 7)? else { return Ok(()) };
        if self.get(f, 5, 0)? == -1 || self.get(f, 6, 0)? < 0 {
            return self.refuse(&format!("MPI_{name}"), "its source and tag are not recorded");
        }
        let Some(from) = self.partner(f, 5, !world)? else { return Ok(()) };
        let ((count, datatype), tag) = (self.elements(f, 3, 4)?, self.tag(f, 6)?);
        if name == "Irecv" {
            let handle = self.get(f, 8, 0)? as u64;
            self.post(handle, Action::Irecv { from, tag, count, datatype });
        } else {
            self.program.push(self.rank, Action::Recv { from, tag, count, datatype });
        }
        Ok(())
    }

    fn sendrecv(&mut self, f: &Fields<'_>) -> Done {
        let Some(world) = self.comm("Sendrecv", f, 12)? else { return Ok(()) };
        if self.get(f, 10, 0)? == -1 || self.get(f, 11, 0)? < 0 {
            return self.refuse("MPI_Sendrecv", "its source and tag are not recorded");
        }
        let (to, from) = (self.partner(f, 5, !world)?, self.partner(f, 10, !world)?);
        if let Some(to) = to {
            let ((count, datatype), tag) = (self.elements(f, 3, 4)?, self.tag(f, 6)?);
            self.program.post(self.rank, u64::MAX, Action::Isend { to, tag, count, datatype });
        }
        if let Some(from) = from {
            let ((count, datatype), tag) = (self.elements(f, 8, 9)?, self.tag(f, 11)?);
            self.program.push(self.rank, Action::Recv { from, tag, count, datatype });
        }
        self.wait(u64::MAX);
        Ok(())
    }

    fn collective(&mut self, name: &str, f: &Fields<'_>) -> Done {
        // The communicator is the last argument of all of them.
        let comm = f.0.len().saturating_sub(2);
        match self.comm(name, f, comm)? {
            Some(true) => {}
            Some(false) | None => return Ok(()),
        }
        let ranks = self.program.ranks.len();
        let root = |field: usize| -> Result<u32, TraceError> {
            let root = self.get(f, field, 0)?;
            let legal = u32::try_from(root).ok().filter(|&root| (root as usize) < ranks);
            legal.ok_or_else(|| self.error(format!("there is no root {root}")))
        };
        let call = match name {
            "Barrier" => CollectiveCall::empty(K::Barrier),
            "Bcast" => {
                let root = root(5)?;
                uniform(K::Bcast, root, self.elements(f, 3, 4)?)
            }
            "Reduce" => {
                let root = root(7)?;
                uniform(K::Reduce, root, self.elements(f, 4, 5)?)
            }
            "Allreduce" => uniform(K::Allreduce, 0, self.elements(f, 4, 5)?),
            "Scan" => uniform(K::Scan, 0, self.elements(f, 4, 5)?),
            "Exscan" => uniform(K::Exscan, 0, self.elements(f, 4, 5)?),
            "Allgather" => uniform(K::Allgather, 0, self.elements(f, 3, 4)?),
            "Alltoall" => uniform(K::Alltoall, 0, self.elements(f, 3, 4)?),
            "Gather" => {
                let root = root(8)?;
                uniform(K::Gather, root, self.elements(f, 3, 4)?)
            }
            "Scatter" => {
                let root = root(8)?;
                uniform(K::Scatter, root, self.elements(f, 6, 7)?)
            }
            "Gatherv" => {
                let (root, (send_count, _)) = (root(11)?, self.elements(f, 3, 4)?);
                CollectiveCall {
                    root,
                    send_count,
                    recv_counts: self.vector(f, 7, 10)?,
                    ..CollectiveCall::empty(K::Gatherv)
                }
            }
            "Scatterv" => {
                let (root, (recv_count, _)) = (root(11)?, self.elements(f, 9, 10)?);
                CollectiveCall {
                    root,
                    recv_count,
                    send_counts: self.vector(f, 4, 7)?,
                    ..CollectiveCall::empty(K::Scatterv)
                }
            }
            "Allgatherv" => {
                let (send_count, _) = self.elements(f, 3, 4)?;
                CollectiveCall {
                    send_count,
                    recv_counts: self.vector(f, 7, 10)?,
                    ..CollectiveCall::empty(K::Allgatherv)
                }
            }
            "Alltoallv" => {
                let send_counts = self.vector(f, 4, 7)?;
                CollectiveCall {
                    send_counts,
                    recv_counts: self.vector(f, 10, 13)?,
                    ..CollectiveCall::empty(K::Alltoallv)
                }
            }
            _ => CollectiveCall { recv_counts: self.vector(f, 5, 6)?, ..CollectiveCall::empty(K::ReduceScatter) },
        };
        self.program.collective(self.rank, call)
    }

    /// Returns a vector of counts, in bytes, of a type in another field.
    fn vector(&mut self, f: &Fields<'_>, field: usize, datatype: usize) -> Result<Counts, TraceError> {
        let size = self.get(f, datatype, 1)?;
        let ranks = self.program.ranks.len();
        let bytes = |part: usize| {
            let count = self.get(f, field, part)?;
            let bytes =
                count.checked_mul(size).and_then(|bytes| u32::try_from(bytes).ok()).filter(|&bytes| bytes <= MOST);
            bytes.ok_or_else(|| self.error(format!("{count} elements of {size} bytes")))
        };
        let bytes: Vec<u32> = (0..ranks).map(bytes).collect::<Result<_, _>>()?;
        self.program.counts(&bytes)
    }
}
