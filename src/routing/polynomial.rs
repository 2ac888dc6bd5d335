//! Routing in Imase graphs by arithmetic: the hops are the digits of a number.
//!
//! After k hops from i, with choices alpha_1 .. alpha_k, a message is at `(ad)^k i + sum (ad)^m (bd + alpha_(k-m))`, m
//! = 0..k-1, modulo n. With a = 1 the choices are the digits of a number in base d, so all of `d^k` consecutive
//! switches can be reached; the smallest k for which the destination is among them is the distance (polynomial routing
//! of the paper on uni-directional networks). With a = -1 (Imase-Itoh) digits of odd weight count downwards:
//! `-alpha = (d-1-alpha) - (d-1)`, and the same is true.

use std::fmt;

use super::walk::{Walk, Walked};
use super::{Options, Routing, RoutingError, RoutingSpec};
use crate::topology::Topology;

pub(super) struct Polynomial {
    n: i128,
    d: i128,
    /// `true` if a is -1; otherwise it is 1.
    alternating: bool,
    b: i128,
}

pub(super) fn build(
    topology: &Topology,
    _options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let refuse = |reason: &str| RoutingError::unsuitable("polynomial", topology, reason);
    let arguments = topology.spec.arguments();
    let (a, b) = match topology.spec.family().name {
        "imase_ab" => (arguments.integer("a").unwrap_or(1), arguments.integer("b").unwrap_or(1)),
        "imase_itoh" => (-1, -1),
        "gen_de_bruijn" | "de_bruijn" => (1, 0),
        _ => return Err(refuse("it is for imase_ab, imase_itoh, gen_de_bruijn and de_bruijn")),
    };
    let d = arguments.integer("d").ok_or_else(|| refuse("it has no degree"))?;
    let rule = Polynomial::new(topology.graph.switches(), d, a, b).ok_or_else(|| refuse("`a` must be 1 or -1"))?;
    Ok(Box::new(Walked { graph: topology.graph.clone(), rule }))
}

impl Polynomial {
    /// Returns `None` if a is neither 1 nor -1 modulo n.
    pub(super) fn new(n: usize, d: i64, a: i64, b: i64) -> Option<Self> {
        let (n, d, a) = (n as i128, i128::from(d), i128::from(a));
        let straight = (a - 1).rem_euclid(n) == 0;
        let alternating = !straight && (a + 1).rem_euclid(n) == 0;
        ((straight || alternating) && d >= 1).then_some(Self { n, d, alternating, b: i128::from(b) })
    }

    /// Returns the choice of each hop.
    fn choices(&self, from: u32, to: u32) -> Option<Vec<i128>> {
        let (n, d) = (self.n, self.d);
        let factor = if self.alternating { -d } else { d };
        // Weights are kept modulo n; the number of reachable switches is exact until it passes n.
        let (mut power, mut reach, mut shift) = (1_i128, 1_i128, 0_i128);
        for k in 1..=n {
            shift = (shift + power * (self.b % n * d)).rem_euclid(n);
            if self.alternating && (k - 1) % 2 == 1 {
                // The weight d^(k-1) of this digit is -power.
                shift = (shift + power * (d - 1)).rem_euclid(n);
            }
            power = (power * factor).rem_euclid(n);
            reach = if reach >= n { reach } else { reach * d };
            let mut rest = (i128::from(to) - power * i128::from(from) - shift).rem_euclid(n);
            if rest < reach {
                let mut choices = Vec::with_capacity(k as usize);
                for weight in 0..k {
                    let digit = rest % d;
                    rest /= d;
                    choices.push(if self.alternating && weight % 2 == 1 { d - 1 - digit } else { digit });
                }
                choices.reverse();
                return Some(choices);
            }
        }
        None
    }
}

impl Walk for Polynomial {
    fn walk(&self, from: u32, to: u32, step: &mut dyn FnMut(u32, fmt::Arguments<'_>)) -> bool {
        if from == to {
            return true;
        }
        let Some(choices) = self.choices(from, to) else { return false };
        let sign = if self.alternating { -1 } else { 1 };
        let mut at = i128::from(from);
        for (hop, alpha) in choices.iter().enumerate() {
            at = ((sign * at + self.b) * self.d + alpha).rem_euclid(self.n);
            step(at as u32, format_args!("digit {} of {}, alpha = {alpha}", hop + 1, choices.len()));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{path, reference};
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn routes_are_those_of_the_reference() {
        let reference = reference();
        let entries = reference["routing"]["imase"].as_array().unwrap();
        assert_eq!(entries.len(), 5);
        for entry in entries {
            let number = |key: &str| entry[key].as_u64().unwrap() as u32;
            let n = number("n");
            let imase =
                topology(&format!("imase_ab:n={n},d={},a={},b={}", number("d"), entry["a"], entry["b"])).unwrap();
            let routing = super::super::build("polynomial", &imase, &Options::default()).unwrap();
            for example in entry["examples"].as_array().unwrap() {
                let end = |key: &str| example[key].as_u64().unwrap() as u32;
                let expected: Vec<u32> = serde_json::from_value(example["path"].clone()).unwrap();
                assert_eq!(path(&imase.graph, &*routing, end("src"), end("dst")), Some(expected), "{example}");
            }
            let hops = |from, to| path(&imase.graph, &*routing, from, to).unwrap().len() as u64 - 1;
            let all: Vec<u64> =
                (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).map(|(a, b)| hops(a, b)).collect();
            assert_eq!(all.iter().sum::<u64>(), u64::from(number("hop_sum")), "{n}");
            assert_eq!(all.iter().max(), Some(&u64::from(number("max_hops"))), "{n}");
        }
    }

    #[test]
    fn other_factors_are_refused() {
        assert!(
            super::super::build("polynomial", &topology("imase_ab:n=100,d=4,a=3,b=2").unwrap(), &Options::default())
                .is_err()
        );
        assert!(super::super::build("polynomial", &topology("ring:5").unwrap(), &Options::default()).is_err());
    }
}
