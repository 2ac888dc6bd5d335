//! The maximum concurrent flow, enclosed without a linear program.
//!
//! **Lower value.** A flow that carries all demands at injection 1 and loads no link beyond m times its capacity shows
//! that injection 1/m can be carried.
//!
//! **Upper value.** Let every link l have a price y_l >= 0, and let dist(s,t) be the lowest price of a path. Whatever
//! the routing, a unit of demand pays at least dist(s,t), and all links together take in at most the sum of c_l * y_l.
//! So no injection exceeds sum c_l y_l / sum D(s,t) dist(s,t): weak duality of linear programs, for any prices.
//!
//! Both are valid whatever method finds flows and prices, and the result states the gap between them. Here prices are
//! the derivatives of a smooth maximum of the loads, mu log sum exp(load/mu), as in the methods of D. Bienstock
//! (Potential Function Methods for Approximately Solving Linear Programming Problems, 2002). The flow of each source is
//! a mixture of trees. One source after another moves weight from the most expensive tree of its mixture onto the tree
//! of its cheapest paths, by the amount that minimises the smooth maximum: Frank and Wolfe's method with pairwise
//! steps, block by block (S. Lacoste-Julien and M. Jaggi, On the Global Linear Convergence of Frank-Wolfe Optimization
//! Variants, 2015). When that no longer helps, mu shrinks.

use super::problem::{Concurrent, Problem};
use crate::steps::Steps;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Most rounds over all sources.
const MAX_ROUNDS: usize = 600;
/// Most trees in the mixture of a source; beyond that the two lightest become one.
const MAX_TREES: usize = 24;
/// Consecutive pairwise steps of a source; the first of them searches a new tree.
const STEPS: usize = 6;

/// Arcs by tail.
struct Net<'a> {
    problem: &'a Problem,
    first: Vec<usize>,
    /// Arc, head and link.
    out: Vec<(u32, u32, u32)>,
    into_first: Vec<usize>,
    /// Arcs by head.
    into: Vec<u32>,
}

/// Switch on the heap of a search, the cheapest first, of equals the lowest.
#[derive(PartialEq)]
struct QueuedSwitch(f64, u32);

impl Eq for QueuedSwitch {}

impl PartialOrd for QueuedSwitch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueuedSwitch {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// Working memory of a search.
struct PriceSearch {
    price: Vec<f64>,
    came_by: Vec<u32>,
    order: Vec<u32>,
    done: Vec<bool>,
    heap: BinaryHeap<QueuedSwitch>,
    amount: Vec<f64>,
}

impl PriceSearch {
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

    /// Finds the cheapest paths from a switch.
    fn run(&mut self, net: &Net<'_>, prices: &[f64], from: u32) {
        self.price.fill(f64::INFINITY);
        self.done.fill(false);
        self.came_by.fill(u32::MAX);
        self.order.clear();
        self.heap.clear();
        self.price[from as usize] = 0.0;
        self.heap.push(QueuedSwitch(0.0, from));
        while let Some(QueuedSwitch(price, switch)) = self.heap.pop() {
            if std::mem::replace(&mut self.done[switch as usize], true) {
                continue;
            }
            self.order.push(switch);
            for &(arc, head, link) in &net.out[net.first[switch as usize]..net.first[switch as usize + 1]] {
                let there = price + prices[link as usize];
                if there < self.price[head as usize] {
                    self.price[head as usize] = there;
                    self.came_by[head as usize] = arc;
                    self.heap.push(QueuedSwitch(there, head));
                }
            }
        }
    }

    /// Returns the total price of the demands of a source.
    fn paid(&self, row: &[(u32, f64)]) -> f64 {
        row.iter().map(|&(to, demand)| demand * self.price[to as usize]).sum()
    }

    /// Calls `visit` with the arcs of the tree and the traffic on each.
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

impl PriceSearch {
    /// Calls `visit` with the arcs and the traffic on each, split evenly over all cheapest paths, for prices of 1 on all
    /// arcs.
    fn split(&mut self, net: &Net<'_>, row: &[(u32, f64)], mut visit: impl FnMut(u32, f64)) {
        let near = |price: &[f64], arc: &u32| {
            let (tail, head) = net.problem.arcs[*arc as usize];
            price[tail as usize] + 0.5 < price[head as usize]
        };
        self.amount.fill(0.0);
        row.iter().for_each(|&(to, demand)| self.amount[to as usize] += demand);
        // In this direction the traffic is split evenly at every switch, destination by destination.
        for &switch in self.order.iter().rev() {
            let amount = self.amount[switch as usize];
            let into = || net.into[net.into_first[switch as usize]..net.into_first[switch as usize + 1]].iter();
            let count = into().filter(|arc| near(&self.price, arc)).count();
            if amount > 0.0 && count > 0 {
                let part = amount / count as f64;
                for &arc in into().filter(|arc| near(&self.price, arc)) {
                    visit(arc, part);
                    self.amount[net.problem.arcs[arc as usize].0 as usize] += part;
                }
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
        let mut into: Vec<u32> = (0..problem.arcs.len() as u32).collect();
        into.sort_by_key(|&arc| problem.arcs[arc as usize].1);
        let mut into_first = vec![0; problem.switches + 1];
        problem.arcs.iter().for_each(|&(_, head)| into_first[head as usize + 1] += 1);
        for switch in 0..problem.switches {
            into_first[switch + 1] += into_first[switch];
        }
        Self { problem, first, out, into_first, into }
    }

    /// Returns the total price of all demands at these prices, whose sum is 1: no injection exceeds its inverse.
    fn paid(&self, prices: &[f64]) -> f64 {
        let each: Vec<f64> = self
            .problem
            .rows
            .par_iter()
            .map_init(
                || PriceSearch::new(self.problem.switches),
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

/// Computes the derivatives of the smooth maximum: positive, with sum 1.
fn derivatives(loads: &[f64], mu: f64, prices: &mut [f64]) {
    let most = largest(loads);
    let mut sum = 0.0;
    for (price, load) in prices.iter_mut().zip(loads) {
        *price = ((load - most) / mu).exp();
        sum += *price;
    }
    prices.iter_mut().for_each(|price| *price /= sum);
}

/// Returns the part between 0 and 1 of `step` (links and changes) that minimises the smooth maximum: bisection for the
/// zero of its slope, which grows. It stays below the zero, so the smooth maximum never grows.
fn best_part(loads: &[f64], step: &[(u32, f64)], mu: f64) -> f64 {
    // Links that the step does not change only scale the slope, so they are left out.
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
    // The slope may change by many powers of ten, hence plain halving; the part may be small, hence down to a
    // millionth.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

/// Part of a source's flow: all its demands along one tree, or a mixture of several.
struct FlowTree {
    weight: f64,
    /// Links and the traffic on each if this is the whole flow, by link.
    carries: Vec<(u32, f64)>,
}

impl FlowTree {
    fn new(weight: f64, mut carries: Vec<(u32, f64)>) -> Self {
        carries.sort_unstable_by_key(|entry| entry.0);
        carries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { weight, carries }
    }

    fn cost(&self, prices: &[f64]) -> f64 {
        self.carries.iter().map(|&(link, amount)| amount * prices[link as usize]).sum()
    }
}

/// Flow of a source.
#[derive(Default)]
struct Mixture(Vec<FlowTree>);

impl Mixture {
    /// Adds a tree without weight, unless it is there already, and returns its position.
    fn add(&mut self, tree: FlowTree) -> usize {
        if let Some(found) = self.0.iter().position(|other| other.carries == tree.carries) {
            return found;
        }
        if self.0.len() == MAX_TREES {
            self.merge();
        }
        self.0.push(tree);
        self.0.len() - 1
    }

    /// Merges the two lightest trees.
    fn merge(&mut self) {
        let mut lightest = || {
            let at = (0..self.0.len()).min_by(|&a, &b| self.0[a].weight.total_cmp(&self.0[b].weight));
            self.0.remove(at.expect("there are trees"))
        };
        let (one, other) = (lightest(), lightest());
        let weight = one.weight + other.weight;
        let part = |tree: &FlowTree| if weight > 0.0 { tree.weight / weight } else { 0.5 };
        let scaled = |tree: &FlowTree| {
            let part = part(tree);
            tree.carries.iter().map(|&(link, amount)| (link, part * amount)).collect::<Vec<_>>()
        };
        self.0.push(FlowTree::new(weight, [scaled(&one), scaled(&other)].concat()));
    }

    /// Returns the trees with weight that have the highest and the lowest price.
    fn extremes(&self, prices: &[f64]) -> (usize, usize) {
        let (mut dearest, mut cheapest) = ((f64::NEG_INFINITY, 0), (f64::INFINITY, 0));
        for (at, tree) in self.0.iter().enumerate() {
            let cost = tree.cost(prices);
            if tree.weight > 0.0 && cost > dearest.0 {
                dearest = (cost, at);
            }
            if cost < cheapest.0 {
                cheapest = (cost, at);
            }
        }
        (dearest.1, cheapest.1)
    }
}

/// Computes the change on each link if one tree replaces another.
fn difference(from: &FlowTree, to: &FlowTree, change: &mut Vec<(u32, f64)>) {
    change.clear();
    let (mut a, mut b) = (from.carries.iter().peekable(), to.carries.iter().peekable());
    loop {
        let entry = match (a.peek(), b.peek()) {
            (None, None) => return,
            (Some(&&(link, amount)), other) if other.is_none_or(|other| link < other.0) => {
                a.next();
                (link, -amount)
            }
            (one, Some(&&(link, amount))) if one.is_none_or(|one| link < one.0) => {
                b.next();
                (link, amount)
            }
            (Some(&&(link, less)), Some(&&(_, more))) => {
                a.next();
                b.next();
                (link, more - less)
            }
            _ => unreachable!("one of the two is first"),
        };
        if entry.1 != 0.0 {
            change.push(entry);
        }
    }
}

/// Encloses the value until the two are within `gap` of each other, relative to the lower one, or the rounds are used
/// up. A step is a round; unneeded ones are counted as done at the end.
pub fn enclose(problem: &Problem, gap: f64, steps: &Steps) -> Concurrent {
    steps.expect(MAX_ROUNDS as u64);
    let net = Net::new(problem);
    let mut search = PriceSearch::new(problem.switches);
    let mut flows: Vec<Mixture> = Vec::with_capacity(problem.rows.len());
    let mut prices = vec![1.0; problem.links];
    // Initially, everything is split evenly over the paths of fewest hops, which is optimal in symmetric networks.
    for (from, row) in &problem.rows {
        search.run(&net, &prices, *from);
        let mut carries = Vec::new();
        search.split(&net, row, |arc, amount| carries.push((problem.link[arc as usize], amount)));
        flows.push(Mixture(vec![FlowTree::new(1.0, carries)]));
    }
    let mut loads = vec![0.0; problem.links];
    let sum = |flows: &[Mixture], loads: &mut [f64]| {
        loads.fill(0.0);
        for tree in flows.iter().flat_map(|flow| &flow.0) {
            tree.carries.iter().for_each(|&(link, amount)| loads[link as usize] += tree.weight * amount);
        }
    };
    sum(&flows, &mut loads);
    let mut upper = problem.links as f64 / net.paid(&prices);
    let mut lower = 1.0 / largest(&loads);
    let logarithm = (problem.links as f64).ln().max(1.0);
    let mut mu = 0.5 * largest(&loads) / logarithm;
    let mut mean: Vec<f64> = vec![1.0 / problem.links as f64; problem.links];
    let mut change: Vec<(u32, f64)> = Vec::new();
    for round in 0..MAX_ROUNDS {
        if upper <= lower * (1.0 + gap) {
            steps.did((MAX_ROUNDS - round) as u64);
            break;
        }
        steps.did(1);
        for (flow, (from, row)) in flows.iter_mut().zip(&problem.rows) {
            for step in 0..STEPS {
                derivatives(&loads, mu, &mut prices);
                if step == 0 {
                    search.run(&net, &prices, *from);
                    let mut carries = Vec::new();
                    search.carried(&net, row, |arc, amount| carries.push((problem.link[arc as usize], amount)));
                    flow.add(FlowTree::new(0.0, carries));
                }
                let (dearest, cheapest) = flow.extremes(&prices);
                if dearest == cheapest {
                    break;
                }
                difference(&flow.0[dearest], &flow.0[cheapest], &mut change);
                let weight = flow.0[dearest].weight;
                change.iter_mut().for_each(|entry| entry.1 *= weight);
                let part = best_part(&loads, &change, mu);
                if part <= 0.0 {
                    break;
                }
                change.iter().for_each(|&(link, by)| loads[link as usize] += part * by);
                flow.0[cheapest].weight += part * weight;
                flow.0[dearest].weight = if part < 1.0 { (1.0 - part) * weight } else { 0.0 };
            }
            flow.0.retain(|tree| tree.weight > 0.0);
        }
        // Summed afresh, lest rounding errors accumulate.
        sum(&flows, &mut loads);
        lower = f64::max(lower, 1.0 / largest(&loads));
        derivatives(&loads, mu, &mut prices);
        let paid = net.paid(&prices);
        // Prices oscillate between rounds; their mean is steadier.
        mean.iter_mut().zip(&prices).for_each(|(mean, price)| *mean = 0.9 * *mean + 0.1 * price);
        upper = upper.min(1.0 / paid).min(mean.iter().sum::<f64>() / net.paid(&mean));
        // Gain that cheaper paths still promise at these prices. When that is less than the error of the smoothing, the
        // smoothing is the obstacle; but it need not be smaller than a part of the allowed gap.
        let gain = loads.iter().zip(&prices).map(|(load, price)| load * price).sum::<f64>() - paid;
        if gain < 0.3 * mu * logarithm {
            mu = f64::max(0.7 * mu, 0.15 * gap * largest(&loads) / logarithm);
        }
    }
    Concurrent { lower, upper, method: "flow and prices" }
}
