//! All prices of a coupled set at a time, by Newton's method.
//!
//! With the rates `x` that prices allow, the excess of the links, load minus capacity, is minus the gradient of the dual. Its
//! second derivative is `A D A'`: `A` holds the consumption of each flow on each link, and `D` the part `x^2 / weight` by
//! which the rate of a flow falls for a small charge (0 at its bound). Newton's step solves `A D A' step = excess` for the
//! links that have a price. The system is symmetric, semi-definite, and sparse, and its solution need not be exact: conjugate
//! gradients with the diagonal as a preconditioner (Hestenes and Stiefel, 1952; Nocedal and Wright, Numerical
//! Optimization, section 7.1) end as soon as the error of the step is as small as that of Newton's method itself.

use super::{Flow, Proportional};

/// Most steps at a time. With fewer, links that had no price are looked at in between.
const STEPS: usize = 6;

/// Most attempts to find a part of a step that is progress.
const HALVINGS: usize = 20;

/// Largest excess from which a smaller one is progress: rounding hides differences of the dual there.
const POLISHED: f64 = 1e-6;

/// Most rounds of conjugate gradients in a step.
const ROUNDS: usize = 60;

/// Number that no link of the set has.
const OUTSIDE: u32 = u32::MAX;

/// Working memory, and the coupled set with its links and flows renumbered.
#[derive(Default, Debug)]
pub(super) struct Newton {
    links: Vec<u32>,
    flows: Vec<u32>,
    /// Place of each link among `links`, or `OUTSIDE`.
    place: Vec<u32>,
    /// Search that found a flow last.
    found: Vec<u64>,
    search: u64,
    /// Elements of the flows on these links, and where those of each flow begin.
    elements: Vec<(u32, f64)>,
    first: Vec<usize>,
    prices: Vec<f64>,
    /// Prices before the last step.
    before: Vec<f64>,
    charges: Vec<f64>,
    charges_before: Vec<f64>,
    excess_before: Vec<f64>,
    curvature: Vec<f64>,
    excess: Vec<f64>,
    step: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Newton {
    /// Takes links that need no price out of the next step.
    fn leave_out_unpriced(&mut self) {
        for (excess, price) in self.excess.iter_mut().zip(&self.prices) {
            if *price == 0.0 {
                *excess = excess.max(0.0);
            }
        }
    }

    /// Returns the part of the step at which the first price becomes 0; infinite if none does.
    fn first_zero(&self) -> f64 {
        let zero = |(price, step): (&f64, &f64)| if *step < 0.0 { -price / step } else { f64::INFINITY };
        self.before.iter().zip(&self.step).map(zero).filter(|part| *part > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// Moves prices by a part of the step, but not below 0.
    fn advance(&mut self, part: f64) {
        self.prices.clear();
        self.prices.extend(self.before.iter().zip(&self.step).map(|(price, step)| (price + part * step).max(0.0)));
    }

    /// Multiplies `direction` by `A D A'`.
    fn multiply(&mut self) {
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
    fn solve(&mut self, accuracy: f64) {
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

/// Returns `growth - ln(1 + growth)`.
fn curved(growth: f64) -> f64 {
    if growth.abs() < 1e-4 {
        growth * growth * (0.5 - growth / 3.0 + 0.25 * growth * growth)
    } else {
        growth - growth.ln_1p()
    }
}

impl Proportional {
    /// Moves the prices of all links that are coupled with those that this solution has visited.
    pub(super) fn move_together(&mut self) {
        let mut newton = std::mem::take(&mut self.newton);
        self.find_coupled(&mut newton);
        let mut wrong = self.excess(&mut newton);
        for _ in 0..STEPS {
            if wrong <= self.tolerance {
                break;
            }
            newton.leave_out_unpriced();
            newton.solve(wrong.clamp(1e-6, 0.1));
            match self.descend(&mut newton, wrong) {
                Some(now) => wrong = now,
                None => break,
            }
        }
        for (at, &number) in newton.links.iter().enumerate() {
            self.links[number as usize].price = newton.prices[at];
        }
        for at in 0..newton.flows.len() {
            let flow = newton.flows[at];
            let path = self.path(self.flows[flow as usize].path);
            let charge = self.elements[path].iter().map(|e| e.consumption * self.links[e.link as usize].price).sum();
            self.change_rate(flow, charge);
        }
        for &number in &newton.links {
            newton.place[number as usize] = OUTSIDE;
            self.look_at(number);
        }
        self.newton = newton;
    }

    /// Goes along the step as far as the dual falls, which rules out cycles. Returns the largest excess there; without
    /// progress, which only rounding prevents, prices stay and it is `None`.
    fn descend(&self, newton: &mut Newton, wrong: f64) -> Option<f64> {
        newton.before.clone_from(&newton.prices);
        newton.charges_before.clone_from(&newton.charges);
        newton.excess_before.clone_from(&newton.excess);
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            newton.advance(part);
            let now = self.excess(newton);
            if self.fall(newton) > 0.0 || (now < wrong && wrong < POLISHED) {
                return Some(now);
            }
            let zero = newton.first_zero();
            part = if part == 1.0 && zero < 0.5 { zero } else { 0.5 * part };
        }
        newton.prices.clone_from(&newton.before);
        None
    }

    /// Returns by how much the dual has fallen since the prices before the last step.
    ///
    /// The dual is the sum of capacity times price over links, less `weight * ln(charge)` over flows. Its differences are
    /// formed flow by flow, with the part of first order apart, so that they are right near the solution.
    fn fall(&self, newton: &Newton) -> f64 {
        let prices = newton.prices.iter().zip(&newton.before).zip(&newton.excess_before);
        let first_order: f64 = prices.map(|((now, before), excess)| excess * (now - before)).sum();
        let mut second_order = 0.0;
        for (at, &flow) in newton.flows.iter().enumerate() {
            let Flow { weight, bound, .. } = self.flows[flow as usize];
            let (before, now) = (newton.charges_before[at], newton.charges[at]);
            let bend = weight / bound;
            second_order += match (before > bend, now > bend) {
                (true, true) => weight * curved((now - before) / before),
                (false, false) => 0.0,
                // Straight up to the bend, and curved beyond it.
                (false, true) => weight * curved((now - bend) / bend),
                (true, false) => weight * curved((bend - before) / before) + (weight / before - bound) * (now - bend),
            };
        }
        first_order - second_order
    }

    /// Finds the links that have a price and share flows with each other, from those that this solution has visited.
    fn find_coupled(&mut self, newton: &mut Newton) {
        newton.place.resize(self.links.len(), OUTSIDE);
        newton.found.resize(self.flows.len(), 0);
        newton.search += 1;
        newton.links.clear();
        newton.flows.clear();
        newton.prices.clear();
        for &number in &self.visited {
            if self.links[number as usize].price > 0.0 {
                newton.place[number as usize] = newton.links.len() as u32;
                newton.links.push(number);
            }
        }
        let mut next = 0;
        while let Some(&number) = newton.links.get(next) {
            next += 1;
            newton.prices.push(self.links[number as usize].price);
            for member in &self.links[number as usize].members {
                if std::mem::replace(&mut newton.found[member.flow as usize], newton.search) == newton.search {
                    continue;
                }
                newton.flows.push(member.flow);
                for element in &self.elements[self.path(self.flows[member.flow as usize].path)] {
                    let place = &mut newton.place[element.link as usize];
                    if *place == OUTSIDE && self.links[element.link as usize].price > 0.0 {
                        *place = newton.links.len() as u32;
                        newton.links.push(element.link);
                    }
                }
            }
        }
        newton.elements.clear();
        newton.first.clear();
        newton.first.push(0);
        for &flow in &newton.flows {
            for element in &self.elements[self.path(self.flows[flow as usize].path)] {
                let place = newton.place[element.link as usize];
                if place != OUTSIDE {
                    newton.elements.push((place, element.consumption));
                }
            }
            newton.first.push(newton.elements.len());
        }
    }

    /// Computes excesses and curvatures with the prices of the set; returns the largest excess as a part of its capacity.
    fn excess(&self, newton: &mut Newton) -> f64 {
        newton.excess.clear();
        newton.excess.extend(newton.links.iter().map(|&link| -self.links[link as usize].capacity));
        newton.curvature.clear();
        newton.charges.clear();
        for (at, &flow) in newton.flows.iter().enumerate() {
            let elements = &newton.elements[newton.first[at]..newton.first[at + 1]];
            let charge = elements.iter().map(|&(link, part)| part * newton.prices[link as usize]).sum();
            newton.charges.push(charge);
            let flow = &self.flows[flow as usize];
            let rate = flow.rate(charge);
            newton.curvature.push(if rate < flow.bound { rate * rate / flow.weight } else { 0.0 });
            for &(link, part) in elements {
                newton.excess[link as usize] += part * rate;
            }
        }
        let wrong = |at: usize| {
            let (excess, capacity) = (newton.excess[at], self.links[newton.links[at] as usize].capacity);
            if newton.prices[at] > 0.0 { (excess / capacity).abs() } else { excess / capacity }
        };
        (0..newton.links.len()).map(wrong).fold(0.0, f64::max)
    }
}
