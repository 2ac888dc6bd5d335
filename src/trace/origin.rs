//! Origin of a trace.

use crate::printable::counted;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Files or program from which the actions of a trace come.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Origin {
    /// None that could be read again: a stream, or another trace.
    #[default]
    None,
    /// One time-independent trace with the lines of all ranks.
    TiMerged(PathBuf),
    /// A time-independent trace per rank.
    TiPerRank(Vec<PathBuf>),
    /// A program that can run again.
    Program(Locator),
}

/// Finds the places of actions in the program that generated a trace.
pub trait Locate: fmt::Debug + Send + Sync {
    /// Returns the line of the call that recorded an action of a rank; `None` if there is none.
    fn locate(&self, rank: usize, index: usize) -> Option<SourceLine>;
}

/// A shared [`Locate`]; equal only to itself.
#[derive(Clone, Debug)]
pub struct Locator(pub Arc<dyn Locate>);

impl PartialEq for Locator {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Locator {}

/// Source line of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// Path of the file.
    pub file: PathBuf,
    /// Line number, from 1.
    pub line: u64,
    /// Text of the line, shortened.
    pub text: String,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.text)
    }
}

/// A warning of a reader. It may be harmless, but is reported to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TraceWarning {
    /// The file of one rank has lines that begin with another word than that rank.
    ForeignLines {
        /// Path of the file.
        file: PathBuf,
        /// The rank whose file it is.
        rank: u32,
        /// Number of the first such line.
        first_line: u64,
        /// Number of such lines.
        lines: u64,
    },
    /// Calls that actions cannot express exactly.
    Approximated {
        /// Treatment of the calls.
        effect: Effect,
        /// The calls, and how they are replayed or the reason why not.
        what: String,
        /// Number of calls, of all ranks together.
        count: u64,
        /// Rank of the first one.
        rank: u32,
        /// Place of the first call: `file:line`, or `file, byte 17`.
        place: String,
    },
    /// A remark about the trace as a whole for readers of reports.
    Noted {
        /// Path of the file.
        file: PathBuf,
        /// Text of the remark.
        text: String,
    },
    /// The program made calls that the recorder left out.
    NotRecorded {
        /// Path of the file.
        file: PathBuf,
        /// Calls of each kind of which some are missing, most missing first.
        calls: Vec<Gap>,
        /// Number of calls in the trace and missing ones together, if the recorder counted them.
        made: u64,
        /// Number of ranks with gaps, and of all ranks.
        ranks: (u64, u64),
        /// Treatment of the gaps in a replay.
        replayed: &'static str,
    },
    /// The recorder was off for a while, so calls of an unknown number are missing.
    Paused {
        /// Path of the file.
        file: PathBuf,
        /// Number of times that it was switched off, on all ranks together.
        count: u64,
        /// Duration, and the treatment in a replay.
        text: String,
    },
    /// A list names more files than there are ranks.
    UnusedFiles {
        /// Path of the list.
        list: PathBuf,
        /// Number of files that were not read.
        files: usize,
    },
}

/// Calls of a kind that a recorder left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Gap {
    /// Name of the call, as in `MPI_Isend`.
    pub call: String,
    /// Number of calls that the program made, on all ranks together.
    pub made: u64,
    /// Number of these that are not in the trace.
    pub missing: u64,
}

/// Treatment of a call that actions cannot express.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// A similar action is replayed.
    Approximated,
    /// It is not replayed.
    LeftOut,
}

impl Effect {
    /// Returns the effect in words.
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
                let calls = counted(*count, "call");
                write!(f, "{calls} {}: {what}; {first} on rank {rank}, {place}", effect.name())
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
