//! Common parts of meshes, tori and HyperX: numbering in any number of dimensions, and the cables along them.
//!
//! Switch `(x0, x1, ...)` has the number `x0 + d0*(x1 + d1*(x2 + ...))`: the first dimension varies fastest.

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, TopologyError};

/// Builds a mesh, or with `wrap` a torus.
pub(super) fn build(arguments: &Arguments, wrap: bool) -> Result<Graph, TopologyError> {
    let dims = checked(arguments)?;
    of(arguments, &dims, &vec![wrap; dims.len()])
}

/// Builds a grid of these sizes: in each dimension of more than two switches with `rings` the last is connected to the
/// first. (With two, the wrapping cable would duplicate the existing one.)
pub(super) fn of(arguments: &Arguments, dims: &[usize], rings: &[bool]) -> Result<Graph, TopologyError> {
    let rule = || arguments.invalid("dims", format!("that makes more than {MAX_SWITCHES} switches"));
    let product = dims.iter().try_fold(1_usize, |product, &d| product.checked_mul(d));
    let n = product.filter(|&switches| switches <= MAX_SWITCHES).ok_or_else(rule)?;
    let dims = || dims.iter().zip(rings).map(|(&d, &ring)| (d, ring && d > 2));
    // In a dimension of size d, each of the n/d lines has d-1 cables, and one more if it wraps.
    let cables: u128 = dims().map(|(d, wrap)| (n / d) as u128 * (d - 1 + usize::from(wrap)) as u128).sum();
    arguments.limit_arcs("dims", 2 * cables)?;
    let mut pairs = Vec::with_capacity(cables as usize);
    let mut stride = 1;
    for (d, wrap) in dims() {
        for switch in 0..n {
            let x = switch / stride % d;
            if x + 1 < d {
                pairs.push((switch as u32, (switch + stride) as u32));
            } else if wrap {
                pairs.push((switch as u32, (switch - x * stride) as u32));
            }
        }
        stride *= d;
    }
    Graph::undirected(n, pairs)
}

/// Returns the sizes in `dims`: at least one of them, each at least 1, with a total within the limit of switches.
pub(super) fn checked(arguments: &Arguments) -> Result<Vec<usize>, TopologyError> {
    let given = arguments.integers("dims");
    if given.is_empty() {
        return Err(arguments.invalid("dims", "it must have at least one size"));
    }
    let mut switches = 1_usize;
    let mut dims = Vec::with_capacity(given.len());
    for &d in given {
        let Some(d) = usize::try_from(d).ok().filter(|&d| d >= 1) else {
            return Err(arguments.invalid("dims", "every size must be at least 1"));
        };
        switches = switches.checked_mul(d).filter(|&switches| switches <= MAX_SWITCHES).ok_or_else(|| {
            arguments.invalid("dims", format!("the product of the sizes must be at most {MAX_SWITCHES}"))
        })?;
        dims.push(d);
    }
    Ok(dims)
}

#[cfg(test)]
mod tests {
    use crate::ids::SwitchId;
    use crate::topology::build;

    #[test]
    fn the_first_dimension_varies_fastest() {
        // A 3 x 2 mesh: 0-1-2 above 3-4-5.
        let mesh = build("mesh:3x2").unwrap().graph;
        let ends: Vec<_> = mesh.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        assert_eq!(ends, [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)]);
        // The torus closes the dimension of three (0-2 and 3-5), not the one of two.
        let torus = build("torus:3x2").unwrap().graph;
        assert_eq!(torus.cables(), 9);
        assert!(
            torus.find_arc(SwitchId(0), SwitchId(2)).is_some() && torus.find_arc(SwitchId(5), SwitchId(3)).is_some()
        );
    }

    #[test]
    fn one_switch_and_dimensions_of_one_are_legal() {
        for spec in ["torus:1", "mesh:1x1"] {
            let graph = build(spec).unwrap().graph;
            assert_eq!((graph.switches(), graph.cables()), (1, 0));
        }
        assert_eq!(build("torus:2x1x2").unwrap().graph.cables(), 4);
    }

    #[test]
    fn oversized_lattices_are_refused_before_they_are_built() {
        for spec in [
            "torus:100000x100000x100000",
            "mesh:9223372036854775807x9223372036854775807",
            "torus:16777217",
            "torus:[]",
            "torus:4x0",
            "mesh:-1x4",
            "torus:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2",
        ] {
            let error = build(spec).unwrap_err();
            assert!(error.to_string().contains("parameter `dims` is"), "{spec}: {error}");
        }
    }
}
