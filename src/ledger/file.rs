//! A ledger on the disk.
//!
//! A line is written by one call to a file opened for appending, and is on the disk (`fdatasync`) before its piece of work
//! is reported as completed. A process that is killed at any moment thus leaves complete lines and at most the
//! beginning of one more, which has no line end. Such a torn line is therefore recognised, dropped, and cut off before
//! anything is appended. Any other irregularity was not written by this program, and is an error with its line. The
//! alternative, a new file and a rename for each line, would be atomic as well, but rewrite the whole file for each of
//! its lines.
//!
//! The file is locked while it is written: two processes with one file would do all work twice.

use super::checked_line;
use super::error::LedgerError;
use crate::topology::input::open;
use serde::Serialize;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A ledger that is open for writing.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    /// `None` after a failed write, whose remainder must stay the last line.
    file: Mutex<Option<File>>,
}

impl LedgerFile {
    /// Opens and locks a file, and returns its content. With `resume` there may be some; otherwise the file must be new
    /// or empty.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn open(path: &Path, resume: bool) -> Result<(Self, Vec<u8>), LedgerError> {
        let failed = |error| LedgerError::io(path, error);
        // Opening a pipe would block, and devices have no end.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "this is a device or a pipe, not a file")));
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(LedgerError::Locked { file: path.to_owned() }),
            // File systems without locks are used without a lock.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        read_to(&mut file, &mut bytes, path, LONGEST_LINE)?;
        if !bytes.is_empty() && !resume {
            return Err(LedgerError::Exists { file: path.to_owned() });
        }
        Ok((Self { path: path.to_owned(), file: Mutex::new(Some(file)) }, bytes))
    }

    /// Replaces all content by the first line.
    ///
    /// # Errors
    /// [`LedgerError::Io`].
    pub fn begin(&self, first: &str) -> Result<(), LedgerError> {
        self.write(|file| {
            file.set_len(0).and_then(|()| file.write_all(first.as_bytes()))?;
            file.sync_all().and_then(|()| sync_folder(&self.path))
        })
    }

    /// Cuts off all after the first `length` bytes: a torn line.
    ///
    /// # Errors
    /// [`LedgerError::Io`].
    pub fn cut(&self, length: usize) -> Result<(), LedgerError> {
        self.write(|file| file.set_len(length as u64).and_then(|()| file.sync_all()))
    }

    /// Appends a record, which is on the disk when this returns.
    ///
    /// # Errors
    /// [`LedgerError::Io`] if it cannot be written; nothing can be appended after that.
    pub fn append(&self, record: &impl Serialize) -> Result<(), LedgerError> {
        let line = checked_line::write(record);
        self.write(|file| file.write_all(line.as_bytes()).and_then(|()| file.sync_data()))
    }

    fn write(&self, change: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), LedgerError> {
        let mut guard = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(file) = guard.as_mut() else {
            return Err(LedgerError::io(&self.path, io::Error::other("an earlier write failed")));
        };
        let written = change(file);
        if written.is_err() {
            *guard = None;
        }
        written.map_err(|error| LedgerError::io(&self.path, error))
    }
}

/// Largest ledger in bytes, enough for several million lines.
const LONGEST: u64 = 1 << 32;

/// Longest line in bytes. The first line of a study with 10,000 networks has some megabytes.
const LONGEST_LINE: usize = 64 << 20;

/// Bytes that are read at a time.
const BLOCK: u64 = 1 << 16;

/// Returns the content of a ledger, without writing to it.
///
/// # Errors
/// [`LedgerError::Io`], and [`LedgerError::Malformed`] for a file that cannot be a ledger.
pub fn read(path: &Path) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = Vec::new();
    let mut file = open(path).map_err(|error| LedgerError::io(path, error))?;
    read_to(&mut file, &mut bytes, path, LONGEST_LINE)?;
    Ok(bytes)
}

/// Reads a file to its end, up to the length of the largest ledger. A device or a large file of another kind is refused
/// before it fills the memory: by a zero byte in its first line, or by a line that does not end.
fn read_to(file: &mut impl Read, bytes: &mut Vec<u8>, path: &Path, longest_line: usize) -> Result<(), LedgerError> {
    // Start of the last line, and its number.
    let (mut start, mut line) = (0, 1);
    loop {
        let before = bytes.len();
        let read = file.take(BLOCK).read_to_end(bytes).map_err(|error| LedgerError::io(path, error))?;
        if read == 0 {
            return Ok(());
        }
        // Later zero bytes may be a torn line of a machine that lost power.
        let first = bytes[before..].split(|&byte| byte == b'\n').next().unwrap_or_default();
        if let Some(at) = memchr::memchr(0, first).filter(|_| line == 1) {
            let message = format!("byte {} is zero: the file is no results file", before + at);
            return Err(LedgerError::malformed(path, 1, message));
        }
        for end in memchr::memchr_iter(b'\n', &bytes[before..]) {
            (start, line) = (before + end + 1, line + 1);
        }
        if bytes.len() - start > longest_line {
            let message = format!("the line has more than {longest_line} bytes: the file is no results file");
            return Err(LedgerError::malformed(path, line, message));
        }
        if bytes.len() as u64 > LONGEST {
            let error =
                io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {LONGEST} bytes are no results"));
            return Err(LedgerError::io(path, error));
        }
    }
}

/// Makes the name of a new file as durable as its content.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Not every system supports this for folders.
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(mut text: &[u8], longest_line: usize) -> String {
        match read_to(&mut text, &mut Vec::new(), Path::new("r.jsonl"), longest_line) {
            Ok(()) => "nothing".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn files_that_cannot_be_ledgers_are_refused_early() {
        assert_eq!(refused(b"{}\n{}\n{\0", 10), "nothing");
        assert_eq!(refused(b"{\0", 10), "r.jsonl:1: byte 1 is zero: the file is no results file");
        let long = [b"{}\n".as_slice(), &[b'x'; 11]].concat();
        assert_eq!(refused(&long, 10), "r.jsonl:2: the line has more than 10 bytes: the file is no results file");
        assert_eq!(refused(&long, 11), "nothing");
        #[cfg(unix)]
        assert!(matches!(read(Path::new("/dev/zero")), Err(LedgerError::Malformed { line: 1, .. })));
    }
}
