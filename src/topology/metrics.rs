//! What can be said of a graph without a floor plan: sizes, degrees, distances, and a digest of its cables.
//!
//! Distances are exact. They come from breadth-first searches from 256 switches at a time, one bit for each, so that a
//! step along an arc serves all of them (M. Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal, 2014).

use sha2::{Digest, Sha256};

use super::error::TopologyError;
use super::graph::Graph;
use crate::ids::SwitchId;

/// Largest product of switches and arcs for which distances are computed; 2^42 takes minutes.
pub const MAX_DISTANCE_WORK: u128 = 1 << 42;

/// Words of 64 searches that run together.
const WORDS: usize = 4;

/// Sizes, degrees, distances and digest of a graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Metrics {
    /// Number of switches.
    pub switches: usize,
    /// Number of cables: edges of an undirected graph, arcs of a directed one.
    pub cables: usize,
    /// Whether cables are one-way.
    pub directed: bool,
    /// Smallest and largest degree.
    pub degrees: Degrees,
    /// Distances, unless the graph is disconnected.
    pub distances: Option<Distances>,
    /// [`edge_sha256`].
    pub edge_sha256: String,
}

/// Smallest and largest degrees. In an undirected graph in-degree and out-degree are both the degree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Degrees {
    /// Smallest number of arcs out of a switch.
    pub min_out: usize,
    /// Largest number of arcs out of a switch.
    pub max_out: usize,
    /// Smallest number of arcs into a switch.
    pub min_in: usize,
    /// Largest number of arcs into a switch.
    pub max_in: usize,
}

/// Distances in hops over ordered pairs of different switches.
#[derive(Clone, PartialEq, Debug)]
pub struct Distances {
    /// Number of ordered pairs at distance 1, 2, ...
    pub histogram: Vec<u64>,
    /// Sum of the distances.
    pub sum: u128,
    /// Average shortest path length: the sum over n(n-1); 0 for one switch.
    pub aspl: f64,
}

impl Distances {
    /// The largest distance.
    pub fn diameter(&self) -> usize {
        self.histogram.len()
    }
}

impl Metrics {
    /// Measures a graph.
    ///
    /// # Errors
    /// [`TopologyError::TooLarge`] if the distances would take more than [`MAX_DISTANCE_WORK`] steps.
    pub fn of(graph: &Graph) -> Result<Self, TopologyError> {
        let distances = match distances(graph) {
            Ok(distances) => Some(distances),
            Err(TopologyError::Disconnected { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            switches: graph.switches(),
            cables: graph.cables(),
            directed: graph.is_directed(),
            degrees: degrees(graph),
            distances,
            edge_sha256: edge_sha256(graph),
        })
    }
}

/// Smallest and largest degrees.
pub fn degrees(graph: &Graph) -> Degrees {
    let start = Degrees { min_out: usize::MAX, max_out: 0, min_in: usize::MAX, max_in: 0 };
    (0..graph.switches() as u32).map(SwitchId).fold(start, |d, switch| {
        let (out, into) = (graph.out_degree(switch), graph.in_degree(switch));
        Degrees {
            min_out: d.min_out.min(out),
            max_out: d.max_out.max(out),
            min_in: d.min_in.min(into),
            max_in: d.max_in.max(into),
        }
    })
}

/// Distances between all pairs of switches.
///
/// # Errors
/// [`TopologyError::Disconnected`] if a switch does not reach another, [`TopologyError::TooLarge`] if it would take more
/// than [`MAX_DISTANCE_WORK`] steps.
pub fn distances(graph: &Graph) -> Result<Distances, TopologyError> {
    let n = graph.switches();
    let work = n as u128 * graph.arcs() as u128;
    if work > MAX_DISTANCE_WORK {
        return Err(TopologyError::TooLarge {
            what: "the exact distances between all pairs".into(),
            value: format!("{n} switches times {} arcs", graph.arcs()),
            limit: format!("a product of {MAX_DISTANCE_WORK}"),
        });
    }
    if let Some((from, to)) = graph.unreachable_pair((0..n as u32).map(SwitchId)) {
        return Err(TopologyError::Disconnected { from: from.0, to: to.0 });
    }
    let mut histogram = Vec::new();
    let mut batch = Batch::new(n);
    for first in (0..n).step_by(64 * WORDS) {
        batch.search(graph, first, &mut histogram);
    }
    let sum = (1..).zip(&histogram).map(|(distance, &pairs): (u128, &u64)| distance * u128::from(pairs)).sum();
    let pairs = n as u128 * (n as u128 - 1);
    let aspl = if pairs == 0 { 0.0 } else { sum as f64 / pairs as f64 };
    Ok(Distances { histogram, sum, aspl })
}

/// Searches from up to `64 * WORDS` switches at once. Bit `b` of a switch belongs to the search from `first + b`.
///
/// Only switches that a search has just reached pass it on, so networks of large diameter, where few do at a time, cost
/// no more than others.
struct Batch {
    /// Searches that have reached a switch.
    seen: Vec<[u64; WORDS]>,
    /// Searches that reached a switch at the current distance; all zero for switches that are not in `reached`.
    fresh: Vec<[u64; WORDS]>,
    /// The same for the next distance.
    next: Vec<[u64; WORDS]>,
    reached: Vec<u32>,
    next_reached: Vec<u32>,
}

impl Batch {
    fn new(n: usize) -> Self {
        let none = vec![[0; WORDS]; n];
        Self { seen: none.clone(), fresh: none.clone(), next: none, reached: Vec::new(), next_reached: Vec::new() }
    }

    fn search(&mut self, graph: &Graph, first: usize, histogram: &mut Vec<u64>) {
        self.seen.fill([0; WORDS]);
        for bit in 0..(graph.switches() - first).min(64 * WORDS) {
            self.fresh[first + bit][bit / 64] |= 1 << (bit % 64);
            self.seen[first + bit][bit / 64] |= 1 << (bit % 64);
            self.reached.push((first + bit) as u32);
        }
        for distance in 0.. {
            for switch in self.reached.drain(..) {
                let bits = std::mem::take(&mut self.fresh[switch as usize]);
                for head in graph.neighbours(SwitchId(switch)) {
                    let seen = &self.seen[head.index()];
                    let new: [u64; WORDS] = std::array::from_fn(|word| bits[word] & !seen[word]);
                    if new == [0; WORDS] {
                        continue;
                    }
                    let next = &mut self.next[head.index()];
                    if *next == [0; WORDS] {
                        self.next_reached.push(head.0);
                    }
                    *next = std::array::from_fn(|word| next[word] | new[word]);
                }
            }
            if self.next_reached.is_empty() {
                return;
            }
            let mut found = 0_u64;
            for &switch in &self.next_reached {
                for (seen, next) in self.seen[switch as usize].iter_mut().zip(&self.next[switch as usize]) {
                    *seen |= next;
                    found += u64::from(next.count_ones());
                }
            }
            if histogram.len() == distance {
                histogram.push(0);
            }
            histogram[distance] += found;
            std::mem::swap(&mut self.fresh, &mut self.next);
            std::mem::swap(&mut self.reached, &mut self.next_reached);
        }
    }
}

/// SHA-256, in hexadecimal, over the lines `u v` of all cables in ascending order, each ended by a newline. For two-way
/// cables the smaller switch comes first. Two graphs with the same digest have the same cables.
pub fn edge_sha256(graph: &Graph) -> String {
    let mut hash = Sha256::new();
    let mut line = Vec::new();
    for (u, v) in graph.cable_ends() {
        use std::io::Write;
        line.clear();
        writeln!(line, "{u} {v}").expect("writing to memory succeeds");
        hash.update(&line);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn a_path_by_hand() {
        // 0 - 1 - 2: four ordered pairs at distance 1, two at distance 2; 8 hops over 6 pairs.
        let path = Graph::undirected(3, vec![(0, 1), (1, 2)]).unwrap();
        let metrics = Metrics::of(&path).unwrap();
        let distances = metrics.distances.unwrap();
        assert_eq!((distances.histogram.as_slice(), distances.sum, distances.diameter()), (&[4, 2][..], 8, 2));
        assert!((distances.aspl - 4.0 / 3.0).abs() < 1e-15);
        assert_eq!(metrics.degrees, Degrees { min_out: 1, max_out: 2, min_in: 1, max_in: 2 });
    }

    #[test]
    fn disconnected_and_huge_graphs_are_refused() {
        let apart = Graph::undirected(3, vec![(0, 1)]).unwrap();
        assert!(matches!(distances(&apart), Err(TopologyError::Disconnected { from: 0, to: 2 })));
        assert_eq!(Metrics::of(&apart).unwrap().distances, None);
        let huge = super::super::build("ring:4000000").unwrap().graph;
        assert!(matches!(distances(&huge), Err(TopologyError::TooLarge { .. })));
    }

    /// The plain search, one switch after another.
    fn slow_histogram(graph: &Graph) -> Vec<u64> {
        let mut histogram = Vec::new();
        for source in 0..graph.switches() {
            let mut distance = vec![usize::MAX; graph.switches()];
            distance[source] = 0;
            let mut queue = VecDeque::from([source]);
            while let Some(s) = queue.pop_front() {
                for next in graph.neighbours(SwitchId(s as u32)) {
                    if distance[next.index()] == usize::MAX {
                        distance[next.index()] = distance[s] + 1;
                        if histogram.len() == distance[s] {
                            histogram.push(0);
                        }
                        histogram[distance[s]] += 1;
                        queue.push_back(next.index());
                    }
                }
            }
        }
        histogram
    }

    proptest! {
        #[test]
        fn many_searches_at_once_find_what_single_ones_find(
            n in 1usize..300, directed: bool, extra in prop::collection::vec((0u32..300, 0u32..300), 0..200)
        ) {
            // A ring, so that it is connected, and some chords.
            let ring = (0..n as u32).map(|i| (i, (i + 1) % n as u32));
            let pairs: Vec<_> = ring.chain(extra.into_iter().map(|(u, v)| (u % n as u32, v % n as u32))).collect();
            let graph = if directed { Graph::directed(n, pairs) } else { Graph::undirected(n, pairs) }.unwrap();
            prop_assert_eq!(distances(&graph).unwrap().histogram, slow_histogram(&graph));
        }
    }
}
