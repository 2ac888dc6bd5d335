//! Discovery of the ranks on each host.
//!
//! SimGrid's node-aware selectors do it by real messages in the first collective that needs it, once per communicator
//! (`smpi_comm.cpp`, `init_smp`). On small runs these messages cost more than the collective itself.

use super::planner::{Block, Planner, View};
use crate::mpi::collective::{Comm, algorithms};
use crate::trace::CollectiveKind;

impl Planner<'_> {
    /// Plans the messages: all members exchange their hosts, the leaders exchange their numbers of ranks and broadcast them
    /// on each node, and all agree on whether the nodes are equal.
    pub(super) fn exchange_hosts(&mut self, view: View<'_>) {
        let word = Block::new(1, 4);
        self.stage(&algorithms::allgather::RING, view.comm, CollectiveKind::Allgather, 0, word);
        if view.comm == Comm::World {
            self.among_leaders(&algorithms::allgather::RING, CollectiveKind::Allgather, 0, word);
        }
        self.stage(&algorithms::bcast_scatter::RING, Comm::Node, CollectiveKind::Bcast, 0, word);
        self.stage(&algorithms::reduce::NONBLOCKING, view.comm, CollectiveKind::Reduce, 0, word);
        self.stage(&algorithms::bcast::BINOMIAL, view.comm, CollectiveKind::Bcast, 0, word);
    }
}
