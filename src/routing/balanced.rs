//! Shortest paths that spread the load, as the subnet managers of InfiniBand assign them.
//!
//! Destinations are taken in ascending order. For each, switches are taken from the farthest to the nearest (in the
//! reverse order of a breadth-first search from the destination); a switch sends what it has to send there, its own
//! messages and those of the switches behind it, over that one of its shortest next hops which carries the least so
//! far, the lowest arc among equals. Loads count ordered pairs of switches, and stay from destination to destination
//! (compare T. Hoefler, T. Schneider and A. Lumsdaine, Optimized Routing for Large-Scale InfiniBand Networks, 2009). As
//! in such a network, the next hop depends on the destination alone.
//!
//! Every choice depends on all before it, so the routes are computed at once and kept: a byte or two for each pair.

use std::sync::Arc;

use super::{Options, Routing, RoutingError};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, distances, nearer};
use crate::topology::{ArcId, Graph, Topology};

/// Largest number of ordered pairs whose routes are kept: those of 16,384 switches.
pub const MAX_PAIRS: usize = 1 << 28;

/// No way, or the destination itself.
const NONE: u16 = u16::MAX;

struct Balanced {
    graph: Arc<Graph>,
    /// For each destination, for each switch, which of its arcs leads there.
    next: Vec<u16>,
}

pub(super) fn build(topology: &Topology, _options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    let graph = topology.graph.clone();
    let n = graph.switches();
    if n.saturating_mul(n) > MAX_PAIRS {
        let reason = format!("it has {n} switches, and loads are balanced for up to {}", MAX_PAIRS.isqrt());
        return Err(RoutingError::unsuitable("balanced", topology, &reason));
    }
    if (0..n as u32).any(|switch| graph.out_degree(SwitchId(switch)) >= usize::from(NONE)) {
        return Err(RoutingError::unsuitable("balanced", topology, "a switch has more than 65,534 cables"));
    }
    Ok(Box::new(Balanced::new(graph).0))
}

impl Balanced {
    /// The routes, and the load of each arc.
    fn new(graph: Arc<Graph>) -> (Self, Vec<u64>) {
        let n = graph.switches();
        let mut load = vec![0_u64; graph.arcs()];
        let mut next = vec![NONE; n * n];
        let mut waiting = vec![0_u64; n];
        for (to, next) in (0..n as u32).map(SwitchId).zip(next.chunks_exact_mut(n)) {
            let (distance, order) = distances(&graph, to);
            waiting.fill(1);
            for &switch in order[1..].iter().rev() {
                let arc = nearer(&graph, &distance, switch).min_by_key(|arc| (load[arc.index()], arc.0));
                let arc = arc.expect("a switch with a way has a next hop");
                load[arc.index()] += waiting[switch.index()];
                waiting[graph.head(arc).index()] += waiting[switch.index()];
                next[switch.index()] = (arc.index() - graph.out_range(switch).start) as u16;
            }
        }
        (Self { graph, next }, load)
    }
}

impl Routing for Balanced {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        let start = arcs.len();
        let mut at = from;
        while at != to {
            let next = self.next[to.index() * self.graph.switches() + at.index()];
            if next == NONE {
                arcs.truncate(start);
                return false;
            }
            let arc = ArcId((self.graph.out_range(at).start + usize::from(next)) as u32);
            arcs.push(arc);
            at = self.graph.head(arc);
        }
        true
    }

    fn reasons(&self, _from: SwitchId, to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let (distance, _) = distances(&self.graph, to);
        let ways = |arc: &ArcId| nearer(&self.graph, &distance, self.graph.tail(*arc)).count();
        debug_assert!(arcs.iter().all(|arc| distance[self.graph.tail(*arc).index()] != FAR));
        arcs.iter().map(|arc| format!("the least loaded of {} shortest next hops", ways(arc))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn loads_are_spread_where_breadth_first_piles_them_up() {
        let torus = topology("torus:8x8").unwrap();
        let (routing, load) = Balanced::new(torus.graph.clone());
        let bfs = super::super::build("bfs", &torus, &Options::default()).unwrap();
        let most = |routing: &dyn Routing| {
            let (mut load, mut arcs) = (vec![0_u64; torus.graph.arcs()], Vec::new());
            for (from, to) in (0..64).flat_map(|a| (0..64).map(move |b| (SwitchId(a), SwitchId(b)))) {
                arcs.clear();
                assert!(routing.route(from, to, &mut arcs));
                arcs.iter().for_each(|arc| load[arc.index()] += 1);
            }
            load
        };
        assert_eq!(most(&routing), load);
        // 64 * 64 pairs of 4 hops on average over 256 arcs would be 64 each. A tree for each destination cannot do
        // that; half of what breadth-first paths put on their worst arc is what it gives.
        let worst = |load: &[u64]| load.iter().copied().max().unwrap();
        assert_eq!((worst(&load), worst(&most(&*bfs))), (110, 220));
    }

    #[test]
    fn large_networks_are_refused() {
        assert!(build(&topology("ring:20000").unwrap(), &Options::default()).is_err());
    }
}
