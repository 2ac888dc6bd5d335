//! DSN-x: a ring in which successive switches have shortcuts of half the ring, a quarter, an eighth, ...
//!
//! (*Layout-aware Expandable Low-degree Topology*, which compares with it.) With `p = ceil(log2 n)` the level of switch
//! `i` is `i mod p + 1`. A switch of level `l <= x` has a shortcut to the nearest switch of level l + 1 that is at
//! least `floor(n / 2^l)` further along the ring. The average degree is below 4, no switch has more than 5 cables.

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 4)?;
    let p = n.next_power_of_two().ilog2() as usize;
    // The publications never state which x they plot; all levels have shortcuts by default.
    let x = match arguments.integer("x") {
        Some(_) => arguments.degree("x", p - 1, "less than ceil(log2 n)")?,
        None => p - 1,
    };
    let mut cables: Vec<(u32, u32)> = (0..n).map(|i| (i as u32, ((i + 1) % n) as u32)).collect();
    for i in 0..n {
        let level = i % p + 1;
        if level <= x {
            // Level l + 1 belongs to the indices that are l modulo p; there is one below p, so the search ends.
            let least = (n >> level).max(1);
            let distance = (least..).find(|distance| (i + distance) % n % p == level).expect("every level occurs");
            cables.push((i as u32, ((i + distance) % n) as u32));
        }
    }
    Graph::undirected(n, cables)
}

#[cfg(test)]
mod tests {
    use crate::topology::build;

    #[test]
    fn the_shortcuts_of_sixteen_switches() {
        // p = 4, x = 3: the list in the specification of the topology.
        let shortcuts =
            [(0, 9), (1, 6), (1, 8), (2, 7), (2, 13), (3, 14), (4, 13), (5, 10), (5, 12), (6, 11), (9, 14), (10, 15)];
        let graph = build("dsn:16").unwrap().graph;
        let ends: Vec<_> =
            graph.cable_ends().map(|(u, v)| (u.0, v.0)).filter(|&(u, v)| v - u > 1 && v - u < 15).collect();
        assert_eq!(ends, shortcuts);
    }
}
