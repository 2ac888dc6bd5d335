//! Side tables of a trace under construction: equal entries are stored once.
//!
//! Ranks and iterations repeat the same collectives, so a trace of millions of actions has a handful of distinct calls.
//! The hash tables hold indices only; the entries are in the vectors that become those of the trace.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::trace::{CollectiveCall, Counts, MemberList, SendRecv, Trace};

/// A table is full: its 32-bit index cannot number another entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Full(pub &'static str);

#[derive(Default)]
pub(crate) struct Tables {
    pub sendrecvs: Vec<SendRecv>,
    pub collectives: Vec<CollectiveCall>,
    pub counts: Vec<u32>,
    /// Unlike in the other tables, equal entries are different communicators.
    pub communicators: Vec<MemberList>,
    sendrecv_index: HashTable<u32>,
    collective_index: HashTable<u32>,
    counts_index: HashTable<Counts>,
}

/// Returns a hash in which equal flops are those of equal bits, as in [`same_call`].
fn hash_call(call: &CollectiveCall) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    (call.kind, call.communicator, call.root, call.send_count, call.recv_count).hash(&mut hasher);
    (call.send_type, call.recv_type).hash(&mut hasher);
    (call.send_counts, call.recv_counts, call.displacements).hash(&mut hasher);
    call.flops.to_bits().hash(&mut hasher);
    hasher.finish()
}

fn same_call(a: &CollectiveCall, b: &CollectiveCall) -> bool {
    // Flops are never NaN, so `==` differs from a comparison of bits for the two zeros only.
    a == b && a.flops.to_bits() == b.flops.to_bits()
}

fn index(len: usize, table: &'static str) -> Result<u32, Full> {
    u32::try_from(len).ok().filter(|&index| index < u32::MAX).ok_or(Full(table))
}

impl Tables {
    /// Returns an otherwise empty trace with these tables.
    pub fn into_trace(self) -> Trace {
        Trace {
            sendrecvs: self.sendrecvs,
            collectives: self.collectives,
            counts: self.counts,
            communicators: self.communicators,
            ..Trace::default()
        }
    }

    pub fn sendrecv(&mut self, entry: SendRecv) -> Result<u32, Full> {
        let hash = FxBuildHasher.hash_one(entry);
        let entries = &mut self.sendrecvs;
        if let Some(&found) = self.sendrecv_index.find(hash, |&i| entries[i as usize] == entry) {
            return Ok(found);
        }
        let new = index(entries.len(), "sendRecv calls")?;
        entries.push(entry);
        self.sendrecv_index.insert_unique(hash, new, |&i| FxBuildHasher.hash_one(entries[i as usize]));
        Ok(new)
    }

    pub fn collective(&mut self, call: CollectiveCall) -> Result<u32, Full> {
        let hash = hash_call(&call);
        let entries = &mut self.collectives;
        if let Some(&found) = self.collective_index.find(hash, |&i| same_call(&entries[i as usize], &call)) {
            return Ok(found);
        }
        let new = index(entries.len(), "collective calls")?;
        entries.push(call);
        self.collective_index.insert_unique(hash, new, |&i| hash_call(&entries[i as usize]));
        Ok(new)
    }

    pub fn counts(&mut self, vector: &[u32]) -> Result<Counts, Full> {
        if vector.is_empty() {
            return Ok(Counts::default());
        }
        let hash = FxBuildHasher.hash_one(vector);
        let entries = &mut self.counts;
        let slice = |entries: &[u32], c: &Counts| -> u64 { FxBuildHasher.hash_one(range(entries, *c)) };
        if let Some(&found) = self.counts_index.find(hash, |&c| range(entries, c) == vector) {
            return Ok(found);
        }
        // The end has to fit as well, so that `start + len` never wraps around.
        index(entries.len() + vector.len(), "counts of collective calls")?;
        let new = Counts { start: entries.len() as u32, len: vector.len() as u32 };
        entries.extend_from_slice(vector);
        self.counts_index.insert_unique(hash, new, |c| slice(entries, c));
        Ok(new)
    }
}

fn range(entries: &[u32], counts: Counts) -> &[u32] {
    &entries[counts.start as usize..][..counts.len as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{CollectiveKind, Datatype};

    fn call(flops: f64) -> CollectiveCall {
        CollectiveCall { flops, ..CollectiveCall::uniform(CollectiveKind::Allreduce, 0, 1, Datatype::BYTE) }
    }

    #[test]
    fn equal_entries_are_stored_once() {
        let mut tables = Tables::default();
        assert_eq!(tables.counts(&[1, 2]).unwrap(), Counts { start: 0, len: 2 });
        assert_eq!(tables.counts(&[2, 1]).unwrap(), Counts { start: 2, len: 2 });
        assert_eq!(tables.counts(&[1, 2]).unwrap(), Counts { start: 0, len: 2 });
        // (2, 2) spans the two vectors but is not one of them.
        assert_eq!(tables.counts(&[2, 2]).unwrap(), Counts { start: 4, len: 2 });
        assert_eq!(tables.counts(&[]).unwrap(), Counts::default());
        let calls: Vec<u32> = [1.0, 0.0, 1.0, -0.0].map(|f| tables.collective(call(f)).unwrap()).into();
        assert_eq!(calls, [0, 1, 0, 2]);
    }

    #[test]
    fn an_index_does_not_wrap_around() {
        assert_eq!(index(u32::MAX as usize - 1, "x"), Ok(u32::MAX - 1));
        assert_eq!(index(u32::MAX as usize, "x"), Err(Full("x")));
        assert_eq!(index(1 << 33, "x"), Err(Full("x")));
    }
}
