//! The bytes of a binary recording from front to back, each with its position.

use std::path::Path;

use super::error::TraceError;
use super::source::{Budget, Source};

/// Bytes per read.
const PIECE: usize = 1 << 16;

/// A file that is read from front to back; its reader interprets the end of the file.
pub(super) struct Bytes<'a, 'r> {
    source: Source<'r>,
    budget: &'a mut Budget,
    buffer: Vec<u8>,
    /// Index of the first unread byte of the buffer.
    from: usize,
    /// Position of the buffer's end in the file.
    end: u64,
    /// The last bytes before that position.
    last: [u8; 8],
}

impl<'a, 'r> Bytes<'a, 'r> {
    pub fn new(source: Source<'r>, budget: &'a mut Budget) -> Self {
        Self { source, budget, buffer: Vec::new(), from: 0, end: 0, last: [0; 8] }
    }

    pub fn file(&self) -> &Path {
        self.source.file()
    }

    /// Returns the position of the next byte.
    pub fn position(&self) -> u64 {
        self.end - self.left() as u64
    }

    /// Returns the position of the end of the data read from the file.
    pub fn end(&self) -> u64 {
        self.end
    }

    fn left(&self) -> usize {
        self.buffer.len() - self.from
    }

    /// Reads more; `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, TraceError> {
        self.buffer.drain(..self.from);
        self.from = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + PIECE, 0);
        let read = self.source.read(&mut self.buffer[kept..], self.budget)?;
        self.buffer.truncate(kept + read);
        self.end += read as u64;
        let last = &self.buffer[kept.max((kept + read).saturating_sub(self.last.len()))..];
        self.last.rotate_left(last.len());
        let kept = self.last.len() - last.len();
        self.last[kept..].copy_from_slice(last);
        Ok(read > 0)
    }

    /// Reads to the end of the file; returns its last bytes.
    pub fn end_of_file(&mut self) -> Result<[u8; 8], TraceError> {
        self.skip(u64::MAX)?;
        Ok(self.last)
    }

    /// Returns the next bytes; `None` if the file ends first.
    pub fn take<const N: usize>(&mut self) -> Result<Option<[u8; N]>, TraceError> {
        while self.left() < N {
            if !self.fill()? {
                return Ok(None);
            }
        }
        let bytes = self.buffer[self.from..].first_chunk().copied();
        self.from += N;
        Ok(bytes)
    }

    /// Skips bytes; `false` if the file ends first.
    pub fn skip(&mut self, mut length: u64) -> Result<bool, TraceError> {
        while length > 0 {
            if self.left() == 0 && !self.fill()? {
                return Ok(false);
            }
            let step = length.min(self.left() as u64);
            self.from += step as usize;
            length -= step;
        }
        Ok(true)
    }
}
