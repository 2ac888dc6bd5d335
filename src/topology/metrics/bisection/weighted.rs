//! Graph of switches as methods of bisection need it: the weight of the cables between neighbours.

use crate::ids::SwitchId;
use crate::topology::graph::Graph;

/// Counting of arcs in a directed graph. In an undirected graph both variants count cables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Every arc between the halves, in either direction.
    #[default]
    Arcs,
    /// Arcs in both directions between two switches count once, as does every bundle of parallel cables.
    Merged,
}

/// Neighbours with weights: the cost if a neighbour is in the other half.
pub(super) struct Weighted {
    pub first: Vec<usize>,
    pub ends: Vec<u32>,
    pub weights: Vec<u32>,
}

impl Weighted {
    /// Returns the neighbours of all switches, with weights by that counting.
    pub fn of(graph: &Graph, counting: Counting) -> Self {
        let n = graph.switches();
        let (mut first, mut ends, mut weights) = (vec![0], Vec::new(), Vec::<u32>::new());
        let mut around: Vec<u32> = Vec::new();
        for switch in (0..n as u32).map(SwitchId) {
            around.clear();
            around.extend(graph.heads_of(switch));
            if graph.is_directed() {
                around.extend(graph.in_arcs(switch).map(|arc| graph.tail(arc).0));
                around.sort_unstable();
            }
            for same in around.chunk_by(|a, b| a == b) {
                ends.push(same[0]);
                weights.push(if counting == Counting::Merged { 1 } else { same.len() as u32 });
            }
            first.push(ends.len());
        }
        Self { first, ends, weights }
    }

    /// Returns the number of switches.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the neighbours of a switch, with their weights.
    pub fn around(&self, switch: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let range = self.first[switch]..self.first[switch + 1];
        self.ends[range.clone()]
            .iter()
            .zip(&self.weights[range])
            .map(|(&end, &weight)| (end as usize, u64::from(weight)))
    }

    /// Returns the weight between two halves.
    pub fn cut(&self, side: &[bool]) -> u64 {
        let crossing =
            |v: usize| self.around(v).filter(|&(u, _)| side[u] && !side[v]).map(|(_, weight)| weight).sum::<u64>();
        (0..self.len()).map(crossing).sum()
    }
}
