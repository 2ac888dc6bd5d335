//! Where the text of a trace comes from: a plain file, a compressed one, or a stream.
//!
//! All give [`Blocks`]: pieces of about 1 MiB that end at a line end. They lie in a few buffers that are used again, so lines
//! are slices of them, and the whole text is never in memory. From its second block on, a file is read and unpacked on a
//! thread of its own, ahead of the parser. The compression is recognised by its first bytes, since names lie more often.
//!
//! Mapping plain files into memory was tried and rejected. It is not faster (a trace of 49 MB took 0.086 s either way: page
//! faults cost what the copies of `read` cost), and a map needs `unsafe`, counts as memory of the process, and ends the
//! process if someone shortens the file meanwhile.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use memchr::memrchr;

use crate::trace::error::{TraceError, TraceErrorKind as Kind};

/// Bytes of text that are looked at together; small enough to stay in the second-level cache.
const BLOCK: usize = 1 << 20;
/// Longest line, give or take a block. The longest sensible one is an alltoallv of some million ranks.
pub(super) const LONGEST_LINE: usize = 64 << 20;
/// Most memory that an xz file may ask for, in KiB: what `xz -9` needs is a sixteenth of it.
const XZ_MEMORY_KIB: u32 = 1 << 20;

/// Text that a compressed file may give whatever its size.
const RATIO_FREE: u64 = 32 << 20;

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
    /// With the end of the file, behind a line that has no line end. The block is that line alone.
    File,
    /// Within a line that is too long; the rest of the file is of no use.
    TooLong,
}

/// The text of one file, block by block.
pub(super) struct Blocks<'r> {
    file: PathBuf,
    reader: Box<dyn Read + Send + 'r>,
    /// Name of the compression; none for plain text.
    format: Option<&'static str>,
    /// Text behind the last line end that was read.
    carried: Vec<u8>,
    ended: bool,
    /// Bytes that came out of the decoder, and those that went into it.
    unpacked: u64,
    packed: Arc<AtomicU64>,
}

/// Memory of a block. `bytes` keeps its length between blocks, so that it is not cleared each time.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Length of the block in it.
    given: usize,
}

/// Blocks that wait for the parser at most.
const AHEAD: usize = 2;

/// A reader that counts what it gives.
struct Counted<R> {
    reader: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.count.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// How much more text compressed files may give, all files of a trace together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub limit: u64,
    pub left: u64,
    /// Most times its size that a file may give.
    pub ratio: u64,
}

impl Budget {
    pub fn new(limit: u64, ratio: u64) -> Budget {
        Budget { limit, left: limit, ratio }
    }
}

impl<'r> Blocks<'r> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Blocks<'r>, TraceError> {
        let file = File::open(path).map_err(|error| TraceError::whole(path, Kind::Open(error)))?;
        Blocks::stream(path, file)
    }

    /// Takes a stream, such as standard input.
    pub fn stream(name: &Path, mut reader: impl Read + Send + 'r) -> Result<Blocks<'r>, TraceError> {
        let file = name.to_path_buf();
        let head = read_head(&mut reader).map_err(|error| TraceError::whole(name, Kind::Read(error)))?;
        let format = packing(&head);
        let packed = Arc::new(AtomicU64::new(0));
        let all = Counted { reader: Cursor::new(head).chain(reader), count: Arc::clone(&packed) };
        let all = BufReader::with_capacity(1 << 17, all);
        let reader: Box<dyn Read + Send + 'r> = match format {
            None => Box::new(all),
            Some("xz") => Box::new(XzReader::new_mem_limit(all, true, XZ_MEMORY_KIB)),
            Some("gzip") => Box::new(MultiGzDecoder::new(all)),
            Some("zstd") => match zstd::Decoder::with_buffer(all) {
                Ok(decoder) => Box::new(decoder),
                Err(error) => return Err(TraceError::whole(file, Kind::Damaged { format: "zstd", error })),
            },
            Some(format) => return Err(TraceError::whole(file, Kind::Unsupported { format })),
        };
        Ok(Blocks { file, reader, format, carried: Vec::new(), ended: false, unpacked: 0, packed })
    }

    /// The file's name for messages.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Gives the blocks to `take`, one after the other, until the end of the file or the first error.
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
                // Either end of a channel goes when the other side is done, with or without success.
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

    /// Puts the next block into a buffer, and says how it ends; none at the end of the file.
    fn next(&mut self, buffer: &mut Buffer, budget: &mut Budget) -> Result<Option<End>, TraceError> {
        self.fill(buffer, budget)?;
        Ok(match buffer.bytes[..buffer.given].last() {
            None => None,
            Some(b'\n') => Some(End::Line),
            Some(_) if !self.ended || buffer.given > LONGEST_LINE => Some(End::TooLong),
            Some(_) => Some(End::File),
        })
    }

    /// Reads on until there is a line end or nothing more; what follows the last line end is for the next block.
    fn fill(&mut self, buffer: &mut Buffer, budget: &mut Budget) -> Result<(), TraceError> {
        let bytes = &mut buffer.bytes;
        let mut filled = self.carried.len();
        if bytes.len() < filled {
            bytes.resize(filled, 0);
        }
        bytes[..filled].copy_from_slice(&self.carried);
        self.carried.clear();
        // What was carried over has no line end: it was behind the last one.
        let mut searched = filled;
        loop {
            let enough = searched + BLOCK;
            if bytes.len() < enough {
                bytes.resize(enough, 0);
            }
            while !self.ended && filled < enough {
                match self.reader.read(&mut bytes[filled..enough]) {
                    Ok(0) => self.ended = true,
                    Ok(length) => {
                        filled += length;
                        self.charge(length as u64, budget)?;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(TraceError::whole(&*self.file, self.failure(error))),
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

    fn charge(&mut self, length: u64, budget: &mut Budget) -> Result<(), TraceError> {
        let Some(format) = self.format else { return Ok(()) };
        self.unpacked += length;
        if self.unpacked > RATIO_FREE && self.unpacked / self.packed.load(Ordering::Relaxed).max(1) > budget.ratio {
            let kind = Kind::UnpacksSuspiciously { format, ratio: budget.ratio };
            return Err(TraceError::whole(&*self.file, kind));
        }
        match budget.left.checked_sub(length) {
            Some(left) => budget.left = left,
            None => return Err(TraceError::whole(&*self.file, Kind::UnpacksTooLarge { limit: budget.limit })),
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
