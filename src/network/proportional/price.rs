//! One price at a time: that at which its link is full.

use super::{MOVES, Member, PATIENCE, Proportional, TOLERANCE};

/// Flow of the link whose price is sought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    weight: f64,
    bound: f64,
    /// What the other links of its path cost.
    others: f64,
    consumption: f64,
}

/// Steps of the search for a price. Newton's method needs three or four; each step halves the interval at least.
const STEPS: usize = 200;

/// Returns the price at which flows fill a link, or 0 if they cannot. `near` is a price to begin from.
///
/// Where no flow runs at its bound, capacity over load is a concave function of the price, and nearly linear: Newton's
/// method for it converges in a few steps from any side. Bounds bend it, so the root is kept between two prices.
fn price(shares: &[Share], capacity: f64, near: f64) -> f64 {
    let load = |price: f64| {
        let (mut load, mut slope) = (0.0, 0.0);
        for share in shares {
            let charge = share.others + share.consumption * price;
            let rate = share.weight / charge;
            if rate < share.bound {
                load += share.consumption * rate;
                slope += share.consumption * share.consumption * rate / charge;
            } else {
                load += share.consumption * share.bound;
            }
        }
        (load, slope)
    };
    if load(0.0).0 <= capacity {
        return 0.0;
    }
    // With this price the load is at most the capacity, even if the rest of the paths costs nothing.
    let (mut low, mut high) = (0.0, shares.iter().map(|share| share.weight).sum::<f64>() / capacity);
    let mut price = if near > low && near < high { near } else { high };
    for _ in 0..STEPS {
        let (load, slope) = load(price);
        let excess = load - capacity;
        if excess.abs() <= 1e-15 * capacity {
            break;
        }
        if excess > 0.0 {
            low = price
        } else {
            high = price
        }
        let step = price + load * (load / capacity - 1.0) / slope;
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if (next - price).abs() <= f64::EPSILON * price {
            break;
        }
        price = next;
    }
    price
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
