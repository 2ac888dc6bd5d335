//! Mapping by recursive bisection: ranks that exchange much data are placed near each other.
//!
//! Ranks and places are bisected together, recursively (dual recursive bipartitioning: F. Pellegrini, Static mapping by
//! dual recursive bipartitioning of process and architecture graphs, SHPCC 1994). Places are halved in their order;
//! ranks so that few bytes cross between the halves: several initial halves, each improved by moves and their best
//! prefix (C. Fiduccia and R. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982), of which
//! the best is kept.
//!
//! Not METIS, because METIS draws from the C library's `rand`, whose numbers differ between systems; here all weights
//! are integers and the generator is PCG64, so that a mapping is the same everywhere.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;

/// Number of initial halves grown from a random vertex.
const GROWN: usize = 6;
/// Most passes over a pair of halves.
const PASSES: usize = 12;
/// Number of exchanges without a new best after which a pass ends.
const PATIENCE: usize = 64;
/// Seed of the generator: a mapping depends on its input alone.
const SEED: u64 = 0x6d6f_7073_696d;

/// Symmetric matrix of weights: the neighbours of each vertex, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Affinity {
    first: Vec<usize>,
    ends: Vec<u32>,
    weights: Vec<i64>,
}

impl Affinity {
    /// Adds up the weights of both directions of pairs among `vertices` vertices. Self-pairs are ignored.
    pub fn new(vertices: usize, pairs: impl IntoIterator<Item = (u32, u32, u64)>) -> Self {
        let mut both: Vec<(u32, u32, u64)> = Vec::new();
        for (a, b, weight) in pairs {
            if a != b {
                both.extend([(a, b, weight), (b, a, weight)]);
            }
        }
        both.sort_unstable();
        let mut affinity = Self { first: vec![0; vertices + 1], ends: Vec::new(), weights: Vec::new() };
        for same in both.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let weight = same.iter().fold(0_u64, |sum, pair| sum.saturating_add(pair.2));
            affinity.ends.push(same[0].1);
            // Gains are sums of differences: this leaves them room.
            affinity.weights.push(weight.min(1 << 52) as i64);
            affinity.first[same[0].0 as usize + 1] = affinity.ends.len();
        }
        for vertex in 0..vertices {
            affinity.first[vertex + 1] = affinity.first[vertex + 1].max(affinity.first[vertex]);
        }
        affinity
    }

    fn around(&self, vertex: u32) -> impl Iterator<Item = (u32, i64)> + '_ {
        let range = self.first[vertex as usize]..self.first[vertex as usize + 1];
        self.ends[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }
}

/// Returns the vertices in an order in which neighbours are near each other; in their original order, if no other
/// bisection has a smaller cut.
pub fn order(graph: &Affinity) -> Vec<u32> {
    let all = (0..graph.first.len().saturating_sub(1) as u32).collect();
    let mut order = Vec::new();
    let mut bisector = Bisector::new(graph);
    let mut rest: Vec<Vec<u32>> = vec![all];
    while let Some(mut set) = rest.pop() {
        if set.len() < 3 {
            order.append(&mut set);
            continue;
        }
        let half = set.len().div_ceil(2);
        let (low, high) = bisector.halves(&set, half, 0);
        rest.extend([high, low]);
    }
    order
}

/// Returns the place of each rank. Consecutive places are near each other; `groups` is the group (switch) of each
/// place, so that halves end between groups where possible.
pub fn place(ranks: &Affinity, groups: &[u32]) -> Vec<u32> {
    let mut places = vec![0; groups.len()];
    let mut bisector = Bisector::new(ranks);
    let all: Vec<u32> = (0..groups.len() as u32).collect();
    let mut rest: Vec<(Vec<u32>, usize)> = vec![(all, 0)];
    while let Some((set, start)) = rest.pop() {
        match set[..] {
            [] => {}
            [one] => places[one as usize] = start as u32,
            _ => {
                let half = split(&groups[start..start + set.len()]);
                let (low, high) = bisector.halves(&set, half, GROWN);
                rest.extend([(low, start), (high, start + half)]);
            }
        }
    }
    places
}

/// Returns the number of places of the first half: the end of a group that is nearest to the middle, if one is in the
/// middle half.
fn split(groups: &[u32]) -> usize {
    let middle = groups.len() / 2;
    let ends = (1..groups.len()).filter(|&at| groups[at - 1] != groups[at]);
    let near = ends.min_by_key(|&at| at.abs_diff(middle));
    near.filter(|at| at.abs_diff(middle) * 4 <= groups.len()).unwrap_or(middle)
}

/// Bisects sets of vertices.
struct Bisector<'a> {
    graph: &'a Affinity,
    random: Pcg64,
    /// Half of a vertex of the set: 0 or 1; elsewhere [`OUTSIDE`].
    side: Vec<u8>,
    /// Gain of moving each vertex to the other half.
    gain: Vec<i64>,
}

const OUTSIDE: u8 = 2;

impl<'a> Bisector<'a> {
    fn new(graph: &'a Affinity) -> Self {
        let vertices = graph.first.len().saturating_sub(1);
        let random = Pcg64::seed_from_u64(SEED);
        Self { graph, random, side: vec![OUTSIDE; vertices], gain: vec![0; vertices] }
    }

    /// Returns the best halves found, the first with `low` vertices; both in rising order of vertices.
    fn halves(&mut self, set: &[u32], low: usize, grown: usize) -> (Vec<u32>, Vec<u32>) {
        let mut best: Option<(i64, Vec<u32>)> = None;
        for start in 0..=grown {
            if start == 0 {
                set.iter().enumerate().for_each(|(at, &vertex)| self.side[vertex as usize] = u8::from(at >= low));
            } else {
                self.grow(set, low);
            }
            self.improve(set);
            let cut = self.cut(set);
            if best.as_ref().is_none_or(|(least, _)| cut < *least) {
                best = Some((cut, set.iter().copied().filter(|&v| self.side[v as usize] == 0).collect()));
            }
        }
        let first = best.map(|(_, first)| first).unwrap_or_default();
        set.iter().for_each(|&vertex| self.side[vertex as usize] = OUTSIDE);
        first.iter().for_each(|&vertex| self.side[vertex as usize] = 0);
        let second = set.iter().copied().filter(|&v| self.side[v as usize] == OUTSIDE).collect();
        first.iter().for_each(|&vertex| self.side[vertex as usize] = OUTSIDE);
        (first, second)
    }

    /// Returns the weight between the halves, counted from both sides.
    fn cut(&self, set: &[u32]) -> i64 {
        let of = |&vertex: &u32| {
            let own = self.side[vertex as usize];
            let other = |&(end, _): &(u32, i64)| self.side[end as usize] == 1 - own;
            self.graph.around(vertex).filter(other).map(|(_, weight)| weight).fold(0, i64::saturating_add)
        };
        set.iter().map(of).fold(0, i64::saturating_add)
    }

    /// Grows the first half from a random vertex: each time by the vertex with the largest weight into it.
    fn grow(&mut self, set: &[u32], low: usize) {
        set.iter().for_each(|&vertex| {
            self.side[vertex as usize] = 1;
            self.gain[vertex as usize] = 0;
        });
        let mut waiting: BTreeSet<(i64, std::cmp::Reverse<u32>)> =
            set.iter().map(|&vertex| (0, std::cmp::Reverse(vertex))).collect();
        let mut next = set[self.random.random_range(0..set.len())];
        for _ in 0..low {
            waiting.remove(&(self.gain[next as usize], std::cmp::Reverse(next)));
            self.side[next as usize] = 0;
            for (end, weight) in self.graph.around(next) {
                if self.side[end as usize] == 1 {
                    waiting.remove(&(self.gain[end as usize], std::cmp::Reverse(end)));
                    self.gain[end as usize] = self.gain[end as usize].saturating_add(weight);
                    waiting.insert((self.gain[end as usize], std::cmp::Reverse(end)));
                }
            }
            match waiting.last() {
                Some(&(_, std::cmp::Reverse(vertex))) => next = vertex,
                None => break,
            }
        }
    }

    /// Exchanges vertices between the halves as long as a pass reduces the cut.
    fn improve(&mut self, set: &[u32]) {
        for _ in 0..PASSES {
            if !self.pass(set) {
                break;
            }
        }
    }

    /// Runs one pass: the best vertex of the first half moves over, then the best of the second, and so on; moves after
    /// the best state are undone.
    fn pass(&mut self, set: &[u32]) -> bool {
        let mut free: [BTreeSet<(i64, std::cmp::Reverse<u32>)>; 2] = [BTreeSet::new(), BTreeSet::new()];
        for &vertex in set {
            let own = self.side[vertex as usize];
            let sign = |end: u32| match self.side[end as usize] {
                OUTSIDE => 0,
                side if side == own => -1,
                _ => 1,
            };
            let gain = self.graph.around(vertex).fold(0_i64, |sum, (end, w)| sum.saturating_add(sign(end) * w));
            self.gain[vertex as usize] = gain;
            free[own as usize].insert((gain, std::cmp::Reverse(vertex)));
        }
        let (mut moved, mut sum, mut best) = (Vec::new(), 0_i64, (0_i64, 0));
        while !free[0].is_empty() && !free[1].is_empty() && moved.len() < best.1 + 2 * PATIENCE {
            for from in [0_usize, 1] {
                let Some((gain, std::cmp::Reverse(vertex))) = free[from].pop_last() else { break };
                sum = sum.saturating_add(gain);
                moved.push(vertex);
                self.side[vertex as usize] = 1 - from as u8;
                for (end, weight) in self.graph.around(vertex) {
                    let side = self.side[end as usize];
                    if side == OUTSIDE {
                        continue;
                    }
                    let key = (self.gain[end as usize], std::cmp::Reverse(end));
                    if !free[side as usize].remove(&key) {
                        continue;
                    }
                    let change = if side as usize == from { 2 * weight } else { -2 * weight };
                    self.gain[end as usize] = self.gain[end as usize].saturating_add(change);
                    free[side as usize].insert((self.gain[end as usize], std::cmp::Reverse(end)));
                }
            }
            if sum > best.0 {
                best = (sum, moved.len());
            }
        }
        for &vertex in &moved[best.1..] {
            self.side[vertex as usize] = 1 - self.side[vertex as usize];
        }
        best.0 > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the weight between different groups of places, for a two-level machine.
    fn crossing(pairs: &[(u32, u32, u64)], places: &[u32], size: u32) -> u64 {
        let group = |rank: u32| places[rank as usize] / size;
        pairs.iter().filter(|pair| group(pair.0) != group(pair.1)).map(|pair| pair.2).sum()
    }

    fn is_permutation(places: &[u32]) -> bool {
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..places.len() as u32)
    }

    #[test]
    fn pairs_that_talk_come_together() {
        // Rank r talks to r + 8 alone: in block order all of it crosses the groups of two.
        let pairs: Vec<(u32, u32, u64)> = (0..8).map(|rank| (rank, rank + 8, 10)).collect();
        let groups: Vec<u32> = (0..16).map(|place| place / 2).collect();
        let places = place(&Affinity::new(16, pairs.clone()), &groups);
        assert!(is_permutation(&places));
        assert_eq!(crossing(&pairs, &places, 2), 0);
    }

    #[test]
    fn a_shuffled_grid_is_found_again() {
        // An 8 by 8 grid with its ranks in a random order, on groups of 16: four squares cross 2 * 16 edges.
        let mut numbers: Vec<u32> = (0..64).collect();
        rand::seq::SliceRandom::shuffle(&mut numbers[..], &mut Pcg64::seed_from_u64(5));
        let at = |x: u32, y: u32| numbers[(8 * y + x) as usize];
        let right = (0..8).flat_map(|y| (0..7).map(move |x| (x, y, x + 1, y)));
        let down = (0..7).flat_map(|y| (0..8).map(move |x| (x, y, x, y + 1)));
        let pairs: Vec<(u32, u32, u64)> = right.chain(down).map(|(a, b, c, d)| (at(a, b), at(c, d), 1)).collect();
        let groups: Vec<u32> = (0..64).map(|place| place / 16).collect();
        let places = place(&Affinity::new(64, pairs.clone()), &groups);
        assert!(is_permutation(&places));
        let block: Vec<u32> = (0..64).collect();
        let (found, blind) = (crossing(&pairs, &places, 16), crossing(&pairs, &block, 16));
        assert!(found <= 20 && blind > 60, "{found} of {blind}");
        assert_eq!(places, place(&Affinity::new(64, pairs), &groups));
    }

    #[test]
    fn halves_end_between_groups_where_they_can() {
        assert_eq!(split(&[0, 0, 0, 1, 1]), 3);
        assert_eq!(split(&[0, 0, 0, 0, 0, 0, 0, 1]), 4);
        assert_eq!(split(&[0, 0]), 1);
        // Odd numbers, no weights at all.
        let places = place(&Affinity::new(5, []), &[0, 0, 0, 1, 1]);
        assert!(is_permutation(&places));
    }

    #[test]
    fn an_order_follows_the_cables() {
        // A path whose vertices are numbered with a stride.
        let step = |i: u32| (i * 5) % 16;
        let path = Affinity::new(16, (0..15).map(|i| (step(i), step(i + 1), 1)));
        let order = order(&path);
        assert!(is_permutation(&order));
        let mut at = [0_u32; 16];
        order.iter().zip(0..).for_each(|(&vertex, place)| at[vertex as usize] = place);
        let far: u32 = (0..15).map(|i| at[step(i) as usize].abs_diff(at[step(i + 1) as usize])).sum();
        let as_numbered: u32 = (0..15).map(|i| step(i).abs_diff(step(i + 1))).sum();
        assert!(far < as_numbered / 2, "{far} of {as_numbered}");
    }
}
