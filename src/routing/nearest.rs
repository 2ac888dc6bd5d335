//! Of the paths with the fewest hops, one on which a message without load arrives first: "nearest" routing of the paper
//! on Skywalk.
//!
//! The paper does not define which of several paths with the fewest hops it takes; the smallest latency is our choice.
//! Delays are those of [`lowest_latency`](super::lowest_latency).

use super::lowest_latency::lightest;
use super::{Options, Routing, RoutingError, RoutingSpec};
use crate::topology::Topology;
use crate::topology::weighted::Weights;

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    lightest("nearest", "fastest of the ways with the fewest hops", topology, options, |delays| {
        Weights::hops_first(delays.iter().copied())
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, path};
    use super::*;
    use crate::ids::SwitchId;
    use crate::topology::build as topology;

    #[test]
    fn a_long_cable_is_taken_where_it_saves_a_hop() {
        // From 0 to 3 there is a slow cable, and a faster path of three hops via 1 and 2; to 2 there are two paths of
        // two hops.
        let square = topology("ring:4").unwrap();
        // Arcs 0->1, 0->3, 1->0, 1->2, 2->1, 2->3, 3->0, 3->2.
        let delays = [70e-9, 900e-9, 70e-9, 70e-9, 70e-9, 70e-9, 900e-9, 70e-9];
        let options = Options { arc_delays: Some(&delays), ..Options::default() };
        let routing = built("nearest", &square, &options);
        assert_eq!(path(&square.graph, &*routing, 0, 3).unwrap(), [0, 3]);
        assert_eq!(path(&square.graph, &*routing, 0, 2).unwrap(), [0, 1, 2]);
        let mut arcs = Vec::new();
        routing.route(SwitchId(0), SwitchId(3), &mut arcs);
        let reasons = routing.reasons(SwitchId(0), SwitchId(3), &arcs);
        assert_eq!(
            reasons,
            ["fastest of the ways with the fewest hops, 900 ns for this cable and the switch after it"]
        );
        let fastest = built("lowest_latency", &square, &options);
        assert_eq!(path(&square.graph, &*fastest, 0, 3).unwrap(), [0, 1, 2, 3]);
    }
}
