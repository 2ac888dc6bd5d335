//! A line of a file: its place, and reasons to stop reading it.

use super::number::Fault;
use crate::trace::error::TraceErrorKind as Kind;
use crate::trace::tables::Full;

/// Reason to stop parsing a line. `at` is the line from the offending word on.
pub(super) enum Broken<'a> {
    /// An invalid argument of the action.
    Fault(Fault<'a>),
    /// A rank that is too large.
    Rank { at: &'a [u8], role: &'static str },
    /// A full side table.
    Full(Full),
    /// Anything else.
    Other { at: &'a [u8], kind: Kind },
}

impl<'a> From<nom::Err<Fault<'a>>> for Broken<'a> {
    fn from(error: nom::Err<Fault<'a>>) -> Self {
        match error {
            nom::Err::Error(fault) | nom::Err::Failure(fault) => Broken::Fault(fault),
            nom::Err::Incomplete(_) => unreachable!("the parsers are complete ones"),
        }
    }
}

impl From<Full> for Broken<'_> {
    fn from(full: Full) -> Self {
        Broken::Full(full)
    }
}

/// Result of the parser of one argument list.
pub(super) type Arguments<'a, T> = Result<T, Broken<'a>>;

/// A line of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceLine {
    pub file: u32,
    pub line: u64,
}
