//! One price at a time: that at which its link is full.

/// Flow of the link whose price is sought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub weight: f64,
    pub bound: f64,
    /// What the other links of its path cost.
    pub others: f64,
    pub consumption: f64,
}

/// Steps of the search for a price. Newton's method needs three or four; each step halves the interval at least.
const STEPS: usize = 200;

/// Returns the price at which flows fill a link, or 0 if they cannot. `near` is a price to begin from.
///
/// Where no flow runs at its bound, capacity over load is a concave function of the price, and nearly linear: Newton's
/// method for it converges in a few steps from any side. Bounds bend it, so the root is kept between two prices.
pub(super) fn price(shares: &[Share], capacity: f64, near: f64) -> f64 {
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
