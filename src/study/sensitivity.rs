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

/// Difference below which two means count as equal.
pub const APART: f64 = 0.01;

/// Sensitivity of the networks of the first setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Weighted geometric mean of the relative performance of each network, without changes.
    pub stated: Vec<f64>,
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
    pub relative: Vec<f64>,
    /// Time of each cell in seconds, workload by workload, network by network.
    pub seconds: Vec<f64>,
    /// For each network, `relative` over the stated value, minus 1.
    pub moved: Vec<f64>,
    /// Weighted geometric mean of the baseline's speedup by the variation.
    pub baseline_speedup: f64,
    /// Fastest network with the variation.
    pub fastest: usize,
    /// `true` if the previously fastest network is now slower than `fastest` by more than 1 %.
    pub winner_changes: bool,
    /// Network with the best performance per money.
    pub best_buy: Option<usize>,
    /// `true` if that is another network, by more than 1 %.
    pub buy_changes: bool,
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
        let means = |matrix: &Matrix| -> Vec<f64> { matrix.geometric.iter().map(|mean| mean.mean).collect() };
        let stated_means = means(&base);
        let within = within(&first);
        // If none is known to be within the budget, all are compared.
        let affordable = if within.is_empty() { (0..first.columns.len()).collect() } else { within.clone() };
        let fastest = |means: &[f64]| {
            largest(affordable.iter().map(|&network| (network, means[network]))).unwrap_or(first.baseline)
        };
        let money = |network: usize| first.columns[network].cost.and_then(|cost: NetworkCost| cost.money());
        let per_money = |means: &[f64], network: usize| Some(means[network] / money(network).filter(|m| *m > 0.0)?);
        let best_buy = |means: &[f64]| {
            largest(affordable.iter().filter_map(|&network| Some((network, per_money(means, network)?))))
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
            let relative = means(&matrix);
            let now = fastest(&relative);
            let now_buy = best_buy(&relative);
            let time = |matrix: &Matrix, w: usize| matrix.cell(w, first.baseline).simulated_seconds;
            let ratios: Vec<f64> =
                (0..first.workloads.len()).map(|w| super::matrix::ratio(time(&base, w), time(&matrix, w))).collect();
            let buys = now_buy.zip(buy).and_then(|(a, b)| Some((per_money(&relative, a)?, per_money(&relative, b)?)));
            Effect {
                moved: relative.iter().zip(&stated_means).map(|(here, stated)| here / stated - 1.0).collect(),
                baseline_speedup: super::mean::geometric(&ratios, &first.weights).unwrap_or(1.0),
                fastest: now,
                winner_changes: relative[now] > relative[winner] * (1.0 + APART),
                best_buy: now_buy,
                buy_changes: buys.is_some_and(|(now, before)| now > before * (1.0 + APART)),
                seconds: matrix.cells.iter().map(|cell| cell.simulated_seconds).collect(),
                variation: variation.clone(),
                relative,
            }
        };
        let effects = variations.iter().map(effect).collect();
        let is_as_fast = |&network: &usize| stated_means[network] * (1.0 + APART) >= stated_means[winner];
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
