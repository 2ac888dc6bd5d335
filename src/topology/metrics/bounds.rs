//! Closed forms: bounds on size, distance and capacity of a network.

/// Returns the Moore bound: the largest number of switches of a network of degree d and diameter k; `None` beyond 128
/// bits.
///
/// Two-way `1 + d sum_{i<k} (d-1)^i`; one-way `sum_{i<=k} d^i`. (*A Case for Uni-Directional Network Topologies* prints
/// the latter with the root counted twice.)
pub fn moore(degree: u64, diameter: u32, directed: bool) -> Option<u128> {
    let (degree, growth) = (u128::from(degree), u128::from(if directed { degree } else { degree.saturating_sub(1) }));
    let (mut switches, mut level) = (1_u128, degree);
    for _ in 0..diameter {
        switches = switches.checked_add(level)?;
        level = level.checked_mul(growth)?;
    }
    Some(switches)
}

/// Returns the least sum of distances from one switch to the others in a network of n switches of degree d; `None` if a
/// network of that degree cannot be connected.
///
/// Distance t is filled with `d (d-1)^(t-1)` switches, one-way `d^t`, as long as any are left. Divided by n - 1 it is
/// the lower bound of the average shortest path length.
pub fn distance_sum(switches: u64, degree: u64, directed: bool) -> Option<u128> {
    let growth = if directed { degree } else { degree.saturating_sub(1) };
    let (mut rest, mut level, mut distance, mut sum) = (switches.saturating_sub(1), degree, 1_u64, 0_u128);
    while rest > 0 {
        if level == 0 {
            return None;
        }
        if growth == 1 {
            // A cycle: the same number at every distance until the rest is used up.
            let (full, last) = (u128::from(rest / level), u128::from(rest % level));
            return Some(u128::from(level) * full * (full + 1) / 2 + last * (full + 1));
        }
        let count = rest.min(level);
        sum += u128::from(distance) * u128::from(count);
        rest -= count;
        level = level.saturating_mul(growth);
        distance += 1;
    }
    Some(sum)
}

/// Returns the lower bound of the average shortest path length; 0 for one switch.
pub fn aspl(switches: u64, degree: u64, directed: bool) -> Option<f64> {
    let sum = distance_sum(switches, degree, directed)?;
    Some(if switches < 2 { 0.0 } else { sum as f64 / (switches - 1) as f64 })
}

/// Returns the bisection as a share of all link capacity, `B_r = B / (n * K/2)`, where `bisection` counts links,
/// `degree` is K and links are equally fast.
pub fn bisection_share_of_links(bisection: f64, switches: usize, degree: f64) -> f64 {
    bisection / (switches as f64 * degree / 2.0)
}

/// Returns the bisection as a share of the capacity of links and endpoints, `b_r = B / (n * (K/2 + p)) = B_r * K / (K +
/// 2p)`, for `p` endpoints per switch. It is 1/2 for one switch, 1/4 for a fat tree of two tiers and 1/6 for one of
/// three.
pub fn bisection_share_of_all(bisection: f64, switches: usize, degree: f64, endpoints: f64) -> f64 {
    bisection / (switches as f64 * (degree / 2.0 + endpoints))
}

/// Returns the capacity of the links per host and hop, `K / (p a)`, for `degree` K, `endpoints` p per switch and a mean
/// distance of `aspl` a. If every host sends at full rate to random hosts, the demand is `p a` links per switch: below
/// 1 the links cannot carry it, whatever the routes. (*Equality*, on the balance of a budget: `p d >= K > p a`, where d
/// is the diameter.)
pub fn links_per_host_and_hop(degree: f64, endpoints: f64, aspl: f64) -> f64 {
    degree / (endpoints * aspl)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn famous_graphs_meet_the_bound() {
        // Petersen, a cycle of 7, a complete graph; one-way: a cycle of 3 is complete for d = 1, k = 2.
        let two_way = [(3, 2), (2, 3), (5, 1), (0, 9), (1, 9)].map(|(d, k)| moore(d, k, false).unwrap());
        assert_eq!(two_way, [10, 7, 6, 1, 2]);
        assert_eq!([moore(1, 2, true), moore(2, 2, true), moore(u64::MAX, 99, true)], [Some(3), Some(7), None]);
        // Petersen: 3 at one hop, 6 at two: 15 hops to 9 switches. A cycle of 6: 1 1 2 2 3. A one-way cycle of 4: 1 2
        // 3.
        assert_eq!(distance_sum(10, 3, false), Some(15));
        assert_eq!((distance_sum(6, 2, false), distance_sum(4, 1, true)), (Some(9), Some(6)));
        assert_eq!((aspl(1, 0, true), aspl(2, 0, true)), (Some(0.0), None));
    }

    #[test]
    fn a_moore_graph_meets_both_bounds() {
        // Hoffman and Singleton: 50 switches of degree 7, 7 at distance 1 and 42 at distance 2.
        assert_eq!((moore(7, 2, false), distance_sum(50, 7, false)), (Some(50), Some(7 + 84)));
        // A directed cycle, and a ring of 5.
        assert_eq!((distance_sum(5, 1, true), distance_sum(5, 2, false)), (Some(1 + 2 + 3 + 4), Some(2 + 4)));
        assert_eq!((distance_sum(3, 1, false), aspl(1, 3, false)), (None, Some(0.0)));
        assert_eq!(distance_sum(1 << 60, 1, true), Some((1_u128 << 59) * ((1 << 60) - 1)));
    }

    proptest! {
        #[test]
        fn the_quick_end_of_a_path_adds_up(n in 2u64..500) {
            let cycle: u128 = (0..u128::from(n) - 1).map(|i| i / 2 + 1).sum();
            prop_assert_eq!(distance_sum(n, 2, false), Some(cycle));
            prop_assert_eq!(distance_sum(n, 1, true), Some((1..u128::from(n)).sum::<u128>()));
        }
    }
}
