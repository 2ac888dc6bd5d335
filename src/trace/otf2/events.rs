//! The events, as actions.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::attributes::{Attributes, number, references};
use super::collectives::{Told, kind, settle};
use super::definitions::{Comm, Definitions};
use super::error;
use crate::trace::calls::{At, Program, Request};
use crate::trace::communicator::twice;
use crate::trace::error::TraceError;
use crate::trace::{Action, CommunicatorId, Datatype, Effect, Options, Trace};

/// The state of the events.
pub(super) struct Events<'o> {
    definitions: Definitions,
    program: Program<'o>,
    /// The communicators met so far; none for those of a single rank, and for those whose members are not known.
    comms: FxHashMap<u64, Result<CommunicatorId, Without>>,
    told: Vec<Vec<Told>>,
    /// How deep each rank is in calls of MPI: some are made of others.
    depth: Vec<u32>,
    /// Collectives that do not block, by rank and request: the index of what stands for them.
    pending: FxHashMap<(u32, u64), usize>,
    /// Events of threads and devices beside the ranks.
    others: u64,
}

/// Why there is no communicator.
#[derive(Clone, Copy)]
enum Without {
    Alone,
    Unknown,
}

/// An event under way.
struct Event<'a> {
    rank: u32,
    attributes: Attributes<'a>,
    file: &'a Path,
    line: u64,
}

impl Event<'_> {
    fn at(&self) -> At {
        At::Line(self.line)
    }
}

impl<'o> Events<'o> {
    pub fn new(definitions: Definitions, options: &'o Options) -> Self {
        let ranks = definitions.ranks();
        Self {
            definitions,
            program: Program::new("OTF2 text", options, ranks),
            comms: FxHashMap::default(),
            told: vec![Vec::new(); ranks],
            depth: vec![0; ranks],
            pending: FxHashMap::default(),
            others: 0,
        }
    }

    /// Takes a line; `false` if it is not as it should be.
    pub fn line(&mut self, keyword: &[u8], rest: &[u8], file: &Path, line: u64) -> Result<bool, TraceError> {
        if keyword == b"Event" || keyword == b"ADDITIONAL" {
            return Ok(true);
        }
        let rest = rest.trim_ascii_start();
        let (Some(location), end) = (number(rest), digits(rest)) else { return Ok(false) };
        let rest = rest[end..].trim_ascii_start();
        let (Some(timestamp), end) = (number(rest), digits(rest)) else { return Ok(false) };
        let Some(rank) = self.definitions.rank(location) else {
            self.others += 1;
            return Ok(true);
        };
        let event = Event { rank, attributes: Attributes(rest[end..].trim_ascii_start()), file, line };
        Ok(self.event(keyword, timestamp, &event)?.is_some())
    }

    fn event(&mut self, keyword: &[u8], timestamp: u64, event: &Event<'_>) -> Result<Option<()>, TraceError> {
        let (rank, a) = (event.rank, event.attributes);
        match keyword {
            b"ENTER" | b"LEAVE" => {
                let Some(region) = a.text("Region: ") else { return Ok(None) };
                if region.starts_with(b"MPI_") {
                    self.region(region, keyword == b"ENTER", timestamp, rank);
                }
            }
            b"MPI_SEND" | b"MPI_ISEND" => return self.send(keyword == b"MPI_ISEND", event),
            b"MPI_RECV" => {
                let Some((from, tag, bytes)) = self.message("Sender: ", event)? else { return Ok(None) };
                let (count, datatype) = self.program.elements(bytes, rank, event.file, event.at())?;
                self.program.push(rank, Action::Recv { from, tag, count, datatype });
            }
            b"MPI_IRECV_REQUEST" => {
                let Some(request) = a.number("Request: ") else { return Ok(None) };
                let at = self.program.ranks[rank as usize].actions.len();
                // Source, tag and size follow when it is complete.
                let unknown = Action::Irecv { from: u32::MAX, tag: 0, count: 0, datatype: Datatype::BYTE };
                self.program.push(rank, unknown);
                self.program.ranks[rank as usize].requests.insert(request, Request::Open(at));
            }
            b"MPI_IRECV" => return self.received(event),
            b"MPI_ISEND_COMPLETE" => {
                let Some(request) = a.number("Request: ") else { return Ok(None) };
                if !matches!(self.program.wait(rank, request, None), Ok(true)) {
                    return Err(missing(request, event));
                }
            }
            b"MPI_REQUEST_TEST" => {
                let what = "a test that finds nothing complete: no effect";
                self.program.note(Effect::Approximated, what, rank, event.file, event.at());
            }
            b"MPI_REQUEST_CANCELLED" => {
                let Some(request) = a.number("Request: ") else { return Ok(None) };
                if let Some(Request::Open(at)) = self.program.ranks[rank as usize].requests.remove(request) {
                    self.program.ranks[rank as usize].actions[at] = Action::NoOperation;
                }
                let what = "a request that was cancelled: not replayed";
                self.program.note(Effect::LeftOut, what, rank, event.file, event.at());
            }
            b"MPI_COLLECTIVE_END" => return self.collective(None, event),
            b"NON_BLOCKING_COLLECTIVE_REQUEST" => {
                let Some(request) = a.number("Request: ") else { return Ok(None) };
                let at = self.program.open_collective(rank, request);
                self.pending.insert((rank, request), at);
            }
            b"NON_BLOCKING_COLLECTIVE_COMPLETE" => {
                let Some(request) = a.number("Request: ") else { return Ok(None) };
                let Some(at) = self.pending.remove(&(rank, request)) else { return Err(missing(request, event)) };
                let told = self.told[rank as usize].len();
                let read = self.collective(Some(at), event)?;
                let kept = self.told[rank as usize].len() > told;
                // It is there: it was opened.
                let _ = self.program.wait(rank, request, None);
                if !kept {
                    let actions = &mut self.program.ranks[rank as usize].actions;
                    actions[at] = Action::NoOperation;
                    actions.pop();
                }
                return Ok(read);
            }
            b"RMA_PUT" | b"RMA_GET" | b"RMA_ATOMIC" => {
                let call = String::from_utf8_lossy(keyword).into_owned();
                let reason = "one-sided communication is not read from OTF2";
                self.program.inexpressible(&call, reason, rank, event.file, event.at())?;
            }
            // Everything else takes no part in communication: counters, parameters, threads of a rank.
            _ => {}
        }
        Ok(Some(()))
    }

    fn region(&mut self, region: &[u8], enters: bool, timestamp: u64, rank: u32) {
        let seconds = self.definitions.seconds(timestamp);
        let depth = &mut self.depth[rank as usize];
        if enters {
            *depth += 1;
            if *depth > 1 {
                return;
            }
            // Computation ends here; that the call has ended is told when it is left.
            self.program.call(rank, seconds, seconds);
            match region {
                b"MPI_Init" | b"MPI_Init_thread" => self.program.push(rank, Action::Init),
                b"MPI_Finalize" => self.program.push(rank, Action::Finalize),
                _ => {}
            }
        } else {
            *depth = depth.saturating_sub(1);
            if *depth == 0 {
                let state = &mut self.program.ranks[rank as usize];
                state.idle_since = Some(state.idle_since.unwrap_or(seconds).max(seconds));
            }
        }
    }

    /// Partner, tag and bytes of a message.
    fn message(&mut self, partner: &str, event: &Event<'_>) -> Result<Option<(u32, i32, u64)>, TraceError> {
        let a = event.attributes;
        let value = a.after(partner);
        let (Some(value), Some(tag), Some(bytes)) = (value, a.number("Tag: "), a.number("Length: ")) else {
            return Ok(None);
        };
        let Some(location) = references(value).next() else { return Ok(None) };
        let Some(rank) = self.definitions.rank(location) else {
            let problem = format!("location {location} is no rank of MPI");
            return Err(error(event.file, event.line, problem, "check the trace"));
        };
        let tag = i32::try_from(tag).map_err(|_| error(event.file, event.line, "the tag is too large", "check it"))?;
        let tag = match a.reference("Communicator: ").and_then(|comm| self.communicator(comm).ok()) {
            Some(communicator) => self.program.tag(communicator, tag),
            None => tag,
        };
        Ok(Some((rank, tag, bytes)))
    }

    /// A communicator by its definition.
    fn communicator(&mut self, comm: u64) -> Result<CommunicatorId, Without> {
        let (definitions, program) = (&self.definitions, &mut self.program);
        *self.comms.entry(comm).or_insert_with(|| match definitions.comm(comm) {
            Some(Comm::World) => Ok(CommunicatorId::WORLD),
            Some(Comm::Members(members)) if members.len() <= 1 => Err(Without::Alone),
            Some(Comm::Members(members)) if twice(&members).is_none() => Ok(program.declare(&members)),
            Some(Comm::Members(_)) | None => Err(Without::Unknown),
        })
    }

    fn send(&mut self, requests: bool, event: &Event<'_>) -> Result<Option<()>, TraceError> {
        let rank = event.rank;
        let Some((to, tag, bytes)) = self.message("Receiver: ", event)? else { return Ok(None) };
        let (count, datatype) = self.program.elements(bytes, rank, event.file, event.at())?;
        if requests {
            let Some(request) = event.attributes.number("Request: ") else { return Ok(None) };
            self.program.isend(rank, request, Action::Isend { to, tag, count, datatype });
        } else {
            self.program.push(rank, Action::Send { to, tag, count, datatype });
        }
        Ok(Some(()))
    }

    /// A receive with a request is complete: now its source is known.
    fn received(&mut self, event: &Event<'_>) -> Result<Option<()>, TraceError> {
        let rank = event.rank;
        let Some((from, tag, bytes)) = self.message("Sender: ", event)? else { return Ok(None) };
        let Some(request) = event.attributes.number("Request: ") else { return Ok(None) };
        let (count, datatype) = self.program.elements(bytes, rank, event.file, event.at())?;
        let state = &mut self.program.ranks[rank as usize];
        let Some(Request::Open(at)) = state.requests.remove(request) else {
            return Err(missing(request, event));
        };
        state.actions[at] = Action::Irecv { from, tag, count, datatype };
        self.program.push(rank, Action::Wait { source: from, destination: rank, tag });
        Ok(Some(()))
    }

    /// A collective has ended; `at` says where it was started, if it did not block.
    fn collective(&mut self, at: Option<usize>, event: &Event<'_>) -> Result<Option<()>, TraceError> {
        let (rank, a) = (event.rank, event.attributes);
        let values = (a.word("Operation: "), a.reference("Communicator: "), a.number("Sent: "), a.number("Received: "));
        let (Some(operation), Some(comm), Some(sent), Some(received)) = values else { return Ok(None) };
        let Some(kind) = kind(operation) else {
            // Communicators and windows are made; nothing of it is replayed.
            return Ok(Some(()));
        };
        let communicator = match self.communicator(comm) {
            Ok(communicator) => communicator,
            Err(Without::Alone) => return Ok(Some(())),
            Err(Without::Unknown) => {
                let call = format!("a collective ({})", kind.name());
                let reason = "the members of its communicator are not defined";
                self.program.inexpressible(&call, reason, rank, event.file, event.at())?;
                return Ok(Some(()));
            }
        };
        let root = a.after("Root: ").and_then(|value| references(value).next());
        let members = self.program.members(communicator);
        let root = match root.map(|location| self.definitions.rank(location).and_then(|root| members.member(root))) {
            Some(Some(root)) => root,
            None => 0,
            Some(None) => {
                let problem = "the root is no rank of its communicator";
                return Err(error(event.file, event.line, problem, "check the trace"));
            }
        };
        let actions = &mut self.program.ranks[rank as usize].actions;
        let at = at.unwrap_or_else(|| {
            actions.push(Action::NoOperation);
            actions.len() - 1
        });
        self.told[rank as usize].push(Told { at, line: event.line, kind, communicator, root, sent, received });
        Ok(Some(()))
    }

    /// The trace, once all lines are read.
    pub fn finish(mut self, name: &str, file: &Path, end: At) -> Result<Trace, TraceError> {
        for told in &mut self.told {
            // Those that do not block are told when they end, and count from where they began.
            told.sort_by_key(|told| (told.communicator, told.at));
        }
        for rank in 0..self.program.ranks.len() {
            let open = self.program.ranks[rank].requests.open();
            for &at in &open {
                self.program.ranks[rank].actions[at] = Action::NoOperation;
                let reason = "it is never complete, so nothing tells from which rank it comes";
                self.program.inexpressible("a receive", reason, rank as u32, file, end)?;
            }
        }
        let mut open: Vec<(u32, usize)> = self.pending.iter().map(|(&(rank, _), &at)| (rank, at)).collect();
        open.sort_unstable();
        for (rank, at) in open {
            self.program.ranks[rank as usize].actions[at] = Action::NoOperation;
            let reason = "it is never complete, so nothing tells what it is";
            self.program.inexpressible("a collective that does not block", reason, rank, file, end)?;
        }
        settle(&mut self.program, &self.told, file)?;
        if self.others > 0 {
            self.program
                .remark(file, format!("{} events of threads and devices beside the ranks were ignored", self.others));
        }
        self.program.finish(name, file)
    }
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn missing(request: u64, event: &Event<'_>) -> TraceError {
    error(event.file, event.line, format!("there is no request {request} to complete"), "check that the trace is whole")
}
