//! All shortest paths of one pair, by searches from both of its ends.
//!
//! Rules that choose among shortest next hops need the distances to the destination. A search from the destination
//! finds them for all switches, at the cost of a visit to every arc; that pays for a destination with many queries. For
//! a single pair of a large network, a search from the source and one against the arcs from the destination meet
//! half-way. The distances are then valid on all shortest paths of the pair, where such a rule needs them: a next hop
//! that is nearer to the destination is on a shortest path itself, so every choice equals that with all distances.

use std::sync::{Mutex, PoisonError};

use crate::ids::SwitchId;
use crate::topology::Graph;
use crate::topology::hops::FAR;

/// Searches for single pairs. Their working memory is kept, one for each concurrent caller.
#[derive(Default)]
pub(super) struct PairSearch {
    idle: Mutex<Vec<PairState>>,
}

/// State of one search; between searches no switch is marked.
struct PairState {
    /// Hops from the source, or [`FAR`].
    gone: Vec<u32>,
    /// Switches with such a distance, level by level.
    ahead: Vec<SwitchId>,
    /// Hops to the destination, or [`FAR`].
    left: Vec<u32>,
    /// Switches with such a distance.
    behind: Vec<SwitchId>,
    /// Number of arcs visited.
    looks: u32,
}

impl PairSearch {
    /// Calls `look` with distances to `to` that are valid on all shortest paths from `from`; elsewhere they are valid
    /// or [`FAR`]. At `from` it is `FAR` if there is no path. Returns its answer, and the number of arcs visited.
    pub fn with<R>(&self, graph: &Graph, from: SwitchId, to: SwitchId, look: impl FnOnce(&[u32]) -> R) -> (R, u32) {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut search = taken.unwrap_or_else(|| PairState::new(graph.switches()));
        search.looks = 0;
        search.run(graph, from, to);
        let result = look(&search.left);
        let looks = search.looks;
        search.forget();
        idle().push(search);
        (result, looks)
    }
}

impl PairState {
    fn new(switches: usize) -> Self {
        Self { gone: vec![FAR; switches], ahead: Vec::new(), left: vec![FAR; switches], behind: Vec::new(), looks: 0 }
    }

    fn run(&mut self, graph: &Graph, from: SwitchId, to: SwitchId) {
        self.gone[from.index()] = 0;
        self.ahead.push(from);
        self.left[to.index()] = 0;
        self.behind.push(to);
        if from == to {
            return;
        }
        // Start of the outermost level of each search. The smaller one advances by a level, until they meet.
        let (mut fore, mut aft) = (0, 0);
        let met = loop {
            let (ahead, behind) = (self.ahead.len() - fore, self.behind.len() - aft);
            if ahead == 0 || behind == 0 {
                break false;
            }
            let met = if ahead <= behind { self.forwards(graph, &mut fore) } else { self.backwards(graph, &mut aft) };
            if met {
                break true;
            }
        };
        if met {
            self.mark(graph, fore);
        }
    }

    /// Advances the search from the source by a level.
    fn forwards(&mut self, graph: &Graph, fore: &mut usize) -> bool {
        let level = *fore..self.ahead.len();
        *fore = level.end;
        let mut met = false;
        for at in level {
            let switch = self.ahead[at];
            let hops = self.gone[switch.index()] + 1;
            let heads = graph.heads_of(switch);
            self.looks += heads.len() as u32;
            for &head in heads {
                if self.gone[head as usize] == FAR {
                    self.gone[head as usize] = hops;
                    self.ahead.push(SwitchId(head));
                    met |= self.left[head as usize] != FAR;
                }
            }
        }
        met
    }

    /// Advances the search from the destination by a level.
    fn backwards(&mut self, graph: &Graph, aft: &mut usize) -> bool {
        let level = *aft..self.behind.len();
        *aft = level.end;
        let mut met = false;
        for at in level {
            let switch = self.behind[at];
            let hops = self.left[switch.index()] + 1;
            let arcs = graph.in_arcs(switch);
            self.looks += arcs.len() as u32;
            for arc in arcs {
                let tail = graph.tail(arc);
                if self.left[tail.index()] == FAR {
                    self.left[tail.index()] = hops;
                    self.behind.push(tail);
                    met |= self.gone[tail.index()] != FAR;
                }
            }
        }
        met
    }

    /// Finds the distances to the destination of the switches that the search from the source reached and that are on a
    /// shortest path, level by level back to the source. Both searches have ended with a whole level, so all switches
    /// where they meet are in the outermost one from the source.
    fn mark(&mut self, graph: &Graph, fore: usize) {
        let mut level: Vec<SwitchId> =
            self.ahead[fore..].iter().copied().filter(|switch| self.left[switch.index()] != FAR).collect();
        while let Some(&any) = level.first() {
            let gone = self.gone[any.index()];
            if gone == 0 {
                return;
            }
            let mut before = Vec::new();
            for switch in std::mem::take(&mut level) {
                let hops = self.left[switch.index()] + 1;
                let arcs = graph.in_arcs(switch);
                self.looks += arcs.len() as u32;
                for arc in arcs {
                    let tail = graph.tail(arc);
                    if self.gone[tail.index()] == gone - 1 && self.left[tail.index()] == FAR {
                        self.left[tail.index()] = hops;
                        self.behind.push(tail);
                        before.push(tail);
                    }
                }
            }
            level = before;
        }
    }

    fn forget(&mut self) {
        for switch in self.ahead.drain(..) {
            self.gone[switch.index()] = FAR;
        }
        for switch in self.behind.drain(..) {
            self.left[switch.index()] = FAR;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::hops::{distances, nearer};
    use proptest::prelude::*;

    /// Returns the arcs of all shortest paths, by these distances.
    fn arcs(graph: &Graph, left: &[u32], from: SwitchId) -> Vec<u32> {
        let (mut found, mut at) = (Vec::new(), vec![from]);
        while let Some(switch) = at.pop() {
            for arc in nearer(graph, left, switch) {
                if !found.contains(&arc.0) {
                    found.push(arc.0);
                    at.push(graph.head(arc));
                }
            }
        }
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn all_shortest_paths_are_found(
            n in 1usize..30, directed: bool, pairs in prop::collection::vec((0u32..30, 0u32..30), 0..100)
        ) {
            let pairs = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = Graph::with_parallel_cables(n, directed, pairs).unwrap();
            let searches = PairSearch::default();
            for from in (0..n as u32).map(SwitchId) {
                for to in (0..n as u32).map(SwitchId) {
                    let (all, _) = distances(&graph, to);
                    let (found, _) = searches.with(&graph, from, to, |left| {
                        let right = left.iter().zip(&all).all(|(left, all)| left == all || *left == FAR);
                        (left[from.index()], right, arcs(&graph, left, from))
                    });
                    prop_assert_eq!(found, (all[from.index()], true, arcs(&graph, &all, from)));
                }
            }
        }
    }
}
