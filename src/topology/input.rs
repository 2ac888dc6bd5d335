//! Reading text files of moderate size whole: size limits, decompression, and positions in them for messages.
//!
//! Graph and platform files are read into memory, because errors in them are reported with line and column and some
//! formats use names before their definition. Traces, which are large, have readers of their own.

use crate::excerpt::excerpts_of_json;
use crate::printable::one_line;
use crate::user_error::UserError;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// Largest graph or platform file, in bytes after decompression: 1 GiB.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// Bytes of a file in which zero bytes are looked for, which no text has.
const FIRST_BLOCK: u64 = 1 << 16;

/// Memory limit of the xz decoder's dictionary, in KiB.
const XZ_MEMORY_KIB: u32 = 1 << 18;

/// Reason why a file could not be read into memory.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system refused, or the compressed data is damaged.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system or the decoder.
        source: io::Error,
    },
    /// The file is larger than the limit.
    #[error("{}: larger than {limit} bytes", path.display())]
    TooLong {
        /// Path of the file.
        path: PathBuf,
        /// The limit in bytes, after decompression.
        limit: u64,
    },
    /// The file is not text.
    #[error("{}:{line}: not UTF-8 text (byte {byte})", path.display())]
    NotText {
        /// Path of the file.
        path: PathBuf,
        /// Line of the first offending byte, from 1.
        line: usize,
        /// Offset of the first offending byte, from 0.
        byte: usize,
    },
    /// The file begins with binary data.
    #[error("{}:{line}: not text: byte {byte} is zero", path.display())]
    Binary {
        /// Path of the file.
        path: PathBuf,
        /// Line of the first zero byte, from 1.
        line: usize,
        /// Offset of the first zero byte, from 0.
        byte: usize,
    },
}

impl UserError for ReadError {
    fn help(&self) -> String {
        let help = match self {
            Self::Io { .. } => "check the name of the file, its permissions and, if it is compressed, that it is whole",
            Self::TooLong { .. } => {
                "check that this is the file you meant; files of this kind are read into memory whole"
            }
            Self::NotText { .. } | Self::Binary { .. } => {
                "check that this is the file you meant and that it was not damaged on the way"
            }
        };
        help.to_owned()
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}

/// A broken rule in a file, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", one_line(file.as_str()))]
pub struct Located {
    /// Name of the file as given.
    pub file: String,
    /// Line, from 1; 0 if the error has no line.
    pub line: usize,
    /// Column in bytes, from 1; 0 if the error has no column.
    pub column: usize,
    /// The object, the value and the rule.
    pub message: String,
    /// One line on how to fix it.
    pub help: String,
}

impl Located {
    /// Converts a message of `serde_json`, which ends with the position, into ours, which begins with it.
    pub fn from_json(file: &str, error: &serde_json::Error, help: &str) -> Self {
        let message = excerpts_of_json(error);
        Self { file: file.into(), line: error.line(), column: error.column(), message, help: help.into() }
    }
}

/// Returns the line and the column, from 1 and in bytes, of a byte of a text; those of its end if the text is shorter.
pub fn place(text: &str, offset: usize) -> (usize, usize) {
    let offset = offset.min(text.len());
    let before = &text.as_bytes()[..offset];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    (1 + memchr::memchr_iter(b'\n', before).count(), 1 + offset - line_start)
}

/// Returns the name of `path` without a compression extension (`.gz`, `.xz`, `.zst`), in lower case.
pub fn plain_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    for packed in [".gz", ".xz", ".zst"] {
        if let Some(plain) = name.strip_suffix(packed) {
            return plain.to_owned();
        }
    }
    name
}

/// Time limit for another program to open the other end of a pipe.
const PIPE_PATIENCE: Duration = Duration::from_secs(10);

/// Opens a file for reading. The wait for a pipe is limited: without a writer, opening it would block forever.
///
/// # Errors
/// As [`File::open`]; `TimedOut` for a pipe without a writer.
pub fn open(path: &Path) -> io::Result<File> {
    opened(path, File::options().read(true), "writing")
}

/// Opens a file that exists for writing. The wait for a pipe is limited: without a reader, opening it would block forever.
///
/// # Errors
/// As [`File::open`]; `TimedOut` for a pipe without a reader.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    opened(path, File::options().write(true), "reading")
}

/// Opens a file; for a pipe, another program must open the other end, for `other`, within [`PIPE_PATIENCE`].
fn opened(path: &Path, options: &OpenOptions, other: &str) -> io::Result<File> {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&std::fs::metadata(path)?.file_type()) {
        let (sender, receiver) = mpsc::channel();
        let (pipe, options) = (path.to_owned(), options.clone());
        // If no program opens the other end, the thread is abandoned; it owns no resources.
        std::thread::Builder::new().spawn(move || sender.send(options.open(pipe)))?;
        return receiver.recv_timeout(PIPE_PATIENCE).unwrap_or_else(|_| {
            let seconds = PIPE_PATIENCE.as_secs();
            let text = format!("this is a pipe, and for {seconds} s nothing has opened it for {other}");
            Err(io::Error::new(io::ErrorKind::TimedOut, text))
        });
    }
    options.open(path)
}

/// Reads a file of at most `limit` bytes as it is.
///
/// # Errors
/// [`ReadError::Io`] and [`ReadError::TooLong`].
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let fail = |source| ReadError::Io { path: path.into(), source };
    let mut bytes = Vec::new();
    open(path).map_err(fail)?.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLong { path: path.into(), limit });
    }
    Ok(bytes)
}

/// Reads a text file of at most `limit` bytes; gzip, xz and zstd are recognised by their first bytes, not by name.
///
/// # Errors
/// [`ReadError`], also for a file that unpacks to more than `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    let fail = |source| ReadError::Io { path: path.into(), source };
    let mut file = open(path).map_err(fail)?;
    let mut magic = Vec::with_capacity(6);
    (&mut file).take(6).read_to_end(&mut magic).map_err(fail)?;
    let packed = io::Cursor::new(magic.clone()).chain(file);
    let mut unpacked: Box<dyn Read> = match magic.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_MEMORY_KIB)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::stream::read::Decoder::new(packed).map_err(fail)?),
        _ => Box::new(packed),
    };
    let mut bytes = Vec::new();
    // Devices and binary files are recognised before they fill the memory.
    unpacked.by_ref().take(FIRST_BLOCK.min(limit)).read_to_end(&mut bytes).map_err(fail)?;
    if let Some(byte) = memchr::memchr(0, &bytes) {
        return Err(ReadError::Binary { path: path.into(), line: line_of_byte(&bytes, byte), byte });
    }
    let rest = limit + 1 - bytes.len() as u64;
    unpacked.by_ref().take(rest).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLong { path: path.into(), limit });
    }
    to_text(path, bytes)
}

/// Interprets the bytes of a file as text.
///
/// # Errors
/// [`ReadError::NotText`].
pub fn to_text(path: &Path, mut bytes: Vec<u8>) -> Result<String, ReadError> {
    // Editors on Windows begin a file with a mark of its encoding.
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        let line = line_of_byte(error.as_bytes(), byte);
        ReadError::NotText { path: path.into(), line, byte }
    })
}

/// Returns the line, from 1, of a byte.
fn line_of_byte(bytes: &[u8], byte: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &bytes[..byte]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn binary_files_are_refused_by_their_first_block() {
        let error = read_text(written(b"0 1\n1\0").path(), 100).unwrap_err();
        assert!(error.to_string().ends_with(":2: not text: byte 5 is zero"), "{error}");
        // The zeros have no end: the limit would be reached only by reading them all.
        #[cfg(unix)]
        assert!(matches!(read_text(Path::new("/dev/zero"), 1 << 60), Err(ReadError::Binary { line: 1, byte: 0, .. })));
    }

    fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn packed_text_is_recognised_by_its_first_bytes() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"0 1\n").unwrap();
        let zstd = zstd::encode_all(&b"0 1\n"[..], 1).unwrap();
        for bytes in [b"0 1\n".to_vec(), gzip.finish().unwrap(), zstd] {
            assert_eq!(read_text(written(&bytes).path(), 100).unwrap(), "0 1\n");
        }
    }

    #[test]
    fn the_limit_counts_unpacked_bytes() {
        let bomb = zstd::encode_all(&vec![b'0'; 1 << 20][..], 1).unwrap();
        assert!(bomb.len() < 1000);
        let error = read_text(written(&bomb).path(), 1000).unwrap_err();
        assert!(matches!(error, ReadError::TooLong { limit: 1000, .. }), "{error}");
        assert_eq!(read_text(written(&[b'0'; 10]).path(), 10).unwrap().len(), 10);
    }

    #[test]
    fn bytes_that_are_not_text_have_a_line() {
        let error = read_text(written(b"0 1\n\xff").path(), 100).unwrap_err();
        assert!(matches!(error, ReadError::NotText { line: 2, byte: 4, .. }), "{error}");
        assert!(matches!(read_text(Path::new("/nonexistent"), 1), Err(ReadError::Io { .. })));
        let damaged = written(&[0xfd, b'7', b'z', b'X', b'Z', 0, 1, 2, 3]);
        assert!(matches!(read_text(damaged.path(), 100), Err(ReadError::Io { .. })));
    }
}
