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
mod layout;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use self::write::Compact;

use super::format::Format;
use layout::MAGIC;

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
