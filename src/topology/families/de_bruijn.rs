//! The de Bruijn digraph B(d, k): GB(d, d^k), words of k letters that shift by one letter. Diameter k.

use super::imase;
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let d = arguments.count("d", 2, MAX_SWITCHES)?;
    let k = arguments.count("k", 1, 24)?;
    match d.checked_pow(k as u32).filter(|&n| n <= MAX_SWITCHES) {
        Some(n) => imase::of(arguments, n, d, 1, 0),
        None => Err(arguments.invalid("k", format!("d^k must be at most {MAX_SWITCHES} switches"))),
    }
}
