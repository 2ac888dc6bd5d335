//! The generalised de Bruijn digraph GB(d, n): `i -> d*i + alpha mod n`, `alpha = 0..d-1`.
//!
//! (*A Case for Uni-Directional Network Topologies in Large-Scale Clusters*, its family with a = 1, b = 0.) The
//! diameter is at most `ceil(log_d n)`.

use super::imase;
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    imase::build(arguments, 1, 0)
}
