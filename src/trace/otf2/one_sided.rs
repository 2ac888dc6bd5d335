//! One-sided communication: windows, operations and their completion.
//!
//! A window is a separate communicator, with the members of the one on which it is defined. Waits are recorded
//! operation by operation; actions wait for all operations of the rank on a target. An operation that completes after
//! one such wait therefore needs no other.

use super::collectives::kind;
use super::event::{Event, Ignored, Member, OneSided};
use super::events::Events;
use crate::trace::action::ANY_TARGET;
use crate::trace::communicator::twice;
use crate::trace::error::TraceError;
use crate::trace::{Action, CommunicatorId, Effect};

/// Destination of an operation: the window and the rank.
type WindowRank = (CommunicatorId, u32);

impl Events<'_> {
    /// Processes an event of one-sided communication.
    pub fn one_sided(&mut self, event: &Event<'_>, what: OneSided<'_>) -> Result<(), TraceError> {
        let rank = event.rank;
        match what {
            OneSided::Put { window, target, bytes, operation } => {
                let Some((id, to)) = self.place("RMA_PUT", window, target, event)? else { return Ok(()) };
                let (count, datatype) = self.program.elements(bytes, rank, event.file, event.at)?;
                self.program.push(rank, Action::Put { to, window: id, count, datatype });
                self.windows.begin(rank, window, operation, to);
            }
            OneSided::Get { window, target, bytes, operation } => {
                let Some((id, from)) = self.place("RMA_GET", window, target, event)? else { return Ok(()) };
                let (count, datatype) = self.program.elements(bytes, rank, event.file, event.at)?;
                self.program.push(rank, Action::Get { from, window: id, count, datatype });
                self.windows.begin(rank, window, operation, from);
            }
            OneSided::Atomic { window, target, sent, received, operation } => {
                let Some((id, to)) = self.place("RMA_ATOMIC", window, target, event)? else { return Ok(()) };
                let (count, datatype) = self.program.elements(sent, rank, event.file, event.at)?;
                self.program.push(rank, Action::Accumulate { to, window: id, count, datatype });
                if received > 0 {
                    self.note("RMA_ATOMIC that gets something: as an accumulate and a get", event);
                    let (count, datatype) = self.program.elements(received, rank, event.file, event.at)?;
                    self.program.push(rank, Action::Get { from: to, window: id, count, datatype });
                }
                self.windows.begin(rank, window, operation, to);
            }
            OneSided::Complete { window, operation, by_request } => {
                // Operations that a fence has already waited for, and dropped ones, need no wait.
                let Some(id) = self.window(window) else { return Ok(()) };
                if let Some((to, more)) = self.windows.complete(rank, window, operation) {
                    if more && by_request {
                        self.note("a wait for one operation: waits for all of the rank's on that target", event);
                    }
                    self.program.push(rank, Action::Flush { window: id, to });
                }
            }
            OneSided::Release { window, target } => {
                const CALL: &str = "RMA_RELEASE_LOCK";
                let known = match target {
                    Member::Nobody => self.known(CALL, window, event)?.map(|id| (id, ANY_TARGET)),
                    target => self.place(CALL, window, target, event)?,
                };
                let Some((id, to)) = known else { return Ok(()) };
                self.windows.wait(rank, window, (to != ANY_TARGET).then_some(to));
                self.program.push(rank, Action::Flush { window: id, to });
            }
            OneSided::Collective { window, operation } => return self.ends(window, operation, event),
            OneSided::GroupSync => {
                let reason = "only fences, locks and flushes are simulated";
                self.program.inexpressible("RMA_GROUP_SYNC", reason, rank, event.file, event.at)?;
            }
            OneSided::Ignored(ignored) => {
                let name = ignored.name();
                let (effect, what) = match ignored {
                    Ignored::RequestLock | Ignored::AcquireLock | Ignored::TryLock => {
                        (Effect::Approximated, format!("{name}: locks of windows do not wait"))
                    }
                    Ignored::Sync | Ignored::WaitChange => (Effect::LeftOut, format!("{name}: not replayed")),
                    Ignored::Test => {
                        let what = "a test of a one-sided operation that is not complete: no effect";
                        (Effect::Approximated, what.to_owned())
                    }
                };
                self.program.note(effect, what, rank, event.file, event.at);
            }
        }
        Ok(())
    }

    fn note(&mut self, what: &str, event: &Event<'_>) {
        self.program.note(Effect::Approximated, what, event.rank, event.file, event.at);
    }

    /// Processes the end of a collective of a window.
    fn ends(&mut self, window: u64, operation: &[u8], event: &Event<'_>) -> Result<(), TraceError> {
        let rank = event.rank;
        match operation {
            // Creating a window costs nothing, like creating a communicator.
            b"CREATE_HANDLE" | b"ALLOCATE" | b"CREATE_HANDLE_AND_ALLOCATE" => Ok(()),
            // Freeing a window is also a barrier after all operations.
            b"BARRIER" | b"DESTROY_HANDLE" | b"DEALLOCATE" | b"DESTROY_HANDLE_AND_DEALLOCATE" => {
                if let Some(window_id) = self.known("RMA_COLLECTIVE_END", window, event)? {
                    self.windows.wait(rank, window, None);
                    self.program.push(rank, Action::Fence { window: window_id });
                }
                Ok(())
            }
            operation => {
                let name = kind(operation).map_or("unknown", |kind| kind.name());
                let call = format!("RMA_COLLECTIVE_END ({name})");
                let reason = "of the collectives of a window only barriers are simulated";
                self.program.inexpressible(&call, reason, rank, event.file, event.at)
            }
        }
    }

    /// Returns window and target of an operation; `None` if the members are not known and the operation may be dropped.
    fn place(
        &mut self,
        call: &str,
        window: u64,
        target: Member,
        event: &Event<'_>,
    ) -> Result<Option<WindowRank>, TraceError> {
        let Some(id) = self.known(call, window, event)? else { return Ok(None) };
        let Some(target) = self.location(target, || format!("window {window}"), event)? else {
            let problem = format!("{call} has no target");
            return Err(self.program.error(event.file, event.at, problem, "check the trace"));
        };
        match self.rank(target).filter(|&target| self.program.members(id).member(target).is_some()) {
            Some(to) => Ok(Some((id, to))),
            None => {
                let problem = format!("location {target} is no rank of the window");
                Err(self.program.error(event.file, event.at, problem, "check the trace"))
            }
        }
    }

    fn known(&mut self, call: &str, window: u64, event: &Event<'_>) -> Result<Option<CommunicatorId>, TraceError> {
        let id = self.window(window);
        let is_member = id.is_some_and(|id| self.program.members(id).member(event.rank).is_some());
        if !is_member {
            let reason = "the members of its window are not defined, or the rank is none of them";
            self.program.inexpressible(call, reason, event.rank, event.file, event.at)?;
        }
        Ok(id.filter(|_| is_member))
    }

    /// Returns a window by its definition.
    fn window(&mut self, window: u64) -> Option<CommunicatorId> {
        let (definitions, program) = (&self.definitions, &mut self.program);
        *self.windows.known.entry(window).or_insert_with(|| {
            let members = definitions.comm_of_window(window).and_then(|comm| definitions.ranks_of(comm))?;
            (!members.is_empty() && twice(&members).is_none()).then(|| program.declare(&members))
        })
    }
}
