//! The text of a trace, in blocks of whole lines.
//!
//! [`Blocks`] yields blocks of about 1 MiB that end at a line end. They use a few buffers in rotation, so lines are
//! slices of them, and the whole text is never in memory. From its second block on, a file is read and unpacked by a
//! separate thread, ahead of the parser.
//!
//! Mapping plain files into memory was tried and rejected. It is not faster (a trace of 49 MB took 0.086 s with either:
//! page faults cost as much as the copies of `read`), and a map needs `unsafe`, counts as memory of the process, and
//! ends the process if the file is truncated meanwhile.

use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use memchr::memrchr;

use super::error::{TraceError, TraceErrorKind};
use super::source::{Budget, Source};

/// Size of a block in bytes; small enough to stay in the second-level cache.
const BLOCK: usize = 1 << 20;
/// Longest line, within about a block. The longest sensible one is an alltoallv of some million ranks.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// A block of whole lines.
pub(super) struct Block<'a> {
    /// The text of these lines.
    pub text: &'a [u8],
    /// End of the block.
    pub end: End,
}

/// Cause of the end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// A line end.
    Line,
    /// The end of the file, after a line without line end. The block is that line alone.
    File,
    /// A line that is too long; the rest of the file is not used.
    TooLong,
}

/// Iterator over the text of a file, block by block.
pub(super) struct Blocks<'r> {
    source: Source<'r>,
    /// Text after the last line end that was read.
    carried: Vec<u8>,
    ended: bool,
}

/// Memory of a block. `bytes` keeps its length between blocks, so that it is not cleared each time.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Length of the block that is stored.
    given: usize,
}

/// Largest number of blocks waiting for the parser.
const AHEAD: usize = 2;

impl<'r> Blocks<'r> {
    /// Creates an iterator over the text of a file.
    pub fn new(source: Source<'r>) -> Blocks<'r> {
        Blocks { source, carried: Vec::new(), ended: false }
    }

    /// Passes the blocks to `take`, one after the other, until the end of the file or the first error.
    pub fn each(
        mut self,
        budget: &mut Budget,
        mut take: impl FnMut(&Block<'_>) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let mut first = Buffer::default();
        let Some(end) = self.next(&mut first, budget)? else { return Ok(()) };
        take(&Block { text: &first.bytes[..first.given], end })?;
        if self.ended && self.carried.is_empty() {
            return Ok(());
        }
        let (full, blocks) = sync_channel(AHEAD);
        let (empty, buffers) = channel();
        // The parser holds one buffer, `AHEAD` wait for it, and one is being filled.
        for buffer in std::iter::once(first).chain((0..=AHEAD).map(|_| Buffer::default())) {
            empty.send(buffer).ok();
        }
        thread::scope(|scope| {
            scope.spawn(move || {
                // Either end of a channel is dropped when the other side is done, successfully or not.
                while let Ok(mut buffer) = buffers.recv() {
                    let next = self.next(&mut buffer, budget);
                    let last = !matches!(next, Ok(Some(_)));
                    if full.send((next, buffer)).is_err() || last {
                        break;
                    }
                }
            });
            let blocks = blocks;
            while let Ok((next, buffer)) = blocks.recv() {
                let Some(end) = next? else { break };
                take(&Block { text: &buffer.bytes[..buffer.given], end })?;
                empty.send(buffer).ok();
            }
            Ok(())
        })
    }

    /// Passes the lines to `take`, each with its number, from 1, and without its line end. Returns the number of the
    /// last line, or 1 for an empty file.
    ///
    /// # Errors
    /// Errors of `take` and of reading, [`TraceErrorKind::LineTooLong`], and [`TraceErrorKind::CutOff`] for a file that
    /// does not end with a line end.
    pub fn each_line(
        self,
        budget: &mut Budget,
        mut take: impl FnMut(u64, &[u8]) -> Result<(), TraceError>,
    ) -> Result<u64, TraceError> {
        let file = self.source.file().to_path_buf();
        let (mut number, mut cut_off) = (0, false);
        self.each(budget, |block| {
            if block.end == End::TooLong {
                let kind = TraceErrorKind::LineTooLong { limit: LONGEST_LINE };
                return Err(TraceError { line: Some(number + 1), ..TraceError::whole(&file, kind) });
            }
            let text = block.text.strip_suffix(b"\n").unwrap_or(block.text);
            for line in text.split(|&byte| byte == b'\n') {
                number += 1;
                take(number, line)?;
            }
            cut_off = block.end != End::Line;
            Ok(())
        })?;
        let last = number.max(1);
        match cut_off {
            true => Err(TraceError { line: Some(last), ..TraceError::whole(&file, TraceErrorKind::CutOff) }),
            false => Ok(last),
        }
    }

    /// Fills a buffer with the next block and returns its end; `None` at the end of the file.
    fn next(&mut self, buffer: &mut Buffer, budget: &mut Budget) -> Result<Option<End>, TraceError> {
        self.fill(buffer, budget)?;
        Ok(match buffer.bytes[..buffer.given].last() {
            None => None,
            Some(b'\n') => Some(End::Line),
            Some(_) if !self.ended || buffer.given > LONGEST_LINE => Some(End::TooLong),
            Some(_) => Some(End::File),
        })
    }

    /// Reads until there is a line end or the file ends; text after the last line end is kept for the next block.
    fn fill(&mut self, buffer: &mut Buffer, budget: &mut Budget) -> Result<(), TraceError> {
        let bytes = &mut buffer.bytes;
        let mut filled = self.carried.len();
        if bytes.len() < filled {
            bytes.resize(filled, 0);
        }
        bytes[..filled].copy_from_slice(&self.carried);
        self.carried.clear();
        // Carried text has no line end: it followed the last one.
        let mut searched = filled;
        loop {
            let enough = searched + BLOCK;
            if bytes.is_empty() {
                // New memory is zeroed lazily: if a small file does not fill the block, only its beginning is touched.
                *bytes = vec![0; enough];
            } else if bytes.len() < enough {
                bytes.resize(enough, 0);
            }
            while !self.ended && filled < enough {
                match self.source.read(&mut bytes[filled..enough], budget)? {
                    0 => self.ended = true,
                    length => filled += length,
                }
            }
            if let Some(last) = memrchr(b'\n', &bytes[searched..filled]) {
                buffer.given = searched + last + 1;
                self.carried.extend_from_slice(&bytes[buffer.given..filled]);
                return Ok(());
            }
            if self.ended || filled > LONGEST_LINE {
                buffer.given = filled;
                return Ok(());
            }
            searched = filled;
        }
    }
}
