//! Numbers of the layout, which reader and writer share.

use std::path::Path;

use crate::trace::error::{TraceError, TraceErrorKind as Kind};

/// First bytes of a file: a byte with which no text in UTF-8 begins, the name, and line ends that a transfer as text would
/// change.
pub(super) const MAGIC: [u8; 8] = *b"\x8dmtr\r\n\x1a\n";

/// Version of the layout.
pub(super) const VERSION: u16 = 1;

/// Lengths of the head of a file and of that of a section.
pub(super) const FILE_HEAD: usize = 20;
pub(super) const SECTION_HEAD: usize = 20;

/// Kinds of sections.
pub(super) const NOTES: u8 = 1;
pub(super) const RANK: u8 = 2;
pub(super) const END: u8 = 3;
/// Written only if there are communicators, before the ranks: readers of the first version refuse it by name.
pub(super) const COMMUNICATORS: u8 = 4;

/// Length of the body of the last section: ranks and actions.
pub(super) const END_BODY: usize = 12;

/// Codes of actions; from [`ENTRIES`] on, a byte is the number of an entry plus that.
pub(super) const COMPUTE_SHORT: u8 = 0;
pub(super) const COMPUTE_LONG: u8 = 1;
pub(super) const ENTRY_16: u8 = 2;
pub(super) const ENTRY_32: u8 = 3;
pub(super) const ENTRIES: u8 = 4;

/// Entries that a code of one byte can name.
pub(super) const ONE_BYTE: usize = 256 - ENTRIES as usize;

pub(super) fn error(file: &Path, byte: u64, problem: impl Into<String>) -> TraceError {
    const HELP: &str =
        "the file is truncated or modified; fetch it again, or write it again with `mopsim trace convert`";
    let kind = Kind::format("compact trace", problem, HELP);
    TraceError::whole(file, kind).at_byte(byte)
}
