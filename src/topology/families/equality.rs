//! Equality: chordal rings in which odd switches mirror the even ones.
//!
//! (*Performance evaluation of multi-exaflops machines using Equality network topology*.) For every hop S of `sa` (odd)
//! and `sb` (even), switch i is joined to `i + S mod n` if i is even and to `i - S mod n` if i is odd. An odd hop adds one
//! cable at a switch, an even hop two, the hop n/2 of `sb` one: `K = |sa| + 2|sb| - [n/2 in sb]`. The graph looks the same
//! from every switch (`i -> i + 2` and `i -> 1 - i` are automorphisms). Connectivity is not guaranteed.

use super::registry::Arguments;
use super::{Graph, TopologyError};
use crate::topology::Hosts;

/// The hops of an Equality network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hops {
    /// Number of switches, even.
    pub n: usize,
    /// Odd hops modulo n.
    pub odd: Vec<usize>,
    /// Even hops, from 2 to n/2.
    pub even: Vec<usize>,
}

impl Hops {
    /// Equation 1: the number of cables at a switch.
    pub(crate) fn degree(&self) -> usize {
        self.odd.len() + 2 * self.even.len() - usize::from(self.even.contains(&(self.n / 2)))
    }
}

/// Checks `n`, `sa` and `sb`.
pub(crate) fn checked(arguments: &Arguments) -> Result<Hops, TopologyError> {
    let n = arguments.switches("n", 4)?;
    if n % 2 == 1 {
        return Err(arguments.invalid("n", "it must be even"));
    }
    let mut odd = Vec::new();
    for &hop in arguments.integers("sa") {
        if hop % 2 == 0 || !(hop == -1 || (1..n as i64).contains(&hop)) {
            let rule = format!("every hop must be odd, and -1 or from 1 to {}; {hop} is not", n - 1);
            return Err(arguments.invalid("sa", rule));
        }
        odd.push(hop.rem_euclid(n as i64) as usize);
    }
    let mut even = Vec::new();
    for &hop in arguments.integers("sb") {
        if hop % 2 != 0 || !(2..=n as i64 / 2).contains(&hop) {
            let rule = format!("every hop must be even and from 2 to n/2 = {}; {hop} is not", n / 2);
            return Err(arguments.invalid("sb", rule));
        }
        even.push(hop as usize);
    }
    for (parameter, hops) in [("sa", &odd), ("sb", &even)] {
        let mut sorted = hops.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let rule = format!("no hop may occur twice; {} does (-1 and {} are the same)", pair[0], n - 1);
            return Err(arguments.invalid(parameter, rule));
        }
    }
    let hops = Hops { n, odd, even };
    arguments.limit_arcs("n", n as u128 * hops.degree() as u128)?;
    Ok(hops)
}

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hops = checked(arguments)?;
    let hosts = arguments.hosts("p")?;
    let n = hops.n;
    let mut cables = Vec::with_capacity(n * hops.degree() / 2 + n);
    for i in (0..n).step_by(2) {
        cables.extend(hops.odd.iter().map(|hop| (i as u32, ((i + hop) % n) as u32)));
    }
    for i in 0..n {
        cables.extend(hops.even.iter().map(|hop| (i as u32, ((i + hop) % n) as u32)));
    }
    Ok(Graph::undirected(n, cables)?.with_hosts(Hosts::Everywhere(hosts)))
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use crate::ids::SwitchId;

    #[test]
    fn the_example_of_the_source() {
        let graph = build("equality:n=14,sa=[-1,1,3,9],sb=[4]").unwrap().graph;
        let near = |s| graph.neighbours(SwitchId(s)).map(|t| t.0).collect::<Vec<_>>();
        assert_eq!((near(0), near(1)), (vec![1, 3, 4, 9, 10, 13], vec![0, 2, 5, 6, 11, 12]));
        assert_eq!(graph.cables(), 42);
    }
}
