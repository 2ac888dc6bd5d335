//! A full mesh: every switch is connected to every other. With one switch it is a crossbar.

use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let n = arguments.switches("n", 1)?;
    arguments.limit_arcs("n", n as u128 * (n as u128 - 1))?;
    Graph::undirected(n, (0..n as u32).flat_map(|u| (u + 1..n as u32).map(move |v| (u, v))).collect())
}

#[cfg(test)]
mod tests {
    use crate::topology::build;

    #[test]
    fn the_largest_full_mesh_is_known_before_it_is_built() {
        assert_eq!(build("full_mesh:1").unwrap().graph.cables(), 0);
        assert!(build("full_mesh:0").is_err());
        // 8193 * 8192 arcs are 8192 more than the limit.
        assert!(build("full_mesh:8193").unwrap_err().to_string().contains("67117056 arcs"));
    }
}
