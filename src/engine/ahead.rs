//! Prefetching memory some turns before it is needed.
//!
//! With thousands of ranks their state, their actions and their posted messages are in no near cache, and one turn
//! after another would wait for them. But when many ranks are ready at one instant their order is known, so the memory
//! of a later turn can arrive during this one. Each stage needs the data prefetched by the one before: the rank, then
//! its action, then the operands of the action.

use super::observer::Observer;
use super::process::{CollectiveProgress, State};
use super::state::Engine;
use crate::ids::Rank;
use crate::network::Transfers;
use crate::prefetch::prefetch;
use crate::trace::Action;

/// Number of turns by which a rank, its next action, and the operands of that action are prefetched. A turn takes about
/// a third of a memory latency; the last turns of an instant go without.
const RANK: usize = 24;
const ACTION: usize = 16;
const SUBJECT: usize = 8;

/// Number of messages of a wait-all that are prefetched: halos have a dozen, and more would be evicted before use.
const REQUESTS: usize = 16;

/// Number of ranks ready at one instant from which their order matters as well: beyond it, no cache holds their data.
const LINED_UP: usize = 4096;

/// Number of arrivals by which a message, and the rank that waits for it, are prefetched.
const MESSAGE: usize = 16;
const WAITING: usize = 8;

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// Sorts ready ranks in ascending order where there are very many and any order will do: their state, and that of
    /// their messages, is stored in that order, and the hardware prefetches sequential reads.
    #[inline]
    pub(super) fn line_up(&mut self) {
        if self.ready.len() > LINED_UP && !self.turns {
            self.ready.make_contiguous().sort_unstable();
        }
    }

    /// Prefetches the data of ranks whose turns come soon.
    #[inline]
    pub(super) fn prefetch_turns(&self) {
        let Some(&rank) = self.ready.get(RANK) else { return };
        let process = &self.processes[rank as usize];
        prefetch(&process.state);
        prefetch(&process.times);
        prefetch(&process.collective);
        prefetch(&process.set);
        let process = &self.processes[self.ready[ACTION] as usize];
        if process.collects {
            let CollectiveProgress { steps, step, .. } = &process.collective;
            steps.get(*step).into_iter().for_each(prefetch);
        } else {
            process.actions.get(process.next).into_iter().for_each(prefetch);
        }
        match process.state {
            State::OnRequest(request) => self.messages.prefetch_request(request),
            State::OnSet { .. } => process.set.first().into_iter().for_each(prefetch),
            _ => {}
        }
        let rank = self.ready[SUBJECT];
        let process = &self.processes[rank as usize];
        if let State::OnSet { .. } = process.state {
            process.set.iter().take(REQUESTS).for_each(|&request| self.messages.prefetch_request(request));
        }
        match process.actions.get(process.next) {
            // Finding the next messages of a collective takes much work; the ranks of those messages are close at hand.
            _ if process.collects => {
                self.messages.prefetch_inbox(process.owner);
                self.network.prefetch_routes(self.rank_map.host(Rank(process.owner)));
            }
            Some(&(Action::Send { to, .. } | Action::Isend { to, .. })) => {
                self.messages.prefetch_inbox(to);
                self.network.prefetch_routes(self.rank_map.host(Rank(process.owner)));
            }
            Some(Action::Recv { .. } | Action::Irecv { .. }) => self.messages.prefetch_inbox(process.owner),
            _ => {}
        }
    }

    /// Prefetches messages that arrive soon, and the ranks that wait for them.
    #[inline]
    pub(super) fn prefetch_arrivals(&self, arrived: &[u32], at: usize) {
        let Some(&message) = arrived.get(at + MESSAGE) else { return };
        prefetch(self.messages.get(message));
        let destination = self.messages.get(arrived[at + WAITING]).envelope.destination;
        let process = &self.processes[destination as usize];
        prefetch(&process.state);
        prefetch(&process.times);
    }
}
