//! A ring with y random shortcuts per switch: DLN-2-y.
//!
//! (The "DLN-x of random shortcuts" of *Layout-aware Expandable Low-degree Topology* has y = x - 2.)

use super::dln_random;
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 3)?;
    dln_random::with_shortcuts(arguments, n, (0..n).map(|i| (i as u32, ((i + 1) % n) as u32)).collect())
}
