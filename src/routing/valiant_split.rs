//! Every message through all switches: Valiant's routing in the limit of many packets that draw one switch each.
//!
//! With N switches a part of 1/N goes through each of them, to it and on from it in equal parts over all shortest paths,
//! as under [`split`](super::split). The parts through the first and the last switch of a route are those of its
//! shortest paths. Let u(s, w) be the traffic on all arcs if 1 is sent from s to w in this way: a message from s to d
//! puts (sum over w of u(s, w) + sum over w of u(w, d)) / N on the arcs, so two sums for each switch are enough for all
//! pairs. [`valiant`](super::valiant) instead draws one switch for each pair of hosts, as a static route table has to.
//! (L. Valiant, A Scheme for Fast Parallel Communication, 1982.)

use super::source_cache::SourceCache;
use super::{Chosen, Ends, Options, Routing, RoutingError, RoutingSpec, split};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, Pouring, distances, gather, nearer};
use crate::topology::{ArcId, Graph, Topology};
use std::sync::Arc;

/// Limit on switches. The distances of all pairs are kept, which takes 256 MiB for this many.
const MAX_SWITCHES: usize = 1 << 13;

struct ValiantSplit {
    /// The rule of each half, and of the one path that represents all.
    straight: Box<dyn Routing>,
    graph: Arc<Graph>,
    /// Switches that messages go through: all that have cables.
    through: Vec<u32>,
    /// Distances to each switch.
    distance: Vec<Vec<u32>>,
    /// Traffic on the arcs if a switch sends 1 to each other one.
    sent: SourceCache<Vec<f64>>,
    /// Traffic on the arcs if a switch receives 1 from each other one.
    received: SourceCache<Vec<f64>>,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let graph = topology.graph.clone();
    let n = graph.switches();
    let refuse = |reason: &str| RoutingError::unsuitable("valiant_split", topology, reason);
    if n > MAX_SWITCHES {
        return Err(refuse(&format!("each message would use all of {n} switches; the limit is {MAX_SWITCHES}")));
    }
    let switches = (0..n as u32).map(SwitchId);
    let through: Vec<u32> =
        switches.clone().filter(|&s| graph.out_degree(s) + graph.in_degree(s) > 0).map(|s| s.0).collect();
    if let Some((from, to)) = graph.unreachable_pair(through.iter().map(|&s| SwitchId(s))) {
        return Err(refuse(&format!(
            "every switch is on the way of some messages, and none leads from {from} to {to}"
        )));
    }
    let straight = split::build(topology, options, spec)?;
    let distance = switches.map(|to| distances(&graph, to).0).collect();
    let sums = || SourceCache::new(n, graph.arcs() * size_of::<f64>());
    let (sent, received) = (sums(), sums());
    Ok(Box::new(ValiantSplit { straight, graph, through, distance, sent, received }))
}

impl ValiantSplit {
    /// Returns the traffic on the arcs if `from` sends 1 to each switch.
    fn sent_by(&self, from: SwitchId) -> Vec<f64> {
        let mut arcs = vec![0.0; self.graph.arcs()];
        let mut pouring = Pouring::new(self.graph.switches());
        for &to in &self.through {
            pouring.pour(&self.graph, &self.distance[to as usize], from, |arc, part| arcs[arc.index()] += part);
        }
        arcs
    }

    /// Returns the traffic on the arcs if `to` receives 1 from each switch.
    fn received_by(&self, to: SwitchId) -> Vec<f64> {
        let mut arcs = vec![0.0; self.graph.arcs()];
        let mut height = vec![0.0; self.graph.switches()];
        self.through.iter().for_each(|&switch| height[switch as usize] = 1.0);
        let (distance, order) = distances(&self.graph, to);
        gather(&self.graph, (&distance, &order), &mut height, |arc, part| arcs[arc.index()] += part);
        arcs
    }
}

impl Routing for ValiantSplit {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.straight.route(from, to, arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.straight.route_between(ends, arcs)
    }

    fn chosen(&self) -> Chosen {
        Chosen::Split
    }

    fn parts(&self, ends: &Ends, parts: &mut Vec<(ArcId, f64)>) -> bool {
        let (from, to) = (ends.from, ends.to);
        if from == to {
            return true;
        }
        if self.distance[to.index()][from.index()] == FAR {
            return false;
        }
        let mut sum = self.sent.with(from.0, || self.sent_by(from), Vec::clone);
        self.received.with(
            to.0,
            || self.received_by(to),
            |received| sum.iter_mut().zip(received).for_each(|(sum, part)| *sum += part),
        );
        let n = self.through.len() as f64;
        let before = parts.len();
        parts.extend((0..).map(ArcId).zip(sum).filter(|(_, sum)| *sum > 0.0).map(|(arc, sum)| (arc, sum / n)));
        // How far an arc is from the source: its tail, by the shortest path.
        parts[before..].sort_by_key(|(arc, _)| self.distance[self.graph.tail(*arc).index()][from.index()]);
        true
    }

    fn longest(&self, pairs: &[(SwitchId, SwitchId)], weights: &[f64]) -> f64 {
        let n = self.graph.switches();
        // The largest sum on a shortest path from each switch to each other one.
        let to_all = |to: u32| {
            let (distance, order) = distances(&self.graph, SwitchId(to));
            let mut most = vec![0.0_f64; n];
            for &switch in &order {
                let on = |arc: ArcId| most[self.graph.head(arc).index()] + weights[arc.index()];
                let longest = nearer(&self.graph, &distance, switch).map(on).fold(0.0, f64::max);
                most[switch.index()] = longest;
            }
            most
        };
        let most: Vec<Vec<f64>> = (0..n as u32).map(to_all).collect();
        let detour = |&(from, to): &(SwitchId, SwitchId)| {
            let through = |&switch: &u32| most[switch as usize][from.index()] + most[to.index()][switch as usize];
            if from == to { 0.0 } else { self.through.iter().map(through).fold(0.0, f64::max) }
        };
        pairs.iter().map(detour).fold(0.0, f64::max)
    }

    fn reasons(&self, _from: SwitchId, _to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let all = self.through.len();
        vec![format!("one of the direct paths; an equal part goes through each of {all} switches"); arcs.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::built;
    use super::*;
    use crate::topology::build as topology;

    fn ends(from: u32, to: u32) -> Ends {
        Ends { from: SwitchId(from), to: SwitchId(to), source: from, destination: to }
    }

    /// Three switches with one-way cables.
    fn with_arcs(arcs: Vec<(u32, u32)>) -> Topology {
        Topology { graph: Arc::new(Graph::directed(3, arcs).unwrap()), ..topology("ring:3").unwrap() }
    }

    #[test]
    fn a_part_goes_through_each_switch_of_a_ring() {
        // 0 to 1 of a one-way ring of 3: a third straight, a third straight as its switch is the last one, and a third
        // by 2, once round and one hop more.
        let ring = with_arcs(vec![(0, 1), (1, 2), (2, 0)]);
        let routing = built("valiant_split", &ring, &Options::default());
        let mut parts = Vec::new();
        assert!(routing.parts(&ends(0, 1), &mut parts));
        let named: Vec<(u32, f64)> = parts.iter().map(|&(arc, part)| (ring.graph.tail(arc).0, part)).collect();
        assert_eq!(named.len(), 3);
        for ((tail, part), expected) in named.into_iter().zip([(0, 4.0 / 3.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0)]) {
            assert!(tail == expected.0 && (part - expected.1).abs() < 1e-12, "{tail} {part}");
        }
        assert_eq!(routing.longest(&[(SwitchId(0), SwitchId(1))], &[1.0; 3]), 4.0);
    }

    #[test]
    fn parts_are_the_means_of_paths_through_every_switch() {
        for spec in ["torus:4x3", "random:n=20,d=4,seed=2", "imase_itoh:n=16,d=3", "fat_tree3:4", "dragonfly:a=4,h=1"] {
            let topology = topology(spec).unwrap();
            let graph = &topology.graph;
            let n = graph.switches() as u32;
            let routing = built("valiant-split", &topology, &Options::default());
            let straight = built("split", &topology, &Options::default());
            for (from, to) in (0..n).map(|from| (from, (from * 7 + 5) % n)) {
                let mut expected = vec![0.0; graph.arcs()];
                let (mut parts, mut longest) = (Vec::new(), 0.0_f64);
                for through in if from == to { 0..0 } else { 0..n } {
                    parts.clear();
                    straight.parts(&ends(from, through), &mut parts);
                    straight.parts(&ends(through, to), &mut parts);
                    longest = longest.max(parts.iter().map(|part| part.1).sum());
                    parts.iter().for_each(|(arc, part)| expected[arc.index()] += part / f64::from(n));
                }
                parts.clear();
                assert!(routing.parts(&ends(from, to), &mut parts));
                assert!(parts.iter().all(|(_, part)| *part > 0.0));
                parts.iter().for_each(|(arc, part)| expected[arc.index()] -= part);
                assert!(expected.iter().all(|rest| rest.abs() < 1e-12), "{spec}: {from} {to}");
                let pair = [(SwitchId(from), SwitchId(to))];
                assert!(
                    (routing.longest(&pair, &vec![1.0; graph.arcs()]) - longest).abs() < 1e-9,
                    "{spec}: {from} {to}"
                );
            }
        }
    }

    #[test]
    fn what_not_all_can_reach_is_refused() {
        let chain = with_arcs(vec![(0, 1), (1, 2)]);
        let error = super::super::build("valiant_split", &chain, &Options::default()).err().unwrap();
        assert!(error.to_string().contains("none leads from"), "{error}");
    }
}
