//! Polarity graphs of projective planes: the points of PG(2, q), connected if their dot product is 0.
//!
//! (P. Erdos, A. Renyi, V. Sos, 1966; W. Brown, 1966.) The points are `(1, a, b)`, `(0, 1, a)` and `(0, 0, 1)`, in this
//! order. `q^2 + q + 1` switches, diameter 2, degree q + 1, or q for the q + 1 points that are orthogonal to
//! themselves.

use super::galois::Field;
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    // q^3 arcs are allowed; above that, no field is constructed.
    let q = arguments.count("q", 2, 405)?;
    let field = Field::new(q).ok_or_else(|| arguments.invalid("q", "it must be a prime power"))?;
    Graph::undirected(q * q + q + 1, cables(&field))
}

/// Returns the points with their numbers.
fn points(q: usize) -> impl Iterator<Item = (u32, [usize; 3])> {
    let affine = (0..q).flat_map(move |a| (0..q).map(move |b| [1, a, b]));
    (0..).zip(affine.chain((0..q).map(|a| [0, 1, a])).chain([[0, 0, 1]]))
}

/// Returns the points that are orthogonal to themselves.
pub(super) fn own_orthogonal(field: &Field) -> Vec<u32> {
    let square = |x| field.mul(x, x);
    let norm = |[x, y, z]: [usize; 3]| field.add(field.add(square(x), square(y)), square(z));
    points(field.q).filter(|&(_, point)| norm(point) == 0).map(|(number, _)| number).collect()
}

/// Returns the cables. A point that is orthogonal to itself has no loop.
pub(super) fn cables(field: &Field) -> Vec<(u32, u32)> {
    let q = field.q;
    let mut cables = Vec::with_capacity(q * (q + 1) * (q + 1) / 2);
    let affine = |a, b| (a * q + b) as u32;
    let infinite = |a| (q * q + a) as u32;
    let last = (q * q + q) as u32;
    // Every pair is visited from both ends.
    let mut join = |(u, v): (u32, u32)| {
        if u < v {
            cables.push((u, v));
        }
    };
    for (point, [x, y, z]) in points(q) {
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
