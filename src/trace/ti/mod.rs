//! Time-independent (TI) traces, the text format of SimGrid's trace replay.
//!
//! A line is `RANK ACTION ARGUMENTS...`; one action of one rank, in the order in which the rank performs them. The
//! input is one of:
//!
//! - a *merged* trace with the lines of all ranks, in any interleaving;
//! - a *list*, as for SimGrid's `-replay`: the path of one merged trace, or one path per rank, line by line. Paths are
//!   relative to the current directory, and if there is no such file, to the folder of the list. They have to be in
//!   that folder or below, unless [`Options::files_anywhere`] is set; for a list from a stream it is the current
//!   directory;
//! - `-`, standard input, with either of them.
//!
//! A file is a trace if its first line that is neither blank nor a comment begins with digits and a word of letters and
//! underscores; otherwise it is a list. All files may be compressed with xz, zstd or gzip, also in several parts; this
//! is recognised by their first bytes, not by their names.
//!
//! The actions and their arguments, those in brackets optional; `P` represents one number per rank:
//!
//! ```text
//! init [any]                  finalize                     comm_size  comm_split  comm_dup
//! compute FLOPS               sleep SECONDS                location FILE LINE
//! send  isend   TO TAG COUNT [TYPE]                        wait  test  SOURCE DESTINATION TAG
//! recv  irecv   FROM TAG COUNT [TYPE]                      waitall
//! sendRecv      COUNT TO COUNT FROM TYPE TYPE              barrier
//! bcast         COUNT [ROOT [TYPE]]                        reduce  COUNT FLOPS [ROOT [TYPE]]
//! allreduce  scan  exscan   COUNT FLOPS [TYPE]             reducescatter  P FLOPS [TYPE]
//! alltoall   allgather      COUNT COUNT [TYPE [TYPE]]      alltoallv  SIZE P SIZE P [TYPE [TYPE]]
//! gather     scatter        COUNT COUNT [ROOT [TYPE [TYPE]]]
//! gatherv    COUNT P [ROOT [TYPE [TYPE]]]                  scatterv   P COUNT [ROOT [TYPE [TYPE]]]
//! allgatherv COUNT P [TYPE [TYPE]]                         allgatherv COUNT P [TYPE TYPE] DISPLACEMENTS
//! ```
//!
//! An extension of the format, which other tools refuse as unknown actions:
//!
//! ```text
//! communicator NUMBER MEMBER...            declares one, without being an action; members are ranks of the world
//! on NUMBER ACTION ARGUMENTS...            a collective, or what is below `put`, on a communicator
//! ibarrier ... ireducescatter  REQUEST ARGUMENTS...    a collective that does not block
//! wait_request  test_request   REQUEST
//! pick              NTH                    the next wait or test is for that open request of its triple, and not for 0, the oldest
//! put  accumulate   TO COUNT [TYPE]        get  FROM COUNT [TYPE]
//! fence                                    flush [TO]
//! probe  iprobe     FROM TAG
//! ```
//!
//! On a communicator, `P` is one number per member, and a root is a member number. Communicators are numbered from 1; 0
//! is that of all ranks. A declaration precedes the first use, and may be repeated. A window of one-sided communication
//! is a communicator (all ranks, without `on`); its partners are world ranks. `waitall` also waits for collectives.
//!
//! Counts are in elements of the type; the default type has one byte, or is a double if `init` has an argument. A
//! receive of -1 elements takes a message of any size.
//!
//! Non-blocking collectives need all arguments: without a leading request they are those of SMPI's tracer. Lines that
//! the tracer writes and SimGrid's replay does not know are described in `smpi.rs`.
//!
//! The reader is stricter than SimGrid: it refuses lines that SimGrid drops silently (a last line without line end that
//! may be cut off, ranks with leading zeros) or misreads (`1e6` in a vector of counts). Like SimGrid, it ignores
//! arguments after the known ones, except in collectives with a count per rank, and lines of other ranks in a rank's
//! own file; the latter cause a [warning](super::TraceWarning).

mod arguments;
mod builder;
mod canonical;
mod collectives;
mod communicators;
mod keyword;
mod line;
mod list;
mod locate;
mod number;
mod pending;
mod refused;
mod smpi;
#[cfg(test)]
mod tests;
mod write;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::builder::TraceBuilder;
use self::list::{Content, Home, ListedPath, PathList};
use super::blocks::Blocks;
use super::error::{TraceError, TraceErrorKind as Kind};
use super::event_trace::Trace;
use super::format::{self, Files, Format, Input};
use super::origin::{Origin, TraceWarning};
use super::source::{Budget, Source};
use super::write::{WriteError, Writer};
use crate::steps::Steps;

pub use self::write::write;
pub(crate) use self::write::{text, write_as};
pub use super::options::Options;
pub use super::read::{read, read_from};

/// The time-independent text format.
pub(super) static FORMAT: Format = Format {
    name: "time-independent trace",
    extensions: &[".ti", ".txt"],
    writer: Some(&Text),
    recognises: |_| true,
    read: read_input,
    read_files: None,
};

fn read_input(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { source, budget, name, options, is_file, formats } = input;
    let file = source.file().to_path_buf();
    let ranks = options.ranks.filter(|&ranks| ranks > 0);
    let mut builder = TraceBuilder::new(ranks, options.store());
    let mut list = PathList::default();
    let mut content = None;
    builder.start(&file, None);
    Blocks::new(source).each(budget, |block| {
        content = content.or_else(|| list::content(block.text));
        // Blocks without a meaningful line are valid for both.
        if content != Some(Content::List) {
            builder.block(block)?;
        }
        if content != Some(Content::Trace) {
            list.block(&file, block)?;
        }
        Ok(())
    })?;
    if content == Some(Content::List) {
        let folder = if is_file { file.parent() } else { None };
        return read_list(&file, folder, &list.entries, name, options, budget, formats);
    }
    let mut trace = builder.finish(name.to_owned())?;
    if is_file {
        trace.origin = Origin::TiMerged(file);
    }
    Ok(trace)
}

/// Reads the files of a list: one merged trace, or one trace per rank.
fn read_list(
    list: &Path,
    folder: Option<&Path>,
    entries: &[ListedPath],
    name: &str,
    options: &Options,
    budget: &mut Budget,
    formats: &'static [&'static Format],
) -> Result<Trace, TraceError> {
    let merged = entries.len() == 1;
    let ranks = options.ranks.filter(|&ranks| ranks > 0);
    let ranks = if merged { ranks } else { Some(ranks.unwrap_or(entries.len())) };
    let used = if merged { 1 } else { ranks.unwrap_or(1) };
    if entries.len() < used {
        return Err(TraceError::whole(list, Kind::ListTooShort { files: entries.len(), ranks: used }));
    }
    let mut builder = TraceBuilder::new(ranks, options.store());
    if entries.len() > used {
        let unused = TraceWarning::UnusedFiles { list: list.into(), files: entries.len() - used };
        builder.warnings.push(unused);
    }
    let home = Home::of(folder, options.files_anywhere);
    for (rank, entry) in entries[..used].iter().enumerate() {
        let open =
            |path: PathBuf| Source::open_counted(&path, &options.steps).map_err(|error| listed(list, entry, error));
        let mut source = open(home.path(list, entry)?)?;
        let format = format::recognise(source.head(budget)?, formats);
        if rank == 0 && !std::ptr::eq(format, &raw const FORMAT) {
            return read_others(format, formats, source, list, &home, &entries[..used], name, options, budget);
        }
        if rank == 0 {
            let all: Vec<PathBuf> = entries[..used].iter().filter_map(|entry| home.path(list, entry).ok()).collect();
            format::expect(options, all.iter().map(PathBuf::as_path));
        }
        builder.start(source.file(), (!merged).then_some(rank as u32));
        Blocks::new(source).each(budget, |block| builder.block(block))?;
        builder.end_own()?;
    }
    let files = builder.files.clone();
    let mut trace = builder.finish(name.to_owned())?;
    trace.origin = match files.as_slice() {
        [file] if merged => Origin::TiMerged(file.clone()),
        _ => Origin::TiPerRank(files),
    };
    Ok(trace)
}

/// Reads the files of a list whose first one is of another format.
#[allow(clippy::too_many_arguments)]
fn read_others(
    format: &'static Format,
    formats: &'static [&'static Format],
    source: Source<'_>,
    list: &Path,
    home: &Home,
    entries: &[ListedPath],
    name: &str,
    options: &Options,
    budget: &mut Budget,
) -> Result<Trace, TraceError> {
    if let Some(read_files) = format.read_files {
        let files: Vec<PathBuf> = entries.iter().map(|entry| home.path(list, entry)).collect::<Result<_, _>>()?;
        return read_files(Files { list, files: &files, budget, name, options });
    }
    match entries {
        [_] => (format.read)(Input { source, budget, name, options, is_file: true, formats }),
        [_, second, ..] => Err(TraceError {
            line: Some(second.line),
            ..TraceError::whole(
                list,
                Kind::format(
                    format.name,
                    format!("a trace is one file, and the list names {}", entries.len()),
                    "give the file itself",
                ),
            )
        }),
        [] => Err(TraceError::whole(list, Kind::Empty)),
    }
}

/// Attributes the error of a file that cannot be opened to the list that names it.
fn listed(list: &Path, entry: &ListedPath, error: TraceError) -> TraceError {
    match error.kind {
        Kind::Open(reason) => entry.error(list, Kind::OpenListed(reason)),
        _ => error,
    }
}

/// Writer of time-independent text.
#[derive(Debug)]
pub struct Text;

impl Writer for Text {
    fn head(&self, _: usize, _: &[String], _: &mut dyn Write) -> Result<(), WriteError> {
        Ok(())
    }

    fn part(&self, part: &Trace, first: usize, _: usize, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
        // Through a separate buffer: each line is several small pieces.
        let mut buffered = io::BufWriter::with_capacity(1 << 16, out);
        write_as(part, first, &mut buffered, steps)?;
        Ok(buffered.flush()?)
    }

    fn tail(&self, _: usize, _: u64, _: &mut dyn Write) -> Result<(), WriteError> {
        Ok(())
    }

    fn needs_actions(&self) -> bool {
        true
    }
}
