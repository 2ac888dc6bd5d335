//! Bytes of a trace: from a plain file, a compressed one, or a stream.
//!
//! Compression is recognised by its first bytes, since names are less reliable. Unpacked bytes count against a budget,
//! so that an archive made to exhaust the reader stops early. The first bytes can be inspected before reading: they
//! identify the format.

use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

use super::error::{TraceError, TraceErrorKind as Kind};
use crate::steps::Steps;

/// Memory limit of the xz decoder, in KiB: `xz -9` needs a sixteenth of it.
const XZ_MEMORY_KIB: u32 = 1 << 20;

/// Bytes that a compressed file may unpack to whatever its size.
const RATIO_FREE: u64 = 32 << 20;

/// Number of bytes inspected to identify the format.
pub(super) const HEAD: usize = 1 << 12;

/// First bytes and name of each compression; those without a decoder are refused by name.
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
/// A zstd file may also begin with a skippable frame, with these bytes in positions 1 to 3.
const SKIPPABLE: &[u8] = b"\x2a\x4d\x18";

/// The unpacked bytes of one file.
pub(super) struct Source<'r> {
    file: PathBuf,
    reader: Box<dyn Read + Send + 'r>,
    /// Name of the compression; `None` for plain files.
    format: Option<&'static str>,
    /// Inspected bytes, and the number of them read since.
    head: Vec<u8>,
    given: usize,
    ended: bool,
    /// Number of bytes that came out of the decoder, and that went into it.
    unpacked: u64,
    packed: Arc<AtomicU64>,
}

/// A reader that reports how many bytes it reads.
struct Counted<R, F> {
    reader: R,
    each: F,
}

impl<R: Read, F: Fn(u64)> Read for Counted<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        (self.each)(length as u64);
        Ok(length)
    }
}

/// Remaining unpacked bytes of compressed files, all files of a trace together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub limit: u64,
    pub left: u64,
    /// Largest ratio of unpacked to compressed size.
    pub ratio: u64,
}

impl Budget {
    pub fn new(limit: u64, ratio: u64) -> Budget {
        Budget { limit, left: limit, ratio }
    }

    /// Returns a budget for files that were read within a budget already.
    pub fn unlimited() -> Budget {
        Budget::new(u64::MAX, u64::MAX)
    }
}

impl<'r> Source<'r> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Source<'r>, TraceError> {
        Source::open_counted(path, &Steps::default())
    }

    /// Opens a file whose bytes count as steps when they are read; the caller adds their number to the expected steps.
    pub fn open_counted(path: &Path, steps: &Steps) -> Result<Source<'r>, TraceError> {
        let file = crate::topology::input::open(path).map_err(|error| TraceError::whole(path, Kind::Open(error)))?;
        let steps = steps.clone();
        Source::stream(path, Counted { reader: file, each: move |bytes| steps.did(bytes) })
    }

    /// Takes a stream, such as standard input.
    pub fn stream(name: &Path, mut reader: impl Read + Send + 'r) -> Result<Source<'r>, TraceError> {
        let file = name.to_path_buf();
        let head = read_head(&mut reader).map_err(|error| TraceError::whole(name, Kind::Read(error)))?;
        let format = packing(&head);
        let packed = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&packed);
        let each = move |bytes| {
            count.fetch_add(bytes, Ordering::Relaxed);
        };
        let all = Counted { reader: Cursor::new(head).chain(reader), each };
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
        Ok(Source { file, reader, format, head: Vec::new(), given: 0, ended: false, unpacked: 0, packed })
    }

    /// Returns the file's name for messages.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns `true` if the data is compressed.
    #[cfg(feature = "libotf2")]
    pub fn is_packed(&self) -> bool {
        self.format.is_some()
    }

    /// Returns the first bytes before reading: [`HEAD`] of them, or all if the file has fewer.
    pub fn head(&mut self, budget: &mut Budget) -> Result<&[u8], TraceError> {
        if self.unpacked == 0 {
            let mut head = vec![0; HEAD];
            let mut filled = 0;
            while !self.ended && filled < HEAD {
                filled += self.decode(&mut head[filled..], budget)?;
            }
            head.truncate(filled);
            self.head = head;
        }
        Ok(&self.head)
    }

    /// Reads some bytes; 0 only at the end, or into an empty buffer.
    pub fn read(&mut self, into: &mut [u8], budget: &mut Budget) -> Result<usize, TraceError> {
        let head = &self.head[self.given..];
        if !head.is_empty() {
            let length = head.len().min(into.len());
            into[..length].copy_from_slice(&head[..length]);
            self.given += length;
            return Ok(length);
        }
        if self.ended || into.is_empty() { Ok(0) } else { self.decode(into, budget) }
    }

    fn decode(&mut self, into: &mut [u8], budget: &mut Budget) -> Result<usize, TraceError> {
        loop {
            match self.reader.read(into) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(0);
                }
                Ok(length) => {
                    self.charge(length as u64, budget)?;
                    return Ok(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(TraceError::whole(&*self.file, self.failure(error))),
            }
        }
    }

    fn charge(&mut self, length: u64, budget: &mut Budget) -> Result<(), TraceError> {
        self.unpacked += length;
        let Some(format) = self.format else { return Ok(()) };
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

    /// Distinguishes damage from a device error: only the latter has an error number of the operating system.
    fn failure(&self, error: io::Error) -> Kind {
        match self.format {
            Some(format) if error.raw_os_error().is_none() => {
                let read = self.packed.load(Ordering::Relaxed);
                let error = io::Error::new(error.kind(), format!("{error} (before byte {read} of the file)"));
                Kind::Damaged { format, error }
            }
            _ => Kind::Read(error),
        }
    }
}

/// Returns the first bytes of a file; fewer only if it has no more.
fn read_head(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(8);
    reader.by_ref().take(8).read_to_end(&mut head)?;
    Ok(head)
}

/// Returns the compression of a file with these first bytes; `None` for plain files.
fn packing(head: &[u8]) -> Option<&'static str> {
    if head.get(1..4) == Some(SKIPPABLE) && head[0] & 0xf0 == 0x50 {
        return Some("zstd");
    }
    MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, name)| name)
}
