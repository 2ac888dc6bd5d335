//! A star: switch 0 is connected to all others.

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 2)?;
    Graph::undirected(n, (1..n as u32).map(|leaf| (0, leaf)).collect())
}
