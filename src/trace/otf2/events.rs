//! The events, as actions.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::collectives::{Told, kind, settle};
use super::definitions::{Comm, Definitions};
use super::event::{Collective, Event, Message, Region, What};
use super::one_sided::Windows;
use crate::trace::calls::{At, Program, Request};
use crate::trace::communicator::twice;
use crate::trace::error::TraceError;
use crate::trace::{Action, CommunicatorId, Datatype, Effect, Options, Trace};

/// The state of the events.
pub(super) struct Events<'o> {
    pub definitions: Definitions,
    pub program: Program<'o>,
    /// The communicators met so far; none for those of a single rank, and for those whose members are not known.
    comms: FxHashMap<u64, Result<CommunicatorId, Without>>,
    pub windows: Windows,
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

impl<'o> Events<'o> {
    /// `format` is the name in messages.
    pub fn new(format: &'static str, definitions: Definitions, options: &'o Options) -> Self {
        let ranks = definitions.ranks();
        Self {
            definitions,
            program: Program::new(format, options, ranks),
            comms: FxHashMap::default(),
            windows: Windows::default(),
            told: vec![Vec::new(); ranks],
            depth: vec![0; ranks],
            pending: FxHashMap::default(),
            others: 0,
        }
    }

    /// The rank that a location is, if it is one.
    pub fn rank(&self, location: u64) -> Option<u32> {
        self.definitions.rank(location)
    }

    /// Counts events of locations that are no ranks.
    pub fn count_others(&mut self, events: u64) {
        self.others += events;
    }

    /// Takes an event of a rank.
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
                let at = self.program.ranks[rank as usize].actions.len();
                // Source, tag and size follow when it is complete.
                let unknown = Action::Irecv { from: u32::MAX, tag: 0, count: 0, datatype: Datatype::BYTE };
                self.program.push(rank, unknown);
                self.program.ranks[rank as usize].requests.insert(request, Request::Open(at));
            }
            What::SendComplete(request) => {
                if !matches!(self.program.wait(rank, request, None), Ok(true)) {
                    return Err(self.missing(request, event));
                }
            }
            What::RequestTested => {
                let what = "a test that finds nothing complete: no effect";
                self.program.note(Effect::Approximated, what, rank, event.file, event.at);
            }
            What::RequestCancelled(request) => {
                if let Some(Request::Open(at)) = self.program.ranks[rank as usize].requests.remove(request) {
                    self.program.ranks[rank as usize].actions[at] = Action::NoOperation;
                }
                let what = "a request that was cancelled: not replayed";
                self.program.note(Effect::LeftOut, what, rank, event.file, event.at);
            }
            What::Collective(collective) => return self.collective(None, collective, event),
            What::CollectivePosted(request) => {
                let at = self.program.open_collective(rank, request);
                if self.pending.insert((rank, request), at).is_some() {
                    let problem = format!("request {request} begins again before it is complete");
                    return Err(self.program.error(event.file, event.at, problem, "check that the trace is whole"));
                }
            }
            What::CollectiveComplete(collective, request) => {
                let Some(at) = self.pending.remove(&(rank, request)) else { return Err(self.missing(request, event)) };
                let told = self.told[rank as usize].len();
                self.collective(Some(at), collective, event)?;
                let kept = self.told[rank as usize].len() > told;
                // It is there: it was opened.
                let _ = self.program.wait(rank, request, None);
                if !kept {
                    let actions = &mut self.program.ranks[rank as usize].actions;
                    actions[at] = Action::NoOperation;
                    actions.pop();
                }
            }
            What::OneSided(what) => return self.one_sided(event, what),
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
        // Computation ends here; that the call has ended is told when it is left.
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

    /// Partner, tag and elements of a message.
    fn message(&mut self, message: Message, event: &Event<'_>) -> Result<(u32, i32, u32, Datatype), TraceError> {
        let Message { partner, comm, tag, bytes } = message;
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

    fn send(&mut self, message: Message, request: Option<u64>, event: &Event<'_>) -> Result<(), TraceError> {
        let (to, tag, count, datatype) = self.message(message, event)?;
        match request {
            Some(request) => self.program.post(event.rank, request, Action::Isend { to, tag, count, datatype }),
            None => self.program.push(event.rank, Action::Send { to, tag, count, datatype }),
        }
        Ok(())
    }

    /// A receive with a request is complete: now its source is known.
    fn received(&mut self, message: Message, request: u64, event: &Event<'_>) -> Result<(), TraceError> {
        let rank = event.rank;
        let (from, tag, count, datatype) = self.message(message, event)?;
        let state = &mut self.program.ranks[rank as usize];
        let Some(Request::Open(at)) = state.requests.remove(request) else {
            return Err(self.missing(request, event));
        };
        state.actions[at] = Action::Irecv { from, tag, count, datatype };
        self.program.push(rank, Action::Wait { source: from, destination: rank, tag });
        Ok(())
    }

    /// A collective has ended; `at` says where it was started, if it did not block.
    fn collective(&mut self, at: Option<usize>, told: Collective<'_>, event: &Event<'_>) -> Result<(), TraceError> {
        let rank = event.rank;
        let Some(kind) = kind(told.operation) else {
            // Communicators and windows are made; nothing of it is replayed.
            return Ok(());
        };
        let communicator = match self.communicator(told.comm) {
            Ok(communicator) => communicator,
            Err(Without::Alone) => return Ok(()),
            Err(Without::Unknown) => {
                let call = format!("a collective ({})", kind.name());
                let reason = "the members of its communicator are not defined";
                return self.program.inexpressible(&call, reason, rank, event.file, event.at);
            }
        };
        let members = self.program.members(communicator);
        let root = told.root.map(|location| self.definitions.rank(location).and_then(|root| members.member(root)));
        let root = match root {
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
        self.told[rank as usize].push(Told { at, place: event.at, kind, communicator, root, sent, received });
        Ok(())
    }

    fn missing(&self, request: u64, event: &Event<'_>) -> TraceError {
        let problem = format!("there is no request {request} to complete");
        self.program.error(event.file, event.at, problem, "check that the trace is whole")
    }

    /// The trace, once all events are taken.
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
