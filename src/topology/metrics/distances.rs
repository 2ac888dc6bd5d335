//! Distances between all pairs of switches, exactly, or between samples.
//!
//! Searches run from 1,024 switches simultaneously, one bit each, so that a step along an arc serves all of them (M.
//! Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal, 2014). There are two kinds:
//!
//! - In networks of small diameter every switch collects in each step the bits of its neighbours: whole rows in the
//!   order of the arrays. A switch that all searches have reached is skipped, and one that is nearly complete stops
//!   early; in networks near the Moore bound this saves most of the last step, the most expensive one.
//! - In networks of large diameter few searches arrive at a switch in a step, so only new bits are passed on; and
//!   searches that start near each other run together, because they arrive together.
//!
//! Blocks of searches are distributed over the threads of rayon. They sum integers, so the result is the same for any
//! number of threads.

use rayon::prelude::*;

use super::super::Randomness;
use super::super::error::TopologyError;
use super::super::graph::Graph;
use super::super::hops::{self, FAR};
use super::bounds;
use crate::ids::SwitchId;
use crate::steps::Steps;

/// Largest product of switches and arcs for which distances are computed; 2^42 takes minutes.
pub const MAX_DISTANCE_WORK: u128 = 1 << 42;

/// Words of 64 searches that run together. Measured on two cores, 65,536 switches of degree 16: with 4 or 8 words 3.6 s
/// of processor time, with 16 words 1.1 s, because the compiler then works through a row with vector instructions.
const WORDS: usize = 16;
/// Searches that run together.
const BLOCK: usize = 64 * WORDS;
/// One bit for each search of a block.
type Row = [u64; WORDS];
const NONE: Row = [0; WORDS];

/// Largest distance from the first switch for which whole rows are collected. Above it, the sparse search is faster.
const DENSE_DEPTH: usize = 16;

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
    /// Returns the largest distance.
    pub fn diameter(&self) -> usize {
        self.histogram.len()
    }

    /// Returns the result of [`between_hosts`] if each of `switches` switches has `hosts` hosts.
    pub fn between_hosts_everywhere(&self, switches: usize, hosts: u32) -> Option<BetweenHosts> {
        let p = u128::from(hosts);
        BetweenHosts::of(switches as u128 * p, self.diameter(), p * p * self.sum)
    }

    fn of(histogram: Vec<u64>) -> Self {
        let sum = (1..).zip(&histogram).map(|(distance, &pairs): (u128, &u64)| distance * u128::from(pairs)).sum();
        let pairs: u128 = histogram.iter().map(|&pairs| u128::from(pairs)).sum();
        let aspl = if pairs == 0 { 0.0 } else { sum as f64 / pairs as f64 };
        Self { histogram, sum, aspl }
    }
}

/// Distances from a sample of switches.
#[derive(Clone, PartialEq, Debug)]
pub struct Sampled {
    /// Distances from (in directed graphs: to) the switches of the sample; its diameter is a lower bound of the true
    /// diameter.
    pub distances: Distances,
    /// Number of switches in the sample.
    pub samples: usize,
    /// The true average is within this of [`Distances::aspl`] with 95 % confidence; 0 if the sample is the whole graph.
    ///
    /// Hoeffding's inequality for samples without replacement (R. Serfling, Probability Inequalities for the Sum in
    /// Sampling without Replacement, 1974): `R * sqrt((1 - (K-1)/n) * ln(2/0.05) / (2K))`, where `R` is the width of
    /// the range of the mean distance of a switch: from the bound by degree to the diameter, which is at most the
    /// farthest distance from plus the farthest distance to any one switch.
    pub error: f64,
    /// Seed of the sample.
    pub seed: u64,
}

/// Returns the distances between all pairs of switches.
///
/// # Errors
/// [`TopologyError::Disconnected`] if a switch does not reach another, [`TopologyError::TooLarge`] if it would take
/// more than [`MAX_DISTANCE_WORK`] steps.
pub fn distances(graph: &Graph) -> Result<Distances, TopologyError> {
    watched(graph, &Steps::default())
}

/// Returns the distances between all pairs of switches, with progress; a step is the search from one switch.
///
/// # Errors
/// As for [`distances`].
pub fn watched(graph: &Graph, steps: &Steps) -> Result<Distances, TopologyError> {
    let n = graph.switches();
    let work = n as u128 * graph.arcs() as u128;
    if work > MAX_DISTANCE_WORK {
        return Err(TopologyError::TooLarge {
            what: "the exact distances between all pairs".into(),
            value: format!("{n} switches times {} arcs", graph.arcs()),
            limit: format!("a product of {MAX_DISTANCE_WORK}; a sample has no limit"),
        });
    }
    connected(graph)?;
    let deep = eccentricity(graph, SwitchId(0), Direction::Against) > DENSE_DEPTH;
    let order = if deep { patches(graph) } else { (0..n as u32).collect() };
    Ok(Distances::of(search(graph, &order, deep, steps)))
}

/// Returns the distances between all pairs of switches of a vertex-transitive graph, whose automorphisms map every
/// switch to every other: the distances from switch 0, times the number of switches.
///
/// # Errors
/// [`TopologyError::Disconnected`] if a switch does not reach another.
pub fn of_transitive(graph: &Graph) -> Result<Distances, TopologyError> {
    connected(graph)?;
    let n = graph.switches() as u64;
    Ok(Distances::of(levels(graph, SwitchId(0), Direction::Along).into_iter().skip(1).map(|count| count * n).collect()))
}

/// Returns the distances from `samples` switches drawn without replacement, with an error bound for the average. A step
/// is the search from one switch.
///
/// # Errors
/// [`TopologyError::Disconnected`] if a switch does not reach another.
pub fn sampled(graph: &Graph, samples: usize, seed: u64, steps: &Steps) -> Result<Sampled, TopologyError> {
    connected(graph)?;
    let n = graph.switches();
    let mut order: Vec<u32> = (0..n as u32).collect();
    let samples = samples.clamp(1, n);
    let mut random = Randomness::new(seed);
    for place in 0..samples {
        order.swap(place, place + random.below(n - place));
    }
    order.truncate(samples);
    order.sort_unstable();
    let centre = SwitchId(order[0]);
    let (against, along) =
        (eccentricity(graph, centre, Direction::Against), eccentricity(graph, centre, Direction::Along));
    let distances = Distances::of(search(graph, &order, against > DENSE_DEPTH, steps));
    let degree = super::degrees(graph).max_in.max(2) as u64;
    let range =
        ((against + along) as f64 - bounds::aspl(n as u64, degree, graph.is_directed()).unwrap_or(0.0)).max(0.0);
    let rest = 1.0 - (samples - 1) as f64 / n as f64;
    let error = if samples == n { 0.0 } else { range * (rest * f64::ln(2.0 / 0.05) / (2.0 * samples as f64)).sqrt() };
    Ok(Sampled { distances, samples, error, seed })
}

fn connected(graph: &Graph) -> Result<(), TopologyError> {
    match graph.unreachable_pair((0..graph.switches() as u32).map(SwitchId)) {
        Some((from, to)) => Err(TopologyError::Disconnected { from: from.0, to: to.0 }),
        None => Ok(()),
    }
}

/// Direction in which a search follows arcs.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Along,
    Against,
}

/// Returns the number of switches at distance 0, 1, ... of one.
fn levels(graph: &Graph, start: SwitchId, way: Direction) -> Vec<u64> {
    let mut seen = vec![false; graph.switches()];
    seen[start.index()] = true;
    let (mut counts, mut level) = (Vec::new(), vec![start]);
    while !level.is_empty() {
        counts.push(level.len() as u64);
        let mut next = Vec::new();
        let mut visit = |switch: SwitchId| {
            if !std::mem::replace(&mut seen[switch.index()], true) {
                next.push(switch);
            }
        };
        for &switch in &level {
            match way {
                Direction::Along => graph.neighbours(switch).for_each(&mut visit),
                Direction::Against => graph.in_arcs(switch).for_each(|arc| visit(graph.tail(arc))),
            }
        }
        level = next;
    }
    counts
}

fn eccentricity(graph: &Graph, start: SwitchId, way: Direction) -> usize {
    levels(graph, start, way).len() - 1
}

/// Returns all switches, in an order in which every 1,024 are near each other: from the first remaining switch a search
/// collects the next 1,024 remaining ones.
fn patches(graph: &Graph) -> Vec<u32> {
    let n = graph.switches();
    let mut taken = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let mut first = 0;
    while order.len() < n {
        // Leftover islands are added to the next patch, up to the size of a block.
        let end = n.min((order.len() / BLOCK + 1) * BLOCK);
        while order.len() < end {
            while taken[first] {
                first += 1;
            }
            taken[first] = true;
            let mut done = order.len();
            order.push(first as u32);
            while done < order.len() && order.len() < end {
                for next in graph.neighbours(SwitchId(order[done])) {
                    if order.len() < end && !taken[next.index()] {
                        taken[next.index()] = true;
                        order.push(next.0);
                    }
                }
                done += 1;
            }
        }
    }
    order
}

/// Returns the histogram of the distances from every switch to the switches of `ends`.
fn search(graph: &Graph, ends: &[u32], deep: bool, steps: &Steps) -> Vec<u64> {
    let n = graph.switches();
    steps.expect(ends.len() as u64);
    let blocks = ends.par_chunks(BLOCK);
    let did = |histogram: Vec<u64>, ends: &[u32]| {
        steps.did(ends.len() as u64);
        histogram
    };
    let histograms: Vec<Vec<u64>> = if deep {
        blocks.map_init(|| Sparse::new(n), |scratch, ends| did(scratch.search(graph, ends), ends)).collect()
    } else {
        blocks.map_init(|| Dense::new(n), |scratch, ends| did(scratch.search(graph, ends), ends)).collect()
    };
    let mut sum = Vec::new();
    for histogram in histograms {
        sum.resize(sum.len().max(histogram.len()), 0);
        sum.iter_mut().zip(histogram).for_each(|(all, some)| *all += some);
    }
    sum
}

fn or(a: &Row, b: &Row) -> Row {
    std::array::from_fn(|word| a[word] | b[word])
}

fn ones(row: &Row) -> u64 {
    row.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Search for small diameters. Bit `b` of switch `v` is set if `v` reaches the `b`-th end.
struct Dense {
    now: Vec<Row>,
    next: Vec<Row>,
}

impl Dense {
    fn new(n: usize) -> Self {
        Self { now: vec![NONE; n], next: vec![NONE; n] }
    }

    fn search(&mut self, graph: &Graph, ends: &[u32]) -> Vec<u64> {
        let n = graph.switches();
        let mut histogram = self.first_steps(graph, ends);
        let full: Row = std::array::from_fn(|word| match ends.len().saturating_sub(64 * word) {
            0 => 0,
            bits @ 1..64 => (1 << bits) - 1,
            _ => u64::MAX,
        });
        let mut left = (ends.len() * (n - 1)) as u64 - histogram.iter().sum::<u64>();
        while left > 0 {
            let mut found = 0;
            for (switch, next) in (0..).zip(&mut self.next) {
                let row = &self.now[switch as usize];
                *next = *row;
                if *row == full {
                    continue;
                }
                let mut all = *row;
                for heads in graph.heads_of(SwitchId(switch)).chunks(4) {
                    for &head in heads {
                        all = or(&all, &self.now[head as usize]);
                    }
                    if all == full {
                        break;
                    }
                }
                found += ones(&std::array::from_fn(|word| all[word] & !row[word]));
                *next = all;
            }
            std::mem::swap(&mut self.now, &mut self.next);
            histogram.push(found);
            left -= found;
        }
        histogram
    }

    /// Runs each search separately while it has reached few switches: single bits are then cheaper than rows.
    fn first_steps(&mut self, graph: &Graph, ends: &[u32]) -> Vec<u64> {
        self.now.fill(NONE);
        let mut histogram = Vec::new();
        let mut levels: Vec<Vec<u32>> = ends.iter().map(|&end| vec![end]).collect();
        for (bit, &end) in ends.iter().enumerate() {
            self.now[end as usize][bit / 64] |= 1 << (bit % 64);
        }
        // A bit costs about half as much as a row. Arcs are counted, not switches: one step at the hub of a star is as
        // much work as a whole level of rows.
        let arcs = |levels: &[Vec<u32>]| {
            levels.iter().flatten().map(|&switch| graph.in_degree(SwitchId(switch))).sum::<usize>()
        };
        while arcs(&levels) < 2 * graph.arcs() {
            let mut found = 0;
            for (bit, level) in levels.iter_mut().enumerate() {
                let mut next = Vec::new();
                for &switch in &*level {
                    for arc in graph.in_arcs(SwitchId(switch)) {
                        let tail = graph.tail(arc);
                        let word = &mut self.now[tail.index()][bit / 64];
                        if *word & 1 << (bit % 64) == 0 {
                            *word |= 1 << (bit % 64);
                            next.push(tail.0);
                        }
                    }
                }
                found += next.len() as u64;
                *level = next;
            }
            if found == 0 {
                break;
            }
            histogram.push(found);
        }
        histogram
    }
}

/// Search for large diameters. Only newly reached ends are passed on.
struct Sparse {
    /// Ends that each switch reaches.
    seen: Vec<Row>,
    /// Ends that each switch reaches at the current distance; all zero for switches that are not in `reached`.
    fresh: Vec<Row>,
    /// Ends that each switch reaches at the next distance.
    next: Vec<Row>,
    reached: Vec<u32>,
    next_reached: Vec<u32>,
}

impl Sparse {
    fn new(n: usize) -> Self {
        let none = vec![NONE; n];
        Self { seen: none.clone(), fresh: none.clone(), next: none, reached: Vec::new(), next_reached: Vec::new() }
    }

    fn search(&mut self, graph: &Graph, ends: &[u32]) -> Vec<u64> {
        let mut histogram = Vec::new();
        self.seen.fill(NONE);
        for (bit, &end) in ends.iter().enumerate() {
            self.fresh[end as usize][bit / 64] |= 1 << (bit % 64);
            self.seen[end as usize][bit / 64] |= 1 << (bit % 64);
            self.reached.push(end);
        }
        loop {
            for switch in self.reached.drain(..) {
                let bits = std::mem::replace(&mut self.fresh[switch as usize], NONE);
                for arc in graph.in_arcs(SwitchId(switch)) {
                    let tail = graph.tail(arc).index();
                    let seen = &self.seen[tail];
                    let new: Row = std::array::from_fn(|word| bits[word] & !seen[word]);
                    if new == NONE {
                        continue;
                    }
                    let next = &mut self.next[tail];
                    if *next == NONE {
                        self.next_reached.push(tail as u32);
                    }
                    *next = or(next, &new);
                }
            }
            if self.next_reached.is_empty() {
                return histogram;
            }
            let mut found = 0;
            for &switch in &self.next_reached {
                let next = &self.next[switch as usize];
                self.seen[switch as usize] = or(&self.seen[switch as usize], next);
                found += ones(next);
            }
            histogram.push(found);
            std::mem::swap(&mut self.fresh, &mut self.next);
            std::mem::swap(&mut self.reached, &mut self.next_reached);
        }
    }
}

/// Distances between different hosts, in hops between the vertices to which they are attached.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BetweenHosts {
    largest: usize,
    sum: u128,
    /// Ordered pairs of hosts; one or more.
    pairs: u128,
}

impl BetweenHosts {
    /// Returns `None` if there are fewer than two hosts.
    fn of(hosts: u128, largest: usize, sum: u128) -> Option<Self> {
        (hosts > 1).then(|| Self { largest, sum, pairs: hosts * (hosts - 1) })
    }

    /// Returns the largest and mean number of hops; if hosts are vertices, the links of a path.
    pub fn hops(&self) -> (usize, f64) {
        (self.largest, self.sum as f64 / self.pairs as f64)
    }

    /// Returns the largest and mean number of switches that a message crosses, if hosts are attached to switches: one
    /// more than hops. Hosts on one switch have that switch between them.
    pub fn switches(&self) -> (usize, f64) {
        (self.largest + 1, (self.sum + self.pairs) as f64 / self.pairs as f64)
    }
}

/// Returns the distances between hosts, with `hosts[v]` on vertex v; `None` if there are fewer than two, or if some
/// cannot reach another.
pub fn between_hosts(graph: &Graph, hosts: &[u32]) -> Option<BetweenHosts> {
    let bearing: Vec<(usize, u128)> =
        hosts.iter().enumerate().filter(|(_, hosts)| **hosts > 0).map(|(s, &hosts)| (s, u128::from(hosts))).collect();
    let all: u128 = bearing.iter().map(|(_, hosts)| hosts).sum();
    // Whole numbers, so that the order of the threads does not matter.
    let from_each = |&(switch, here): &(usize, u128)| {
        let (distance, _) = hops::distances(graph, SwitchId(switch as u32));
        let (mut largest, mut sum) = (0, 0_u128);
        for &(other, there) in &bearing {
            let partners = if other == switch { there - 1 } else { there };
            if partners > 0 {
                let hops = if distance[other] == FAR { return None } else { distance[other] };
                largest = largest.max(hops as usize);
                sum += partners * u128::from(hops);
            }
        }
        Some((largest, here * sum))
    };
    let from_each: Vec<(usize, u128)> = bearing.par_iter().map(from_each).collect::<Option<_>>()?;
    let (largest, sum) = from_each.iter().fold((0, 0), |(most, all), &(largest, sum)| (most.max(largest), all + sum));
    BetweenHosts::of(all, largest, sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn disconnected_and_huge_graphs_are_refused() {
        let apart = Graph::undirected(3, vec![(0, 1)]).unwrap();
        assert!(matches!(distances(&apart), Err(TopologyError::Disconnected { from: 0, to: 2 })));
        assert!(matches!(of_transitive(&apart), Err(TopologyError::Disconnected { .. })));
        assert!(matches!(sampled(&apart, 1, 1, &Steps::default()), Err(TopologyError::Disconnected { .. })));
        assert_eq!(super::super::Metrics::of(&apart).unwrap().distances, None);
        let huge = build("ring:4000000").unwrap().graph;
        assert!(matches!(distances(&huge), Err(TopologyError::TooLarge { .. })));
        // One search is enough, because all switches of a ring are equivalent.
        assert_eq!(of_transitive(&huge).unwrap().diameter(), 2_000_000);
    }

    #[test]
    fn equally_many_hosts_need_no_search() {
        for (spec, hosts) in [("torus:4x5", 1), ("random:n=30,d=3", 4), ("imase_itoh:n=20,d=3", 3), ("ring:2", 1)] {
            let graph = build(spec).unwrap().graph;
            let searched = between_hosts(&graph, &vec![hosts; graph.switches()]);
            assert!(searched.is_some(), "{spec}");
            let known = distances(&graph).unwrap().between_hosts_everywhere(graph.switches(), hosts);
            assert_eq!(known, searched, "{spec}");
        }
        let one = build("full_mesh:1").unwrap().graph;
        let crossed = |graph: &Graph, hosts: &[u32]| between_hosts(graph, hosts).map(|between| between.switches());
        assert_eq!((crossed(&one, &[1]), crossed(&one, &[2])), (None, Some((1, 1.0))));
        assert_eq!(distances(&one).unwrap().between_hosts_everywhere(1, 1), None);
        // Switches without hosts need not be reached.
        let apart = Graph::undirected(3, vec![(0, 1)]).unwrap();
        assert_eq!((crossed(&apart, &[1, 1, 0]), crossed(&apart, &[1, 1, 1])), (Some((2, 2.0)), None));
        assert_eq!(between_hosts(&apart, &[1, 1, 0]).unwrap().hops(), (1, 1.0));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let graph = build("random:n=2000,d=3").unwrap().graph;
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (distances(&graph).unwrap(), sampled(&graph, 700, 5, &Steps::default()).unwrap()))
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn samples_keep_to_their_error_bound() {
        for spec in ["mesh:40x25", "random:n=1000,d=4", "imase_itoh:n=1000,d=3"] {
            let graph = build(spec).unwrap().graph;
            let exact = distances(&graph).unwrap();
            for seed in 0..5 {
                let some = sampled(&graph, 200, seed, &Steps::default()).unwrap();
                assert!((some.distances.aspl - exact.aspl).abs() <= some.error, "{spec}: {some:?} for {exact:?}");
                assert!(some.error < exact.aspl && some.distances.diameter() <= exact.diameter(), "{spec}");
            }
            let all = sampled(&graph, 5000, 1, &Steps::default()).unwrap();
            assert_eq!((&all.distances, all.error), (&exact, 0.0));
        }
    }

    /// Computes the histogram by a plain search, one switch after another.
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
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn many_searches_at_once_find_what_single_ones_find(
            n in 1usize..2500, directed: bool, extra in prop::collection::vec((0u32..2500, 0u32..2500), 0..2000)
        ) {
            // A ring, so that it is connected, and some chords: none for a large diameter, many for a small one.
            let ring = (0..n as u32).map(|i| (i, (i + 1) % n as u32));
            let pairs: Vec<_> = ring.chain(extra.into_iter().map(|(u, v)| (u % n as u32, v % n as u32))).collect();
            let graph = if directed { Graph::directed(n, pairs) } else { Graph::undirected(n, pairs) }.unwrap();
            let slow = slow_histogram(&graph);
            prop_assert_eq!(&distances(&graph).unwrap().histogram, &slow);
            let all: Vec<u32> = (0..n as u32).collect();
            prop_assert_eq!(&search(&graph, &all, true, &Steps::default()), &slow);
            prop_assert_eq!(&search(&graph, &patches(&graph), false, &Steps::default()), &slow);
        }
    }
}
