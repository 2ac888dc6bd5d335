//! Collectives, and neighbourhood exchanges.

use super::rank::{Done, NOBODY, RecordingReader};
use super::requests::StartedOperation;
use super::stream::CallRecord;
use crate::trace::calls::{FilePosition, uniform};
use crate::trace::check_call::MOST;
use crate::trace::error::TraceError;
use crate::trace::{Action, CollectiveCall, CollectiveKind as K, Counts};

/// The collectives by number; the last one is reduce_scatter_block.
const COLLECTIVES: [K; 16] = [
    K::Barrier,
    K::Bcast,
    K::Reduce,
    K::Allreduce,
    K::Alltoall,
    K::Alltoallv,
    K::Gather,
    K::Gatherv,
    K::Allgather,
    K::Allgatherv,
    K::Scatter,
    K::Scatterv,
    K::ReduceScatter,
    K::Scan,
    K::Exscan,
    K::ReduceScatter,
];
const REDUCE_SCATTER_BLOCK: i64 = 15;

impl RecordingReader<'_, '_> {
    pub fn collective(&mut self, record: &CallRecord) -> Done {
        let n = &record.numbers[..];
        let Some(&kind) = COLLECTIVES.get(n[0] as usize) else {
            return Err(self.error(format!("there is no collective {}", n[0])));
        };
        let (comm, bytes) = (self.comm(n[1])?, n[3]);
        let size = self.program.members(comm).size();
        let handle = n.get(4).map(|&handle| handle as u64);
        let rooted = matches!(kind, K::Bcast | K::Reduce | K::Gather | K::Gatherv | K::Scatter | K::Scatterv);
        let root = if rooted { n[2] } else { 0 };
        if root < 0 || root as usize >= size {
            return Err(self.error(format!("there is no root {root} in its communicator")));
        }
        // A rank alone has no partner.
        if size == 1 {
            if let Some(handle) = handle {
                self.nothing(handle);
            }
            return Ok(());
        }
        let (root, [sent, received]) = (root as u32, &record.lists);
        let call = match kind {
            K::Barrier => CollectiveCall::empty(kind),
            K::Gatherv | K::Scatterv | K::Allgatherv => {
                let (count, _) = self.elements(bytes)?;
                let (sent, received) = (self.vector(sent, size)?, self.vector(received, size)?);
                let own = if kind == K::Scatterv { (0, count) } else { (count, 0) };
                CollectiveCall {
                    root,
                    send_count: own.0,
                    recv_count: own.1,
                    send_counts: sent,
                    recv_counts: received,
                    ..CollectiveCall::empty(kind)
                }
            }
            K::ReduceScatter if n[0] == REDUCE_SCATTER_BLOCK => {
                let parts = vec![bytes; size];
                CollectiveCall { recv_counts: self.vector(&parts, size)?, ..CollectiveCall::empty(kind) }
            }
            K::ReduceScatter | K::Alltoallv => {
                let (sent, received) = (self.vector(sent, size)?, self.vector(received, size)?);
                CollectiveCall { send_counts: sent, recv_counts: received, ..CollectiveCall::empty(kind) }
            }
            _ => uniform(kind, root, self.elements(bytes)?),
        };
        let expected = |there: bool| if there { size } else { 0 };
        let (sends, receives) = (call.send_counts.len as usize, call.recv_counts.len as usize);
        let whole = match kind {
            K::Gatherv => sends == 0,
            K::Scatterv => receives == 0,
            _ => {
                let receiving = matches!(kind, K::Alltoallv | K::Allgatherv | K::ReduceScatter);
                sends == expected(kind == K::Alltoallv) && receives == expected(receiving)
            }
        };
        if !whole {
            return Err(self.error(format!("a {} with {sends} and {receives} counts for {size} members", kind.name())));
        }
        let call = CollectiveCall { communicator: comm, ..call };
        match handle {
            None => self.program.collective(self.rank, call)?,
            Some(handle) => {
                let number = self.handles.number();
                self.program.start_collective(self.rank, number, call)?;
                self.handles.push(handle, StartedOperation { requests: vec![number], action: None, open: None });
            }
        }
        Ok(())
    }

    /// Returns a vector of counts in bytes; empty if the rank has not recorded it.
    fn vector(&mut self, bytes: &[i64], size: usize) -> Result<Counts, TraceError> {
        if !bytes.is_empty() && bytes.len() != size {
            return Err(self.error(format!("{} counts for {size} members", bytes.len())));
        }
        let count = |&bytes: &i64| u32::try_from(bytes).ok().filter(|&bytes| bytes <= MOST);
        match bytes.iter().map(count).collect::<Option<Vec<u32>>>() {
            Some(counts) => self.program.counts(&counts),
            None => Err(self.program.error(
                &self.file,
                FilePosition::Byte(self.at),
                "a count of a collective is above 2147483647 bytes",
                "record a smaller problem",
            )),
        }
    }

    /// Converts a neighbourhood exchange: messages to each neighbour and from each.
    pub fn exchange(&mut self, record: &CallRecord) -> Done {
        let n = &record.numbers[..];
        let (is_grid, comm) = (n[0] != 0, self.comm(n[1])?);
        let inner = match self.neighbors.get(&comm) {
            Some(&inner) => inner,
            None => {
                let members: Vec<u32> = self.program.members(comm).ranks().collect();
                let place = FilePosition::Byte(self.at);
                let made = self.program.communicator_of(Some(comm), self.rank, &members, &self.file, place)?;
                self.neighbors.insert(comm, made);
                made
            }
        };
        let [sent, received] = &record.lists;
        let mut requests = Vec::new();
        for (place, pair) in received.chunks_exact(2).enumerate() {
            if pair[0] == NOBODY {
                continue;
            }
            let from = self.world_rank(comm, pair[0])?;
            let tag = self.program.tag(inner, if is_grid { place as i32 } else { 0 });
            let (count, datatype) = self.elements(pair[1])?;
            let number = self.handles.number();
            requests.push(number);
            self.program.post(self.rank, number, Action::Irecv { from, tag, count, datatype });
        }
        for (place, pair) in sent.chunks_exact(2).enumerate() {
            if pair[0] == NOBODY {
                continue;
            }
            let to = self.world_rank(comm, pair[0])?;
            // Data for the previous neighbour arrives there from the next one.
            let tag = self.program.tag(inner, if is_grid { place as i32 ^ 1 } else { 0 });
            let (count, datatype) = self.elements(pair[1])?;
            let number = self.handles.number();
            requests.push(number);
            self.program.post(self.rank, number, Action::Isend { to, tag, count, datatype });
        }
        match n.get(2) {
            Some(&handle) => self.handles.push(handle as u64, StartedOperation { requests, action: None, open: None }),
            None => {
                for number in requests {
                    let _ = self.program.wait(self.rank, number, None);
                }
            }
        }
        Ok(())
    }
}
