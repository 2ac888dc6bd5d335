//! DUMPI traces, as recorded by the SST tools: a binary file of calls per rank.
//!
//! The input is the file with the description of a run (`NAME.meta`), the file of the first rank (`NAME-0000.bin`) with
//! the others in its folder, or a list of all of them. The layout follows the public description and sources of
//! sst-dumpi; where these contradict each other, the sources. Each file is read twice, one piece at a time: its end has
//! the version and the sizes of types, without which the calls cannot be decoded.

mod comms;
mod layout;
mod one_sided;
mod rank;
mod splits;
mod stream;
mod tail;
#[cfg(test)]
pub(super) mod tests;
mod types;

use std::path::{Path, PathBuf};

use self::comms::Comms;
use self::layout::{CALLS, MAGIC};
use self::stream::CallStream;
use self::tail::Tail;
use super::calls::{CallRequest, FilePosition, Program};
use super::error::{TraceError, TraceErrorKind as Kind};
use super::format::{self, Files, Format, Input, MOST_RANKS};
use super::source::Source;
use super::{Gap, MemberList, Options, Trace};

/// The DUMPI format.
pub(super) static FORMAT: Format = Format {
    name: "DUMPI",
    extensions: &["-0000.bin", ".bin", ".meta"],
    writer: None,
    recognises: |head| (head.len() >= 4 && head.starts_with(&MAGIC[..4])) || is_meta(head),
    read,
    read_files: Some(read_files),
};

/// Returns `true` if this is the description of a run.
fn is_meta(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.lines().any(|line| line.starts_with("numprocs=")) && text.lines().any(|line| line.starts_with("fileprefix="))
}

fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { mut source, budget, name, options, is_file, .. } = input;
    let file = source.file().to_path_buf();
    let problem = |problem: String, help: &'static str| TraceError::whole(&*file, Kind::format("DUMPI", problem, help));
    if !is_file {
        let text = "the files of all ranks are needed, and this is a stream".to_owned();
        return Err(problem(text, "give NAME.meta, NAME-0000.bin or a list of files"));
    }
    let head = source.head(budget)?;
    let (first, ranks) = if is_meta(head) {
        let text = String::from_utf8_lossy(head).into_owned();
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        let ranks = value("numprocs=").and_then(|n| n.parse::<usize>().ok()).filter(|n| (1..=MOST_RANKS).contains(n));
        let Some(ranks) = ranks else {
            return Err(problem("numprocs is no number of ranks".to_owned(), "give the file of the first rank"));
        };
        // The folder is that of the description: it may have been moved since.
        let prefix = value("fileprefix=").unwrap_or_default();
        let prefix = Path::new(prefix).file_name().unwrap_or_default().to_string_lossy().into_owned();
        (file.with_file_name(format!("{prefix}-0000.bin")), Some(ranks))
    } else {
        (file.clone(), None)
    };
    drop(source);
    let files = siblings(&first, ranks).map_err(|text| problem(text, "give a list of the files of all ranks"))?;
    read_files(Files { list: &file, files: &files, budget, name, options })
}

/// Returns the files of all ranks, next to that of the first one: `NAME-0000.bin`, `NAME-0001.bin`...
fn siblings(first: &Path, ranks: Option<usize>) -> Result<Vec<PathBuf>, String> {
    let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, packing) = match name.find(".bin") {
        Some(at) => name.split_at(at),
        None => return Err("its name does not end in -0000.bin".to_owned()),
    };
    let Some((prefix, number)) = stem.rsplit_once('-') else {
        return Err("its name does not end in -0000.bin".to_owned());
    };
    if number.is_empty() || !number.bytes().all(|digit| digit == b'0') {
        return Err("it is not the file of the first rank, NAME-0000.bin".to_owned());
    }
    let width = number.len();
    let file = |rank: usize| first.with_file_name(format!("{prefix}-{rank:0width$}{packing}"));
    let files: Vec<PathBuf> = match ranks {
        Some(ranks) => (0..ranks).map(file).collect(),
        None => (0..MOST_RANKS).map(file).take_while(|file| file.exists()).collect(),
    };
    Ok(files)
}

fn read_files(Files { list, files, budget, name, options }: Files<'_, '_>) -> Result<Trace, TraceError> {
    let mut program = Program::new("DUMPI", options, files.len());
    let mut gaps = vec![Gap::default(); CALLS.len()];
    let (mut partial_ranks, mut total) = (0, 0);
    // Every file is read three times: its end, its communicators, its calls.
    (0..3).for_each(|_| format::expect(options, files.iter().map(PathBuf::as_path)));
    let open = |file: &PathBuf| Source::open_counted(file, &options.steps);
    let tails = files.iter().map(|file| tail::read(open(file)?, budget)).collect::<Result<Vec<Tail>, TraceError>>()?;
    let world: MemberList = (0..files.len() as u32).collect();
    let splits = splits::read(&world, &tails, |rank| open(&files[rank]), budget)?;
    for (((rank, file), tail), told) in (0..).zip(files).zip(&tails).zip(splits) {
        let mut stream = CallStream::calls(open(file)?, budget, tail)?;
        let comms = Comms::new(rank, world.clone(), told);
        let found = rank::read(&mut program, rank, tail, comms, &mut stream)?;
        let mut partial = false;
        for (((gap, (name, _)), &[made, _]), &found) in gaps.iter_mut().zip(CALLS).zip(&tail.made).zip(&found) {
            let missing = made.saturating_sub(found);
            *gap = Gap { call: format!("MPI_{name}"), made: gap.made + made, missing: gap.missing + missing };
            partial |= missing > 0;
            total += made;
        }
        partial_ranks += u64::from(partial);
        let open = program.ranks[rank as usize].requests.places(CallRequest::open);
        if let Some(&at) = open.first() {
            let reason = "its source is not recorded";
            let end = FilePosition::Byte(stream.position());
            for &at in &open {
                program.ranks[rank as usize].actions.set(at, super::Action::NoOperation);
            }
            let call = format!("a receive from any source (action {})", at + 1);
            program.inexpressible(&call, reason, rank, file, end)?;
        }
    }
    gaps.retain(|gap| gap.missing > 0);
    if gaps.is_empty() {
        return program.finish(name, list);
    }
    let replayed = "none of them is replayed, and the time between the recorded calls counts as computation";
    program.unrecorded(list, gaps, total, (partial_ranks, files.len() as u64), replayed);
    program.finish_window(name, list)
}

/// Reads the file of one rank from memory, as that of a trace of one rank: for tests and fuzzing, which have no files.
pub(super) fn read_alone(bytes: &[u8], options: &Options) -> Result<Trace, TraceError> {
    let (file, budget) = (Path::new("alone.bin"), &mut options.budget());
    let open = |_| Source::stream(file, bytes);
    let mut program = Program::new("DUMPI", options, 1);
    let tail = tail::read(open(0)?, budget)?;
    // Also as two ranks with the same calls: a single one never meets others.
    splits::read(&[0, 1].into(), &[tail.clone(), tail.clone()], open, budget)?;
    let world: MemberList = [0].into();
    let told = splits::read(&world, std::slice::from_ref(&tail), open, budget)?.pop().unwrap_or_default();
    let mut stream = CallStream::calls(open(0)?, budget, &tail)?;
    rank::read(&mut program, 0, &tail, Comms::new(0, world, told), &mut stream)?;
    program.finish("alone", file)
}
