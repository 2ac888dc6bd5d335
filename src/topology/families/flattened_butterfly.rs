//! The flattened butterfly, k-ary n-flat: a HyperX of n - 1 dimensions of size k, with k hosts on each switch.
//!
//! (J. Kim, W. Dally, D. Abts, Flattened Butterfly: a Cost-efficient Topology for High-radix Networks, 2007.)

use super::hyperx;
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let k = arguments.count("k", 2, MAX_SWITCHES)?;
    let n = arguments.count("n", 2, 25)?;
    if (k as u128).checked_pow(n as u32 - 1).is_none_or(|switches| switches > MAX_SWITCHES as u128) {
        return Err(arguments.invalid("n", format!("k^(n-1) must be at most {MAX_SWITCHES} switches")));
    }
    Ok(hyperx::of(arguments, "k", &vec![k; n - 1], &vec![1; n - 1])?.with_hosts(Hosts::Everywhere(k as u32)))
}
