//! Path on which a message without load arrives first: "fastest" routing of the paper on Skywalk.
//!
//! An arc delays a message by its cable and by the switch that it enters. Delays are compared in whole picoseconds; of
//! equally fast paths, the one whose last arc has the lowest number is taken. Without delays of a platform, those of
//! the paper apply: 60 ns per switch, 5 ns per metre, on the grid floor plan.

use super::trees::Trees;
use super::{Options, Routing, RoutingError, RoutingSpec};
use crate::defaults::Version;
use crate::floorplan::latency::arc_delays;
use crate::floorplan::{FloorOptions, FloorPlan};
use crate::ids::SwitchId;
use crate::topology::weighted::{WeightedSearch, Weights, picoseconds};
use crate::topology::{ArcId, Topology};

/// Paths of the lowest weight, where the weight of an arc depends on its delay.
struct Lightest {
    weights: Weights,
    trees: Trees,
    /// Reason for taking an arc, without its delay.
    reason: &'static str,
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    lightest("lowest_latency", "fastest way", topology, options, |delays| {
        Weights::new(delays.iter().map(|&delay| picoseconds(delay)).collect())
    })
}

/// Returns a rule that takes paths of the lowest weight, with the delays of the platform or of the floor plan.
pub(super) fn lightest(
    routing: &str,
    reason: &'static str,
    topology: &Topology,
    options: &Options<'_>,
    weigh: impl FnOnce(&[f64]) -> Weights,
) -> Result<Box<dyn Routing>, RoutingError> {
    let graph = topology.graph.clone();
    let default;
    let delays = match options.arc_delays {
        Some(delays) => delays,
        None => {
            let plan =
                FloorPlan::new(topology, &FloorOptions::default()).map_err(|error| RoutingError::Unsuitable {
                    routing: routing.into(),
                    topology: topology.name(),
                    reason: error.to_string(),
                })?;
            let speeds = Version::default().values().design;
            default = arc_delays(&graph, plan.cables(&graph).lengths(), speeds.switch_delay, speeds.cable_delay);
            &default
        }
    };
    Ok(Box::new(Lightest { weights: weigh(delays), trees: Trees::new(graph), reason }))
}

impl Lightest {
    fn search(&self, source: SwitchId) -> Vec<u32> {
        let graph = self.trees.graph();
        let mut search = WeightedSearch::new(graph.switches());
        search.run(graph, &self.weights, source);
        search.came_by
    }
}

impl Routing for Lightest {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.trees.route(from, to, || self.search(from), arcs)
    }

    fn reasons(&self, _from: SwitchId, _to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let delay = |arc: &ArcId| self.weights.seconds(*arc) * 1e9;
        let reason = |arc| format!("{}, {} ns for this cable and the switch after it", self.reason, delay(arc));
        arcs.iter().map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, path};
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn a_long_cable_is_avoided() {
        let ring = topology("ring:3").unwrap();
        // Arcs 0->1, 0->2, 1->0, 1->2, 2->0, 2->1.
        let delays = [500e-9, 70e-9, 500e-9, 70e-9, 70e-9, 70e-9];
        let options = Options { arc_delays: Some(&delays), ..Options::default() };
        let routing = built("lowest_latency", &ring, &options);
        assert_eq!(path(&ring.graph, &*routing, 0, 1).unwrap(), [0, 2, 1]);
        assert_eq!(path(&ring.graph, &*routing, 0, 2).unwrap(), [0, 2]);
        // On the floor plan, three switches of one cabinet are equally far apart.
        let plain = built("lowest_latency", &ring, &Options::default());
        assert_eq!(path(&ring.graph, &*plain, 0, 1).unwrap(), [0, 1]);
    }
}
