//! The temporary file, and where in it the actions of a rank are.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Action;
use super::STEP;
use super::words::{from_words, to_words};

/// Bytes of an action in the file.
const BYTES: usize = 16;

/// Memory for the actions of a trace, and the file for those that do not fit into it.
#[derive(Debug)]
pub struct Store {
    /// Actions for which there is memory, whether they came or not.
    kept: AtomicUsize,
    limit: usize,
    file: Mutex<Scratch>,
}

/// The file, as soon as there is something in it.
#[derive(Debug, Default)]
struct Scratch {
    file: Option<File>,
    /// Actions written.
    length: u64,
    /// Whether it could not be made or written: then all stays in memory.
    failed: bool,
}

impl Store {
    /// Memory for so many actions, and for a few of each rank.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { kept: AtomicUsize::new(0), limit, file: Mutex::default() })
    }

    /// Actions that are kept in memory, beside a few of each rank.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Whether there is memory for so many more, which is taken then; it is if it `must` be. Nothing is given back: a
    /// trace only grows.
    pub(super) fn allows(&self, more: usize, must: bool) -> bool {
        let kept = self.kept.fetch_add(more, Relaxed);
        let fits = must || kept.saturating_add(more) <= self.limit;
        if !fits {
            self.kept.fetch_sub(more, Relaxed);
        }
        fits
    }

    fn scratch(&self) -> MutexGuard<'_, Scratch> {
        // What is in the file is whole whoever panicked.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scratch {
    fn write(&mut self, at: u64, actions: &[Action]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(at * BYTES as u64))?;
        // A piece may be all that was in memory: it goes out in parts, so as not to be there twice.
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
    /// Pieces in their order: number of the first action, and where in the file it is.
    pieces: Vec<(usize, u64)>,
    length: usize,
}

impl Aside {
    pub fn len(&self) -> usize {
        self.length
    }

    /// Sets actions aside behind those that are; `false` if that cannot be done.
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

    /// Where an action is in the file, and how many follow it there, itself included.
    fn place(&self, at: usize) -> (u64, usize) {
        let piece = self.pieces.partition_point(|&(first, _)| first <= at) - 1;
        let (first, place) = self.pieces[piece];
        let end = self.pieces.get(piece + 1).map_or(self.length, |next| next.0);
        (place + (at - first) as u64, end - at)
    }

    /// Reads actions from a place on: one at least, and `most` at most.
    ///
    /// # Panics
    /// If the file cannot be read: there is no other place where they are.
    pub fn read(&self, store: &Store, at: usize, most: usize) -> Vec<Action> {
        let (place, there) = self.place(at);
        let read = store.scratch().read(place, there.min(most));
        read.unwrap_or_else(|error| panic!("the temporary file with a part of the trace cannot be read: {error}"))
    }

    /// Puts actions in the place of those that are there from `at` on, none of which lies behind the end of a piece.
    ///
    /// # Panics
    /// If the file cannot be written where it was written before.
    pub fn set(&self, store: &Store, at: usize, actions: &[Action]) {
        let (place, there) = self.place(at);
        debug_assert!(actions.len() <= there);
        let written = store.scratch().write(place, actions);
        written
            .unwrap_or_else(|error| panic!("the temporary file with a part of the trace cannot be changed: {error}"));
    }
}
