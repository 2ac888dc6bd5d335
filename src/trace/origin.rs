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
    /// Calls that actions cannot express as they were.
    Approximated {
        /// What became of them.
        effect: Effect,
        /// Which calls, and how they are replayed or why not.
        what: String,
        /// How many, of all ranks together.
        count: u64,
        /// The rank of the first one.
        rank: u32,
        /// Where it stands: `file:line`, or `file, byte 17`.
        place: String,
    },
    /// Something about the trace as a whole that a reader of reports has to know.
    Noted {
        /// The file.
        file: PathBuf,
        /// The remark.
        text: String,
    },
    /// The program made calls that the recorder left out.
    NotRecorded {
        /// The file.
        file: PathBuf,
        /// Calls of each kind of which some are missing, most missing first.
        calls: Vec<Gap>,
        /// Calls in the trace and missing ones together, where the recorder counted them.
        made: u64,
        /// Ranks with gaps, and all ranks.
        ranks: (u64, u64),
        /// What a replay does in the gaps.
        replayed: &'static str,
    },
    /// The recorder was off for a while, so calls of an unknown number are missing.
    Paused {
        /// The file.
        file: PathBuf,
        /// Times that it was switched off, on all ranks together.
        count: u64,
        /// For how long, and what a replay does meanwhile.
        text: String,
    },
    /// A list names more files than there are ranks.
    UnusedFiles {
        /// The list.
        list: PathBuf,
        /// Files that were not read.
        files: usize,
    },
}

/// Calls of a kind that a recorder left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Gap {
    /// The call, as in `MPI_Isend`.
    pub call: String,
    /// Calls that the program made, on all ranks together.
    pub made: u64,
    /// How many of them are not in the trace.
    pub missing: u64,
}

/// What became of a call that actions cannot express.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// Something like it is replayed.
    Approximated,
    /// It is not replayed.
    LeftOut,
}

impl Effect {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Approximated => "approximated",
            Effect::LeftOut => "left out",
        }
    }
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
            TraceWarning::Approximated { effect, what, count, rank, place } => {
                let first = if *count == 1 { "it is" } else { "the first is" };
                write!(f, "{count} calls {}: {what}; {first} on rank {rank}, {place}", effect.name())
            }
            TraceWarning::Noted { file, text } | TraceWarning::Paused { file, text, .. } => {
                write!(f, "{}: {text}", file.display())
            }
            TraceWarning::NotRecorded { file, calls, made, ranks: (partial, ranks), replayed } => {
                let missing: u64 = calls.iter().map(|gap| gap.missing).sum();
                let recorded = made - missing;
                write!(
                    f,
                    "{}: {recorded} of {made} calls were recorded, with gaps on {partial} of {ranks} ranks; not recorded:",
                    file.display()
                )?;
                for (at, Gap { call, made, missing }) in calls.iter().enumerate() {
                    write!(f, "{} {missing} of {made} {call}", if at > 0 { "," } else { "" })?;
                }
                write!(f, "; {replayed}")
            }
            TraceWarning::UnusedFiles { list, files } => {
                write!(f, "{}: the last {files} files of the list were not read: there are fewer ranks", list.display())
            }
        }
    }
}
