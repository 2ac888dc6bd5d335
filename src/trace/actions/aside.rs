//! The temporary file, and the positions of a rank's actions in it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::words::{from_words, to_words};
use crate::trace::action::Action;

/// Actions that are read or written in one step.
pub(super) const STEP: usize = 4096;

/// Bytes of an action in the file.
const BYTES: usize = 16;

/// Memory for the actions of a trace, and the file for the others.
#[derive(Debug)]
pub struct Store {
    /// Number of actions for which memory is reserved, used or not.
    kept: AtomicUsize,
    limit: usize,
    file: Mutex<ScratchFile>,
}

/// The file, created when it is first needed.
#[derive(Debug, Default)]
struct ScratchFile {
    file: Option<File>,
    /// Number of actions written.
    length: u64,
    /// `true` if it could not be created or written: all actions then stay in memory.
    failed: bool,
}

impl Store {
    /// Creates a store with memory for `limit` actions, and for a few of each rank.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { kept: AtomicUsize::new(0), limit, file: Mutex::default() })
    }

    /// Returns the number of actions that stay in memory, in addition to a few of each rank.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Reserves memory for `more` actions, and returns `true` if there was any, or if it `must` be. Nothing is
    /// released: a trace only grows.
    pub(super) fn allows(&self, more: usize, must: bool) -> bool {
        let kept = self.kept.fetch_add(more, Relaxed);
        let fits = must || kept.saturating_add(more) <= self.limit;
        if !fits {
            self.kept.fetch_sub(more, Relaxed);
        }
        fits
    }

    fn scratch(&self) -> MutexGuard<'_, ScratchFile> {
        // The file is consistent, whatever panicked.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ScratchFile {
    fn write(&mut self, at: u64, actions: &[Action]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(at * BYTES as u64))?;
        // A piece may be all that was in memory: it is written in parts, to avoid holding it twice.
        actions.chunks(STEP).try_for_each(|some| file.write_all(&some.iter().flat_map(bytes).collect::<Vec<u8>>()))
    }

    fn append(&mut self, actions: &[Action]) -> io::Result<u64> {
        let at = self.length;
        self.write(at, actions)?;
        self.length += actions.len() as u64;
        Ok(at)
    }

    fn read(&mut self, at: u64, number: usize) -> io::Result<Vec<Action>> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(at * BYTES as u64))?;
        let mut all = vec![0; number * BYTES];
        file.read_exact(&mut all)?;
        let (words, _) = all.as_chunks::<8>();
        let (pairs, _) = words.as_chunks::<2>();
        Ok(pairs.iter().map(|pair| from_words(pair.map(u64::from_le_bytes))).collect())
    }
}

fn bytes(action: &Action) -> [u8; BYTES] {
    let [first, second] = to_words(action).map(u64::to_le_bytes);
    std::array::from_fn(|i| if i < 8 { first[i] } else { second[i - 8] })
}

/// The actions of a rank that are in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Aside {
    /// Pieces in order: number of the first action, and its position in the file.
    pieces: Vec<(usize, u64)>,
    length: usize,
}

impl Aside {
    pub fn len(&self) -> usize {
        self.length
    }

    /// Appends actions to those in the file; `false` if that is impossible.
    pub fn append(&mut self, store: &Store, actions: &[Action]) -> bool {
        let mut scratch = store.scratch();
        if scratch.failed {
            return false;
        }
        let Ok(at) = scratch.append(actions) else {
            scratch.failed = true;
            return false;
        };
        let follows = self.pieces.last().is_some_and(|&(first, place)| place + (self.length - first) as u64 == at);
        if !follows {
            self.pieces.push((self.length, at));
        }
        self.length += actions.len();
        true
    }

    /// Returns the position of an action in the file, and the number of contiguous actions from there on.
    fn place(&self, at: usize) -> (u64, usize) {
        let piece = self.pieces.partition_point(|&(first, _)| first <= at) - 1;
        let (first, place) = self.pieces[piece];
        let end = self.pieces.get(piece + 1).map_or(self.length, |next| next.0);
        (place + (at - first) as u64, end - at)
    }

    /// Reads at least one and at most `most` actions, starting at `at`.
    ///
    /// # Panics
    /// If the file cannot be read: the actions exist nowhere else.
    pub fn read(&self, store: &Store, at: usize, most: usize) -> Vec<Action> {
        let (place, there) = self.place(at);
        let read = store.scratch().read(place, there.min(most));
        read.unwrap_or_else(|error| panic!("the temporary file with a part of the trace cannot be read: {error}"))
    }

    /// Overwrites the actions from `at` on, all of them in one piece.
    ///
    /// # Panics
    /// If the file cannot be overwritten.
    pub fn set(&self, store: &Store, at: usize, actions: &[Action]) {
        let (place, there) = self.place(at);
        debug_assert!(actions.len() <= there);
        let written = store.scratch().write(place, actions);
        written
            .unwrap_or_else(|error| panic!("the temporary file with a part of the trace cannot be changed: {error}"));
    }
}
