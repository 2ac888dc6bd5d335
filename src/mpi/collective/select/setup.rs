//! Discovery of the ranks on each host.
//!
//! SimGrid's node-aware selectors do it by real messages in the first collective that needs it, once per communicator
//! (`smpi_comm.cpp`, `init_smp`). On small runs these messages cost more than the collective itself.

use super::planner::{Block, Planner, View};
use crate::mpi::collective::{Comm, algorithms};
use crate::trace::CollectiveKind;

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

/// Plans the messages: all members exchange their hosts, the leaders exchange their numbers of ranks and broadcast them
/// on each node, and all agree on whether the nodes are equal.
pub(super) fn exchange(planner: &mut Planner<'_>, view: View<'_>) {
    let word = Block::new(1, 4);
    planner.stage(&algorithms::allgather::RING, view.comm, CollectiveKind::Allgather, 0, word);
    if view.comm == Comm::World {
        planner.among_leaders(&algorithms::allgather::RING, CollectiveKind::Allgather, 0, word);
    }
    planner.stage(&algorithms::bcast_scatter::RING, Comm::Node, CollectiveKind::Bcast, 0, word);
    planner.stage(&algorithms::reduce::NONBLOCKING, view.comm, CollectiveKind::Reduce, 0, word);
    planner.stage(&algorithms::bcast::BINOMIAL, view.comm, CollectiveKind::Bcast, 0, word);
}
