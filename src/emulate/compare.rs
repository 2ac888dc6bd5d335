//! Measured times next to predicted ones: errors of times and ratios, and whether networks are in the right order.

use crate::study::statistics::median;

/// Networks whose measured times differ by less than this factor are not expected in an order.
pub const APART: f64 = 1.1;

/// Predictions of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicted {
    /// Name of the model.
    pub model: String,
    /// Seconds of each program on each network, `seconds[program][network]`.
    pub seconds: Vec<Vec<f64>>,
}

/// Programs that were measured on networks, and predicted under models.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// Names of the programs.
    pub programs: Vec<String>,
    /// Names of the networks; the first one is the baseline of ratios.
    pub networks: Vec<String>,
    /// Seconds of each repetition, `measured[program][network][repetition]`; at least one.
    pub measured: Vec<Vec<Vec<f64>>>,
    /// Predictions, one entry per model.
    pub predicted: Vec<Predicted>,
    /// Bytes through all cables over those that a replay of the first model predicts, `[program][network]`.
    pub overhead: Vec<Vec<Option<f64>>>,
}

/// Errors of a model. An error is a factor less 1: a time of twice or half the measured one has an error of 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Errors {
    /// Median error of times.
    pub median_time: f64,
    /// Largest error of a time.
    pub worst_time: f64,
    /// Geometric mean of predicted over measured times, less 1.
    pub bias: f64,
    /// Median error of times relative to the first network; none with one network.
    pub median_ratio: Option<f64>,
    /// Largest error of such a ratio.
    pub worst_ratio: Option<f64>,
    /// Pairs of networks that differ by more than [`APART`] and are predicted in the right order.
    pub in_order: usize,
    /// Pairs of networks that differ by more than that.
    pub ordered: usize,
}

/// Factor between two times that is not below 1, less 1.
pub fn error(ours: f64, theirs: f64) -> f64 {
    (ours / theirs).ln().abs().exp() - 1.0
}

impl Comparison {
    /// Median of the repetitions.
    pub fn seconds(&self, program: usize, network: usize) -> f64 {
        median(self.measured[program][network].iter().copied()).unwrap_or(f64::NAN)
    }

    /// Longest over shortest repetition, less 1.
    pub fn spread(&self, program: usize, network: usize) -> f64 {
        self.slowest(program, network) / self.fastest(program, network) - 1.0
    }

    /// Shortest repetition.
    pub fn fastest(&self, program: usize, network: usize) -> f64 {
        self.measured[program][network].iter().copied().reduce(f64::min).unwrap_or(f64::NAN)
    }

    /// Longest repetition.
    pub fn slowest(&self, program: usize, network: usize) -> f64 {
        self.measured[program][network].iter().copied().reduce(f64::max).unwrap_or(f64::NAN)
    }

    /// Median and largest spread of repetitions; none with one repetition.
    pub fn spreads(&self) -> Option<(f64, f64)> {
        let repeated = self.cells().filter(|&(p, n)| self.measured[p][n].len() > 1);
        let spreads: Vec<f64> = repeated.map(|(p, n)| self.spread(p, n)).collect();
        Some((median(spreads.iter().copied())?, spreads.iter().copied().fold(0.0, f64::max)))
    }

    /// All pairs of program and network.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.programs.len()).flat_map(|program| (0..self.networks.len()).map(move |network| (program, network)))
    }

    /// Errors of a model.
    pub fn errors(&self, predicted: &Predicted) -> Errors {
        let ours = &predicted.seconds;
        let (mut times, mut ratios, mut bias) = (Vec::new(), Vec::new(), 0.0);
        let (mut in_order, mut ordered) = (0, 0);
        for (p, n) in self.cells() {
            let theirs = self.seconds(p, n);
            times.push(error(ours[p][n], theirs));
            bias += (ours[p][n] / theirs).ln();
            if n > 0 {
                ratios.push(error(ours[p][n] / ours[p][0], theirs / self.seconds(p, 0)));
            }
            for other in 0..n {
                let apart = theirs / self.seconds(p, other);
                if apart.ln().abs() > APART.ln() {
                    ordered += 1;
                    in_order += usize::from((apart > 1.0) == (ours[p][n] > ours[p][other]));
                }
            }
        }
        let worst = |list: &[f64]| list.iter().copied().reduce(f64::max);
        Errors {
            median_time: median(times.iter().copied()).unwrap_or(f64::NAN),
            worst_time: worst(&times).unwrap_or(f64::NAN),
            bias: (bias / times.len() as f64).exp() - 1.0,
            median_ratio: median(ratios.iter().copied()),
            worst_ratio: worst(&ratios),
            in_order,
            ordered,
        }
    }

    /// Geometric mean, over all programs, of the measured time on a network relative to the first one.
    pub fn measured_mean(&self, network: usize) -> f64 {
        self.mean(|program| self.seconds(program, network) / self.seconds(program, 0))
    }

    /// Geometric mean of the predicted times relative to the first network.
    pub fn predicted_mean(&self, predicted: &Predicted, network: usize) -> f64 {
        self.mean(|program| predicted.seconds[program][network] / predicted.seconds[program][0])
    }

    fn mean(&self, ratio: impl Fn(usize) -> f64) -> f64 {
        let logarithms: f64 = (0..self.programs.len()).map(|program| ratio(program).ln()).sum();
        (logarithms / self.programs.len() as f64).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two programs on three networks. The model is exact but for the second program on the third network, where it is
    /// twice as slow, and so behind the first network instead of before it.
    fn example() -> Comparison {
        Comparison {
            programs: vec!["a".into(), "b".into()],
            networks: vec!["x".into(), "y".into(), "z".into()],
            measured: vec![vec![vec![1.0, 3.0, 2.0], vec![2.1], vec![4.0, 4.0]], vec![vec![3.0], vec![6.0], vec![2.0]]],
            predicted: vec![Predicted { model: "m".into(), seconds: vec![vec![2.0, 2.1, 4.0], vec![3.0, 6.0, 4.0]] }],
            overhead: vec![vec![None; 3]; 2],
        }
    }

    #[test]
    fn errors_are_factors() {
        let comparison = example();
        let errors = comparison.errors(&comparison.predicted[0]);
        assert_eq!((errors.median_time, errors.bias), (0.0, 2.0_f64.powf(1.0 / 6.0) - 1.0));
        assert!((errors.worst_time - 1.0).abs() < 1e-12);
        // Ratios of y and z: 0, 0, 0 and 1.
        assert!((errors.worst_ratio.unwrap() - 1.0).abs() < 1e-12 && errors.median_ratio.unwrap().abs() < 1e-12);
        // x and y of the first program differ by 5 %, less than is counted. Of the second, z is before x in reality.
        assert_eq!((errors.in_order, errors.ordered), (4, 5));
        assert_eq!(comparison.spreads(), Some((1.0, 2.0)));
    }

    #[test]
    fn means_are_geometric() {
        let comparison = example();
        assert!((comparison.measured_mean(2) - (2.0 * 2.0 / 3.0_f64).sqrt()).abs() < 1e-12);
        assert!((comparison.predicted_mean(&comparison.predicted[0], 2) - (2.0 * 4.0 / 3.0_f64).sqrt()).abs() < 1e-12);
        assert_eq!(comparison.measured_mean(0), 1.0);
    }

    #[test]
    fn one_network_has_no_ratios() {
        let mut comparison = example();
        comparison.networks.truncate(1);
        comparison.measured.iter_mut().for_each(|row| row.truncate(1));
        let errors = comparison.errors(&comparison.predicted[0]);
        assert_eq!((errors.median_ratio, errors.worst_ratio, errors.ordered), (None, None, 0));
    }
}
