//! MDDP of one-way cables: the Kautz digraph of nearest order, cut or grown to n switches (see `mddp.rs`).
//!
//! (*A Case for Uni-Directional Network Topologies in Large-Scale Clusters*.) A removed switch connects its incoming
//! arcs to its outgoing ones; an inserted switch splits d arcs with different tails and heads. Every switch keeps d
//! arcs out and in.

use super::{kautz, mddp};
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 2)?;
    let d = arguments.degree("d", n - 1, "less than the number of switches")?;
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    // Orders beyond 2n are farther from n than the last one below it; ties are resolved to the smaller diameter.
    let orders = (1..=25).map_while(|k| kautz::order(d, k).map(|order| (k, order)));
    let (k, order) = orders.min_by_key(|&(k, order)| (order.abs_diff(n), k)).expect("k = 1 always exists");
    arguments.limit_arcs("d", order as u128 * d as u128)?;
    mddp::fit(arguments, true, (order, &kautz::arcs(d, k, order)), n, d)
}

#[cfg(test)]
mod tests {
    use crate::ids::SwitchId;
    use crate::topology::build;

    #[test]
    fn degrees_stay_whether_it_is_cut_or_grown() {
        // Kautz graphs of degree 3 have 4, 12, 36 and 108 switches.
        for n in [4, 5, 9, 12, 13, 30, 36, 50, 90] {
            let graph = build(&format!("mddp_directed:n={n},d=3")).unwrap().graph;
            let degrees = (0..n).map(SwitchId).map(|s| (graph.out_degree(s), graph.in_degree(s)));
            assert!(graph.switches() == n as usize && degrees.into_iter().all(|degrees| degrees == (3, 3)), "{n}");
        }
    }
}
