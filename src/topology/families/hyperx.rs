//! HyperX, the generalised hypercube: all-to-all within every line of every dimension.
//!
//! (J. Ahn, N. Binkert, A. Davis, M. McLaren, R. Schreiber, HyperX: Topology, Routing, and Packaging of Efficient
//! Large-scale Networks, 2009.) Degree `sum k*(d - 1)`, diameter the number of dimensions with d > 1. `k` is the
//! number of parallel cables between two switches, one number for all dimensions or one for each (the K of the paper).
//! *Skywalk* writes it as HyperX(z, c, deg) on a grid of cabinets: the dimensions are then the switches of a cabinet,
//! the columns and the rows.

use super::lattice;
use crate::topology::family::Arguments;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    let dims = lattice::checked(arguments)?;
    let given = arguments.integers("k");
    let trunks: Vec<usize> =
        given.iter().filter_map(|&k| usize::try_from(k).ok().filter(|k| (1..=1024).contains(k))).collect();
    if trunks.len() != given.len() || arguments.get("k").is_some() && given.is_empty() {
        return Err(arguments.invalid("k", "every number must be from 1 to 1024"));
    }
    let trunks = match trunks.len() {
        0 => vec![1; dims.len()],
        1 => vec![trunks[0]; dims.len()],
        count if count == dims.len() => trunks,
        _ => {
            return Err(
                arguments.invalid("k", format!("it must have one number, or one for each of the {} sizes", dims.len()))
            );
        }
    };
    Ok(of(arguments, "dims", &dims, &trunks)?.with_hosts(Hosts::Everywhere(hosts)))
}

/// Builds the graph with `trunks` parallel cables in each dimension; `parameter` is the parameter to blame if there are
/// too many cables.
pub(super) fn of(
    arguments: &Arguments,
    parameter: &str,
    dims: &[usize],
    trunks: &[usize],
) -> Result<Graph, TopologyError> {
    let n: usize = dims.iter().product();
    let degree: usize = dims.iter().zip(trunks).map(|(d, k)| k * (d - 1)).sum();
    arguments.limit_arcs(parameter, n as u128 * degree as u128)?;
    let mut cables = Vec::with_capacity(n * degree / 2);
    let mut stride = 1;
    for (&d, &k) in dims.iter().zip(trunks) {
        for switch in 0..n {
            let rest = d - 1 - switch / stride % d;
            let ends = (1..=rest).map(|step| (switch as u32, (switch + step * stride) as u32));
            cables.extend(ends.flat_map(|end| std::iter::repeat_n(end, k)));
        }
        stride *= d;
    }
    Graph::with_parallel_cables(n, false, cables)
}
