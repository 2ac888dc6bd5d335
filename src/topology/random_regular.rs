//! Random two-way networks: at most `d` cables at a switch, chosen uniformly.
//!
//! The construction is that of the Skywalk study: `d` rounds, each of which takes switches in random order and joins
//! each to a random one that the round has not used and that it is not joined to yet. A round can leave switches
//! unmatched (with an odd number of switches it always leaves one), so a few switches have fewer than `d` cables.
//! Ten instances are drawn, and the connected one with the most cables is kept.

use super::randomness::{Randomness, derived_seed};
use super::registry::Arguments;
use super::{Graph, TopologyError};

/// Number of instances to choose from.
const INSTANCES: u64 = 10;

/// Up to this many switches, who is joined to whom is one bit a pair (32 MiB); beyond, a list for each switch.
const BIT_MATRIX_SWITCHES: usize = 1 << 14;

pub(super) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 2)?;
    let d = arguments.degree("d", n - 1, "less than the number of switches")?;
    arguments.limit_arcs("d", n as u128 * d as u128)?;
    let seed = arguments.seed().expect("the seed has a default");
    let mut best: Option<Graph> = None;
    for instance in 0..INSTANCES {
        let graph = instance_of(n, d, &mut Randomness::new(derived_seed(seed, instance)))?;
        if best.as_ref().is_none_or(|best| graph.cables() > best.cables()) && graph.is_connected() {
            let complete = graph.cables() == d * (n / 2);
            best = Some(graph);
            if complete {
                // No later instance can have more cables, and of equals the first is kept.
                break;
            }
        }
    }
    best.ok_or_else(|| TopologyError::Unbuildable {
        topology: super::spec::canonical(arguments),
        reason: format!("none of {INSTANCES} random instances is connected"),
    })
}

fn instance_of(n: usize, d: usize, random: &mut Randomness) -> Result<Graph, TopologyError> {
    let mut joined = Joined::new(n);
    let mut pairs = Vec::with_capacity(n * d / 2);
    let mut candidates = Vec::new();
    for _ in 0..d {
        let mut waiting: Vec<u32> = (0..n as u32).collect();
        while !waiting.is_empty() {
            let first = waiting.swap_remove(random.below(waiting.len()));
            if let Some(place) = partner(first, &waiting, &joined, &mut candidates, random) {
                let second = waiting.swap_remove(place);
                joined.join(first, second);
                pairs.push((first, second));
            }
        }
    }
    Graph::undirected(n, pairs)
}

/// The place in `waiting` of a uniformly random switch that `first` is not joined to.
///
/// Nearly always one of the first draws fits. If none does, the fitting ones are listed and one of them drawn; either way
/// each has the same chance.
fn partner(
    first: u32,
    waiting: &[u32],
    joined: &Joined,
    candidates: &mut Vec<usize>,
    random: &mut Randomness,
) -> Option<usize> {
    if waiting.is_empty() {
        return None;
    }
    for _ in 0..8 {
        let place = random.below(waiting.len());
        if !joined.contains(first, waiting[place]) {
            return Some(place);
        }
    }
    candidates.clear();
    candidates.extend((0..waiting.len()).filter(|&place| !joined.contains(first, waiting[place])));
    (!candidates.is_empty()).then(|| candidates[random.below(candidates.len())])
}

/// Who is joined to whom.
enum Joined {
    Bits { n: usize, words: Vec<u64> },
    Lists(Vec<Vec<u32>>),
}

impl Joined {
    fn new(n: usize) -> Self {
        if n <= BIT_MATRIX_SWITCHES {
            Self::Bits { n, words: vec![0; (n * n).div_ceil(64)] }
        } else {
            Self::Lists(vec![Vec::new(); n])
        }
    }

    fn contains(&self, u: u32, v: u32) -> bool {
        match self {
            Self::Bits { n, words } => {
                let bit = u as usize * n + v as usize;
                words[bit / 64] >> (bit % 64) & 1 == 1
            }
            Self::Lists(lists) => lists[u as usize].contains(&v),
        }
    }

    fn join(&mut self, u: u32, v: u32) {
        for (u, v) in [(u, v), (v, u)] {
            match self {
                Self::Bits { n, words } => {
                    let bit = u as usize * *n + v as usize;
                    words[bit / 64] |= 1 << (bit % 64);
                }
                Self::Lists(lists) => lists[u as usize].push(v),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TopologyError, build};
    use super::*;
    use crate::ids::SwitchId;

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
    fn lists_and_bits_give_the_same_network() {
        // The two ways of remembering who is joined must not change a choice.
        let (mut bits, mut lists) = (Joined::new(50), Joined::Lists(vec![Vec::new(); 50]));
        let mut random = Randomness::new(5);
        for _ in 0..300 {
            let (u, v) = (random.below(50) as u32, random.below(50) as u32);
            assert_eq!(bits.contains(u, v), lists.contains(u, v));
            bits.join(u, v);
            lists.join(u, v);
        }
        assert!(matches!(Joined::new(BIT_MATRIX_SWITCHES + 1), Joined::Lists(_)));
    }

    #[test]
    fn degree_one_cannot_connect_three_switches() {
        let error = build("random:n=4,d=1,seed=1").unwrap_err();
        assert!(matches!(error, TopologyError::Unbuildable { .. }), "{error}");
        for spec in ["random:n=4,d=4", "random:n=1,d=0", "random:n=4,d=0", "random:n=16777216,d=16777215"] {
            assert!(matches!(build(spec), Err(TopologyError::InvalidParameter { .. })), "{spec}");
        }
    }
}
