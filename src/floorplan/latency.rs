//! Latency of an unloaded message from switch to switch (paper on Skywalk).
//!
//! `latency = 300 ns + switch_delay * (hops + 1) + cable_delay * metres`: 150 ns each for injection and reception, and
//! the delay of every switch on the path, the first and the last included.

use rayon::prelude::*;

use crate::ids::SwitchId;
use crate::steps::Steps;
use crate::topology::weighted::{FAR, HOP, WeightedSearch, Weights, picoseconds};
use crate::topology::{ArcId, Graph, Hosts, TopologyError};

/// Injection and reception, 150 ns each, in seconds.
pub const ENDS: f64 = 300e-9;

/// Largest and mean latency over ordered pairs of different switches that have hosts attached, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Latency {
    /// Largest latency, in seconds.
    pub max: f64,
    /// Mean latency, in seconds; 0 if only one switch has hosts.
    pub mean: f64,
}

/// Returns the delay of every arc in seconds: that of its cable and of the switch it enters. A host has no delay;
/// [`ends`] subtracts it.
pub fn arc_delays(graph: &Graph, lengths: &[f64], switch_delay: f64, cable_delay: f64) -> Vec<f64> {
    let delay = |arc| switch_delay + cable_delay * lengths[graph.cable(ArcId(arc)).index()];
    (0..graph.arcs() as u32).map(delay).collect()
}

/// Returns the part of a route's latency that its arcs do not include: injection and reception, and the first switch,
/// which no arc of the route enters. If an end is a host with cables of its own, the delay of one switch is subtracted.
pub fn ends(graph: &Graph, from: SwitchId, to: SwitchId, switch_delay: f64) -> f64 {
    let is_host = |vertex: SwitchId| matches!(graph.hosts(), Hosts::Vertices(count) if vertex.0 < *count);
    let hosts = [from, to].into_iter().filter(|&end| is_host(end)).count();
    ENDS + switch_delay * (1.0 - hosts as f64)
}

/// Rule by which a message selects its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathChoice {
    /// The path with the smallest latency.
    Fastest,
    /// A path with the fewest hops, and among these one with the smallest latency.
    Nearest,
}

/// Returns the latencies of a network with these cable lengths (metres) and delays (seconds, seconds per metre). A step
/// is the search from one switch.
///
/// # Errors
/// [`TopologyError::Disconnected`] if a switch with hosts attached does not reach another.
pub fn latencies(
    graph: &Graph,
    lengths: &[f64],
    switch_delay: f64,
    cable_delay: f64,
    choice: PathChoice,
    steps: &Steps,
) -> Result<Latency, TopologyError> {
    let n = graph.switches();
    let bearing: Vec<u32> =
        (0..).zip(graph.default_hosts()).filter(|(_, hosts)| *hosts > 0).map(|(vertex, _)| vertex).collect();
    let delays = arc_delays(graph, lengths, switch_delay, cable_delay);
    let weights = match choice {
        PathChoice::Fastest => Weights::new(delays.iter().map(|&delay| picoseconds(delay)).collect()),
        PathChoice::Nearest => Weights::hops_first(delays.iter().copied()),
    };
    // The sum and the largest of each source are whole numbers, so that the order of the threads does not matter.
    steps.expect(bearing.len() as u64);
    let from_each: Result<Vec<(u128, u64)>, TopologyError> = bearing
        .par_iter()
        .map_init(
            || WeightedSearch::new(n),
            |search, &from| {
                search.run(graph, &weights, SwitchId(from));
                let (mut sum, mut most) = (0_u128, 0);
                for &to in &bearing {
                    let weight = search.weight[to as usize];
                    if weight == FAR {
                        return Err(TopologyError::Disconnected { from, to });
                    }
                    let delay = if choice == PathChoice::Nearest { weight & (HOP - 1) } else { weight };
                    sum += u128::from(delay);
                    most = most.max(delay);
                }
                steps.did(1);
                Ok((sum, most))
            },
        )
        .collect();
    let from_each = from_each?;
    let sum: u128 = from_each.iter().map(|(sum, _)| sum).sum();
    let most = from_each.iter().map(|&(_, most)| most).max().unwrap_or(0);
    let &[first, second, ..] = &bearing[..] else { return Ok(Latency::default()) };
    // Either all hosts of a network are vertices, or none.
    let ends = ends(graph, SwitchId(first), SwitchId(second), switch_delay);
    let pairs = bearing.len() as f64 * (bearing.len() as f64 - 1.0);
    Ok(Latency { max: ends + most as f64 * 1e-12, mean: ends + sum as f64 * 1e-12 / pairs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_switches_with_hosts_count_and_hosts_are_none() {
        // Two leaves, one spine, cables of 2 m: three switches. The result is the same if each leaf has a host as a
        // vertex.
        let tree = Graph::undirected(3, vec![(0, 2), (1, 2)]).unwrap().with_hosts(Hosts::OnSwitches(vec![2, 2, 0]));
        let of = |graph: &Graph, lengths: &[f64]| {
            latencies(graph, lengths, 60e-9, 5e-9, PathChoice::Fastest, &Steps::default()).unwrap()
        };
        let found = of(&tree, &[2.0, 2.0]);
        assert!((found.max - 500e-9).abs() < 1e-15 && (found.mean - 500e-9).abs() < 1e-15);
        let drawn = Graph::undirected(5, vec![(0, 2), (1, 3), (2, 4), (3, 4)]).unwrap().with_hosts(Hosts::Vertices(2));
        let whole = of(&drawn, &[0.0, 0.0, 2.0, 2.0]);
        assert!((whole.max - found.max).abs() < 1e-15 && (whole.mean - found.mean).abs() < 1e-15);
    }

    #[test]
    fn a_detour_may_be_faster() {
        // A triangle with one long cable of 100 m: directly 60 + 500 ns, via the third switch 2 * (60 + 10) ns.
        let graph = Graph::undirected(3, vec![(0, 1), (0, 2), (1, 2)]).unwrap();
        let lengths = [100.0, 2.0, 2.0];
        let of = |choice| latencies(&graph, &lengths, 60e-9, 5e-9, choice, &Steps::default()).unwrap();
        let nanoseconds = |seconds: f64| (seconds * 1e12).round() / 1e3;
        assert_eq!(nanoseconds(of(PathChoice::Fastest).max), 360.0 + 140.0);
        assert_eq!(nanoseconds(of(PathChoice::Nearest).max), 360.0 + 560.0);
        // 560, 70 and 70 ns without the ends, on average 233.333 ns.
        assert_eq!(nanoseconds(of(PathChoice::Nearest).mean), 593.333);
        let apart = Graph::undirected(3, vec![(0, 1)]).unwrap();
        assert!(latencies(&apart, &[1.0], 60e-9, 5e-9, PathChoice::Fastest, &Steps::default()).is_err());
    }
}
