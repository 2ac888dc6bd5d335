//! One pass over a study: its cells relative to the baselines, and their means.
//!
//! Repetition k of a network is compared with repetition k of the baseline, which has the same seed, so that two
//! variants of one random network are compared on the same graphs. If only one of the two is repeated, the single run
//! is paired with every repetition of the other. The relative performance of a network is the mean of these ratios;
//! that of the baseline is exactly 1.
//!
//! Times that are extrapolated from some iterations have intervals of their own, which widen all that follows: a ratio by the
//! sum of both relative half widths, and a mean by the weighted mean of those of its ratios. So errors never cancel each other.

use super::mean;
use super::plan::Plan;
use super::record::CellRecord;
use super::statistics::Statistic;
use crate::result::explain::Explanation;

/// A workload on a network, over all repetitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Index of the workload.
    pub workload: usize,
    /// Index of the network.
    pub network: usize,
    /// Seconds from the common start to the end of the last rank; the mean over the repetitions.
    pub simulated_seconds: f64,
    /// Millions of operations per second of that mean time, if the count is known.
    pub mops: Option<f64>,
    /// Speedup over the baseline; the mean over the repetitions.
    pub relative: f64,
    /// Times of the repetitions.
    pub time: Statistic,
    /// Speedups of the repetitions.
    pub ratio: Statistic,
    /// Explanation of the time of the first repetition.
    pub explanation: Explanation,
}

/// Results of one pass over a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    networks: usize,
    /// Cells, workload by workload, network by network.
    pub cells: Vec<Cell>,
    /// For each network: weighted arithmetic means over the workloads, of each repetition.
    pub arithmetic: Vec<Statistic>,
    /// For each network: weighted geometric means over the workloads, of each repetition.
    pub geometric: Vec<Statistic>,
    /// For each network: weighted mean over the workloads of the half widths of its extrapolated times, relative to them.
    pub(super) widths: Vec<f64>,
    /// Speedup of each replay over the baseline, and half of its interval if times are extrapolated; 0 if none is.
    pub(super) relatives: Vec<(f64, f64)>,
}

/// Returns the ratio of two times; two runs that take no time are equally fast.
pub(super) fn ratio(reference: f64, seconds: f64) -> f64 {
    if seconds == reference { 1.0 } else { reference / seconds }
}

/// Returns the mean over repetitions of the half widths of extrapolated times, relative to these times; 0 for whole replays.
pub(super) fn relative_half_width(runs: &[&CellRecord]) -> f64 {
    runs.iter().map(|record| half_width_of(record)).sum::<f64>() / runs.len().max(1) as f64
}

/// Returns the half width of an extrapolated time, relative to it; 0 for a whole replay.
fn half_width_of(record: &CellRecord) -> f64 {
    record.extrapolation.as_ref().map_or(0.0, |found| found.relative_half_width())
}

/// Returns entry k of a list that has one for each repetition, or one for all.
fn entry<T: Copy>(values: &[T], k: usize) -> T {
    values[if values.len() == 1 { 0 } else { k }]
}

impl Matrix {
    /// Computes the results from the records of one pass, in the order of the plan.
    pub(super) fn new(plan: &Plan, records: &[CellRecord]) -> Self {
        let networks = plan.columns.len();
        let mut rest = records.iter();
        let mut cells = Vec::with_capacity(plan.workloads.len() * networks);
        let mut ratios: Vec<Vec<f64>> = Vec::with_capacity(cells.capacity());
        let mut ratio_widths: Vec<f64> = Vec::with_capacity(cells.capacity());
        let mut relatives = Vec::with_capacity(records.len());
        for (w, workload) in plan.workloads.iter().enumerate() {
            let runs: Vec<Vec<&CellRecord>> =
                plan.columns.iter().map(|column| rest.by_ref().take(column.seeds.len()).collect()).collect();
            let times: Vec<Vec<f64>> =
                runs.iter().map(|runs| runs.iter().map(|record| record.simulated_seconds).collect()).collect();
            for (n, column) in plan.columns.iter().enumerate() {
                let (own, reference) = (&times[n], &times[column.baseline]);
                let pairs = own.len().max(reference.len());
                let series: Vec<f64> = (0..pairs).map(|k| ratio(entry(reference, k), entry(own, k))).collect();
                let [alone, baseline] = [n, column.baseline].map(|n| relative_half_width(&runs[n]));
                let time = Statistic::of(own).widened(alone);
                let width = if n == column.baseline { 0.0 } else { alone + baseline };
                let paired = Statistic::of(&series).widened(width);
                if own.len() < pairs {
                    relatives.push((paired.mean, width * paired.mean));
                } else {
                    // A replay has the half widths of its own time and of the one that it is compared with.
                    let half = |k: usize| match n == column.baseline {
                        true => 0.0,
                        false => half_width_of(entry(&runs[n], k)) + half_width_of(entry(&runs[column.baseline], k)),
                    };
                    relatives.extend(series.iter().enumerate().map(|(k, &ratio)| (ratio, ratio * half(k))));
                }
                let operations = workload.operations.filter(|_| time.mean > 0.0);
                cells.push(Cell {
                    workload: w,
                    network: n,
                    simulated_seconds: time.mean,
                    mops: operations.map(|operations| operations / time.mean / 1e6),
                    relative: paired.mean,
                    time,
                    ratio: paired,
                    explanation: runs[n][0].explanation.clone(),
                });
                ratios.push(series);
                ratio_widths.push(width);
            }
        }
        let means = |mean: fn(&[f64], &[f64]) -> Option<f64>, width: &dyn Fn(usize) -> f64| -> Vec<Statistic> {
            (0..networks)
                .map(|n| {
                    let series = || (0..plan.workloads.len()).map(|w| &ratios[w * networks + n]);
                    let repetitions = series().map(Vec::len).max().unwrap_or(1);
                    let means = (0..repetitions).map(|k| {
                        let values: Vec<f64> = series().map(|values| entry(values, k)).collect();
                        mean(&values, &plan.weights).unwrap_or(1.0)
                    });
                    Statistic::of(&means.collect::<Vec<f64>>()).widened(width(n))
                })
                .collect()
        };
        // The relative error of a geometric mean is the mean of those of its values, that of an arithmetic mean by their sizes.
        let width = |n: usize, size: &dyn Fn(&Cell) -> f64| {
            let places = || (0..plan.workloads.len()).map(|w| w * networks + n);
            let weights: Vec<f64> = places().zip(&plan.weights).map(|(at, weight)| weight * size(&cells[at])).collect();
            let widths: Vec<f64> = places().map(|at| ratio_widths[at]).collect();
            mean::arithmetic(&widths, &weights).unwrap_or(0.0)
        };
        let own_width = |n: usize| {
            let widths = (0..plan.workloads.len()).map(|w| cells[w * networks + n].time.relative_extrapolated());
            mean::arithmetic(&widths.collect::<Vec<f64>>(), &plan.weights).unwrap_or(0.0)
        };
        let widths = (0..networks).map(own_width).collect();
        let arithmetic = means(mean::arithmetic, &|n| width(n, &|cell| cell.relative));
        let geometric = means(mean::geometric, &|n| width(n, &|_| 1.0));
        Self { networks, cells, arithmetic, geometric, widths, relatives }
    }

    /// Returns the speedup of a network over another one, for a workload or in the mean of all. The baseline, to which both are
    /// relative, adds nothing to its interval.
    pub(super) fn lead(&self, workload: Option<usize>, network: usize, other: usize) -> Statistic {
        let of = |network: usize| match workload {
            Some(w) => (self.cell(w, network).ratio.mean, self.cell(w, network).time.relative_extrapolated()),
            None => (self.geometric[network].mean, self.widths[network]),
        };
        let ((mean, width), (of_other, other_width)) = (of(network), of(other));
        Statistic::estimate(mean / of_other, if network == other { 0.0 } else { width + other_width })
    }

    /// Returns the cell of a workload on a network.
    pub fn cell(&self, workload: usize, network: usize) -> &Cell {
        &self.cells[workload * self.networks + network]
    }
}
