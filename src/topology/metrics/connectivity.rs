//! Edge connectivity, the number of cables that may fail; and path diversity, the number of shortest first hops.

use rayon::prelude::*;

use super::super::error::TopologyError;
use super::super::graph::Graph;
use crate::ids::SwitchId;

/// The largest product of switches, their smallest degree and arcs for which the edge connectivity is computed.
pub const MAX_CONNECTIVITY_WORK: u128 = 1 << 36;

/// Returns the smallest number of cables (in directed graphs: arcs) whose loss leaves a switch that cannot reach
/// another; 0 for one switch.
///
/// At diameter 2 or less it is the smallest degree (J. Plesník, Critical graphs of given diameter, 1975), as it is in a
/// connected vertex-transitive graph (Mader); `diameter` and `alike` pass on this knowledge. Plesník's theorem is for
/// simple graphs: with parallel cables, a cut through single ones may be below the degree. Otherwise it is the
/// smallest maximum flow between switch 0 and each other switch, in both directions if the graph is directed (Menger).
///
/// # Errors
/// [`TopologyError::TooLarge`] beyond [`MAX_CONNECTIVITY_WORK`].
pub fn edge_connectivity(graph: &Graph, diameter: Option<usize>, alike: bool) -> Result<usize, TopologyError> {
    let n = graph.switches();
    let degrees = super::degrees(graph);
    let least = degrees.min_out.min(degrees.min_in);
    match diameter {
        None => return Ok(0),
        _ if n == 1 => return Ok(0),
        Some(1 | 2) if !graph.has_parallel_cables() => return Ok(least),
        Some(_) if alike => return Ok(least),
        Some(_) => {}
    }
    let work = n as u128 * least as u128 * graph.arcs() as u128;
    if work > MAX_CONNECTIVITY_WORK {
        return Err(TopologyError::TooLarge {
            what: "the edge connectivity".into(),
            value: format!("{n} switches times degree {least} times {} arcs", graph.arcs()),
            limit: format!("a product of {MAX_CONNECTIVITY_WORK}"),
        });
    }
    let flows = (1..n as u32).into_par_iter().map_init(
        || UnitFlow::new(graph),
        |flow, other| {
            let there = flow.between(0, other, least);
            if graph.is_directed() { there.min(flow.between(other, 0, least)) } else { there }
        },
    );
    Ok(flows.min().unwrap_or(0))
}

/// Unit flow along arcs, found path by path.
struct UnitFlow<'a> {
    graph: &'a Graph,
    /// `true` for arcs that carry flow. Two-way cables are two arcs; flow may use both, which then cancels.
    used: Vec<bool>,
    came_by: Vec<(u32, bool)>,
    seen: Vec<bool>,
    queue: Vec<u32>,
}

impl<'a> UnitFlow<'a> {
    fn new(graph: &'a Graph) -> Self {
        let n = graph.switches();
        let (used, came_by) = (vec![false; graph.arcs()], vec![(0, false); n]);
        Self { graph, used, came_by, seen: vec![false; n], queue: Vec::with_capacity(n) }
    }

    /// Returns the maximum flow, or `enough` if it is larger.
    fn between(&mut self, from: u32, to: u32, enough: usize) -> usize {
        self.used.fill(false);
        (0..enough).take_while(|_| self.augment(from, to)).count()
    }

    fn augment(&mut self, from: u32, to: u32) -> bool {
        self.seen.fill(false);
        self.queue.clear();
        self.queue.push(from);
        self.seen[from as usize] = true;
        let mut done = 0;
        while let Some(&switch) = self.queue.get(done) {
            done += 1;
            let id = SwitchId(switch);
            let ways =
                self.graph.out_arcs(id).map(|arc| (arc, true)).chain(self.graph.in_arcs(id).map(|arc| (arc, false)));
            for (arc, along) in ways {
                let next = if along { self.graph.head(arc) } else { self.graph.tail(arc) };
                if self.used[arc.index()] != along && !std::mem::replace(&mut self.seen[next.index()], true) {
                    self.came_by[next.index()] = (arc.0, along);
                    if next.0 == to {
                        self.take(from, to);
                        return true;
                    }
                    self.queue.push(next.0);
                }
            }
        }
        false
    }

    fn take(&mut self, from: u32, to: u32) {
        let mut switch = to;
        while switch != from {
            let (arc, along) = self.came_by[switch as usize];
            self.used[arc as usize] = along;
            let arc = crate::topology::ArcId(arc);
            switch = if along { self.graph.tail(arc).0 } else { self.graph.head(arc).0 };
        }
    }
}

/// Returns the mean number of neighbours through which a shortest path leads, over all ordered pairs of different
/// switches: 1 if paths are unique. `None` if some pair is unreachable, or for one switch. Needs a search from every
/// switch.
pub fn path_diversity(graph: &Graph) -> Option<f64> {
    let n = graph.switches();
    let choices: Option<Vec<u64>> = (0..n as u32)
        .into_par_iter()
        .map_init(
            || (vec![u32::MAX; n], Vec::with_capacity(n)),
            |(distance, queue), to| {
                to_switch(graph, to, distance, queue);
                if queue.len() < n {
                    return None;
                }
                // Parallel cables lead to one neighbour.
                let ways = |switch: u32| {
                    let nearer = distance[switch as usize].checked_sub(1);
                    let mut previous = None;
                    let heads = graph.heads_of(SwitchId(switch)).iter();
                    heads.filter(|&&h| Some(distance[h as usize]) == nearer && previous.replace(h) != Some(h)).count()
                };
                Some((0..n as u32).map(|switch| ways(switch) as u64).sum())
            },
        )
        .collect();
    let pairs = n as f64 * (n as f64 - 1.0);
    choices.filter(|_| n > 1).map(|choices| choices.iter().sum::<u64>() as f64 / pairs)
}

/// Computes the distances of all switches to one of them.
fn to_switch(graph: &Graph, to: u32, distance: &mut [u32], queue: &mut Vec<u32>) {
    distance.fill(u32::MAX);
    queue.clear();
    distance[to as usize] = 0;
    queue.push(to);
    let mut done = 0;
    while done < queue.len() {
        let switch = queue[done];
        done += 1;
        for arc in graph.in_arcs(SwitchId(switch)) {
            let tail = graph.tail(arc);
            if distance[tail.index()] == u32::MAX {
                distance[tail.index()] = distance[switch as usize] + 1;
                queue.push(tail.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metrics;
    use super::*;
    use crate::topology::build;
    use proptest::prelude::*;

    #[test]
    fn known_connectivities() {
        // Two triangles connected by one cable: the edge connectivity is 1. The diameter 3 rules out the shortcut.
        let bridge = Graph::undirected(6, vec![(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)]).unwrap();
        assert_eq!(edge_connectivity(&bridge, Some(3), false).unwrap(), 1);
        for (spec, expected) in [("torus:4x4", 4), ("mesh:4x5", 2), ("ring:9", 2), ("full_mesh:6", 5)] {
            let graph = build(spec).unwrap().graph;
            assert_eq!(edge_connectivity(&graph, Some(9), false).unwrap(), expected, "{spec}");
            assert_eq!(edge_connectivity(&graph, Some(9), true).unwrap(), expected, "{spec}");
        }
        // Two trunks of ten cables, joined by two single ones: the smallest degree is 11.
        let trunks = build("hyperx:2x2,k=[1,10]").unwrap().graph;
        assert_eq!(edge_connectivity(&trunks, Some(2), false).unwrap(), 2);
        // A one-way cycle with a chord.
        let cycle = Graph::directed(4, vec![(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]).unwrap();
        assert_eq!(edge_connectivity(&cycle, Some(3), false).unwrap(), 1);
        assert_eq!(edge_connectivity(&cycle, None, false).unwrap(), 0);
    }

    #[test]
    fn ways_by_hand() {
        // A square: opposite corners have two paths, neighbours one: 4 pairs of 2 and 8 of 1.
        let square = build("ring:4").unwrap().graph;
        assert!((path_diversity(&square).unwrap() - 16.0 / 12.0).abs() < 1e-15);
        assert_eq!(path_diversity(&Graph::undirected(3, vec![(0, 1)]).unwrap()), None);
        assert_eq!(path_diversity(&Graph::undirected(1, vec![]).unwrap()), None);
    }

    proptest! {
        /// Brute force: remove every set of arcs of growing size until the graph is disconnected.
        #[test]
        fn no_smaller_cut_exists(n in 2usize..6, directed: bool, parallel: bool, pairs in prop::collection::vec((0u32..6, 0u32..6), 2..9)) {
            let pairs: Vec<_> = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = |pairs: Vec<(u32, u32)>| match (parallel, directed) {
                (true, _) => Graph::with_parallel_cables(n, directed, pairs),
                (false, true) => Graph::directed(n, pairs),
                (false, false) => Graph::undirected(n, pairs),
            };
            let whole = graph(pairs).unwrap();
            let cables: Vec<_> = whole.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
            let cut = (0_u32..1 << cables.len()).filter(|gone| {
                let kept = cables.iter().enumerate().filter(|(i, _)| gone & (1 << i) == 0).map(|(_, &c)| c).collect();
                !graph(kept).unwrap().is_connected()
            }).map(u32::count_ones).min().unwrap();
            let diameter = Metrics::of(&whole).unwrap().distances.map(|d| d.diameter());
            prop_assert_eq!(edge_connectivity(&whole, diameter, false).unwrap(), cut as usize);
        }
    }
}
