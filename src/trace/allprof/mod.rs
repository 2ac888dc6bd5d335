//! Traces of liballprof, the recorder of LogGOPSim: a text file per rank, a line per call.
//!
//! A line is the name of the call, its start time, its arguments and its end time, separated by colons, with times in
//! microseconds: `MPI_Send:100:94:10:9,4,4:1:7:1140850688,0,2:105`. A type is followed by its size and extent, a
//! communicator by the own rank and the number of ranks, and a vector of counts by its entries. The layout follows the
//! public sources (liballprof/gencode.py). Requests and statuses are addresses: the source of a receive from any
//! source, and the requests that a test or a waitany has found, are not recorded.
//!
//! The input is the file of the first rank, with the others in its folder (`NAME-0.txt`, `NAME-1.txt`...), or a list.

mod calls;
#[cfg(test)]
pub(super) mod tests;

use std::path::{Path, PathBuf};

use self::calls::RankReader;
use super::blocks::Blocks;
use super::calls::Program;
use super::error::{TraceError, TraceErrorKind as Kind};
use super::format::{self, Files, Format, Input, MOST_RANKS};
use super::source::{Budget, Source};
use super::{Options, Trace};

/// Titles of files: that of liballprof, and that of collprof, its name until 2009.
const TITLES: [&[u8]; 2] = [b"# htor's PMPI Tracer", b"# collprof "];

/// Format liballprof.
pub(super) static FORMAT: Format = Format {
    name: "liballprof",
    extensions: &["-0.txt"],
    writer: None,
    recognises: |head| TITLES.iter().any(|title| head.trim_ascii_start().starts_with(title)),
    read,
    read_files: Some(read_files),
};

fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { source, budget, name, options, is_file, .. } = input;
    let file = source.file().to_path_buf();
    drop(source);
    let found = if is_file { siblings(&file) } else { None };
    let Some(files) = found else {
        let problem = "the files of all ranks are needed, and this is not the first of them".to_owned();
        let help = "give the file of rank 0, such as NAME-0.txt, or a list of the files of all ranks";
        return Err(TraceError::whole(file, Kind::format("liballprof", problem, help)));
    };
    read_files(Files { list: &file, files: &files, budget, name, options })
}

/// Returns the files of all ranks. Their names count up from the last number in the name of the first, with the same
/// number of digits.
fn siblings(first: &Path) -> Option<Vec<PathBuf>> {
    let name = first.file_name()?.to_str()?;
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    if name[start..end].bytes().any(|digit| digit != b'0') {
        return None;
    }
    let width = end - start;
    let file = |rank: usize| first.with_file_name(format!("{}{rank:0width$}{}", &name[..start], &name[end..]));
    Some((0..MOST_RANKS).map(file).take_while(|file| file.is_file()).collect())
}

fn read_files(Files { list, files, budget, name, options }: Files<'_, '_>) -> Result<Trace, TraceError> {
    let mut program = Program::new("liballprof", options, files.len());
    format::expect(options, files.iter().map(PathBuf::as_path));
    for (rank, file) in (0..).zip(files) {
        read_rank(&mut program, rank, Source::open_counted(file, &options.steps)?, budget)?;
    }
    program.finish(name, list)
}

fn read_rank(program: &mut Program<'_>, rank: u32, source: Source<'_>, budget: &mut Budget) -> Result<(), TraceError> {
    let file = source.file().to_path_buf();
    let mut reader = RankReader::new(program, rank, file.clone());
    Blocks::new(source).each_line(budget, |number, line| reader.line(number, line))?;
    Ok(())
}

/// Reads the file of one rank from memory, as a trace of one rank: for tests and fuzzing, which have no files.
pub(super) fn read_alone(bytes: &[u8], options: &Options) -> Result<Trace, TraceError> {
    let (file, budget) = (Path::new("alone-0.txt"), &mut options.budget());
    let mut program = Program::new("liballprof", options, 1);
    read_rank(&mut program, 0, Source::stream(file, bytes)?, budget)?;
    program.finish("alone", file)
}
