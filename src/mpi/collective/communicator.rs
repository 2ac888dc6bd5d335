//! Members of the communicators of a stage.

use super::{Comm, Scope, Stage, Vector};
use crate::mpi::rank_map::RankMap;

impl Comm {
    /// Returns the number of members, as `rank` sees it.
    pub fn size(self, rank_map: &RankMap, rank: u32) -> u32 {
        match self {
            Self::World => rank_map.ranks(),
            Self::Node => rank_map.node_sizes()[rank_map.node(rank) as usize],
            Self::Leaders => rank_map.nodes().len() as u32,
        }
    }

    /// Returns the index of `rank` among the members. Only leaders get stages on the leaders.
    pub fn index_of(self, rank_map: &RankMap, rank: u32) -> u32 {
        match self {
            Self::World => rank,
            Self::Node => rank_map.index_in_node(rank),
            Self::Leaders => rank_map.node(rank),
        }
    }

    /// Returns the world rank of member `index` of the communicator that `rank` is in.
    #[inline]
    pub fn rank_of(self, rank_map: &RankMap, rank: u32, index: u32) -> u32 {
        match self {
            Self::World => index,
            Self::Node => rank_map.nodes()[rank_map.node(rank) as usize][index as usize],
            Self::Leaders => rank_map.nodes()[index as usize][0],
        }
    }
}

impl Stage {
    /// Returns the input of the stage's `steps` function for `rank`. `send_counts` and `recv_counts` are those of the
    /// call.
    pub fn scope<'a>(
        &'a self,
        rank_map: &'a RankMap,
        rank: u32,
        send_counts: &'a [u32],
        recv_counts: &'a [u32],
    ) -> Scope<'a> {
        Scope {
            size: self.comm.size(rank_map, rank),
            me: self.comm.index_of(rank_map, rank),
            counts: match self.vector {
                Vector::None => &[],
                Vector::SendCounts => send_counts,
                Vector::RecvCounts => recv_counts,
                Vector::NodeSizes => rank_map.node_sizes(),
            },
            received: recv_counts,
            stage: self,
        }
    }
}
