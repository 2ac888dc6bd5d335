//! Where a trace was read from.

use std::fmt;
use std::path::PathBuf;

/// Where the actions of a trace were read from.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Origin {
    /// From no file that could be read again: generated, or from a stream.
    #[default]
    None,
    /// One time-independent trace with the lines of all ranks.
    TiMerged(PathBuf),
    /// A time-independent trace for each rank.
    TiPerRank(Vec<PathBuf>),
}

/// The line that an action was read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// Its text, shortened.
    pub text: String,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.text)
    }
}

/// Something that a reader ignored. It may be harmless, but the user has to know.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TraceWarning {
    /// The file of one rank has lines that begin with something else than that rank.
    ForeignLines {
        /// The file.
        file: PathBuf,
        /// The rank whose file it is.
        rank: u32,
        /// The first such line.
        first_line: u64,
        /// Number of such lines.
        lines: u64,
    },
    /// A list names more files than there are ranks.
    UnusedFiles {
        /// The list.
        list: PathBuf,
        /// Files that were not read.
        files: usize,
    },
}

impl fmt::Display for TraceWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceWarning::ForeignLines { file, rank, first_line, lines } => write!(
                f,
                "{}:{first_line}: {lines} lines that do not begin with {rank}, the rank of this file, were ignored; \
                 this is the first",
                file.display()
            ),
            TraceWarning::UnusedFiles { list, files } => {
                write!(f, "{}: the last {files} files of the list were not read: there are fewer ranks", list.display())
            }
        }
    }
}
