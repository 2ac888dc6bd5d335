//! A format of traces: its names, its reader and its writer. `formats.rs` has the table of all.
//!
//! Files are recognised by their content, never by their name; names select only the format of the output.

use std::path::{Path, PathBuf};

use super::error::TraceError;
use super::event_trace::Trace;
use super::options::Options;
use super::packing::without_end;
use super::source::{Budget, Source};
use super::write::Writer;

/// Largest number of ranks: it bounds the allocation caused by a file with a wrong number.
pub(super) const MOST_RANKS: usize = 1 << 22;

/// A format of traces.
pub struct Format {
    /// Name in messages.
    pub name: &'static str,
    /// Usual extensions of its files; the first one is used for output.
    pub extensions: &'static [&'static str],
    /// Writer of the format, if there is one.
    pub writer: Option<&'static dyn Writer>,
    /// Returns `true` if a file with these first bytes has this format.
    pub(super) recognises: fn(&[u8]) -> bool,
    /// Reads a file.
    pub(super) read: fn(Input<'_, '_>) -> Result<Trace, TraceError>,
    /// Reads a trace with one file per rank.
    pub(super) read_files: Option<fn(Files<'_, '_>) -> Result<Trace, TraceError>>,
}

/// A file to read.
pub(super) struct Input<'r, 'o> {
    /// Bytes of the file.
    pub source: Source<'r>,
    /// Limit of unpacked bytes.
    pub budget: &'o mut Budget,
    /// Name of the trace.
    pub name: &'o str,
    /// Options for reading.
    pub options: &'o Options,
    /// `true` if it is a file that can be read again, and that may have others in its folder.
    pub is_file: bool,
    /// All formats, for files that this one names.
    pub formats: &'static [&'static Format],
}

/// One file per rank, in order.
pub(super) struct Files<'f, 'o> {
    /// The file that lists them.
    pub list: &'f Path,
    /// Paths of the files.
    pub files: &'f [PathBuf],
    /// Limit of unpacked bytes.
    pub budget: &'o mut Budget,
    /// Name of the trace.
    pub name: &'o str,
    /// Options for reading.
    pub options: &'o Options,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Returns the format of a file with these first bytes: the last one if no other recognises it.
pub(super) fn recognise(head: &[u8], formats: &'static [&'static Format]) -> &'static Format {
    let (last, others) = formats.split_last().expect("there are formats");
    others.iter().find(|format| (format.recognises)(head)).unwrap_or(last)
}

/// Adds the bytes of files to the expected steps. A file without a known size adds nothing; the error follows when it
/// is opened.
pub(super) fn expect<'f>(options: &Options, files: impl IntoIterator<Item = &'f Path>) {
    let size = |file: &Path| std::fs::metadata(file).map_or(0, |data| data.len());
    options.steps.expect(files.into_iter().map(size).sum());
}

/// Returns the name of a trace: that of its file without folder and all extensions.
pub(super) fn name_of(path: &Path, formats: &[&Format]) -> String {
    const PACKINGS: [&str; 4] = [".gz", ".xz", ".zst", ".zstd"];
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut name = file.as_str();
    let extensions = || formats.iter().flat_map(|format| format.extensions).chain(&PACKINGS);
    while let Some(shorter) = extensions().find_map(|extension| without_end(name, extension))
        && !shorter.is_empty()
    {
        name = shorter;
    }
    name.to_owned()
}
