//! MDDP of two-way cables: a known graph of few hops, cut or grown to n switches (see `mddp.rs`).
//!
//! Known graphs of degree d: the complete graph of d + 1 switches, the Petersen graph (3, 10 switches), those of Slim
//! Fly (q = 5 is the Hoffman-Singleton graph), and polarity graphs. The one of nearest order is used, among equals the
//! one with the smaller diameter. The neighbours of a removed switch are connected in pairs; an inserted switch splits
//! `floor(d/2)` cables.

use super::galois::Field;
use super::{mddp, polarity, slimfly};
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

/// Graph known to have many switches for its degree and diameter.
#[derive(Clone, Copy)]
enum KnownGraph {
    Complete,
    Petersen,
    Polarity(usize),
    SlimFly(usize),
}

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 3)?;
    let d = arguments.count("d", 2, n - 1)?;
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    // In the order of their diameters.
    let mut known = vec![(d + 1, KnownGraph::Complete)];
    if d == 3 {
        known.push((10, KnownGraph::Petersen));
    }
    // A prime power is refused cheaply only while it is small; both families end at degrees of a few hundred.
    if d <= 422 {
        let q = (2 * d).saturating_sub(1) / 3;
        let fit = (q..=q + 2).find(|&q| slimfly::degree(q) == Some(d));
        known.extend(fit.map(|q| (2 * q * q, KnownGraph::SlimFly(q))));
    }
    if d <= 406 && Field::new(d - 1).is_some() {
        let q = d - 1;
        known.push((q * q + q + 1, KnownGraph::Polarity(q)));
    }
    let &(order, graph) = known.iter().min_by_key(|(order, _)| order.abs_diff(n)).expect("one is always there");
    arguments.limit_arcs("d", order as u128 * d as u128)?;
    let field = |q| Field::new(q).expect("the list has only prime powers");
    let mut cables = match graph {
        KnownGraph::Complete => (0..=d as u32).flat_map(|u| (u + 1..=d as u32).map(move |v| (u, v))).collect(),
        KnownGraph::Petersen => (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]).collect(),
        KnownGraph::Polarity(q) => polarity::cables(&field(q)),
        KnownGraph::SlimFly(q) => slimfly::cables(&field(q)),
    };
    for cable in &mut cables {
        *cable = (cable.0.min(cable.1), cable.0.max(cable.1));
    }
    cables.retain(|(u, v)| u != v);
    cables.sort_unstable();
    cables.dedup();
    mddp::fit(arguments, false, (order, &cables), n, d / 2)
}

#[cfg(test)]
mod tests {
    use crate::ids::SwitchId;
    use crate::topology::build;

    #[test]
    fn degrees_stay_within_the_limit() {
        for (d, n) in [(3, 10), (3, 9), (3, 14), (7, 50), (7, 45), (7, 60), (8, 57), (8, 64), (6, 7), (4, 30), (5, 32)]
        {
            let graph = build(&format!("mddp:n={n},d={d}")).unwrap().graph;
            assert_eq!(graph.switches(), n as usize);
            assert!(graph.is_connected());
            assert!((0..n).all(|s| graph.out_degree(SwitchId(s)) <= d), "{d} {n}");
            let cables = graph.cables() as f64;
            // At most one cable is missing at each inserted switch, at each self-orthogonal point, and in removals.
            assert!(
                cables <= (n as f64) * d as f64 / 2.0 && cables >= 0.8 * (n as f64) * (d - 1) as f64 / 2.0,
                "{d} {n}"
            );
        }
    }

    #[test]
    fn a_search_never_lengthens_paths() {
        use crate::topology::metrics::distances;
        let of = |search| distances(&build(&format!("mddp:n=70,d=8,search={search}")).unwrap().graph).unwrap();
        let (before, after) = (of(0), of(300));
        assert!(after.sum < before.sum && after.diameter() <= before.diameter());
    }
}
