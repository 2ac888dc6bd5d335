//! The folder of a recording, with a file per rank, some of which may be damaged or missing.

use std::fs::read_dir;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::stream::RecordStream;
use crate::trace::Options;
use crate::trace::source::Source;

/// Returns the file of a rank in the folder of a recording.
pub fn file_of(folder: &Path, rank: usize) -> PathBuf {
    folder.join(format!("rank-{rank:06}.mrec"))
}

/// Returns `true` if a file of that name in the folder of a recording is that of a rank.
pub fn is_file_of_rank(name: &str) -> bool {
    digits_of(name).is_some()
}

/// Returns the digits of the rank in the name of its file.
fn digits_of(name: &str) -> Option<&str> {
    let digits = name.strip_prefix("rank-")?.strip_suffix(".mrec")?;
    (digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// Returns the file through which a folder is read, if it is that of a recording: that of the first rank, unless it is
/// missing or damaged.
pub(in crate::trace) fn first_file(folder: &Path) -> Option<PathBuf> {
    let first = ["", ".zst", ".gz", ".xz"].iter().find_map(|packing| {
        let mut file = file_of(folder, 0).into_os_string();
        file.push(packing);
        Some(PathBuf::from(file)).filter(|file| file.is_file())
    });
    let is_usable = |file: &PathBuf| {
        let is_whole = |ranks| is_number_of_files(folder, ranks);
        *file != file_of(folder, 0) || number_of_ranks(file).is_some_and(is_whole)
    };
    first.clone().filter(is_usable).or_else(|| most_agreed(folder)).or(first)
}

/// Returns `true` if the folder has the files of `ranks` ranks, and no more.
fn is_number_of_files(folder: &Path, ranks: u32) -> bool {
    file_of(folder, ranks as usize - 1).is_file() && !file_of(folder, ranks as usize).exists()
}

/// Returns the file of the lowest rank that has the number of ranks which most of the files have; of two numbers, the
/// one with as many files.
fn most_agreed(folder: &Path) -> Option<PathBuf> {
    let names = read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<PathBuf> = names.filter(|name| is_file_of_rank(name)).map(|name| folder.join(name)).collect();
    files.sort();
    let told: Vec<(u32, PathBuf)> =
        files.into_iter().filter_map(|file| Some((number_of_ranks(&file)?, file))).collect();
    let mut votes = FxHashMap::<u32, usize>::default();
    told.iter().for_each(|(ranks, _)| *votes.entry(*ranks).or_default() += 1);
    let agreed = votes.into_iter().max_by_key(|&(ranks, votes)| (votes, is_number_of_files(folder, ranks), ranks));
    let (agreed, _) = agreed?;
    told.into_iter().find(|(ranks, _)| *ranks == agreed).map(|(_, file)| file)
}

/// Returns the number of ranks in the header of a file; `None` if it is not that of a recording, or that of another rank
/// than the one in the file's name.
pub(super) fn number_of_ranks(file: &Path) -> Option<u32> {
    // A pipe of that name would block.
    if !file.is_file() {
        return None;
    }
    let budget = &mut Options::default().budget();
    let (_, header) = RecordStream::open(Source::open(file).ok()?, budget).ok()?;
    let rank: Option<u32> = file.file_name().and_then(|name| digits_of(name.to_str()?)?.parse().ok());
    rank.is_none_or(|rank| rank == header.rank).then_some(header.ranks)
}
