//! Closed forms: how large, how short and how wide a network can be.

/// The Moore bound: the largest number of switches within `k` hops at degree `d`; `u128::MAX` if it does not fit.
///
/// Undirected `1 + d * sum (d-1)^i, i = 0..k-1`; directed `sum d^i, i = 0..k` (one less than the paper on uni-directional
/// networks prints, which counts the root twice).
pub fn moore(d: u64, k: u64, directed: bool) -> u128 {
    let (mut total, mut level) = (1_u128, 1_u128);
    for hop in 0..k {
        let wider = if directed || hop == 0 { d } else { d.saturating_sub(1) };
        level = level.saturating_mul(u128::from(wider));
        total = total.saturating_add(level);
        // A path or nothing: no more than a level of two adds up.
        if level == 0 || total == u128::MAX {
            break;
        }
    }
    total
}

/// The sum of distances from one switch in a network that fills every level: `sum t * min(rest, d(d-1)^(t-1))`, directed
/// `d^t`, over all `n - 1` other switches.
pub fn distance_sum_lower_bound(n: u64, d: u64, directed: bool) -> u128 {
    let (mut rest, mut level, mut sum) = (u128::from(n.saturating_sub(1)), 1_u128, 0_u128);
    let mut hop = 0_u128;
    while rest > 0 {
        let wider = if directed || hop == 0 { d } else { d.saturating_sub(1) };
        level = level.saturating_mul(u128::from(wider)).min(rest);
        hop += 1;
        match level {
            0 => return u128::MAX,
            // Levels that no longer grow: sum hop + (hop + 1) + ... at once.
            _ if wider == 1 => {
                let steps = rest.div_ceil(level);
                let last = rest - (steps - 1) * level;
                let full = steps - 1;
                return sum + level * (full * hop + full * full.saturating_sub(1) / 2) + last * (hop + full);
            }
            _ => {}
        }
        sum += hop * level;
        rest -= level;
    }
    sum
}

/// Lower bound of the average shortest path length, in hops; 0 for one switch and infinite for none or degree 0.
pub fn aspl_lower_bound(n: u64, d: u64, directed: bool) -> f64 {
    match n {
        0 => f64::INFINITY,
        1 => 0.0,
        _ if d == 0 => f64::INFINITY,
        _ => distance_sum_lower_bound(n, d, directed) as f64 / (n - 1) as f64,
    }
}

/// Bisection as a share of all link capacity, `B_r = B / (n * K/2)`, where `bisection` counts links, `degree` is K and links
/// are equally fast.
pub fn bisection_share_of_links(bisection: u64, switches: usize, degree: f64) -> f64 {
    bisection as f64 / (switches as f64 * degree / 2.0)
}

/// Bisection as a share of the capacity of links and endpoints, `b_r = B / (n * (K/2 + p)) = B_r * K / (K + 2p)`, for `p`
/// endpoints on a switch. It is 1/2 for one switch, 1/4 for a fat tree of two tiers and 1/6 for one of three.
pub fn bisection_share_of_all(bisection: u64, switches: usize, degree: f64, endpoints: f64) -> f64 {
    bisection as f64 / (switches as f64 * (degree / 2.0 + endpoints))
}

/// What endpoints take off the share: `b_r / B_r = K / (K + 2p)`.
pub fn endpoint_factor(degree: f64, endpoints: f64) -> f64 {
    degree / (degree + 2.0 * endpoints)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn famous_graphs_meet_the_bound() {
        // Petersen, Hoffman-Singleton, a cycle of 7, a complete graph; one-way: a cycle of 3 is complete for d = 1, k = 2.
        assert_eq!([moore(3, 2, false), moore(7, 2, false), moore(2, 3, false), moore(5, 1, false)], [10, 50, 7, 6]);
        assert_eq!([moore(1, 2, true), moore(2, 2, true), moore(0, 9, false), moore(1, 9, false)], [3, 7, 1, 2]);
        assert_eq!(moore(u64::MAX, u64::MAX, true), u128::MAX);
        // Petersen: 3 at one hop, 6 at two: 15 hops to 9 switches. A cycle of 6: 1 1 2 2 3. A one-way cycle of 4: 1 2 3.
        assert_eq!(distance_sum_lower_bound(10, 3, false), 15);
        assert_eq!((distance_sum_lower_bound(6, 2, false), distance_sum_lower_bound(4, 1, true)), (9, 6));
        assert_eq!((aspl_lower_bound(1, 0, true), aspl_lower_bound(2, 0, true)), (0.0, f64::INFINITY));
    }

    proptest! {
        #[test]
        fn the_quick_end_of_a_path_adds_up(n in 2u64..500) {
            let cycle: u128 = (0..u128::from(n) - 1).map(|i| i / 2 + 1).sum();
            prop_assert_eq!(distance_sum_lower_bound(n, 2, false), cycle);
            prop_assert_eq!(distance_sum_lower_bound(n, 1, true), (1..u128::from(n)).sum::<u128>());
        }
    }
}
