//! Lines that wait for the number of ranks.
//!
//! A collective with a count per rank cannot be split into its arguments until the number of ranks is known, and in a
//! merged trace only the last line determines it. Such lines keep their text until then, equal ones once. A first pass
//! over the file for the number of ranks was rejected: it would cost every trace, and streams cannot be read twice.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::builder::{Builder, Place};
use super::keyword::Keyword;
use crate::trace::error::TraceError;
use crate::trace::tables::Full;
use crate::trace::{Action, CollectiveKind};

/// The lines postponed so far.
#[derive(Default)]
pub(super) struct Pending {
    /// The distinct argument lists.
    lists: Vec<List>,
    /// Their text, one after the other.
    text: Vec<u8>,
    index: HashTable<u32>,
}

/// Distinguishes the index of a postponed list from that of a call. Neither reaches this number.
const PUT_OFF: u32 = 1 << 31;

struct List {
    kind: CollectiveKind,
    start: usize,
    len: usize,
    /// The first line with it, and its length.
    place: Place,
    length: usize,
}

impl List {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

impl Pending {
    fn intern(&mut self, kind: CollectiveKind, text: &[u8], place: Place, length: usize) -> Result<u32, Full> {
        let hash_of = |kind: CollectiveKind, text: &[u8]| FxBuildHasher.hash_one((kind, text));
        let hash = hash_of(kind, text);
        let (lists, all) = (&mut self.lists, &mut self.text);
        let same = |&i: &u32| lists[i as usize].kind == kind && all[lists[i as usize].range()] == *text;
        if let Some(&found) = self.index.find(hash, same) {
            return Ok(found);
        }
        let new = u32::try_from(lists.len()).ok().filter(|&new| new < PUT_OFF).ok_or(Full("collective calls"))?;
        lists.push(List { kind, start: all.len(), len: text.len(), place, length });
        all.extend_from_slice(text);
        self.index.insert_unique(hash, new, |&i| hash_of(lists[i as usize].kind, &all[lists[i as usize].range()]));
        Ok(new)
    }
}

impl Builder {
    /// Postpones a collective; [`resolve_pending`](Self::resolve_pending) replaces the returned action.
    pub fn put_off(&mut self, kind: CollectiveKind, text: &[u8]) -> Result<Action, Full> {
        let list = self.pending.intern(kind, text, self.place, self.length)?;
        Ok(Action::Collective { index: PUT_OFF | list })
    }

    /// Reads the postponed lines, now that the number of ranks is known.
    pub fn resolve_pending(&mut self) -> Result<(), TraceError> {
        let pending = std::mem::take(&mut self.pending);
        if pending.lists.is_empty() {
            return Ok(());
        }
        let mut resolved = Vec::with_capacity(pending.lists.len());
        for list in &pending.lists {
            let text = &pending.text[list.range()];
            (self.place, self.length) = (list.place, list.length);
            let index = self
                .vector_call(list.kind, self.streams.len(), text)
                .and_then(|call| Ok(self.tables.collective(call)?))
                .map_err(|broken| self.error(Some(Keyword::Collective(list.kind)), broken))?;
            resolved.push(index);
        }
        if self.tables.collectives.len() > PUT_OFF as usize {
            return Err(self.error(None, Full("collective calls").into()));
        }
        for stream in &mut self.streams {
            stream.change(|action| {
                if let Action::Collective { index } | Action::Start { index, .. } = action
                    && *index >= PUT_OFF
                {
                    *index = resolved[(*index - PUT_OFF) as usize];
                }
            });
        }
        Ok(())
    }
}
