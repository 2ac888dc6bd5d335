//! Means of a packet simulation over seeds, and relative to a baseline.

use crate::packets::run::Outcome;
use crate::packets::series::Series;
use crate::study::statistics::Statistic;

/// Means over the seeds of a load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mean<'a> {
    /// Flits offered per host and cycle.
    pub load: f64,
    /// Flits accepted per host and cycle.
    pub accepted: Statistic,
    /// Cycles from creation to the arrival of the tail, of the runs that are not saturated; `None` if all are.
    pub latency: Option<Statistic>,
    /// Number of saturated runs.
    pub saturated: usize,
    /// Runs, one per seed.
    pub runs: &'a [Outcome],
}

impl<'a> Mean<'a> {
    fn of(runs: &'a [Outcome]) -> Self {
        let accepted: Vec<f64> = runs.iter().map(|run| run.accepted).collect();
        let latency: Vec<f64> = runs.iter().filter_map(|run| run.latency_mean).collect();
        Self {
            load: runs[0].load,
            accepted: Statistic::of(&accepted),
            latency: (!latency.is_empty()).then(|| Statistic::of(&latency)),
            saturated: runs.iter().filter(|run| run.saturated).count(),
            runs,
        }
    }
}

/// Returns the means over the seeds, load by load.
pub(super) fn means(series: &Series, seeds: usize) -> Vec<Mean<'_>> {
    series.points.chunks(seeds.max(1)).map(Mean::of).collect()
}

/// Units of a network's cycles and flits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// Bytes per second of a link; 1 if it is unknown and the same for all.
    pub bandwidth: f64,
}

impl Scale {
    /// Returns traffic of a host of a series over that of the baseline, in bytes per second.
    pub fn traffic_ratio(
        value: fn(&Series) -> Option<f64>,
        own: (&Series, Self),
        baseline: (&Series, Self),
    ) -> Option<f64> {
        // The factor of equal networks is exactly 1.
        ratio(value(own.0), value(baseline.0)).map(|ratio| ratio * (own.1.bandwidth / baseline.1.bandwidth))
    }

    /// Returns a latency of a series over that of the baseline; `None` if their cycles differ. Delays are numbers of cycles,
    /// so the switches and cables of one of them would be faster for no reason.
    pub fn latency_ratio(
        value: fn(&Series) -> Option<f64>,
        own: (&Series, Self),
        baseline: (&Series, Self),
    ) -> Option<f64> {
        ratio(value(own.0), value(baseline.0)).filter(|_| own.1.cycle_ns == baseline.1.cycle_ns)
    }
}

/// Returns a value over that of the baseline, if both exist.
pub(super) fn ratio(value: Option<f64>, baseline: Option<f64>) -> Option<f64> {
    Some(value? / baseline?).filter(|ratio| ratio.is_finite())
}

/// Returns the mean latency at the lowest load over all seeds; `None` if a run has none.
pub(super) fn first_latency(series: &Series) -> Option<f64> {
    let lowest = series.points.first()?.load;
    let runs = series.points.iter().take_while(|point| point.load == lowest);
    let all: Vec<f64> = runs.map(|point| point.latency_mean).collect::<Option<_>>()?;
    Some(all.iter().sum::<f64>() / all.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_three_values() {
        let run = |seed: u64, latency_mean: Option<f64>| Outcome {
            load: 0.1,
            seed,
            accepted: seed as f64,
            saturated: latency_mean.is_none(),
            latency_mean,
            ..Outcome::default()
        };
        let runs = [run(1, None), run(2, Some(5.0)), run(3, None)];
        // Mean 2, standard deviation 1, t = 4.302653: 4.302653 / sqrt(3).
        let mean = Mean::of(&runs);
        assert_eq!((mean.load, mean.accepted.mean, mean.saturated), (0.1, 2.0, 2));
        assert!((mean.accepted.half_width.unwrap() - 2.484_138).abs() < 1e-5);
        let latency = mean.latency.unwrap();
        assert_eq!((latency.mean, latency.half_width), (5.0, None));
        assert!(Mean::of(&runs[..1]).latency.is_none());
    }
}
