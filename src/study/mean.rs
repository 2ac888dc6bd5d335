//! Averages over workloads.

/// The arithmetic mean; `None` of nothing.
pub fn arithmetic(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The geometric mean of positive values; `None` of nothing.
///
/// Of ratios it is the mean to trust: its ranking does not depend on which network is the baseline (Fleming and
/// Wallace, How not to lie with statistics, CACM 29(3), 1986).
pub fn geometric(values: &[f64]) -> Option<f64> {
    arithmetic(&values.iter().map(|v| v.ln()).collect::<Vec<f64>>()).map(f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_of_a_ratio_and_its_inverse() {
        assert_eq!(arithmetic(&[0.5, 2.0]), Some(1.25));
        assert!((geometric(&[0.5, 2.0]).expect("two values") - 1.0).abs() < 1e-15);
        assert_eq!((arithmetic(&[]), geometric(&[])), (None, None));
    }
}
