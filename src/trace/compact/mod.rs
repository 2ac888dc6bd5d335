//! The compact binary form of traces, `.mtrace`.
//!
//! It contains every action exactly, is read many times faster than text, and is checked during reading: each section
//! has checksums, so that a truncated or modified file is refused with the position of the damage.
//! `docs/reference/mtrace.md` has the layout byte by byte.
//!
//! Actions repeat: a rank of a stencil code has some ten distinct ones. A section therefore lists the distinct actions
//! of a part of one rank, the frequent ones first, followed by their sequence in one byte each. Only computations with
//! varying amounts are inserted as numbers. Reading is then a copy of 16 bytes per byte of input. General compression
//! (zstd) on top of it is for archives; the form itself needs none.
//!
//! Varints for everything were rejected: decoding a message of four arguments takes as long as the rest of reading
//! together. Runs of equal actions were rejected as well: a file of a few bytes could request any amount of memory.

mod communicators;
mod entry;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use self::write::Compact;

use super::error::{TraceError, TraceErrorKind as Kind};
use super::format::Format;
use std::path::Path;

/// First bytes of a file: a byte that never occurs in text, the name, and line ends that a transfer as text would
/// change.
const MAGIC: [u8; 8] = *b"\x8dmtr\r\n\x1a\n";

/// Version of the layout.
const VERSION: u16 = 1;

/// Lengths of the head of a file and of that of a section.
const FILE_HEAD: usize = 20;
const SECTION_HEAD: usize = 20;

/// Kinds of sections.
const NOTES: u8 = 1;
const RANK: u8 = 2;
const END: u8 = 3;
/// Written only if there are communicators, before the ranks: readers of the first version refuse it by name.
const COMMUNICATORS: u8 = 4;

/// Length of the body of the last section: ranks and actions.
const END_BODY: usize = 12;

/// Codes of actions; from [`ENTRIES`] on, a byte is the number of an entry plus that.
const COMPUTE_SHORT: u8 = 0;
const COMPUTE_LONG: u8 = 1;
const ENTRY_16: u8 = 2;
const ENTRY_32: u8 = 3;
const ENTRIES: u8 = 4;

/// Entries that a code of one byte can name.
const ONE_BYTE: usize = 256 - ENTRIES as usize;

/// The compact binary format.
pub(super) static FORMAT: Format = Format {
    name: "compact trace",
    extensions: &[".mtrace"],
    writer: Some(&Compact),
    // A file that is truncated within the magic, or modified there by a transfer, is recognised as well.
    recognises: |head| head.starts_with(&MAGIC[..4]) || (!head.is_empty() && MAGIC.starts_with(head)),
    read: read::read,
    read_files: None,
};

fn error(file: &Path, byte: u64, problem: impl Into<String>) -> TraceError {
    const HELP: &str =
        "the file is truncated or modified; fetch it again, or write it again with `mopsim trace convert`";
    let kind = Kind::format("compact trace", problem, HELP);
    TraceError::whole(file, kind).at_byte(byte)
}
