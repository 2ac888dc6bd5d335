//! Windows, one-sided operations and probes of a rank.

use super::comms::CommRanks;
use super::rank::{ANY, Done, DumpiReader, Partner};
use super::stream::DumpiCall;
use crate::trace::calls::{FilePosition, Making};
use crate::trace::{ANY_TARGET, Action, CommunicatorId};

impl DumpiReader<'_, '_, '_> {
    /// Creates a window, which is a separate communicator.
    pub(super) fn window(&mut self, call: &DumpiCall) -> Done {
        let i = &call.integers;
        let (comm, handle) = (i[3], i[4]);
        let Some(members) = self.comms.members(comm) else { return self.refuse_comm(call) };
        if *self.comms.get(comm) != CommRanks::Alone {
            self.program.making(self.rank, Making::Agreed, self.id(comm))?;
        }
        let id = self.program.new_communicator(self.rank, &members, &self.file, FilePosition::Byte(self.at))?;
        self.windows.insert(handle, id);
        Ok(())
    }

    /// Returns the world rank of a member of a window.
    fn member(&self, window: CommunicatorId, rank: i64) -> Option<u32> {
        self.program.members(window).rank(u32::try_from(rank).ok()?)
    }

    fn refuse_window(&mut self, call: &DumpiCall) -> Done {
        self.refuse(call, "its window was made where nothing was recorded")
    }

    /// `MPI_Put`, `MPI_Get` and `MPI_Accumulate`.
    pub(super) fn one_sided(&mut self, call: &DumpiCall) -> Done {
        let i = &call.integers;
        let Some(&window) = i.last().and_then(|handle| self.windows.get(handle)) else {
            return self.refuse_window(call);
        };
        let other = match i[2] {
            // `MPI_PROC_NULL`.
            ..0 => return Ok(()),
            rank => match self.member(window, rank) {
                Some(other) => other,
                None => return Err(self.error(format!("there is no rank {rank} in its window"))),
            },
        };
        let (count, datatype) = self.elements(i[0], i[1])?;
        let action = match call.name {
            "Put" => Action::Put { to: other, window, count, datatype },
            "Get" => Action::Get { from: other, window, count, datatype },
            _ => Action::Accumulate { to: other, window, count, datatype },
        };
        self.program.push(self.rank, action);
        Ok(())
    }

    /// Converts calls that begin or end an epoch.
    pub(super) fn epoch(&mut self, call: &DumpiCall) -> Done {
        let Some(&window) = call.integers.last().and_then(|handle| self.windows.get(handle)) else {
            return self.refuse_window(call);
        };
        let action = match call.name {
            // Freeing a window is also a barrier after all operations.
            "Win_fence" | "Win_free" => Action::Fence { window },
            "Win_lock" => {
                self.note("MPI_Win_lock: does not wait".to_owned());
                return Ok(());
            }
            _ => Action::Flush { window, to: self.member(window, call.integers[0]).unwrap_or(ANY_TARGET) },
        };
        self.program.push(self.rank, action);
        Ok(())
    }

    /// `MPI_Probe`: source and tag are those of the call, or those of the message found.
    pub(super) fn probe(&mut self, call: &DumpiCall) -> Done {
        let i = &call.integers;
        let known = match self.partner(i[2], i[0])? {
            Partner::Rank(from) => from,
            Partner::Any => u32::MAX,
            Partner::Nobody => return Ok(()),
            Partner::Unknown => return self.refuse_comm(call),
        };
        let tag = if i[1] == ANY { -1 } else { self.tag(i[1])? };
        match self.told(i[2], known, tag, call.statuses.first())? {
            Some((from, tag)) => self.program.push(self.rank, Action::Probe { from, tag }),
            None => {
                self.note("MPI_Probe whose message is not recorded: the receive that follows waits instead".to_owned())
            }
        }
        Ok(())
    }
}
