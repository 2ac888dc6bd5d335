//! Bisection: the fewest cables between two halves of a network.
//!
//! Halves have `floor(n/2)` and `ceil(n/2)` switches. Finding the best halves is hard, so beyond 24 switches every
//! value here is an upper bound, with the method that found it: METIS (G. Karypis and V. Kumar, A Fast and High Quality
//! Multilevel Scheme for Partitioning Irregular Graphs, 1998) from several seeds, each result refined under exact
//! balance, which METIS does not promise. METIS draws from the C library's `rand()`: a seed leads to the same halves
//! with any number of threads, but possibly to others with another C library.

mod exact;
mod metis;
mod refine;
mod weighted;

use super::super::error::TopologyError;
use super::super::graph::Graph;
use super::super::{Randomness, derived_seed};

pub use exact::MAX_EXACT;
pub use weighted::Counting;
use weighted::Weighted;

/// Method that found the halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// All halves were compared; the value is the bisection.
    Exact,
    /// METIS from several seeds, refined; an upper bound.
    Metis {
        /// Number of seeds.
        seeds: usize,
    },
    /// Random halves; a weak upper bound.
    RandomHalves {
        /// Number of draws.
        draws: usize,
    },
    /// Two arcs of consecutive switches; an upper bound for networks built on a ring.
    Semicircle,
}

/// Two halves and the cut between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bisection {
    /// Number of cables (directed: arcs, in either direction) between the halves.
    pub cut: u64,
    /// The half of each switch.
    pub side: Vec<bool>,
    /// Method that found the halves.
    pub method: Method,
}

/// Returns the best available halves: exact up to [`MAX_EXACT`] switches, otherwise by METIS from `seeds` seeds.
pub fn best(graph: &Graph, counting: Counting, seeds: usize) -> Bisection {
    match exact(graph, counting) {
        Ok(exact) => exact,
        Err(_) => by_metis(graph, counting, seeds),
    }
}

/// Returns the exact bisection, by trying all halves.
///
/// # Errors
/// [`TopologyError::TooLarge`] beyond [`MAX_EXACT`] switches.
pub fn exact(graph: &Graph, counting: Counting) -> Result<Bisection, TopologyError> {
    if graph.switches() > MAX_EXACT {
        return Err(TopologyError::TooLarge {
            what: "the exact bisection".into(),
            value: format!("{} switches", graph.switches()),
            limit: format!("{MAX_EXACT}; METIS gives an upper bound"),
        });
    }
    let weighted = Weighted::of(graph, counting);
    let side = exact::halves(&weighted);
    Ok(Bisection { cut: weighted.cut(&side), side, method: Method::Exact })
}

/// Largest number of switches for which halves by binary digits are tried as well.
const MAX_DIGIT_TRIES: usize = 1 << 14;

/// Returns the best of `seeds` runs of METIS (1, 2, ...), each refined; at least one. Families built by arithmetic
/// often have a good cut along a binary digit of the number, which METIS sometimes misses: up to 16,384 switches these
/// are refined as well.
pub fn by_metis(graph: &Graph, counting: Counting, seeds: usize) -> Bisection {
    let weighted = Weighted::of(graph, counting);
    let seeds = seeds.max(1);
    let found = (1..=seeds).map(|seed| {
        let mut side = metis::halves(&weighted, seed as i32);
        refine::refine(&weighted, &mut side);
        (weighted.cut(&side), side)
    });
    let n = weighted.len();
    let digits = if n <= MAX_DIGIT_TRIES { n.next_power_of_two().ilog2() } else { 0 };
    let by_digit = (0..digits).map(|digit| {
        let mut side: Vec<bool> = (0..n).map(|switch| (switch >> digit) & 1 == 1).collect();
        metis::balance(&weighted, &mut side);
        refine::refine(&weighted, &mut side);
        (weighted.cut(&side), side)
    });
    let (cut, side) = found.chain(by_digit).min_by_key(|(cut, _)| *cut).expect("there is at least one seed");
    Bisection { cut, side, method: Method::Metis { seeds } }
}

/// Returns the smallest and the mean cut of `draws` random halves.
pub fn random_halves(graph: &Graph, counting: Counting, draws: usize, seed: u64) -> (Bisection, f64) {
    let weighted = Weighted::of(graph, counting);
    let (n, draws) = (weighted.len(), draws.max(1));
    let mut total = 0;
    let found = (0..draws as u64).map(|draw| {
        let mut order: Vec<usize> = (0..n).collect();
        Randomness::new(derived_seed(seed, draw)).shuffle(&mut order);
        let mut side = vec![false; n];
        order[..n / 2].iter().for_each(|&switch| side[switch] = true);
        let cut = weighted.cut(&side);
        total += cut;
        (cut, side)
    });
    let (cut, side) = found.min_by_key(|(cut, _)| *cut).expect("there is at least one draw");
    (Bisection { cut, side, method: Method::RandomHalves { draws } }, total as f64 / draws as f64)
}

/// Returns the smallest cut into two arcs of consecutive switches, over all rotations.
pub fn semicircle(graph: &Graph, counting: Counting) -> Bisection {
    let weighted = Weighted::of(graph, counting);
    let n = weighted.len();
    let half = n / 2;
    let mut side: Vec<bool> = (0..n).map(|switch| switch < half).collect();
    let mut cut = weighted.cut(&side);
    let (mut best, mut best_start) = (cut, 0);
    for start in 0..n.saturating_sub(1) {
        // Switch `start` leaves the arc, the one after its end enters it.
        for moved in [start, (start + half) % n].into_iter().take(if half == 0 { 0 } else { 2 }) {
            for (other, weight) in weighted.around(moved) {
                if side[other] == side[moved] { cut += weight } else { cut -= weight }
            }
            side[moved] = !side[moved];
        }
        if cut < best {
            (best, best_start) = (cut, start + 1);
        }
    }
    let side = (0..n).map(|switch| (switch + n - best_start) % n < half).collect();
    Bisection { cut: best, side, method: Method::Semicircle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build;
    use proptest::prelude::*;

    fn check(graph: &Graph, counting: Counting, bisection: &Bisection) {
        let n = graph.switches();
        assert_eq!(bisection.side.len(), n);
        let one = bisection.side.iter().filter(|&&side| side).count();
        assert!(one == n / 2 || one == n.div_ceil(2), "{one} of {n}");
        assert_eq!(Weighted::of(graph, counting).cut(&bisection.side), bisection.cut);
    }

    #[test]
    fn closed_forms() {
        // Tori whose largest size d is even and more than 2: 2n/d.
        for (spec, expected) in [("torus:8x8", 16), ("torus:4x4x8", 32), ("mesh:8x8", 8), ("torus:16x32", 32)] {
            let graph = build(spec).unwrap().graph;
            let found = best(&graph, Counting::Arcs, 5);
            check(&graph, Counting::Arcs, &found);
            assert_eq!(found.cut, expected, "{spec}");
        }
        let complete = build("full_mesh:7").unwrap().graph;
        assert_eq!(best(&complete, Counting::Arcs, 1).cut, 12);
        assert_eq!(best(&Graph::undirected(1, vec![]).unwrap(), Counting::Arcs, 1).cut, 0);
        assert!(exact(&build("ring:25").unwrap().graph, Counting::Arcs).is_err());
        // Both arcs of a one-way pair, and one if merged.
        let pair = Graph::directed(2, vec![(0, 1), (1, 0)]).unwrap();
        assert_eq!((best(&pair, Counting::Arcs, 1).cut, best(&pair, Counting::Merged, 1).cut), (2, 1));
    }

    #[test]
    fn graphs_without_cables_have_halves() {
        let empty = Graph::undirected(40, vec![]).unwrap();
        let found = by_metis(&empty, Counting::Arcs, 2);
        check(&empty, Counting::Arcs, &found);
        assert_eq!(found.cut, 0);
    }

    #[test]
    fn many_parts_that_do_not_hang_together_have_halves_soon() {
        // METIS alone would take minutes for these.
        let pairs = Graph::undirected(300_000, (0..150_000).map(|pair| (2 * pair, 2 * pair + 1)).collect()).unwrap();
        let found = by_metis(&pairs, Counting::Arcs, 5);
        check(&pairs, Counting::Arcs, &found);
        assert_eq!(found.cut, 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_method_halves_and_none_beats_the_exact_one(
            n in 1usize..13, directed: bool, pairs in prop::collection::vec((0u32..13, 0u32..13), 0..40)
        ) {
            let pairs: Vec<_> = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = Graph::with_parallel_cables(n, directed, pairs).unwrap();
            for counting in [Counting::Arcs, Counting::Merged] {
                let exact = exact(&graph, counting).unwrap();
                check(&graph, counting, &exact);
                let weighted = Weighted::of(&graph, counting);
                let slow = (0_u32..1 << n).filter(|half| half.count_ones() as usize == n / 2)
                    .map(|half| weighted.cut(&(0..n).map(|v| half & (1 << v) != 0).collect::<Vec<_>>())).min();
                prop_assert_eq!(Some(exact.cut), slow);
                let others = [by_metis(&graph, counting, 2), random_halves(&graph, counting, 3, 1).0, semicircle(&graph, counting)];
                for other in others {
                    check(&graph, counting, &other);
                    prop_assert!(other.cut >= exact.cut);
                }
            }
        }
    }
}
