//! Routing in Equality networks with a table of O(n): first hops by offset.
//!
//! `i -> i + 2` and `i -> 1 - i` renumber an Equality network into itself. So the first hops of the shortest paths from
//! switch 0 are enough: from an even switch i to j those of offset `j - i`, taken upwards; from an odd one those of
//! `i - j`, taken downwards.

use std::fmt;

use super::walk::{Walk, Walked};
use super::{Options, Routing, RoutingError, RoutingSpec};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, distances};
use crate::topology::{Graph, Topology};

/// First hops of shortest paths, by offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    n: u32,
    /// Neighbours of switch 0, in ascending order.
    hops: Vec<u32>,
    /// Distance of each offset from switch 0.
    distance: Vec<u32>,
}

pub(super) fn build(
    topology: &Topology,
    _options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let refuse = || RoutingError::unsuitable("equality", topology, "it is for equality, whose symmetry it needs");
    if topology.spec.family().name != "equality" {
        return Err(refuse());
    }
    let rule = Tables::new(&topology.graph).ok_or_else(refuse)?;
    Ok(Box::new(Walked { graph: topology.graph.clone(), rule }))
}

impl Tables {
    /// Builds the tables of an Equality network; `None` if the number of switches is odd or the network is
    /// disconnected. The symmetry of the graph is assumed from its family and not checked.
    pub fn new(graph: &Graph) -> Option<Self> {
        let n = graph.switches() as u32;
        let (distance, _) = distances(graph, SwitchId(0));
        let hops = graph.neighbours(SwitchId(0)).map(|hop| hop.0).collect();
        (n.is_multiple_of(2) && !distance.contains(&FAR)).then_some(Self { n, hops, distance })
    }

    /// Returns the distance from a neighbour of switch 0 to an offset.
    fn hop_to(&self, hop: u32, offset: u32) -> u32 {
        let (from, to) = if hop.is_multiple_of(2) { (hop, offset) } else { (offset, hop) };
        self.distance[((to + self.n - from) % self.n) as usize]
    }

    /// Returns the hops of the shortest path to an offset.
    pub fn shortest_hops(&self, offset: u32) -> u32 {
        self.distance[(offset % self.n) as usize]
    }

    /// Returns the first hops of shortest paths to an offset, in ascending order.
    pub fn shortest_next(&self, offset: u32) -> impl Iterator<Item = u32> + '_ {
        let goal = self.shortest_hops(offset);
        self.hops.iter().copied().filter(move |&hop| self.hop_to(hop, offset) + 1 == goal)
    }
}

impl Walk for Tables {
    fn walk(&self, from: u32, to: u32, step: &mut dyn FnMut(u32, fmt::Arguments<'_>)) -> bool {
        let mut at = from;
        while at != to {
            let even = at.is_multiple_of(2);
            let offset = if even { to + self.n - at } else { at + self.n - to } % self.n;
            let Some(hop) = self.shortest_next(offset).next() else { return false };
            at = if even { at + hop } else { at + self.n - hop } % self.n;
            let sign = if even { "+" } else { "-" };
            step(at, format_args!("offset {offset}: first hop {sign}{hop} of {}", self.shortest_next(offset).count()));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{path, reference};
    use super::*;

    /// Router i is joined to i + s if it is even and to i - s if it is odd.
    fn graph(n: i64, hops: &[i64]) -> Graph {
        let end = |i: i64, hop: i64| if i % 2 == 0 { i + hop } else { i - hop }.rem_euclid(n) as u32;
        let cables = (0..n).flat_map(|i| hops.iter().map(move |&hop| (i as u32, end(i, hop)))).collect();
        Graph::undirected(n as usize, cables).unwrap()
    }

    /// Returns neighbours that begin the shortest of the paths that are not shortest, and the hops of those paths. No
    /// neighbour and `None` if all begin shortest paths. Routes use none of them; the paper lists them.
    fn subshortest_next(tables: &Tables, offset: u32) -> (Vec<u32>, Option<u32>) {
        let goal = tables.shortest_hops(offset);
        let through = |&hop: &u32| (hop, tables.hop_to(hop, offset) + 1);
        let others = || tables.hops.iter().map(through).filter(|&(_, hops)| hops != goal);
        let least = others().map(|(_, hops)| hops).min();
        (others().filter(|&(_, hops)| Some(hops) == least).map(|(hop, _)| hop).collect(), least)
    }

    #[test]
    fn tables_are_those_of_the_reference() {
        let reference = reference();
        let entries = reference["routing"]["equality"].as_array().unwrap();
        assert!(entries.len() >= 4);
        for entry in entries {
            let list = |key: &str| serde_json::from_value::<Vec<i64>>(entry[key].clone()).unwrap();
            let n = entry["n"].as_i64().unwrap();
            let graph = graph(n, &[list("sa"), list("sb")].concat());
            let tables = Tables::new(&graph).unwrap();
            let mut most = 0;
            for offset in 1..n as u32 {
                let expected = |key: &str| entry[key][offset.to_string()].clone();
                let hops = |key: &str| serde_json::from_value::<Vec<u32>>(expected(key)).unwrap();
                assert_eq!(tables.shortest_next(offset).collect::<Vec<_>>(), hops("shortest_next"), "{n}: {offset}");
                let (next, length) = subshortest_next(&tables, offset);
                assert_eq!(next, hops("subshortest_next"), "{n}: {offset}");
                assert_eq!(length.map(u64::from), expected("subshortest_hops").as_u64(), "{n}: {offset}");
                most = most.max(length.unwrap_or(0));
            }
            assert_eq!(u64::from(most), entry["max_subshortest_hops"].as_u64().unwrap());
            let diameter = (0..n as u32).map(|offset| tables.shortest_hops(offset)).max();
            assert_eq!(diameter.map(u64::from), entry["diameter"].as_u64());
        }
    }

    #[test]
    fn routes_from_even_and_odd_switches_are_shortest() {
        let graph = std::sync::Arc::new(graph(64, &[-1, 1, 9, 23, 14]));
        let routing = Walked { graph: graph.clone(), rule: Tables::new(&graph).unwrap() };
        for to in 0..64 {
            let (distance, _) = distances(&graph, SwitchId(to));
            for from in 0..64 {
                let route = path(&graph, &routing, from, to).unwrap();
                assert_eq!(route.len() as u32 - 1, distance[from as usize], "{from} to {to}");
            }
        }
    }
}
