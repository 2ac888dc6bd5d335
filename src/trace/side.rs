//! Facts about a trace in addition to its actions: the side file `NAME.toml`.
//!
//! A trace contains the computation time of each rank, but not the number of useful operations of the program;
//! benchmarks define that number themselves. The side file contains it, with the formula, so that a report can show and
//! justify Mop/s.

use crate::excerpt::{excerpt_of_bytes, excerpts};
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::topology::input::{ReadError, place, read_bytes, to_text};

use crate::printable::number;

use super::error::{TraceError, TraceErrorKind as Kind};

/// Operations and seconds from which figures of a report can be made.
const RANGE: RangeInclusive<f64> = 1e-12..=1e30;

/// Largest side file, in bytes.
const LONGEST: u64 = 1 << 20;

/// The side file of a trace. All keys are optional; unknown ones are refused.
///
/// ```toml
/// title = "NPB LU, class A, 64 ranks, 10 iterations"
/// operations = 4.771e9
/// formula = "NPB 3.3.1 lu.f, mflops for n = 64, times 10 iterations"
/// ```
#[derive(Clone, PartialEq, Default, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SideFile {
    /// One line for headings.
    pub title: Option<String>,
    /// Further lines of text.
    pub description: Option<String>,
    /// Operations of the whole program, above zero. Mop/s is this number divided by the simulated time and by a
    /// million.
    pub operations: Option<f64>,
    /// Origin of that number.
    pub formula: Option<String>,
    /// Name and version of the program.
    pub source: Option<String>,
    /// Problem size, as the program names it.
    pub class: Option<String>,
    /// Number of ranks of the recording.
    pub ranks: Option<usize>,
    /// Number of iterations recorded.
    pub iterations: Option<u64>,
    /// Run time of the program when it was recorded, in seconds, above zero.
    pub measured_seconds: Option<f64>,
    /// Terms for redistribution of the trace.
    pub licence: Option<String>,
}

impl SideFile {
    /// Reads a side file; `None` if there is no such file.
    pub fn read(path: &Path) -> Result<Option<SideFile>, TraceError> {
        let text = match read_bytes(path, LONGEST).and_then(|bytes| to_text(path, bytes)) {
            Ok(text) => text,
            Err(ReadError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(ReadError::Io { source, .. }) => return Err(TraceError::whole(path, Kind::Read(source))),
            Err(ReadError::NotText { line, byte, .. }) => {
                let message = format!("line {line}, byte {byte}: not UTF-8 text");
                return Err(TraceError::whole(path, Kind::Side(message)));
            }
            Err(error) => return Err(TraceError::whole(path, Kind::Side(error.to_string()))),
        };
        SideFile::parse(&text, path).map(Some)
    }

    fn parse(text: &str, path: &Path) -> Result<SideFile, TraceError> {
        let side: SideFile =
            toml::from_str(text).map_err(|error| wrong(text, path, error.span(), excerpts(error.message())))?;
        match side.flaw() {
            Some(flaw) => Err(wrong(text, path, None, flaw)),
            None => Ok(side),
        }
    }

    /// Returns the reason why a number is none of a program, if there is one.
    pub fn flaw(&self) -> Option<String> {
        let numbers = [("operations", self.operations), ("measured_seconds", self.measured_seconds)];
        let (name, value) = numbers
            .into_iter()
            .find_map(|(name, value)| Some((name, value.filter(|value| !RANGE.contains(value))?)))?;
        let (least, most) = (RANGE.start(), RANGE.end());
        Some(format!("{name} is {}, it has to be from {least:e} to {most:e}", number(value)))
    }
}

fn wrong(text: &str, path: &Path, span: Option<std::ops::Range<usize>>, message: String) -> TraceError {
    let mut error = TraceError::whole(path, Kind::Side(message));
    if let Some(span) = span
        && text.is_char_boundary(span.start)
    {
        let (line, column) = place(text, span.start);
        (error.line, error.column) = (Some(line as u64), Some(column as u32));
        error.text = excerpt_of_bytes(text.get(span).unwrap_or_default().as_bytes());
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_error::UserError;

    fn parse(text: &str) -> Result<SideFile, TraceError> {
        SideFile::parse(text, Path::new("x.toml"))
    }

    #[test]
    fn known_keys_are_read() {
        let side = parse("title = 'LU'\noperations = 2e9\nformula = 'lu.f'\nranks = 64").unwrap();
        assert_eq!((side.operations, side.ranks), (Some(2e9), Some(64)));
        assert_eq!(side.title.as_deref(), Some("LU"));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_place() {
        let error = parse("title = 'LU'\n operation = 2e9\n").unwrap_err();
        assert_eq!((error.line, error.column), (Some(2), Some(2)));
        assert!(error.to_string().contains("operation"), "{error}");
        assert!(!error.is_io());
    }

    #[test]
    fn a_number_of_operations_is_above_zero() {
        for text in [
            "operations = 0",
            "operations = -1.0",
            "operations = nan",
            "operations = inf",
            "operations = 1e308",
            "measured_seconds = 5e-324",
            "measured_seconds = 0",
            "measured_seconds = -1e300",
        ] {
            assert!(matches!(parse(text).unwrap_err().kind, Kind::Side(_)), "{text}");
        }
    }

    #[test]
    fn no_file_is_no_error() {
        assert_eq!(SideFile::read(Path::new("/nonexistent/x.toml")).unwrap(), None);
    }
}
