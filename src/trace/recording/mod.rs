//! Recordings of `mopsim record`: a folder with a binary file per rank, see docs/reference/recording-format.md.
//!
//! The input is the folder, the file of the first rank with the others in its folder, or a list. Each file is read
//! once, one piece at a time. A recording that ends early (the program crashed, or was killed) is replayed up to that
//! point, as a partial recording.

mod collectives;
mod folder;
mod layout;
mod one_sided;
mod rank;
mod requests;
mod stream;
mod summary;
#[cfg(test)]
mod tests;
mod thread_calls;
#[cfg(test)]
mod thread_tests;
mod threads;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::folder::number_of_ranks;
use self::rank::Ended;
use self::stream::{CPU_TIME, MAGIC, NAME, NO_ROOM, RecordStream, RecordingHeader};
use super::calls::{FilePosition, Program, located};
use super::error::{TraceError, TraceErrorKind as Kind};
use super::format::{self, Files, Format, Input, MOST_RANKS};
use super::source::Source;
use super::{Options, Trace};
use crate::printable::one_line;

pub(super) use self::folder::first_file;
pub use self::folder::{file_of, is_file_of_rank};
pub use summary::{RecordedHost, RecordedRank, Summary, is_slept, summary};

/// Largest number of ranks of a file that is read without the others.
const MOST_ALONE: u32 = 64;

/// Largest number of damaged ranks that are described one by one.
const MOST_DAMAGED: usize = 8;

/// The format of recordings.
pub(super) static FORMAT: Format = Format {
    name: NAME,
    extensions: &[".mrec"],
    writer: None,
    recognises: |head| head.starts_with(&MAGIC),
    read,
    read_files: Some(read_files),
};

fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { source, budget, name, options, is_file, formats } = input;
    let file = source.file().to_path_buf();
    let problem = |problem: String, help: &'static str| TraceError::whole(&*file, Kind::format(NAME, problem, help));
    if !is_file {
        let text = "the files of all ranks are needed, and this is a stream".to_owned();
        return Err(problem(text, "give the folder of the recording, or a list of its files"));
    }
    let (_, header) = RecordStream::open(source, budget)?;
    let files = match siblings(&file, &header) {
        Some(files) if header.rank == 0 || number_of_ranks(&files[0]) != Some(header.ranks) => files,
        _ => {
            let text = "this is not the file of the first rank, rank-000000.mrec".to_owned();
            return Err(problem(text, "give the folder of the recording, or a list of its files"));
        }
    };
    if let Some(missing) = files.iter().find(|file| !options.readable_ranks && !file.is_file()) {
        let text = format!("{} ranks were recorded, and {} is not there", header.ranks, missing.display());
        return Err(problem(
            text,
            "copy all files of the recording; those of other hosts may still be there. `mopsim trace info` describes the ranks \
             that are there, and `mopsim trace cut --ranks` keeps some of them",
        ));
    }
    // The name is that of the folder.
    let folder = file.parent().and_then(Path::file_name).map(Path::new);
    let name = match folder {
        Some(folder) if name.starts_with("rank-") => &one_line(format::name_of(folder, formats)),
        _ => name,
    };
    read_files(Files { list: &file, files: &files, budget, name, options })
}

/// Returns the files of all ranks, next to that of one of them.
fn siblings(first: &Path, header: &RecordingHeader) -> Option<Vec<PathBuf>> {
    let name = first.file_name()?.to_str()?;
    let (prefix, rest) = name.split_once(&format!("{:06}", header.rank))?;
    Some(
        (0..header.ranks.min(MOST_RANKS as u32 + 1))
            .map(|rank| first.with_file_name(format!("{prefix}{rank:06}{rest}")))
            .collect(),
    )
}

fn read_files(Files { list, files, budget, name, options }: Files<'_, '_>) -> Result<Trace, TraceError> {
    if files.len() > MOST_RANKS {
        return Err(TraceError::whole(list, Kind::TooManyRanks { limit: MOST_RANKS }));
    }
    let mut program = Program::new(NAME, options, files.len());
    let mut about = About::default();
    let mut together = Vec::new();
    format::expect(options, files.iter().map(PathBuf::as_path));
    for (rank, file) in (0..).zip(files) {
        let opened = Source::open_counted(file, &options.steps)
            .and_then(|source| RecordStream::open(source, budget))
            .and_then(|opened| expect_rank(file, &opened.1, rank, files.len()).map(|()| opened));
        let (mut stream, header) = match opened {
            Ok(opened) => opened,
            Err(error) if options.readable_ranks => {
                about.damaged.push((rank, error));
                about.files.push(file.clone());
                continue;
            }
            Err(error) => return Err(error),
        };
        let (ended, threads) = rank::read(&mut program, rank, &header, &mut stream)?;
        about.rank(file, header, ended);
        together.push((rank, threads));
    }
    threads::weave(&mut program, together);
    let ends_early = about.is_window(options);
    about.remarks(&mut program);
    if ends_early { program.finish_window(name, list) } else { program.finish(name, list) }
}

/// Checks that a file is that of `rank` in a recording of `ranks` ranks.
fn expect_rank(file: &Path, header: &RecordingHeader, rank: u32, ranks: usize) -> Result<(), TraceError> {
    if (header.rank, header.ranks as usize) == (rank, ranks) {
        return Ok(());
    }
    let help = "give the files of all ranks of one recording, in their order";
    let problem = format!("this is rank {} of {}, where rank {rank} of {ranks} is to be", header.rank, header.ranks);
    Err(located(file, FilePosition::Byte(12), Kind::format(NAME, problem, help)))
}

/// Returns an error without the name of its file, for a remark that begins with it.
fn without_file(error: &TraceError) -> String {
    let text = error.to_string();
    let name = format!("{}: ", error.file.display());
    text.strip_prefix(&name).unwrap_or(&text).to_owned()
}

/// Facts about a recording as a whole for readers of results.
#[derive(Default)]
struct About {
    files: Vec<PathBuf>,
    /// Ranks whose recording ends early: rank, byte, code of MPI_Abort.
    early: Vec<(usize, u64, Option<i64>)>,
    /// Ranks whose file is missing or damaged, with the error.
    damaged: Vec<(u32, TraceError)>,
    /// Number of these whose recording ran out of space.
    no_room: usize,
    /// Number of ranks and of processors of each host.
    hosts: BTreeMap<String, (u32, u32)>,
    overlapped: u64,
    /// `true` if the files contain starts of calls: those of the first version do not.
    tells_begins: bool,
}

impl About {
    fn rank(&mut self, file: &Path, header: RecordingHeader, ended: Ended) {
        self.tells_begins = header.version > 1;
        self.no_room += usize::from(header.flags & NO_ROOM != 0);
        let host = self.hosts.entry(header.host).or_insert((0, header.processors));
        host.0 += u32::from(header.flags & CPU_TIME == 0);
        match ended {
            Ended::Whole { overlapped } => self.overlapped += overlapped,
            Ended::Early { byte, abort } => self.early.push((self.files.len(), byte, abort)),
            Ended::Damaged(error) => self.damaged.push((self.files.len() as u32, *error)),
        }
        self.files.push(file.to_path_buf());
    }

    /// Returns `true` if what not all ranks have recorded is left out. Together with damaged ranks, none of the
    /// collectives would be left; a part of the other ranks has them.
    fn is_window(&self, options: &Options) -> bool {
        let all = self.early.len() == self.files.len();
        !self.early.is_empty() && self.damaged.is_empty() && (all || !options.readable_ranks)
    }

    fn remarks(self, program: &mut Program<'_>) {
        let ranks = self.files.len();
        for (rank, error) in self.damaged.iter().take(MOST_DAMAGED) {
            let text = format!("rank {rank} has no actions from the damage on: {}", without_file(error));
            program.remark(&self.files[*rank as usize], text);
        }
        if let Some((rank, _)) = self.damaged.get(MOST_DAMAGED) {
            let more = self.damaged.len() - MOST_DAMAGED;
            let text = format!("{more} more ranks have no actions from a damage on");
            program.remark(&self.files[*rank as usize], text);
        }
        // The rank that has aborted the others is more informative than the first of them.
        let aborted = self.early.iter().find(|(_, _, abort)| abort.is_some());
        if let Some(&(rank, byte, abort)) = aborted.or(self.early.first()) {
            let how = match abort {
                Some(code) => format!("on rank {rank} at byte {byte} by MPI_Abort with {code}"),
                None => format!(
                    "first on rank {rank} at byte {byte} (the program ended without MPI_Finalize, nothing more could be written, or the file is cut off)"
                ),
            };
            let (early, no_room) = (self.early.len(), self.no_room);
            let why = match no_room {
                0 => String::new(),
                _ => format!(
                    ", {no_room} of them because the disk was full, or a limit of the size of files was reached"
                ),
            };
            let text =
                format!("the recording ends early on {early} of {ranks} ranks{why}, {how}; replayed as a window");
            program.remark(&self.files[rank], text);
        }
        if self.overlapped > 0 {
            let how = if self.tells_begins {
                "replayed as one thread, which starts what they start where they began, and waits where they returned"
            } else {
                "calls of threads are replayed one after the other, as they ended, and may wait for each other then; record it again with this version"
            };
            let text = format!("{} calls began while another thread was in one: {how}", self.overlapped);
            program.remark(&self.files[0], text);
        }
        if let Some((host, (ranks, processors))) =
            self.hosts.iter().find(|(_, (ranks, cpus))| ranks > cpus && *cpus > 0)
        {
            let text = format!(
                "{ranks} ranks were recorded on the {processors} processors of {host}: times of computation have waiting for a \
                 processor in them (`mopsim record --cpu-time` leaves it out)"
            );
            program.remark(&self.files[0], text);
        }
    }
}

/// Reads the file of one rank from memory, without the others: for tests and fuzzing, which have no files.
pub(super) fn read_alone(bytes: &[u8], options: &Options) -> Result<Trace, TraceError> {
    let (file, budget) = (Path::new("alone.mrec"), &mut options.budget());
    let (mut stream, header) = RecordStream::open(Source::stream(file, bytes)?, budget)?;
    if header.ranks > MOST_ALONE {
        return Err(TraceError::whole(file, Kind::TooManyRanks { limit: MOST_ALONE as usize }));
    }
    let mut program = Program::new(NAME, options, header.ranks as usize);
    let (_, threads) = rank::read(&mut program, header.rank, &header, &mut stream)?;
    threads::weave(&mut program, vec![(header.rank, threads)]);
    program.finish("alone", file)
}
