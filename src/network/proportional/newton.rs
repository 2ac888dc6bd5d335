//! All prices of a coupled set at a time, by Newton's method.
//!
//! With the rates `x` that prices allow, the excess of the links, load minus capacity, is minus the gradient of the dual. Its
//! second derivative is `A D A'`: `A` holds the consumption of each flow on each link, and `D` the part `x^2 / weight` by
//! which the rate of a flow falls for a small charge (0 at its bound). Newton's step solves `A D A' step = excess` for the
//! links that have a price. The system is symmetric, semi-definite, and sparse, and its solution need not be exact: conjugate
//! gradients with the diagonal as a preconditioner (Hestenes and Stiefel, 1952; Nocedal and Wright, Numerical
//! Optimization, section 7.1) end as soon as the error of the step is as small as that of Newton's method itself.

/// Most rounds of conjugate gradients in a step.
const ROUNDS: usize = 60;

/// Number that no link of the set has.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// Working memory, and the coupled set with its links and flows renumbered.
#[derive(Default, Debug)]
pub(super) struct Newton {
    pub links: Vec<u32>,
    pub flows: Vec<u32>,
    /// Place of each link among `links`, or `OUTSIDE`.
    pub place: Vec<u32>,
    /// Search that found a flow last.
    pub found: Vec<u64>,
    pub search: u64,
    /// Elements of the flows on these links, and where those of each flow begin.
    pub elements: Vec<(u32, f64)>,
    pub first: Vec<usize>,
    pub prices: Vec<f64>,
    /// Prices before the last step.
    pub before: Vec<f64>,
    pub charges: Vec<f64>,
    pub charges_before: Vec<f64>,
    pub excess_before: Vec<f64>,
    pub curvature: Vec<f64>,
    pub excess: Vec<f64>,
    pub step: Vec<f64>,
    pub residual: Vec<f64>,
    pub direction: Vec<f64>,
    pub image: Vec<f64>,
    pub diagonal: Vec<f64>,
}

impl Newton {
    /// Takes links that need no price out of the next step.
    pub fn leave_out_unpriced(&mut self) {
        for (excess, price) in self.excess.iter_mut().zip(&self.prices) {
            if *price == 0.0 {
                *excess = excess.max(0.0);
            }
        }
    }

    /// Returns the part of the step at which the first price becomes 0; infinite if none does.
    pub fn first_zero(&self) -> f64 {
        let zero = |(price, step): (&f64, &f64)| if *step < 0.0 { -price / step } else { f64::INFINITY };
        self.before.iter().zip(&self.step).map(zero).filter(|part| *part > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// Moves prices by a part of the step, but not below 0.
    pub fn advance(&mut self, part: f64) {
        self.prices.clear();
        self.prices.extend(self.before.iter().zip(&self.step).map(|(price, step)| (price + part * step).max(0.0)));
    }

    /// Multiplies `direction` by `A D A'`.
    pub fn multiply(&mut self) {
        self.image.fill(0.0);
        for flow in 0..self.flows.len() {
            let curvature = self.curvature[flow];
            if curvature == 0.0 {
                continue;
            }
            let elements = &self.elements[self.first[flow]..self.first[flow + 1]];
            let sum: f64 = elements.iter().map(|&(link, part)| part * self.direction[link as usize]).sum();
            let sum = sum * curvature;
            for &(link, part) in elements {
                self.image[link as usize] += part * sum;
            }
        }
    }

    /// Computes `step` from `excess`, to a relative accuracy.
    pub fn solve(&mut self, accuracy: f64) {
        let n = self.links.len();
        self.diagonal.clear();
        self.diagonal.resize(n, 0.0);
        for flow in 0..self.flows.len() {
            for &(link, part) in &self.elements[self.first[flow]..self.first[flow + 1]] {
                self.diagonal[link as usize] += part * part * self.curvature[flow];
            }
        }
        // A link whose flows all run at their bounds keeps its price, and so does one that needs none.
        for (at, diagonal) in self.diagonal.iter_mut().enumerate() {
            let moves = *diagonal > 0.0 && (self.prices[at] > 0.0 || self.excess[at] > 0.0);
            *diagonal = if moves { 1.0 / *diagonal } else { 0.0 };
        }
        self.step.clear();
        self.step.resize(n, 0.0);
        self.image.resize(n, 0.0);
        self.residual.clone_from(&self.excess);
        self.direction.clear();
        self.direction.extend(self.residual.iter().zip(&self.diagonal).map(|(r, d)| r * d));
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut energy = product(&self.residual, &self.direction);
        let enough = energy * accuracy * accuracy;
        for _ in 0..ROUNDS {
            if energy <= enough || energy.is_nan() {
                break;
            }
            self.multiply();
            let length = energy / product(&self.direction, &self.image);
            if !length.is_finite() {
                break;
            }
            for at in 0..n {
                self.step[at] += length * self.direction[at];
                self.residual[at] -= length * self.image[at];
            }
            let scaled = |at: usize| self.residual[at] * self.diagonal[at];
            let next: f64 = (0..n).map(|at| self.residual[at] * scaled(at)).sum();
            let turn = next / energy;
            for at in 0..n {
                self.direction[at] = self.residual[at] * self.diagonal[at] + turn * self.direction[at];
            }
            energy = next;
        }
    }
}
