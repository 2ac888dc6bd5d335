//! Tofu: a six-dimensional mesh and torus, X x Y x Z groups of 2 x 3 x 2 switches.
//!
//! (Y. Ajima, S. Sumimoto, T. Shimizu, Tofu: A 6D Mesh/Torus Interconnect for Exascale Computers, 2009; Y. Ajima et
//! al., The Tofu Interconnect D, 2018.) The axes A, B and C of a group have 2, 3 and 2 switches; X, Y and Z join
//! switches of the same place in neighbouring groups, and close into rings unless `mesh` names them. The degree is 10
//! if all sizes are at least 3. Switch numbers run along A, B, C, X, Y, Z, the first fastest, so a group is twelve
//! consecutive switches.

use super::lattice;
use crate::topology::family::Arguments;
use crate::topology::{Graph, Spec, TopologyError};

/// Sizes of A, B and C.
const GROUP: [usize; 3] = [2, 3, 2];
const AXES: [char; 3] = ['x', 'y', 'z'];

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let outer = lattice::checked(arguments)?;
    if outer.len() != AXES.len() {
        return Err(arguments.invalid("dims", "it must have three sizes, those of X, Y and Z"));
    }
    let mesh = arguments.text("mesh");
    let twice = |axis| mesh.matches(axis).count() > 1;
    if mesh.chars().any(|axis| !AXES.contains(&axis) || twice(axis)) {
        return Err(arguments.invalid("mesh", "it must name axes out of x, y and z, each once, such as `y` or `xz`"));
    }
    lattice::of(arguments, &GROUP.into_iter().chain(outer).collect::<Vec<_>>(), &rings(arguments))
}

/// Returns the six sizes, and whether each dimension closes into a ring; `None` for other families.
pub(crate) fn dimensions(spec: &Spec) -> Option<(Vec<u32>, Vec<bool>)> {
    if spec.family().name != "tofu" {
        return None;
    }
    let outer = spec.arguments().integers("dims").iter().map(|&size| size as u32);
    Some((GROUP.iter().map(|&size| size as u32).chain(outer).collect(), rings(spec.arguments())))
}

fn rings(arguments: &Arguments) -> Vec<bool> {
    GROUP.map(|_| true).into_iter().chain(AXES.map(|axis| !arguments.text("mesh").contains(axis))).collect()
}
