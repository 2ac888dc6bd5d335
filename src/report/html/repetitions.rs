//! Spread of repetitions, workload by workload, and in the means of all.

use super::parts::{Exact, exact};
use crate::report::label::short;
use crate::report::number::{percent, seconds};
use crate::study::comparison::Comparison;
use crate::study::statistics::Statistic;
use serde::Serialize;

/// Row of the table of repetitions.
#[derive(Serialize)]
pub(super) struct RepetitionRow {
    pub workload: String,
    /// Number of rows of this workload, in the first of them; 0 in the others.
    pub span: usize,
    pub letter: String,
    pub network: String,
    pub runs: usize,
    /// Time; `None` for means over workloads.
    pub time: Option<Exact>,
    /// Standard deviation as a fraction of the mean.
    pub time_deviation: Option<Exact>,
    pub relative: Exact,
    pub deviation: Option<Exact>,
    pub low: Option<Exact>,
    pub high: Option<Exact>,
}

/// Returns all rows; empty if there are no repetitions.
pub(super) fn rows(c: &Comparison) -> Vec<RepetitionRow> {
    if !c.has_repetitions() {
        return Vec::new();
    }
    let count = c.networks.len();
    let thousandths = |value: f64| exact(value, |v| format!("{v:.3}"));
    let row = |workload: &str, n: usize, time: Option<&Statistic>, relative: &Statistic| RepetitionRow {
        workload: workload.to_owned(),
        span: if n == 0 { count } else { 0 },
        letter: short(c, n),
        network: c.networks[n].name.clone(),
        runs: time.unwrap_or(relative).count,
        time: time.map(|t| exact(t.mean, seconds)),
        time_deviation: time
            .filter(|t| t.mean > 0.0)
            .and_then(|t| t.standard_deviation.map(|s| exact(s / t.mean, percent))),
        relative: thousandths(relative.mean),
        deviation: relative.standard_deviation.map(thousandths),
        low: relative.interval().map(|[low, _]| thousandths(low)),
        high: relative.interval().map(|[_, high]| thousandths(high)),
    };
    let cells = c.cells.iter().map(|x| row(&c.workloads[x.workload].name, x.network, Some(&x.time), &x.ratio));
    let means = [("arithmetic mean", &c.arithmetic), ("geometric mean", &c.geometric)];
    let means = means.into_iter().flat_map(|(name, all)| all.iter().enumerate().map(move |(n, m)| (name, n, m)));
    cells.chain(means.map(|(name, n, mean)| row(name, n, None, mean))).collect()
}
