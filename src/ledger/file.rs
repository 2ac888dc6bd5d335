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
        file.seek(SeekFrom::Start(0)).and_then(|_| read_to(&mut file, &mut bytes)).map_err(failed)?;
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

/// Returns the content of a ledger, without writing to it.
///
/// # Errors
/// [`LedgerError::Io`].
pub fn read(path: &Path) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = Vec::new();
    let read = open(path).and_then(|mut file| read_to(&mut file, &mut bytes));
    read.map_err(|error| LedgerError::io(path, error))?;
    Ok(bytes)
}

/// Reads a file to its end, up to the length of the largest ledger.
fn read_to(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = file.take(LONGEST + 1).read_to_end(bytes)?;
    if read as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {LONGEST} bytes are no results")));
    }
    Ok(())
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
