//! The digraph of Imase and Itoh (generalised Kautz): `i -> -d*i - alpha mod n`, `alpha = 1..d`.

use super::imase;
use crate::topology::family::Arguments;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    // (-i - 1)*d + alpha' with alpha' = 0..d-1 is -d*i - alpha with alpha = d - alpha'.
    imase::build(arguments, -1, -1)
}

#[cfg(test)]
mod tests {
    use crate::ids::SwitchId;
    use crate::topology::build;

    #[test]
    fn a_small_case_by_hand() {
        // n = 8, d = 3: 0 -> -1, -2, -3 = 7, 6, 5; 1 -> -4, -5, -6 = 4, 3, 2; 5 -> -16, -17, -18 = 0, 7, 6.
        let graph = build("imase_itoh:n=8,d=3").unwrap().graph;
        let heads = |s| graph.neighbours(SwitchId(s)).map(|t| t.0).collect::<Vec<_>>();
        assert_eq!((heads(0), heads(1), heads(5)), (vec![5, 6, 7], vec![2, 3, 4], vec![0, 6, 7]));
        assert!(build("imase_itoh:n=1,d=1").is_err());
        assert!(build("imase_itoh:n=3,d=1").is_err());
    }
}
