//! The text that `otf2-print -A` writes, line by line.

use crate::excerpt::excerpt_of_bytes;
use std::path::{Path, PathBuf};

use super::attributes::{Attributes, number, references};
use super::definitions::Definitions;
use super::event::{Collective, Event, Ignored, MessageEvent, OneSided, Region, What};
use super::events::Events;
use crate::trace::blocks::Blocks;
use crate::trace::calls::{FilePosition, located};
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::format::Input;
use crate::trace::{Options, Trace};

/// Name of the format.
pub(super) const NAME: &str = "OTF2 text";

/// The title of the text.
const TITLE: &[u8] = b"=== OTF2-PRINT ===";

/// `OTF2_PARADIGM_MPI`, the number of MPI among paradigms (OTF2 3.0, OTF2_GeneralDefinitions.h).
const MPI_PARADIGM: u64 = 4;

/// State of the reader.
enum ReaderState<'o> {
    /// Ahead of the events.
    Definitions(Definitions),
    Events(Box<Events<'o>>),
}

pub(super) fn recognises(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(TITLE)
}

pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { source, budget, name, options, .. } = input;
    let file = source.file().to_path_buf();
    let mut reader =
        Otf2TextReader { file: file.clone(), line: 0, part: ReaderState::Definitions(Definitions::default()), options };
    let last = Blocks::new(source).each_line(budget, |number, line| {
        reader.line = number;
        reader.take(line)
    })?;
    let at = FilePosition::Line(last);
    match reader.part {
        ReaderState::Events(events) => events.finish(name, &file, at),
        ReaderState::Definitions(_) => Err(reader.error("there are no events", WITH_ALL)),
    }
}

const WITH_ALL: &str = "write the text with `otf2-print -A traces.otf2`, which prints definitions and events";

struct Otf2TextReader<'o> {
    file: PathBuf,
    line: u64,
    part: ReaderState<'o>,
    options: &'o Options,
}

impl Otf2TextReader<'_> {
    fn error(&self, problem: impl Into<String>, help: &'static str) -> TraceError {
        located(&self.file, FilePosition::Line(self.line), Kind::format(NAME, problem, help))
    }

    fn take(&mut self, line: &[u8]) -> Result<(), TraceError> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"---") {
            return Ok(());
        }
        if line.starts_with(b"===") {
            if line.starts_with(b"=== Events ")
                && let ReaderState::Definitions(definitions) = &mut self.part
            {
                let definitions = std::mem::take(definitions);
                definitions.check(WITH_ALL).map_err(|(problem, help)| self.error(problem, help))?;
                self.part = ReaderState::Events(Box::new(Events::new(NAME, definitions, self.options)));
            }
            return Ok(());
        }
        let end = line.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(line.len());
        let (keyword, rest) = line.split_at(end);
        let understood = match &mut self.part {
            ReaderState::Definitions(definitions) => definition(definitions, keyword, rest),
            ReaderState::Events(events) => event(events, keyword, rest, &self.file, self.line)?,
        };
        if !understood {
            let text = excerpt_of_bytes(line);
            return Err(TraceError { text, ..self.error("the line is not as otf2-print writes it", WITH_ALL) });
        }
        Ok(())
    }
}

/// Returns the leading number of a text, and the text after its digits and blanks.
fn leading(text: &[u8]) -> (Option<u64>, &[u8]) {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (number(text), text[digits..].trim_ascii_start())
}

/// Processes a definition; `false` if it is malformed.
fn definition(definitions: &mut Definitions, keyword: &[u8], rest: &[u8]) -> bool {
    let (id, rest) = leading(rest);
    let attributes = Attributes(rest);
    match keyword {
        b"CLOCK_PROPERTIES" => {
            definitions.ticks = attributes.number("Ticks per Seconds: ").filter(|&ticks| ticks > 0);
            definitions.offset = attributes.number("Global Offset: ").unwrap_or(0);
            definitions.ticks.is_some()
        }
        b"GROUP" => {
            let (Some(id), Some(kind)) = (id, attributes.word("Type: ")) else { return false };
            if !matches!(kind, b"COMM_LOCATIONS" | b"COMM_GROUP" | b"COMM_SELF") {
                return true;
            }
            let members = attributes.after("Members: ").map(|members| references(members).collect::<Vec<u64>>());
            // An archive that defines its paradigms has them printed as references, by the library's number; one that
            // does not has the bare word.
            let is_mpi = attributes.reference("Paradigm: ") == Some(MPI_PARADIGM)
                || attributes.word("Paradigm: ") == Some(b"MPI");
            if kind == b"COMM_LOCATIONS" && is_mpi {
                definitions.set_ranks(members.as_deref().unwrap_or_default());
            }
            definitions.group(id, members.unwrap_or_default());
            true
        }
        b"COMM" => {
            let (Some(id), Some(group)) = (id, attributes.reference("Group: ")) else { return false };
            definitions.communicator(id, group);
            true
        }
        b"RMA_WIN" => {
            let (Some(id), Some(comm)) = (id, attributes.reference("Communicator: ")) else { return false };
            definitions.window(id, comm);
            true
        }
        _ => true,
    }
}

/// Processes an event; `false` if it is malformed.
fn event(events: &mut Events<'_>, keyword: &[u8], rest: &[u8], file: &Path, line: u64) -> Result<bool, TraceError> {
    if keyword == b"Event" || keyword == b"ADDITIONAL" {
        return Ok(true);
    }
    let (Some(location), rest) = leading(rest) else { return Ok(false) };
    let (Some(timestamp), rest) = leading(rest) else { return Ok(false) };
    let Some(rank) = events.rank(location) else {
        events.count_others(1);
        return Ok(true);
    };
    match what(keyword, Attributes(rest)) {
        None => Ok(false),
        Some(None) => Ok(true),
        Some(Some(what)) => {
            events.take(&Event { rank, timestamp, file, at: FilePosition::Line(line) }, what)?;
            Ok(true)
        }
    }
}

/// Returns the content of an event's line: `None` if it is malformed, `Some(None)` if it takes no part in
/// communication.
fn what<'a>(keyword: &[u8], a: Attributes<'a>) -> Option<Option<What<'a>>> {
    let request = || a.number("Request: ");
    Some(Some(match keyword {
        b"ENTER" => return a.text("Region: ").map(|name| Region::of(name).map(What::Enter)),
        b"LEAVE" => return a.text("Region: ").map(|name| Region::of(name).map(|_| What::Leave)),
        b"MPI_SEND" => What::Send(message(a, "Receiver: ")?, None),
        b"MPI_ISEND" => What::Send(message(a, "Receiver: ")?, Some(request()?)),
        b"MPI_RECV" => What::Receive(message(a, "Sender: ")?, None),
        b"MPI_IRECV" => What::Receive(message(a, "Sender: ")?, Some(request()?)),
        b"MPI_IRECV_REQUEST" => What::ReceivePosted(request()?),
        b"MPI_ISEND_COMPLETE" => What::SendComplete(request()?),
        b"MPI_REQUEST_TEST" => What::RequestTested,
        b"MPI_REQUEST_CANCELLED" => What::RequestCancelled(request()?),
        b"MPI_COLLECTIVE_END" => What::Collective(collective(a)?),
        b"NON_BLOCKING_COLLECTIVE_REQUEST" => What::CollectivePosted(request()?),
        b"NON_BLOCKING_COLLECTIVE_COMPLETE" => What::CollectiveComplete(collective(a)?, request()?),
        b"MEASUREMENT_ON_OFF" => match a.word("Mode: ")? {
            b"ON" => What::Recording(true),
            b"OFF" => What::Recording(false),
            _ => return None,
        },
        keyword if keyword.starts_with(b"RMA_") => return one_sided(keyword, a).map(|what| what.map(What::OneSided)),
        // Everything else takes no part in communication: counters, parameters, threads of a rank.
        _ => return Some(None),
    }))
}

fn message(a: Attributes<'_>, partner: &str) -> Option<MessageEvent> {
    let partner = a.member(partner)?;
    let (tag, bytes) = (a.number("Tag: ")?, a.number("Length: ")?);
    Some(MessageEvent { partner, comm: a.reference("Communicator: "), tag, bytes })
}

fn collective(a: Attributes<'_>) -> Option<Collective<'_>> {
    let (operation, comm) = (a.word("Operation: ")?, a.reference("Communicator: ")?);
    let (sent, received) = (a.number("Sent: ")?, a.number("Received: ")?);
    Some(Collective { operation, comm, root: a.member("Root: ")?, sent, received })
}

fn one_sided<'a>(keyword: &[u8], a: Attributes<'a>) -> Option<Option<OneSided<'a>>> {
    let window = || a.reference("Window: ");
    let (target, operation) = (|| a.member("Remote: "), || a.number("Matching: "));
    Some(Some(match keyword {
        b"RMA_PUT" | b"RMA_GET" => {
            let (window, target, bytes, operation) = (window()?, target()?, a.number("Bytes: ")?, operation()?);
            if keyword == b"RMA_PUT" {
                OneSided::Put { window, target, bytes, operation }
            } else {
                OneSided::Get { window, target, bytes, operation }
            }
        }
        b"RMA_ATOMIC" => {
            let (sent, received) = (a.number("Sent: ")?, a.number("Received: ")?);
            OneSided::Atomic { window: window()?, target: target()?, sent, received, operation: operation()? }
        }
        b"RMA_OP_COMPLETE_BLOCKING" | b"RMA_OP_COMPLETE_REMOTE" | b"RMA_OP_COMPLETE_NON_BLOCKING" => {
            let by_request = keyword == b"RMA_OP_COMPLETE_NON_BLOCKING";
            OneSided::Complete { window: window()?, operation: operation()?, by_request }
        }
        b"RMA_RELEASE_LOCK" => OneSided::Release { window: window()?, target: target()? },
        b"RMA_COLLECTIVE_END" => OneSided::Collective { window: window()?, operation: a.word("Operation: ")? },
        b"RMA_GROUP_SYNC" => OneSided::GroupSync,
        b"RMA_REQUEST_LOCK" => OneSided::Ignored(Ignored::RequestLock),
        b"RMA_ACQUIRE_LOCK" => OneSided::Ignored(Ignored::AcquireLock),
        b"RMA_TRY_LOCK" => OneSided::Ignored(Ignored::TryLock),
        b"RMA_SYNC" => OneSided::Ignored(Ignored::Sync),
        b"RMA_WAIT_CHANGE" => OneSided::Ignored(Ignored::WaitChange),
        b"RMA_OP_TEST" => OneSided::Ignored(Ignored::Test),
        // Windows are created and freed by collectives, whose ends are recorded.
        _ => return Some(None),
    }))
}
