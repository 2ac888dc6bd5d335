//! OTF2 traces, as recorded by Score-P and others: the archives themselves, or the text that `otf2-print -A` writes of
//! one.
//!
//! An archive is an anchor file and many others with a layout that only its library reads. With the feature `libotf2`
//! mopsim therefore uses the library; otherwise its program prints the archive, and that text is read line by line.
//! Both produce the same events in the same order, and become the same actions (`events.rs`).
//!
//! An event contains what its region in the library recorded: sends and receives with their partners, collectives with
//! the total bytes of each rank, not with its counts. Collectives whose ranks contribute different amounts are
//! therefore replayed with the mean, with a note.

mod archive;
mod attributes;
mod collectives;
mod definitions;
mod event;
mod events;
#[cfg(feature = "libotf2")]
mod library;
mod one_sided;
#[cfg(test)]
pub(super) mod tests;
mod text;
mod windows;

use std::path::{Path, PathBuf};

use super::format::Format;

/// The text format.
pub(super) static TEXT: Format = Format {
    name: text::NAME,
    extensions: &[".otf2.txt"],
    writer: None,
    recognises: text::recognises,
    read: text::read,
    read_files: None,
};

/// The format of archives, by their anchor file.
pub(super) static ARCHIVE: Format = Format {
    name: archive::NAME,
    extensions: &[".otf2"],
    writer: None,
    recognises: archive::recognises,
    read: archive::read,
    read_files: None,
};

/// Returns the anchor file in a folder of Score-P, if there is one.
pub(super) fn anchor(folder: &Path) -> Option<PathBuf> {
    Some(folder.join("traces.otf2")).filter(|file| file.is_file())
}
