//! Halves by METIS, and the balance that METIS does not guarantee.

use std::sync::{Mutex, PoisonError};

use metis::option::{Seed, UFactor};
use metis::{Graph, Idx};
use petgraph::unionfind::UnionFind;

use super::weighted::Weighted;

/// METIS draws from one generator for the whole process; two simultaneous runs would disturb each other.
static ALONE: Mutex<()> = Mutex::new(());

/// METIS scans all switches after each connected component, so a large number of components would take too long.
const MAX_PARTS: usize = 1000;

/// Returns halves from a seed. If METIS refuses (it fails on graphs without cables), or would take too long, returns
/// the first half against the second.
pub(super) fn halves(graph: &Weighted, seed: i32) -> Vec<bool> {
    let n = graph.len();
    let mut side = run(graph, seed).unwrap_or_else(|| (0..n).map(|switch| switch < n / 2).collect());
    balance(graph, &mut side);
    side
}

fn run(graph: &Weighted, seed: i32) -> Option<Vec<bool>> {
    if graph.ends.is_empty() || parts(graph) > MAX_PARTS {
        return None;
    }
    let index = |value: usize| Idx::try_from(value).ok();
    let first: Vec<Idx> = graph.first.iter().map(|&place| index(place)).collect::<Option<_>>()?;
    let ends: Vec<Idx> = graph.ends.iter().map(|&end| index(end as usize)).collect::<Option<_>>()?;
    let weights: Vec<Idx> = graph.weights.iter().map(|&weight| index(weight as usize)).collect::<Option<_>>()?;
    let mut part = vec![0; graph.len()];
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let problem = metis::Graph::new(1, 2, &first, &ends).ok()?;
    let problem: Graph<'_> = problem.set_adjwgt(&weights).set_option(Seed(seed)).set_option(UFactor(1));
    problem.part_recursive(&mut part).ok()?;
    Some(part.into_iter().map(|part| part == 1).collect())
}

/// Returns the number of connected components.
fn parts(graph: &Weighted) -> usize {
    let n = graph.len();
    let mut sets = UnionFind::<u32>::new(n);
    let joined = (0..n).flat_map(|switch| graph.around(switch).map(move |(end, _)| (switch as u32, end as u32)));
    n - joined.filter(|&(switch, end)| sets.union(switch, end)).count()
}

/// Moves switches from the larger half to the smaller one, the cheapest first, until the halves differ by at most one.
pub(super) fn balance(graph: &Weighted, side: &mut [bool]) {
    let n = side.len();
    loop {
        let ones = side.iter().filter(|&&side| side).count();
        let larger = match ones {
            _ if ones > n.div_ceil(2) => true,
            _ if ones < n / 2 => false,
            _ => return,
        };
        let cost = |switch: usize| -> i64 {
            let signed =
                |(end, weight): (usize, u64)| if side[end] == larger { weight as i64 } else { -(weight as i64) };
            graph.around(switch).map(signed).sum()
        };
        let moved = (0..n).filter(|&switch| side[switch] == larger).min_by_key(|&switch| cost(switch));
        side[moved.expect("the larger half has a switch")] = !larger;
    }
}
