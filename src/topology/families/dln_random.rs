//! DLN-x-y: the ring of DLN-x with its regular shortcuts, and y rounds of random shortcuts.
//!
//! (M. Koibuchi et al., A Case for Random Shortcut Topologies for HPC Interconnects, 2012. DLN-x with random shortcuts
//! in *Layout-aware Expandable Low-degree Topology* is x = 2, y = x - 2 here.) A round is a random maximal matching
//! over all switches without the pairs that are already connected, so a few switches may miss a shortcut.

use super::dln;
use super::matching::{Joined, rounds};
use crate::topology::family::Arguments;
use crate::topology::{Graph, Randomness, TopologyError, derived_seed};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let (n, cables) = dln::cables(arguments)?;
    with_shortcuts(arguments, n, cables)
}

/// Adds the random shortcuts that `y` and `seed` specify.
pub(super) fn with_shortcuts(
    arguments: &Arguments,
    n: usize,
    mut cables: Vec<(u32, u32)>,
) -> Result<Graph, TopologyError> {
    // Beyond this, hardly any switch finds a partner by chance, and the ring no longer matters.
    let y = arguments.count("y", 0, n / 2)?;
    arguments.limit_arcs("y", 2 * cables.len() as u128 + n as u128 * y as u128)?;
    let seed = arguments.seed().expect("the seed has a default");
    let mut joined = Joined::new(n);
    for &(u, v) in &cables {
        joined.join(u, v);
    }
    rounds(n, y, &mut joined, &mut cables, &mut Randomness::new(derived_seed(seed, 0)));
    Graph::undirected(n, cables)
}
