//! The maximum concurrent flow, enclosed without a linear program.
//!
//! **Lower value.** Any flow that carries all demands at injection 1 and loads no link beyond m times its capacity shows that
//! injection 1/m can be carried.
//!
//! **Upper value.** Let every link l have a price y_l >= 0, and let dist(s,t) be the cheapest price of a way. Whatever the routing,
//! a unit of demand pays at least dist(s,t), and all links together take in at most the sum of c_l * y_l. So no
//! injection exceeds sum c_l y_l / sum D(s,t) dist(s,t): weak duality of linear programs, for any prices.
//!
//! Both are right whatever the method that finds flows and prices, and the result says how far apart they are. The method is the
//! one of L. Fleischer (Approximating Fractional Multicommodity Flow Independent of the Number of Commodities, 2000) and D. Bienstock
//! (Potential Function Methods for Approximately Solving Linear Programming Problems, 2002), in the form of a
//! block-coordinate Frank-Wolfe method: prices are the derivatives of a smooth maximum of the loads, log sum exp(load/mu); one source
//! after another moves a part of its flow onto the tree of its cheapest ways, the part that makes the smooth maximum least; mu
//! shrinks when that no longer helps.

use super::{Concurrent, Problem};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Most rounds over all sources.
const MAX_ROUNDS: usize = 600;
/// Memory for the flows of all sources, in entries.
const MAX_ENTRIES: usize = 1 << 28;

/// Arcs by tail.
struct Net<'a> {
    problem: &'a Problem,
    first: Vec<usize>,
    /// Arc, head and link.
    out: Vec<(u32, u32, u32)>,
}

/// A switch on the heap of a search, the cheapest first, of equals the lowest.
#[derive(PartialEq)]
struct At(f64, u32);

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// Working memory of a search.
struct Search {
    price: Vec<f64>,
    came_by: Vec<u32>,
    order: Vec<u32>,
    done: Vec<bool>,
    heap: BinaryHeap<At>,
    amount: Vec<f64>,
}

impl Search {
    fn new(switches: usize) -> Self {
        Self {
            price: vec![0.0; switches],
            came_by: vec![u32::MAX; switches],
            order: Vec::with_capacity(switches),
            done: vec![false; switches],
            heap: BinaryHeap::new(),
            amount: vec![0.0; switches],
        }
    }

    /// Cheapest ways from a switch.
    fn run(&mut self, net: &Net<'_>, prices: &[f64], from: u32) {
        self.price.fill(f64::INFINITY);
        self.done.fill(false);
        self.came_by.fill(u32::MAX);
        self.order.clear();
        self.heap.clear();
        self.price[from as usize] = 0.0;
        self.heap.push(At(0.0, from));
        while let Some(At(price, switch)) = self.heap.pop() {
            if std::mem::replace(&mut self.done[switch as usize], true) {
                continue;
            }
            self.order.push(switch);
            for &(arc, head, link) in &net.out[net.first[switch as usize]..net.first[switch as usize + 1]] {
                let there = price + prices[link as usize];
                if there < self.price[head as usize] {
                    self.price[head as usize] = there;
                    self.came_by[head as usize] = arc;
                    self.heap.push(At(there, head));
                }
            }
        }
    }

    /// What the demands of a source pay.
    fn paid(&self, row: &[(u32, f64)]) -> f64 {
        row.iter().map(|&(to, demand)| demand * self.price[to as usize]).sum()
    }

    /// Calls `visit` with the arcs of the tree and what they carry.
    fn carried(&mut self, net: &Net<'_>, row: &[(u32, f64)], mut visit: impl FnMut(u32, f64)) {
        self.amount.fill(0.0);
        row.iter().for_each(|&(to, demand)| self.amount[to as usize] += demand);
        for &switch in self.order.iter().rev() {
            let (amount, arc) = (self.amount[switch as usize], self.came_by[switch as usize]);
            if amount > 0.0 && arc != u32::MAX {
                visit(arc, amount);
                self.amount[net.problem.arcs[arc as usize].0 as usize] += amount;
            }
        }
    }
}

impl<'a> Net<'a> {
    fn new(problem: &'a Problem) -> Self {
        let mut first = vec![0; problem.switches + 1];
        problem.arcs.iter().for_each(|&(tail, _)| first[tail as usize + 1] += 1);
        for switch in 0..problem.switches {
            first[switch + 1] += first[switch];
        }
        let mut next = first.clone();
        let mut out = vec![(0, 0, 0); problem.arcs.len()];
        for (arc, (&(tail, head), &link)) in (0..).zip(problem.arcs.iter().zip(&problem.link)) {
            out[next[tail as usize]] = (arc, head, link);
            next[tail as usize] += 1;
        }
        Self { problem, first, out }
    }

    /// What all demands pay at these prices, of which the sum is 1: no injection exceeds its inverse.
    fn paid(&self, prices: &[f64]) -> f64 {
        let each: Vec<f64> = self
            .problem
            .rows
            .par_iter()
            .map_init(
                || Search::new(self.problem.switches),
                |search, (from, row)| {
                    search.run(self, prices, *from);
                    search.paid(row)
                },
            )
            .collect();
        each.iter().sum()
    }
}

fn largest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}

/// Derivatives of the smooth maximum: positive, with sum 1.
fn derivatives(loads: &[f64], mu: f64, prices: &mut [f64]) {
    let most = largest(loads);
    let mut sum = 0.0;
    for (price, load) in prices.iter_mut().zip(loads) {
        *price = ((load - most) / mu).exp();
        sum += *price;
    }
    prices.iter_mut().for_each(|price| *price /= sum);
}

/// The part between 0 and 1 by which to go along `step` (links and changes) so that the smooth maximum becomes least: bisection for
/// the zero of its slope, which grows.
fn best_part(loads: &[f64], step: &[(u32, f64)], mu: f64) -> f64 {
    // Links that the step leaves alone only scale the slope, so they are left out.
    let slope = |part: f64| {
        let at = |&(link, change): &(u32, f64)| loads[link as usize] + part * change;
        let most = step.iter().map(at).fold(f64::NEG_INFINITY, f64::max);
        step.iter().map(|entry| ((at(entry) - most) / mu).exp() * entry.1).sum::<f64>()
    };
    if slope(0.0) >= 0.0 {
        return 0.0;
    }
    if slope(1.0) <= 0.0 {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Encloses the value until the two are within `gap` of each other, relative to the lower one, or the rounds are used up.
pub fn enclose(problem: &Problem, gap: f64) -> Concurrent {
    const METHOD: &str = "flow and prices";
    let net = Net::new(problem);
    let (arcs, sources) = (problem.arcs.len(), problem.rows.len());
    if sources.saturating_mul(arcs) > MAX_ENTRIES {
        return Concurrent { lower: 0.0, upper: f64::INFINITY, method: METHOD };
    }
    let mut search = Search::new(problem.switches);
    // To begin with, everybody takes a way of the fewest hops.
    let mut flows: Vec<Vec<f64>> = vec![vec![0.0; arcs]; sources];
    let mut loads = vec![0.0; problem.links];
    let mut prices = vec![1.0; problem.links];
    for (flow, (from, row)) in flows.iter_mut().zip(&problem.rows) {
        search.run(&net, &prices, *from);
        search.carried(&net, row, |arc, amount| {
            flow[arc as usize] += amount;
            loads[problem.link[arc as usize] as usize] += amount;
        });
    }
    let mut upper = problem.links as f64 / net.paid(&prices);
    let mut lower = 1.0 / largest(&loads);
    let logarithm = (problem.links as f64).ln().max(1.0);
    let mut mu = largest(&loads) / logarithm;
    let mut change = vec![0.0; problem.links];
    let mut touched: Vec<u32> = Vec::new();
    let mut step: Vec<(u32, f64)> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        if upper <= lower * (1.0 + gap) {
            break;
        }
        let before =
            largest(&loads) + mu * loads.iter().map(|load| ((load - largest(&loads)) / mu).exp()).sum::<f64>().ln();
        for (flow, (from, row)) in flows.iter_mut().zip(&problem.rows) {
            derivatives(&loads, mu, &mut prices);
            search.run(&net, &prices, *from);
            // The step leads from the flow as it is to the tree.
            touched.clear();
            let touch = |link: u32, by: f64, change: &mut Vec<f64>, touched: &mut Vec<u32>| {
                if change[link as usize] == 0.0 {
                    touched.push(link);
                }
                change[link as usize] += by;
            };
            for (arc, &amount) in flow.iter().enumerate() {
                if amount > 0.0 {
                    touch(problem.link[arc], -amount, &mut change, &mut touched);
                }
            }
            search
                .carried(&net, row, |arc, amount| touch(problem.link[arc as usize], amount, &mut change, &mut touched));
            step.clear();
            // A link whose changes cancelled may be in the list twice; its change is taken, and set to nothing, once.
            for &link in &touched {
                let by = std::mem::take(&mut change[link as usize]);
                if by != 0.0 {
                    step.push((link, by));
                }
            }
            let part = best_part(&loads, &step, mu);
            if part > 0.0 {
                flow.iter_mut().for_each(|amount| *amount *= 1.0 - part);
                search.carried(&net, row, |arc, amount| flow[arc as usize] += part * amount);
                step.iter().for_each(|&(link, by)| loads[link as usize] += part * by);
            }
        }
        // Afresh, lest rounding errors add up.
        loads.fill(0.0);
        for flow in &flows {
            flow.iter().zip(&problem.link).for_each(|(amount, &link)| loads[link as usize] += amount);
        }
        lower = f64::max(lower, 1.0 / largest(&loads));
        derivatives(&loads, mu, &mut prices);
        upper = f64::min(upper, 1.0 / net.paid(&prices));
        let most = largest(&loads);
        let after = most + mu * loads.iter().map(|load| ((load - most) / mu).exp()).sum::<f64>().ln();
        // When a round gains less than a part of what the smoothing costs, the smoothing is what is in the way.
        if before - after < 0.02 * mu * logarithm {
            mu *= 0.6;
        }
    }
    Concurrent { lower, upper, method: METHOD }
}
