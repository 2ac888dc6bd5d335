//! Asking for memory some turns before it is needed.
//!
//! With tens of thousands of ranks their state, their actions and what is posted for them are in no cache, and one turn after the other
//! would wait for them. But when many ranks are ready at one instant their order is known, so the memory of a later turn can
//! travel while this one is at work. Each stage needs what the stage before it has asked for: the rank, then its
//! action, then what the action is about.

use super::process::State;
use super::{Engine, Observer};
use crate::ids::Rank;
use crate::network::sharing::Sharing;
use crate::prefetch::prefetch;
use crate::trace::Action;

/// How many turns ahead a rank, its next action, and what that action is about are asked for. A turn takes about as long as a
/// third of a wait for memory; the last turns of an instant go without.
const RANK: usize = 24;
const ACTION: usize = 16;
const SUBJECT: usize = 8;

/// Beyond so many ranks, what their turns need is no longer in the caches of a core.
const CACHED: u32 = 4096;

/// Whether it is worth while to ask.
pub(super) fn are_many(ranks: u32) -> bool {
    ranks > CACHED
}

/// How many arrivals ahead a message, and the rank that waits for it, are asked for.
const MESSAGE: usize = 16;
const WAITING: usize = 8;

impl<O: Observer, S: Sharing> Engine<'_, O, S> {
    /// Puts the ranks that are ready in ascending order where they are more than the caches hold and where any order will do: what
    /// belongs to them, and what their messages then take, lies in that order, and memory that is read in order comes by itself.
    #[inline]
    pub(super) fn line_up(&mut self) {
        if self.ready.len() > CACHED as usize && !self.turns {
            self.ready.make_contiguous().sort_unstable();
        }
    }

    /// Asks for what the ranks need whose turns come soon.
    #[inline]
    pub(super) fn ask_for_turns(&self) {
        let Some(&rank) = self.ready.get(RANK) else { return };
        let process = &self.processes[rank as usize];
        prefetch(&process.state);
        prefetch(&process.times);
        let process = &self.processes[self.ready[ACTION] as usize];
        if let Some(action) = process.actions.get(process.next) {
            prefetch(action);
        }
        if let State::OnRequest(request) = process.state {
            self.messages.ask_for_request(request);
        }
        let rank = self.ready[SUBJECT];
        let process = &self.processes[rank as usize];
        match process.actions.get(process.next) {
            Some(&(Action::Send { to, .. } | Action::Isend { to, .. })) => {
                self.messages.ask_for_inbox(to);
                self.network.ask_for_routes(self.layout.host(Rank(process.owner)));
            }
            Some(Action::Recv { .. } | Action::Irecv { .. }) => self.messages.ask_for_inbox(process.owner),
            _ => {}
        }
    }

    /// Asks for the messages, and for the ranks that wait for them, whose arrival comes soon.
    #[inline]
    pub(super) fn ask_for_arrivals(&self, arrived: &[u32], at: usize) {
        let Some(&message) = arrived.get(at + MESSAGE) else { return };
        prefetch(self.messages.get(message));
        let destination = self.messages.get(arrived[at + WAITING]).envelope.destination;
        let process = &self.processes[destination as usize];
        prefetch(&process.state);
        prefetch(&process.times);
    }
}
