//! Computation of the iterations to come, compared with that of the replayed ones.
//!
//! The trace has all computation, so a change in iterations that are not replayed is known before the replay is there. Changes
//! matter for a time per iteration in several ways, and each is an estimate of what the time changes by:
//!
//! - Where each iteration waits for all ranks, its longest computation counts.
//! - Where ranks wait for their neighbours only, a rank that computes longer delays the others later, and ranks that
//!   do so in turn may or may not delay each other. The trace is run without communication time for that
//!   ([`Coupling::advance`]), and the time per iteration of this run counts.
//! - If neither changes, but ranks exchange their parts, the time may change with the place. Then the largest difference of
//!   a rank's mean counts, unless it may be chance.

use super::coupling::Coupling;
use crate::ids::Rank;
use crate::mpi::rank_map::RankMap;
use crate::platform::Platform;
use crate::trace::transform::Iterations;
use crate::trace::{Action, Trace};
use std::ops::Range;

/// Largest period of a rank's computation, in iterations, that is looked for.
const MOST_PERIOD: usize = 16;

/// Largest common period of all ranks that can be used: a mean takes at least eight of them.
const MOST_COMMON_PERIOD: usize = 48;

/// Ratio of a difference to its standard error from which it is not chance: ranks and looks are many.
const CLEAR: f64 = 4.0;

/// Ratio of neighbouring iterations up to which sums are kept for each rank.
const GROWTH: f64 = 1.1;

/// Computation of one rank in an iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Amount {
    flops: f64,
    /// Time without any computation.
    asleep: f64,
}

/// Returns the computation of a rank in each iteration.
fn amounts<'a>(trace: &'a Trace, found: &'a Iterations, rank: usize) -> impl Iterator<Item = Amount> + 'a {
    let mut actions = trace.actions[rank].iter_from(found.start(rank, 0));
    (0..found.number).map(move |iteration| {
        let length = found.actions(rank, iteration..iteration + 1).len();
        let mut all = Amount::default();
        for action in actions.by_ref().take(length) {
            match action {
                Action::Compute { flops } => all.flops += flops,
                Action::Sleep { seconds } => all.asleep += seconds.max(0.0),
                _ => {}
            }
        }
        all
    })
}

/// Returns the number of iterations after which the computation of each rank repeats: 1 if all iterations compute the same.
/// `None` if it does not repeat.
pub(super) fn period(trace: &Trace, found: &Iterations) -> Option<usize> {
    let mut common = 1;
    for rank in 0..trace.ranks() {
        let all: Vec<f64> = amounts(trace, found, rank).map(|amount| amount.flops).collect();
        let own = (1..=MOST_PERIOD.min(all.len() / 2)).find(|&p| all.iter().zip(&all[p..]).all(|(a, b)| a == b))?;
        common = least_common_multiple(common, own);
    }
    (common <= MOST_COMMON_PERIOD).then_some(common)
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor * b
}

/// Computation of all iterations on the hosts of a platform, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Computation {
    /// Longest computation of a rank in each iteration.
    longest: Vec<f64>,
    /// Time that each iteration adds if communication takes none.
    uncommunicated: Vec<f64>,
    /// Sums over the iterations before some of them, in ascending order.
    sums: Vec<Sums>,
}

/// Sums over the first iterations, for each rank: of the computation, and of its square.
#[derive(Debug, Clone, PartialEq)]
struct Sums {
    iterations: usize,
    of_ranks: Vec<[f64; 2]>,
}

impl Computation {
    pub fn of(trace: &Trace, found: &Iterations, coupling: &Coupling, platform: &Platform, rank_map: &RankMap) -> Self {
        let ranks = 0..trace.ranks();
        let speeds: Vec<f64> =
            ranks.clone().map(|rank| platform.hosts[rank_map.host(Rank(rank as u32)).index()].speed).collect();
        let mut all: Vec<_> = ranks.map(|rank| amounts(trace, found, rank)).collect();
        let (mut longest, mut uncommunicated, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        let (mut times, mut end) = (Vec::new(), 0.0);
        let mut of_ranks = vec![[0.0; 2]; speeds.len()];
        let mut next = 0;
        for iteration in 0..found.number {
            if iteration >= next {
                sums.push(Sums { iterations: iteration, of_ranks: of_ranks.clone() });
                next = (iteration + 1).max((iteration as f64 * GROWTH) as usize);
            }
            let of_rank = |(all, speed): (&mut _, &f64)| {
                let amount: Amount = Iterator::next(all).expect("each rank has all iterations");
                amount.flops / speed + amount.asleep
            };
            let seconds: Vec<f64> = all.iter_mut().zip(&speeds).map(of_rank).collect();
            longest.push(seconds.iter().copied().fold(0.0, f64::max));
            for ([sum, squares], own) in of_ranks.iter_mut().zip(&seconds) {
                *sum += own;
                *squares += own * own;
            }
            coupling.advance(&mut times, seconds.into_iter());
            let last = times.iter().copied().fold(0.0, f64::max);
            uncommunicated.push(last - end);
            end = last;
        }
        sums.push(Sums { iterations: found.number, of_ranks });
        Self { longest, uncommunicated, sums }
    }

    /// Returns by how many seconds the time per iteration of the last `coming` iterations may differ from that of the replayed
    /// ones; only clear differences of ranks that exceed `least` count.
    pub fn difference(&self, replayed: Range<usize>, coming: usize, least: f64) -> f64 {
        let coming = self.longest.len() - coming..self.longest.len();
        let of_means = |series: &[f64]| {
            let mean = |range: Range<usize>| series[range.clone()].iter().sum::<f64>() / range.len() as f64;
            (mean(coming.clone()) - mean(replayed.clone())).abs()
        };
        of_means(&self.longest)
            .max(of_means(&self.uncommunicated))
            .max(self.difference_of_ranks([replayed, coming.clone()], least))
    }

    /// Returns the largest difference of a rank's means over two ranges that is more than `least` and not chance; 0 if there is
    /// none. Ranges begin and end where sums are kept.
    fn difference_of_ranks(&self, ranges: [Range<usize>; 2], least: f64) -> f64 {
        let from = |iteration| self.sums.iter().find(|sums| sums.iterations >= iteration);
        let to = |iteration| self.sums.iter().rev().find(|sums| sums.iterations <= iteration);
        let [Some(a), Some(b)] = ranges.map(|range| {
            let (first, last) = (from(range.start)?, to(range.end)?);
            (last.iterations > first.iterations + 1).then_some((first, last))
        }) else {
            return 0.0;
        };
        let mut largest = 0.0_f64;
        for rank in 0..a.0.of_ranks.len() {
            let of = |(first, last): (&Sums, &Sums)| {
                let number = (last.iterations - first.iterations) as f64;
                let [sum, squares] = [0, 1].map(|i| last.of_ranks[rank][i] - first.of_ranks[rank][i]);
                (number, sum / number, (squares - sum * sum / number).max(0.0))
            };
            let ((n, mean, squares), (m, other, other_squares)) = (of(a), of(b));
            let variance = (squares + other_squares) / (n + m - 2.0);
            let difference = (mean - other).abs();
            if difference > least && difference > CLEAR * (variance * (1.0 / n + 1.0 / m)).sqrt() {
                largest = largest.max(difference);
            }
        }
        largest
    }
}
