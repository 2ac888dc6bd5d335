//! k-ary n-tori of any dimensions: a mesh whose dimensions of more than two switches close into rings.

use super::lattice;
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    lattice::build(arguments, true)
}
