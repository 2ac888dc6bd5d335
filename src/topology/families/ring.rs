//! A ring: switch `i` is connected to `i + 1 mod n`. Two switches are connected by one cable.

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 2)? as u32;
    Graph::undirected(n as usize, (0..n).map(|i| (i, (i + 1) % n)).collect())
}
