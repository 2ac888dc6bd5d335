//! The bytes of a binary recording from front to back, each with its position.

use std::path::Path;

use super::error::TraceError;
use super::source::{Budget, Source};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// A file that is read from the front; what the end of the file means is left to its reader.
pub(super) struct Bytes<'a, 'r> {
    source: Source<'r>,
    budget: &'a mut Budget,
    buffer: Vec<u8>,
    /// The first byte of the buffer that nobody has taken.
    from: usize,
    /// Position of the end of the buffer in the file.
    end: u64,
}

impl<'a, 'r> Bytes<'a, 'r> {
    pub fn new(source: Source<'r>, budget: &'a mut Budget) -> Self {
        Self { source, budget, buffer: Vec::new(), from: 0, end: 0 }
    }

    pub fn file(&self) -> &Path {
        self.source.file()
    }

    /// Position of the next byte.
    pub fn position(&self) -> u64 {
        self.end - self.left() as u64
    }

    /// Position behind what was read of the file.
    pub fn end(&self) -> u64 {
        self.end
    }

    fn left(&self) -> usize {
        self.buffer.len() - self.from
    }

    /// Reads on; `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, TraceError> {
        self.buffer.drain(..self.from);
        self.from = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + PIECE, 0);
        let read = self.source.read(&mut self.buffer[kept..], self.budget)?;
        self.buffer.truncate(kept + read);
        self.end += read as u64;
        Ok(read > 0)
    }

    /// The next bytes; none if the file ends before.
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

    /// Passes so many bytes by; `false` if the file ends before.
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
