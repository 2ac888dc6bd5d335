//! Equality: chordal rings in which odd switches mirror the even ones.
//!
//! (*Performance evaluation of multi-exaflops machines using Equality network topology*.) For every hop S of `sa` (odd)
//! and `sb` (even), switch i is connected to `i + S mod n` if i is even and to `i - S mod n` if i is odd. An odd hop
//! adds one cable per switch, an even hop two, the hop n/2 of `sb` one: `K = |sa| + 2|sb| - [n/2 in sb]`. The graph
//! looks the same from every switch (`i -> i + 2` and `i -> 1 - i` are automorphisms). Connectivity is not guaranteed.

use crate::topology::family::Arguments;
use crate::topology::{Graph, Hosts, Spec, TopologyError};

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
    /// Returns the number of cables per switch (equation 1).
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

/// Converts a network's name in the publication, `N14K6[-1,1,3,9](4)` or with hosts `n14k6p3[-1,1,3,9](4)`, to a
/// specification; `None` if the text is no such name.
///
/// # Errors
/// [`TopologyError::InvalidParameter`] if K is not the degree that follows from the hops.
pub(crate) fn from_name(text: &str) -> Result<Option<String>, TopologyError> {
    let Some((n, k, p, odd, even)) = parts(text) else { return Ok(None) };
    let hosts = p.map_or(String::new(), |p| format!(",p={p}"));
    let written = format!("equality:n={n},sa=[{odd}],sb=[{even}]{hosts}");
    let degree = checked(written.parse::<Spec>()?.arguments())?.degree();
    if k.parse() != Ok(degree) {
        return Err(TopologyError::InvalidParameter {
            topology: "equality".into(),
            parameter: "K".into(),
            value: format!("`{k}`"),
            constraint: format!("these hops make {degree} cables at a switch"),
        });
    }
    Ok(Some(written))
}

/// Returns the numbers and hops of a name.
fn parts(text: &str) -> Option<(&str, &str, Option<&str>, &str, &str)> {
    let number = |text: &'_ str| (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(());
    let (sizes, hops) = text.trim().split_once('[')?;
    let (odd, even) = match hops.strip_suffix(')') {
        Some(hops) => hops.split_once("](")?,
        // Without even hops their list has to be absent.
        None => (hops.strip_suffix(']')?, ""),
    };
    let (n, rest) = sizes.strip_prefix(['N', 'n'])?.split_once(['K', 'k'])?;
    let (k, p) = rest.split_once(['P', 'p']).map_or((rest, None), |(k, p)| (k, Some(p)));
    number(n)?;
    number(k)?;
    p.map_or(Some(()), number)?;
    Some((n, k, p, odd, even))
}

#[cfg(test)]
mod tests {
    use super::TopologyError;
    use crate::ids::SwitchId;
    use crate::topology::build;

    #[test]
    fn the_example_of_the_source() {
        let graph = build("equality:n=14,sa=[-1,1,3,9],sb=[4]").unwrap().graph;
        let near = |s| graph.neighbours(SwitchId(s)).map(|t| t.0).collect::<Vec<_>>();
        assert_eq!((near(0), near(1)), (vec![1, 3, 4, 9, 10, 13], vec![0, 2, 5, 6, 11, 12]));
        assert_eq!(graph.cables(), 42);
        assert_eq!(graph, build("N14K6[-1,1,3,9](4)").unwrap().graph);
        assert_eq!(build("n14k6p3[-1,1,3,9](4)").unwrap().graph.default_hosts(), [3; 14]);
        assert_eq!(build("N8K2[-1,1]").unwrap().graph, build("N8K2[-1,1]()").unwrap().graph);
        assert!(build("N14K5[-1,1,3,9](4)").unwrap_err().to_string().contains("6 cables"));
        for text in ["N14K6", "N14K6[-1,1,3,9](4", "N14K6[-1,1](4)x", "NxK6[-1](2)", "N14K6p[-1](2)"] {
            assert!(matches!(build(text), Err(TopologyError::UnknownTopology { .. })), "{text}");
        }
    }
}
