//! Knowledge of ranks about each other's hosts.

use crate::mpi::collective::Comm;

/// Knowledge of a rank about the node structure so far. Starts as [`SmpKnown::default`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SmpKnown {
    world: bool,
    node: bool,
}

impl SmpKnown {
    /// `true` if the structure of the communicator is known.
    pub fn knows(self, comm: Comm) -> bool {
        match comm {
            Comm::World => self.world,
            Comm::Node => self.node,
            // Each leader is on a host of its own; no plan queries this.
            Comm::Leaders => true,
        }
    }

    pub(super) fn remember(&mut self, comm: Comm) {
        match comm {
            Comm::World => self.world = true,
            Comm::Node => self.node = true,
            Comm::Leaders => {}
        }
    }
}
