//! Mean, standard deviation and confidence interval of repetitions.
//!
//! The interval is that of Student for the mean of a normal variable of unknown variance: `mean ± t s / sqrt n`,
//! where `s` is the sample standard deviation (divisor n - 1) and `t` the 97.5 % point of the t distribution with n - 1
//! degrees of freedom (Student, The probable error of a mean, Biometrika 6(1), 1908). The distribution function for
//! integer degrees of freedom is the finite sum of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3
//! and 26.7.4; its inverse is found by bisection, which needs no table and is exact up to rounding.

/// Probability that the interval covers the true mean.
pub const CONFIDENCE: f64 = 0.95;

/// Statistic of the repetitions of one measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistic {
    /// Number of values.
    pub count: usize,
    /// Arithmetic mean of the values.
    pub mean: f64,
    /// Sample standard deviation; `None` for a single value.
    pub standard_deviation: Option<f64>,
    /// Half of the width of the 95 % confidence interval of the mean; `None` for a single value.
    pub half_width: Option<f64>,
    /// Part of the half width that is due to the extrapolation of times; 0 for exact values.
    pub extrapolated: f64,
}

/// Returns the median, the mean of both in the middle of an even number of values; `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[last - last / 2]))
}

impl Statistic {
    /// Returns the statistic of these values; without values, that of a single 0.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len();
        let [first, _, ..] = values else {
            let mean = values.first().copied().unwrap_or(0.0);
            return Self { count: 1, mean, standard_deviation: None, half_width: None, extrapolated: 0.0 };
        };
        let n = count as f64;
        // Relative to the first value, so that equal values have exactly their value as mean and no deviation.
        let mean = first + values.iter().map(|v| v - first).sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        let half_width = student_t(count - 1) * deviation / n.sqrt();
        Self { count, mean, standard_deviation: Some(deviation), half_width: Some(half_width), extrapolated: 0.0 }
    }

    /// Returns a single value with half of its interval relative to it; 0 for an exact value.
    pub fn estimate(value: f64, relative: f64) -> Self {
        Self::of(&[value]).widened(relative)
    }

    /// Returns the value without the interval of repetitions, which repeats itself in whatever is computed from the mean.
    pub fn without_repetitions(&self) -> Self {
        Self::estimate(self.mean, self.relative_extrapolated())
    }

    /// Returns the part of the half width that is due to extrapolation, relative to the mean.
    pub fn relative_extrapolated(&self) -> f64 {
        let is_relative = self.extrapolated > 0.0 && self.mean.is_finite() && self.mean != 0.0;
        if is_relative { self.extrapolated / self.mean.abs() } else { 0.0 }
    }

    /// Returns the statistic of the value over a positive number.
    pub fn per(self, divisor: f64) -> Self {
        let scaled = |width: f64| width / divisor;
        Self {
            mean: self.mean / divisor,
            standard_deviation: self.standard_deviation.map(scaled),
            half_width: self.half_width.map(scaled),
            extrapolated: scaled(self.extrapolated),
            ..self
        }
    }

    /// Returns whether the value is above a bound; `None` if its interval contains the bound.
    pub fn is_above(&self, bound: f64) -> Option<bool> {
        let [low, high] = self.ends();
        match (low > bound, high > bound) {
            (true, _) => Some(true),
            (_, false) => Some(false),
            _ => None,
        }
    }

    /// Returns the statistic of values that are estimates, with a half width relative to their mean: it is added to that of
    /// the mean.
    pub fn widened(self, relative: f64) -> Self {
        if relative > 0.0 {
            let extrapolated = relative * self.mean.abs();
            return Self {
                half_width: Some(self.half_width.unwrap_or(0.0) + extrapolated),
                extrapolated: self.extrapolated + extrapolated,
                ..self
            };
        }
        self
    }

    /// Returns the ends of the 95 % confidence interval of the mean. For values that are never negative, such as times
    /// and ratios, the lower end is not negative either.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let least = if self.mean >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
        self.half_width.map(|half| [(self.mean - half).max(least), self.mean + half])
    }

    /// Returns half of the interval relative to the mean.
    pub fn relative_half_width(&self) -> Option<f64> {
        self.half_width.filter(|half| *half > 0.0 && self.mean != 0.0).map(|half| half / self.mean.abs())
    }

    /// Returns the ends of the interval, or the only value twice.
    pub fn ends(&self) -> [f64; 2] {
        self.interval().unwrap_or([self.mean; 2])
    }
}

/// Returns whether any of some values is above a bound; `None` if their intervals leave that open.
pub fn any_above(values: impl IntoIterator<Item = Statistic>, bound: f64) -> Option<bool> {
    let mut is_open = false;
    for value in values {
        match value.is_above(bound) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => is_open = true,
        }
    }
    (!is_open).then_some(false)
}

/// Returns `true` if the intervals of several ratios leave open whether one of them is above a bound while another is below its
/// inverse: whether the order of two networks changes. Each ratio has half of its interval, relative to it.
pub fn is_change_open(ratios: &[(f64, f64)], bound: f64) -> bool {
    let beyond = |inverse: bool| {
        let of = |&(ratio, width): &(f64, f64)| Statistic::estimate(if inverse { 1.0 / ratio } else { ratio }, width);
        any_above(ratios.iter().map(of), bound)
    };
    let sides = [beyond(false), beyond(true)];
    sides.contains(&None) && !sides.contains(&Some(false))
}

/// Returns the bound of |t| with probability 95 %, for this number of degrees of freedom (at least 1).
pub fn student_t(degrees: usize) -> f64 {
    // With one degree of freedom it is 12.7, and it decreases to 1.96.
    bound(CONFIDENCE, degrees, (1.9, 13.0))
}

/// Returns the bound of |t| with probability 98 %, for this number of degrees of freedom (at least 1).
pub fn student_t_98(degrees: usize) -> f64 {
    bound(0.98, degrees, (2.3, 32.0))
}

/// Returns the bound of |t| with some probability, which is between two numbers.
fn bound(confidence: f64, degrees: usize, (mut low, mut high): (f64, f64)) -> f64 {
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if within(middle, degrees.max(1)) < confidence { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns the probability of |T| < t.
fn within(t: f64, degrees: usize) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2 == 1;
    // Terms cos^(j), each with the factor (j - 1) / j (even degrees) or j / (j + 1) relative to its predecessor.
    let (mut term, mut sum) = if odd { (cosine, cosine) } else { (1.0, 1.0) };
    let mut power = if odd { 3 } else { 2 };
    while power + 2 <= degrees {
        term *= cosine * cosine * (power - 1) as f64 / power as f64;
        sum += term;
        power += 2;
    }
    match (odd, degrees) {
        (false, _) => sine * sum,
        (true, 1) => std::f64::consts::FRAC_2_PI * angle,
        (true, _) => std::f64::consts::FRAC_2_PI * (angle + sine * sum),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_is_that_of_the_tables() {
        let table = [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228), (30, 2.042)];
        for (degrees, t) in table {
            assert!((student_t(degrees) - t).abs() < 5e-4, "{degrees}: {}", student_t(degrees));
        }
        assert!((student_t(100_000) - 1.959_964).abs() < 1e-4);
        for (degrees, t) in [(1, 31.821), (7, 2.998), (8, 2.896), (30, 2.457)] {
            assert!((student_t_98(degrees) - t).abs() < 5e-4, "{degrees}: {}", student_t_98(degrees));
        }
    }

    #[test]
    fn one_value_that_is_certainly_above_decides() {
        let [below, open, above] =
            [(0.9, 0.05), (1.0, 0.05), (1.2, 0.05)].map(|(value, width)| Statistic::estimate(value, width));
        assert_eq!((any_above([below, below], 1.0), any_above([], 1.0)), (Some(false), Some(false)));
        assert_eq!((any_above([below, open], 1.0), any_above([open, above, below], 1.0)), (None, Some(true)));
        // Exact values are on either side of any bound.
        assert_eq!(any_above([Statistic::estimate(1.0, 0.0)], 1.0), Some(false));
    }

    #[test]
    fn statistics_by_hand() {
        // 1, 2, 3, 4: mean 2.5, squares 2.25 + 0.25 + 0.25 + 2.25 = 5, s = sqrt(5/3), t(3) = 3.1824463.
        let statistic = Statistic::of(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!((statistic.count, statistic.mean), (4, 2.5));
        let deviation = (5.0_f64 / 3.0).sqrt();
        assert!((statistic.standard_deviation.expect("four values") - deviation).abs() < 1e-15);
        let [low, high] = statistic.interval().expect("four values");
        assert!((high - low - 3.182_446_305 * deviation).abs() < 1e-8);
        assert_eq!(Statistic::of(&[0.1; 3]).standard_deviation, Some(0.0));
        assert_eq!(Statistic::of(&[7.0]).interval(), None);
        assert_eq!(Statistic::of(&[0.1, 0.5]).interval().map(|ends| ends[0]), Some(0.0));
    }
}
