//! What can be wrong with a trace, said so that the reader can mend it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::{CommunicatorProblem, Datatype};

/// An error in a trace file, with its place.
///
/// `Display` gives one line (`file:line:column: what is wrong: text`); [`help`](TraceError::help) says what to do.
#[derive(Debug)]
pub struct TraceError {
    /// The file, or `standard input`.
    pub file: PathBuf,
    /// Line, from 1; none where the error concerns the file as a whole.
    pub line: Option<u64>,
    /// Column in bytes, from 1.
    pub column: Option<u32>,
    /// The offending text, shortened; empty where there is none.
    pub text: String,
    /// The rule that is broken.
    pub kind: TraceErrorKind,
}

/// The rule that a trace breaks.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceErrorKind {
    /// The operating system refuses to open the file.
    #[error("the file cannot be opened: {0}")]
    Open(#[source] io::Error),
    /// The operating system refuses to read the file.
    #[error("the file cannot be read: {0}")]
    Read(#[source] io::Error),
    /// A file that a list names cannot be opened.
    #[error("the file named by this line of the list cannot be opened: {0}")]
    OpenListed(#[source] io::Error),
    /// A compressed file is cut off, changed, or followed by something else.
    #[error("the {format} data are damaged, cut off, or followed by something else: {error}")]
    Damaged {
        /// Name of the compression.
        format: &'static str,
        /// What the decoder says.
        #[source]
        error: io::Error,
    },
    /// The file is packed in a way that is not read.
    #[error("the file is packed with {format}, which is not read")]
    Unsupported {
        /// Name of the packing.
        format: &'static str,
    },
    /// The file is something else, which is known by its first bytes.
    #[error("this is {kind}, and no trace of a format that is read ({})", super::foreign::formats())]
    Foreign {
        /// What it is.
        kind: &'static str,
        /// What to do about it.
        help: &'static str,
    },
    /// The compressed files give more text than is allowed.
    #[error("the compressed trace unpacks to more than {limit} bytes")]
    UnpacksTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A compressed file gives far more text than any real trace of its size.
    #[error("the {format} data unpack to more than {ratio} times their size")]
    UnpacksSuspiciously {
        /// Name of the compression.
        format: &'static str,
        /// The largest ratio that is allowed.
        ratio: u64,
    },
    /// The file holds bytes that no text has.
    #[error("this is not text")]
    NotText,
    /// The file has no meaningful line.
    #[error("the trace is empty")]
    Empty,
    /// An editor has put the mark of an encoding in front of the text.
    #[error("the file begins with a byte order mark, which no trace has")]
    ByteOrderMark,
    /// The last line has no line end.
    #[error("the last line has no line end, so the file seems to be cut off")]
    CutOff,
    /// A line is longer than is allowed.
    #[error("the line is longer than {limit} bytes")]
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The first word of a line is not a rank number.
    #[error("a line begins with its rank, a plain decimal number")]
    NotARank,
    /// A rank number is not below the number of ranks.
    #[error("the {role} has to be below the number of ranks, {ranks}")]
    RankOutOfRange {
        /// What the number is for: `rank`, `destination`, `root`...
        role: &'static str,
        /// Number of ranks.
        ranks: usize,
    },
    /// More ranks than can be held.
    #[error("a trace has at most {limit} ranks")]
    TooManyRanks {
        /// The largest number of ranks.
        limit: usize,
    },
    /// A rank does nothing.
    #[error("rank {rank} of {ranks} has no line{}", foreign_lines(*.foreign))]
    RankWithoutLines {
        /// The rank.
        rank: usize,
        /// Number of ranks.
        ranks: usize,
        /// Lines of other ranks in this rank's own file.
        foreign: u64,
    },
    /// A line holds nothing but a rank.
    #[error("the line names no action")]
    NoAction,
    /// No action has that name.
    #[error("the action is unknown")]
    UnknownAction {
        /// The valid name that looks most like it.
        nearest: Option<&'static str>,
    },
    /// An argument of an action is wrong.
    #[error("the {argument} of {action} {problem}")]
    Argument {
        /// Name of the action.
        action: &'static str,
        /// Name of the argument.
        argument: &'static str,
        /// What is wrong with it.
        problem: ArgumentProblem,
    },
    /// An allgatherv has neither the arguments of the form with displacements nor of the one without.
    #[error("allgatherv has {given} arguments after its counts, which fits no form of it for {ranks} ranks")]
    Displacements {
        /// Arguments after the counts.
        given: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// A collective with a count for each rank has more arguments than it can take.
    #[error("{action} has more arguments than it takes with {ranks} ranks, from here on")]
    SurplusArguments {
        /// Name of the action.
        action: &'static str,
        /// Number of ranks.
        ranks: usize,
    },
    /// An `init` contradicts the default datatype that earlier lines were read with.
    #[error("this init makes {} the default datatype, but {earlier} was read with {}", .now.name(), .before.name())]
    MixedInit {
        /// The line that settled the default: `file:line`.
        earlier: String,
        /// The default since then.
        before: Datatype,
        /// The default that this line asks for.
        now: Datatype,
    },
    /// A side table has more entries than its index can number.
    #[error("the trace has more than {} different {table}", u32::MAX)]
    TableFull {
        /// What the table holds.
        table: &'static str,
    },
    /// A communicator is wrong, or is used where it cannot be.
    #[error("{0}")]
    Communicator(CommunicatorProblem),
    /// A line of SMPI's tracer cannot be replayed.
    #[error("{problem}")]
    Smpi {
        /// What is wrong.
        problem: Box<str>,
        /// What to do about it.
        help: &'static str,
    },
    /// A list names fewer files than there are ranks.
    #[error("the list names {files} files, for {ranks} ranks")]
    ListTooShort {
        /// Files named.
        files: usize,
        /// Ranks asked for.
        ranks: usize,
    },
    /// A list names a file that is elsewhere, or that is no regular file.
    #[error("the list names a file {reason}")]
    Outside {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file breaks a rule of its format.
    #[error("{}: {}", .0.format, .0.problem)]
    Format(Box<FormatError>),
    /// A call cannot be expressed by actions.
    #[error("{}: {}", .0.format, .0.problem)]
    Inexpressible(Box<FormatError>),
    /// The side file is not as it should be.
    #[error("the side file of the trace is wrong: {0}")]
    Side(String),
}

/// What is wrong with a file of a format without lines of its own kind of errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Name of the format.
    pub format: &'static str,
    /// Position in bytes, from 0, in a file that has no lines; of what comes out of it if it is packed.
    pub byte: Option<u64>,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub help: &'static str,
}

impl TraceErrorKind {
    /// A file breaks a rule of its format.
    pub(super) fn format(format: &'static str, problem: impl Into<String>, help: &'static str) -> Self {
        Self::Format(Box::new(FormatError { format, byte: None, problem: problem.into(), help }))
    }

    /// A call cannot be expressed by actions.
    pub(super) fn inexpressible(format: &'static str, call: &str, reason: &str) -> Self {
        let problem = format!("{call} cannot be replayed: {reason}");
        let help = "`mopsim trace convert --leave-out` writes a trace without such calls, and counts them";
        Self::Inexpressible(Box::new(FormatError { format, byte: None, problem, help }))
    }
}

/// What is wrong with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ArgumentProblem {
    /// It is not there.
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
    /// It does not fit 32 bits with a sign.
    #[error("is above {}", i32::MAX)]
    TooLarge,
    /// It is not a finite number.
    #[error("is not finite")]
    NotFinite,
    /// No datatype has that id.
    #[error("is not the id of a datatype")]
    UnknownDatatype,
}

fn foreign_lines(foreign: u64) -> String {
    match foreign {
        0 => String::new(),
        1 => "; the only line of its file belongs to another rank".to_owned(),
        n => format!("; the {n} lines of its file belong to other ranks"),
    }
}

impl TraceError {
    /// An error that concerns a file as a whole.
    pub(super) fn whole(file: impl Into<PathBuf>, kind: TraceErrorKind) -> TraceError {
        TraceError { file: file.into(), line: None, column: None, text: String::new(), kind }
    }

    /// The same at a byte, where the kind of error has one.
    pub(super) fn at_byte(mut self, byte: u64) -> TraceError {
        if let TraceErrorKind::Format(error) | TraceErrorKind::Inexpressible(error) = &mut self.kind {
            error.byte = Some(byte);
        }
        self
    }

    /// The same at an event of an archive that a library reads.
    pub(super) fn at_event(mut self, location: u64, timestamp: u64) -> TraceError {
        if let TraceErrorKind::Format(error) | TraceErrorKind::Inexpressible(error) = &mut self.kind {
            error.problem.insert_str(0, &format!("location {location} at {timestamp}: "));
        }
        self
    }

    /// Position in bytes, from 0, in a file that has no lines; of what comes out of it if it is packed.
    pub fn byte(&self) -> Option<u64> {
        match &self.kind {
            TraceErrorKind::Format(error) | TraceErrorKind::Inexpressible(error) => error.byte,
            _ => None,
        }
    }

    /// Whether the operating system refused something, as opposed to bad input.
    pub fn is_io(&self) -> bool {
        use TraceErrorKind as K;
        matches!(self.kind, K::Open(_) | K::Read(_) | K::OpenListed(_))
    }

    /// What to do about it, in one line.
    pub fn help(&self) -> String {
        use TraceErrorKind as K;
        match &self.kind {
            K::Open(_) | K::Read(_) => "check the path and its permissions".into(),
            K::OpenListed(_) => {
                "paths count from the current directory, then from the folder of the list; a file whose \
                                 first line is not `RANK ACTION ...` is taken for a list of trace files"
                    .into()
            }
            K::Damaged { .. } => "fetch or pack the file again; nothing of it was used".into(),
            K::Unsupported { format: "tar" } => {
                "unpack it with `tar -xf`, and give the folder, or the file of the first rank".into()
            }
            K::Unsupported { .. } => "unpack it, or pack it with xz, zstd or gzip".into(),
            K::UnpacksTooLarge { .. } => {
                "raise the limit (--max-unpacked-bytes) if the trace is really that large".into()
            }
            K::UnpacksSuspiciously { .. } => {
                "traces of real programs unpack to some tens of times their size; if this one is right, unpack it first"
                    .into()
            }
            K::NotText => "give a time-independent trace in text form, plain or packed with xz, zstd or gzip".into(),
            K::ByteOrderMark => "save the file as plain text (UTF-8 without a mark)".into(),
            K::Empty => "give a trace with actions: in time-independent text, lines of the form `RANK ACTION ...`".into(),
            K::CutOff => {
                "record or copy the trace again; if the line is complete, add a newline to the file (a line is taken \
                 without one only where nothing of it can be missing, such as `0 finalize`)"
                    .into()
            }
            K::LineTooLong { .. } => "check that this is a trace; a line holds one action".into(),
            K::NotARank => {
                "write the line as `RANK ACTION ...` with a rank from 0, without sign or leading zeros".into()
            }
            K::RankOutOfRange { role: "rank", .. } => {
                "give the number of ranks that the trace was recorded with".into()
            }
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
                "names are those of MPI functions in lower case without the prefix, such \
                                                   as `isend` or `allreduce`; only `sendRecv` has a capital"
                    .into()
            }
            K::Argument { problem, argument, .. } => problem.help(argument),
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
                "a list is free to name files of its own folder only, unless --files-anywhere says that it can be trusted".into()
            }
            K::Format(error) | K::Inexpressible(error) => error.help.into(),
            K::Side(_) => "the side file `NAME.toml` describes the trace; mend it, or move it away".into(),
        }
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
        write!(f, "{}:", self.file.display())?;
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

/// Text for a message: at most 60 characters, without control characters.
pub(super) fn shorten(text: &[u8]) -> String {
    const MOST: usize = 60;
    let head = &text[..text.len().min(4 * MOST)];
    let readable = String::from_utf8_lossy(head);
    let mut short: String = readable.chars().take(MOST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if head.len() < text.len() || readable.chars().nth(MOST).is_some() {
        short.push_str("...");
    }
    short
}
