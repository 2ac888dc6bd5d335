//! Reads the measurements of a file, by the readers of all known programs.

use super::error::CalibrateError;
use super::series::{Flaw, Readings, Series};
use super::{imb, netpipe, osu, own};
use crate::topology::input::read_text;
use std::path::Path;

/// Largest file of measurements in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the measurements of a file, whatever known program wrote it.
type Reader = fn(&[&str]) -> Result<Readings, Flaw>;

/// The programs; each reader returns nothing for the output of another one.
const READERS: [Reader; 4] = [osu::read, imb::read, own::read, netpipe::read];

/// Reads all series of a file.
///
/// # Errors
/// [`CalibrateError`].
pub fn read(file: &Path) -> Result<Vec<Series>, CalibrateError> {
    let text = read_text(file, MAX_BYTES)?;
    read_from(&text, file)
}

/// Reads all series of a text; `file` names it in errors.
///
/// # Errors
/// [`CalibrateError`].
pub fn read_from(text: &str, file: &Path) -> Result<Vec<Series>, CalibrateError> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for reader in READERS {
        let found = reader(&lines).map_err(|(line, message)| CalibrateError::Malformed {
            file: file.to_owned(),
            line: line + 1,
            message,
        })?;
        if !found.is_empty() {
            let series = |(kind, program, points)| Series { kind, program, file: file.to_owned(), points };
            return Ok(found.into_iter().map(series).collect());
        }
    }
    Err(CalibrateError::Unknown { file: file.to_owned(), lines: lines.len() })
}
