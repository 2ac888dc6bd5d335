//! The Imase digraph with free parameters: `i -> (a*i + b)*d + alpha mod n`, `alpha = 0..d-1`.

use super::imase;
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let of = |name| arguments.integer(name).expect("a and b have defaults");
    imase::build(arguments, of("a"), of("b"))
}

#[cfg(test)]
mod tests {
    use crate::ids::SwitchId;
    use crate::topology::{TopologyError, build};

    #[test]
    fn a_small_case_by_hand() {
        // n = 8, d = 3, a = b = 1: i -> 3i + 3 + {0, 1, 2}; the loops at 2 (9 + 1 = 10) and 6 (21 + 1 = 22) are left
        // out.
        let graph = build("imase_ab:n=8,d=3").unwrap().graph;
        let heads = |s| graph.neighbours(SwitchId(s)).map(|t| t.0).collect::<Vec<_>>();
        assert_eq!((heads(0), heads(1), heads(2)), (vec![3, 4, 5], vec![0, 6, 7], vec![1, 3]));
        assert_eq!((graph.arcs(), graph.loops_dropped(), graph.duplicates_merged()), (22, 2, 0));
    }

    #[test]
    fn a_digraph_that_is_not_strongly_connected_is_unbuildable() {
        let error = build("imase_ab:n=256,d=8,a=2,b=1").unwrap_err();
        assert!(matches!(error, TopologyError::Unbuildable { .. }), "{error}");
        assert!(error.to_string().contains("imase_ab:n=256,d=8,a=2,b=1"), "{error}");
    }

    #[test]
    fn the_parameters_have_limits() {
        for spec in ["imase_ab:n=4,d=5", "imase_ab:n=1,d=1", "imase_ab:n=4,d=0", "imase_ab:n=16777216,d=16777216"] {
            assert!(matches!(build(spec), Err(TopologyError::InvalidParameter { .. })), "{spec}");
        }
        // Factors far beyond n are equivalent to their remainders.
        let far = build("imase_ab:n=64,d=6,a=9223372036854775745,b=-9223372036854775807").unwrap().graph;
        assert_eq!(far, build("imase_ab:n=64,d=6,a=1,b=1").unwrap().graph);
    }
}
