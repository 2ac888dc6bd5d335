//! Lines that wait for the number of ranks.
//!
//! A collective with a count per rank cannot be split into its arguments until the number of ranks is known, and in a
//! merged trace only the last line determines it. Such lines keep their text until then, equal ones once. A first pass
//! over the file for the number of ranks was rejected: it would cost every trace, and streams cannot be read twice.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::line::SourceLine;
use crate::trace::CollectiveKind;
use crate::trace::tables::Full;

/// The lines postponed so far.
#[derive(Default)]
pub(super) struct PendingLines {
    /// The distinct argument lists.
    pub lists: Vec<ArgumentList>,
    /// Their text, one after the other.
    pub text: Vec<u8>,
    index: HashTable<u32>,
}

/// Distinguishes the index of a postponed list from that of a call. Neither reaches this number.
pub(super) const PUT_OFF: u32 = 1 << 31;

/// The arguments of a postponed collective.
pub(super) struct ArgumentList {
    pub kind: CollectiveKind,
    start: usize,
    len: usize,
    /// The first line with it, and its length.
    pub place: SourceLine,
    pub length: usize,
}

impl ArgumentList {
    /// Returns the place of its text.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

impl PendingLines {
    /// Returns the number of a list of arguments, which is stored unless it is known.
    pub fn intern(&mut self, kind: CollectiveKind, text: &[u8], place: SourceLine, length: usize) -> Result<u32, Full> {
        let hash_of = |kind: CollectiveKind, text: &[u8]| FxBuildHasher.hash_one((kind, text));
        let hash = hash_of(kind, text);
        let (lists, all) = (&mut self.lists, &mut self.text);
        let same = |&i: &u32| lists[i as usize].kind == kind && all[lists[i as usize].range()] == *text;
        if let Some(&found) = self.index.find(hash, same) {
            return Ok(found);
        }
        let new = u32::try_from(lists.len()).ok().filter(|&new| new < PUT_OFF).ok_or(Full("collective calls"))?;
        lists.push(ArgumentList { kind, start: all.len(), len: text.len(), place, length });
        all.extend_from_slice(text);
        self.index.insert_unique(hash, new, |&i| hash_of(lists[i as usize].kind, &all[lists[i as usize].range()]));
        Ok(new)
    }
}
