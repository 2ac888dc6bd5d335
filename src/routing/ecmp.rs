//! Static equal-cost multi-path: at every switch one of the shortest next hops, by a hash of source and destination.
//!
//! The hash also takes the seed and the switch. Without the switch, all switches that offer equally many hops would
//! choose alike, and messages that met once would never part (switches that hash alike polarise traffic).

use super::towards::Towards;
use super::{Options, Routing, RoutingError};
use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology, chosen, derived_seed};

struct Ecmp {
    seed: u64,
    towards: Towards,
}

pub(super) fn build(topology: &Topology, options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(Ecmp { seed: options.seed, towards: Towards::new(topology.graph.clone()) }))
}

impl Ecmp {
    fn walk(&self, from: SwitchId, to: SwitchId, visit: impl FnMut(ArcId, usize, usize)) -> bool {
        let pair = u64::from(from.0) << 32 | u64::from(to.0);
        let choose =
            |at: SwitchId, count: usize| chosen(derived_seed(derived_seed(self.seed, pair), u64::from(at.0)), count);
        self.towards.walk(from, to, choose, visit)
    }
}

impl Routing for Ecmp {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.walk(from, to, |arc, _, _| arcs.push(arc))
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, _arcs: &[ArcId]) -> Vec<String> {
        let mut reasons = Vec::new();
        self.walk(from, to, |_, _, count| reasons.push(format!("1 of {count} shortest next hops, by hash")));
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::path;
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn a_pair_keeps_its_way_and_pairs_spread() {
        let mesh = topology("hyperx:4x4").or_else(|_| topology("torus:4x4")).unwrap();
        let of = |seed| build(&mesh, &Options { seed, ..Options::default() }).unwrap();
        let (one, same, other) = (of(1), of(1), of(2));
        let route = |routing: &dyn Routing, to| path(&mesh.graph, routing, 0, to).unwrap();
        assert!((0..16).all(|to| route(&*one, to) == route(&*same, to)));
        assert!((0..16).any(|to| route(&*one, to) != route(&*other, to)));
    }
}
