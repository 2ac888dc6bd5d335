//! Sensitivity of a comparison: the effect of each assumption, changed separately, on each network relative to the
//! baseline, and on which network is the fastest.
//!
//! The networks of the first setting are varied, each in its first repetition. The unchanged study is taken with the
//! same repetition, so that only the assumption differs.

use super::matrix::Matrix;
use super::passes::Variation;
use super::plan::{Column, Plan};
use super::procurement::NetworkCost;
use super::record::CellRecord;
use super::statistics::{Statistic, any_above};

/// Difference below which two means count as equal.
pub const APART: f64 = 0.01;

/// Sensitivity of the networks of the first setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Weighted geometric mean of the relative performance of each network, without changes.
    pub stated: Vec<Statistic>,
    /// Fastest network without changes; of those within the budget, if there are any.
    pub fastest: usize,
    /// Networks that are as fast as that one without changes, within 1 %; it is among them.
    pub as_fast: Vec<usize>,
    /// Number of networks that are known to be within the budget; all of them without a budget.
    pub within: usize,
    /// Network with the best performance per money without changes, if prices are known.
    pub best_buy: Option<usize>,
    /// Effects of all variations.
    pub effects: Vec<Effect>,
}

/// Effect of one variation.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Variation that is applied.
    pub variation: Variation,
    /// Weighted geometric mean of the relative performance of each network.
    pub relative: Vec<Statistic>,
    /// Time of each cell in seconds, workload by workload, network by network.
    pub seconds: Vec<Statistic>,
    /// For each network, `relative` over the stated value, minus 1.
    pub moved: Vec<Statistic>,
    /// Weighted geometric mean of the baseline's speedup by the variation.
    pub baseline_speedup: Statistic,
    /// Fastest network with the variation.
    pub fastest: usize,
    /// `true` if the previously fastest network is now slower than `fastest` by more than 1 %.
    pub winner_changes: bool,
    /// `true` if the intervals of extrapolated times leave that open.
    pub winner_is_undecided: bool,
    /// Network with the best performance per money.
    pub best_buy: Option<usize>,
    /// `true` if that is another network, by more than 1 %.
    pub buy_changes: bool,
    /// `true` if the intervals of extrapolated times leave that open.
    pub buy_is_undecided: bool,
}

/// Returns the index of the largest value, the first among equals.
fn largest(values: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    values
        .fold(None, |best: Option<(usize, f64)>, new| match best {
            Some(best) if best.1 >= new.1 => Some(best),
            _ => Some(new),
        })
        .map(|best| best.0)
}

impl Sensitivity {
    /// Compares each variation with the unchanged study. `own` are the records of the study as stated, `varied` those
    /// of all variations.
    pub(super) fn new(plan: &Plan, variations: &[Variation], own: &[CellRecord], varied: &[CellRecord]) -> Self {
        let first = plan.first_setting();
        let kept = plan.places(0).zip(own);
        let stated: Vec<CellRecord> = kept
            .filter(|(place, _)| place.repetition == 0 && place.column < first.columns.len())
            .map(|(_, record)| record.clone())
            .collect();
        let base = Matrix::new(&first, &stated);
        let stated_means = base.geometric.clone();
        let within = within(&first);
        // If none is known to be within the budget, all are compared.
        let affordable = if within.is_empty() { (0..first.columns.len()).collect() } else { within.clone() };
        let fastest = |means: &[Statistic]| {
            largest(affordable.iter().map(|&network| (network, means[network].mean))).unwrap_or(first.baseline)
        };
        let money = |network: usize| {
            first.columns[network].cost.and_then(|cost: NetworkCost| cost.money()).filter(|money| *money > 0.0)
        };
        let per_money = |means: &[Statistic], network: usize| Some(means[network].per(money(network)?));
        let best_buy = |means: &[Statistic]| {
            largest(affordable.iter().filter_map(|&network| Some((network, per_money(means, network)?.mean))))
        };
        let winner = fastest(&stated_means);
        let buy = best_buy(&stated_means);
        let mut rest = varied.iter();
        let effect = |variation: &Variation| {
            let mut records = stated.clone();
            for workload in 0..first.workloads.len() {
                for &column in &variation.columns {
                    let record = rest.next().expect("a record for each cell");
                    records[workload * first.columns.len() + column] = record.clone();
                }
            }
            let matrix = Matrix::new(&first, &records);
            let relative = matrix.geometric.clone();
            let now = fastest(&relative);
            let now_buy = best_buy(&relative);
            let is_changed = |network: usize| variation.columns.contains(&network);
            let buys = now_buy.zip(buy).and_then(|(a, b)| Some((per_money(&relative, a)?, per_money(&relative, b)?)));
            // The same replays have the same errors.
            let width = |network: usize| match is_changed(network) {
                true => base.widths[network] + matrix.widths[network],
                false => 0.0,
            };
            let moved = |network: usize| {
                let ratio = relative[network].mean / stated_means[network].mean;
                let width = if network == first.baseline { 0.0 } else { width(network) + width(first.baseline) };
                Statistic { mean: ratio - 1.0, ..Statistic::estimate(ratio, width) }
            };
            // Whether any other network is ahead by more than 1 %.
            let is_beaten = |best: usize, price: &dyn Fn(usize) -> Option<f64>| {
                let lead = |&network: &usize| {
                    Some(matrix.lead(None, network, best).per(price(network)?).per(1.0 / price(best)?))
                };
                let others = affordable.iter().filter(|&&network| network != best);
                any_above(others.filter_map(lead), 1.0 + APART)
            };
            let baseline = |w: usize| {
                let [before, after] = [&base, &matrix].map(|matrix| matrix.cell(w, first.baseline).simulated_seconds);
                super::matrix::ratio(before, after)
            };
            let speedups: Vec<f64> = (0..first.workloads.len()).map(baseline).collect();
            let speedup = super::mean::geometric(&speedups, &first.weights).unwrap_or(1.0);
            Effect {
                moved: (0..relative.len()).map(moved).collect(),
                baseline_speedup: Statistic::estimate(speedup, width(first.baseline)),
                fastest: now,
                winner_changes: relative[now].mean > relative[winner].mean * (1.0 + APART),
                winner_is_undecided: is_beaten(winner, &|_| Some(1.0)).is_none(),
                best_buy: now_buy,
                buy_changes: buys.is_some_and(|(now, before)| now.mean > before.mean * (1.0 + APART)),
                buy_is_undecided: buy.is_some_and(|buy| is_beaten(buy, &money).is_none()),
                seconds: matrix.cells.iter().map(|cell| cell.time).collect(),
                variation: variation.clone(),
                relative,
            }
        };
        let effects = variations.iter().map(effect).collect();
        let is_as_fast = |&network: &usize| stated_means[network].mean * (1.0 + APART) >= stated_means[winner].mean;
        let as_fast = affordable.iter().copied().filter(is_as_fast).collect();
        Self { stated: stated_means, fastest: winner, as_fast, within: within.len(), best_buy: buy, effects }
    }
}

/// Returns the columns that are known to be within the budget; all columns if there is no budget.
fn within(plan: &Plan) -> Vec<usize> {
    let is_within = |column: &Column| {
        plan.budget.is_none_or(|budget| column.cost.and_then(|cost| budget.allows(&cost)) == Some(true))
    };
    (0..plan.columns.len()).filter(|&column| is_within(&plan.columns[column])).collect()
}
