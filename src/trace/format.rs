//! The formats of traces: recognition, reading and writing.
//!
//! A format is a folder or a file of this module, and a line of [`FORMATS`]. Files are recognised by their content,
//! never by their name; names select only the format of the output.

use std::io;
use std::path::{Path, PathBuf};

use super::error::{TraceError, TraceErrorKind as Kind};
use super::options::Options;
use super::source::{Budget, Source};
use super::write::Writer;
use super::{SideFile, Trace, allprof, compact, dumpi, foreign, goal, otf2, recording, ti};

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

/// Returns the format of a file with these first bytes.
pub(super) fn recognise(head: &[u8]) -> &'static Format {
    let last = FORMATS.len() - 1;
    FORMATS[..last].iter().find(|format| (format.recognises)(head)).unwrap_or(&FORMATS[last])
}

/// Reads a trace from a file, a list of files, the folder of a recording or of Score-P, or standard input (`-`), in any
/// of the formats.
///
/// The name of the trace is that of the file without its folder and extensions, and its side file is `NAME.toml` in the
/// same folder.
///
/// # Errors
/// [`TraceError`] with the place in the file.
///
/// ```no_run
/// let trace = mopsim::trace::read("lu.A.64.it10.mtrace".as_ref(), &mopsim::trace::Options::default())?;
/// println!("{} ranks, {} actions", trace.ranks(), trace.total_actions());
/// # Ok::<(), mopsim::trace::TraceError>(())
/// ```
pub fn read(path: &Path, options: &Options) -> Result<Trace, TraceError> {
    if path.as_os_str() == "-" {
        let source = Source::stream(Path::new("standard input"), io::stdin())?;
        return read_source(source, "stdin", options, false);
    }
    let name = name_of(path);
    // A folder is read through its first file.
    let first = if path.is_dir() { recording::first_file(path).or_else(|| otf2::anchor(path)) } else { None };
    let file = first.as_deref().unwrap_or(path);
    expect(options, [file]);
    let mut trace = read_source(Source::open_counted(file, &options.steps)?, &name, options, true)?;
    trace.side = SideFile::read(&SideFile::beside(path))?;
    Ok(trace)
}

/// Adds the bytes of files to the expected steps. A file without a known size adds nothing; the error follows when it
/// is opened.
pub(super) fn expect<'f>(options: &Options, files: impl IntoIterator<Item = &'f Path>) {
    let size = |file: &Path| std::fs::metadata(file).map_or(0, |data| data.len());
    options.steps.expect(files.into_iter().map(size).sum());
}

/// Reads a trace, or a list of files, from a stream. `name` replaces the file in messages and is the name of the trace.
///
/// # Errors
/// [`TraceError`] with the place in the stream.
pub fn read_from(reader: impl io::Read + Send, name: &str, options: &Options) -> Result<Trace, TraceError> {
    read_source(Source::stream(Path::new(name), reader)?, name, options, false)
}

fn read_source(mut source: Source<'_>, name: &str, options: &Options, is_file: bool) -> Result<Trace, TraceError> {
    if options.ranks.is_some_and(|ranks| ranks > MOST_RANKS) {
        return Err(TraceError::whole(source.file(), Kind::TooManyRanks { limit: MOST_RANKS }));
    }
    let budget = &mut options.budget();
    let head = source.head(budget)?;
    if head.get(257..262) == Some(b"ustar") {
        return Err(TraceError::whole(source.file(), Kind::Unsupported { format: "tar" }));
    }
    // It would be treated as the first name of a list.
    if [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"].iter().any(|mark| head.starts_with(mark)) {
        return Err(TraceError::whole(source.file(), Kind::ByteOrderMark));
    }
    if let Some((kind, help)) = foreign::named(head) {
        let kind = Kind::Foreign { kind, help };
        return Err(TraceError::whole(source.file(), kind));
    }
    let format = recognise(head);
    (format.read)(Input { source, budget, name, options, is_file })
}

/// Reads the file of one rank from memory, in a format with one file per rank (`DUMPI`, `liballprof`, `recording`), as
/// a trace of one rank: for fuzzing, which has no files.
///
/// # Errors
/// [`TraceError`] as for a file.
///
/// # Panics
/// If there is no such format.
#[doc(hidden)]
pub fn read_rank(format: &str, bytes: &[u8], options: &Options) -> Result<Trace, TraceError> {
    match format {
        "DUMPI" => dumpi::read_alone(bytes, options),
        "recording" => recording::read_alone(bytes, options),
        "liballprof" => allprof::read_alone(bytes, options),
        other => panic!("{other} has no file for each rank"),
    }
}

/// Returns a name without such an extension, in capital or small letters, if it has one.
pub(super) fn without_end<'n>(name: &'n str, end: &str) -> Option<&'n str> {
    let (stem, found) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
    found.eq_ignore_ascii_case(end).then_some(stem)
}

/// Returns the name of a trace: that of its file without folder and all extensions.
pub(super) fn name_of(path: &Path) -> String {
    const PACKINGS: [&str; 4] = [".gz", ".xz", ".zst", ".zstd"];
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut name = file.as_str();
    let extensions = || FORMATS.iter().flat_map(|format| format.extensions).chain(&PACKINGS);
    while let Some(shorter) = extensions().find_map(|extension| without_end(name, extension))
        && !shorter.is_empty()
    {
        name = shorter;
    }
    name.to_owned()
}
