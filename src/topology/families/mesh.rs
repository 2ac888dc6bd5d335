//! k-ary n-meshes of any dimensions: switches are connected if they differ by one in exactly one coordinate.

use super::lattice;
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    lattice::build(arguments, false)
}
