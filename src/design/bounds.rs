//! Closed forms that bound a network before it is built. Bounds on size, degree and distance are in
//! [`crate::topology::metrics::bounds`].

use super::{DesignError, invalid};

/// Smallest and largest sensible number of switches between N compute nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SwitchCounts {
    /// Levels of switches at the largest number.
    pub levels: u32,
    /// Largest number: every node has a full tree of switches to every other, and none is shared.
    pub most: u128,
    /// Smallest number, a chain of switches; known for nodes of one port only.
    pub least: Option<u64>,
}

/// Returns bounds on the number of switches with m ports between N compute nodes with n ports.
///
/// (*Network design notes*.) `k = ceil(log((N-1)/n) / log(m-1))`, `M_max = N n sum_{a=1..k} (m-1)^(a-1)`; for n = 1
/// `M_min = ceil((N - 2(m-1))/(m-2)) + 2` if N > m, and 1 otherwise. (The notes print 72,000 for N = 1000, m = 24, n =
/// 2; that is the value of n = 3.)
///
/// # Errors
/// [`DesignError::InvalidParameter`] unless m > 2, N > 2, 0 < n < N - 1.
pub fn switch_counts(nodes: u64, ports: u64, node_ports: u64) -> Result<SwitchCounts, DesignError> {
    if nodes < 3 {
        return invalid("nodes", nodes, "there must be more than 2 compute nodes");
    }
    if ports < 3 {
        return invalid("ports", ports, "a switch must have more than 2 ports");
    }
    if node_ports < 1 {
        return invalid("node-ports", node_ports, "a compute node must have a port");
    }
    if node_ports >= nodes - 1 {
        return invalid("node-ports", node_ports, "compute nodes with as many ports as other nodes need no switch");
    }
    // The smallest k with n (m-1)^k >= N - 1, in integers: the logarithms may be off by a rounding.
    let (mut levels, mut reached, mut sum) = (0, u128::from(node_ports), 0_u128);
    let growth = u128::from(ports - 1);
    let mut term = 1_u128;
    while reached < u128::from(nodes - 1) {
        (reached, sum, levels) = (reached.saturating_mul(growth), sum.saturating_add(term), levels + 1);
        term = term.saturating_mul(growth);
    }
    let least = (node_ports == 1)
        .then(|| if nodes <= ports { 1 } else { nodes.saturating_sub(2 * (ports - 1)).div_ceil(ports - 2) + 2 });
    let most = u128::from(nodes).saturating_mul(u128::from(node_ports)).saturating_mul(sum);
    Ok(SwitchCounts { levels, most, least })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daisy_chains_of_five_ports() {
        let least = |nodes| switch_counts(nodes, 5, 1).unwrap().least;
        assert_eq!([5, 6, 8, 9, 11, 14].map(least), [1, 2, 2, 3, 3, 4].map(Some));
        assert!(switch_counts(2, 5, 1).is_err() && switch_counts(9, 2, 1).is_err() && switch_counts(9, 5, 0).is_err());
        assert!(switch_counts(8, 4, 7).is_err() && switch_counts(8, 4, 6).is_ok_and(|counts| counts.most == 48));
    }
}
