//! Mean of a correlated series whose beginning is not typical, and the interval of what follows it.
//!
//! The beginning is cut off where the squared standard error of the rest, computed as if values were independent, is least
//! (MSER: K. P. White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6),
//! 1997). The rest is divided into batches of equal size, whose means have Student's interval if they are hardly
//! correlated (batch means: A. M. Law and W. D. Kelton, Simulation Modeling and Analysis, chapter 9; rule for the size by the
//! correlation of neighbours: A. M. Law and J. S. Carson, A sequential procedure for determining the length of a
//! steady-state simulation, Operations Research 27(5), 1979). Batches are as small as that permits, and at least
//! [`FEWEST_BATCHES`]. Values that swing between two levels have an interval that is too wide rather than too narrow; larger
//! batches are tried if it is wider than requested. Where values are known to repeat after some number of them, batches of
//! whole periods are possible.
//!
//! The interval is not that of the mean of an endless series, but of the mean of the values to come, of which there is a known
//! number `r`. With `b` batches of `m` values whose means have the standard deviation `s`, their difference has the variance
//! `s^2 (1 / b + m / r)`: that of a prediction. The correlation `c` that is left between neighbours multiplies it by
//! `(1 + c) / (1 - c)`, as for a process of first order. An interval that is
//! computed again and again until it is narrow is too narrow in more than 5 % of cases, so Student's factor is that of 98 %.

use super::statistics::{Statistic, student_t, student_t_98};

/// Fewest batches: with fewer, Student's factor outweighs any variance.
pub const FEWEST_BATCHES: usize = 8;

/// Largest correlation of the means of neighbouring batches.
const LARGEST_CORRELATION: f64 = 0.3;

/// Correlation of the means of neighbouring batches below which they swing.
const SWINGING: f64 = -0.5;

/// Largest part of the values that may be cut off at the beginning.
const LARGEST_WARM_UP: f64 = 0.5;

/// Mean of a series, for the values that follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyMean {
    /// Number of values cut off at the beginning.
    pub warm_up: usize,
    /// Number of batches.
    pub batches: usize,
    /// Number of values of a batch.
    pub batch: usize,
    /// Mean of the batches.
    pub mean: f64,
    /// Half width of the 95 % interval of the mean of the values to come.
    pub half_width: f64,
}

impl SteadyMean {
    /// Estimates the mean of `to_come` values that follow the series. `None` if the series is too short or too correlated
    /// for an interval, or if a trend that is not chance would move the mean of the values to come by more than `within`
    /// times the mean, the requested half width. Batches are multiples of `period`.
    pub fn of(series: &[f64], to_come: usize, within: f64, period: usize) -> Option<Self> {
        let warm_up = warm_up(series);
        let typical = &series[warm_up..];
        let moves = trend(typical) * (typical.len() + to_come) as f64 / 2.0;
        if moves.abs() > within * Statistic::of(typical).mean {
            return None;
        }
        let mut best: Option<Self> = None;
        for batch in (period..=typical.len() / FEWEST_BATCHES).step_by(period) {
            let means = batch_means(typical, batch);
            let correlation = correlation(&means);
            if correlation > LARGEST_CORRELATION {
                continue;
            }
            let found = Self::of_batches((&means, correlation), batch, warm_up, to_come)?;
            if best.is_none_or(|best| found.half_width < best.half_width) {
                best = Some(found);
            }
            if correlation > SWINGING || found.half_width <= within * found.mean {
                break;
            }
        }
        best
    }

    fn of_batches((means, correlation): (&[f64], f64), batch: usize, warm_up: usize, to_come: usize) -> Option<Self> {
        let (statistic, batches) = (Statistic::of(means), means.len());
        let variance = 1.0 / batches as f64 + batch as f64 / to_come.max(1) as f64;
        let correlation = correlation.max(0.0);
        let correlated = variance * (1.0 + correlation) / (1.0 - correlation);
        let half_width = student_t_98(batches - 1) * statistic.standard_deviation? * correlated.sqrt();
        Some(Self { warm_up, batches, batch, mean: statistic.mean, half_width })
    }
}

/// Returns the number of first values without which the squared standard error of the mean is least.
fn warm_up(series: &[f64]) -> usize {
    let most = (series.len() as f64 * LARGEST_WARM_UP) as usize;
    let error = |first: &usize| {
        let rest = &series[*first..];
        let deviation = Statistic::of(rest).standard_deviation.unwrap_or(f64::INFINITY);
        deviation * deviation / rest.len() as f64
    };
    (0..=most).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(0)
}

/// Returns the means of batches; values that fill none are left out at the beginning.
fn batch_means(values: &[f64], batch: usize) -> Vec<f64> {
    values[values.len() % batch..].chunks_exact(batch).map(|some| Statistic::of(some).mean).collect()
}

/// Returns the correlation of neighbours, corrected for the mean `-1 / n` that its estimate has for independent values.
fn correlation(values: &[f64]) -> f64 {
    let mean = Statistic::of(values).mean;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    // Rounding of times is correlated, and means nothing.
    if squares.sqrt() <= ROUNDING * mean.abs() { 0.0 } else { products / squares + 1.0 / values.len() as f64 }
}

/// Relative deviations that are rounding of the clock: a few thousand iterations lose this much.
const ROUNDING: f64 = 1e-9;

/// Returns the change of the values from one to the next by least squares; 0 if it may be chance (two-sided t-test of the
/// slope at 5 %).
fn trend(values: &[f64]) -> f64 {
    let (slope, error) = slope(values);
    if slope.abs() > student_t(values.len().saturating_sub(2)) * error { slope } else { 0.0 }
}

/// Returns the change of the values from one to the next by least squares, and its standard error.
pub(super) fn slope(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = Statistic::of(values).mean;
    let at = |i: usize| i as f64 - (n - 1.0) / 2.0;
    let spread = n * (n * n - 1.0) / 12.0;
    let slope = values.iter().enumerate().map(|(i, v)| at(i) * (v - mean)).sum::<f64>() / spread;
    let squares: f64 = values.iter().enumerate().map(|(i, v)| (v - mean - slope * at(i)).powi(2)).sum();
    (slope, (squares / (n - 2.0) / spread).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise from -1 to 1 without a generator: the golden ratio's multiples, shuffled by squares.
    fn noise(i: usize) -> f64 {
        let x = (i * i) as f64 * 0.618_033_988_749_894_9;
        2.0 * (x - x.floor()) - 1.0
    }

    #[test]
    fn the_interval_is_that_of_a_prediction() {
        // Eight values 1 and 3 in turn have the mean 2 and the standard deviation sqrt(8/7); 32 values are to come.
        let series = [1.0, 3.0, 1.0, 3.0, 1.0, 3.0, 1.0, 3.0];
        let found = SteadyMean::of(&series, 32, 1.0, 1).expect("the correlation of neighbours is negative");
        assert_eq!((found.warm_up, found.batches, found.batch, found.mean), (0, 8, 1, 2.0));
        let expected = 2.997_951_567 * (8.0_f64 / 7.0).sqrt() * (1.0_f64 / 8.0 + 1.0 / 32.0).sqrt();
        assert!((found.half_width - expected).abs() < 1e-7, "{found:?}");
    }

    #[test]
    fn a_beginning_that_is_not_typical_is_cut_off() {
        let series: Vec<f64> = [9.0, 7.0, 6.0].into_iter().chain((0..20).map(|i| 5.0 + 0.01 * noise(i))).collect();
        let found = SteadyMean::of(&series, 100, 0.01, 1).expect("it is steady");
        assert!((3..=5).contains(&found.warm_up), "{found:?}");
        assert!((found.mean - 5.0).abs() < 0.01);
    }

    #[test]
    fn correlated_values_are_batched_or_wait_for_more() {
        // Blocks of ten equal values: neighbours agree, their batches do not.
        let blocks = |n: usize| (0..n).map(|i| 10.0 + noise(i / 10)).collect::<Vec<f64>>();
        assert_eq!(SteadyMean::of(&blocks(40), 1000, 0.5, 1), None);
        let found = SteadyMean::of(&blocks(400), 1000, 0.5, 1).expect("there are batches enough");
        let alone = Statistic::of(&blocks(400)).half_width.expect("many values");
        assert!(found.batch >= 5 && found.half_width > 1.5 * alone, "{found:?}, as if independent {alone}");
    }

    #[test]
    fn a_series_that_drifts_is_not_steady() {
        for slope in [0.001, -0.001] {
            let series: Vec<f64> = (0..40).map(|i| 1.0 + slope * i as f64 + 1e-3 * noise(i)).collect();
            assert_eq!(SteadyMean::of(&series, 400, 0.01, 1), None);
        }
        let level: Vec<f64> = (0..40).map(|i| 1.0 + 1e-3 * noise(i)).collect();
        assert!(SteadyMean::of(&level, 400, 0.01, 1).is_some());
    }

    #[test]
    fn values_that_swing_are_paired() {
        let series: Vec<f64> = (0..24).map(|i| [1.0, 3.0][i % 2]).collect();
        let found = SteadyMean::of(&series, 100, 0.01, 1).expect("pairs have one mean");
        assert_eq!((found.batch, found.mean, found.half_width), (2, 2.0, 0.0));
    }

    #[test]
    fn batches_of_whole_periods_have_one_mean() {
        // Neighbours of 1, 2, 3 in turn have a correlation of -0.5: they do not swing, and single values vary.
        let series: Vec<f64> = (0..24).map(|i| [1.0, 2.0, 3.0][i % 3]).collect();
        assert!(SteadyMean::of(&series, 100, 0.1, 1).is_none_or(|found| found.half_width > 0.1 * found.mean));
        let found = SteadyMean::of(&series, 100, 0.1, 3).expect("eight periods");
        assert_eq!((found.batch, found.batches, found.mean, found.half_width), (3, 8, 2.0, 0.0));
        assert_eq!(SteadyMean::of(&series[..23], 100, 0.1, 3), None, "seven periods");
    }

    #[test]
    fn equal_values_have_no_width() {
        let found = SteadyMean::of(&[0.1; 10], 90, 0.01, 1).expect("nothing varies");
        assert_eq!((found.mean, found.half_width, found.warm_up), (0.1, 0.0, 0));
    }
}
