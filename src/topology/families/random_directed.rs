//! Random one-way networks in which every switch has exactly `d` arcs out and `d` arcs in.
//!
//! A list that holds every head `d` times is shuffled and dealt to the tails; an arc that is a loop or a duplicate
//! swaps its head with that of a random other arc if the two new arcs are neither. A draw that cannot be repaired, or
//! is not strongly connected, is repeated.
//!
//! Dealing works while the network is sparse. With more than half of all possible arcs hardly any swap is possible, so
//! the *absent* arcs are drawn instead: the rest of the complete digraph is then equally random. At degree 1 the
//! strongly connected networks are the cycles, which a random deal rarely is, so a random cycle is drawn.

use crate::topology::family::Arguments;
use crate::topology::{Graph, Randomness, TopologyError, derived_seed};

/// Number of draws before giving up.
const ATTEMPTS: u64 = 100;

/// Number of random partners that an arc tries before it tries all of them in order.
const RANDOM_SWAPS: usize = 64;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 2)?;
    let d = arguments.degree("d", n - 1, "less than the number of switches")?;
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    let seed = arguments.seed().expect("the seed has a default");
    for attempt in 0..ATTEMPTS {
        let mut random = Randomness::new(derived_seed(seed, attempt));
        let arcs = if d == 1 {
            Some(cycle(n, &mut random))
        } else if 2 * d < n {
            deal(n, d, &mut random).map(|heads| pairs(&heads, d))
        } else {
            deal(n, n - 1 - d, &mut random).map(|heads| complement(n, &heads, n - 1 - d))
        };
        if let Some(arcs) = arcs {
            let graph = Graph::directed(n, arcs)?;
            if graph.is_connected() {
                return Ok(graph);
            }
        }
    }
    Err(TopologyError::Unbuildable {
        topology: crate::topology::family::canonical(arguments),
        reason: format!("none of {ATTEMPTS} random instances is simple and strongly connected"),
    })
}

/// Returns a uniformly random cycle through all switches.
fn cycle(n: usize, random: &mut Randomness) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    random.shuffle(&mut order);
    (0..n).map(|place| (order[place], order[(place + 1) % n])).collect()
}

/// Returns the heads of the arcs, `d` per tail in order; `None` if an arc could not be repaired.
fn deal(n: usize, d: usize, random: &mut Randomness) -> Option<Vec<u32>> {
    let mut heads: Vec<u32> = (0..n as u32).flat_map(|head| std::iter::repeat_n(head, d)).collect();
    random.shuffle(&mut heads);
    for arc in 0..heads.len() {
        let tail = arc / d;
        let bad = heads[arc] as usize == tail || heads[tail * d..arc].contains(&heads[arc]);
        if !bad {
            continue;
        }
        let fits = |heads: &[u32], other: usize| {
            let other_tail = other / d;
            // Both new arcs must be absent; this also rules out a partner with the same tail.
            heads[other] as usize != tail
                && heads[arc] as usize != other_tail
                && !heads[tail * d..(tail + 1) * d].contains(&heads[other])
                && !heads[other_tail * d..(other_tail + 1) * d].contains(&heads[arc])
        };
        let count = heads.len();
        let partner =
            (0..RANDOM_SWAPS).map(|_| random.below(count)).find(|&other| fits(&heads, other)).or_else(|| {
                // A random start keeps low numbers from being chosen more often.
                let start = random.below(count);
                (0..count).map(|step| (start + step) % count).find(|&other| fits(&heads, other))
            })?;
        heads.swap(arc, partner);
    }
    Some(heads)
}

fn pairs(heads: &[u32], d: usize) -> Vec<(u32, u32)> {
    heads.iter().enumerate().map(|(arc, &head)| ((arc / d) as u32, head)).collect()
}

/// Returns all arcs between different switches except the given ones.
fn complement(n: usize, heads: &[u32], d: usize) -> Vec<(u32, u32)> {
    let mut arcs = Vec::with_capacity(n * (n - 1 - d));
    let mut without = vec![usize::MAX; n];
    for tail in 0..n {
        for &head in &heads[tail * d..(tail + 1) * d] {
            without[head as usize] = tail;
        }
        arcs.extend(
            (0..n).filter(|&head| head != tail && without[head] != tail).map(|head| (tail as u32, head as u32)),
        );
    }
    arcs
}

#[cfg(test)]
mod tests {
    use crate::ids::SwitchId;
    use crate::topology::{TopologyError, build};

    #[test]
    fn every_small_size_and_degree_is_regular_and_strongly_connected() {
        for n in 2..=14 {
            for d in 1..n {
                for seed in 0..4 {
                    let graph = build(&format!("random_digraph:n={n},d={d},seed={seed}")).unwrap().graph;
                    for s in (0..n as u32).map(SwitchId) {
                        assert_eq!((graph.out_degree(s), graph.in_degree(s)), (d, d), "{n} {d} {seed}");
                    }
                    assert!(graph.is_connected());
                }
            }
        }
    }

    #[test]
    fn large_and_dense_networks_end() {
        for (n, d) in [(1000, 1), (501, 250), (502, 251), (400, 398), (400, 399)] {
            let graph = build(&format!("random_digraph:n={n},d={d},seed=1")).unwrap().graph;
            assert_eq!(graph.arcs(), n * d);
        }
    }

    #[test]
    fn a_seed_is_a_network() {
        let one = build("random_directed:n=64,d=6,seed=1").unwrap();
        assert_eq!(one.graph, build("random_digraph:64,6").unwrap().graph);
        assert_ne!(one.graph, build("random_digraph:64,6,2").unwrap().graph);
        for spec in ["random_digraph:n=4,d=4", "random_digraph:n=1,d=1", "random_digraph:n=4,d=-1"] {
            assert!(matches!(build(spec), Err(TopologyError::InvalidParameter { .. })), "{spec}");
        }
    }
}
