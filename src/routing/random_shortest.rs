//! For each ordered pair of hosts one of its shortest paths, each equally likely.
//!
//! From the source a breadth-first search counts the shortest paths to every switch. The route is drawn backwards from
//! the destination: each predecessor of a switch is drawn with a probability in proportion to the paths that lead
//! there, which makes all paths equally likely. Equal probabilities for predecessors would favour paths through
//! switches that few others use. The draws come from (seed, source host, destination host) alone, so the order of the
//! queries does not matter.

use std::sync::Arc;

use super::rule::HostNumbers;
use super::source_cache::SourceCache;
use super::{Ends, Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Graph, Randomness, Topology, derived_seed};

/// Distance of a switch that is not reached.
const FAR: u32 = u32::MAX;

/// 2^256. When a count of paths exceeds this, the counts at its distance are divided by it, which is exact.
const HUGE_COUNT: f64 = f64::from_bits((1023 + 256) << 52);

pub(super) struct RandomShortest {
    graph: Arc<Graph>,
    seed: u64,
    hosts: HostNumbers,
    trees: SourceCache<PathCounts>,
}

/// Result of a search from a source.
struct PathCounts {
    distance: Vec<u32>,
    /// Number of shortest paths from the source. A torus has more of them than any integer type can hold; but only
    /// counts at equal distance are compared, so the counts at one distance may share a factor, and floats suffice.
    paths: Vec<f64>,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(RandomShortest::new(topology.graph.clone(), options.seed, HostNumbers::new(topology, options))))
}

impl RandomShortest {
    pub(super) fn new(graph: Arc<Graph>, seed: u64, hosts: HostNumbers) -> Self {
        let n = graph.switches();
        Self { graph, seed, hosts, trees: SourceCache::new(n, n * (size_of::<u32>() + size_of::<f64>())) }
    }

    fn search(&self, source: SwitchId) -> PathCounts {
        let n = self.graph.switches();
        let mut counts = PathCounts { distance: vec![FAR; n], paths: vec![0.0; n] };
        counts.distance[source.index()] = 0;
        counts.paths[source.index()] = 1.0;
        let mut level = vec![source];
        for distance in 1.. {
            let mut next = Vec::new();
            for &switch in &level {
                for head in self.graph.neighbours(switch) {
                    if counts.distance[head.index()] == FAR {
                        counts.distance[head.index()] = distance;
                        next.push(head);
                    }
                    if counts.distance[head.index()] == distance {
                        counts.paths[head.index()] += counts.paths[switch.index()];
                    }
                }
            }
            if next.is_empty() {
                return counts;
            }
            if next.iter().any(|switch| counts.paths[switch.index()] > HUGE_COUNT) {
                for switch in &next {
                    let paths = &mut counts.paths[switch.index()];
                    // A count that would vanish keeps a probability that is too small to ever be drawn.
                    *paths = (*paths / HUGE_COUNT).max(f64::MIN_POSITIVE);
                }
            }
            level = next;
        }
        unreachable!("a search ends when a distance has no switch")
    }

    /// Draws the arc by which the route enters `switch`.
    fn enter(&self, counts: &PathCounts, switch: SwitchId, random: &mut Randomness) -> ArcId {
        let before = counts.distance[switch.index()] - 1;
        let candidates = || {
            self.graph
                .in_arcs(switch)
                .map(|arc| (arc, self.graph.tail(arc).index()))
                .filter(|&(_, tail)| counts.distance[tail] == before)
                .map(|(arc, tail)| (arc, counts.paths[tail]))
        };
        let total: f64 = candidates().map(|(_, paths)| paths).sum();
        let mut rest = random.unit() * total;
        let mut chosen = None;
        for (arc, paths) in candidates() {
            chosen = Some(arc);
            if rest < paths {
                break;
            }
            rest -= paths;
        }
        // Rounding can leave a remainder after the last candidate, which is then chosen.
        chosen.expect("a switch that the search reached has a predecessor")
    }
}

impl Routing for RandomShortest {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        let (from, to) = (ends.from, ends.to);
        if from == to {
            return true;
        }
        self.trees.with(
            from.0,
            || self.search(from),
            |counts| {
                if counts.distance[to.index()] == FAR {
                    return false;
                }
                let mut random = Randomness::new(derived_seed(self.seed, ends.pair()));
                let start = arcs.len();
                let mut switch = to;
                while switch != from {
                    let arc = self.enter(counts, switch, &mut random);
                    arcs.push(arc);
                    switch = self.graph.tail(arc);
                }
                arcs[start..].reverse();
                true
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::one_host_each;
    use super::*;
    use crate::topology;
    use std::collections::BTreeMap;

    fn route(routing: &RandomShortest, from: u32, to: u32) -> Vec<ArcId> {
        let mut arcs = Vec::new();
        assert!(routing.route(SwitchId(from), SwitchId(to), &mut arcs));
        arcs
    }

    #[test]
    fn all_shortest_paths_are_equally_likely() {
        // From 0 to 4: three paths, two of them through 3 (0-1-3-4, 0-2-3-4) and one through 6 (0-5-6-4). Entering 4
        // from 3 or 6 with equal probability would result in 1/4, 1/4, 1/2.
        let pairs = vec![(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 5), (5, 6), (6, 4)];
        let graph = Arc::new(Graph::undirected(7, pairs).unwrap());
        let mut seen = BTreeMap::new();
        for seed in 0..3000 {
            *seen.entry(route(&RandomShortest::new(graph.clone(), seed, one_host_each(7)), 0, 4)).or_insert(0) += 1;
        }
        // Binomial with mean 1000 and standard deviation 26.
        assert_eq!(seen.len(), 3);
        assert!(seen.values().all(|count| (870..=1130).contains(count)), "{seen:?}");
    }

    #[test]
    fn the_order_of_the_questions_does_not_matter() {
        let graph = topology::build("torus:6x6").unwrap().graph;
        let one = RandomShortest::new(graph.clone(), 5, one_host_each(36));
        let other = RandomShortest::new(graph.clone(), 5, one_host_each(36));
        let pairs: Vec<(u32, u32)> = (0..36).flat_map(|from| (0..36).map(move |to| (from, to))).collect();
        let there: Vec<_> = pairs.iter().map(|&(from, to)| route(&one, from, to)).collect();
        let back: Vec<_> = pairs.iter().rev().map(|&(from, to)| route(&other, from, to)).collect();
        assert!(there.iter().eq(back.iter().rev()));
        let another = RandomShortest::new(graph, 6, one_host_each(36));
        assert!(pairs.iter().zip(&there).any(|(&(from, to), arcs)| route(&another, from, to) != *arcs));
    }

    #[test]
    fn counts_beyond_every_integer_are_fine() {
        // Between the corners of a 600 x 600 mesh there are C(1198, 599), about 10^359, shortest paths.
        let mesh = topology::build("mesh:600x600").unwrap().graph;
        let routing = RandomShortest::new(mesh.clone(), 1, one_host_each(360_000));
        let arcs = route(&routing, 0, 359_999);
        assert_eq!(arcs.len(), 1198);
        // A uniform path crosses the other diagonal near its middle: standard deviation about 12 switches.
        let middle = mesh.head(arcs[598]).0;
        assert!((200..400).contains(&(middle % 600)), "{middle}");
    }
}
