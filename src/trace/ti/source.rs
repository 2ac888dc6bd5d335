//! Where the text of a trace comes from: a plain file, a compressed one, or a stream.
//!
//! All give [`Blocks`]: pieces of about 1 MiB that end at a line end. Plain files are mapped into memory and not copied;
//! compressed ones are decoded piece by piece, so the whole text is never in memory. The compression is recognised by
//! its first bytes, since names lie more often.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use memchr::{memchr, memrchr};
use memmap2::Mmap;

use crate::trace::error::{TraceError, TraceErrorKind as Kind};

/// Bytes of text that are looked at together; small enough to stay in the second-level cache.
const BLOCK: usize = 1 << 20;
/// Longest line, give or take a block. The longest sensible one is an alltoallv of some million ranks.
pub(super) const LONGEST_LINE: usize = 64 << 20;
/// Most memory that an xz file may ask for, in KiB: what `xz -9` needs is a sixteenth of it.
const XZ_MEMORY_KIB: u32 = 1 << 20;

/// First bytes and name of each packing; those without a decoder are refused by name.
const MAGIC: [(&[u8], &str); 8] = [
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7-zip"),
    (b"LZIP", "lzip"),
];
/// A zstd file may also begin with a skippable frame, whose fourth to second bytes are these.
const SKIPPABLE: &[u8] = b"\x2a\x4d\x18";

/// Some whole lines.
pub(super) struct Block<'a> {
    /// The text.
    pub text: &'a [u8],
    /// How it ends.
    pub end: End,
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// With a line end.
    Line,
    /// With the end of the file, behind a line that has no line end. The block is that line, alone or after others.
    File,
    /// Within a line that is too long; the rest of the file is of no use.
    TooLong,
}

/// The text of one file, block by block.
pub(super) struct Blocks<'r> {
    file: PathBuf,
    input: Input<'r>,
}

enum Input<'r> {
    Mapped { map: Mmap, at: usize },
    Stream(Stream<'r>),
}

struct Stream<'r> {
    reader: Box<dyn Read + 'r>,
    /// Name of the compression; none for plain text.
    format: Option<&'static str>,
    /// `buffer[given..filled]` is text that was read but not given out.
    buffer: Vec<u8>,
    given: usize,
    filled: usize,
    ended: bool,
}

/// How much more text compressed files may give, all files of a trace together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub limit: u64,
    pub left: u64,
}

impl Budget {
    pub fn new(limit: u64) -> Budget {
        Budget { limit, left: limit }
    }
}

impl<'r> Blocks<'r> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Blocks<'r>, TraceError> {
        let mut file = File::open(path).map_err(|error| TraceError::whole(path, Kind::Open(error)))?;
        let metadata = file.metadata().map_err(|error| TraceError::whole(path, Kind::Open(error)))?;
        let head = read_head(&mut file).map_err(|error| TraceError::whole(path, Kind::Read(error)))?;
        if metadata.is_file() && !head.is_empty() && packing(&head).is_none() {
            // SAFETY: The map is only read, as bytes. Its one danger is another process that shortens the file meanwhile,
            // which ends this process (SIGBUS); recorded traces are not changed while they are replayed. A copy through
            // `read` would cost about a third of the time to parse a plain trace.
            let map = unsafe { Mmap::map(&file) };
            if let Ok(map) = map {
                return Ok(Blocks::new(path.into(), Input::Mapped { map, at: 0 }));
            }
        }
        Blocks::with_head(path.into(), head, file)
    }

    /// Takes a stream, such as standard input.
    pub fn stream(name: &Path, mut reader: impl Read + 'r) -> Result<Blocks<'r>, TraceError> {
        let head = read_head(&mut reader).map_err(|error| TraceError::whole(name, Kind::Read(error)))?;
        Blocks::with_head(name.into(), head, reader)
    }

    fn new(file: PathBuf, input: Input<'r>) -> Blocks<'r> {
        Blocks { file, input }
    }

    fn with_head(file: PathBuf, head: Vec<u8>, reader: impl Read + 'r) -> Result<Blocks<'r>, TraceError> {
        let format = packing(&head);
        let all = BufReader::with_capacity(1 << 17, Cursor::new(head).chain(reader));
        let reader: Box<dyn Read + 'r> = match format {
            None => Box::new(all),
            Some("xz") => Box::new(XzReader::new_mem_limit(all, true, XZ_MEMORY_KIB)),
            Some("gzip") => Box::new(MultiGzDecoder::new(all)),
            Some("zstd") => match zstd::Decoder::with_buffer(all) {
                Ok(decoder) => Box::new(decoder),
                Err(error) => return Err(TraceError::whole(file, Kind::Damaged { format: "zstd", error })),
            },
            Some(format) => return Err(TraceError::whole(file, Kind::Unsupported { format })),
        };
        let stream = Stream { reader, format, buffer: vec![0; 2 * BLOCK], given: 0, filled: 0, ended: false };
        Ok(Blocks::new(file, Input::Stream(stream)))
    }

    /// The file's name for messages.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The next block; none at the end of the file.
    pub fn next(&mut self, budget: &mut Budget) -> Result<Option<Block<'_>>, TraceError> {
        let (text, more) = match &mut self.input {
            Input::Mapped { map, at } => {
                let rest = &map[*at..];
                let length = block_length(rest).unwrap_or(rest.len());
                *at += length;
                (&rest[..length], *at < map.len())
            }
            Input::Stream(stream) => {
                let given = stream.fill(&self.file, budget)?;
                (&stream.buffer[given], !stream.ended)
            }
        };
        let end = match text.last() {
            None => return Ok(None),
            Some(b'\n') => End::Line,
            Some(_) if more || text.len() > LONGEST_LINE => End::TooLong,
            Some(_) => End::File,
        };
        Ok(Some(Block { text, end }))
    }
}

impl Stream<'_> {
    /// Reads on until there is a line end or nothing more, and says where in the buffer the next block is.
    fn fill(&mut self, file: &Path, budget: &mut Budget) -> Result<Range<usize>, TraceError> {
        self.buffer.copy_within(self.given..self.filled, 0);
        self.filled -= self.given;
        self.given = 0;
        // What was carried over has no line end: it was behind the last one.
        let mut searched = self.filled;
        loop {
            let enough = searched + BLOCK;
            if self.buffer.len() < enough {
                self.buffer.resize(enough, 0);
            }
            while !self.ended && self.filled < enough {
                match self.reader.read(&mut self.buffer[self.filled..enough]) {
                    Ok(0) => self.ended = true,
                    Ok(length) => {
                        self.filled += length;
                        self.charge(length as u64, file, budget)?;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(TraceError::whole(file, self.failure(error))),
                }
            }
            if let Some(last) = memrchr(b'\n', &self.buffer[searched..self.filled]) {
                self.given = searched + last + 1;
                return Ok(0..self.given);
            }
            if self.ended || self.filled > LONGEST_LINE {
                self.given = self.filled;
                return Ok(0..self.given);
            }
            searched = self.filled;
        }
    }

    fn charge(&self, length: u64, file: &Path, budget: &mut Budget) -> Result<(), TraceError> {
        if self.format.is_none() {
            return Ok(());
        }
        match budget.left.checked_sub(length) {
            Some(left) => budget.left = left,
            None => return Err(TraceError::whole(file, Kind::UnpacksTooLarge { limit: budget.limit })),
        }
        Ok(())
    }

    /// Tells damage from trouble with the device: only the latter comes with a number of the operating system.
    fn failure(&self, error: io::Error) -> Kind {
        match self.format {
            Some(format) if error.raw_os_error().is_none() => Kind::Damaged { format, error },
            _ => Kind::Read(error),
        }
    }
}

/// Length of the next block of a text that is all there; none if its first line is too long.
fn block_length(text: &[u8]) -> Option<usize> {
    if text.len() <= BLOCK {
        // The last lines, with or without a line end behind the last of them.
        return Some(memrchr(b'\n', text).map_or(text.len(), |last| last + 1));
    }
    if let Some(last) = memrchr(b'\n', &text[..BLOCK]) {
        return Some(last + 1);
    }
    let near = &text[..text.len().min(LONGEST_LINE + 1)];
    match memchr(b'\n', &near[BLOCK..]) {
        Some(end) => Some(BLOCK + end + 1),
        None => (near.len() == text.len()).then_some(text.len()),
    }
}

/// The first bytes of a file; fewer only if it has no more.
fn read_head(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(8);
    reader.by_ref().take(8).read_to_end(&mut head)?;
    Ok(head)
}

/// How a file with these first bytes is packed; none for plain text.
fn packing(head: &[u8]) -> Option<&'static str> {
    if head.get(1..4) == Some(SKIPPABLE) && head[0] & 0xf0 == 0x50 {
        return Some("zstd");
    }
    MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, name)| name)
}
