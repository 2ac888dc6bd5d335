//! Time-independent (TI) traces, the text format of SimGrid's trace replay.
//!
//! A line is `RANK ACTION ARGUMENTS...`; one action of one rank, in the order in which the rank performs them. What
//! [`read`] takes is one of:
//!
//! - a *merged* trace with the lines of all ranks, in any interleaving;
//! - a *list*, as SimGrid's `-replay` takes: the path of one merged trace, or one path for each rank, line by line. Paths
//!   count from the current directory, and if that gives no file, from the folder of the list;
//! - `-`, standard input, with either of them.
//!
//! A file is a trace if its first line that is neither blank nor a comment begins with digits and a word of letters and
//! underscores; otherwise it is a list. All files may be packed with xz, zstd or gzip, also in several parts; that is
//! found out by their first bytes, not by their names.
//!
//! The actions and their arguments, those in brackets optional; `P` stands for one number for each rank:
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
//! Counts are in elements of the type; the default type has one byte, or is a double if `init` has an argument. A receive
//! of -1 elements takes a message of any size.
//!
//! The reader is stricter than SimGrid: it refuses what SimGrid loses without a word (a last line without line end, ranks
//! with leading zeros) or misreads (`1e6` in a vector of counts). It ignores, as SimGrid does, arguments behind those it
//! knows, except in collectives with a count for each rank, and lines of other ranks in a rank's own file; the latter
//! leave a [warning](super::TraceWarning).

mod arguments;
mod builder;
mod canonical;
mod collectives;
mod keyword;
mod list;
mod locate;
mod number;
mod pending;
mod source;
#[cfg(test)]
mod tests;
mod write;

use std::io::{self, Read};
use std::path::Path;

use self::builder::{Builder, MOST_RANKS};
use self::list::{Content, Entry, List};
use self::source::{Blocks, Budget};
use super::error::{TraceError, TraceErrorKind as Kind, shorten};
use super::{Origin, SideFile, Trace, TraceWarning};

pub use self::write::write;
pub(crate) use self::write::{text, write_as};

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of ranks. Without it (or with 0), it is that of the list's lines, or the largest rank of a merged trace
    /// plus one.
    pub ranks: Option<usize>,
    /// Most bytes that compressed files may give, all files of the trace together: a guard against archives made to
    /// exhaust the reader.
    pub max_unpacked_bytes: u64,
    /// Most times its size that a compressed file may give once it has given 32 MiB: a guard that ends archives made to
    /// exhaust the reader before they have. Real traces give up to 40 times their size.
    pub max_unpacking_ratio: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { ranks: None, max_unpacked_bytes: 8 << 30, max_unpacking_ratio: 1000 }
    }
}

/// Reads a trace from a file, a list of files, or standard input (`-`).
///
/// The name of the trace is that of the file without its folder and extensions, and its side file is `NAME.toml` in the
/// same folder.
///
/// ```no_run
/// use mopsim::trace::ti;
///
/// let trace = ti::read("lu.A.64.it10.ti.zst".as_ref(), &ti::Options::default())?;
/// println!("{} ranks, {} actions", trace.ranks(), trace.total_actions());
/// # Ok::<(), mopsim::trace::TraceError>(())
/// ```
pub fn read(path: &Path, options: &Options) -> Result<Trace, TraceError> {
    if path.as_os_str() == "-" {
        let blocks = Blocks::stream(Path::new("standard input"), io::stdin())?;
        return read_blocks(blocks, "stdin", options, false);
    }
    let name = name_of(path);
    let mut trace = read_blocks(Blocks::open(path)?, &name, options, true)?;
    trace.side = SideFile::read(&path.with_file_name(format!("{name}.toml")))?;
    Ok(trace)
}

/// Reads a trace, or a list of files, from a stream. `name` stands for the file in messages and names the trace.
pub fn read_from(reader: impl Read + Send, name: &str, options: &Options) -> Result<Trace, TraceError> {
    read_blocks(Blocks::stream(Path::new(name), reader)?, name, options, false)
}

fn read_blocks(blocks: Blocks<'_>, name: &str, options: &Options, again: bool) -> Result<Trace, TraceError> {
    let mut budget = Budget::new(options.max_unpacked_bytes, options.max_unpacking_ratio);
    let file = blocks.file().to_path_buf();
    let ranks = options.ranks.filter(|&ranks| ranks > 0);
    if ranks.is_some_and(|ranks| ranks > MOST_RANKS) {
        return Err(TraceError::whole(file, Kind::TooManyRanks { limit: MOST_RANKS }));
    }
    let mut builder = Builder::new(ranks);
    let mut list = List::default();
    let mut content = None;
    builder.start(&file, None);
    blocks.each(&mut budget, |block| {
        content = content.or_else(|| list::content(block.text));
        // Blocks without a meaningful line count for both.
        if content != Some(Content::List) {
            builder.block(block)?;
        }
        if content != Some(Content::Trace) {
            list.block(&file, block)?;
        }
        Ok(())
    })?;
    if content == Some(Content::List) {
        return read_list(&file, &list.entries, name, ranks, &mut budget);
    }
    let mut trace = builder.finish(name.to_owned())?;
    if again {
        trace.origin = Origin::TiMerged(file);
    }
    Ok(trace)
}

/// Reads the files of a list: one merged trace, or one trace for each rank.
fn read_list(
    list: &Path,
    entries: &[Entry],
    name: &str,
    ranks: Option<usize>,
    budget: &mut Budget,
) -> Result<Trace, TraceError> {
    let merged = entries.len() == 1;
    let ranks = if merged { ranks } else { Some(ranks.unwrap_or(entries.len())) };
    let used = if merged { 1 } else { ranks.unwrap_or(1) };
    if entries.len() < used {
        return Err(TraceError::whole(list, Kind::ListTooShort { files: entries.len(), ranks: used }));
    }
    let mut builder = Builder::new(ranks);
    if entries.len() > used {
        let unused = TraceWarning::UnusedFiles { list: list.into(), files: entries.len() - used };
        builder.warnings.push(unused);
    }
    for (rank, entry) in entries[..used].iter().enumerate() {
        let blocks = Blocks::open(&entry.resolve(list)).map_err(|error| listed(list, entry, error))?;
        builder.start(blocks.file(), (!merged).then_some(rank as u32));
        blocks.each(budget, |block| builder.block(block))?;
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

/// A file that cannot be opened is a matter of the list that names it.
fn listed(list: &Path, entry: &Entry, error: TraceError) -> TraceError {
    match error.kind {
        Kind::Open(reason) => TraceError {
            line: Some(entry.line),
            text: shorten(entry.path.as_os_str().as_encoded_bytes()),
            ..TraceError::whole(list, Kind::OpenListed(reason))
        },
        _ => error,
    }
}

/// The name of a trace: that of its file without folder and extensions, of which there may be several.
fn name_of(path: &Path) -> String {
    const EXTENSIONS: [&str; 6] = [".ti", ".gz", ".xz", ".zst", ".zstd", ".txt"];
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut name = file.as_str();
    while let Some(shorter) = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(extension))
        && !shorter.is_empty()
    {
        name = shorter;
    }
    name.to_owned()
}
