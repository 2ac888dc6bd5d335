//! The k-ary n-tree: k^n hosts below n levels of k^(n-1) switches.
//!
//! (F. Petrini, M. Vanneschi, k-ary n-trees: High Performance Networks for Massively Parallel Architectures, 1997.)
//! Switch `<w, l>` has the number `l k^(n-1) + w`; level 0 are the roots. `<w, l> - <w', l + 1>` when the n - 1 digits
//! of w and w' to the base k agree except perhaps in digit l, counted from the most significant one. k hosts are
//! attached to each switch of the last level.

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let k = arguments.count("k", 2, MAX_SWITCHES)?;
    let n = arguments.count("n", 1, 24)?;
    let rule = || arguments.invalid("n", format!("k^n hosts and their switches must be at most {MAX_SWITCHES}"));
    let hosts = k.checked_pow(n as u32).filter(|&hosts| hosts <= MAX_SWITCHES).ok_or_else(rule)?;
    let width = hosts / k;
    arguments.limit_vertices("n", (hosts + n * width) as u128)?;
    arguments.limit_arcs("k", 2 * (n as u128 - 1) * hosts as u128)?;
    let mut cables = Vec::with_capacity((n - 1) * hosts);
    for level in 0..n - 1 {
        // Digit l has the weight k^(n-2-l).
        let weight = width / k.pow(level as u32 + 1);
        for w in 0..width {
            let rest = w - w / weight % k * weight;
            let below = (level + 1) * width + rest;
            cables.extend((0..k).map(|digit| ((level * width + w) as u32, (below + digit * weight) as u32)));
        }
    }
    let hosts = (0..n * width).map(|switch| if switch < (n - 1) * width { 0 } else { k as u32 }).collect();
    Ok(Graph::undirected(n * width, cables)?.with_hosts(Hosts::OnSwitches(hosts)))
}
