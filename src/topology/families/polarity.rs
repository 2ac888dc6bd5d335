//! Polarity graphs of projective planes: the points of PG(2, q), connected if their dot product is 0.
//!
//! (P. Erdos, A. Renyi, V. Sos, 1966; W. Brown, 1966.) The points are `(1, a, b)`, `(0, 1, a)` and `(0, 0, 1)`, in this
//! order. `q^2 + q + 1` switches, diameter 2, degree q + 1, or q for the q + 1 points that are orthogonal to
//! themselves.

use super::galois::Field;
use super::registry::Arguments;
use super::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    // q^3 arcs are allowed; above that, no field is constructed.
    let q = arguments.count("q", 2, 405)?;
    let field = Field::new(q).ok_or_else(|| arguments.invalid("q", "it must be a prime power"))?;
    Graph::undirected(q * q + q + 1, cables(&field))
}

/// Returns the cables. A point that is orthogonal to itself has no loop.
pub(super) fn cables(field: &Field) -> Vec<(u32, u32)> {
    let q = field.q;
    let mut cables = Vec::with_capacity(q * (q + 1) * (q + 1) / 2);
    let affine = |a, b| (a * q + b) as u32;
    let infinite = |a| (q * q + a) as u32;
    let last = (q * q + q) as u32;
    let points = (0..q)
        .flat_map(|a| (0..q).map(move |b| (affine(a, b), [1, a, b])))
        .chain((0..q).map(|a| (infinite(a), [0, 1, a])))
        .chain([(last, [0, 0, 1])]);
    // Every pair is visited from both ends.
    let mut join = |(u, v): (u32, u32)| {
        if u < v {
            cables.push((u, v));
        }
    };
    for (point, [x, y, z]) in points {
        // (1, a, b) with x + y*a + z*b = 0.
        if z != 0 {
            for a in 0..q {
                let b = field.div(field.sub(0, field.add(x, field.mul(y, a))), z);
                join((point, affine(a, b)));
            }
            join((point, infinite(field.div(field.sub(0, y), z))));
        } else {
            if y != 0 {
                let a = field.div(field.sub(0, x), y);
                (0..q).for_each(|b| join((point, affine(a, b))));
            } else {
                (0..q).for_each(|a| join((point, infinite(a))));
            }
            join((point, last));
        }
    }
    cables
}
