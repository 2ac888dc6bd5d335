//! Boundaries of iterations, where ranks may leave out the iterations up to the last one.

use super::observer::Observer;
use super::state::Engine;
use crate::network::Transfers;

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// Ends the cursor of each rank before the first iteration.
    pub(super) fn end_before_iterations(&mut self) {
        let Some(skip) = &self.skip else { return };
        for (rank, actions) in self.trace.actions.iter().enumerate() {
            self.processes[rank].actions.end_at(actions, skip.stop.iterations.start(rank, 0));
        }
    }

    /// Moves a rank at the end of its cursor past a boundary of iterations; `false` if it is at its end.
    #[cold]
    pub(super) fn pass_boundary(&mut self, rank: u32) -> bool {
        let Some(skip) = &mut self.skip else { return false };
        let number = skip.stop.iterations.number;
        if skip.next[rank as usize] > number {
            return false;
        }
        let boundary = skip.pass(rank, self.now);
        let leaves = skip.leave.is_some_and(|(leave, _)| leave == boundary);
        let next = if leaves { number + 1 } else { boundary + 1 };
        skip.next[rank as usize] = next;
        let start = |boundary| skip.stop.iterations.start(rank as usize, boundary);
        let actions = &self.trace.actions[rank as usize];
        let end = if next > number { actions.len() } else { start(next) };
        let process = &mut self.processes[rank as usize];
        if leaves {
            process.next = start(number);
        }
        process.actions.end_at(actions, end);
        true
    }
}
