//! Shortest paths that spread the load over links, as the subnet managers of InfiniBand assign them.
//!
//! Single-source shortest-path routing (T. Hoefler, T. Schneider and A. Lumsdaine, Optimized Routing for Large-Scale
//! InfiniBand Networks, 2009; J. Domke, T. Hoefler and W. Nagel, Deadlock-Free Oblivious Routing for Arbitrary
//! Topologies, 2011): hosts are processed in ascending order, with a tree of paths to each. Of the paths with the
//! fewest hops a switch takes one with the smallest sum of weights, the lowest arc among equals. The weight of an arc
//! is the number of routes over it so far: every host behind it adds one. So hosts of one switch alternate between
//! equal next hops, and as in such a network the next hop depends on the receiving host alone.
//!
//! Every tree depends on all before it, so all are built together and kept: two bytes for each host and switch. Where
//! that takes too long, [`hashed`](super::hashed) spreads ties without weights; [`is_quick`] is the limit up to which
//! this rule is a default.

use std::sync::Arc;

use super::rule::HostNumbers;
use super::{Ends, Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, distances, nearer};
use crate::topology::{ArcId, Graph, Topology};

/// Most next hops that are kept, one for each host and switch: those of 16,384 switches with a host each.
pub const MAX_ENTRIES: usize = 1 << 28;

/// Number of arcs visited, over all destinations, up to which the rule is a default: 2 to 4 s of one core.
const QUICK: u64 = 1 << 29;

/// No path, or the destination itself.
const NONE: u16 = u16::MAX;

struct Balanced {
    graph: Arc<Graph>,
    hosts: HostNumbers,
    /// For each destination and switch, the arc that leads there.
    next: Vec<u16>,
    /// For each switch, its first destination: a host, or the switch itself if it has none.
    first: Vec<u32>,
}

/// Returns whether the trees of `hosts` hosts are built within seconds.
pub(super) fn is_quick(graph: &Graph, hosts: u64) -> bool {
    hosts.saturating_mul(graph.arcs() as u64) <= QUICK && fits(graph, hosts + graph.switches() as u64)
}

fn fits(graph: &Graph, destinations: u64) -> bool {
    destinations.saturating_mul(graph.switches() as u64) <= MAX_ENTRIES as u64
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let graph = topology.graph.clone();
    let n = graph.switches();
    let hosts = HostNumbers::new(topology, options);
    let destinations = (0..n as u32).map(|switch| u64::from(hosts.count(SwitchId(switch)).max(1))).sum();
    if !fits(&graph, destinations) {
        let reason = format!(
            "its {n} switches have {} hosts, and loads are balanced for {} switches with a host each, or as many pairs",
            hosts.first[n],
            MAX_ENTRIES.isqrt()
        );
        return Err(RoutingError::unsuitable("balanced", topology, &reason));
    }
    if (0..n as u32).any(|switch| graph.out_degree(SwitchId(switch)) >= usize::from(NONE)) {
        return Err(RoutingError::unsuitable("balanced", topology, "a switch has more than 65,534 cables"));
    }
    Ok(Box::new(Balanced::new(graph, hosts).0))
}

/// State of a switch in a search from a destination; in one struct, since all of it is needed together.
#[derive(Clone, Copy)]
struct Found {
    distance: u32,
    /// Arc towards the destination.
    arc: u32,
    /// Sum of the weights from here on.
    weight: u64,
}

impl Balanced {
    /// Returns the routes, and the number of them over each arc.
    fn new(graph: Arc<Graph>, hosts: HostNumbers) -> (Self, Vec<u64>) {
        let n = graph.switches();
        let mut load = vec![0_u64; graph.arcs()];
        let mut next = Vec::new();
        let mut first = vec![0; n];
        let mut rows = 0;
        let count = |switch: SwitchId| hosts.count(switch);
        let mut search = BalancedSearch {
            found: vec![Found { distance: FAR, arc: 0, weight: 0 }; n],
            order: Vec::with_capacity(n),
            waiting: vec![0; n],
        };
        for to in (0..n as u32).map(SwitchId) {
            first[to.index()] = rows;
            for _ in 0..count(to) {
                search.run(&graph, to, &load);
                search.lay(&graph, &count, &mut load);
                search.write(&graph, &mut next);
                rows += 1;
            }
            rows += u32::from(count(to) == 0);
            if count(to) == 0 {
                // No host is here, but a route may be requested. It has a row in the order of the switches; the weights
                // of all hosts come later.
                next.resize(next.len() + n, NONE);
            }
        }
        for to in (0..n as u32).map(SwitchId).filter(|&to| count(to) == 0) {
            search.run(&graph, to, &load);
            let mut row = Vec::with_capacity(n);
            search.write(&graph, &mut row);
            let start = first[to.index()] as usize * n;
            next[start..start + n].copy_from_slice(&row);
        }
        (Self { graph, hosts, next, first }, load)
    }

    fn row(&self, ends: &Ends) -> usize {
        let first = self.hosts.first[ends.to.index()];
        // A host of another numbering, as of a topology whose hosts are elsewhere, is treated as the first one.
        let place = ends.destination.checked_sub(first).filter(|&place| place < self.hosts.count(ends.to));
        (self.first[ends.to.index()] + place.unwrap_or(0)) as usize
    }
}

struct BalancedSearch {
    found: Vec<Found>,
    /// Switches by distance.
    order: Vec<SwitchId>,
    /// Routes that wait at a switch.
    waiting: Vec<u64>,
}

impl BalancedSearch {
    /// Finds for each switch the lightest of the shortest paths to `to`. A switch is visited after all of the level
    /// before it, so its own path is known by then.
    fn run(&mut self, graph: &Graph, to: SwitchId, load: &[u64]) {
        self.found.iter_mut().for_each(|found| found.distance = FAR);
        self.found[to.index()] = Found { distance: 0, arc: 0, weight: 0 };
        self.order.clear();
        self.order.push(to);
        let mut done = 0;
        while let Some(&switch) = self.order.get(done) {
            done += 1;
            let Found { distance, weight, .. } = self.found[switch.index()];
            for arc in graph.in_arcs(switch) {
                let tail = graph.tail(arc);
                let found = &mut self.found[tail.index()];
                if found.distance == FAR {
                    *found = Found { distance: distance + 1, arc: arc.0, weight: weight + load[arc.index()] };
                    self.order.push(tail);
                } else if found.distance == distance + 1 {
                    let weight = weight + load[arc.index()];
                    if (weight, arc.0) < (found.weight, found.arc) {
                        (found.weight, found.arc) = (weight, arc.0);
                    }
                }
            }
        }
    }

    /// Counts the routes of all hosts, from the farthest switch to the nearest.
    fn lay(&mut self, graph: &Graph, hosts: &impl Fn(SwitchId) -> u32, load: &mut [u64]) {
        for &switch in &self.order {
            self.waiting[switch.index()] = u64::from(hosts(switch));
        }
        for &switch in self.order[1..].iter().rev() {
            let (arc, waiting) = (ArcId(self.found[switch.index()].arc), self.waiting[switch.index()]);
            load[arc.index()] += waiting;
            self.waiting[graph.head(arc).index()] += waiting;
        }
    }

    /// Appends the next hop of each switch.
    fn write(&self, graph: &Graph, next: &mut Vec<u16>) {
        let start = next.len();
        next.resize(start + self.found.len(), NONE);
        for &switch in &self.order[1..] {
            let place = self.found[switch.index()].arc as usize - graph.out_range(switch).start;
            next[start + switch.index()] = place as u16;
        }
    }
}

impl Routing for Balanced {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.hosts.first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        let n = self.graph.switches();
        let row = self.row(ends);
        let next = &self.next[row * n..(row + 1) * n];
        let start = arcs.len();
        let mut at = ends.from;
        while at != ends.to {
            if next[at.index()] == NONE {
                arcs.truncate(start);
                return false;
            }
            let arc = ArcId((self.graph.out_range(at).start + usize::from(next[at.index()])) as u32);
            arcs.push(arc);
            at = self.graph.head(arc);
        }
        true
    }

    fn reasons(&self, _from: SwitchId, to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let (distance, _) = distances(&self.graph, to);
        let ways = |arc: &ArcId| nearer(&self.graph, &distance, self.graph.tail(*arc)).count();
        debug_assert!(arcs.iter().all(|arc| distance[self.graph.tail(*arc).index()] != FAR));
        arcs.iter().map(|arc| format!("on the least loaded path, by 1 of {} shortest next hops", ways(arc))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::built;
    use super::*;
    use crate::topology::build as topology;
    use proptest::prelude::*;

    fn balanced(topology: &Topology, hosts: Option<&[u32]>) -> (Balanced, Vec<u64>) {
        let options = Options { hosts, ..Options::default() };
        Balanced::new(topology.graph.clone(), HostNumbers::new(topology, &options))
    }

    /// Returns the number of routes of all pairs of hosts over each arc.
    fn laid(topology: &Topology, hosts: &HostNumbers, routing: &dyn Routing) -> Vec<u64> {
        let graph = &topology.graph;
        let n = graph.switches() as u32;
        let of = |switch: u32| hosts.first[switch as usize]..hosts.first[switch as usize + 1];
        let (mut load, mut arcs) = (vec![0_u64; graph.arcs()], Vec::new());
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).filter(|(from, to)| from != to) {
            for (source, destination) in of(from).flat_map(|s| of(to).map(move |d| (s, d))) {
                arcs.clear();
                assert!(
                    routing.route_between(
                        &Ends { from: SwitchId(from), to: SwitchId(to), source, destination },
                        &mut arcs
                    )
                );
                arcs.iter().for_each(|arc| load[arc.index()] += 1);
            }
        }
        load
    }

    fn worst(load: &[u64]) -> u64 {
        load.iter().copied().max().unwrap_or(0)
    }

    #[test]
    fn loads_are_spread_where_breadth_first_piles_them_up() {
        let torus = topology("torus:8x8").unwrap();
        let (routing, load) = balanced(&torus, None);
        assert_eq!(laid(&torus, &routing.hosts, &routing), load);
        // 64 * 64 pairs of 4 hops on average over 256 arcs would be 64 each, which a tree for each destination cannot
        // reach; breadth-first paths put 220 on their worst arc.
        let bfs = built("bfs", &torus, &Options::default());
        assert_eq!(worst(&laid(&torus, &routing.hosts, &*bfs)), 220);
        assert!(worst(&load) <= 90, "{}", worst(&load));
    }

    #[test]
    fn hosts_of_a_switch_take_turns_over_equal_next_hops() {
        // From each leaf of a full tree of 8 x 8 hosts, the eight hosts of another leaf are reached over eight spines.
        let tree = topology("kary_ntree:8,2").unwrap();
        let (routing, load) = balanced(&tree, None);
        // 56 hosts of other leaves over 8 cables up for 8 hosts, and vice versa.
        let (least, most) = (load.iter().min().copied(), load.iter().max().copied());
        assert_eq!((least, most), (Some(56), Some(56)));
        assert_eq!(laid(&tree, &routing.hosts, &routing), load);
    }

    /// The naive method: for every host, Dijkstra's algorithm with weights in which a hop outweighs all loads, then a
    /// walk from every host that adds one to each arc.
    fn slowly(graph: &Graph, hosts: &[u32]) -> Vec<u64> {
        let n = graph.switches();
        let mut load = vec![0_u64; graph.arcs()];
        for (to, &count) in hosts.iter().enumerate() {
            for _ in 0..count {
                // A hop and the load of its arc, then the rest.
                let mut cost = vec![(usize::MAX, u64::MAX); n];
                cost[to] = (0, 0);
                for _ in 0..n {
                    for arc in (0..graph.arcs() as u32).map(ArcId) {
                        let (hops, weight) = cost[graph.head(arc).index()];
                        if hops != usize::MAX {
                            let through = (hops + 1, weight + load[arc.index()]);
                            let tail = &mut cost[graph.tail(arc).index()];
                            *tail = through.min(*tail);
                        }
                    }
                }
                let before = load.clone();
                for (from, &sources) in hosts.iter().enumerate() {
                    let mut at = SwitchId(from as u32);
                    while at.index() != to && cost[at.index()].0 != usize::MAX {
                        let arc = graph.out_arcs(at).find(|arc| {
                            let (hops, weight) = cost[graph.head(*arc).index()];
                            hops != usize::MAX && (hops + 1, weight + before[arc.index()]) == cost[at.index()]
                        });
                        let arc = arc.expect("an arc is the cheapest");
                        load[arc.index()] += u64::from(sources);
                        at = graph.head(arc);
                    }
                }
            }
        }
        load
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn trees_are_those_of_the_slow_way(
            n in 2usize..14, directed: bool, pairs in prop::collection::vec((0u32..14, 0u32..14), 0..50),
            hosts in prop::collection::vec(0u32..4, 14)
        ) {
            let pairs = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let mut some = topology("ring:3").unwrap();
            some.graph = Arc::new(Graph::with_parallel_cables(n, directed, pairs).unwrap());
            let (_, load) = balanced(&some, Some(&hosts[..n]));
            prop_assert_eq!(load, slowly(&some.graph, &hosts[..n]));
        }
    }

    #[test]
    fn switches_without_hosts_have_routes_and_large_networks_are_refused() {
        let tree = topology("fat_tree2:4").unwrap();
        let (routing, _) = balanced(&tree, None);
        let mut arcs = Vec::new();
        // From one spine to the other.
        assert!(routing.route(SwitchId(4), SwitchId(5), &mut arcs) && arcs.len() == 2);
        let ring = topology("ring:20000").unwrap();
        assert!("balanced".parse::<RoutingSpec>().unwrap().build(&ring, &Options::default()).is_err());
    }
}
