//! Node structure: the ranks on each host, for SMP-aware collectives.

use crate::ids::{HostId, Rank};

/// Ranks of the world communicator, or members of another one, grouped by host.
///
/// Nodes are numbered by their leader, the lowest rank on the host, so that the list of leaders is sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankMap {
    host_of_rank: Vec<HostId>,
    node_of_rank: Vec<u32>,
    index_in_node: Vec<u32>,
    nodes: Vec<Vec<u32>>,
    node_sizes: Vec<u32>,
    uniform: bool,
    blocked: bool,
}

impl RankMap {
    /// Places each rank on a host of its own, rank `r` on host `r`.
    pub fn one_each(ranks: usize) -> Self {
        Self::new((0..ranks).map(HostId::new).collect())
    }

    /// Groups the ranks; `hosts[r]` is the host of rank `r`.
    pub fn new(hosts: Vec<HostId>) -> Self {
        let mut node_of_host = rustc_hash::FxHashMap::default();
        let mut nodes: Vec<Vec<u32>> = Vec::new();
        let mut node_of_rank = Vec::with_capacity(hosts.len());
        let mut index_in_node = Vec::with_capacity(hosts.len());
        for (rank, host) in hosts.iter().enumerate() {
            let node = *node_of_host.entry(*host).or_insert_with(|| {
                nodes.push(Vec::new());
                nodes.len() - 1
            });
            node_of_rank.push(node as u32);
            index_in_node.push(nodes[node].len() as u32);
            nodes[node].push(rank as u32);
        }
        let node_sizes: Vec<u32> = nodes.iter().map(|n| n.len() as u32).collect();
        Self {
            uniform: node_sizes.windows(2).all(|w| w[0] == w[1]),
            blocked: nodes.iter().all(|n| n[n.len() - 1] - n[0] + 1 == n.len() as u32),
            host_of_rank: hosts,
            node_of_rank,
            index_in_node,
            nodes,
            node_sizes,
        }
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> u32 {
        self.host_of_rank.len() as u32
    }

    /// Returns the host of a rank.
    #[inline]
    pub fn host(&self, rank: Rank) -> HostId {
        self.host_of_rank[rank.index()]
    }

    /// Returns the number of the node that a rank is on.
    pub fn node(&self, rank: u32) -> u32 {
        self.node_of_rank[rank as usize]
    }

    /// Returns the position of a rank among the ranks of its node.
    pub fn index_in_node(&self, rank: u32) -> u32 {
        self.index_in_node[rank as usize]
    }

    /// Returns the ranks of each node, ascending; nodes in the order of their leaders.
    pub fn nodes(&self) -> &[Vec<u32>] {
        &self.nodes
    }

    /// Returns the number of ranks on each node.
    pub fn node_sizes(&self) -> &[u32] {
        &self.node_sizes
    }

    /// `true` if all nodes have the same number of ranks.
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }

    /// `true` if the ranks of each node are consecutive.
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_ranks_by_host() {
        // Hosts 5 5 2 2 5: nodes {0, 1, 4} and {2, 3}; neither uniform nor blocked.
        let rank_map = RankMap::new([5, 5, 2, 2, 5].map(HostId).to_vec());
        assert_eq!(rank_map.nodes(), [vec![0, 1, 4], vec![2, 3]]);
        assert_eq!(rank_map.node_sizes(), [3, 2]);
        assert_eq!((rank_map.node(4), rank_map.index_in_node(4)), (0, 2));
        assert!(!rank_map.is_uniform() && !rank_map.is_blocked());
        let rank_map = RankMap::new([1, 1, 0, 0].map(HostId).to_vec());
        assert!(rank_map.is_uniform() && rank_map.is_blocked());
    }
}
