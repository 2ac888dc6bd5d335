//! Errors of traces, each with the information needed to fix it.

use crate::printable::{counted, one_line};
use crate::user_error::UserError;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::{CommunicatorProblem, Datatype};

/// An error in a trace file, with its place.
///
/// `Display` is one line (`file:line:column: what is wrong: text`); [`help`](TraceError::help) returns the remedy.
#[derive(Debug)]
pub struct TraceError {
    /// Path of the file, or `standard input`.
    pub file: PathBuf,
    /// Line, from 1; `None` if the error concerns the file as a whole.
    pub line: Option<u64>,
    /// Column in bytes, from 1.
    pub column: Option<u32>,
    /// The offending text, shortened; empty if there is none.
    pub text: String,
    /// The broken rule.
    pub kind: TraceErrorKind,
}

/// A rule that a trace breaks.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceErrorKind {
    /// The operating system refused to open the file.
    #[error("the file cannot be opened: {0}")]
    Open(#[source] io::Error),
    /// The operating system refused to read the file.
    #[error("the file cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The path is a folder of no kind that is read.
    #[error("this is a folder, and neither a recording of `mopsim record` nor an OTF2 archive")]
    Folder,
    /// A file that a list names cannot be opened.
    #[error("the file was taken for a list of trace files, and the file that this line names cannot be opened: {0}")]
    OpenListed(#[source] io::Error),
    /// A compressed file is truncated, modified, or followed by something else.
    #[error("the {format} data are damaged, cut off, or followed by something else: {error}")]
    Damaged {
        /// Name of the compression.
        format: &'static str,
        /// Error of the decoder.
        #[source]
        error: io::Error,
    },
    /// The compression of the file is not supported.
    #[error("the file is packed with {format}, which is not read")]
    Unsupported {
        /// Name of the compression.
        format: &'static str,
    },
    /// The file is of another kind, recognised by its first bytes.
    #[error("{problem}")]
    Foreign {
        /// Kind of the file, and the formats that are read.
        problem: Box<str>,
        /// Remedy, in one line.
        help: &'static str,
    },
    /// The compressed files unpack to more text than allowed.
    #[error("the compressed trace unpacks to more than {limit} bytes")]
    UnpacksTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A compressed file unpacks to far more text than any real trace of its size.
    #[error("the {format} data unpack to more than {ratio} times their size")]
    UnpacksSuspiciously {
        /// Name of the compression.
        format: &'static str,
        /// The largest allowed ratio.
        ratio: u64,
    },
    /// The file contains bytes that never occur in text.
    #[error("this is not text")]
    NotText,
    /// The file has no meaningful line.
    #[error("the trace is empty")]
    Empty,
    /// The text starts with the byte order mark of an editor.
    #[error("the file begins with a byte order mark, which no trace has")]
    ByteOrderMark,
    /// The last line has no line end.
    #[error("the last line has no line end, so the file seems to be cut off")]
    CutOff,
    /// A line is longer than the limit.
    #[error("the line is longer than {limit} bytes")]
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The first word of a line is not a rank number.
    #[error("a line begins with its rank, a plain decimal number")]
    NotARank,
    /// A rank number is not below the number of ranks.
    #[error("the {role} must be below the number of ranks, {ranks}")]
    RankOutOfRange {
        /// Role of the number: `rank`, `destination`, `root`...
        role: &'static str,
        /// Number of ranks.
        ranks: usize,
    },
    /// The trace contains its number of ranks, which is not the one that was given.
    #[error("the trace has {}, not {given}", counted(*.ranks as u64, "rank"))]
    OtherRanks {
        /// Number of ranks of the trace.
        ranks: usize,
        /// Number given.
        given: usize,
    },
    /// More ranks than supported.
    #[error("a trace has at most {limit} ranks")]
    TooManyRanks {
        /// The largest number of ranks.
        limit: usize,
    },
    /// A rank has no actions.
    #[error("rank {rank} of {ranks} has no line{}", foreign_lines(*.foreign))]
    RankWithoutLines {
        /// Rank without lines.
        rank: usize,
        /// Number of ranks.
        ranks: usize,
        /// Lines of other ranks in this rank's own file.
        foreign: u64,
    },
    /// A line contains only a rank.
    #[error("the line names no action")]
    NoAction,
    /// No action has that name.
    #[error("the action is unknown")]
    UnknownAction {
        /// The most similar valid name.
        nearest: Option<&'static str>,
    },
    /// An argument of an action is invalid.
    #[error("the {argument} of {action} {problem}")]
    Argument {
        /// Name of the action.
        action: &'static str,
        /// Name of the argument.
        argument: &'static str,
        /// Description of the error.
        problem: ArgumentProblem,
    },
    /// An allgatherv has neither the arguments of the form with displacements nor of the one without.
    #[error("allgatherv has {given} arguments after its counts, which fits no form of it for {}", counted(*.ranks as u64, "rank"))]
    Displacements {
        /// Arguments after the counts.
        given: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// A collective with a count per rank has too many arguments.
    #[error("{action} has more arguments than it takes with {}, from here on", counted(*.ranks as u64, "rank"))]
    SurplusArguments {
        /// Name of the action.
        action: &'static str,
        /// Number of ranks.
        ranks: usize,
    },
    /// An `init` contradicts the default datatype of earlier lines.
    #[error("this init makes {} the default datatype, but {earlier} was read with {}", .now.name(), .before.name())]
    MixedInit {
        /// The line that determined the default: `file:line`.
        earlier: String,
        /// The default since then.
        before: Datatype,
        /// The default that this line requests.
        now: Datatype,
    },
    /// A side table has more entries than its index can number.
    #[error("the trace has more than {} different {table}", u32::MAX)]
    TableFull {
        /// Content of the table.
        table: &'static str,
    },
    /// A communicator is invalid, or is used where it is not allowed.
    #[error("{0}")]
    Communicator(CommunicatorProblem),
    /// A line of SMPI's tracer cannot be replayed.
    #[error("{problem}")]
    Smpi {
        /// Description of the error.
        problem: Box<str>,
        /// Remedy, in one line.
        help: &'static str,
    },
    /// A list names fewer files than there are ranks.
    #[error("the list names {files} files, for {ranks} ranks")]
    ListTooShort {
        /// Files named.
        files: usize,
        /// Ranks requested.
        ranks: usize,
    },
    /// A list names a file outside its folder, or one that is not a regular file.
    #[error("the list names a file {reason}")]
    Outside {
        /// Reason for the refusal.
        reason: &'static str,
    },
    /// A file breaks a rule of its format.
    #[error("{}: {}", .0.format, .0.problem)]
    Format(Box<FormatError>),
    /// A call cannot be expressed by actions.
    #[error("{}: {}", .0.format, .0.problem)]
    Inexpressible(Box<FormatError>),
    /// The side file is invalid.
    #[error("the side file of the trace, NAME.toml, is wrong: {0}")]
    Side(String),
}

/// An error in a format that has no specific error kinds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Name of the format.
    pub format: &'static str,
    /// Position in bytes, from 0, in a file without lines; in the unpacked data if it is compressed.
    pub byte: Option<u64>,
    /// Description of the error.
    pub problem: String,
    /// Remedy, in one line.
    pub help: &'static str,
}

impl TraceErrorKind {
    /// Creates the error for a file that breaks a rule of its format.
    pub(super) fn format(format: &'static str, problem: impl Into<String>, help: &'static str) -> Self {
        Self::Format(Box::new(FormatError { format, byte: None, problem: problem.into(), help }))
    }

    /// Creates the error for a call that actions cannot express.
    pub(super) fn inexpressible(format: &'static str, call: &str, reason: &str) -> Self {
        let problem = format!("{call} cannot be replayed: {reason}");
        let help = "`mopsim trace convert --leave-out` writes a trace without such calls, and counts them";
        Self::Inexpressible(Box::new(FormatError { format, byte: None, problem, help }))
    }
}

/// An error in an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ArgumentProblem {
    /// It is missing.
    #[error("is missing")]
    Missing,
    /// It is not a number.
    #[error("is not a number")]
    NotANumber,
    /// It is not a plain decimal integer.
    #[error("is not a decimal integer")]
    NotAnInteger,
    /// It is below zero.
    #[error("is negative")]
    Negative,
    /// It does not fit a signed 32-bit integer.
    #[error("is above {}", i32::MAX)]
    TooLarge,
    /// It is not a finite number.
    #[error("is not finite")]
    NotFinite,
    /// No datatype has that id.
    #[error("is not the id of a datatype")]
    UnknownDatatype,
}

/// Remedy for one of several files of a trace.
const LIST: &str = "if each rank has a file of its own, write a list of these files, one per line in the order of ranks \
                    (`ls -v FOLDER/* > list.txt`), and give the list; of DUMPI and liballprof, give the file of the first rank";

fn foreign_lines(foreign: u64) -> String {
    match foreign {
        0 => String::new(),
        1 => "; the only line of its file belongs to another rank".to_owned(),
        n => format!("; the {n} lines of its file belong to other ranks"),
    }
}

impl TraceError {
    /// Creates an error that concerns a file as a whole.
    pub(super) fn whole(file: impl Into<PathBuf>, kind: TraceErrorKind) -> TraceError {
        TraceError { file: file.into(), line: None, column: None, text: String::new(), kind }
    }

    /// Adds the position in bytes, if the kind of error has one.
    pub(super) fn at_byte(mut self, byte: u64) -> TraceError {
        if let TraceErrorKind::Format(error) | TraceErrorKind::Inexpressible(error) = &mut self.kind {
            error.byte = Some(byte);
        }
        self
    }

    /// Adds the position of an event of an archive that a library reads.
    pub(super) fn at_event(mut self, location: u64, timestamp: u64) -> TraceError {
        if let TraceErrorKind::Format(error) | TraceErrorKind::Inexpressible(error) = &mut self.kind {
            error.problem.insert_str(0, &format!("location {location} at {timestamp}: "));
        }
        self
    }

    /// Returns the position in bytes, from 0, in a file without lines; in the unpacked data if it is compressed.
    pub fn byte(&self) -> Option<u64> {
        match &self.kind {
            TraceErrorKind::Format(error) | TraceErrorKind::Inexpressible(error) => error.byte,
            _ => None,
        }
    }
}

impl UserError for TraceError {
    fn help(&self) -> String {
        use TraceErrorKind as K;
        match &self.kind {
            K::Open(_) | K::Read(_) => "check the path and its permissions".into(),
            K::OpenListed(_) => {
                "paths are relative to the current folder, then to the folder of the list; text of no known format whose first \
                 line is not `RANK ACTION ...` is taken for a list. docs/what-loads.md lists what is read: time-independent text, \
                 GOAL, DUMPI, OTF2, liballprof, recordings and .mtrace"
                    .into()
            }
            K::Folder => format!("give a file in it; {LIST}"),
            K::Damaged { .. } => "fetch or pack the file again; nothing of it was used".into(),
            K::Unsupported { format: "tar" } => {
                "unpack it with `tar -xf`, and give the folder, or the file of the first rank".into()
            }
            K::Unsupported { .. } => "unpack it, or pack it with xz, zstd or gzip".into(),
            K::UnpacksTooLarge { .. } => {
                "raise the limit (--max-unpacked-bytes) if the trace is really that large".into()
            }
            K::UnpacksSuspiciously { .. } => {
                "traces of real programs unpack to some tens of times their size; if this one is right, unpack it first or set --max-unpacked-bytes"
                    .into()
            }
            K::NotText => "give a time-independent trace in text form, plain or packed with xz, zstd or gzip".into(),
            K::ByteOrderMark => "save the file as plain text (UTF-8 without a mark)".into(),
            K::Empty => {
                "give a trace with actions: in time-independent text, lines of the form `RANK ACTION ...`".into()
            }
            K::CutOff => {
                "record or copy the trace again; if the line is complete, add a newline to the file (a line is taken \
                 without one only where nothing of it can be missing, such as `0 finalize`)"
                    .into()
            }
            K::LineTooLong { .. } => "check that this is a trace; a line holds one action".into(),
            K::NotARank => {
                "write the line as `RANK ACTION ...` with a rank from 0, without sign or leading zeros".into()
            }
            K::OtherRanks { .. } => {
                "leave the number of ranks out; `mopsim trace cut --ranks` takes some of the ranks of a trace".into()
            }
            K::RankOutOfRange { role: "rank", .. } => {
                "give the number of ranks that the trace was recorded with".into()
            }
            K::RankOutOfRange { ranks: 1, .. } => format!("the file has actions of one rank; {LIST}"),
            K::RankOutOfRange { .. } => "ranks count from 0; check that the number of ranks is the one that the trace \
                 was recorded with, and that the trace is complete"
                .into(),
            K::TooManyRanks { .. } => "check the rank numbers of the trace".into(),
            K::RankWithoutLines { .. } => {
                "check that the trace is complete and that its number of ranks is right".into()
            }
            K::NoAction => "write the line as `RANK ACTION ...`".into(),
            K::UnknownAction { nearest: Some(nearest) } => {
                format!("did you mean `{nearest}`? Names are case sensitive")
            }
            K::UnknownAction { nearest: None } => {
                "actions are named after MPI functions, in lower case and without `MPI_`, such \
                                                   as `isend` or `allreduce`; only `sendRecv` has a capital"
                    .into()
            }
            K::Argument { problem, argument, .. } => problem.help(argument),
            K::Displacements { ranks: 1, .. } | K::SurplusArguments { ranks: 1, .. } => {
                format!("the file has actions of one rank; {LIST}")
            }
            K::Displacements { ranks, .. } => {
                format!("after the counts come at most two datatypes, {ranks} displacements, or both")
            }
            K::SurplusArguments { .. } => {
                "check that every vector has one count for each rank, and that the number of ranks is right".into()
            }
            K::MixedInit { .. } => {
                "give either every init an argument or none; the default is one for all ranks".into()
            }
            K::TableFull { .. } => "split the trace".into(),
            K::Communicator(problem) => problem.help().into(),
            K::Foreign { help, .. } | K::Smpi { help, .. } => (*help).into(),
            K::ListTooShort { .. } => "name one file for each rank, or give the right number of ranks".into(),
            K::Outside { .. } => {
                "a list may only name files of its own folder, unless --files-anywhere marks it as trusted".into()
            }
            K::Format(error) | K::Inexpressible(error) => error.help.into(),
            K::Side(_) => "a file NAME.toml beside a trace NAME.* is read as its description (title, operations, ...); mend it, or \
                           rename it if it is something else, such as a model file"
                .into(),
        }
    }

    fn is_io(&self) -> bool {
        use TraceErrorKind as K;
        matches!(self.kind, K::Open(_) | K::Read(_) | K::Folder | K::OpenListed(_))
    }
}

impl ArgumentProblem {
    fn help(self, argument: &str) -> String {
        match (self, argument) {
            (Self::Missing, _) => "add the missing argument; the line may be cut off".into(),
            (Self::Negative, "source" | "destination") => {
                "a receive from any source has to be recorded with the source that it got".into()
            }
            (Self::Negative, "tag") => "a receive of any tag has to be recorded with the tag that it got".into(),
            (Self::Negative, "capacity") => "only -1, for a receive of unknown size, is allowed".into(),
            (Self::Negative, _) => "give zero or more".into(),
            (Self::TooLarge, "tag") => "use smaller tags".into(),
            (Self::TooLarge, _) if argument.starts_with("number") => "give a smaller number".into(),
            (Self::TooLarge, _) => "use a larger datatype, or split the operation".into(),
            (Self::UnknownDatatype, _) => "ids are 0 to 57 and 59; -1 is the null type".into(),
            (Self::NotAnInteger, _) => "write it with digits only".into(),
            (Self::NotANumber | Self::NotFinite, _) => "write a decimal number, such as 1500 or 1.5e+06".into(),
        }
    }
}

impl std::fmt::Display for TraceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:", one_line(self.file.to_string_lossy()))?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if let Some(column) = self.column {
            write!(f, "{column}:")?;
        }
        if let Some(byte) = self.byte() {
            write!(f, " byte {byte}:")?;
        }
        write!(f, " {}", self.kind)?;
        if !self.text.is_empty() {
            write!(f, ": `{}`", self.text)?;
        }
        Ok(())
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.kind)
    }
}
