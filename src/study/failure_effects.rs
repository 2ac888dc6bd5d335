//! Slowdowns by failures, from a comparison.

use super::comparison::Comparison;
use super::failure_choice::Failed;
use super::matrix::relative_half_width;
use super::mean;
use super::plan::Setting;
use super::record::CellRecord;
use super::statistics::Statistic;

/// Effect of a level of failures with one platform, routing, mapping, table and model.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureEffect {
    /// Setting of the intact networks.
    pub setting: Setting,
    /// Description of the failures.
    pub level: String,
    /// Number of seeds.
    pub seeds: usize,
    /// Networks, in the order of the study.
    pub networks: Vec<NetworkEffect>,
}

/// Effect of a level of failures on a network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkEffect {
    /// Columns of the intact network, of the one with failures, and of the evenly smaller one.
    pub columns: [usize; 3],
    /// Slowdown of each workload: its time with failures over its time on the intact network.
    pub slowdown: Vec<Statistic>,
    /// Even slowdown of each workload: its time on the evenly smaller network over its time on the intact network. It has an
    /// interval if times are extrapolated.
    pub even: Vec<Statistic>,
    /// Weighted geometric mean of the slowdowns over the workloads.
    pub geometric: Statistic,
    /// Weighted geometric mean of the even slowdowns.
    pub geometric_even: Statistic,
}

/// Returns the effects of all levels; empty if a study has no failures.
pub fn effects(c: &Comparison) -> Vec<FailureEffect> {
    let settings = c.of_settings();
    let plain = |columns: &[usize]| Setting { failures: None, ..c.settings[columns[0]].clone() };
    let failed = |columns: &[usize]| c.settings[columns[0]].failures.clone();
    let mut effects = Vec::new();
    for columns in &settings {
        let Some(Failed::Damaged(level)) = failed(columns) else { continue };
        let find = |wanted: &Failed| {
            settings.iter().find(|other| plain(other) == plain(columns) && failed(other).as_ref() == Some(wanted))
        };
        let (Some(intact), Some(even)) = (find(&Failed::Intact), find(&Failed::Even(level.clone()))) else {
            continue;
        };
        let networks = columns.iter().filter_map(|&column| {
            Some(network(c, [c.counterpart(column, intact)?, column, c.counterpart(column, even)?]))
        });
        effects.push(FailureEffect {
            setting: plain(columns),
            level,
            seeds: columns.iter().map(|&column| c.seeds[column].len()).max().unwrap_or(1),
            networks: networks.collect(),
        });
    }
    effects
}

fn network(c: &Comparison, columns: [usize; 3]) -> NetworkEffect {
    let records = |workload: usize, column: usize| -> Vec<&CellRecord> {
        let own = c.runs.iter().filter(|run| run.workload == workload && run.network == column);
        own.map(|run| &run.record).collect()
    };
    let times = |workload: usize, column: usize| -> Vec<f64> {
        records(workload, column).iter().map(|record| record.simulated_seconds).collect()
    };
    // Repetition k with failures has the same graph as repetition k of the intact network, starting again from the
    // first if the latter has fewer.
    let ratios = |workload: usize, column: usize| -> Vec<f64> {
        let (intact, own) = (times(workload, columns[0]), times(workload, column));
        own.iter().enumerate().map(|(k, &time)| super::matrix::ratio(time, intact[k % intact.len()])).collect()
    };
    let workloads = 0..c.workloads.len();
    let of = |column: usize| -> Vec<Vec<f64>> { workloads.clone().map(|workload| ratios(workload, column)).collect() };
    let (failed, even) = (of(columns[1]), of(columns[2]));
    // As for speedups, the relative half widths of both times add up, and those of a geometric mean are averaged.
    let widths = |column: usize| -> Vec<f64> {
        let of = |workload: usize, column: usize| relative_half_width(&records(workload, column));
        workloads.clone().map(|workload| of(workload, column) + of(workload, columns[0])).collect()
    };
    let (failed_widths, even_widths) = (widths(columns[1]), widths(columns[2]));
    let over_workloads = |ratios: &[Vec<f64>]| -> Statistic {
        let repetitions = ratios.iter().map(Vec::len).min().unwrap_or(0);
        let mean =
            |k: usize| mean::geometric(&ratios.iter().map(|of| of[k]).collect::<Vec<_>>(), &c.weights).unwrap_or(1.0);
        Statistic::of(&(0..repetitions).map(mean).collect::<Vec<_>>())
    };
    let width_over_workloads = |widths: &[f64]| mean::arithmetic(widths, &c.weights).unwrap_or(0.0);
    // The evenly smaller network does not depend on the seed of the failures.
    let extrapolated = |mean: f64, width: f64| Statistic::of(&[mean]).widened(width);
    NetworkEffect {
        columns,
        geometric: over_workloads(&failed).widened(width_over_workloads(&failed_widths)),
        geometric_even: extrapolated(over_workloads(&even).mean, width_over_workloads(&even_widths)),
        slowdown: failed
            .iter()
            .zip(&failed_widths)
            .map(|(ratios, &width)| Statistic::of(ratios).widened(width))
            .collect(),
        even: even
            .iter()
            .zip(&even_widths)
            .map(|(ratios, &width)| extrapolated(Statistic::of(ratios).mean, width))
            .collect(),
    }
}
