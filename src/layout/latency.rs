//! How long a message without load takes from switch to switch (paper on Skywalk).
//!
//! `latency = 300 ns + switch_delay * (hops + 1) + cable_delay * metres`: 150 ns each to inject and to receive, and every switch
//! on the way, the first and the last included.

use rayon::prelude::*;

use crate::ids::SwitchId;
use crate::topology::weighted::{FAR, Search, Weights, picoseconds};
use crate::topology::{ArcId, Graph, TopologyError};

/// Injection and reception, 150 ns each, in seconds.
pub const ENDS: f64 = 300e-9;
/// Delay of a cable, in seconds for each metre.
pub const CABLE_DELAY: f64 = 5e-9;
/// Delay of a switch where none is given, in seconds.
pub const SWITCH_DELAY: f64 = 60e-9;

/// Largest and mean latency over ordered pairs of different switches, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Latency {
    /// The largest.
    pub max: f64,
    /// The mean; 0 for one switch.
    pub mean: f64,
}

/// The delay of every arc in seconds: that of its cable and of the switch that it enters.
pub fn arc_delays(graph: &Graph, lengths: &[f64], switch_delay: f64, cable_delay: f64) -> Vec<f64> {
    let delay = |arc| switch_delay + cable_delay * lengths[graph.cable(ArcId(arc)).index()];
    (0..graph.arcs() as u32).map(delay).collect()
}

/// Which way a message goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The way of the smallest latency.
    Fastest,
    /// A way of the fewest hops, of these one of the smallest latency.
    Nearest,
}

/// Latencies of a network with these cable lengths (metres) and delays (seconds, seconds for each metre).
///
/// # Errors
/// [`TopologyError::Disconnected`] if a switch does not reach another.
pub fn latencies(
    graph: &Graph,
    lengths: &[f64],
    switch_delay: f64,
    cable_delay: f64,
    choice: Choice,
) -> Result<Latency, TopologyError> {
    let n = graph.switches();
    let delays = arc_delays(graph, lengths, switch_delay, cable_delay);
    let weights = match choice {
        Choice::Fastest => Weights::new(delays.iter().map(|&delay| picoseconds(delay)).collect()),
        Choice::Nearest => Weights::hops_first(delays.iter().copied()),
    };
    let hops_removed = (1_u64 << 40) - 1;
    // The sum and the largest of each source: whole numbers, so that the order of the threads does not matter.
    let from_each: Result<Vec<(u128, u64)>, TopologyError> = (0..n as u32)
        .into_par_iter()
        .map_init(
            || Search::new(n),
            |search, from| {
                search.run(graph, &weights, SwitchId(from));
                let (mut sum, mut most) = (0_u128, 0);
                for (to, &weight) in (0..).zip(&search.weight) {
                    if weight == FAR {
                        return Err(TopologyError::Disconnected { from, to });
                    }
                    let delay = if choice == Choice::Nearest { weight & hops_removed } else { weight };
                    sum += u128::from(delay);
                    most = most.max(delay);
                }
                Ok((sum, most))
            },
        )
        .collect();
    let from_each = from_each?;
    let sum: u128 = from_each.iter().map(|(sum, _)| sum).sum();
    let most = from_each.iter().map(|&(_, most)| most).max().unwrap_or(0);
    let ends = ENDS + switch_delay;
    let pairs = (n as f64) * (n as f64 - 1.0);
    let mean = if n > 1 { ends + sum as f64 * 1e-12 / pairs } else { 0.0 };
    Ok(Latency { max: if n > 1 { ends + most as f64 * 1e-12 } else { 0.0 }, mean })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detour_may_be_faster() {
        // A triangle with one long cable of 100 m: directly 60 + 500 ns, by way of the third switch 2 * (60 + 10) ns.
        let graph = Graph::undirected(3, vec![(0, 1), (0, 2), (1, 2)]).unwrap();
        let lengths = [100.0, 2.0, 2.0];
        let of = |choice| latencies(&graph, &lengths, 60e-9, 5e-9, choice).unwrap();
        let nanoseconds = |seconds: f64| (seconds * 1e12).round() / 1e3;
        assert_eq!(nanoseconds(of(Choice::Fastest).max), 360.0 + 140.0);
        assert_eq!(nanoseconds(of(Choice::Nearest).max), 360.0 + 560.0);
        // 560, 70 and 70 ns beside the ends, on average 233.333 ns.
        assert_eq!(nanoseconds(of(Choice::Nearest).mean), 593.333);
        let apart = Graph::undirected(3, vec![(0, 1)]).unwrap();
        assert!(latencies(&apart, &[1.0], 60e-9, 5e-9, Choice::Fastest).is_err());
    }
}
