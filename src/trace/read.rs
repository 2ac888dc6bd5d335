//! Reads a trace, in any of the formats: files are recognised by their content.

use std::io;
use std::path::Path;

use super::TraceWarning;
use super::error::{TraceError, TraceErrorKind as Kind};
use super::event_trace::Trace;
use super::format::{Input, MOST_RANKS, expect, name_of, recognise};
use super::formats::FORMATS;
use super::options::Options;
use super::side::SideFile;
use super::source::Source;
use super::{allprof, dumpi, foreign, otf2, recording};
use crate::printable::{number, one_line};

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
    let name = one_line(name_of(path, FORMATS));
    // A folder is read through its first file.
    let first = if path.is_dir() {
        let first = recording::first_file(path).or_else(|| otf2::anchor(path));
        Some(first.ok_or_else(|| TraceError::whole(path, Kind::Folder))?)
    } else {
        None
    };
    let file = first.as_deref().unwrap_or(path);
    expect(options, [file]);
    let mut trace = read_source(Source::open_counted(file, &options.steps)?, &name, options, true)?;
    let beside = SideFile::beside(path);
    trace.side = SideFile::read(&beside)?;
    let of_side = trace.side.as_ref().and_then(|side| side.measured_seconds);
    if let Some((told, own)) = of_side.zip(trace.recorded_seconds).filter(|(told, own)| (told / own - 1.0).abs() > 1e-3)
    {
        let text = format!(
            "measured_seconds is {}, and the recording itself took {} s: the former is used. If the side file is of an earlier \
             recording, remove it",
            number(told),
            number(own)
        );
        trace.warnings.push(TraceWarning::Noted { file: beside, text });
    }
    Ok(trace)
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
        let formats = FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
        let problem = format!("this is {kind}, and no trace of a format that is read ({formats})").into();
        let kind = Kind::Foreign { problem, help };
        return Err(TraceError::whole(source.file(), kind));
    }
    let format = recognise(head, FORMATS);
    let file = source.file().to_path_buf();
    let trace = (format.read)(Input { source, budget, name, options, is_file, formats: FORMATS })?;
    // A time-independent trace has as many ranks as were given, or was refused; others know their number.
    match options.ranks.filter(|&given| given > 0 && given != trace.ranks()) {
        Some(given) => Err(TraceError::whole(file, Kind::OtherRanks { ranks: trace.ranks(), given })),
        None => Ok(trace),
    }
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
