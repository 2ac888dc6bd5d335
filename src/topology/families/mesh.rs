//! k-ary n-meshes of any dimensions: switches are connected if they differ by one in exactly one coordinate.

use super::registry::Arguments;
use super::{Graph, TopologyError, lattice};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    lattice::build(arguments, false)
}
