//! The formats of traces: how each is recognised, read and written.
//!
//! A format is a folder or a file beside this one, and a line of [`FORMATS`]. Files are recognised by their content,
//! never by their name; names decide only what is written.

use std::io;
use std::path::{Path, PathBuf};

use super::error::{TraceError, TraceErrorKind as Kind};
use super::options::Options;
use super::source::{Budget, Source};
use super::write::Writer;
use super::{SideFile, Trace, allprof, compact, dumpi, foreign, goal, otf2, recording, ti};

/// Largest number of ranks: it bounds what a file with a wrong number can make us allocate.
pub(super) const MOST_RANKS: usize = 1 << 22;

/// A format of traces.
pub struct Format {
    /// Its name in messages.
    pub name: &'static str,
    /// How its files usually end, the first one being the one that is written.
    pub extensions: &'static [&'static str],
    /// What writes it, if anything does.
    pub writer: Option<&'static dyn Writer>,
    /// Whether a file with these first bytes is one of it.
    pub(super) recognises: fn(&[u8]) -> bool,
    /// Reads a file.
    pub(super) read: fn(Input<'_, '_>) -> Result<Trace, TraceError>,
    /// Reads a trace that has a file for each rank.
    pub(super) read_files: Option<fn(Files<'_, '_>) -> Result<Trace, TraceError>>,
}

/// All formats. The last one takes what no other recognises.
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
    /// Its bytes.
    pub source: Source<'r>,
    /// What compressed files may give in all.
    pub budget: &'o mut Budget,
    /// Name of the trace.
    pub name: &'o str,
    /// How to read.
    pub options: &'o Options,
    /// Whether it is a file that can be read again, and that may have others beside it.
    pub is_file: bool,
}

/// A file for each rank, in their order.
pub(super) struct Files<'f, 'o> {
    /// The file that names them.
    pub list: &'f Path,
    /// The files.
    pub files: &'f [PathBuf],
    /// What compressed files may give in all.
    pub budget: &'o mut Budget,
    /// Name of the trace.
    pub name: &'o str,
    /// How to read.
    pub options: &'o Options,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The format of a file with these first bytes.
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
    // A folder is read by its first file.
    let first = if path.is_dir() { recording::first_file(path).or_else(|| otf2::anchor(path)) } else { None };
    let file = first.as_deref().unwrap_or(path);
    expect(options, [file]);
    let mut trace = read_source(Source::open_counted(file, &options.steps)?, &name, options, true)?;
    trace.side = SideFile::read(&SideFile::beside(path))?;
    Ok(trace)
}

/// Expects the bytes of files as steps. Of one that cannot be asked nothing is expected: opening it says why.
pub(super) fn expect<'f>(options: &Options, files: impl IntoIterator<Item = &'f Path>) {
    let size = |file: &Path| std::fs::metadata(file).map_or(0, |data| data.len());
    options.steps.expect(files.into_iter().map(size).sum());
}

/// Reads a trace, or a list of files, from a stream. `name` stands for the file in messages and names the trace.
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
    // It would be taken for the first name of a list.
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

/// Reads the file of one rank from memory, in a format that has a file for each (`DUMPI`, `liballprof`, `recording`),
/// as a trace of one rank: for fuzzing, which has no files.
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

/// A name without such an end, in capital or small letters, if it has one.
pub(super) fn without_end<'n>(name: &'n str, end: &str) -> Option<&'n str> {
    let (stem, found) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
    found.eq_ignore_ascii_case(end).then_some(stem)
}

/// The name of a trace: that of its file without folder and extensions, of which there may be several.
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
