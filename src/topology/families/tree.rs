//! A complete k-ary tree of height h, numbered breadth first: the parent of `i > 0` is `(i - 1) div k`.
//!
//! Diameter 2h (h for k = 1, which is a path).

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let k = arguments.degree("k", MAX_SWITCHES, "the largest number of switches")?;
    let h = arguments.count("h", 0, MAX_SWITCHES - 1)?;
    let (mut n, mut level) = (1_usize, 1_usize);
    for _ in 0..h {
        // Both are at most MAX_SWITCHES, so the product fits.
        level *= k;
        n += level;
        if n > MAX_SWITCHES {
            return Err(arguments.invalid("h", format!("that makes more than {MAX_SWITCHES} switches")));
        }
    }
    Graph::undirected(n, (1..n as u32).map(|i| ((i - 1) / k as u32, i)).collect())
}
