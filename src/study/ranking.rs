//! Stability of rankings: how often they hold when bandwidth, latency and compute speed vary.

use super::matrix::Matrix;
use super::perturb::Perturbation;
use super::plan::Plan;
use super::statistics::{Statistic, any_above};

/// Ranking of the networks of one setting for one workload, or for the mean of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Index of a column that represents the setting.
    pub setting: usize,
    /// Index of the workload; `None` for the weighted geometric mean.
    pub workload: Option<usize>,
    /// Columns, the fastest first, in the study as stated; equally fast ones in the order of the study.
    pub order: Vec<usize>,
    /// Number of samples in which no column is faster than one before it.
    pub holds: usize,
    /// Number of samples in which no column is faster than the first.
    pub winner_holds: usize,
    /// Number of samples in which the intervals of extrapolated times leave open whether the whole order holds.
    pub undecided: usize,
    /// Number of samples in which they leave open whether the first stays.
    pub winner_undecided: usize,
    /// Each two neighbours in the order.
    pub pairs: Vec<Neighbours>,
}

/// Two columns that follow each other in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbours {
    /// `true` if they are equally fast in the study as stated.
    pub equal: bool,
    /// Number of samples in which the second is not faster than the first.
    pub holds: usize,
}

/// Stability of the rankings of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Perturbations that were applied.
    pub perturbation: Perturbation,
    /// Rankings, setting by setting, workload by workload, the mean last.
    pub rankings: Vec<Ranking>,
    /// Smallest and largest relative performance over the samples, to the ends of the intervals of extrapolated times: workload
    /// by workload, network by network.
    pub ranges: Vec<[f64; 2]>,
    /// Smallest and largest geometric mean over the samples, network by network.
    pub mean_ranges: Vec<[f64; 2]>,
}

/// Values that differ by no more than this part are equal: networks with the same routes differ by rounding.
const ROUNDING: f64 = 1e-9;

/// `true` if the first value is larger, by more than rounding.
fn is_ahead(first: f64, second: f64) -> bool {
    first > second * (1.0 + ROUNDING)
}

/// Returns the columns by descending value; equal values keep the order of the study.
fn order(columns: &[usize], value: &dyn Fn(usize) -> f64) -> Vec<usize> {
    let mut order = columns.to_vec();
    order.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
    order
}

impl Stability {
    /// Compares the rankings of the study as stated with those of the samples.
    pub fn new(plan: &Plan, perturbation: &Perturbation, stated: &Matrix, samples: &[Matrix]) -> Self {
        let mut rankings = Vec::new();
        let mut begin = 0;
        for columns in plan.columns.chunk_by(|a, b| a.setting == b.setting) {
            let columns: Vec<usize> = (begin..begin + columns.len()).collect();
            begin += columns.len();
            for workload in (0..plan.workloads.len()).map(Some).chain([None]) {
                let value = |matrix: &Matrix, column: usize| match workload {
                    Some(w) => matrix.cell(w, column).relative,
                    None => matrix.geometric[column].mean,
                };
                let stated_order = order(&columns, &|column| value(stated, column));
                let ahead = |matrix: &Matrix, first, second| is_ahead(value(matrix, first), value(matrix, second));
                let count = |holds: &dyn Fn(&Matrix) -> bool| samples.iter().filter(|sample| holds(sample)).count();
                let winner = stated_order[0];
                let leads = |sample: &Matrix| -> Vec<Statistic> {
                    stated_order.windows(2).map(|pair| sample.lead(workload, pair[1], pair[0])).collect()
                };
                let over_winner = |sample: &Matrix| -> Vec<Statistic> {
                    stated_order[1..].iter().map(|&column| sample.lead(workload, column, winner)).collect()
                };
                let is_open = |leads: Vec<Statistic>| any_above(leads, 1.0 + ROUNDING).is_none();
                rankings.push(Ranking {
                    setting: columns[0],
                    workload,
                    holds: count(&|sample| stated_order.windows(2).all(|pair| !ahead(sample, pair[1], pair[0]))),
                    winner_holds: count(&|sample| !columns.iter().any(|&column| ahead(sample, column, winner))),
                    undecided: count(&|sample| is_open(leads(sample))),
                    winner_undecided: count(&|sample| is_open(over_winner(sample))),
                    pairs: stated_order
                        .windows(2)
                        .map(|pair| Neighbours {
                            equal: !ahead(stated, pair[0], pair[1]),
                            holds: count(&|sample| !ahead(sample, pair[1], pair[0])),
                        })
                        .collect(),
                    order: stated_order,
                });
            }
        }
        let range = |values: &dyn Fn(&Matrix) -> Statistic| {
            let all = || samples.iter().map(|sample| values(sample).without_repetitions().ends());
            let (low, high) = (all().map(|ends| ends[0]), all().map(|ends| ends[1]));
            [low.fold(f64::INFINITY, f64::min), high.fold(f64::NEG_INFINITY, f64::max)]
        };
        let networks = 0..plan.columns.len();
        let cells = (0..plan.workloads.len()).flat_map(|w| networks.clone().map(move |n| (w, n)));
        let ranges = cells.map(|(w, n)| range(&|sample| sample.cell(w, n).ratio)).collect();
        let mean_ranges = networks.clone().map(|n| range(&|sample| sample.geometric[n])).collect();
        Self { perturbation: perturbation.clone(), rankings, ranges, mean_ranges }
    }
}
