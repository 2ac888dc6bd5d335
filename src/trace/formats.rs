//! All formats of traces, and the format for the name of a file.
//!
//! A format is a folder of this module, and a line of [`FORMATS`].

use std::path::{Path, PathBuf};

use super::format::{Format, name_of};
use super::packing::{Packing, without_end};
use super::side::SideFile;
use super::write::Writer;
use super::{allprof, compact, dumpi, goal, otf2, recording, ti};

/// All formats. The last one accepts files that no other recognises.
pub static FORMATS: &[&Format] = &[
    &compact::FORMAT,
    &recording::FORMAT,
    &dumpi::FORMAT,
    &otf2::TEXT,
    &otf2::ARCHIVE,
    &goal::BINARY,
    &goal::TEXT,
    &allprof::FORMAT,
    &ti::FORMAT,
];

/// Returns the format of a file of that name: time-independent text, unless the name has the extension of another one.
/// That may be one that is only read.
pub fn format_for(file: &Path) -> &'static Format {
    let (_, stem) = Packing::split(file);
    // The longest extension decides: `.goal.bin` is another format than `.bin`.
    let ends = FORMATS.iter().flat_map(|format| format.extensions.iter().map(move |end| (*format, end)));
    let named = ends.filter(|(_, end)| without_end(&stem, end).is_some()).max_by_key(|(_, end)| end.len());
    named.map_or(&ti::FORMAT, |(format, _)| format)
}

/// Returns the writer for a file of that name: time-independent text, unless the name has the extension of another
/// format that can be written.
pub fn writer_for(file: &Path) -> &'static dyn Writer {
    format_for(file).writer.unwrap_or(&ti::Text)
}

impl SideFile {
    /// Returns the path of a trace's side file: in its folder, with its name without extensions.
    pub fn beside(trace: &Path) -> PathBuf {
        trace.with_file_name(format!("{}.toml", name_of(trace, FORMATS)))
    }
}
