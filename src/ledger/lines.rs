//! Lines of a ledger that was read.

use super::checked_line::{self, Line};
use super::error::LedgerError;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Complete lines of a ledger. Text after the last line end is a torn line, left by a process that was killed.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    complete: &'a [u8],
}

impl<'a> Lines<'a> {
    /// Returns the complete lines of a file.
    ///
    /// # Errors
    /// [`LedgerError::Malformed`] if there is none.
    pub fn of(file: &Path, bytes: &'a [u8]) -> Result<Self, LedgerError> {
        let missing = || LedgerError::malformed(file, 1, "there is no first line that says what the results are of");
        let end = memchr::memrchr(b'\n', bytes).ok_or_else(missing)?;
        Ok(Self { complete: &bytes[..=end] })
    }

    /// Returns the complete lines of a file that is continued; `None` if it is empty, or contains only the beginning of
    /// `first`, the first line that it should have.
    ///
    /// # Errors
    /// [`LedgerError::Malformed`] if the first line is incomplete and another one.
    pub fn continued(file: &Path, bytes: &'a [u8], first: &str) -> Result<Option<Self>, LedgerError> {
        if !bytes.contains(&b'\n') && first.as_bytes().starts_with(bytes) {
            return Ok(None);
        }
        Self::of(file, bytes).map(Some)
    }

    /// Returns the length of all complete lines in bytes.
    pub fn length(self) -> usize {
        self.complete.len()
    }

    /// Returns the lines without their ends, numbered from 1.
    pub fn numbered(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        (1..).zip(self.complete[..self.complete.len() - 1].split(|&byte| byte == b'\n'))
    }
}

/// Parses a line without its end. `what` describes a line of another content, such as "no cell". A line without a checksum
/// is valid only if `unchecked`.
///
/// # Errors
/// [`LedgerError::Malformed`].
pub fn parsed<T: DeserializeOwned>(
    file: &Path,
    (number, line): (usize, &[u8]),
    unchecked: bool,
    what: &str,
) -> Result<T, LedgerError> {
    let malformed = |message: String| LedgerError::malformed(file, number, message);
    let content = |error: serde_json::Error| malformed(format!("{what}: {error}"));
    match checked_line::read(line) {
        Line::Checked(checked) => serde_json::from_slice(&checked).map_err(content),
        Line::Damaged => Err(malformed("the line was changed: its checksum is that of another one".into())),
        Line::Unchecked => {
            let found = serde_json::from_slice(line).map_err(content)?;
            if unchecked { Ok(found) } else { Err(malformed("the line has no checksum at its end".into())) }
        }
    }
}
