//! k-ary n-tori of any dimensions: a mesh whose dimensions of more than two switches close into rings.

use super::registry::Arguments;
use super::{Graph, TopologyError, lattice};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    lattice::build(arguments, true)
}
