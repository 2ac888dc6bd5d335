//! OTF2 traces, as Score-P and others record them: the archives themselves, or the text that `otf2-print -A` writes of
//! one.
//!
//! An archive is an anchor file and many others with a layout that only its library reads. So the library does it,
//! where mopsim is built with the feature `libotf2`; everywhere else its program prints all of it, and that text is
//! read line by line. Both give the same events in the same order, and become the same actions (`events.rs`).
//!
//! What an event is told of is what its region in the library did: sends and receives with their partners, collectives
//! with the bytes of each rank in all, not with its counts. So collectives whose ranks give different amounts are
//! replayed with the mean of them, which is noted.

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

use std::path::{Path, PathBuf};

use super::format::Format;

/// The format of the text.
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

/// The anchor file in a folder that Score-P has made, if there is one.
pub(super) fn anchor(folder: &Path) -> Option<PathBuf> {
    Some(folder.join("traces.otf2")).filter(|file| file.is_file())
}
