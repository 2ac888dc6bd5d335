//! Weighted means over workloads.

/// Difference below which two means have no order that could change.
pub const APART: f64 = 0.01;

/// Returns the arithmetic mean, `sum w x / sum w`; `None` without values.
pub fn arithmetic(values: &[f64], weights: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    (!values.is_empty()).then(|| sum / weights.iter().sum::<f64>())
}

/// Returns the geometric mean of positive values, `exp(sum w ln x / sum w)`; `None` without values.
///
/// It is the appropriate mean of ratios: its ranking does not depend on the choice of the baseline (Fleming and
/// Wallace, "How not to lie with statistics", CACM 29(3), 1986).
pub fn geometric(values: &[f64], weights: &[f64]) -> Option<f64> {
    arithmetic(&values.iter().map(|v| v.ln()).collect::<Vec<f64>>(), weights).map(f64::exp)
}

/// Returns the number below `count` with the largest value, the first among equals; 0 if there is none.
pub fn largest(count: usize, value: impl Fn(usize) -> f64) -> usize {
    (0..count).reduce(|best, other| if value(other) > value(best) { other } else { best }).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_the_first_among_equals() {
        let values = [1.0, 3.0, 3.0, 2.0];
        assert_eq!((largest(4, |i| values[i]), largest(1, |i| values[i]), largest(0, |_| 0.0)), (1, 0, 0));
    }

    #[test]
    fn means_of_a_ratio_and_its_inverse() {
        assert_eq!(arithmetic(&[0.5, 2.0], &[1.0; 2]), Some(1.25));
        assert!((geometric(&[0.5, 2.0], &[1.0; 2]).expect("two values") - 1.0).abs() < 1e-15);
        assert_eq!((arithmetic(&[], &[]), geometric(&[], &[])), (None, None));
    }

    #[test]
    fn a_weight_counts_as_often_as_it_says() {
        assert_eq!(arithmetic(&[1.0, 4.0], &[3.0, 1.0]), Some(1.75));
        let thrice = geometric(&[2.0, 2.0, 2.0, 16.0], &[1.0; 4]);
        let weighted = geometric(&[2.0, 16.0], &[3.0, 1.0]);
        assert!((thrice.expect("values") - weighted.expect("values")).abs() < 1e-14);
    }
}
