//! Archives of OTF2: common parts of reading with and without the library.

use crate::trace::Trace;
use crate::trace::error::TraceError;
use crate::trace::format::Input;

/// Name of the format.
pub(super) const NAME: &str = "OTF2";

/// Returns `true` if a file begins like the anchor file of an archive: a chunk, whose second byte is the byte order
/// (`B` or `#`).
pub(super) fn recognises(head: &[u8]) -> bool {
    matches!(head, [3, b'B' | b'#', b'O', b'T', b'F', b'2', ..])
}

#[cfg(feature = "libotf2")]
pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    super::library::read(input)
}

#[cfg(not(feature = "libotf2"))]
pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let problem = "this is the anchor file of an archive, which this mopsim is built without the library to read";
    let help =
        "give the text of it, `otf2-print -A traces.otf2 > NAME.otf2.txt`, or build mopsim with `--features libotf2`";
    Err(TraceError::whole(input.source.file(), crate::trace::error::TraceErrorKind::format(NAME, problem, help)))
}
