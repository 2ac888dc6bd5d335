//! Conversion of events to actions.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::collectives::{Meetings, Told, kind};
use super::definitions::{CommRanks, Definitions};
use super::event::{Collective, Event, Member, MessageEvent, Region, What};
use super::windows::Windows;
use crate::trace::calls::{CallRequest, FilePosition, Program};
use crate::trace::communicator::twice;
use crate::trace::error::TraceError;
use crate::trace::{Action, CommunicatorId, Datatype, Effect, Options, Trace};

/// The state of the events.
pub(super) struct Events<'o> {
    pub definitions: Definitions,
    pub program: Program<'o>,
    /// The communicators used so far; an error for those of a single rank, and for those whose members are not known.
    comms: FxHashMap<u64, Result<CommunicatorId, Without>>,
    pub windows: Windows,
    collectives: Meetings,
    /// Nesting depth of MPI calls of each rank: some consist of others.
    depth: Vec<u32>,
    /// Number of events of threads and devices other than the ranks.
    others: u64,
    pauses: Pauses,
}

/// Pauses of the recorder.
#[derive(Default)]
struct Pauses {
    /// Start of the current pause, in seconds, by rank.
    since: FxHashMap<u32, f64>,
    /// Total length of pauses in seconds, by rank.
    seconds: FxHashMap<u32, f64>,
    /// Number of times that it was switched off.
    count: u64,
}

impl Pauses {
    fn switched(&mut self, rank: u32, on: bool, now: f64) {
        if on {
            if let Some(since) = self.since.remove(&rank) {
                *self.seconds.entry(rank).or_default() += now - since;
            }
        } else if self.since.insert(rank, now).is_none() {
            self.seconds.entry(rank).or_default();
            self.count += 1;
        }
    }

    /// Returns a remark if calls may be missing. A pause up to the end of the trace leaves no gap of known length.
    fn told(&self, ranks: usize) -> Option<String> {
        let longest = self.seconds.values().copied().fold(0.0, f64::max);
        (self.count > 0).then(|| {
            format!(
                "the recorder was switched off {} times on {} of {ranks} ranks, for {longest:.6} s on one rank at most; \
                 calls made meanwhile are not in the trace, and that time counts as computation",
                self.count,
                self.seconds.len()
            )
        })
    }
}

/// Reason why there is no communicator.
#[derive(Clone, Copy)]
enum Without {
    Alone,
    Unknown,
}

impl<'o> Events<'o> {
    /// Creates the state; `format` is the name in messages.
    pub fn new(format: &'static str, definitions: Definitions, options: &'o Options) -> Self {
        let ranks = definitions.ranks();
        Self {
            definitions,
            program: Program::new(format, options, ranks),
            comms: FxHashMap::default(),
            windows: Windows::default(),
            collectives: Meetings::new(ranks),
            depth: vec![0; ranks],
            others: 0,
            pauses: Pauses::default(),
        }
    }

    /// Returns the rank of a location, if it is one.
    pub fn rank(&self, location: u64) -> Option<u32> {
        self.definitions.rank(location)
    }

    /// Counts events of locations that are not ranks.
    pub fn count_others(&mut self, events: u64) {
        self.others += events;
    }

    /// Processes an event of a rank.
    pub fn take(&mut self, event: &Event<'_>, what: What<'_>) -> Result<(), TraceError> {
        let rank = event.rank;
        match what {
            What::Enter(region) => self.enter(region, event),
            What::Leave => self.leave(event),
            What::Send(message, request) => return self.send(message, request, event),
            What::Receive(message, None) => {
                let (from, tag, count, datatype) = self.message(message, event)?;
                self.program.push(rank, Action::Recv { from, tag, count, datatype });
            }
            What::Receive(message, Some(request)) => return self.received(message, request, event),
            What::ReceivePosted(request) => {
                self.begins(request, event)?;
                let at = self.program.ranks[rank as usize].actions.len();
                // Source, tag and size follow at completion.
                let unknown = Action::Irecv { from: u32::MAX, tag: 0, count: 0, datatype: Datatype::BYTE };
                self.program.push(rank, unknown);
                self.program.ranks[rank as usize].requests.insert(request, CallRequest::Open(at));
            }
            What::SendComplete(request) => {
                let Some(CallRequest::Message { source, destination, tag, at }) = self.remove(request, event) else {
                    return Err(self.missing(request, "a send", event));
                };
                self.program.wait_for(rank, (source, destination, tag), at);
            }
            What::RequestTested => {
                let what = "a test that finds nothing complete: no effect";
                self.program.note(Effect::Approximated, what, rank, event.file, event.at);
            }
            What::RequestCancelled(request) => {
                let Some(request @ (CallRequest::Open(at) | CallRequest::Message { at, .. })) =
                    self.remove(request, event)
                else {
                    return Err(self.missing(request, "a message", event));
                };
                self.program.ranks[rank as usize].requests.erased(request);
                self.program.ranks[rank as usize].actions.set(at, Action::NoOperation);
                let what = "a request that was cancelled: not replayed";
                self.program.note(Effect::LeftOut, what, rank, event.file, event.at);
            }
            What::Collective(collective) => drop(self.collective(None, collective, event)?),
            What::CollectivePosted(request) => {
                self.begins(request, event)?;
                let at = self.program.open_collective(rank, request);
                self.collectives.begun(rank, at);
            }
            What::CollectiveComplete(collective, request) => {
                let Some(CallRequest::Collective { number, at }) = self.remove(request, event) else {
                    return Err(self.missing(request, "a collective", event));
                };
                if self.collective(Some(at), collective, event)? {
                    self.program.wait_collective(rank, number);
                } else {
                    self.program.drop_collective(rank, number, at);
                    self.collectives.dropped(&mut self.program, rank, at, event.file)?;
                }
            }
            What::OneSided(what) => return self.one_sided(event, what),
            What::Recording(on) => self.pauses.switched(rank, on, self.definitions.seconds(event.timestamp)),
        }
        Ok(())
    }

    fn enter(&mut self, region: Region, event: &Event<'_>) {
        let (rank, seconds) = (event.rank, self.definitions.seconds(event.timestamp));
        let depth = &mut self.depth[rank as usize];
        *depth += 1;
        if *depth > 1 {
            return;
        }
        // Computation ends here; the end of the call is recorded when it is left.
        self.program.call(rank, seconds, seconds);
        match region {
            Region::Init => self.program.push(rank, Action::Init),
            Region::Finalize => self.program.push(rank, Action::Finalize),
            Region::Other => {}
        }
    }

    fn leave(&mut self, event: &Event<'_>) {
        let (rank, seconds) = (event.rank as usize, self.definitions.seconds(event.timestamp));
        self.depth[rank] = self.depth[rank].saturating_sub(1);
        if self.depth[rank] == 0 {
            let state = &mut self.program.ranks[rank];
            state.idle_since = Some(state.idle_since.unwrap_or(seconds).max(seconds));
        }
    }

    /// Returns partner, tag and elements of a message.
    fn message(&mut self, message: MessageEvent, event: &Event<'_>) -> Result<(u32, i32, u32, Datatype), TraceError> {
        let MessageEvent { partner, comm, tag, bytes } = message;
        let place = || comm.map_or("its communicator".to_owned(), |comm| format!("communicator {comm}"));
        let Some(partner) = self.location(partner, place, event)? else {
            return Err(self.program.error(event.file, event.at, "the message has no partner", "check the trace"));
        };
        let Some(rank) = self.definitions.rank(partner) else {
            let problem = format!("location {partner} is no rank of MPI");
            return Err(self.program.error(event.file, event.at, problem, "check the trace"));
        };
        let Ok(tag) = i32::try_from(tag) else {
            return Err(self.program.error(event.file, event.at, "the tag is too large", "check it"));
        };
        let tag = match comm.and_then(|comm| self.communicator(comm).ok()) {
            Some(communicator) => self.program.tag(communicator, tag),
            None => tag,
        };
        let (count, datatype) = self.program.elements(bytes, event.rank, event.file, event.at)?;
        Ok((rank, tag, count, datatype))
    }

    /// Returns the location of an event's target, if it has one; `of` describes the communicator for messages.
    pub fn location(
        &self,
        member: Member,
        of: impl FnOnce() -> String,
        event: &Event<'_>,
    ) -> Result<Option<u64>, TraceError> {
        match member {
            Member::Nobody => Ok(None),
            Member::Location(location) => Ok(Some(location)),
            Member::Unknown(number) => {
                let problem = format!("{} has no member {number}, or is not defined", of());
                Err(self.program.error(event.file, event.at, problem, "check the trace"))
            }
        }
    }

    /// Returns a communicator by its definition.
    fn communicator(&mut self, comm: u64) -> Result<CommunicatorId, Without> {
        let (definitions, program) = (&self.definitions, &mut self.program);
        *self.comms.entry(comm).or_insert_with(|| match definitions.comm(comm) {
            Some(CommRanks::World) => Ok(CommunicatorId::WORLD),
            Some(CommRanks::Members(members)) if members.len() <= 1 => Err(Without::Alone),
            Some(CommRanks::Members(members)) if twice(&members).is_none() => Ok(program.declare(&members)),
            Some(CommRanks::Members(_)) | None => Err(Without::Unknown),
        })
    }

    fn send(&mut self, message: MessageEvent, request: Option<u64>, event: &Event<'_>) -> Result<(), TraceError> {
        let (to, tag, count, datatype) = self.message(message, event)?;
        match request {
            Some(request) => {
                self.begins(request, event)?;
                self.program.post(event.rank, request, Action::Isend { to, tag, count, datatype });
            }
            None => self.program.push(event.rank, Action::Send { to, tag, count, datatype }),
        }
        Ok(())
    }

    /// Completes a receive with a request: its source is now known.
    fn received(&mut self, message: MessageEvent, request: u64, event: &Event<'_>) -> Result<(), TraceError> {
        let rank = event.rank;
        let (from, tag, count, datatype) = self.message(message, event)?;
        let Some(CallRequest::Open(at)) = self.remove(request, event) else {
            return Err(self.missing(request, "a receive", event));
        };
        self.program.ranks[rank as usize].actions.set(at, Action::Irecv { from, tag, count, datatype });
        self.program.wait_for(rank, (from, rank, tag), at);
        Ok(())
    }

    /// Processes the end of a collective; `at` is the index of its start, if it was non-blocking. Returns `false` if
    /// there is nothing to replay.
    fn collective(&mut self, at: Option<usize>, told: Collective<'_>, event: &Event<'_>) -> Result<bool, TraceError> {
        let rank = event.rank;
        let Some(kind) = kind(told.operation) else {
            // Communicators and windows are created; this is not replayed.
            return Ok(false);
        };
        let communicator = self.communicator(told.comm);
        if let Err(Without::Unknown) = communicator {
            let call = format!("a collective ({})", kind.name());
            let reason = "the members of its communicator are not defined";
            self.program.inexpressible(&call, reason, rank, event.file, event.at)?;
            return Ok(false);
        }
        let root = self.location(told.root, || format!("communicator {}", told.comm), event)?;
        let Ok(communicator) = communicator else { return Ok(false) };
        let members = self.program.members(communicator);
        let root = match root.map(|location| self.definitions.rank(location).and_then(|root| members.member(root))) {
            Some(Some(root)) => root,
            None => 0,
            Some(None) => {
                let problem = "the root is no rank of its communicator";
                return Err(self.program.error(event.file, event.at, problem, "check the trace"));
            }
        };
        let actions = &mut self.program.ranks[rank as usize].actions;
        let at = at.unwrap_or_else(|| {
            actions.push(Action::NoOperation);
            actions.len() - 1
        });
        let Collective { sent, received, .. } = told;
        let told = Told { at, place: event.at, kind, communicator, root, sent, received };
        self.collectives.told(&mut self.program, rank, told, event.file)?;
        Ok(true)
    }

    /// Checks that a starting request is not already in progress.
    fn begins(&self, request: u64, event: &Event<'_>) -> Result<(), TraceError> {
        if self.program.ranks[event.rank as usize].requests.peek(request).is_none() {
            return Ok(());
        }
        let problem = format!("request {request} begins again before it is complete");
        Err(self.program.error(event.file, event.at, problem, "check that the trace is whole"))
    }

    /// Removes a request in progress.
    fn remove(&mut self, request: u64, event: &Event<'_>) -> Option<CallRequest> {
        self.program.ranks[event.rank as usize].requests.remove(request)
    }

    /// Returns the error for a request of `what` that is of another kind, or not in progress.
    fn missing(&self, request: u64, what: &str, event: &Event<'_>) -> TraceError {
        let problem = format!("there is no request {request} of {what} to complete");
        self.program.error(event.file, event.at, problem, "check that the trace is whole")
    }

    /// Returns the trace, once all events are processed.
    pub fn finish(mut self, name: &str, file: &Path, end: FilePosition) -> Result<Trace, TraceError> {
        for rank in 0..self.program.ranks.len() {
            let open = self.program.ranks[rank].requests.places(CallRequest::open);
            for &at in &open {
                self.program.ranks[rank].actions.set(at, Action::NoOperation);
                let reason = "it is never complete, so its source is unknown";
                self.program.inexpressible("a receive", reason, rank as u32, file, end)?;
            }
            let collectives = self.program.ranks[rank].requests.places(CallRequest::collective);
            for &at in &collectives {
                self.program.ranks[rank].actions.set(at, Action::NoOperation);
                let reason = "it is never complete, so its kind is unknown";
                self.program.inexpressible("a collective that does not block", reason, rank as u32, file, end)?;
                self.collectives.dropped(&mut self.program, rank as u32, at, file)?;
            }
        }
        self.collectives.finish(&mut self.program, file)?;
        if self.others > 0 {
            self.program.remark(
                file,
                format!("{} events of threads and devices other than the ranks were ignored", self.others),
            );
        }
        if let Some(text) = self.pauses.told(self.program.ranks.len()) {
            self.program.gaps(file, self.pauses.count, text);
        }
        self.program.finish(name, file)
    }
}
