//! Random two-way networks: at most `d` cables per switch, chosen uniformly.
//!
//! The construction is that of the Skywalk study: `d` rounds, each of which takes switches in random order and connects
//! each to a random one that the round has not used and that is not its neighbour yet. A round can leave switches
//! unmatched (with an odd number of switches it always leaves one), so a few switches have fewer than `d` cables. Ten
//! instances are drawn, and the connected one with the most cables is kept.
//!
//! With more than half of all possible cables a switch hardly ever finds a partner by chance, so the *absent* cables
//! are drawn instead, with additional ones if necessary to respect the degree.

use super::matching::{Joined, rounds};
use crate::topology::family::Arguments;
use crate::topology::{Graph, Randomness, TopologyError, derived_seed};

/// Number of instances to choose from.
const INSTANCES: u64 = 10;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 2)?;
    let d = arguments.degree("d", n - 1, "less than the number of switches")?;
    if d == 1 && n > 2 {
        return Err(arguments.invalid("d", "it must be at least 2: with one cable each, switches only form pairs"));
    }
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    let seed = arguments.seed().expect("the seed has a default");
    let mut best: Option<Graph> = None;
    for instance in 0..INSTANCES {
        let graph = instance_of(n, d, &mut Randomness::new(derived_seed(seed, instance)))?;
        if best.as_ref().is_none_or(|best| graph.cables() > best.cables()) && graph.is_connected() {
            let complete = graph.cables() >= d * (n / 2);
            best = Some(graph);
            if complete {
                // No later instance can have more cables, and among equals the first is kept.
                break;
            }
        }
    }
    best.ok_or_else(|| TopologyError::Unbuildable {
        topology: crate::topology::family::canonical(arguments),
        reason: format!("none of {INSTANCES} random instances is connected"),
    })
}

fn instance_of(n: usize, d: usize, random: &mut Randomness) -> Result<Graph, TopologyError> {
    let mut joined = Joined::new(n);
    let mut pairs = Vec::with_capacity(n * d / 2);
    if 2 * d <= n {
        rounds(n, d, &mut joined, &mut pairs, random);
        return Graph::undirected(n, pairs);
    }
    let missing = n - 1 - d;
    rounds(n, missing, &mut joined, &mut pairs, random);
    let mut left_out = vec![0; n];
    for &(u, v) in &pairs {
        left_out[u as usize] += 1;
        left_out[v as usize] += 1;
    }
    // A switch that a round left unmatched drops one more cable, if it is connected to another such switch.
    for u in 0..n {
        while left_out[u] < missing {
            let free = |v: &u32| *v as usize != u && !joined.contains(u as u32, *v);
            let (short, full): (Vec<u32>, Vec<u32>) =
                (0..n as u32).filter(free).partition(|&v| left_out[v as usize] < missing);
            let choice = if short.is_empty() { full } else { short };
            let v = choice[random.below(choice.len())];
            joined.join(u as u32, v);
            left_out[u] += 1;
            left_out[v as usize] += 1;
        }
    }
    let all = (0..n as u32).flat_map(|u| (u + 1..n as u32).map(move |v| (u, v)));
    Graph::undirected(n, all.filter(|&(u, v)| !joined.contains(u, v)).collect())
}

#[cfg(test)]
mod tests {
    use crate::ids::SwitchId;
    use crate::topology::{TopologyError, build};

    #[test]
    fn a_seed_is_a_network() {
        let one = build("random:n=64,d=6,seed=1").unwrap();
        assert_eq!(one.graph, build("random_regular:n=64,d=6").unwrap().graph);
        assert_ne!(one.graph, build("random:n=64,d=6,seed=2").unwrap().graph);
        assert_eq!((one.seed(), one.graph.is_directed()), (Some(1), false));
    }

    #[test]
    fn no_switch_has_more_than_d_cables() {
        for (n, d) in [(2, 1), (5, 4), (9, 3), (33, 5), (40, 39), (41, 20)] {
            let graph = build(&format!("random:n={n},d={d},seed=3")).unwrap().graph;
            let degrees: Vec<_> = (0..n).map(|s| graph.out_degree(SwitchId(s))).collect();
            assert!(degrees.iter().all(|&degree| degree <= d), "{n} {d}: {degrees:?}");
            assert!(graph.is_connected());
            assert_eq!((graph.loops_dropped(), graph.duplicates_merged()), (0, 0));
        }
    }

    #[test]
    fn seeds_give_the_networks_of_published_results() {
        use crate::topology::metrics::edge_sha256;
        for (spec, digest) in [
            ("random:n=64,d=6,seed=1", "d16024904a7b7fef8e3e031777857393a4e7c615735b865d304ad13c0e4f0854"),
            ("random:n=256,d=8,seed=3", "210793a8ee27ced3e442f88d1e8795cb13352c1f7da7a3799c1924206eb1c45f"),
            ("random:n=41,d=20,seed=1", "f7673be8c47d808378136765dee2bb227662b5cb848eba51475abbdcb219b733"),
            ("random_directed:n=64,d=6,seed=1", "1185a1698b58a6c3b1215bf9c08b478d90c0a49de994a73230fe8e95978f2789"),
        ] {
            assert_eq!(edge_sha256(&build(spec).unwrap().graph), digest, "{spec}");
        }
    }

    #[test]
    fn dense_networks_are_as_regular_as_they_can_be() {
        // An even number of switches loses no cable; an odd one can only be regular for an even degree.
        for (n, d) in [(40, 30), (40, 39), (40, 21), (41, 40), (41, 38), (41, 33)] {
            let graph = build(&format!("random:n={n},d={d},seed=2")).unwrap().graph;
            assert!(graph.cables() >= d * (n / 2) && graph.cables() <= n * d / 2, "{n} {d}: {}", graph.cables());
        }
    }

    #[test]
    fn degree_one_cannot_connect_three_switches() {
        // Degree 2 results in cycles, usually several.
        let error = build("random:n=20000,d=2,seed=1").unwrap_err();
        assert!(matches!(error, TopologyError::Unbuildable { .. }), "{error}");
        // Immediate, whatever the size.
        for spec in [
            "random:n=4,d=1",
            "random:n=16777216,d=1",
            "random:n=4,d=4",
            "random:n=1,d=0",
            "random:n=4,d=0",
            "random:n=16777216,d=16777215",
        ] {
            assert!(matches!(build(spec), Err(TopologyError::InvalidParameter { .. })), "{spec}");
        }
    }
}
