//! Asking for memory some turns before it is needed.
//!
//! With thousands of ranks their state, their actions and what is posted for them are in no near cache, and one turn
//! after the other would wait for them. But when many ranks are ready at one instant their order is known, so the
//! memory of a later turn can travel while this one is at work. Each stage needs what the stage before it has asked
//! for: the rank, then its action, then what the action is about.

use super::process::{Progress, State};
use super::{Engine, Observer};
use crate::ids::Rank;
use crate::network::Transfers;
use crate::prefetch::prefetch;
use crate::trace::Action;

/// How many turns ahead a rank, its next action, and what that action is about are asked for. A turn takes about as
/// long as a third of a wait for memory; the last turns of an instant go without.
const RANK: usize = 24;
const ACTION: usize = 16;
const SUBJECT: usize = 8;

/// So many messages of a wait for several are asked for: halos have a dozen, and more would be gone before they are
/// needed.
const REQUESTS: usize = 16;

/// Where so many ranks are ready at one instant, their order counts, too: beyond that, no cache holds what they need.
const LINED_UP: usize = 4096;

/// How many arrivals ahead a message, and the rank that waits for it, are asked for.
const MESSAGE: usize = 16;
const WAITING: usize = 8;

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// Puts the ranks that are ready in ascending order where they are very many and where any order will do: what
    /// belongs to them, and what their messages then take, lies in that order, and memory that is read in order comes
    /// by itself.
    #[inline]
    pub(super) fn line_up(&mut self) {
        if self.ready.len() > LINED_UP && !self.turns {
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
        prefetch(&process.collective);
        prefetch(&process.set);
        let process = &self.processes[self.ready[ACTION] as usize];
        if process.collects {
            let Progress { steps, step, .. } = &process.collective;
            steps.get(*step).into_iter().for_each(prefetch);
        } else {
            process.actions.get(process.next).into_iter().for_each(prefetch);
        }
        match process.state {
            State::OnRequest(request) => self.messages.ask_for_request(request),
            State::OnSet { .. } => process.set.first().into_iter().for_each(prefetch),
            _ => {}
        }
        let rank = self.ready[SUBJECT];
        let process = &self.processes[rank as usize];
        if let State::OnSet { .. } = process.state {
            process.set.iter().take(REQUESTS).for_each(|&request| self.messages.ask_for_request(request));
        }
        match process.actions.get(process.next) {
            // Of a collective, the messages to come are not known without much work; whom they come from and go to is
            // close.
            _ if process.collects => {
                self.messages.ask_for_inbox(process.owner);
                self.network.ask_for_routes(self.layout.host(Rank(process.owner)));
            }
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
