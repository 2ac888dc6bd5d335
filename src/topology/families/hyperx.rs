//! HyperX, the generalised hypercube: all-to-all within every line of every dimension.
//!
//! Degree `sum (d - 1)`, diameter the number of dimensions with d > 1. *Skywalk* writes it as HyperX(z, c, deg) on a
//! grid of cabinets: the dimensions are then the switches of a cabinet, the columns and the rows.

use super::registry::Arguments;
use super::{Graph, TopologyError, lattice};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    of(arguments, "dims", &lattice::checked(arguments)?)
}

/// Builds the graph; `parameter` is the parameter to blame if there are too many cables.
pub(super) fn of(arguments: &Arguments, parameter: &str, dims: &[usize]) -> Result<Graph, TopologyError> {
    let n: usize = dims.iter().product();
    let degree: usize = dims.iter().map(|d| d - 1).sum();
    arguments.limit_arcs(parameter, n as u128 * degree as u128)?;
    let mut cables = Vec::with_capacity(n * degree / 2);
    let mut stride = 1;
    for &d in dims {
        for switch in 0..n {
            let rest = d - 1 - switch / stride % d;
            cables.extend((1..=rest).map(|step| (switch as u32, (switch + step * stride) as u32)));
        }
        stride *= d;
    }
    Graph::undirected(n, cables)
}
