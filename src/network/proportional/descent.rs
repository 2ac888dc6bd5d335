//! Descent of the dual: the price of one link after the other, then all prices together.

use super::newton::{Newton, OUTSIDE};
use super::price::{Share, price};
use super::{MOVES, PATIENCE, PricedFlow, Proportional, TOLERANCE};
use crate::network::sharing::Member;

/// Most steps at a time. With fewer, links that had no price are looked at in between.
const STEPS: usize = 6;

/// Most attempts to find a part of a step that is progress.
const HALVINGS: usize = 20;

/// Largest excess from which a smaller one is progress: rounding hides differences of the dual there.
const POLISHED: f64 = 1e-6;

/// Returns `growth - ln(1 + growth)`.
fn curved(growth: f64) -> f64 {
    if growth.abs() < 1e-4 {
        growth * growth * (0.5 - growth / 3.0 + 0.25 * growth * growth)
    } else {
        growth - growth.ln_1p()
    }
}

impl Proportional {
    /// Finds prices that are right for all links, after flows came and went.
    pub(super) fn find_prices(&mut self) {
        self.visited.clear();
        self.tolerance = TOLERANCE;
        let (mut visits, mut moves) = (0, 0);
        while let Some(number) = self.waiting.pop_front() {
            let load = self.exact_load(number);
            let link = &mut self.links[number as usize];
            link.waits = false;
            link.load = load;
            if link.is_right(self.tolerance) {
                continue;
            }
            if std::mem::replace(&mut link.visited, self.solution) != self.solution {
                self.visited.push(number);
            }
            self.adjust(number);
            visits += 1;
            if visits > self.visited.len() + PATIENCE {
                self.move_together();
                visits = 0;
                moves += 1;
                if moves % MOVES == 0 {
                    self.tolerance *= 10.0;
                }
            }
        }
        self.tolerance = TOLERANCE;
    }

    /// Sets the price of a link to that at which it is full, with the present prices of the others.
    fn adjust(&mut self, number: u32) {
        let link = &mut self.links[number as usize];
        let old = link.price;
        let mut shares = std::mem::take(&mut self.shares);
        shares.clear();
        shares.extend(link.members.iter().map(|&Member { flow, consumption }| {
            let flow = &self.flows[flow as usize];
            let others = (flow.charge - consumption * old).max(0.0);
            Share { weight: flow.weight, bound: flow.bound, others, consumption }
        }));
        link.price = price(&shares, link.capacity, old);
        let new = link.price;
        // Between the first of its flows and the last, it is not right.
        link.waits = true;
        for (at, share) in shares.iter().enumerate() {
            let flow = self.links[number as usize].members[at].flow;
            self.change_rate(flow, share.others + share.consumption * new);
        }
        self.links[number as usize].waits = false;
        self.links[number as usize].load = self.exact_load(number);
        self.shares = shares;
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
            let PricedFlow { weight, bound, .. } = self.flows[flow as usize];
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
