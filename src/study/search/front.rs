//! Pareto front of speed, price and power.
//!
//! A network dominates another one if it is at least as fast, costs no more and draws no more power, and is better in one of
//! the three. The front consists of those that no other network dominates. For any prices of energy and years, the network
//! with the most speed for its total cost is on it, since that cost grows with both price and power.

/// Merits of a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merits {
    /// Relative speed.
    pub speed: f64,
    /// Purchase price.
    pub price: f64,
    /// Power in watts.
    pub watts: f64,
}

impl Merits {
    /// Returns `true` if this network dominates the other one.
    pub fn dominates(&self, other: &Self) -> bool {
        let no_worse = self.speed >= other.speed && self.price <= other.price && self.watts <= other.watts;
        no_worse && self != other
    }
}

/// Returns the layer of each network: 0 for the front, 1 for the front of the others, and so on.
pub fn layers(all: &[Merits]) -> Vec<usize> {
    let mut layers = vec![usize::MAX; all.len()];
    let mut rest: Vec<usize> = (0..all.len()).collect();
    for layer in 0.. {
        if rest.is_empty() {
            break;
        }
        let is_dominated = |one: &usize| rest.iter().any(|other| all[*other].dominates(&all[*one]));
        let (behind, front): (Vec<usize>, Vec<usize>) = rest.iter().partition(|one| is_dominated(one));
        front.iter().for_each(|&one| layers[one] = layer);
        rest = behind;
    }
    layers
}

/// Returns numbers below `count` so that the first ones are spread: the ends, the middle, the middles of both halves.
pub fn spread(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = [0, count.saturating_sub(1)].into_iter().take(count).collect();
    let mut parts = count.max(1).next_power_of_two();
    let mut seen: Vec<bool> = (0..count).map(|at| order.contains(&at)).collect();
    while parts > 1 {
        parts /= 2;
        for at in (parts..count).step_by((2 * parts).max(1)) {
            if !std::mem::replace(&mut seen[at], true) {
                order.push(at);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merits(all: &[(f64, f64, f64)]) -> Vec<Merits> {
        all.iter().map(|&(speed, price, watts)| Merits { speed, price, watts }).collect()
    }

    #[test]
    fn layers_by_hand() {
        // The second is slower at the price of the first; the third is cheaper, the fourth saves power; the fifth is worse
        // than the second in all. Equal networks dominate neither each other.
        let all = merits(&[
            (2.0, 9.0, 5.0),
            (1.5, 9.0, 5.0),
            (1.0, 4.0, 5.0),
            (1.0, 9.0, 1.0),
            (1.4, 10.0, 6.0),
            (2.0, 9.0, 5.0),
        ]);
        assert_eq!(layers(&all), [0, 1, 0, 0, 2, 0]);
        assert!(layers(&[]).is_empty());
    }

    #[test]
    fn a_spread_has_every_number_once() {
        assert_eq!(spread(5), [0, 4, 2, 1, 3]);
        for count in 0..40 {
            let mut order = spread(count);
            order.sort_unstable();
            assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
    }
}
