//! Errors for users, and exit codes.

use mopsim::engine::{Blocked, ReplayError};
use mopsim::mpi::messages::Envelope;
use mopsim::printable::attached;
use mopsim::study::StudyError;
use mopsim::study::workload::Workload;
use mopsim::trace::Trace;
use mopsim::user_error::{BAD_INPUT, FAILED, INTERRUPTED, IO_FAILED, UserError};
use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;

/// Number of blocked ranks of a deadlock that are described individually.
const DESCRIBED: usize = 20;

/// Reason why the program stops.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
    help: String,
}

impl Failure {
    /// Creates an error of arguments or input.
    pub fn input(message: impl ToString, help: impl Into<String>) -> Self {
        Self { code: BAD_INPUT, message: message.to_string(), help: help.into() }
    }

    /// Creates an error of writing the result.
    pub fn output(error: &std::io::Error) -> Self {
        let help = "check the disk or the program that reads the output";
        Self { code: IO_FAILED, message: format!("cannot write the result: {error}"), help: help.to_owned() }
    }

    /// Creates an error of reading or writing a file; `what` is the operation.
    pub fn file(what: &str, file: &Path, error: &std::io::Error) -> Self {
        let message = format!("cannot {what} {}: {error}", super::files::name(file));
        Self { code: IO_FAILED, message, help: "check the path, its permissions and the disk".to_owned() }
    }

    /// Creates an error of reading.
    pub fn unreadable(message: impl ToString, help: impl Into<String>) -> Self {
        Self { code: IO_FAILED, message: message.to_string(), help: help.into() }
    }

    /// Adds the name of the message's subject, unless the message already contains it.
    pub fn about(mut self, what: &str) -> Self {
        if self.code != 0 && !self.message.contains(what) {
            self.message = format!("{what}: {}", self.message);
        }
        self
    }

    /// Puts a place of a file before the message.
    pub fn at(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Creates the failure for Ctrl-C.
    pub fn interrupted(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code: INTERRUPTED, message: message.into(), help: help.into() }
    }

    /// Creates the failure of a user's command, whose exit code becomes ours.
    pub fn command(code: u8, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: help.into() }
    }

    /// Creates the failure of a comparison of two things that should be equal.
    pub fn differs(message: &str) -> Self {
        Self { code: FAILED, message: message.to_owned(), help: String::new() }
    }

    /// Creates the failure of a completed replay with messages that were never received.
    pub fn unmatched(what: &str, notes: &[String]) -> Self {
        Self {
            code: FAILED,
            message: format!("{what}: {}", notes.join("; ")),
            help: "a correct MPI program receives every message; the trace may be cut, or a receive is missing"
                .to_owned(),
        }
    }

    /// Creates the failure for a closed reader of standard output: not an error, but nothing is left to do.
    pub fn closed() -> Self {
        Self { code: 0, message: String::new(), help: String::new() }
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        self.code
    }

    /// Returns the message, and a line with the remedy if there is one.
    pub fn text(&self) -> String {
        let message = attached(&self.message);
        match &self.help[..] {
            "" => message,
            help => format!("{message}\n help: {}", attached(help)),
        }
    }

    /// Prints the message. If standard error cannot be written, only the exit code reports the failure.
    pub fn print(&self) {
        if self.code == 0 {
            return;
        }
        let text = format!("error: {}\n", self.text());
        let text = super::colour::labelled(&mopsim::printable::message(&text));
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Adds the name of the study file to a message that does not begin with it: flags and file are merged before most
    /// checks.
    pub fn in_study(mut self, file: &Path) -> Self {
        let file = file.display().to_string();
        if ![0, FAILED].contains(&self.code) && !self.message.starts_with(&format!("{file}:")) {
            self.message = format!("{file}: {}", self.message);
        }
        self
    }

    /// Describes a replay that cannot continue, with places in the files of the trace.
    pub fn replay(context: &str, error: &ReplayError, trace: &Trace) -> Self {
        let mut message = format!("{context}: {error}");
        if let Some(place) = error.place() {
            let _ = write!(message, "\n  at {}", place_text(trace, place.rank, place.action));
        }
        if let ReplayError::Deadlock { blocked, standing, .. } = error {
            for b in blocked.iter().take(DESCRIBED) {
                message.push_str(&blocked_text(trace, b, standing));
            }
            if blocked.len() > DESCRIBED {
                let _ = write!(message, "\n  ... and {} more", blocked.len() - DESCRIBED);
            }
        }
        Self { code: FAILED, message, help: error.help() }
    }

    /// Describes a study that cannot be built or run.
    pub fn study(error: &StudyError, workloads: &[Workload]) -> Self {
        match error {
            StudyError::At { error: inner, .. } => Self { message: error.to_string(), ..Self::study(inner, workloads) },
            StudyError::Replay { workload, index, job, network, error: cause } => {
                let Some(w) = workloads.get(*index) else { return Self::of(error) };
                match w.jobs.as_ref().zip(*job).and_then(|(mix, job)| mix.jobs.get(job)) {
                    Some(job) => Self::replay(&format!("job {} on {network}", job.name), cause, &job.trace),
                    None => Self::replay(&format!("{workload} on {network}"), cause, &w.trace),
                }
            }
            _ => Self::of(error),
        }
    }

    /// Creates the failure of an error.
    pub fn of(error: &dyn UserError) -> Self {
        Self { code: error.exit_code(), message: error.to_string(), help: error.help() }
    }
}

/// Formats a place: `rank 3, traces/a.ti:42`.
fn place_text(trace: &Trace, rank: u32, action: usize) -> String {
    format!("rank {rank}, {}", line_text(trace, rank, action))
}

/// Formats a place: `traces/a.ti:42`; streams have no lines to look up.
fn line_text(trace: &Trace, rank: u32, action: usize) -> String {
    match trace.locate(rank as usize, action) {
        Some(source) => format!("{}:{}", source.file.display(), source.line),
        None => format!("its action number {}", action + 1),
    }
}

fn blocked_text(trace: &Trace, blocked: &Blocked, standing: &[Option<usize>]) -> String {
    let rank = blocked.place.rank;
    let mut text = format!("\n  {}: blocked in {}", place_text(trace, rank, blocked.place.action), blocked.operation);
    if !blocked.communicator.is_world() {
        let _ = write!(text, " on communicator {}", blocked.communicator.number());
    }
    for (Envelope { source, destination, tag, .. }, sends) in blocked.missing.iter().take(3) {
        let partner = if *sends { *destination } else { *source };
        let wanted = match (sends, *tag < 0) {
            (true, false) => format!("rank {destination} to receive its message with tag {tag}"),
            (false, false) => format!("a message from rank {source} with tag {tag}"),
            (true, true) => format!("rank {destination} in the same collective"),
            (false, true) => format!("rank {source} in the same collective"),
        };
        let _ = write!(text, "\n    waits for {wanted}");
        let where_partner_is = match standing.get(partner as usize) {
            Some(Some(action)) => format!("that rank is at {}", line_text(trace, partner, *action)),
            _ => "that rank has ended".to_owned(),
        };
        let _ = write!(text, "; {where_partner_is}");
    }
    if blocked.missing.len() > 3 {
        let _ = write!(text, "\n    and for {} more messages", blocked.missing.len() - 3);
    }
    text
}

impl<E: UserError> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::of(&error)
    }
}
