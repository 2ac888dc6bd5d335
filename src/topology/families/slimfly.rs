//! Slim Fly: the graphs of McKay, Miller and Siran, 2q^2 switches of degree about 3q/2 with diameter 2.
//!
//! (M. Besta, T. Hoefler, Slim Fly, 2014; *Performance evaluation of multi-exaflops machines ...* compares with it.)
//! For a prime power `q = 4w + delta` with delta in {-1, 0, 1} and generator sets X, X' of the field: `(0, x, y)` is
//! switch `x*q + y`, `(1, m, c)` is switch `q^2 + m*q + c`, and `(0, x, y) - (0, x, y')` if `y - y'` is in X, `(1, m,
//! c) - (1, m, c')` if `c - c'` is in X', `(0, x, y) - (1, m, c)` if `y = m*x + c`. Degree `(3q - delta)/2`; q = 5 is
//! the Hoffman-Singleton graph. Balanced with half the degree, rounded up, as hosts on each switch.

use super::galois::Field;
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_ARCS;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    // 3 q^3 arcs are allowed; above that, no field is constructed.
    let q = arguments.count("q", 3, 281)?;
    debug_assert!(3 * q * q * q <= MAX_ARCS);
    let field = Field::new(q).filter(|_| q % 4 != 2);
    let field = field.ok_or_else(|| arguments.invalid("q", "it must be a prime power other than 2"))?;
    Ok(Graph::undirected(2 * q * q, cables(&field))?.with_hosts(Hosts::Everywhere(hosts)))
}

/// Returns the degree, if there is such a graph.
pub(super) fn degree(q: usize) -> Option<usize> {
    let degree = match q % 4 {
        0 => 3 * q / 2,
        1 => (3 * q - 1) / 2,
        3 => (3 * q).div_ceil(2),
        _ => return None,
    };
    (q >= 3 && Field::new(q).is_some()).then_some(degree)
}

/// Returns the cables of the graph over a field.
pub(super) fn cables(field: &Field) -> Vec<(u32, u32)> {
    let q = field.q;
    let w = q.div_ceil(4);
    let (first, second): (Vec<usize>, Vec<usize>) = match q % 4 {
        // delta = -1: the even exponents below 2w and the odd ones from 2w - 1; and the other way round.
        3 => (
            (0..2 * w - 1).step_by(2).chain((2 * w - 1..4 * w - 2).step_by(2)).collect(),
            (1..2 * w).step_by(2).chain((2 * w..4 * w - 1).step_by(2)).collect(),
        ),
        // delta = 1: even and odd exponents. delta = 0: likewise, with one more even exponent.
        _ => (
            (0..q - 1).step_by(2).collect(),
            if q % 4 == 1 { (1..q - 1).step_by(2).collect() } else { (1..q).step_by(2).collect() },
        ),
    };
    let mut cables = Vec::with_capacity(3 * q * q * q / 2 + q * q);
    for (side, exponents) in [(0, &first), (q * q, &second)] {
        for exponent in exponents {
            let difference = field.power(*exponent);
            for y in 0..q {
                let other = field.add(y, difference);
                cables.extend((0..q).map(|x| ((side + x * q + y) as u32, (side + x * q + other) as u32)));
            }
        }
    }
    for m in 0..q {
        for x in 0..q {
            let product = field.mul(m, x);
            cables.extend((0..q).map(|c| ((x * q + field.add(product, c)) as u32, (q * q + m * q + c) as u32)));
        }
    }
    cables
}
