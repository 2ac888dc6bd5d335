//! Pairs of switches without a path, for error messages.

use std::fmt::Write as _;

use super::graph::Graph;
use crate::ids::SwitchId;

/// Number of pairs that are named individually.
const NAMED: usize = 5;

/// Maximum number of steps for counting all pairs: switches times arcs, or times switches if there are more of them.
const MOST_STEPS: usize = 1 << 28;

impl Graph {
    /// Returns a text on the ordered pairs out of these switches without a path: their number, and the first ones by
    /// name. Empty if there is only one pair, or if counting would take long.
    pub(crate) fn unreachable_pairs(&self, among: impl Iterator<Item = SwitchId>) -> String {
        let mut among: Vec<SwitchId> = among.collect();
        among.dedup();
        if among.len().saturating_mul(self.arcs().max(among.len())) > MOST_STEPS {
            return String::new();
        }
        let (mut total, mut named) = (0_usize, Vec::new());
        let mut seen = vec![u32::MAX; self.switches()];
        for &from in &among {
            let mut stack = vec![from];
            seen[from.index()] = from.0;
            while let Some(switch) = stack.pop() {
                for next in self.neighbours(switch) {
                    if std::mem::replace(&mut seen[next.index()], from.0) != from.0 {
                        stack.push(next);
                    }
                }
            }
            for to in among.iter().filter(|to| seen[to.index()] != from.0) {
                total += 1;
                if named.len() < NAMED {
                    named.push(format!("{from} to {to}"));
                }
            }
        }
        if total < 2 {
            return String::new();
        }
        let mut text =
            format!("; {total} of {} pairs have no path: {}", among.len() * (among.len() - 1), named.join(", "));
        if total > named.len() {
            let _ = write!(text, " and {} more", total - named.len());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_are_counted_and_some_named() {
        // 0 - 1 and 2 - 3: each of four switches misses two; a graph with one missing direction has nothing to add.
        let graph = Graph::undirected(4, vec![(0, 1), (2, 3)]).unwrap();
        let all = || (0..4).map(SwitchId);
        let text = graph.unreachable_pairs(all());
        assert_eq!(text, "; 8 of 12 pairs have no path: 0 to 2, 0 to 3, 1 to 2, 1 to 3, 2 to 0 and 3 more");
        assert_eq!(Graph::directed(2, vec![(0, 1)]).unwrap().unreachable_pairs((0..2).map(SwitchId)), "");
        assert_eq!(Graph::undirected(2, vec![(0, 1)]).unwrap().unreachable_pairs((0..2).map(SwitchId)), "");
        // Almost all of a million switches have no cable: few arcs, but too many pairs to count.
        let isolated = Graph::undirected(1_000_000, vec![(0, 1)]).unwrap();
        assert_eq!(isolated.unreachable_pairs((0..1_000_000).map(SwitchId)), "");
    }
}
