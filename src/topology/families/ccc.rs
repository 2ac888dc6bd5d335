//! Cube-connected cycles: a hypercube whose corners are cycles of `d` switches.
//!
//! Switch `(w, r)` has the number `w*d + r`; it is connected to `(w, r + 1 mod d)` and to `(w xor 2^r, r)`. There are
//! `d 2^d` switches of degree 3; the diameter is 6 for d = 3 and `2d + floor(d/2) - 2` from d = 4.

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let d = arguments.count("d", 3, 19)? as u32;
    let n = d << d;
    let cable = |i: u32| {
        let (w, r) = (i / d, i % d);
        [(i, w * d + (r + 1) % d), (i, (w ^ (1 << r)) * d + r)]
    };
    // The cables across are visited from both ends; one visit is enough.
    Graph::undirected(n as usize, (0..n).flat_map(cable).filter(|&(u, v)| u / d <= v / d).collect())
}
